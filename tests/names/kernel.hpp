/// @file
/// @brief  A kernel of users' own values that makes every call of parprims/simt: see names.py.
#pragma once

#include "calls.hpp"

#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;
using users_value = hostile::value<int, 4>;

namespace hostile {

struct users_kernel {
    struct shared_storage {
        simt::shared_array<users_value, 32> values;
        simt::packet<8> packets[32];
    };
    simt::global<const users_value> in;
    simt::global<users_value> out;
    unsigned* count;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        shared.values[t] = in[t];
        block.sync();
        const users_value read = shared.values[t];
        const simt::lane_mask some = simt::ballot(read < simt::shuffle(read, 0));
        if (simt::branch(simt::count_lanes(some) < simt::warp_size))
            simt::store(out.data, t, simt::shuffle_down(simt::shuffle_up(read, 1), 1));
        simt::sync_warp();
        simt::copy_async(shared.packets + t, reinterpret_cast<const simt::packet<8>*>(in.data) + t);
        simt::commit_copies();
        simt::wait_copies<0>();
        simt::packet<8> packet = simt::load(shared.packets, t);
        simt::set_element(packet, 0, simt::element<users_value>(packet, 0));
        simt::store(reinterpret_cast<simt::packet<8>*>(out.data), t, packet);
        simt::atomic_add(count, 1u);
        simt::atomic_add_acq_rel(count, 1);
        while (simt::atomic_load(count) == 0)
            simt::pause();
        simt::atomic_store(count, 0u);
    }
};

}  // namespace hostile
