/// @file
/// @brief  Ranks on the executor: the memory of a group, a launcher of small GPUs, and calls of all ranks, one rank after the other.
#pragma once

#include <parprims/detail/device/ranks/dispatch.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/ranks/message_size.hpp>

#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

namespace kernel_test {

inline parprims::detail::host::sequence<std::size_t> begins_of(const std::vector<std::size_t>& borders)
{
    parprims::detail::host::sequence<std::size_t> begins;
    for (const std::size_t border : borders)
        begins.push_back(border);
    return begins;
}

/// What all ranks of a group have in memory.
class group_of_ranks {
public:
    explicit group_of_ranks(const std::vector<std::size_t>& borders, std::size_t totals, std::size_t message_bytes)
        : borders_(borders), totals_(totals), bytes_(device::aligned_bytes(message_bytes)), begins_(borders.size())
    {
        std::copy(borders.begin(), borders.end(), begins_.begin());
        for (std::size_t r = 0; r < size(); ++r) {
            sent_.emplace_back(bytes_, 0);
            received_.emplace_back(bytes_ * size(), 0);
            scratch_.emplace_back(512, 0);  // large enough for some calls only
            tickets_.emplace_back(1);
            tickets_.back()[0] = 0;
            failures_.emplace_back(2);
            std::fill(failures_.back().begin(), failures_.back().end(), 0);
        }
    }

    std::size_t size() const { return borders_.size() - 1; }
    std::size_t begin(std::size_t rank) const { return borders_[rank]; }
    parprims::detail::host::sequence<std::size_t> begins() const { return begins_of(borders_); }

    device::rank_call call(std::size_t rank)
    {
        return {{begins_.data(), size(), rank, sent_[rank].data(), received_[rank].data(), bytes_,
                 failures_[rank].data(), tickets_[rank].data(), scratch_[rank].data(), scratch_[rank].size()},
                borders_[rank],
                borders_[rank + 1] - borders_[rank],
                totals_,
                rank == other_ ? id_ + 1 : id_,
                borders_[rank + 1] != borders_.back()};
    }

    void exchange() { exchange(bytes_); }
    void exchange(std::size_t bytes)
    {
        for (std::size_t to = 0; to < size(); ++to)
            for (std::size_t from = 0; from < size(); ++from)
                std::memcpy(received_[to].data() + from * bytes, sent_[from].data(), bytes);
    }

    std::uint64_t failure(std::size_t rank) { return failures_[rank][0]; }
    std::uint64_t failed_call(std::size_t rank) { return failures_[rank][1]; }

    std::uint64_t id_ = 77;                // of the call
    std::size_t failed_ = ~std::size_t{};  // this rank takes part without input
    std::size_t other_ = ~std::size_t{};   // this rank makes another call

private:
    std::vector<std::size_t> borders_;
    std::size_t totals_;
    std::size_t bytes_;
    memory<std::size_t> begins_;
    std::deque<memory<std::byte>> sent_;
    std::deque<memory<std::byte>> received_;
    std::deque<memory<std::byte>> scratch_;
    std::deque<memory<unsigned>> tickets_;
    std::deque<memory<std::uint64_t>> failures_;
};

/// Few multiprocessors, so that units have several chunks, and blocks of any number of warps.
class ranks_launcher : public launcher {
public:
    explicit ranks_launcher(std::uint64_t seed)
        : launcher(schedule_of(seed), {.multiprocessors = 1 + static_cast<unsigned>(seed % 3)}),
          most_threads_(has_tsan ? 64u : 64u << mix(seed) % 4)
    {
    }

