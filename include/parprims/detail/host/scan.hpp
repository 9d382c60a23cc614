/// @file
/// @brief  The scan of the order contract on the threads of the host: one pass over memory.
///
/// A thread takes a run of tiles by ticket, computes and publishes the aggregates of the tiles, computes the prefix from the
/// earlier aggregates, and reads the tiles again, from its cache, to write the results.
///
/// Forward progress: a thread waits for lower tickets only. The thread that holds a ticket is running, and the one with the
/// lowest ticket never waits. So there is no deadlock, with any number of threads.
#pragma once

#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/scan_tile.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// One scan, shared by its threads.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
class scan_job {
public:
    scan_job(unsigned threads, Iterator first, std::size_t n, Output out, const T* init, const Op& op,
             const Transform& transform, std::size_t min_streamed_bytes)
        : first_(first), n_(n), out_(out), op_(op), transform_(transform), min_streamed_bytes_(min_streamed_bytes),
          aggregates_(order::ceil_div(n, tile)), anchors_(order::ceil_div(aggregates_.size(), order::group_tiles)),
          runs_done_(runs()), anchors_done_(anchors_.size()),
          workers_(runs() == 1 ? 1 : smaller_of<std::size_t>(concurrency(threads), runs()))
    {
        if (init != nullptr)
            anchors_[0].emplace(*init);
        anchors_done_[0].set();
    }

    std::size_t workers() const { return workers_; }

    /// Takes tickets until all runs are taken.
    void work()
    {
        try {
            scanner scan(first_, n_, out_, op_, transform_, workers_, min_streamed_bytes_);
            std::size_t run = tickets_.take();
            while (run < runs() && scan_run(scan, run))
                run = tickets_.take();
        } catch (...) {
            failed_.set();
            throw;
        }
    }

private:
    using scanner = tile_scanner<Kind, T, Iterator, Output, Op, Transform>;
    static constexpr std::size_t tile = order::tile<T>;

    std::size_t runs() const { return order::ceil_div(aggregates_.size(), run_tiles); }

    /// Returns false if another thread failed.
    bool scan_run(scanner& scan, std::size_t run)
    {
        // 1. The aggregates, from memory.
        const std::size_t begin = run * run_tiles;
        const std::size_t end = smaller_of(begin + run_tiles, aggregates_.size());
        for (std::size_t i = begin; i < end; ++i)
            aggregates_[i].emplace(scan.fold_rows(i, i - begin));
        runs_done_[run].set();

        // 2. The prefix of the run.
        const std::size_t group = begin / order::group_tiles;
        const std::size_t group_begin = group * order::group_tiles;
        for (std::size_t earlier = group_begin / run_tiles; earlier < run; ++earlier)
            if (!runs_done_[earlier].wait(failed_))
                return false;
        if (!anchors_done_[group].wait(failed_))
            return false;
        if (end == group_begin + order::group_tiles && group + 1 < anchors_.size()) {
            if (const auto anchor = scan.then(anchors_[group], fold(scan, group_begin, end)))
                anchors_[group + 1].emplace(*anchor);
            anchors_done_[group + 1].set();
        }

        // 3. The results, from the cache.
        for (std::size_t i = begin; i < end; ++i)
            scan.scan_rows(i, i - begin, scan.then(anchors_[group], fold(scan, group_begin, i)));
        return true;
    }

    /// The tree over the aggregates of the tiles from `begin` to `end`; nothing if there are none.
    optional<T> fold(scanner& scan, std::size_t begin, std::size_t end) const
    {
        if (begin == end)
            return {};
        tree_fold<T> tree;
        for (std::size_t i = begin; i < end; ++i)
            tree.push(*aggregates_[i], scan.op());
        return tree.total(scan.op());
    }

    const Iterator first_;
    const std::size_t n_;
    const Output out_;
    const Op& op_;
    const Transform& transform_;
    const std::size_t min_streamed_bytes_;
    sequence<optional<T>> aggregates_;  // of the tiles
    sequence<optional<T>> anchors_;     // of the groups; the first is init, or nothing
    sequence<signal> runs_done_;        // their aggregates are published
    sequence<signal> anchors_done_;
    const std::size_t workers_;
    ticket_counter tickets_;
    signal failed_;
};

/// Scans `n` elements from `first` on into `out`, in the order of the order contract, on at most `threads` threads (0: all
/// cores). `init` may be null: none. `out` may be `first`. Results of at least `min_streamed_bytes` bypass the caches.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
void scan(unsigned threads, Iterator first, std::size_t n, Output out, const T* init, Op op, Transform transform,
          std::size_t min_streamed_bytes = stream_bytes)
{
    if (n == 0)
        return;
    scan_job<Kind, T, Iterator, Output, Op, Transform> job(threads, first, n, out, init, op, transform,
                                                           min_streamed_bytes);
    parallel_for(threads, job.workers(), [&job](std::size_t) { job.work(); });
}

}  // namespace parprims::detail::host
