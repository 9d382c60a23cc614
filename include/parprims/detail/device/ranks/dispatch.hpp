/// @file
/// @brief  Dispatch of calls over several ranks, on any launcher. Each call has two parts, before and after the messages are
///         exchanged. Arguments are valid.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/reduce_kernels.hpp>
#include <parprims/detail/device/ranks/scan_kernels.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// A call of this rank, as its dispatch sees it.
struct rank_call {
    rank_view group;
    std::size_t begin;   // of this rank's slice
    std::size_t n;       // elements of it
    std::size_t totals;  // of a slice at most
    std::uint64_t id;    // the same on all ranks
    bool has_later;      // whether a later rank has elements

    template <class T, class E, std::size_t Block>
    rank_messages<T, E, Block> messages() const
    {
        using type = rank_messages<T, E, Block>;
        return {group, type::ends_offset_of(totals), id};
    }
};

/// Scratch of a call: that of the group where it is large enough, so that small calls allocate nothing.
template <class Launcher>
class rank_scratch {
public:
    rank_scratch(Launcher& launcher, const rank_view& group, std::size_t bytes)
        : own_(launcher.scratch(bytes <= group.scratch_bytes ? 0 : bytes)),
          memory_(bytes <= group.scratch_bytes ? group.scratch : static_cast<std::byte*>(own_.get()))
    {
    }

    std::byte* get() const { return memory_; }

private:
    decltype(std::declval<Launcher&>().scratch(std::size_t{})) own_;
    std::byte* memory_;
};

/// Folds the slice and writes the message.
template <class T, launcher Launcher, class Iterator, class Op, class Transform>
void enqueue_rank_fold(Launcher& launcher, const rank_call& call, Iterator first, Op op, Transform transform)
{
    using kernel_type = rank_fold_kernel<input_for<Iterator>, T, Op, Transform>;
    const auto own_slice = ranks::divide(call.begin, call.n, kernel_type::chunk);
    const auto messages = call.messages<T, iter_value_t<Iterator>, kernel_type::chunk>();

    // A unit is a chunk for each warp at first. Larger units leave fewer totals.
    constexpr unsigned warps = rank_fold_threads / 32;
    const std::size_t multiprocessors = launcher.gpu().multiprocessors;
    unsigned bits = 0;
    const auto units = [&] { return own_slice.blocks >> bits; };
    while (2u << bits <= kernel_type::max_unit &&
           units() > multiprocessors * (1u << bits < warps ? 1 : 2 * rank_rounds))
        ++bits;
    const ranks::subtrees trees(own_slice.first, own_slice.first + own_slice.blocks, std::size_t{1} << bits);

    const rank_scratch totals(launcher, call.group,
                              trees.middle() == 0 ? 0 : kernel_type::totals_of(trees.middle()) * sizeof(T));
    const auto chunks_input = device::make_input(first + static_cast<std::ptrdiff_t>(own_slice.head));
    // Every block gets the same number of rounds: with one more in some blocks, the others would idle.
    const std::size_t rounds = larger_of<std::size_t>(order::ceil_div(trees.all(), multiprocessors), 1);
    const std::size_t blocks = larger_of<std::size_t>(order::ceil_div(trees.all(), rounds), 1);
    const auto block_warps =
        larger_of<std::size_t>(smaller_of<std::size_t>(order::ceil_div(own_slice.blocks, blocks), warps), 4);
    launcher.launch({blocks, static_cast<unsigned>(32 * block_warps), sizeof(typename kernel_type::shared_storage)},
                    kernel_type{device::make_input(first),
                                {chunks_input, own_slice.blocks * kernel_type::chunk, op, transform,
                                 kernel_type::chunks_type::has_aligned_packets(chunks_input),
                                 smaller_of(own_slice.head, own_slice.tail) >= kernel_type::chunks_type::items},
                                own_slice,
                                bits,
                                messages,
                                reinterpret_cast<uninitialized<T>*>(totals.get()),
                                call.group.ticket});
}

