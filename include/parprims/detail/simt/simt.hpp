/// @file
/// @brief  The thread context that kernels are written against: ids, barriers, warp collectives, atomics, copies.
///
/// Compiled by nvcc, or as HIP for AMD's GPUs, the functions are intrinsics. Compiled as plain C++ with the executor of
/// lib/executor (PARPRIMS_SIMT_EXECUTOR), the same kernels run on a CPU. Only this folder and detail/numeric name intrinsics.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::simt {

inline constexpr unsigned warp_size = 32;
using lane_mask = std::uint32_t;
inline constexpr lane_mask all_lanes = 0xffffffffu;

/// Bytes of a line of shared memory: 32 banks. Asynchronous copies should begin with a line, or the packets of a warp cover one more: some
/// calls then take 1.2 times as long (1dcefae).
inline constexpr std::size_t shared_line_bytes = 128;

/// `bytes`, rounded up to whole lines.
constexpr std::size_t whole_lines(std::size_t bytes)
{
    return (bytes + shared_line_bytes - 1) / shared_line_bytes * shared_line_bytes;
}

/// Loops over at most so many words of a value are unrolled, so that the words stay in registers.
inline constexpr unsigned max_unrolled_words = 32;

/// The memory order of an atomic operation.
enum class order { relaxed, acq_rel };

/// What one lane loads or stores at a time: 1, 2, 4, 8 or 16 bytes. An array of words, so that it stays in registers.
template <unsigned Bytes>
struct alignas(Bytes) packet {
    using word =
        std::conditional_t<Bytes % 4 == 0, std::uint32_t, std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>;
    word words[Bytes / sizeof(word)];
};

/// Element `k` of a packet, as a T.
template <class T, unsigned Bytes>
PARPRIMS_HOST_DEVICE inline T element(const packet<Bytes>& source, unsigned k)
{
    uninitialized<T> value;
    __builtin_memcpy(static_cast<void*>(__builtin_addressof(value)),
                     reinterpret_cast<const unsigned char*>(source.words) + k * sizeof(T), sizeof(T));
    return value.value;
}

/// Sets element `k` of a packet.
template <class T, unsigned Bytes>
PARPRIMS_HOST_DEVICE inline void set_element(packet<Bytes>& target, unsigned k, const T& value)
{
    __builtin_memcpy(reinterpret_cast<unsigned char*>(target.words) + k * sizeof(T),
                     static_cast<const void*>(__builtin_addressof(value)), sizeof(T));
}

}  // namespace parprims::detail::simt

#if defined(PARPRIMS_SIMT_EXECUTOR)
#include <parprims/detail/executor/executor.hpp>
#include <parprims/detail/simt/memory.hpp>
#elif defined(__HIP__)
#include <parprims/detail/simt/access.hpp>
#include <parprims/detail/simt/hip.hpp>
#include <parprims/detail/simt/memory.hpp>
#elif PARPRIMS_CUDA_COMPILER
#include <parprims/detail/simt/access.hpp>
#include <parprims/detail/simt/cuda.hpp>
#include <parprims/detail/simt/cuda_async.hpp>
#include <parprims/detail/simt/cuda_memory.hpp>
#include <parprims/detail/simt/memory.hpp>
#endif
