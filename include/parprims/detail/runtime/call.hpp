/// @file
/// @brief  The interface to the CUDA runtime, part one: what the dispatch of an algorithm needs, in plain C++.
///
/// Every function throws `cuda_error` (or `out_of_memory`, `invalid_argument` where documented); in a build without CUDA,
/// `cuda_error` "no CUDA support in this build". None of them leaves a last error in the runtime.
///
/// Every file with a call includes this, so it includes no header that takes long to compile.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/runtime/check.hpp>
#include <parprims/detail/runtime/device_guard.hpp>
#include <parprims/detail/runtime/gpu_properties.hpp>
#include <parprims/detail/runtime/size_report.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace parprims::detail::runtime {

/// Copies `bytes` in stream order, between memory of the host, of the current GPU, or managed memory.
void copy_async(void* to, const void* from, std::size_t bytes, stream_view where);
/// Copies from GPU `source` to GPU `target`, in a stream of `target`.
void copy_across_async(void* to, int target, const void* from, int source, std::size_t bytes, stream_view where);
/// Fills `bytes` bytes with `value`, in stream order.
void fill_async(void* to, unsigned char value, std::size_t bytes, stream_view where);

/// The properties of GPU `device`.
gpu_properties properties_of(int device);

/// Throws the cuda_error of a failed launch. `built`: the architectures that the caller's file was compiled for, as nvcc lists
/// them (900 is sm_90).
[[noreturn]] void throw_launch_error(int status, const char* function, int device, std::initializer_list<int> built,
                                     source_location where = source_location::current());

/// Addresses that a call is given, in the order in which they are asked for their GPU. Null ones, and more than it holds, are left out.
class address_list {
public:
    address_list() = default;
    address_list(const void* only) { add(only); }

    void add(const void* address)
    {
        if (address != nullptr && count_ < max_count)
            addresses_[count_++] = address;
    }
    const void* const* begin() const { return addresses_; }
    const void* const* end() const { return addresses_ + count_; }

private:
    static constexpr std::size_t max_count = 8;

    const void* addresses_[max_count] = {};
    std::size_t count_ = 0;
};

/// The start of every device call: selects the GPU, makes it current for the scope, and throws if the context is lost.
///
/// The GPU is that of the stream. In a default stream it is that of the first address that is in a GPU's memory, or else the current
/// one. A stream that is being captured is treated as a default stream: asking the driver for its GPU would invalidate the capture.
class call_scope {
public:
    /// @throws cuda_error        no GPU; "context lost before this call"
    call_scope(const char* function, stream_view where, const address_list& addresses);

    int device() const noexcept { return device_; }
    bool is_capturing() const noexcept { return is_capturing_; }
    /// Throws invalid_argument while the stream is being captured: for calls that wait for it.
    void refuse_capture(const char* function) const;

private:
    bool is_capturing_ = false;
    int device_;
    device_guard guard_;
};

/// Throws invalid_argument if n > 0 and `pointer` is null or not accessible from GPU `device`.
void check_reachable(const char* function, const char* argument, const void* pointer, std::size_t n, int device);

/// Ties `owner` to the graph that `where` is being captured into: `release(owner)` is called when the graph and all copies of
/// it are destroyed, or at once if nothing is being captured or this function throws. `release` must not call the CUDA runtime.
void keep_with_graph(stream_view where, void* owner, void (*release)(void* owner));

/// A few bytes of page-locked memory, mapped for the device, that a kernel writes its result to. Recycled, not freed.
///
/// The result is stored as flagged words: each holds four bytes of the result and a ready flag, and is written and read in one
/// access. So the host can read the result while the kernel still runs, and the kernel needs no fence, which would wait for
/// the write to page-locked memory.
class result_slot {
public:
    static constexpr std::uint64_t ready = std::uint64_t{1} << 32;
    PARPRIMS_HOST_DEVICE static constexpr std::size_t words_of(std::size_t bytes) { return (bytes + 3) / 4; }

    static constexpr std::size_t max_bytes = 1024;

