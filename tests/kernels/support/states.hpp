/// @file
/// @brief  Which states the kernels' protocols have been in, seen from outside: from the atomic operations on their words.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/pass/words.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kernel_test {

enum class state {
    ticket_wrapped,             // reduce: the ticket went back to zero
    last_block_first,           // reduce: the last block to take a ticket was block 0,
    last_block_highest,         //         the one with the highest number,
    last_block_between,         //         neither
    aggregate_ready,            // scan: look-back found an aggregate,
    aggregate_not_ready,        //       or had to wait for it,
    group_folded,               //       or took a whole group of them: the anchor moves
    aggregate_out_of_order,     // scan: a tile published its aggregate before the tile below it did
    no_tile_left,               // scan: a block asked for a tile when all were taken
    counter_of_several_blocks,  // histogram: a block added to a counter that another had added to
    value_of_earlier_scan,      // small scan: a block looked for a value and found that of an earlier scan,
    tile_abandoned,             //             gave its tile up to the last block to arrive,
    tile_kept                   //             wanted to, but all had arrived
};
inline constexpr unsigned states = 13;

inline const char* name_of(state which)
{
    constexpr const char* names[states] = {
        "ticket_wrapped",  "last_block_first",          "last_block_highest",    "last_block_between",
        "aggregate_ready", "aggregate_not_ready",       "group_folded",          "aggregate_out_of_order",
        "no_tile_left",    "counter_of_several_blocks", "value_of_earlier_scan", "tile_abandoned",
        "tile_kept"};
    return names[static_cast<unsigned>(which)];
}

/// What has been met. Fibers of a launch add to it, which under TSan are threads.
class tally {
public:
    void add(state which) { counts_[static_cast<unsigned>(which)].fetch_add(1, std::memory_order_relaxed); }
    std::uint64_t operator[](state which) const
    {
        return counts_[static_cast<unsigned>(which)].load(std::memory_order_relaxed);
    }

    /// The states from `first` to `last` that have not been met, by name.
    std::string missing(state first, state last) const
    {
        std::string names;
        for (auto s = static_cast<unsigned>(first); s <= static_cast<unsigned>(last); ++s)
            if (counts_[s].load(std::memory_order_relaxed) == 0)
                names += std::string(names.empty() ? "" : ", ") + name_of(static_cast<state>(s));
        return names;
    }

    void clear()
    {
        for (auto& count : counts_)
            count.store(0, std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> counts_[states] = {};
};

/// Of the launches since the program's start, or since it was cleared.
inline tally met;

namespace watch {

namespace simt = parprims::detail::simt;
namespace executor = simt::executor;

/// While one lives, it is told of atomic operations.
class watcher : public executor::observer {
public:
    watcher() { executor::watching = this; }
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;

protected:
    ~watcher() { executor::watching = nullptr; }
};

class reduce_ticket final : public watcher {
public:
    explicit reduce_ticket(const void* ticket) : ticket_(ticket) {}

    void saw(const void* word, std::uint64_t before, std::uint64_t after) override
    {
        if (word != ticket_)
            return;
        const std::size_t block = simt::block::index();
        const std::size_t highest = simt::block{}.count() - 1;
        if (before == highest)
            met.add(block == 0         ? state::last_block_first
                    : block == highest ? state::last_block_highest
                                       : state::last_block_between);
        if (before == highest && after == 0)
            met.add(state::ticket_wrapped);
    }

private:
    const void* ticket_;
};

/// Of the words of a long pass, the first of each tile. A single tile has none.
class long_pass_words final : public watcher {
public:
    explicit long_pass_words(const parprims::detail::device::tile_tickets& shared)
        : status_(shared.memory == nullptr ? nullptr : shared.words()), ticket_(shared.ticket()),
          tiles_(shared.memory == nullptr ? 0 : shared.tiles)
    {
    }

    void saw(const void* word, std::uint64_t before, std::uint64_t after) override
    {
        if (word == ticket_ && before >= tiles_)
            met.add(state::no_tile_left);
        const std::less<const void*> below;
        if (below(word, status_) || !below(word, status_ + tiles_))
            return;
        const auto tile = static_cast<std::size_t>(static_cast<const std::uint64_t*>(word) - status_);
        if (before != after) {
            if (tile != 0 && (__atomic_load_n(status_ + tile - 1, __ATOMIC_RELAXED) & ready) == 0)
                met.add(state::aggregate_out_of_order);
        } else if ((before & ready) == 0) {
            met.add(state::aggregate_not_ready);
        } else {
            met.add(state::aggregate_ready);
            // The aggregate of a group's last tile is read for the whole group only.
            if (tile % parprims::detail::order::group_tiles == parprims::detail::order::group_tiles - 1)
                met.add(state::group_folded);
        }
    }

private:
    static constexpr std::uint64_t ready = parprims::detail::block::flagged_words<std::uint32_t>::ready;

    const std::uint64_t* status_;
    const unsigned long long* ticket_;
    std::size_t tiles_;
};

/// Of the status of a small scan, whose epoch is known.
template <class Status>
class small_scan_words final : public watcher {
public:
    small_scan_words(const Status& status, std::uint64_t epoch) : status_(status), epoch_(epoch) {}

    void saw(const void* word, std::uint64_t before, std::uint64_t after) override
    {
        const std::less<const void*> below;
        if (word == status_.arrivals && after == before + 1)
            met.add(before >> status_.epoch_bits == epoch_ ? state::tile_abandoned : state::tile_kept);
        else if (!below(word, status_.status) && below(word, status_.status + status_.room) && before == after &&
                 before != 0 && ((before >> 32 ^ epoch_) & 0x7fffffff) != 0)
            met.add(state::value_of_earlier_scan);
    }

private:
    Status status_;
    std::uint64_t epoch_;
};

/// Of counters in global memory.
class histogram_counters final : public watcher {
public:
    template <class Counter>
    histogram_counters(const Counter* counts, std::size_t count)
        : begin_(reinterpret_cast<const char*>(counts)), bytes_(count * sizeof(Counter)), users_(word_of(bytes_))
    {
    }

    void saw(const void* word, std::uint64_t, std::uint64_t) override
    {
        const std::less<const char*> below;
        const auto* const place = static_cast<const char*>(word);
        if (below(place, begin_) || !below(place, begin_ + bytes_))
            return;
        // 0: no block has added to it yet.
        const auto user = static_cast<std::uint32_t>(simt::block::index() + 1);
        const std::uint32_t earlier =
            __atomic_exchange_n(&users_[word_of(static_cast<std::size_t>(place - begin_))], user, __ATOMIC_RELAXED);
        if (earlier != 0 && earlier != user)
            met.add(state::counter_of_several_blocks);
    }

private:
    static std::size_t word_of(std::size_t bytes) { return bytes / 4; }

    const char* begin_;
    std::size_t bytes_;
    std::vector<std::uint32_t> users_;  // the last block that added to a counter
};

}  // namespace watch

}  // namespace kernel_test
