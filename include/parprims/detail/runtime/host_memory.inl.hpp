/// @file
/// @brief  The error of a host without memory.
#pragma once

#include <parprims/detail/runtime/host_memory.hpp>
#include <parprims/error.hpp>

namespace parprims::detail::runtime {

PARPRIMS_INLINE void throw_no_host_memory(std::size_t bytes)
{
    throw out_of_memory(bytes, "host memory");
}

}  // namespace parprims::detail::runtime