    explicit result_slot(std::size_t bytes);  ///< at most max_bytes
    ~result_slot();
    result_slot(const result_slot&) = delete;
    result_slot& operator=(const result_slot&) = delete;
    std::uint64_t* words() const noexcept { return words_; }  ///< zero at first; aligned to 256

    /// Waits until all words are ready or all work in `where` has completed, and copies the result to `value`. Throws what kernels of
    /// the stream have reported.
    void take(void* value, stream_view where) const;

private:
    std::uint64_t* words_;
    std::size_t bytes_;
};

/// Device memory that a stream keeps for its calls. Their kernels run one after another, so they can share it.
struct workspace {
    static constexpr std::size_t zeroed_bytes = 40 * 1024;
    static constexpr std::size_t small_scan_bytes = 104 * 1024;

    std::byte* zeroed;      ///< zero between kernels: a kernel that writes here zeroes it before it ends
    std::byte* small_scan;  ///< as the last small scan left it; zero before the first
};

/// The workspace of a call, until its kernels have been enqueued: that of the stream, or one that belongs to the graph if the
/// stream is being captured. The GPU of the call must be current. All parts are aligned to 256 bytes.
class workspace_lease {
public:
    workspace_lease() = default;  // of no workspace: all parts are null
    workspace_lease(stream_view where, bool is_capturing);
    ~workspace_lease();
    workspace_lease(const workspace_lease&) = delete;
    workspace_lease& operator=(const workspace_lease&) = delete;

    const workspace* operator->() const noexcept { return &parts_; }

private:
    workspace parts_{};
    void* entry_ = nullptr;  // of the stream in the pool; null: no workspace, or that of a graph
    stream_view where_;
};

/// Scratch of one call, deallocated in stream order at the end of the scope.
class scratch_buffer {
public:
    scratch_buffer(memory_resource* resource, std::size_t bytes, stream_view where) : bytes_(bytes), stream_(where)
    {
        if (bytes == 0)  // most calls need none, and do not look up the default resource
            return;
        resource_ = resource != nullptr ? resource : &default_memory_resource();
        memory_ = resource_->allocate(bytes, where);
    }
    ~scratch_buffer()
    {
        if (bytes_ != 0)
            resource_->deallocate(memory_, bytes_, stream_);
    }
    scratch_buffer(const scratch_buffer&) = delete;
    scratch_buffer& operator=(const scratch_buffer&) = delete;

    void* get() const noexcept { return memory_; }

private:
    memory_resource* resource_ = nullptr;
    std::size_t bytes_;
    stream_view stream_;
    void* memory_ = nullptr;
};

/// Zeroed memory that the blocks of one kernel share; the kernel leaves it zero. Part of the stream's workspace if it fits,
/// otherwise scratch that is zeroed in stream order. Aligned to 256 bytes.
class zeroed_buffer {
public:
    zeroed_buffer(memory_resource* resource, std::size_t bytes, stream_view where, bool is_capturing)
        : lease_(fits(bytes) ? workspace_lease(where, is_capturing) : workspace_lease()),
          scratch_(resource, fits(bytes) ? 0 : bytes, where),
          memory_(fits(bytes) ? lease_->zeroed : static_cast<std::byte*>(scratch_.get()))
    {
        if (!fits(bytes) && bytes != 0)
            fill_async(memory_, 0, bytes, where);
    }

    std::byte* get() const noexcept { return memory_; }

private:
    static bool fits(std::size_t bytes) { return bytes != 0 && bytes <= workspace::zeroed_bytes; }

    workspace_lease lease_;
    scratch_buffer scratch_;
    std::byte* memory_;
};

/// The part of a workspace that small scans share.
class persistent_buffer {
public:
    persistent_buffer(stream_view where, bool is_capturing) : lease_(where, is_capturing) {}

    std::byte* get() const noexcept { return lease_->small_scan; }

private:
    workspace_lease lease_;
};

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/runtime.hpp>  // includes the definitions
#endif
