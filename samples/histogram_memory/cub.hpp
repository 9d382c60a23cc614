/// @file
/// @brief  The reference, in a file of its own.
#pragma once

#include "histogram_memory/engine.hpp"

#include <parprims/stream.hpp>

#include <cstddef>
#include <cstdint>

namespace histogram_memory {

/// With null scratch, sets `bytes` to what it needs.
void cub_histogram(void* scratch, std::size_t& bytes, const request& what, const std::uint32_t* keys,
                   std::uint32_t* counts, parprims::stream_view where);

}  // namespace histogram_memory
