// Combines the accesses of lanes to those of warps, and counts these.
#include "access_log.hpp"

#include "launch_state.hpp"
#include "sanitizers.hpp"

#include <bit>

namespace parprims::detail::simt::executor {

bool is_counting = false;

namespace {

constexpr std::uint64_t sector_bytes = 32;
constexpr std::uint64_t word_bytes = 4;
constexpr unsigned banks = 32;
constexpr unsigned max_bytes = 16;  // that a lane moves at a time

/// Numbers in ascending order. No standard algorithm: its code would be shared with the kernels', see launch_state.hpp.
class sorted_numbers {
public:
    /// Fast if the input is nearly sorted.
    void insert(std::uint64_t number)
    {
        unsigned i = count_++;
        for (; i > 0 && numbers_[i - 1] > number; --i)
            numbers_[i] = numbers_[i - 1];
        numbers_[i] = number;
    }

    /// Calls `use(number, times)` for every different number.
    template <class Use>
    void for_each(Use use) const
    {
        for (unsigned i = 0; i < count_;) {
            unsigned next = i + 1;
            while (next < count_ && numbers_[next] == numbers_[i])
                ++next;
            use(numbers_[i], next - i);
            i = next;
        }
    }

private:
    std::uint64_t numbers_[2 * 64];
    unsigned count_ = 0;
};

/// Calls `use(address)` for every lane of `lanes`.
template <class Use>
void for_each_lane(const warp_access& warp, std::uint64_t lanes, Use use)
{
    for (std::uint64_t left = warp.lanes & lanes; left != 0; left &= left - 1)
        use(warp.addresses[std::countr_zero(left)]);
}

constexpr std::uint64_t all = ~std::uint64_t{0};

/// No access crosses a sector's end: each is aligned to its size.
std::uint64_t sectors_of(const warp_access& warp)
{
    sorted_numbers sectors;
    for_each_lane(warp, all, [&](std::uint64_t address) { sectors.insert(address / sector_bytes); });
    std::uint64_t count = 0;
    sectors.for_each([&](std::uint64_t, unsigned) { ++count; });
    return count;
}

/// Passes for the lanes of `lanes`, which the banks serve together.
unsigned passes_of(const warp_access& warp, unsigned bytes, std::uint64_t lanes)
{
    sorted_numbers words;
    for_each_lane(warp, lanes, [&](std::uint64_t address) {
        for (std::uint64_t word = address / word_bytes; word <= (address + bytes - 1) / word_bytes; ++word)
            words.insert(word);
    });
    unsigned in_bank[banks] = {};
    unsigned most = 0;
    words.for_each([&](std::uint64_t word, unsigned) {
        const unsigned in_this = ++in_bank[word % banks];
        most = most < in_this ? in_this : most;
    });
    return most;
}

/// The most lanes at one address.
unsigned same_address(const warp_access& warp)
{
    sorted_numbers addresses;
    for_each_lane(warp, all, [&](std::uint64_t address) { addresses.insert(address); });
    unsigned most = 0;
    addresses.for_each([&](std::uint64_t, unsigned times) { most = most < times ? times : most; });
    return most;
}

void count_global(global_counts& counts, const warp_access& warp, unsigned bytes)
{
    const auto lanes = static_cast<unsigned>(std::popcount(warp.lanes));
    ++counts.requests;
    counts.lanes += lanes;
    counts.bytes += lanes * std::uint64_t{bytes};
    counts.sectors += sectors_of(warp);
}

void count_shared(shared_counts& counts, const warp_access& warp, unsigned bytes)
{
    const auto lanes = static_cast<unsigned>(std::popcount(warp.lanes));
    ++counts.requests;
    counts.lanes += lanes;
    counts.bytes += lanes * std::uint64_t{bytes};
    // As many lanes at a time as access 128 bytes: a warp, half of it, or a quarter.
    const unsigned together = banks / (bytes <= word_bytes ? 1 : bytes / static_cast<unsigned>(word_bytes));
    for (unsigned first = 0; first < max_warp_threads; first += together) {
        const std::uint64_t lanes_here = ((std::uint64_t{1} << together) - 1) << first;
        if ((warp.lanes & lanes_here) == 0)
            continue;
        const unsigned passes = passes_of(warp, bytes, lanes_here);
        counts.passes += passes;
        counts.extra_passes += passes - 1;
    }
}

void count_atomic(atomic_counts& counts, const warp_access& warp)
{
    ++counts.requests;
    counts.lanes += static_cast<unsigned>(std::popcount(warp.lanes));
    counts.passes += same_address(warp);
}

void count_branch(statistics& counts, const warp_access& warp)
{
    unsigned taken = 0;
    for_each_lane(warp, all, [&](std::uint64_t is_taken) { taken += is_taken != 0; });
    ++counts.branches;
    counts.divergent_branches += taken != 0 && taken != static_cast<unsigned>(std::popcount(warp.lanes));
}

void count(statistics& counts, const instruction& at, const warp_access& warp)
{
    bool is_operation = true;
    switch (at.what) {
    case access::load:
    case access::atomic_load:
        if (at.is_shared)
            count_shared(counts.shared_loads, warp, at.bytes);
        else
            count_global(counts.global_loads, warp, at.bytes);
        break;
    case access::store:
    case access::atomic_store:
        if (at.is_shared)
            count_shared(counts.shared_stores, warp, at.bytes);
        else
            count_global(counts.global_stores, warp, at.bytes);
        break;
    case access::atomic: count_atomic(at.is_shared ? counts.shared_atomics : counts.global_atomics, warp); break;
    case access::copy:
        count_global(counts.global_loads, warp, at.bytes);
        ++counts.copies;
        is_operation = false;  // the store of the copy, counted by itself, is the operation
        break;
    case access::branch: count_branch(counts, warp); break;
    }
    if (is_operation) {
        ++counts.warp_operations;
        counts.lane_operations += static_cast<unsigned>(std::popcount(warp.lanes));
    }
}

}  // namespace

std::size_t access_log::number_of(const instruction& at)
{
    const auto hash = reinterpret_cast<std::uintptr_t>(at.where.file) / 8 + at.where.line * 8 + at.bytes * 2 +
                      static_cast<unsigned>(at.what) * 40 + at.is_shared;
    std::size_t& cached = cache_[hash % 256];
    if (cached < instructions_.size() && instructions_[cached] == at)
        return cached;
    std::size_t i = 0;
    while (i < instructions_.size() && !(instructions_[i] == at))
        ++i;
    if (i == instructions_.size())
        instructions_.push_back(at);
    return cached = i;
}

void access_log::record(warp_accesses& warp, unsigned lane, const instruction& at, std::uint64_t address)
{
    const std::size_t number = number_of(at);
    if (warp.instructions.size() <= number)
        warp.instructions.resize(number + 1);
    instruction_visits& visited = warp.instructions[number];
    const unsigned visit = visited.visits[lane]++;
    if (visited.accesses.size() == visit)
        visited.accesses.emplace_back();
    warp_access& access = visited.accesses[visit];
    access.lanes |= std::uint64_t{1} << lane;
    access.addresses[lane] = address;
}

void access_log::reconverge(block_state& block, unsigned number, statistics& counts)
{
    warp_accesses& warp = block.accesses[number];
    request_observer* const observer = current_launch->options.requests;
    for (std::size_t i = 0; i < warp.instructions.size(); ++i) {
        instruction_visits& visited = warp.instructions[i];
        if (visited.accesses.empty())
            continue;
        for (const warp_access& access : visited.accesses) {
            const instruction& at = instructions_[i];
            count(counts, at, access);
            if (observer != nullptr)
                observer->saw(
                    {at.what, at.is_shared, at.bytes, access.lanes, access.addresses, at.where, block.index, number});
        }
        visited.accesses.clear();
        for (unsigned& visits : visited.visits)
            visits = 0;
    }
}

void count_access(access what, const void* address, std::size_t bytes, std::size_t alignment, site where)
{
    launch_state& launch = *current_launch;
    thread_state& thread = launch_state::running();
    const unseen_by_tsan unseen;
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    const bool is_shared = is_in_shared_memory(thread, first, bytes);
    // An access larger or less aligned than the operand of an instruction takes several instructions.
    const std::size_t part = alignment < max_bytes ? alignment : max_bytes;
    const instruction at{where, what, is_shared, static_cast<unsigned>(part)};
    const std::uintptr_t origin = is_shared ? reinterpret_cast<std::uintptr_t>(thread.parent->shared) : 0;
    for (std::size_t done = 0; done < bytes; done += part)
        launch.log.record(thread.parent->accesses[thread.warp], thread.lane, at, first - origin + done);
}

void count_branch(bool taken, site where)
{
    thread_state& thread = launch_state::running();
    const unseen_by_tsan unseen;
    current_launch->log.record(thread.parent->accesses[thread.warp], thread.lane, {where, access::branch, false, 0},
                               taken);
}

}  // namespace parprims::detail::simt::executor
