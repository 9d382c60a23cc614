/// @file
/// @brief  The scans as the main program sees them, whatever runs the kernels. Plain C++.
#pragma once

#include "support/counts.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace scan_methods {

enum method { one_buffer, two_buffers, work_efficient, by_shuffles, reduce_then_scan, library, cub, method_count };

inline constexpr const char* names[] = {
    "Hillis-Steele, one buffer", "Hillis-Steele, two buffers", "Blelloch", "shuffles",
    "reduce, then scan",         "parprims, single pass",      "CUB"};

struct request {
    std::size_t n;
    unsigned block;  ///< threads: a power of two
};

struct result {
    bool is_right = false;
    double seconds = 0;  ///< of all kernels, by events; 0 in the executor
    samples::counts did;
    std::uint64_t additions = 0;  ///< in the executor
    std::uint64_t steps = 0;      ///< in the executor; 0: not counted
};

class engine {
public:
    virtual ~engine() = default;
    virtual bool has(method which) const = 0;
    virtual result run(method which, const request& what) = 0;
    /// Of the card's memory; 0 where there is none.
    virtual double peak_bytes_per_second() const = 0;
};

enum class value_type { int32, float32 };

std::unique_ptr<engine> make_executor_engine(value_type type);
std::unique_ptr<engine> make_gpu_engine(value_type type);  // in builds with CUDA

}  // namespace scan_methods
