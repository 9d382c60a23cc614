/// @file
/// @brief  The reference, in a file of its own.
#pragma once

#include <parprims/stream.hpp>

#include <cstddef>

namespace scan_methods {

/// With null scratch, sets `bytes` to what it needs.
template <class T>
void cub_scan(void* scratch, std::size_t& bytes, const T* in, T* out, std::size_t n, parprims::stream_view where);

}  // namespace scan_methods
