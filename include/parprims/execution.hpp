/// @file
/// @brief  Where and how a call runs: the policies `parprims::host` and `parprims::device`.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

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
/// @snippet reference.cpp host_policy
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

/// @brief  Runs on a GPU, in the default stream unless `.on(stream)` says otherwise. A small value, cheap to copy.
///
///   * The GPU is that of the stream. In the default stream it is the GPU whose memory holds the input, or where that is
///     in no GPU's memory, the output; or else the calling thread's current one.
///   * Graphs: the scratch of a captured call is part of the graph. Run one launch of the graph at a time, and do not run two
///     executables of it side by side.
///   * Programmatic dependent launch: a kernel of your own that follows a call in its stream and is launched with
///     `cudaLaunchAttributeProgrammaticStreamSerialization` may start while the call runs. It must call
///     `cudaGridDependencySynchronize()` before it reads or writes. Kernels launched without that attribute need nothing.
///   * Make no device call after cudaDeviceReset: it frees memory that the library keeps on each GPU that it has used.
///
/// @tparam Scan  the configuration of scans: `scan_config`, or `three_phase_scan` after `.with(three_phase_scan{...})`. Part of
///               the type, so that a call compiles only the kernels that it can launch
/// @snippet device.cpp streams
template <class Scan>
class basic_device_policy {
public:
    constexpr basic_device_policy() noexcept = default;

    /// @brief  The same policy without its `three_phase_scan`: scans take a single pass, by default numbers. Explicit, because a
    ///         configuration is dropped.
    template <class Other>
        requires(std::same_as<Scan, scan_config> && !std::same_as<Other, scan_config>)
    constexpr explicit basic_device_policy(const basic_device_policy<Other>& other) noexcept
        : basic_device_policy(other, {})
    {
    }

    /// @brief  The same policy in stream `where`.
    constexpr basic_device_policy on(stream_view where) const noexcept
    {
        basic_device_policy changed = *this;
        changed.stream_ = where;
        return changed;
    }
    /// @brief  The same policy with a launch configuration for one algorithm, instead of the default.
    constexpr basic_device_policy with(const reduce_config& config) const noexcept
    {
        basic_device_policy changed = *this;
        changed.reduce_ = config;
        return changed;
    }
    constexpr basic_device_policy<scan_config> with(const scan_config& config) const noexcept
    {
        return basic_device_policy<scan_config>(*this, config);
    }
    constexpr basic_device_policy<three_phase_scan> with(const three_phase_scan& config) const noexcept
    {
        return basic_device_policy<three_phase_scan>(*this, config);
    }
    constexpr basic_device_policy with(const histogram_config& config) const noexcept
    {
        basic_device_policy changed = *this;
        changed.histogram_ = config;
        return changed;
    }
    /// @brief  The same policy with scratch from `resource`, which must outlive the call.
    constexpr basic_device_policy using_memory(memory_resource& resource) const noexcept
    {
        basic_device_policy changed = *this;
        changed.resource_ = &resource;
        return changed;
    }

    constexpr stream_view stream() const noexcept { return stream_; }
    constexpr memory_resource* resource() const noexcept { return resource_; }  ///< null: the GPU's default
    constexpr const detail::optional_config<reduce_config>& reduce() const noexcept { return reduce_; }
    constexpr const detail::optional_config<Scan>& scan() const noexcept { return scan_; }
    constexpr const detail::optional_config<histogram_config>& histogram() const noexcept { return histogram_; }

private:
    template <class>
    friend class basic_device_policy;

    template <class Other>
    constexpr basic_device_policy(const basic_device_policy<Other>& other,
                                  const detail::optional_config<Scan>& scan) noexcept
        : stream_(other.stream_), resource_(other.resource_), reduce_(other.reduce_), scan_(scan),
          histogram_(other.histogram_)
    {
    }

    stream_view stream_;
    memory_resource* resource_ = nullptr;
    detail::optional_config<reduce_config> reduce_;
    detail::optional_config<Scan> scan_;
    detail::optional_config<histogram_config> histogram_;
};

/// @brief  The policy of a call that names no `three_phase_scan`.
using device_policy = basic_device_policy<scan_config>;

inline constexpr host_policy host{};      ///< all cores of the CPU
inline constexpr device_policy device{};  ///< a GPU, in its default stream

template <class Policy, class Communicator>
class distributed_policy;  // distributed.hpp

namespace detail {
template <class Policy>
inline constexpr bool is_device_policy = false;
template <class Scan>
inline constexpr bool is_device_policy<basic_device_policy<Scan>> = true;

template <class Policy>
inline constexpr bool is_distributed = false;
template <class Policy, class Communicator>
inline constexpr bool is_distributed<distributed_policy<Policy, Communicator>> = true;

template <class Policy>
inline constexpr bool runs_on_host = std::same_as<Policy, host_policy>;
template <class Policy, class Communicator>
inline constexpr bool runs_on_host<distributed_policy<Policy, Communicator>> = runs_on_host<Policy>;

namespace ranks {
/// The algorithms over several ranks, in distributed.hpp: a file that calls none of them does not read it.
template <class Policy>
struct backend;
}  // namespace ranks
}  // namespace detail

/// @brief  The type of `parprims::host`, `parprims::device`, or a policy that their functions or `parprims::distributed` return.
/// @snippet reference.cpp execution_policy
template <class Policy>
concept execution_policy =
    std::same_as<std::remove_cvref_t<Policy>, host_policy> || detail::is_device_policy<std::remove_cvref_t<Policy>> ||
    detail::is_distributed<std::remove_cvref_t<Policy>>;

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
