/// @file
/// @brief  The error of a host without memory.
#pragma once

#include <parprims/detail/runtime/host_memory.hpp>
#include <parprims/error.hpp>

namespace parprims::detail::runtime {

PARPRIMS_INLINE void throw_out_of_memory(std::size_t bytes, const char* where)
{
    throw out_of_memory(bytes, where);
}

}  // namespace parprims::detail::runtime
