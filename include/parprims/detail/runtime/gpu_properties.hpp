/// @file
/// @brief  The properties of a GPU that plans depend on.
#pragma once

#include <cstddef>

namespace parprims::detail::runtime {

/// A plain value, so that plans can be tested without a GPU. The defaults are those of an H200.
struct gpu_properties {
    unsigned multiprocessors = 132;
    unsigned threads_per_multiprocessor = 2048;
    std::size_t shared_bytes_per_block = 227 * 1024;
    std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
    unsigned cluster_blocks = 8;  ///< of the largest portable cluster; 1: the GPU has no clusters
    int architecture = 90;        ///< as in device_info
};

}  // namespace parprims::detail::runtime
