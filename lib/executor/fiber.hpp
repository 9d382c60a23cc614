/// @file
/// @brief  Fibers: a stack and the switch to another one, by Boost.Context's fcontext.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

namespace parprims::detail::simt::executor {

/// Where a fiber continues; valid while it does not run.
using fiber = boost::context::detail::fcontext_t;

/// Called by the fiber that was switched to: stores where the previous fiber continues.
inline void store_previous(boost::context::detail::transfer_t from)
{
    *static_cast<fiber*>(from.data) = from.fctx;
}

/// A fiber that will call `Enter`, which never returns, on the `bytes` bytes below `top`.
template <void (*Enter)()>
fiber make_fiber(char* top, std::size_t bytes)
{
    return boost::context::detail::make_fcontext(top, bytes, [](boost::context::detail::transfer_t from) {
        store_previous(from);
        Enter();
    });
}

/// Continues `to`. Returns when another fiber continues `from`, which is set to where this one continues.
inline void switch_fiber(fiber& from, fiber to)
{
    store_previous(boost::context::detail::jump_fcontext(to, &from));
}

}  // namespace parprims::detail::simt::executor
