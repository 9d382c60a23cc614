/// @file
/// @brief  Fibers: a stack and the switch to another one, by Boost.Context's fcontext. With PARPRIMS_FIBERS_BY_UCONTEXT by the C
///         library, which makes two system calls a switch: for samples/exercise on machines without Boost.
#pragma once

#if defined(PARPRIMS_FIBERS_BY_UCONTEXT)
#include <ucontext.h>

#include <new>
#else
#include <boost/context/detail/fcontext.hpp>
#endif

#include <cstddef>

namespace parprims::detail::simt::executor {

#if defined(PARPRIMS_FIBERS_BY_UCONTEXT)

/// Where a fiber continues; valid while it does not run.
using fiber = ucontext_t*;

/// A fiber that will call `Enter`, which never returns, on the `bytes` bytes below `top`, where its context lies, too.
template <void (*Enter)()>
fiber make_fiber(char* top, std::size_t bytes)
{
    constexpr std::size_t context_bytes = (sizeof(ucontext_t) + 63) / 64 * 64;
    auto* const context = new (top - context_bytes) ucontext_t;
    getcontext(context);
    context->uc_stack.ss_sp = top - bytes;
    context->uc_stack.ss_size = bytes - context_bytes;
    context->uc_link = nullptr;
    makecontext(context, Enter, 0);
    return context;
}

/// Continues `to`. Returns when another fiber continues `from`, which is set to where this one continues.
inline void switch_fiber(fiber& from, fiber to)
{
    ucontext_t here;
    from = &here;
    swapcontext(&here, to);
}

#else

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

#endif

}  // namespace parprims::detail::simt::executor
