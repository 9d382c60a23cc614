/// @file
/// @brief  out_of_memory for an allocation on the host. Thrown out of line, for the reason in refuse.hpp.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>
#include <new>

namespace parprims::detail::runtime {

/// Throws out_of_memory.
[[noreturn]] void throw_out_of_memory(std::size_t bytes, const char* where);

/// Returns `make()`, which allocates `bytes`; throws out_of_memory instead of std::bad_alloc.
template <class Make>
auto with_host_memory(std::size_t bytes, Make make)
{
    try {
        return make();
    } catch (const std::bad_alloc&) {
        throw_out_of_memory(bytes, "host memory");
    }
}

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/host_memory.inl.hpp>
#endif
