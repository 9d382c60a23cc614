// Atomic operations, pauses, and asynchronous copies and additions.
#include "launch_state.hpp"
#include "sanitizers.hpp"

namespace parprims::detail::simt::executor {

void before_atomic(const void* word, std::size_t bytes, bool writes, site where)
{
    launch_state& launch = *current_launch;
    thread_state& thread = launch_state::running();
    thread.last_word = word;
    ++launch.counts.atomics;
    launch.maybe_preempt(thread);
    if (writes)
        ++launch.progress;
    else if (launch.polls_without_progress(thread)) {
        thread.where = where;
        thread.status = thread_status::polling;
        launch.suspend(thread);
    }
    check_access(word, bytes, bytes, where);  // only now: another thread may have been the last one of the word's block
}

void pause(site where)
{
    launch_state& launch = *current_launch;
    thread_state& thread = launch_state::running();
    ++launch.counts.pauses;
    thread.where = where;
    if (launch.options.order == schedule::random && launch.chance(0.25)) {
        launch.wake(thread);  // polls again although nothing has changed
    } else {
        thread.status = thread_status::pausing;
    }
    launch.suspend(thread);
}

void begin_copy(void* to, const void* from, unsigned bytes)
{
    thread_state& thread = launch_state::running();
    {
        const unseen_by_tsan unseen;  // a thread of an earlier block may have used the same memory
        thread.copies.push_back({to, from, bytes, thread.groups});
    }
    current_launch->maybe_preempt(thread);
}

void commit_copies()
{
    ++launch_state::running().groups;
}

bool next_copy(unsigned newest, pending_copy& copy)
{
    thread_state& thread = launch_state::running();
    if (thread.first_copy == thread.copies.size())
        return false;
    const pending_copy& first = thread.copies[thread.first_copy];
    if (first.group + newest >= thread.groups)
        return false;
    copy = first;
    if (++thread.first_copy == thread.copies.size()) {
        thread.copies.clear();
        thread.first_copy = 0;
    }
    return true;
}

void begin_add(void* to, const void* from, unsigned bytes)
{
    thread_state& thread = launch_state::running();
    {
        const unseen_by_tsan unseen;
        thread.adds.push_back({to, from, bytes, 0});
    }
    current_launch->maybe_preempt(thread);
}

bool next_add(pending_copy& add)
{
    thread_state& thread = launch_state::running();
    if (thread.adds.empty())
        return false;
    add = thread.adds.back();
    thread.adds.pop_back();
    return true;
}

}  // namespace parprims::detail::simt::executor
