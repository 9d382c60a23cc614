/// @file
/// @brief  What a kernel of your own is written in: its place in the grid, arrays, warps, atomic operations.
///
/// One kernel runs on a GPU, compiled by nvcc, where all of this is CUDA's (`parprims/simt/launch.hpp`), and on a CPU, compiled by
/// any C++20 compiler, where its accesses are checked and counted (`parprims/simt/executor.hpp`).
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

/// @brief  What kernels of your own are written in.
namespace parprims::simt {

#if defined(PARPRIMS_READ_BY_DOXYGEN)  // the names below, as their users see them

/// @brief  Lanes of a warp.
/// @snippet own_kernels.cpp warps
inline constexpr unsigned warp_size = 32;

/// @brief  A set of lanes: bit `l` is lane `l`.
/// @snippet own_kernels.cpp warps
using lane_mask = std::uint32_t;

/// @brief  All lanes of a warp.
/// @snippet own_kernels.cpp warps
inline constexpr lane_mask all_lanes = 0xffffffffu;

/// @brief  The calling thread's place in its block and in the grid. A kernel takes it by value.
/// @snippet own_kernels.cpp block_sum
struct block {
    static unsigned thread();    ///< threadIdx.x
    static unsigned threads();   ///< blockDim.x
    static unsigned lane();      ///< thread() % warp_size
    static unsigned warp();      ///< thread() / warp_size
    static unsigned warps();     ///< threads() / warp_size
    static std::size_t index();  ///< blockIdx.x
    std::size_t count() const;   ///< gridDim.x
    /// @brief  Waits for all threads of the block, and orders their memory accesses: `__syncthreads()`.
    static void sync();
};

/// @brief  An array in global memory, as a member of a kernel. A pointer converts to it.
///
/// Read an element into a value of its type (`const float x = in[i];`), not `auto`: on the executor `in[i]` is a proxy.
/// @snippet own_kernels.cpp block_sum
template <class T>
struct global {
    T* data;
    global(T* first);
    T& operator[](std::size_t i) const;
};

/// @brief  An array in shared memory, as a member of a kernel's `shared_storage`: `shared_array<float, 32, 33>` for
///         `float tile[32][33]`. Without a size it must be the last member, and the launch sets its size.
/// @snippet own_kernels.cpp transpose
template <class T, std::size_t... Sizes>
struct shared_array {
    T& operator[](std::size_t i);
};

/// @brief  What one lane loads or stores at a time: 1, 2, 4, 8 or 16 bytes.
/// @snippet own_kernels.cpp packets
template <unsigned Bytes>
struct packet;

/// @brief  Reads element `i` at a pointer into global or shared memory.
/// @snippet own_kernels.cpp packets
template <class T>
T load(const T* source, std::size_t i = 0);

/// @brief  Writes element `i` at a pointer into global or shared memory.
/// @snippet own_kernels.cpp packets
template <class T>
void store(T* target, std::size_t i, const T& value);

/// @brief  Element `k` of a packet, as a T.
/// @snippet own_kernels.cpp packets
template <class T, unsigned Bytes>
T element(const packet<Bytes>& source, unsigned k);

/// @brief  Sets element `k` of a packet.
/// @snippet own_kernels.cpp packets
template <class T, unsigned Bytes>
void set_element(packet<Bytes>& target, unsigned k, const T& value);

/// @brief  A condition that may differ between the lanes of a warp. On the executor it is counted, and whether the lanes diverge.
/// @snippet own_kernels.cpp block_sum
bool branch(bool condition);

/// @brief  Waits for the lanes of `mask`, and orders their memory accesses: `__syncwarp(mask)`.
/// @snippet own_kernels.cpp warps
void sync_warp(lane_mask mask = all_lanes);

/// @brief  Bit `l` is set if lane `l` of `mask` passes true: `__ballot_sync`.
/// @snippet own_kernels.cpp warps
lane_mask ballot(bool yes, lane_mask mask = all_lanes);

/// @brief  The number of bits that are set: `__popc`.
/// @snippet own_kernels.cpp warps
unsigned count_lanes(lane_mask lanes);

/// @brief  The value of lane `source`, of any trivially copyable type: `__shfl_sync`.
/// @snippet own_kernels.cpp warps
template <class T>
T shuffle(const T& value, unsigned source, lane_mask mask = all_lanes);

/// @brief  The value of the lane `distance` below; a lane that has none keeps its own.
/// @snippet own_kernels.cpp warps
template <class T>
T shuffle_up(const T& value, unsigned distance, lane_mask mask = all_lanes);

/// @brief  The value of the lane `distance` above; a lane that has none keeps its own.
/// @snippet own_kernels.cpp warps
template <class T>
T shuffle_down(const T& value, unsigned distance, lane_mask mask = all_lanes);

/// @brief  Adds to a number in global or shared memory and returns the old value. Orders no other access.
/// @snippet own_kernels.cpp histogram
template <class T>
T atomic_add(T* number, T value);

/// @brief  Reads a word of 4 or 8 bytes of global memory, which other threads may be writing by atomic operations. Orders no other access.
/// @snippet own_kernels.cpp wait
template <class Word>
Word atomic_load(const Word* word);

/// @brief  Writes a word of 4 or 8 bytes of global memory, which other threads may be reading by atomic operations. Orders no other access.
/// @snippet own_kernels.cpp wait
template <class Word>
void atomic_store(Word* word, Word value);

/// @brief  Adds to a number in global memory and returns the old value. Acquire and release: a thread that finds the addition of another
///         one sees all that this one had written before.
/// @snippet own_kernels.cpp last_block
unsigned atomic_add_acq_rel(unsigned* number, unsigned value);

/// @brief  Called in a loop that waits for another block. The executor runs other threads here, and finds out if all of them wait.
/// @snippet own_kernels.cpp wait
void pause();

/// @brief  Starts a copy of 4, 8 or 16 bytes from global to shared memory: `cp.async`.
/// @snippet own_kernels.cpp copies
template <unsigned Bytes>
void copy_async(packet<Bytes>* shared, const packet<Bytes>* global);

/// @brief  Ends a group of this thread's copies.
/// @snippet own_kernels.cpp copies
void commit_copies();

/// @brief  Waits until at most `Pending` of this thread's groups of copies are under way. Other threads also need a barrier.
/// @snippet own_kernels.cpp copies
template <unsigned Pending>
void wait_copies();

#else

using detail::simt::all_lanes;
using detail::simt::element;
using detail::simt::lane_mask;
using detail::simt::packet;
using detail::simt::set_element;
using detail::simt::warp_size;

#if defined(PARPRIMS_SIMT_EXECUTOR) || PARPRIMS_CUDA_COMPILER || defined(__HIP__)
using detail::simt::atomic_add;
using detail::simt::atomic_add_acq_rel;
using detail::simt::atomic_load;
using detail::simt::atomic_store;
using detail::simt::ballot;
using detail::simt::block;
using detail::simt::branch;
using detail::simt::commit_copies;
using detail::simt::copy_async;
using detail::simt::count_lanes;
using detail::simt::global;
using detail::simt::load;
using detail::simt::pause;
using detail::simt::shared_array;
using detail::simt::shuffle;
using detail::simt::shuffle_down;
using detail::simt::shuffle_up;
using detail::simt::store;
using detail::simt::sync_warp;
using detail::simt::wait_copies;
#endif

#endif

}  // namespace parprims::simt

#include <parprims/detail/pop_macros.hpp>
