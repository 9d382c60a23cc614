/// @file
/// @brief  What the examples of the guide share: each runs on the host and, where there is one, on the GPU.
///
/// In an example `policy` is parprims::host or parprims::device, and memory is a std::vector or a device_buffer.
#pragma once

#include "support/backend.hpp"

#include <parprims/device_buffer.hpp>

#include <cstddef>
#include <vector>

/// `values` where the backend runs.
template <class Backend, class T>
auto bring(const std::vector<T>& values)
{
    if constexpr (Backend::is_device)
        return parprims::to_device(values);
    else
        return values;
}

/// `n` elements where the backend runs.
template <class Backend, class T>
auto make_array(std::size_t n)
{
    if constexpr (Backend::is_device)
        return parprims::device_buffer<T>(n);
    else
        return std::vector<T>(n);
}

template <class T>
std::vector<T> fetch(const parprims::device_buffer<T>& values)
{
    return values.to_host();
}
template <class T>
std::vector<T> fetch(const std::vector<T>& values)
{
    return values;
}
