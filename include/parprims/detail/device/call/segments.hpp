/// @file
/// @brief  Segments as an argument of a call.
#pragma once

#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

namespace parprims::detail::device {

/// The offsets that a call reads.
inline call_range<const char*> offsets_of(const fixed_segments&)
{
    static constexpr const char* none = nullptr;
    return {"offsets_first", none, 0};
}
template <class Offsets>
call_range<Offsets> offsets_of(const offset_segments<Offsets>& segments)
{
    return {"offsets_first", segments.offsets, segments.count == 0 ? 0 : segments.count + 1};
}

/// To find where segments begin, for `check_on_gpu`.
template <class Segments>
struct finds_segments {
    PARPRIMS_DEVICE static void run(const Segments& segments)
    {
        if constexpr (Segments::is_searched)
            iterator_check<decltype(segments.offsets)>::run(segments.offsets);
    }
};

}  // namespace parprims::detail::device

#endif
