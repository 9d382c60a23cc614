/// @file
/// @brief  A launcher on the executor, which adds up what its launches do. For files of targets that link `parprims::executor`.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/simt/executor.hpp>

#if defined(PARPRIMS_SIMT_EXECUTOR)
#include <parprims/detail/device/call/executor_launcher.hpp>
#endif

namespace parprims::executor {

#if defined(PARPRIMS_READ_BY_DOXYGEN)

/// @brief  Launches on the executor, and adds up what they do.
/// @snippet own_kernels.cpp calls
class launcher {
public:
    /// @brief  Each launch runs with these options.
    explicit launcher(const options& chosen);
    /// @brief  What the launches since the last time did, in all.
    statistics take_statistics();
};

#elif defined(PARPRIMS_SIMT_EXECUTOR)
using detail::simt::executor::launcher;
#endif

}  // namespace parprims::executor

#include <parprims/detail/pop_macros.hpp>
