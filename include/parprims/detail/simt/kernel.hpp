/// @file
/// @brief  A kernel of a user's as the launchers take it.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::simt {

struct no_storage {};

template <class Kernel>
struct storage_of {
    using type = no_storage;
    static constexpr std::size_t bytes = 0;
};
template <class Kernel>
    requires requires { typename Kernel::shared_storage; }
struct storage_of<Kernel> {
    using type = typename Kernel::shared_storage;
    static constexpr std::size_t bytes = sizeof(type);
};

/// A kernel, with what it may leave out: `shared_storage`, if it uses no shared memory, and `max_threads`.
template <class Kernel>
struct launchable {
    static constexpr unsigned max_threads = [] {
        if constexpr (requires { Kernel::max_threads; })
            return unsigned{Kernel::max_threads};
        else
            return 1024u;
    }();
    using shared_storage = typename storage_of<Kernel>::type;

    Kernel kernel;

    PARPRIMS_DEVICE void operator()(block where, shared_storage& shared) const
    {
        if constexpr (std::is_same_v<shared_storage, no_storage>)
            kernel(where);
        else
            kernel(where, shared);
    }
};

}  // namespace parprims::detail::simt
