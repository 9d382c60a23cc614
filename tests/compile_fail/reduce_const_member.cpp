// expect: parprims: a value must be assignable: no const member, no reference
#include <parprims/reduce.hpp>

struct reading {
    const int value;
};

struct add {
    reading operator()(const reading& a, const reading& b) const { return {a.value + b.value}; }
};

int sum(const reading* first, const reading* last)
{
    return parprims::reduce(parprims::host, first, last, reading{0}, add{}).value;
}
