/// @file
/// @brief  What a call throws that finds no memory on the host. Out of line, as what refuse.hpp has.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>
#include <new>

namespace parprims::detail::runtime {

/// Throws out_of_memory.
[[noreturn]] void throw_no_host_memory(std::size_t bytes);

/// What `make()` returns, which allocates `bytes`; out_of_memory where it cannot.
template <class Make>
auto with_host_memory(std::size_t bytes, Make make)
{
    try {
        return make();
    } catch (const std::bad_alloc&) {
        throw_no_host_memory(bytes);
    }
}

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/host_memory.inl.hpp>
#endif
