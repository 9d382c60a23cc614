/// @file
/// @brief  The launcher of the executor: with it, a dispatch runs its kernels on the calling thread of the CPU.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/executor/executor.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/sized_on_device.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace parprims::detail::simt::executor {

/// A kernel has run when `launch` returns. Memory has exactly the requested bytes: accesses beyond them are refused.
/// `launch` throws std::logic_error if a kernel leaves memory from `zeroed` not zero.
class launcher {
public:
    explicit launcher(const executor::options& options, const device::gpu_properties& gpu = {})
        : options_(options), gpu_(gpu)
    {
    }

    /// Memory that is freed with this object, and that its launcher checks after each kernel.
    class allocation {
    public:
        allocation(launcher& owner, std::size_t bytes, unsigned char fill, bool stays_zero)
            : owner_(owner), memory_(bytes, std::byte{fill}), stays_zero_(stays_zero)
        {
            owner_.allocations_.push_back(this);
        }
        ~allocation() { std::erase(owner_.allocations_, this); }
        allocation(const allocation&) = delete;
        allocation& operator=(const allocation&) = delete;

        std::byte* get() const { return memory_.data(); }

    private:
        friend launcher;

        bool is_unchanged() const
        {
            const auto is_zero = [](std::byte each) { return each == std::byte{}; };
            return !stays_zero_ || std::all_of(memory_.begin(), memory_.end(), is_zero);
        }

        launcher& owner_;
        mutable buffer<std::byte> memory_;
        bool stays_zero_;
    };

    const char* function() const { return "parprims::executor"; }
    const device::gpu_properties& gpu() const { return gpu_; }

    allocation scratch(std::size_t bytes) { return {*this, bytes, 0xA5, false}; }
    allocation zeroed(std::size_t bytes) { return {*this, bytes, 0, true}; }
    allocation persistent(std::size_t bytes) { return {*this, bytes, 0, false}; }
    /// Where kernels report a size in device memory that is out of range, for tests to read.
    runtime::size_report report_of(const device_size& size)
    {
        report_ = std::make_unique<buffer<std::uint64_t>>(1 + runtime::size_report::slot_words, std::uint64_t{0});
        return {report_->data(), report_->data() + 1, {function(), 0, size.bound, 0, 0, size.is_signed}};
    }
    /// The size that kernels reported, if they did.
    std::optional<std::uint64_t> reported_size() const
    {
        if (!report_ || (*report_)[0] == 0)
            return std::nullopt;
        struct {
            std::uint32_t words[runtime::size_report::slot_words];
        } fault;
        std::copy_n(report_->data() + 1, runtime::size_report::slot_words, fault.words);
        return __builtin_bit_cast(runtime::size_fault, fault).size;
    }
    void zero(void* memory, std::size_t bytes)
    {
        check_memory(memory, bytes);
        if (bytes != 0)
            std::memset(memory, 0, bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes)
    {
        check_memory(to, bytes);
        if (bytes != 0)
            std::memcpy(to, from, bytes);
    }
    template <class T>
    const T& keep(const T& value)
    {
        return value;
    }

    template <class Kernel>
    statistics launch(const device::launch_shape& shape, const Kernel& kernel)
    {
        const statistics done = executor::launch(options_, shape.blocks, shape.block_threads, shape.shared_bytes,
                                                 kernel, shape.cluster_blocks);
        for (const allocation* each : allocations_)
            if (!each->is_unchanged())
                throw std::logic_error("what the blocks share is not zero afterwards");
        did_ += done;
        return done;
    }

    /// What the launches since the last time did, in all.
    statistics take_statistics() { return std::exchange(did_, {}); }

protected:
    const executor::options& options() const { return options_; }

private:
    static void check_memory(const void* memory, std::size_t bytes)
    {
        if (bytes != 0 && !is_global_memory(memory, bytes))
            throw std::logic_error("the host writes outside of the kernels' memory");
    }

    executor::options options_;
    device::gpu_properties gpu_;
    std::vector<allocation*> allocations_;
    statistics did_;
    std::unique_ptr<buffer<std::uint64_t>> report_;
};

}  // namespace parprims::detail::simt::executor
