/// @file
/// @brief  Kernels whose memory accesses are known, and the library's own. The same are launched on a GPU, where Nsight
///         Compute counts, and on the executor, which counts itself.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/reduce/kernel.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/scan/three_phase.hpp>
#include <parprims/detail/device/scan/work.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace counted {

namespace simt = parprims::detail::simt;
namespace device = parprims::detail::device;

/// Copies, with lane l at element `stride * l + offset`.
template <class T>
struct copy_kernel {
    static constexpr unsigned max_threads = 256;
    struct shared_storage {};
    simt::global<const T> in;
    simt::global<T> out;
    std::size_t stride;
    std::size_t offset;
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = (block.index() * block.threads() + block.thread()) * stride + offset;
        out[i] = in[i];
    }
};

/// Writes and reads shared memory, with lane l at element `stride * l`.
template <class T>
struct shared_kernel {
    static constexpr unsigned max_threads = 32;
    using shared_storage = simt::shared_array<T, 32 * 33>;
    simt::global<T> out;
    std::size_t stride;
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned lane = block.lane();
        T value{};
        reinterpret_cast<unsigned char&>(value) = static_cast<unsigned char>(lane);
        shared[lane * stride] = value;
        block.sync();
        const T read = shared[lane * stride];
        out[block.index() * 32 + lane] = read;
    }
};

/// A sum of a block in shared memory.
template <bool Interleaved>
struct sum_kernel {
    static constexpr unsigned max_threads = 256;
    using shared_storage = simt::shared_array<float, 256>;
    simt::global<const float> in;
    simt::global<float> out;
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        shared[t] = in[block.index() * 256 + t];
        block.sync();
        for (unsigned step = 1; step < 256; step *= 2) {
            const unsigned distance = Interleaved ? step : 128 / step;
            if (simt::branch(Interleaved ? t % (2 * distance) == 0 : t < distance))
                shared[t] += shared[t + distance];
            block.sync();
        }
        if (simt::branch(t == 0))
            out[block.index()] = shared[0];
    }
};

/// Atomic additions, `addresses` different ones in a warp. The sums are used, so that they are not reductions.
template <bool Shared>
struct atomic_kernel {
    static constexpr unsigned max_threads = 32;
    using shared_storage = simt::shared_array<std::uint32_t, 32>;
    std::uint32_t* sums;
    simt::global<std::uint32_t> out;
    unsigned addresses;
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned lane = block.lane();
        shared[lane] = 0;
        block.sync();
        std::uint32_t* const to = Shared ? shared.data() : sums;
        out[block.index() * 32 + lane] = simt::atomic_add(to + lane % addresses, lane + 1);
    }
};

/// Launches everything by `launcher`, which allocates memory that begins as zeros.
template <class Launcher>
void launch_all(Launcher& launcher)
{
    constexpr std::size_t n = 1 << 18;
    constexpr std::size_t blocks = 64;
    constexpr std::size_t threads = blocks * 256;
    using quad = simt::packet<16>;
    using pair = simt::packet<8>;

    float* const in = launcher.template allocate<float>(n + 64);
    float* const out = launcher.template allocate<float>(n + 64);
    for (const std::size_t stride : {1, 2, 8})
        launcher.launch("copy 4 bytes, stride " + std::to_string(stride), blocks, 256,
                        copy_kernel<float>{in, out, stride, 0});
    launcher.launch("copy 4 bytes, off by one", blocks, 256, copy_kernel<float>{in, out, 1, 1});
    launcher.launch("copy 16 bytes", blocks, 256,
                    copy_kernel<quad>{launcher.template allocate<quad>(threads),
                                      launcher.template allocate<quad>(threads), 1, 0});

    for (const std::size_t stride : {1, 2, 32, 33, 0})
        launcher.launch("shared 4 bytes, stride " + std::to_string(stride), blocks, 32,
                        shared_kernel<std::uint32_t>{launcher.template allocate<std::uint32_t>(blocks * 32), stride});
    for (const std::size_t stride : {1, 2})
        launcher.launch("shared 8 bytes, stride " + std::to_string(stride), blocks, 32,
                        shared_kernel<pair>{launcher.template allocate<pair>(blocks * 32), stride});
    for (const std::size_t stride : {1, 2})
        launcher.launch("shared 16 bytes, stride " + std::to_string(stride), blocks, 32,
                        shared_kernel<quad>{launcher.template allocate<quad>(blocks * 32), stride});

    launcher.launch("sum, interleaved", blocks, 256, sum_kernel<true>{in, out});
    launcher.launch("sum, sequential", blocks, 256, sum_kernel<false>{in, out});

    auto* const sums = launcher.template allocate<std::uint32_t>(32);
    auto* const befores = launcher.template allocate<std::uint32_t>(blocks * 32);
    for (const unsigned addresses : {1u, 4u, 32u}) {
        const std::string to = ", " + std::to_string(addresses) + " addresses";
        launcher.launch("global atomics" + to, blocks, 32, atomic_kernel<false>{sums, befores, addresses});
        launcher.launch("shared atomics" + to, blocks, 32, atomic_kernel<true>{sums, befores, addresses});
    }

    // The library's, on a GPU of eight multiprocessors.
    using parprims::identity, parprims::plus;
    using parprims::detail::uninitialized;
    using reduce = device::reduce_kernel<device::pointer_input<float>, float, float*, plus, identity>;
    const auto plan = device::plan_reduce(n, reduce::chunk, {256, 1, 0}, device::gpu_properties{8},
                                          reduce::max_branch_subtrees, reduce::max_branches);
    launcher.launch("parprims reduce", plan.blocks, plan.block_threads,
                    reduce{{{in}, n, plus{}, identity{}, true},
                           out,
                           0.0f,
                           plan.subtrees,
                           plan.subtree_chunks,
                           plan.branch_bits,
                           static_cast<unsigned>(plan.branches),
                           {launcher.template allocate<std::byte>(decltype(reduce::partials)::bytes(plan.branches)),
                            plan.branches}});

    using tile = device::scan_tile<parprims::detail::scan_kind::inclusive, device::pointer_input<float>,
                                   device::pointer_output<float>, float, plus, identity>;
    using kernel = device::scan_tiles_kernel<device::scan_work<tile, float>>;
    parprims::detail::maybe<float> zero;
    zero.set(0);
    const tile work{{in}, n, {out}, zero, plus{}, identity{}, 0, 0};
    launcher.launch("parprims scan, third phase", 16, 256,
                    kernel{{{work}, 2},
                           launcher.template allocate<uninitialized<float>>(work.tiles()),
                           launcher.template allocate<uninitialized<float>>(work.tiles()),
                           3,
                           work.tiles()},
                    kernel::shared_bytes);

    using axis = decltype(parprims::regular_axis(256, 0u, 256u));
    using samples = device::histogram_samples<device::pointer_input<std::uint32_t>, axis>;
    std::uint32_t* const keys = launcher.template allocate<std::uint32_t>(n);
    launcher.count_up(keys, n, 256);
    using histogram = device::histogram_shared_kernel<samples, std::uint32_t, false>;
    launcher.launch("parprims histogram, 256 bins", 16, 256,
                    histogram{samples{{keys}, n, parprims::regular_axis(256, 0u, 256u)},
                              launcher.template allocate<std::uint32_t>(256), 256, 1, 4, false, nullptr, nullptr},
                    (256 + 1) * 4 * 4);
}

}  // namespace counted
