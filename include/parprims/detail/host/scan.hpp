/// @file
/// @brief  The scan of the order contract on the threads of the host: one pass over memory.
///
/// A thread takes a run of tiles by ticket, computes and publishes the aggregates of the tiles, computes the prefix from the
/// earlier aggregates, and reads the tiles again, from its cache, to write the results.
///
/// Forward progress: a thread waits for lower tickets only. The thread that holds a ticket is running, and the one with the
/// lowest ticket never waits. So there is no deadlock, with any number of threads.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/scan_tile.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <utility>

namespace parprims::detail::host {

/// What comes before the first element of a scan, which is the first of a tile.
template <class T>
struct scan_start {
    optional<T> anchor;      // of the tile's group; of the first group it is init, or nothing
    sequence<T> aggregates;  // of the earlier tiles of the group
};

/// One scan, shared by its threads. Tiles are numbered from the first of the group that it starts in.
/// @param  make_scanner  called by each thread with the number of threads: makes what scans its tiles
template <class T, class MakeScanner>
class scan_job {
public:
    scan_job(unsigned threads, std::size_t n, const scan_start<T>& start, const MakeScanner& make_scanner)
        : make_scanner_(make_scanner), first_tile_(start.aggregates.size()),
          aggregates_(first_tile_ + order::ceil_div(n, order::tile<T>)),
          anchors_(order::ceil_div(aggregates_.size(), order::group_tiles)), runs_done_(runs()),
          anchors_done_(anchors_.size()),
          workers_(runs() - first_run() == 1 ? 1 : smaller_of<std::size_t>(concurrency(threads), runs() - first_run()))
    {
        for (std::size_t i = 0; i < first_tile_; ++i)
            aggregates_[i].emplace(start.aggregates[i]);
        for (std::size_t run = 0; run < first_run(); ++run)
            runs_done_[run].set();
        if (start.anchor)
            anchors_[0].emplace(*start.anchor);
        anchors_done_[0].set();
    }

    std::size_t workers() const { return workers_; }

    /// Takes tickets until all runs are taken.
    void work()
    {
        try {
            scanner scan = make_scanner_(workers_);
            std::size_t run = first_run() + tickets_.take();
            while (run < runs() && scan_run(scan, run))
                run = first_run() + tickets_.take();
        } catch (...) {
            failed_.set();
            throw;
        }
    }

private:
    using scanner = decltype(std::declval<const MakeScanner&>()(std::size_t{}));

    std::size_t runs() const { return order::ceil_div(aggregates_.size(), run_tiles); }
    std::size_t first_run() const { return first_tile_ / run_tiles; }

    /// Returns false if another thread failed.
    bool scan_run(scanner& scan, std::size_t run)
    {
        // 1. The aggregates, from memory.
        const std::size_t begin = larger_of(run * run_tiles, first_tile_);
        const std::size_t end = smaller_of((run + 1) * run_tiles, aggregates_.size());
        for (std::size_t i = begin; i < end; ++i)
            aggregates_[i].emplace(scan.fold_rows(i - first_tile_, i - begin));
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
            if (const auto anchor = then(scan, anchors_[group], fold(scan, group_begin, end)))
                anchors_[group + 1].emplace(*anchor);
            anchors_done_[group + 1].set();
        }

        // 3. The results, from the cache.
        for (std::size_t i = begin; i < end; ++i)
            scan.scan_rows(i - first_tile_, i - begin, then(scan, anchors_[group], fold(scan, group_begin, i)));
        return true;
    }

    /// op(a, b); one of them if the other is absent.
    static optional<T> then(scanner& scan, const optional<T>& a, const optional<T>& b)
    {
        if (a && b)
            return static_cast<T>(scan.op()(*a, *b));
        return a ? a : b;
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

    const MakeScanner& make_scanner_;
    const std::size_t first_tile_;      // of this scan; the tiles before it are others'
    sequence<optional<T>> aggregates_;  // of the tiles
    sequence<optional<T>> anchors_;     // of the groups
    sequence<signal> runs_done_;        // their aggregates are published
    sequence<signal> anchors_done_;
    const std::size_t workers_;
    ticket_counter tickets_;
    signal failed_;
};

/// Runs a scan of `n` elements on at most `threads` threads (0: all cores).
template <class T, class MakeScanner>
void run_scan(unsigned threads, std::size_t n, const scan_start<T>& start, const MakeScanner& make_scanner)
{
    if (n == 0)
        return;
    scan_job<T, MakeScanner> job(threads, n, start, make_scanner);
    parallel_for(threads, job.workers(), [&job](std::size_t) { job.work(); });
}

/// Scans `n` elements from `first` on into `out`, in the order of the order contract, on at most `threads` threads (0: all
/// cores). `out` may be `first`. Results of at least `min_streamed_bytes` bypass the caches.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
void scan(unsigned threads, Iterator first, std::size_t n, Output out, const scan_start<T>& start, Op op,
          Transform transform, std::size_t min_streamed_bytes = stream_bytes)
{
    host::run_scan(threads, n, start, [&](std::size_t workers) {
        return tile_scanner<Kind, T, Iterator, Output, Op, Transform>(first, n, out, op, transform, workers,
                                                                      min_streamed_bytes);
    });
}

/// Scans a whole input. `init` may be null: none.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
void scan(unsigned threads, Iterator first, std::size_t n, Output out, const T* init, Op op, Transform transform,
          std::size_t min_streamed_bytes = stream_bytes)
{
    scan_start<T> start;
    if (init != nullptr)
        start.anchor.emplace(*init);
    host::scan<Kind>(threads, first, n, out, start, op, transform, min_streamed_bytes);
}

}  // namespace parprims::detail::host
