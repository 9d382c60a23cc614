// Who waits where.
#include "machine.hpp"

#include <cstdio>
#include <cstring>

namespace parprims::detail::simt::executor {

namespace {

const char* name_of(thread_status status)
{
    switch (status) {
    case thread_status::ready: return "ready, last";
    case thread_status::running: return "running, last";
    case thread_status::pausing: return "in pause()";
    case thread_status::looking: return "reads on and on";
    case thread_status::at_barrier: return "at the barrier";
    case thread_status::at_cluster_barrier: return "at the cluster's barrier";
    case thread_status::in_collective: return "in";
    case thread_status::done: return "returned";
    }
    return "";
}

/// The mask of the collective that a thread waits in.
std::uint64_t awaited_by(const thread_state& thread)
{
    for (const rendezvous& flight : thread.home->warps[thread.warp].flights)
        if ((flight.arrived >> thread.lane & 1) != 0)
            return flight.mask;
    return 0;
}

/// What a thread does, without its number, so that neighbours that do the same can be told together.
std::string doing(const thread_state& thread)
{
    std::string text = name_of(thread.status);
    if (thread.status == thread_status::done)
        return text;
    if (thread.status == thread_status::in_collective) {
        char mask[24];
        std::snprintf(mask, sizeof mask, " 0x%llx", static_cast<unsigned long long>(awaited_by(thread)));
        text += std::string(" ") + name_of(thread.what) + " of lanes" + mask;
    }
    text += " at " + to_string(thread.where);
    if ((thread.status == thread_status::pausing || thread.status == thread_status::looking) &&
        thread.last_word != nullptr) {
        char word[48];
        std::snprintf(word, sizeof word, ", waits for the word at %p", thread.last_word);
        text += word;
    }
    return text;
}

}  // namespace

const char* name_of(collective what)
{
    switch (what) {
    case collective::sync: return "sync_warp";
    case collective::ballot: return "ballot";
    case collective::shuffle: return "shuffle";
    case collective::shuffle_up: return "shuffle_up";
    case collective::shuffle_down: return "shuffle_down";
    }
    return "";
}

std::string to_string(site where)
{
    const char* const name = std::strrchr(where.file, '/');
    return std::string(name != nullptr ? name + 1 : where.file) + ":" + std::to_string(where.line);
}

std::string describe(const block_state& block)
{
    std::string text;
    const std::size_t count = block.threads.size();
    for (std::size_t first = 0; first < count;) {
        const std::string what = doing(block.threads[first]);
        std::size_t last = first;
        while (last + 1 < count && doing(block.threads[last + 1]) == what)
            ++last;
        text += "  block " + std::to_string(block.index) + ", thread";
        text +=
            last == first ? " " + std::to_string(first) : "s " + std::to_string(first) + " to " + std::to_string(last);
        text += ": " + what + "\n";
        first = last + 1;
    }
    return text;
}

std::string machine::all_that_wait(const char* why) const
{
    std::string text = why;
    text +=
        " (" + std::to_string(blocks_ - started_) + " of " + std::to_string(blocks_) + " blocks have not started)\n";
    for (const auto& slot : slots_)
        if (slot->live != 0)
            text += describe(*slot);
    return text;
}

}  // namespace parprims::detail::simt::executor