    template <class Kernel>
    void launch(device::launch_shape shape, const Kernel& kernel)
    {
        shape.block_threads = std::min(shape.block_threads, most_threads_);
        launcher::launch(shape, kernel);
    }

private:
    unsigned most_threads_;
};

/// A group whose messages have room for one kind of call. `count`: tells the totals of a slice.
template <class T, class E, std::size_t Block, class Count>
group_of_ranks make_group(const std::vector<std::size_t>& borders, Count count)
{
    const auto most = parprims::detail::ranks::largest_message(begins_of(borders), Block, count);
    return group_of_ranks(borders, most.totals,
                          device::rank_messages<T, E, Block>::bytes_of(most.totals, most.elements));
}
template <class T>
group_of_ranks make_reduce_group(const std::vector<std::size_t>& borders)
{
    return make_group<T, T, order::chunk<T>>(borders, parprims::detail::ranks::totals_of_reduce);
}
template <class T>
group_of_ranks make_scan_group(const std::vector<std::size_t>& borders)
{
    return make_group<T, T, order::tile<T>>(borders, parprims::detail::ranks::totals_of_scan);
}

/// The slices of an input, each in memory of its own that begins anywhere.
template <class T>
class slices_of {
public:
    slices_of(group_of_ranks& group, const memory<T>& input, std::uint64_t seed)
    {
        for (std::size_t r = 0; r < group.size(); ++r) {
            const std::size_t n = group.call(r).n;
            slices_.emplace_back(n, (seed + r) % 4 * sizeof(T));
            std::uninitialized_copy_n(input.data() + group.begin(r), n, slices_.back().data());
        }
    }
    const T* operator[](std::size_t rank) const { return slices_[rank].data(); }

private:
    std::deque<memory<T>> slices_;
};

/// The result of each rank. `hash` of the values. `Waits`: as in rank_finish_kernel.
template <class T, bool Waits = false>
std::vector<T> run_reduce(group_of_ranks& group, const memory<T>& input, T init, std::uint64_t seed)
{
    const slices_of<T> slices(group, input, seed);
    for (std::size_t r = 0; r < group.size(); ++r) {
        ranks_launcher cpu(seed + r);
        if (r == group.failed_)
            device::enqueue_rank_failure(cpu, group.call(r));
        else
            device::enqueue_rank_fold<T>(cpu, group.call(r), slices[r], hash{}, parprims::identity{});
    }
    group.exchange();
    std::vector<T> results(group.size(), element<T>(5));
    for (std::size_t r = 0; r < group.size(); ++r) {
        ranks_launcher cpu(seed + r);
        memory<T> output(1);
        std::construct_at(output.data(), results[r]);
        if (r == group.failed_)
            device::enqueue_rank_check(cpu, group.call(r));
        else
            device::enqueue_rank_finish<T, T, Waits>(cpu, group.call(r), output.data(), init, hash{},
                                                     parprims::identity{});
        results[r] = output[0];
    }
    return results;
}

/// What all ranks have written. `init` may be null.
template <scan_kind Kind, class T>
std::vector<T> run_scan(group_of_ranks& group, const memory<T>& input, const T* init, std::uint64_t seed)
{
    using scan_type = device::rank_scan<Kind, T, ranks_launcher, const T*, T*, hash, parprims::identity>;
    memory<T> output(input.size());
    std::uninitialized_fill(output.begin(), output.end(), element<T>(5));
    const slices_of<T> slices(group, input, seed);
    std::deque<ranks_launcher> cpus;
    std::deque<scan_type> scans;
    for (std::size_t r = 0; r < group.size(); ++r) {
        cpus.emplace_back(seed + r);
        scans.emplace_back(cpus.back(), group.call(r));
        if (r == group.failed_)
            device::enqueue_rank_failure(cpus.back(), group.call(r));
        else
            scans.back().enqueue_fold(slices[r], hash{}, {});
    }
    group.exchange();
    for (std::size_t r = 0; r < group.size(); ++r)
        if (r == group.failed_)
            device::enqueue_rank_check(cpus[r], group.call(r));
        else
            scans[r].enqueue_scan({},
                                  parprims::detail::ranks::has_earlier_shared_block(group.begins(), r, order::tile<T>),
                                  slices[r], output.data() + group.begin(r), init, hash{}, {});
    return {output.begin(), output.end()};
}

}  // namespace kernel_test
