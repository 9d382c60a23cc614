/// @file
/// @brief  A stack to run on, and the switch from one to another: Boost.Context's fcontext.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

namespace parprims::detail::simt::executor {

/// Where a fiber goes on; valid while it does not run.
using fiber = boost::context::detail::fcontext_t;

/// Who has been jumped to keeps where the one that jumped goes on.
inline void arrive(boost::context::detail::transfer_t from)
{
    *static_cast<fiber*>(from.data) = from.fctx;
}

/// A fiber that will call `Enter`, which never returns, on the `bytes` bytes below `top`.
template <void (*Enter)()>
fiber make_fiber(char* top, std::size_t bytes)
{
    return boost::context::detail::make_fcontext(top, bytes, [](boost::context::detail::transfer_t from) {
        arrive(from);
        Enter();
    });
}

/// Goes on with `to`, and returns when somebody goes on with what is then in `from`.
inline void switch_fiber(fiber& from, fiber to)
{
    arrive(boost::context::detail::jump_fcontext(to, &from));
}

}  // namespace parprims::detail::simt::executor
