// Calls along dimensions for along.py: reads arrays from stdin, writes results to stdout. All numbers have eight bytes; a request is
//   call (a member of `calls`), rank, dimensions that it goes along (bits), first element, size of the memory, extents, strides, and the
//   memory as doubles; for weighted histograms also that of the weights. An exclusive scan begins with 1. Histograms have `axis()`.
#include <parprims/axis.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/extremes_along.hpp>
#include <parprims/histogram_along.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/scan_along.hpp>
#include <parprims/weighted_histogram_along.hpp>

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

enum calls : std::int64_t {
    sum,
    place_of_minimum,
    place_of_maximum,
    exact_sum,
    counts,
    sums_of_weights,
    inclusive_scan,  // scans take one dimension
    exclusive_scan,
};

/// Of which no edge is rounded. Some samples are outside.
pp::regular_axis<double> axis()
{
    return {6, -1.0, 2.0};
}

template <class View, std::size_t Count>
std::vector<double> answer(std::int64_t call, const View& view, const View& weights, const pp::along<Count>& chosen)
{
    std::size_t results = call == counts || call == sums_of_weights ? axis().extent() : 1;
    for (std::size_t d = 0; d < View::rank(); ++d) {
        bool is_along = false;
        for (const std::ptrdiff_t each : chosen.dimensions)
            is_along = is_along || each == static_cast<std::ptrdiff_t>(d);
        results *= is_along && call < inclusive_scan ? 1 : static_cast<std::size_t>(view.extent(d));
    }
    std::vector<double> out(results);
    switch (call) {
    case sum: pp::reduce(pp::host, view, chosen, out.begin(), 0.0); break;
    case exact_sum: pp::reduce(pp::host, view, chosen, out.begin(), 0.0, pp::exact_plus{}); break;
    case place_of_minimum: pp::min_element(pp::host, view, chosen, out.begin()); break;
    case place_of_maximum: pp::max_element(pp::host, view, chosen, out.begin()); break;
    case counts: {
        std::vector<std::uint32_t> of_bins(results);
        pp::histogram(pp::host, view, chosen, axis(), of_bins.begin());
        out.assign(of_bins.begin(), of_bins.end());
        break;
    }
    case sums_of_weights: pp::weighted_histogram(pp::host, view, chosen, weights, axis(), out.begin()); break;
    default:
        if constexpr (Count == 1) {
            if (call == inclusive_scan)
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
        std::vector<double> weights(head[0] == sums_of_weights ? memory.size() : 0);
        if (!read(shape, 2 * array.rank) || !read(memory.data(), memory.size()) ||
            !read(weights.data(), weights.size()))
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
                    with_view(array, weights.empty() ? memory.data() : weights.data(), [&](const auto& of_weights) {
                        if constexpr (std::is_same_v<decltype(view), decltype(of_weights)>)
                            out = answer(head[0], view, of_weights, chosen);
                    });
            });
        });
        std::fwrite(out.data(), 8, out.size(), stdout);
        std::fflush(stdout);
    }
}
