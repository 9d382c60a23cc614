/// @file
/// @brief  Calls whose size or init lies in device memory: their kernels read it when they start.
///
/// The host plans such a call for the bound: grid, shared memory, scratch. The kernel computes everything else from the
/// size. That includes the order of operations, so results have the same bits as with a size from the host.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/sized_on_device.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Whether the blocks of a kernel need no others of their grid.
template <class Kernel>
inline constexpr bool has_independent_blocks = requires { Kernel::sized_blocks_per_sm; };
/// Whether such blocks draw the indices of the blocks that they run as.
template <class Kernel>
inline constexpr bool draws_numbers = requires { requires Kernel::draws_numbers; };

/// Blocks of such a grid at most.
struct sized_grid {
    std::size_t blocks;
};

/// A kernel that is planned for the bound of a size in device memory. Such a `Kernel` has
///   * `resize(n, blocks)`: changes what depends on n, and returns how many of the `blocks` blocks of the grid take part; the others
///     return at once, and the kernel sees a grid without them;
///   * `sized_blocks_per_sm`, optional, if blocks need no others of their grid: a multiprocessor gets no more of them, and a block runs as
///     several, one after the other: `operator()` has their index as a third argument. So a far bound does not start blocks that have
///     nothing to do. With `draws_numbers`, true, blocks draw their indices by ticket, so that fast blocks run as more;
///   * `write_empty(block)`, optional: writes the result of a call without elements. The first block calls it if no block takes part.
/// `run_kernel` waits for earlier kernels before it calls this, so the size has been written.
template <class Kernel>
struct sized_kernel : Kernel {
    using shared_of_kernel = typename Kernel::shared_storage;
    struct shared_of_several {
        std::size_t next[2];  // index of the block that it runs as next, in turns
        shared_of_kernel of_kernel;
    };
    using shared_storage = std::conditional_t<draws_numbers<Kernel>, shared_of_several, shared_of_kernel>;
    /// Shared memory in front of that of the kernel.
    static constexpr std::size_t more_shared_bytes =
        draws_numbers<Kernel> ? larger_of(2 * sizeof(std::size_t), alignof(shared_of_kernel)) : 0;

    unsigned* ticket;  // zero before and after; null if blocks draw nothing
    device_size size;
    // The kernel runs only if least <= n <= most; other kernels of the call are for other sizes.
    std::size_t least;
    std::size_t most;
    runtime::size_report report;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::uint64_t n = size.value_of(read());
        if (n > size.bound)
            return refuse(block, n);
        if (n < least || n > most)
            return;
        Kernel sized = *this;  // without the size members; `resize` changes it
        const std::size_t blocks = sized.resize(static_cast<std::size_t>(n), block.count());
        // As `run_kernel` for a small grid: that of a far bound is large, though few blocks take part.
        if (blocks <= max_blocks_beside_next)
            simt::let_next_kernel_start();
        if constexpr (draws_numbers<Kernel>) {
            const bool draws = blocks > block.count();
            std::size_t index = block.index();
            for (unsigned round = 0; index < blocks; ++round) {
                // In flight while the block runs. There are as many tickets as indices, so the last one makes the word 0 again.
                unsigned drawn = 0;
                if (draws && block.thread() == 0)
                    drawn = block::take_ticket<simt::order::relaxed>(blocks, ticket);
                sized(simt::block(static_cast<unsigned>(blocks)), shared.of_kernel, index);
                if (!draws)
                    return;
                if (block.thread() == 0)
                    simt::store(shared.next, round % 2, block.count() + drawn);
                block.sync();  // as below
                index = simt::load(shared.next, round % 2);
            }
        } else if constexpr (has_independent_blocks<Kernel>) {
            for (std::size_t index = block.index(); index < blocks; index += block.count()) {
                sized(simt::block(static_cast<unsigned>(blocks)), shared, index);
                block.sync();  // shared memory is written again
            }
        } else if (block.index() < blocks) {
            return sized(simt::block(static_cast<unsigned>(blocks)), shared);
        }
        if constexpr (requires { sized.write_empty(block); })
            if (blocks == 0 && block.index() == 0)
                sized.write_empty(block);
    }

