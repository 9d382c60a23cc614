// histogram -> inclusive scan -> table -> map. Compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "equalize/equalization.hpp"

#include <parprims/parprims.hpp>

#include <cstddef>

namespace pp = parprims;

namespace {

/// Arrays where the policy runs.
struct arrays {
    const std::uint8_t* values;
    std::uint8_t* equalized;
    std::uint64_t* before;
    std::uint64_t* cumulative;
    std::uint64_t* after;
    std::uint8_t* table;
};

/// No call waits for the one before: on a GPU they run one after another in its stream.
template <class Policy>
std::vector<samples::timing> equalize_with(const Policy& policy, std::size_t pixels, std::size_t channels,
                                           const arrays& all)
{
    const pp::counting_iterator<std::size_t> first(0);
    const auto last_pixel = static_cast<std::ptrdiff_t>(pixels),
               last_value = static_cast<std::ptrdiff_t>(pixels * channels);
    const pp::integer_axis axis(0, 256);
    constexpr std::size_t counts_bytes = 256 * sizeof(std::uint64_t);
    samples::stopwatch watch(policy);

    // The luminances are computed as they are counted; there is no picture of them.
    const pp::transform_iterator luminances(first, luminance_of{all.values, channels});
    watch.time({"histogram", "pixels of each luminance", pixels, pixels * channels + counts_bytes},
               [&] { pp::histogram(policy, luminances, luminances + last_pixel, axis, all.before); });
    watch.time({"inclusive_scan", "cumulative curve", 256, 2 * counts_bytes},
               [&] { pp::inclusive_scan(policy, all.before, all.before + 256, all.cumulative); });
    watch.time({"transform", "table of luminances", 256, counts_bytes + 256},
               [&] { pp::transform(policy, first, first + 256, all.table, equalized_level{all.cumulative}); });
    watch.time({"transform", "equalised picture", pixels, 2 * pixels * channels}, [&] {
        pp::transform(policy, first, first + last_value, all.equalized, relight{all.values, channels, all.table});
    });

    const pp::transform_iterator new_luminances(first, luminance_of{all.equalized, channels});
    pp::histogram(policy, new_luminances, new_luminances + last_pixel, axis, all.after);
    return watch.take();
}

}  // namespace

equalization equalize(const samples::image& picture, [[maybe_unused]] const samples::place& where)
{
    equalization result;
    result.picture = picture;
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device) {
        const pp::device_buffer<std::uint8_t> values = pp::to_device(picture.values);
        pp::device_buffer<std::uint8_t> equalized(values.size()), table(256);
        pp::device_buffer<std::uint64_t> before(256), cumulative(256), after(256);
        result.timings = equalize_with(pp::device, picture.pixels(), picture.channels,
                                       {values.data(), equalized.data(), before.data(), cumulative.data(), after.data(),
                                        table.data()});
        equalized.copy_to(result.picture.values);
        before.copy_to(result.before);
        cumulative.copy_to(result.cumulative);
        after.copy_to(result.after);
        table.copy_to(result.table);
        return result;
    }
#endif
    result.timings = equalize_with(pp::host, picture.pixels(), picture.channels,
                                   {picture.values.data(), result.picture.values.data(), result.before.data(),
                                    result.cumulative.data(), result.after.data(), result.table.data()});
    return result;
}