/// Combines what all ranks have sent. `Waits`: as in rank_finish_kernel.
template <class Value, class T, bool Waits, launcher Launcher, class Output, class Op, class Transform>
void enqueue_rank_finish(Launcher& launcher, const rank_call& call, Output output, T init, Op op, Transform transform)
{
    using kernel_type = rank_finish_kernel<Value, T, Output, Op, Transform, Waits>;
    launcher.launch({1, kernel_type::max_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{call.messages<T, Value, kernel_type::chunk>(), output, init, op, transform});
}

/// The two parts of a call on a rank that fails: the message of failure, and the check of the messages received.
template <launcher Launcher>
void enqueue_rank_failure(Launcher& launcher, const rank_call& call)
{
    launcher.launch({1, rank_failure_kernel::max_threads, sizeof(rank_failure_kernel::shared_storage)},
                    rank_failure_kernel{call.group, call.id});
}
template <launcher Launcher>
void enqueue_rank_check(Launcher& launcher, const rank_call& call)
{
    launcher.launch({1, rank_check_kernel::max_threads, sizeof(rank_check_kernel::shared_storage)},
                    rank_check_kernel{call.messages<std::uint64_t, std::uint64_t, 1>()});
}

/// The two parts of a scan, which share memory.
template <scan_kind Kind, class T, class Launcher, class Iterator, class Output, class Op, class Transform>
class rank_scan {
    static constexpr std::size_t tile = order::tile<T>;

public:
    rank_scan(Launcher& launcher, const rank_call& call)
        : launcher_(launcher), call_(call), mine_(ranks::divide(call.begin, call.n, tile)),
          earlier_(mine_.first % order::group_tiles), tiles_(earlier_ + order::ceil_div(call.n - mine_.head, tile)),
          scratch_(launcher, call.group, bytes())
    {
        std::byte* const memory = scratch_.get();
        memory_ = {reinterpret_cast<uninitialized<T>*>(memory + aggregates_offset()),
                   reinterpret_cast<maybe<T>*>(memory),
                   {{memory + words_offset, tiles_, false, false}}};
    }

    /// Folds the slice and writes the message.
    void enqueue_fold(Iterator first, Op op, Transform transform)
    {
        using kernel_type = rank_tiles_kernel<input_for<Iterator>, T, Op, Transform>;
        const bool has_totals = call_.has_later;
        const auto tickets = launcher_.zeroed(has_totals ? rank_groups(mine_).groups * sizeof(unsigned) : 0);
        const std::size_t resident = std::size_t{launcher_.gpu().multiprocessors} * rank_tile_blocks_per_sm;
        const auto at_once = static_cast<unsigned>(larger_of<std::size_t>(
            smaller_of<std::size_t>(order::ceil_div(mine_.blocks, resident), kernel_type::max_at_once), 1));
        const std::size_t items =
            larger_of(has_totals ? order::ceil_div(mine_.blocks, at_once) : 0,
                      order::ceil_div(mine_.head + mine_.tail + tiles_, kernel_type::max_threads));
        launcher_.launch({larger_of<std::size_t>(smaller_of(items, resident), 1), kernel_type::max_threads,
                          sizeof(typename kernel_type::shared_storage)},
                         kernel_type{{device::make_input(first + static_cast<std::ptrdiff_t>(mine_.head)),
                                      mine_.blocks * tile, op, transform},
                                     device::make_input(first),
                                     mine_,
                                     call_.template messages<T, T, tile>(),
                                     memory_,
                                     reinterpret_cast<unsigned*>(tickets.get()),
                                     at_once,
                                     has_totals});
    }

    /// Writes the results. `shared`: whether earlier ranks share a tile that ends before this slice.
    void enqueue_scan(const optional_config<scan_config>& chosen, bool shared, Iterator first, Output out,
                      const T* init, Op op, Transform transform)
    {
        const auto messages = call_.template messages<T, T, tile>();
        if (shared) {
            using kernel_type = rank_borders_kernel<T, Op>;
            launcher_.launch({call_.group.rank, kernel_type::max_threads, kernel_type::shared_bytes},
                             kernel_type{messages, op});
        }
        using start_type = rank_start_kernel<Kind, T, output_for<Output>, Op>;
        launcher_.launch({1, start_type::max_threads, start_type::shared_bytes},
                         start_type{messages, memory_, device::make_output(out), maybe<T>::copy_of(init), op});
        if (call_.n <= mine_.head)
            return;

        // The kernel numbers tiles from the start of their group, which may lie before the slice. Tickets start at the first tile of the
        // slice.
        const auto skipped = static_cast<std::ptrdiff_t>(mine_.head) - static_cast<std::ptrdiff_t>(earlier_ * tile);
        const std::size_t n = call_.n - mine_.head + earlier_ * tile;
        const auto work = device::make_scan_tile<Kind, T>(first + skipped, n, out + skipped,
                                                          static_cast<const T*>(nullptr), op, transform);
        using tile_type = continued_tile<std::remove_const_t<decltype(work)>, T>;
        using work_type = scan_work<tile_type, T>;
        const long_plan plan = device::planned_single_pass<work_type>(
            launcher_, call_.n - mine_.head, tile,
            chosen.value_or(default_scan(launcher_.gpu().architecture, sizeof(T))));
        check_grid(launcher_.function(), plan.tiles);
        tile_words<T> words = memory_.words;
        words.one_tile_each = plan.one_tile_each();
        device::launch_long_pass(launcher_, work_type{{{work, memory_.before}}, plan.slots}, words, plan);
    }

private:
    static constexpr std::size_t words_offset = aligned_bytes(sizeof(maybe<T>));

    std::size_t aggregates_offset() const { return words_offset + aligned_bytes(tile_words<T>::bytes(tiles_)); }
    std::size_t bytes() const
    {
        return aggregates_offset() + rank_groups(mine_).groups * order::group_tiles * sizeof(T);
    }

    Launcher& launcher_;
    rank_call call_;
    ranks::slice mine_;
    std::size_t earlier_;  // tiles of the group of the first tile that begins in the slice
    std::size_t tiles_;    // that the long pass counts
    rank_scratch<Launcher> scratch_;
    rank_scan_memory<T> memory_{};
};

}  // namespace parprims::detail::device
