/// @file
/// @brief  Puts the accesses of a warp's lanes together again, and counts them.
///
/// Lanes run one by one, a warp of a GPU all at once. What they did at the same place in the source, each for the k-th
/// time since all of them last met, is taken for one access of the warp.
#pragma once

#include <executor/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parprims::detail::simt::executor {

/// An instruction: a kind of access at a place in the source.
struct place {
    site where;
    access what;
    bool is_shared;
    unsigned bytes;  // a lane

    bool operator==(const place& other) const
    {
        return where.line == other.where.line && where.file == other.where.file && what == other.what &&
               is_shared == other.is_shared && bytes == other.bytes;
    }
};

/// One access of a warp: who takes part, and each lane's address, or whether it takes the branch.
struct warp_access {
    std::uint64_t lanes = 0;
    std::uint64_t addresses[64];
};

/// What a warp did at one place since its lanes last met. Element k is each lane's k-th visit.
struct place_visits {
    std::vector<warp_access> accesses;
    unsigned visits[64] = {};  // by lane
};

/// What a warp did since its lanes last met, by the number of the place.
struct warp_tally {
    std::vector<place_visits> places;
};

class tally {
public:
    void note(warp_tally& warp, unsigned lane, const place& where, std::uint64_t address);
    /// The lanes of a warp have met: counts what they did before.
    void meet(warp_tally& warp, counters& counts);

private:
    std::size_t number_of(const place& where);

    std::vector<place> places_;
    std::size_t cache_[256] = {};  // numbers of places by a hash
};

}  // namespace parprims::detail::simt::executor
