/// @file
/// @brief  The same three words for both backends: memory that a policy reaches, and the way back.
#pragma once

#include <parprims/device_buffer.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace samples {

/// @brief  Refuses what would take more memory than this machine has free, which it would notice too late.
/// @throws std::runtime_error  with both numbers
void check_memory(std::size_t bytes);

/// @brief  `n` elements where the policy runs.
template <class T>
std::vector<T> make_array(const parprims::host_policy&, std::size_t n)
{
    return std::vector<T>(n);
}
template <class T>
parprims::device_buffer<T> make_array(const parprims::device_policy& policy, std::size_t n)
{
    return parprims::device_buffer<T>(n, policy.stream());
}

/// @brief  `values` where the policy runs: the very same memory on the host, a copy on the GPU.
template <class T>
std::span<const T> bring(const parprims::host_policy&, std::span<const T> values)
{
    return values;
}
template <class T>
parprims::device_buffer<T> bring(const parprims::device_policy& policy, std::span<const T> values)
{
    return parprims::device_buffer<T>(values, policy.stream());
}

/// @brief  The values on the host, once they are there.
template <class T>
std::vector<T> fetch(const parprims::device_buffer<T>& values)
{
    return values.to_host();
}
template <class T>
std::vector<T> fetch(std::vector<T> values)
{
    return values;
}

inline void wait(const parprims::host_policy&) {}
inline void wait(const parprims::device_policy& policy)
{
    policy.stream().synchronize();
}

}  // namespace samples
