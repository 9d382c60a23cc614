/// @file
/// @brief  The reference beside the ladder, in a file of its own.
#pragma once

#include <parprims/stream.hpp>

#include <cstddef>

namespace reduction_ladder {

template <class T>
std::size_t cub_scratch_bytes(const T* in, std::size_t n, T* out);

template <class T>
void cub_reduce(void* scratch, std::size_t bytes, const T* in, std::size_t n, T* out, parprims::stream_view where);

}  // namespace reduction_ladder
