/// @file
/// @brief  Makes a GPU current for a scope: the part of device.hpp that every device call needs.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>

namespace parprims {

/// @brief  Makes GPU `id` current for the calling thread, and restores the previous one at the end of the scope.
/// @snippet device.cpp gpus
class device_guard {
public:
    /// @throws invalid_argument, cuda_error  as `get_device_info`
    explicit device_guard(int id);
    ~device_guard();
    device_guard(const device_guard&) = delete;
    device_guard& operator=(const device_guard&) = delete;

private:
    int previous_;
    bool changed_;
};

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/device.hpp>  // includes the definitions
#endif

#include <parprims/detail/pop_macros.hpp>