private:
    template <class Unsigned>
    PARPRIMS_DEVICE std::uint64_t read_as() const
    {
        return simt::load(static_cast<const Unsigned*>(size.count));
    }
    PARPRIMS_DEVICE std::uint64_t read() const
    {
        return size.bytes == 4   ? read_as<std::uint32_t>()
               : size.bytes == 8 ? read_as<std::uint64_t>()
               : size.bytes == 2 ? read_as<std::uint16_t>()
                                 : read_as<std::uint8_t>();
    }

    /// Reports a size above the bound. Only the first fault is kept. There is no race: kernels of a stream run one after the other.
    PARPRIMS_DEVICE void refuse(simt::block block, std::uint64_t n) const
    {
        if (block.index() != 0 || block.thread() != 0 || simt::atomic_load(report.slot) != 0)
            return;
        runtime::size_fault fault = report.fault;
        fault.size = n;
        *announced_output<runtime::size_fault>{report.slot} = fault;
        simt::announce(report.alarm, 1);
    }
};

/// A kernel for no elements. It reports a size if the bound is 0 and the call launches no other kernel.
struct kernel_of_none {
    static constexpr unsigned max_threads = simt::warp_size;
    struct shared_storage {};

    PARPRIMS_DEVICE static std::size_t resize(std::size_t, std::size_t) { return 0; }
    PARPRIMS_DEVICE void operator()(simt::block, shared_storage&) const {}
};

/// Whether a kernel has `resize`, or `set_init`.
template <class Kernel>
concept takes_size = requires(Kernel& kernel, std::size_t n) { kernel.resize(n, n); };
template <class Kernel, class T>
concept takes_init = requires(Kernel& kernel, const T& value) { kernel.set_init(value); };

/// A launcher whose kernels read the size of the call.
template <class Launcher>
class sized_launcher : public Launcher {
public:
    using Launcher::Launcher;

    void set(const device_size& size)
    {
        size_ = size;
        only_between(0, size.bound);
        report_ = this->report_of(size);
        if (size.bound == 0)
            launch({1, kernel_of_none::max_threads, 0}, kernel_of_none{});
    }
    /// Kernels launched from now on run only for these sizes. All report a size above the bound.
    void only_between(std::size_t least, std::size_t most)
    {
        least_ = least;
        most_ = most;
    }

    /// @param  ticket  of a kernel with `draws_numbers`: zero before and after; null if the grid has a block for each index
    template <class Kernel>
    void launch(launch_shape shape, const Kernel& kernel, unsigned* ticket = nullptr)
    {
        static_assert(takes_size<Kernel>, "parprims: this call takes no size on the device");
        if constexpr (has_independent_blocks<Kernel>)
            if (ticket != nullptr || !draws_numbers<Kernel>) {
                const sized_grid grid =
                    device::planned(*this, sized_grid{this->gpu().multiprocessors * Kernel::sized_blocks_per_sm});
                shape.blocks = smaller_of(shape.blocks, grid.blocks);
            }
        if constexpr (takes_size<Kernel>) {
            using kernel_type = sized_kernel<Kernel>;
            shape.shared_bytes += kernel_type::more_shared_bytes;
            Launcher::launch(shape, kernel_type{kernel, ticket, size_, least_, most_, report_});
        }
    }

private:
    device_size size_{};
    std::size_t least_ = 0;
    std::size_t most_ = 0;
    runtime::size_report report_{};
};

/// A kernel that reads its init, and before that its size, if that is in device memory, too.
template <class Kernel, class T>
struct init_kernel : Kernel {
    using shared_storage = typename Kernel::shared_storage;

    const T* init_of_call;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const { with_init()(block, shared); }
    PARPRIMS_DEVICE void write_empty(simt::block block) const
    {
        if constexpr (requires(const Kernel& kernel) { kernel.write_empty(block); })
            with_init().write_empty(block);
    }

private:
    PARPRIMS_DEVICE Kernel with_init() const
    {
        Kernel kernel = *this;
        kernel.set_init(simt::load(init_of_call));
        return kernel;
    }
};

/// A launcher whose kernels read the init of the call.
/// @tparam  Init  has a pointer to the value
template <class Launcher, class Init>
class init_launcher final : public Launcher {
public:
    using Launcher::Launcher;

    void set_init(decltype(Init::value) value) { init_ = value; }

    template <class Kernel>
    void launch(const launch_shape& shape, const Kernel& kernel)
    {
        using value = std::remove_const_t<std::remove_pointer_t<decltype(init_)>>;
        static_assert(takes_init<Kernel, value>, "parprims: this call takes no init on the device");
        if constexpr (takes_init<Kernel, value>)
            Launcher::launch(shape, init_kernel<Kernel, value>{kernel, init_});
    }

private:
    decltype(Init::value) init_ = nullptr;
};
template <class Launcher, class Init>
inline constexpr bool reads_size<init_launcher<Launcher, Init>> = reads_size<Launcher>;

}  // namespace parprims::detail::device
