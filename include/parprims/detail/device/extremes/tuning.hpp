/// @file
/// @brief  The launch numbers of the search for extremes. None can change a result. Measured on an H200 (CUDA 13.0) by
///         device_bench at 0f2ab7c.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Two blocks of 512 threads, 2^28 elements: 66 us (8 bits), 238 (32 bits), 472 (64 bits), which is 4.1 to 4.5 TB/s. Not compared.
inline constexpr unsigned extremes_threads = 512;
inline constexpr unsigned extremes_blocks_per_sm = 2;

/// What the kernel for few elements and that for many differ in. Few are those that take one batch of each warp, if all blocks are
/// resident.
struct few_extremes {
    static constexpr unsigned rows =
        4;  ///< packets of a lane in flight: 2^20 floats take 5.1 us, 5.8 with two (24955c9)
    using position = std::uint32_t;
};
struct many_extremes {
    static constexpr unsigned rows = 8;
    using position = std::size_t;
};

/// 2^22 doubles: 12.9 us with four rows, 15.4 us with eight (24955c9). Large values that do not lie in packets fill registers.
constexpr unsigned extremes_rows(bool in_packets, std::size_t value_bytes, unsigned rows)
{
    if (!in_packets && value_bytes > 16)
        return 1;
    return value_bytes > 4 && rows > 4 ? 4 : rows;
}

}  // namespace parprims::detail::device
