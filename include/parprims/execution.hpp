/// @file
/// @brief  Where and how a call runs: the policies `parprims::host` and `parprims::device`.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/optional_config.hpp>
#include <parprims/histogram_config.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/reduce_config.hpp>
#include <parprims/scan_config.hpp>
#include <parprims/stream_view.hpp>

#include <concepts>
#include <type_traits>

namespace parprims {

/// @brief  Runs on the CPU, on all cores unless `.threads(n)` says otherwise. A small value, cheap to copy.
class host_policy {
public:
    constexpr host_policy() noexcept = default;

    /// @brief  The same policy on at most `n` threads; 0 means all cores.
    constexpr host_policy threads(unsigned n) const noexcept
    {
        host_policy changed = *this;
        changed.threads_ = n;
        return changed;
    }
    constexpr unsigned threads() const noexcept { return threads_; }

private:
    unsigned threads_ = 0;
};

/// @brief  Runs on a GPU: the calling thread's current one, in its default stream. A small value, cheap to copy.
///
/// A stream decides the GPU; without one, the GPU that holds the input does.
///
/// A captured call that needs scratch has it in the graph: two executable copies of the graph must not run at the same
/// time. A call may let the kernel after it start beside its own. So a kernel of yours that is launched behind it as a
/// programmatic dependent (`cudaLaunchAttributeProgrammaticStreamSerialization`) has to wait, before it reads or writes,
/// by `cudaGridDependencySynchronize`; all others wait anyway. After cudaDeviceReset no device call may be made in the
/// process: the library keeps memory on each GPU that it has used, which the reset takes away.
class device_policy {
public:
    constexpr device_policy() noexcept = default;

    /// @brief  The same policy in stream `where`.
    constexpr device_policy on(stream_view where) const noexcept
    {
        device_policy changed = *this;
        changed.stream_ = where;
        return changed;
    }
    /// @brief  The same policy with a launch configuration for one algorithm, instead of the table's.
    constexpr device_policy with(const reduce_config& config) const noexcept
    {
        device_policy changed = *this;
        changed.reduce_ = config;
        return changed;
    }
    constexpr device_policy with(const scan_config& config) const noexcept
    {
        device_policy changed = *this;
        changed.scan_ = config;
        return changed;
    }
    constexpr device_policy with(const histogram_config& config) const noexcept
    {
        device_policy changed = *this;
        changed.histogram_ = config;
        return changed;
    }
    /// @brief  The same policy with scratch from `resource`, which must outlive the call.
    constexpr device_policy using_memory(memory_resource& resource) const noexcept
    {
        device_policy changed = *this;
        changed.resource_ = &resource;
        return changed;
    }

    constexpr stream_view stream() const noexcept { return stream_; }
    constexpr memory_resource* resource() const noexcept { return resource_; }  ///< null: the device's default
    constexpr const detail::optional_config<reduce_config>& reduce() const noexcept { return reduce_; }
    constexpr const detail::optional_config<scan_config>& scan() const noexcept { return scan_; }
    constexpr const detail::optional_config<histogram_config>& histogram() const noexcept { return histogram_; }

private:
    stream_view stream_;
    memory_resource* resource_ = nullptr;
    detail::optional_config<reduce_config> reduce_;
    detail::optional_config<scan_config> scan_;
    detail::optional_config<histogram_config> histogram_;
};

inline constexpr host_policy host{};      ///< all cores of the CPU
inline constexpr device_policy device{};  ///< the current GPU, default stream

template <class Policy>
concept execution_policy =
    std::same_as<std::remove_cvref_t<Policy>, host_policy> || std::same_as<std::remove_cvref_t<Policy>, device_policy>;

}  // namespace parprims
