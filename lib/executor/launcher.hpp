/// @file
/// @brief  The launcher of the executor: a dispatch that is given one runs its kernels on this thread of the CPU.
#pragma once

#include <executor/executor.hpp>
#include <parprims/detail/device/launch/launcher.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace parprims::detail::simt::executor {

/// Kernels run when they are launched, and memory of a call has exactly the bytes that were asked for, so that ASan sees
/// what lies behind them. Throws std::logic_error where a kernel leaves anything in memory that it has to leave zero.
class launcher {
public:
    explicit launcher(const options& how, const device::machine& gpu = {}) : how_(how), gpu_(gpu) {}

    /// Memory that lives as long as this, and is seen by its launcher.
    class allocation {
    public:
        allocation(launcher& on, std::size_t bytes, unsigned char fill, bool stays_zero)
            : owner_(on), bytes_(bytes), stays_zero_(stays_zero)
        {
            if (bytes != 0) {
                memory_.reset(new (alignment) std::byte[bytes]);
                std::memset(memory_.get(), fill, bytes);
            }
            owner_.allocations_.push_back(this);
        }
        ~allocation() { std::erase(owner_.allocations_, this); }
        allocation(const allocation&) = delete;
        allocation& operator=(const allocation&) = delete;

        std::byte* get() const { return memory_.get(); }

    private:
        friend launcher;
        static constexpr std::align_val_t alignment{256};
        struct free_bytes {
            void operator()(std::byte* bytes) const { ::operator delete[](bytes, alignment); }
        };

        bool is_as_it_was() const
        {
            return !stays_zero_ ||
                   std::all_of(get(), get() + bytes_, [](std::byte each) { return each == std::byte{}; });
        }

        launcher& owner_;
        std::size_t bytes_;
        bool stays_zero_;
        std::unique_ptr<std::byte[], free_bytes> memory_;
    };

    const char* function() const { return "parprims::executor"; }
    const device::machine& gpu() const { return gpu_; }

    allocation scratch(std::size_t bytes) { return {*this, bytes, 0xA5, false}; }
    allocation zeroed(std::size_t bytes) { return {*this, bytes, 0, true}; }
    allocation persistent(std::size_t bytes) { return {*this, bytes, 0, false}; }
    void zero(void* memory, std::size_t bytes)
    {
        if (bytes != 0)
            std::memset(memory, 0, bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes)
    {
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
        const statistics done =
            executor::launch(how_, shape.blocks, shape.block_threads, shape.shared_bytes, kernel, shape.cluster_blocks);
        for (const allocation* each : allocations_)
            if (!each->is_as_it_was())
                throw std::logic_error("what the blocks share is not zero afterwards");
        return done;
    }

protected:
    const options& how() const { return how_; }

private:
    options how_;
    device::machine gpu_;
    std::vector<allocation*> allocations_;
};

}  // namespace parprims::detail::simt::executor
