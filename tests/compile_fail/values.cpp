// Values and versions of the language, and warnings that users turn on.
//
// expect buffer_of_strings: trivially copyable
// expect cpp17 -std=c++17: #error parprims needs C++20: compile with -std=c++20
// compiles -Werror -Wall -Wextra -Wconversion -Wuseless-cast
#include <parprims/device_buffer.hpp>
#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>
#include <parprims/tuple.hpp>

#include <string>
#include <vector>

namespace pp = parprims;

#if defined(buffer_of_strings)
pp::device_buffer<std::string> names(4);
#endif

using entry = pp::tuple<float, int>;

entry sum(const std::vector<float>& x, const std::vector<int>& n)
{
    const pp::zip_iterator entries(x.begin(), n.begin());
    const int one = 1;
    const entry first(one, 0);
    const entry second(2.0f, one);
    return pp::reduce(pp::host, entries, entries + 3, entry(0, 0), [&](const entry& a, const entry& b) {
        return entry(pp::get<0>(a) + pp::get<0>(b) + pp::get<0>(first), pp::get<1>(a) + pp::get<1>(second));
    });
}
