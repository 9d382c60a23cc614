/// @file
/// @brief  Combines the accesses of lanes into accesses of their warp, and counts these.
///
/// On the executor the lanes of a warp run one by one, on a GPU together. The accesses at the same place in the source that
/// each lane makes for the k-th time since the warp last synchronised count as one access of the warp.
#pragma once

#include <parprims/detail/executor/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parprims::detail::simt::executor {

struct block_state;

/// An instruction: a kind of access at a place in the source.
struct instruction {
    site where;
    access what;
    bool is_shared;
    unsigned bytes;  // of a lane

    bool operator==(const instruction& other) const
    {
        return where.line == other.where.line && where.file == other.where.file && what == other.what &&
               is_shared == other.is_shared && bytes == other.bytes;
    }
};

/// One access of a warp: the participating lanes, and each lane's address (of a branch: whether the lane takes it).
struct warp_access {
    std::uint64_t lanes = 0;
    std::uint64_t addresses[64];
};

/// The accesses of a warp at one instruction since its lanes last synchronised. Element k is each lane's k-th.
struct instruction_visits {
    std::vector<warp_access> accesses;
    unsigned visits[64] = {};  // by lane
};

/// The accesses of a warp since its lanes last synchronised, by number of the instruction.
struct warp_accesses {
    std::vector<instruction_visits> instructions;
};

class access_log {
public:
    void record(warp_accesses& warp, unsigned lane, const instruction& at, std::uint64_t address);
    /// The lanes of a warp have synchronised: adds their accesses to `counts` and clears them.
    void reconverge(block_state& block, unsigned warp, statistics& counts);

private:
    std::size_t number_of(const instruction& at);

    std::vector<instruction> instructions_;
    std::size_t cache_[256] = {};  // numbers of instructions, by a hash
};

}  // namespace parprims::detail::simt::executor
