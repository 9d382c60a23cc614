/// @file
/// @brief  Pictures of what the warps of a kernel asked of memory: which lane touches which bank of shared memory, or which sector.
#pragma once

#include "support/request_rows.hpp"

#include <parprims/simt/executor.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace samples {

/// A request of a warp, and what it costs: passes of the banks, or sectors of 32 bytes.
struct seen_request {
    parprims::executor::access what;
    bool is_shared;
    unsigned bytes;
    std::uint64_t lanes;
    std::uint64_t addresses[32];
    unsigned line;
    std::string file;
    std::size_t block;
    unsigned warp;
    unsigned cost;
    unsigned least;      ///< what the same lanes would cost with neighbouring addresses
    unsigned count = 1;  ///< requests at this line
};

/// Keeps the most expensive request of each line. `executor::options::requests` points to it.
class request_log : public parprims::executor::request_observer {
public:
    void saw(const parprims::executor::request& what) override;

    /// In the order in which they were first seen.
    const std::vector<seen_request>& worst_of_lines() const { return worst_; }

private:
    std::vector<seen_request> worst_;
};

/// One line: `line 31, reads shared memory: 16 passes; lanes 0, 16 meet in bank 0`.
std::string to_text(const seen_request& request);

/// A row of a picture of requests. Lanes are above, banks or sectors below; where several words of one bank are asked for, the bank and
/// the lines to it are red.
std::string row_of(const seen_request& request, const std::string& title = "");

/// The request that costs most beside the least that it could; of equals, an atomic operation, or one that reads shared memory. There must be one.
const seen_request& costliest(const std::vector<seen_request>& requests);

/// A picture of all of them.
std::string to_svg(const std::string& title, const std::vector<seen_request>& requests);

}  // namespace samples
