// expect: parprims: a value must be assignable: no const member, no reference
#include <parprims/scan.hpp>

struct reading {
    const int value;
};

struct add {
    reading operator()(const reading& a, const reading& b) const { return {a.value + b.value}; }
};

void sums(const reading* first, const reading* last, reading* out)
{
    parprims::inclusive_scan(parprims::host, first, last, out, add{});
}
