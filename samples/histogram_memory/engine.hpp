/// @file
/// @brief  The histogram as the main program sees it, whatever runs the kernels. Plain C++.
#pragma once

#include "support/counts.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace histogram_memory {

enum method { global_atomics, shared_atomics, replicated, library, cub, method_count };

inline constexpr const char* names[] = {"global atomics", "shared atomics", "shared, replicated", "parprims::histogram",
                                        "CUB"};

struct request {
    std::size_t n;
    std::uint32_t bins;
    bool by_range;
    bool is_skewed;
    unsigned block;
    std::size_t grid;  ///< at most
};

struct result {
    std::vector<std::uint32_t> counts;
    double seconds = 0;   ///< of the kernels and of setting the counters to zero, by events; 0 in the executor
    samples::counts did;  ///< in the executor
    std::string costliest_request;  ///< in the executor: a row of a picture, see support/request_rows.hpp
};

class engine {
public:
    virtual ~engine() = default;
    virtual bool has(method which, const request& what) const = 0;
    virtual result run(method which, const request& what) = 0;
    /// Of the card's memory; 0 where there is none.
    virtual double peak_bytes_per_second() const = 0;
};

std::unique_ptr<engine> make_executor_engine();
std::unique_ptr<engine> make_gpu_engine();  // in builds with CUDA

/// The answer, by plain loops on all cores.
std::vector<std::uint32_t> expected_counts(const request& what);

}  // namespace histogram_memory
