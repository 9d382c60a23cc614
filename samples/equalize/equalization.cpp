// histogram -> inclusive scan -> table -> map. This source is the same for both backends: compiled as CUDA where a GPU
// may run it (bytes are not among the prebuilt types), as C++ elsewhere.
#include "equalize/equalization.hpp"

#include "support/for_each_index.hpp"
#include "support/memory.hpp"

#include <parprims/parprims.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace pp = parprims;

namespace {

template <class Policy>
equalization equalize_with(const Policy& policy, const samples::image& picture)
{
    equalization result;
    result.picture = picture;
    samples::stopwatch<Policy> watch(policy);
    const std::size_t n = picture.pixels(), size = picture.values.size(), channels = picture.channels;
    constexpr std::size_t table_bytes = 256 * sizeof(std::uint64_t);
    const pp::integer_axis axis(0, 256);

    auto values = samples::bring(policy, std::span<const std::uint8_t>(picture.values));
    auto equalized = samples::make_array<std::uint8_t>(policy, size);
    auto counts = samples::make_array<std::uint64_t>(policy, 256);
    auto cumulative = samples::make_array<std::uint64_t>(policy, 256);

    // The luminances are computed as they are counted; there is no picture of them.
    const pp::transform_iterator luminances(pp::counting_iterator(std::size_t{0}),
                                            luminance_of{values.data(), channels});
    const auto end = luminances + static_cast<std::ptrdiff_t>(n);
    watch.time({"histogram", "pixels of each luminance", n, size + table_bytes},
               [&] { pp::histogram(policy, luminances, end, axis, counts.begin()); });
    std::ranges::copy(samples::fetch(counts), result.before.begin());

    watch.time({"inclusive_scan", "cumulative curve", 256, 2 * table_bytes},
               [&] { pp::inclusive_scan(policy, counts.begin(), counts.end(), cumulative.begin()); });
    std::ranges::copy(samples::fetch(cumulative), result.cumulative.begin());

    result.table = equalizing_table(result.cumulative);
    const relight map{values.data(), equalized.data(), channels, result.table};
    watch.time({"map", "equalised picture", n, 2 * size}, [&] { samples::for_each_index(policy, n, map); });
    result.picture.values = samples::fetch(equalized);

    const pp::transform_iterator new_luminances(pp::counting_iterator(std::size_t{0}),
                                                luminance_of{equalized.data(), channels});
    pp::histogram(policy, new_luminances, new_luminances + static_cast<std::ptrdiff_t>(n), axis, counts.begin());
    std::ranges::copy(samples::fetch(counts), result.after.begin());
    result.timings = watch.take();
    return result;
}

}  // namespace

lookup_table equalizing_table(const luminance_counts& cumulative)
{
    const auto first = std::ranges::find_if(cumulative, [](std::uint64_t pixels) { return pixels != 0; });
    const std::uint64_t darkest = first == cumulative.end() ? 0 : *first;
    const std::uint64_t spread = cumulative.back() - darkest;
    lookup_table table;
    for (std::size_t level = 0; level < 256; ++level) {
        const std::uint64_t rank = cumulative[level] - std::min(cumulative[level], darkest);
        table.levels[level] = static_cast<std::uint8_t>(spread == 0 ? level : (255 * rank + spread / 2) / spread);
    }
    return table;
}

equalization equalize(const samples::image& picture, const samples::place& where)
{
    return samples::with_policy(where, [&](const auto& policy) { return equalize_with(policy, picture); });
}
