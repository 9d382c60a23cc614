/// @file
/// @brief  Where and how a call runs: the policies `parprims::host` and `parprims::device`, and the launch configurations.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/stream.hpp>

#include <concepts>
#include <type_traits>

namespace parprims {

/// @brief  The launch configuration of `reduce` on the device. It changes the time of a call, never its result.
/// @snippet device.cpp configs
struct reduce_config {
    /// Threads per block, at most: a multiple of 32 from 32 to 1024, rounded down to a power of two if there are several blocks.
    /// Large inputs use at most 512; values of more than 16 bytes at most 256, fewer where shared memory is short. Few values of 9
    /// to 16 bytes use at most 256, few of 17 to 64 bytes at most 128.
    unsigned block_threads = 512;
    /// Blocks per multiprocessor, at most: 1 to 32. Small inputs have one.
    unsigned blocks_per_sm = 1;
    /// Consecutive chunks that a warp folds, at least: a power of two. 0: the library chooses, and uses its kernel for small inputs
    /// where that is faster.
    unsigned subtree_chunks = 0;

    friend bool operator==(const reduce_config&, const reduce_config&) = default;
};

/// @brief  The launch configuration of scans on the device. It changes the time of a call, never its result.
///
/// A scan is one kernel: while blocks run, they publish the aggregates of their tiles to each other (decoupled look-back).
/// @snippet device.cpp scan_config
struct scan_config {
    /// Threads per block: a multiple of 32 from 32 to 1024. More than 768 count as 768, or as 256 for values of 12 bytes.
    unsigned block_threads = 256;
    unsigned blocks_per_sm = 3;  ///< blocks per multiprocessor: 1 to 32
    /// Tiles that a block has in shared memory at a time, loaded ahead of the scan: 2 to 4, fewer where shared memory is short.
    /// Where it has room for one only, as for values of 4 bytes on compute capability 7.5, each block scans one tile, whatever
    /// `blocks_per_sm` is.
    unsigned stages = 2;
    /// Inputs of at most this many tiles for each multiprocessor, of values of at most 16 bytes, are scanned by blocks that each take one
    /// tile or a part of one. The numbers above have no effect then. More than 6 count as 6; 0: no input is scanned so.
    unsigned small_tiles_per_sm = 6;

    friend bool operator==(const scan_config&, const scan_config&) = default;
};

/// @brief  The launch configuration of a scan in three launches, in which no block waits for another: slower, with the same bits.
///
/// 1. The sum of each tile, by Hillis-Steele scans of a block. 2. A scan of the sums. 3. A scan of each tile, to which its prefix
/// is added (the fixup). Only a call whose policy names it, as `device.with(three_phase_scan{})`, compiles it.
/// @snippet device.cpp three_phase
struct three_phase_scan {
    unsigned block_threads = 256;  ///< threads per block: a multiple of 32 from 32 to 1024
    unsigned blocks_per_sm = 3;    ///< blocks per multiprocessor: 1 to 32

    friend bool operator==(const three_phase_scan&, const three_phase_scan&) = default;
};

/// @brief  The launch configuration of `histogram` on the device. It changes the time of a call, never its result.
/// @snippet device.cpp placement
struct histogram_config {
    /// Where the counters are while the kernels run.
    ///   * `automatic`: chosen by the number of bins.
    ///   * `shared`: all of them in the shared memory of each block.
    ///   * `passes`: a window of them in the shared memory of each block; all samples are read once for each window.
    ///   * `partitioned`: as `passes`, but samples are sorted by parts of the bins first, so each part reads its own samples.
    ///   * `global`: in device memory.
    enum class placement_kind { automatic, shared, passes, partitioned, global };
    static constexpr placement_kind automatic = placement_kind::automatic;
    static constexpr placement_kind shared = placement_kind::shared;
    static constexpr placement_kind passes = placement_kind::passes;
    static constexpr placement_kind partitioned = placement_kind::partitioned;
    static constexpr placement_kind global = placement_kind::global;

    placement_kind placement = automatic;
    /// Threads per block: a multiple of 32 from 32 to 1024. Small inputs in `shared` use at most 512 or 256. The sorting kernel
    /// of `partitioned` uses at most 512, fewer where shared memory is short.
    unsigned block_threads = 1024;
    /// Blocks per multiprocessor: 1 to 32; fewer where its threads or shared memory are too few, or for few samples. The sorting
    /// kernel of `partitioned` uses enough for 1536 threads.
    unsigned blocks_per_sm = 1;
    /// Copies of the bins in a block's shared memory, for `shared` only: a power of two to 32, fewer where shared memory is
    /// short; 0: chosen by the library.
    unsigned replicas = 0;

    friend bool operator==(const histogram_config&, const histogram_config&) = default;
};

namespace detail {

/// The launch configuration that a caller has set, or none. Not std::optional: reading <optional> takes nvcc 0.05 s in each file.
/// Unlike host::optional this is trivially copyable and constexpr.
template <class Config>
class optional_config {
public:
    constexpr optional_config() noexcept = default;
    constexpr optional_config(const Config& config) noexcept : value_(config), has_value_(true) {}

    constexpr bool has_value() const noexcept { return has_value_; }
    constexpr explicit operator bool() const noexcept { return has_value_; }
    constexpr const Config& operator*() const noexcept { return value_; }
    constexpr const Config* operator->() const noexcept { return &value_; }
    constexpr Config value_or(const Config& otherwise) const noexcept { return has_value_ ? value_ : otherwise; }

private:
    Config value_{};
    bool has_value_ = false;
};

}  // namespace detail

/// @brief  Runs on the CPU, on all cores unless `.threads(n)` says otherwise. A small value, cheap to copy.
/// @snippet reference.cpp host_policy
class host_policy {
public:
    constexpr host_policy() noexcept = default;

    /// @brief  A copy of the policy, for at most `n` threads; 0 means all cores.
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
///   * A call runs on its stream's GPU. In the default stream it runs on the GPU whose memory holds the input; if no GPU's does, on
///     the one whose memory holds the output; otherwise on the calling thread's current GPU.
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

    /// @brief  A copy of the policy without its `three_phase_scan`: scans take a single pass with the default configuration. Explicit,
    ///         because a configuration is dropped.
    template <class Other>
        requires(std::same_as<Scan, scan_config> && !std::same_as<Other, scan_config>)
    constexpr explicit basic_device_policy(const basic_device_policy<Other>& other) noexcept
        : basic_device_policy(other, {})
    {
    }

    /// @brief  A copy of the policy, in stream `where`.
    constexpr basic_device_policy on(stream_view where) const noexcept
    {
        basic_device_policy changed = *this;
        changed.stream_ = where;
        return changed;
    }
    /// @brief  A copy of the policy with a launch configuration for one algorithm, instead of the default.
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
    /// @brief  A copy of the policy with scratch from `resource`, which must outlive the call.
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

/// @brief  The device policy without `three_phase_scan`.
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
