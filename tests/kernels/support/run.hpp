/// @file
/// @brief  Whole algorithms on the executor, by the library's own dispatch.
#pragma once

#include <parprims/detail/device/histogram/accumulate.hpp>

#include "launcher.hpp"
#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <type_traits>

namespace kernel_test {

using executor::launch;
using parprims::detail::scan_kind;
using parprims::detail::uninitialized;

/// A schedule for each seed: all kinds of them come up, with 1 to 8 resident blocks.
inline executor::options schedule_of(std::uint64_t seed)
{
    executor::options how;
    how.order = static_cast<executor::schedule>(seed % 4);
    how.blocks = static_cast<executor::block_order>(seed / 4 % 3);
    how.resident_blocks = 1 + static_cast<unsigned>(seed * 5 / 2 % 8);
    how.seed = seed;
    return how;
}

/// Where a reduction leaves its value: in memory, as reduce_into has it.
template <class T>
class stored {
public:
    T* output() { return value_.data(); }
    T value() { return value_[0]; }

private:
    memory<T> value_{1};
};

/// The memory of a value that the host waits for, as reduce has it: words of four bytes and a flag.
template <class T>
class announced {
public:
    announced() { std::fill(words_.begin(), words_.end(), 0); }
    device::announced_output<T> output() { return {words_.data()}; }
    T value()
    {
        std::uint32_t parts[count];
        for (std::size_t w = 0; w < count; ++w) {
            if (words_[w] >> 32 != 1)
                throw std::logic_error("a word of the value is not there");
            parts[w] = static_cast<std::uint32_t>(words_[w]);
        }
        uninitialized<T> result;
        std::memcpy(static_cast<void*>(&result), parts, sizeof(T));
        return result.value;
    }

private:
    static constexpr std::size_t count = (sizeof(T) + 3) / 4;
    memory<std::uint64_t> words_{count};
};

/// A reduction whose kernel the library chooses: the one for few elements if there are few and `subtree_chunks` is 0.
template <class T, class Result = stored<T>, class Launcher, class Iterator, class Op, class Transform>
T reduce_by_size(Launcher&& cpu, const parprims::reduce_config& config, Iterator first, std::size_t n, T init, Op op,
                 Transform transform)
{
    Result result;
    device::check_reduce_config("reduce", config);
    device::enqueue_reduce(cpu, config, first, n, result.output(), init, op, transform);
    return result.value();
}

/// A reduction by the kernel for many elements.
template <class T, class Result = stored<T>, class Iterator, class Op, class Transform>
T reduce(const executor::options& how, parprims::reduce_config config, const device::gpu_properties& gpu,
         Iterator first, std::size_t n, T init, Op op, Transform transform)
{
    config.subtree_chunks = std::max(config.subtree_chunks, 1u);
    return reduce_by_size<T, Result>(launcher(how, gpu), config, first, n, init, op, transform);
}

/// Runs the kernel for few elements only.
class small_reduce_launcher : public launcher {
public:
    using launcher::launcher;

    struct too_many {};
    void change(const device::reduce_plan&) const { throw too_many{}; }
};

/// A reduction by the kernel for few elements, or nothing if there are too many.
template <class T, class Result = stored<T>, class Iterator, class Op, class Transform>
std::optional<T> small_reduce(const executor::options& how, unsigned max_threads, const device::gpu_properties& gpu,
                              Iterator first, std::size_t n, T init, Op op, Transform transform)
try {
    return reduce_by_size<T, Result>(small_reduce_launcher(how, gpu), {.block_threads = max_threads}, first, n, init,
                                     op, transform);
} catch (const small_reduce_launcher::too_many&) {
    return std::nullopt;
}

/// A launch configuration of either kind; three phases have neither stages nor small scans.
template <class Config>
Config config_of(unsigned block_threads, unsigned blocks_per_sm, unsigned stages, unsigned small_tiles_per_sm)
{
    if constexpr (std::is_same_v<Config, parprims::scan_config>)
        return {block_threads, blocks_per_sm, stages, small_tiles_per_sm};
    else
        return {block_threads, blocks_per_sm};
}

/// Small scans by blocks of any number of warps, at most those of `most_threads`.
class scan_launcher : public launcher {
public:
    scan_launcher(const executor::options& how, const device::gpu_properties& gpu, unsigned most_threads)
        : launcher(how, gpu), most_threads_(most_threads), seed_(how.seed)
    {
    }

