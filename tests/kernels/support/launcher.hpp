/// @file
/// @brief  The executor's launcher for tests: notes what was run and watches the protocols.
#pragma once

#include <parprims/detail/device/call/executor_launcher.hpp>
#include <parprims/detail/device/call/sized.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>

#include "states.hpp"
#include "values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>

namespace kernel_test {

namespace device = parprims::detail::device;
namespace executor = parprims::detail::simt::executor;
namespace order = parprims::detail::order;

/// Under TSan compiling and launching take long: tests have few types and sizes, since threads do the same for others.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool has_tsan = true;
#else
inline constexpr bool has_tsan = false;
#endif

/// What algorithms have been run with, so that a sweep can say so.
struct runs {
    std::set<unsigned> block_threads;
    std::set<std::size_t> resident_blocks;  // as many as the launch had
    std::set<std::uint64_t> seeds;

    template <class Shape>
    void add(const executor::options& how, const Shape& shape)
    {
        add(how, shape.blocks, shape.block_threads);
    }
    void add(const executor::options& how, std::size_t blocks, unsigned threads)
    {
        block_threads.insert(threads);
        resident_blocks.insert(std::min<std::size_t>(blocks, how.resident_blocks));
        seeds.insert(how.seed);
    }
};
inline runs made;

/// Before a launch of a kernel whose protocol has states: who sees them while it lives. Also fills what earlier launches may
/// have left. After it: what has to hold then.
template <class Kernel>
struct protocol {
    protocol(const Kernel&, const executor::options&) {}
    void check() const {}
};

template <class... Types>
struct protocol<device::reduce_kernel<Types...>> {
    protocol(const device::reduce_kernel<Types...>& kernel, const executor::options&) : watching(kernel.partials.memory)
    {
    }
    void check() const {}
    watch::reduce_ticket watching;
};

template <class... Types>
struct protocol<device::small_reduce_kernel<Types...>> {
    protocol(const device::small_reduce_kernel<Types...>& kernel, const executor::options&)
        : watching(kernel.partials_memory)
    {
    }
    void check() const {}
    watch::reduce_ticket watching;
};

template <class Kernel>
struct protocol<device::sized_kernel<Kernel>> : protocol<Kernel> {
    using protocol<Kernel>::protocol;
};

template <class Work>
struct protocol<device::long_pass<Work>> {
    protocol(const device::long_pass<Work>& kernel, const executor::options&) : watching(kernel.words) {}
    void check() const {}
    watch::long_pass_words watching;
};

/// The status words of small scans, by key or not, are full of what earlier ones have left.
template <class Status>
struct epochs_protocol {
    using status_type = Status;
    static constexpr std::uint64_t big = std::uint64_t{1} << 31;
    static constexpr std::uint64_t epochs[] = {0, 1, 77, (1 << 20) - 1, 1 << 20, big - 1, big};

    epochs_protocol(const status_type& words, const executor::options& how)
        : status(words), epoch(epochs[mix(how.seed + 5) % 7]), watching(status, epoch)
    {
        if (status.arrivals == nullptr)  // a single tile by key
            return;
        *status.arrivals = epoch << status_type::epoch_bits;
        for (std::size_t i = 0; i < status_type::room; ++i)  // never written, or in one of the last three epochs
            status.status[i] = epoch < 3 || i % 4 == 3 ? 0 : ((epoch - 1 - i % 3) | big) << 32 | 0xa5a5a5a5;
    }
    void check(std::size_t) const
    {
        if (status.arrivals == nullptr)
            return;
        if (*status.arrivals != (epoch + 1) << status_type::epoch_bits)
            throw std::logic_error("what the blocks share says no scan is over");
        if (std::any_of(status.abandoned, status.abandoned + status_type::scan_arrivals,
                        [](unsigned tile) { return tile != 0; }))
            throw std::logic_error("what the blocks share names an abandoned tile");
        if (epoch % device::epochs_between_zeroing != 0)
            return;
        const std::uint64_t current = (epoch | big) & 0xffffffff;
        if (std::any_of(status.status, status.status + status_type::room,
                        [=](std::uint64_t word) { return word != 0 && word >> 32 != current; }))
            throw std::logic_error("what the blocks share is older than it may be");
    }

    status_type status;
    std::uint64_t epoch;
    watch::small_scan_words<Status> watching;
};

template <class Work>
struct protocol<device::short_pass<Work>> : epochs_protocol<typename device::short_pass<Work>::words_type> {
    protocol(const device::short_pass<Work>& kernel, const executor::options& how)
        : protocol::epochs_protocol(kernel.words, how)
    {
    }
};

template <class Work>
struct protocol<device::sized_kernel<device::short_pass<Work>>> : protocol<device::short_pass<Work>> {
    using protocol<device::short_pass<Work>>::protocol;
    /// Up to one tile takes part in no epoch.
    void check(std::size_t blocks) const
    {
        if (this->status.arrivals != nullptr && *this->status.arrivals != this->epoch << this->status.epoch_bits)
            protocol<device::short_pass<Work>>::check(blocks);
    }
};

template <class Samples, class Counter, bool Windowed>
struct protocol<device::histogram_shared_kernel<Samples, Counter, Windowed>> {
    protocol(const device::histogram_shared_kernel<Samples, Counter, Windowed>& kernel, const executor::options&)
        : watching(kernel.gathered != nullptr ? watch::histogram_counters(kernel.gathered, kernel.samples.axis.extent())
                                              : watch::histogram_counters(kernel.counts, kernel.samples.axis.extent()))
    {
    }
    void check() const {}
    watch::histogram_counters watching;
};

template <class Samples, class Counter>
struct protocol<device::partition_count_kernel<Samples, Counter>> {
    protocol(const device::partition_count_kernel<Samples, Counter>& kernel, const executor::options&)
        : watching(kernel.counts, kernel.samples.axis.extent())
    {
    }
    void check() const {}
    watch::histogram_counters watching;
};

template <class Samples, class Counter>
struct protocol<device::histogram_global_kernel<Samples, Counter>> {
    protocol(const device::histogram_global_kernel<Samples, Counter>& kernel, const executor::options&)
        : watching(kernel.counts, kernel.samples.axis.extent())
    {
    }
    void check() const {}
    watch::histogram_counters watching;
};

class launcher : public executor::launcher {
public:
    using executor::launcher::launcher;

    /// Blocks that run as several, more often than on a GPU.
    void change(device::sized_grid& grid) const { grid.blocks = 1 + mix(options().seed + 3) % 9; }

    template <class Kernel>
    void launch(const device::launch_shape& shape, Kernel kernel)
    {
        made.add(options(), shape);
        if constexpr (requires { kernel.max_spins; })
            kernel.max_spins = static_cast<unsigned>(mix(options().seed + 9) % 4);
        const protocol<Kernel> seen(kernel, options());
        executor::launcher::launch(shape, kernel);
        if constexpr (requires { seen.check(shape.blocks); })
            seen.check(shape.blocks);
        else
            seen.check();
    }
};

}  // namespace kernel_test
