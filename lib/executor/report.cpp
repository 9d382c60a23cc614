// Reports: what each thread does, and where.
#include "launch_state.hpp"

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
    case thread_status::polling: return "keeps polling";
    case thread_status::at_barrier: return "at the barrier";
    case thread_status::at_cluster_barrier: return "at the cluster's barrier";
    case thread_status::in_collective: return "in";
    case thread_status::done: return "returned";
    }
    return "";
}

/// The mask of the collective that a thread is in.
std::uint64_t awaited_by(const thread_state& thread)
{
    for (const pending_collective& pending : thread.parent->warps[thread.warp].pending)
        if ((pending.arrived >> thread.lane & 1) != 0)
            return pending.mask;
    return 0;
}

/// What a thread does, without its number, so that neighbours that do the same take one line.
std::string doing(const thread_state& thread)
{
    const bool is_ready = (thread.parent->ready[thread.rank / 64] >> thread.rank % 64 & 1) != 0;
    const thread_status status = is_ready ? thread_status::ready : thread.status;
    std::string text = name_of(status);
    if (status == thread_status::done)
        return text;
    if (status == thread_status::in_collective) {
        char mask[24];
        std::snprintf(mask, sizeof mask, " 0x%llx", static_cast<unsigned long long>(awaited_by(thread)));
        text += std::string(" ") + name_of(thread.what) + " of lanes" + mask;
    }
    text += " at " + to_string(thread.where);
    if ((status == thread_status::pausing || status == thread_status::polling) && thread.last_word != nullptr) {
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

bool is_same_site(site a, site b)
{
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string to_string(site where)
{
    const char* const name = std::strrchr(where.file, '/');
    return std::string(name != nullptr ? name + 1 : where.file) +
           (where.line == 0 ? "" : ":" + std::to_string(where.line));
}

std::string name_of(const thread_state& thread)
{
    return "block " + std::to_string(thread.block) + ", thread " + std::to_string(thread.thread) + " (lane " +
           std::to_string(thread.lane) + ")";
}

void fail(const std::string& what, site where, fault kind)
{
    throw error(to_string(where) + ": " + what, kind);
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

std::string launch_state::describe_waiting(const char* why) const
{
    std::string text = why;
    text += " (" + std::to_string(blocks_ - started_blocks_) + " of " + std::to_string(blocks_) +
            " blocks have not started)\n";
    for (const auto& slot : slots_)
        if (slot->live != 0)
            text += describe(*slot);
    return text;
}

}  // namespace parprims::detail::simt::executor