    /// One warp has room for all rows of a tile.
    static constexpr unsigned held_rows = 64;

    void change(device::cluster_scan_plan& plan) const
    {
        plan.block_threads = fewer_threads(plan.block_threads, plan.blocks);
    }
    void change(device::small_scan_plan& plan) const
    {
        plan.block_threads = fewer_threads(plan.block_threads, 1);
        plan.is_held = plan.is_held && mix(seed_ + 11) % 5 < 3;
    }

private:
    /// Of blocks that are resident together.
    unsigned fewer_threads(unsigned threads, unsigned blocks) const
    {
        const unsigned most_warps = (has_tsan ? 6u : 256u) / std::max(blocks, 1u);
        return std::min({threads, most_threads_, 32 * most_warps}) / 32 * 32;
    }

    unsigned most_threads_;
    std::uint64_t seed_;
};

/// The launcher of a scan. Where the configuration has small scans, one tile is for a cluster, several blocks or one.
template <class T, class Config>
scan_launcher launcher_of_scan(const executor::options& how, const Config& config, device::gpu_properties gpu)
{
    device::check_scan_config("scan", config);
    if constexpr (std::is_convertible_v<Config, parprims::scan_config>)
        if (config.small_tiles_per_sm != 0 && sizeof(T) <= 16) {
            constexpr unsigned clusters[] = {1, 2, has_tsan ? 3 : 4, has_tsan ? 2 : 8};
            gpu.cluster_blocks = clusters[mix(how.seed + 3) % 4];
            gpu.multiprocessors = 512;
        }
    return {how, gpu, config.block_threads};
}

/// A scan of any size.
template <scan_kind Kind, class T, class Config, class Iterator, class Output, class Op, class Transform>
void scan(const executor::options& how, const Config& config, const device::gpu_properties& gpu, Iterator first,
          std::size_t n, Output out, const std::optional<T>& init, Op op, Transform transform)
{
    scan_launcher on = launcher_of_scan<T>(how, config, gpu);
    if (n != 0)
        device::enqueue_scan<Kind>(on, parprims::detail::optional_config(config), first, n, out,
                                   init ? std::addressof(*init) : nullptr, op, transform);
}

/// What tests look at of a histogram's plan, whatever its placement.
struct histogram_layout {
    std::size_t blocks = 0;    ///< that count
    unsigned replicas = 1;     ///< private copies in each block
    std::size_t counters = 0;  ///< that each block counts at a time; 0: all
};

/// Counts in `axis`; where samples are sorted, in slices of so many at most, if `slice` is not 0.
class histogram_launcher : public launcher {
public:
    histogram_launcher(const executor::options& how, const device::gpu_properties& gpu, std::size_t slice)
        : launcher(how, gpu), slice_(slice)
    {
    }

    void change(const device::counting_plan& plan)
    {
        layout = {plan.shape.blocks, plan.replicas, plan.windows > 1 ? plan.window : 0};
    }
    /// Slices of whole tiles.
    void change(device::partitioned_plan& plan)
    {
        if (slice_ != 0)
            plan.slice =
                std::min<std::size_t>(plan.slice, std::max(slice_ / plan.parts.tile, std::size_t{1}) * plan.parts.tile);
        layout = {plan.count_shape.blocks, 1, std::size_t{1} << plan.parts.part_bits};
    }
    void change(device::transform_plan& plan) const { plan.block_threads = 64; }  // TSan has few threads

    histogram_layout layout;

private:
    std::size_t slice_;
};

template <class Iterator, class Axis, class Counter>
histogram_layout histogram(const executor::options& how, const parprims::histogram_config& config,
                           const device::gpu_properties& gpu, Iterator first, std::size_t n, const Axis& axis,
                           memory<Counter>& counts, std::size_t slice = 0)
{
    device::check_histogram_config("histogram", config);
    histogram_launcher cpu(how, gpu, slice);
    device::enqueue_histogram(cpu, config, first, n, axis, counts.data());
    return cpu.layout;
}

/// Adds a histogram to `counts`, whose elements hold at most `most`.
template <class Iterator, class Axis, class Counter>
void accumulate(const executor::options& how, const parprims::histogram_config& config,
                const device::gpu_properties& gpu, Iterator first, std::size_t n, const Axis& axis,
                memory<Counter>& counts, Counter most)
{
    histogram_launcher cpu(how, gpu, 0);
    device::enqueue_accumulation(cpu, config, first, n, axis, counts.data(), most);
}

}  // namespace kernel_test
