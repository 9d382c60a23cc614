// Calls along dimensions for along.py: reads arrays from stdin, writes results to stdout. All numbers have eight bytes; a request is
//   call (0 sum, 1 place of the minimum, 2 place of the maximum, 3 inclusive scan, 4 exclusive scan from 1), rank, dimensions that it goes
//   along (bits), first element, size of the memory, extents, strides, and the memory as doubles.
#include <parprims/extremes_along.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/scan_along.hpp>

#include "../unit/support/arrays.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

bool read(void* to, std::size_t count)
{
    return std::fread(to, 8, count, stdin) == count;
}

template <class View, std::size_t Count>
std::vector<double> answer(std::int64_t call, const View& view, const pp::along<Count>& chosen)
{
    std::size_t results = 1;
    for (std::size_t d = 0; d < View::rank(); ++d) {
        bool is_along = false;
        for (const std::ptrdiff_t each : chosen.dimensions)
            is_along = is_along || each == static_cast<std::ptrdiff_t>(d);
        results *= is_along && call < 3 ? 1 : static_cast<std::size_t>(view.extent(d));
    }
    std::vector<double> out(results);
    switch (call) {
    case 0: pp::reduce(pp::host, view, chosen, out.begin(), 0.0); break;
    case 1: pp::min_element(pp::host, view, chosen, out.begin()); break;
    case 2: pp::max_element(pp::host, view, chosen, out.begin()); break;
    default:
        if constexpr (Count == 1) {
            if (call == 3)
                pp::inclusive_scan(pp::host, view, chosen, out.begin());
            else
                pp::exclusive_scan(pp::host, view, chosen, out.begin(), 1.0);
        }
    }
    return out;
}

}  // namespace

int main()
{
    std::int64_t head[5];
    while (read(head, 5)) {
        random_array array;
        array.rank = static_cast<unsigned>(head[1]);
        array.first = static_cast<std::size_t>(head[3]);
        std::int64_t shape[8];
        std::vector<double> memory(static_cast<std::size_t>(head[4]));
        if (!read(shape, 2 * array.rank) || !read(memory.data(), memory.size()))
            return EXIT_FAILURE;
        for (unsigned d = 0; d < array.rank; ++d) {
            array.extents[d] = static_cast<std::size_t>(shape[d]);
            array.strides[d] = shape[array.rank + d];
        }
        std::vector<double> out;
        with_view(array, memory.data(), [&](const auto& view) {
            with_along(dimensions_in(array.rank, static_cast<unsigned>(head[2]), true), [&](const auto& chosen) {
                constexpr std::size_t count = sizeof(chosen.dimensions) / sizeof(chosen.dimensions[0]);
                if constexpr (count <= std::remove_cvref_t<decltype(view)>::rank())
                    out = answer(head[0], view, chosen);
            });
        });
        std::fwrite(out.data(), 8, out.size(), stdout);
        std::fflush(stdout);
    }
}
