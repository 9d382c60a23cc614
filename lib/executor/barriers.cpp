// Barriers of blocks and of clusters, and the shared memory of other blocks.
#include "launch_state.hpp"
#include "sanitizers.hpp"

namespace parprims::detail::simt::executor {

void sync_block(site where)
{
    launch_state& launch = *current_launch;
    thread_state& thread = launch_state::running();
    block_state& block = *thread.parent;
    if (const std::size_t returned = block.threads.size() - block.live; returned != 0)
        fail("divergence: " + name_of(thread) + " is at a barrier, and " + std::to_string(returned) +
                 (returned == 1 ? " thread of its block has returned" : " threads of its block have returned"),
             where, fault::divergence);
    if (block.arrived != 0 && !is_same_site(block.barrier, where))
        fail("divergence: " + name_of(thread) + " is at this barrier, other threads of its block at that of " +
                 to_string(block.barrier),
             where, fault::divergence);

    void* const sync = &block.tsan_sync[block.generation % 2];
    release(sync);
    block.barrier = where;
    thread.where = where;
    if (++block.arrived < block.threads.size()) {
        thread.status = thread_status::at_barrier;
        launch.suspend(thread);
    } else {
        block.arrived = 0;
        ++block.generation;
        ++launch.counts.barriers;
        if (is_finding_races)
            launch.races.synchronise(block);
        for (unsigned w = 0; w < block.warps.size(); ++w)
            launch.reconverge(block, w, launch.all_lanes());
        launch.wake_block(block);
        if (launch.options.order != schedule::in_order)
            launch.suspend(thread);
        else
            launch.take(block, thread.rank);
    }
    acquire(sync);
}

void arrive_in_cluster(site where, bool releases)
{
    launch_state& launch = *current_launch;
    thread_state& thread = launch_state::running();
    cluster_state& cluster = *thread.parent->cluster;
    if (!thread.has_waited)
        fail("divergence: " + name_of(thread) + " arrives at its cluster's barrier again and has not waited", where,
             fault::divergence);
    if (cluster.arrived != 0 && !is_same_site(cluster.barrier, where))
        fail("divergence: " + name_of(thread) + " is at this barrier, other threads of its cluster at that of " +
                 to_string(cluster.barrier),
             where, fault::divergence);

    thread.where = where;
    thread.has_waited = false;
    if (releases)
        release(&cluster.tsan_sync[thread.arrivals % 2]);
    ++thread.arrivals;
    cluster.barrier = where;
    ++cluster.arrived;
    launch.complete_barrier(cluster);
    launch.maybe_preempt(thread);
}

void wait_for_cluster(site where)
{
    launch_state& launch = *current_launch;
    thread_state& thread = launch_state::running();
    cluster_state& cluster = *thread.parent->cluster;
    if (thread.has_waited)
        fail("divergence: " + name_of(thread) + " waits at its cluster's barrier and has not arrived", where,
             fault::divergence);
    thread.where = where;
    if (cluster.generation != thread.arrivals) {
        thread.status = thread_status::at_cluster_barrier;
        launch.suspend(thread);
    }
    thread.has_waited = true;
    acquire(&cluster.tsan_sync[(thread.arrivals - 1) % 2]);
}

void* shared_of_block(const void* shared, unsigned rank, site where)
{
    const launch_state& launch = *current_launch;
    const thread_state& thread = launch_state::running();
    const cluster_state& cluster = *thread.parent->cluster;
    const auto offset =
        static_cast<std::size_t>(static_cast<const char*>(shared) - static_cast<const char*>(thread.parent->shared));
    if (offset >= launch.shared_bytes())
        fail(name_of(thread) + " asks for an address that is not in its shared memory", where);
    if (rank >= cluster.count)
        fail(name_of(thread) + " asks for block " + std::to_string(rank) + " of a cluster of " +
                 std::to_string(cluster.count),
             where);
    if (rank != thread.block % cluster.count && thread.arrivals < (thread.has_waited ? 1u : 2u))
        fail(name_of(thread) +
                 " asks for the shared memory of a block that need not have started: it has not waited at a " +
                 "barrier of the cluster",
             where);
    if (cluster.blocks[rank]->live == 0)
        fail(name_of(thread) + " asks for the shared memory of block " + std::to_string(cluster.blocks[rank]->index) +
                 ", which has returned",
             where);
    return static_cast<char*>(cluster.blocks[rank]->shared) + offset;
}

}  // namespace parprims::detail::simt::executor
