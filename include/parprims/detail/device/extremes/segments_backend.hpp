/// @file
/// @brief  The search for extremes of segments on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Writes the positions of segment after segment from `out.first` on.
template <extreme Which>
struct segmented_extremes_call {
    template <class Segments, class Iterator, class To, class Compare>
    static constexpr bool check()
    {
        return check_kernel_call<iter_value_t<Iterator>, Segments, Iterator, To, Compare>();
    }

    template <class Site, class Segments, class Iterator, class Output, class Compare>
    static void run(const Site& site, const Segments& segments, Iterator first, positions_output<Output> out,
                    Compare compare)
    {
        using search = extreme_search<Which, Compare>;
        check_on_gpu<compares<Iterator, Compare>, finds_segments<Segments>, assigns<std::size_t, Output>>();
        device_call call(site, call_range("first", first, segments.n),
                         call_range("out", out.first, search::count * segments.count), device::offsets_of(segments));
        if (segments.count != 0)
            device::enqueue_segmented_extremes(call.launcher, segments, first, out.first, search{compare});
    }
};

}  // namespace parprims::detail::device

#endif
