/// @file
/// @brief  Elements that lie in no packets: a thread loads several before it uses one.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <utility>

namespace parprims::detail::device {

/// Elements of at most 16 bytes that a thread has in flight. Histograms of 2^26 f32 in 256 bins, us, with one, four and eight: of a reversed array
/// 215, 87 and 71, by indices 389, 159 and 129; with weights 307, 184 and 163 (H200, CUDA 13.0, beside 89280090).
inline constexpr unsigned singles_in_flight = 8;

/// Calls `use(i, load(i))` for i = `thread`, `thread + threads`, ... below n. Some are loaded before one of them is used.
template <class Index, class Load, class Use>
PARPRIMS_DEVICE inline void for_each_single(Index thread, Index threads, Index n, Load load, Use use)
{
    Index i = thread;
    const auto use_batch = [&]<unsigned... B>(std::integer_sequence<unsigned, B...>) {
        constexpr Index count = sizeof...(B);
        for (; i + (count - 1) * threads < n; i += count * threads) {
            const decltype(load(i)) loaded[] = {load(i + B * threads)...};
            (use(i + B * threads, loaded[B]), ...);
        }
    };
    if constexpr (sizeof(decltype(load(i))) <= 16)
        use_batch(std::make_integer_sequence<unsigned, singles_in_flight>());
    use_batch(std::make_integer_sequence<unsigned, 1>());
}

}  // namespace parprims::detail::device
