/// @file
/// @brief  What a plan depends on of a GPU.
#pragma once

#include <cstddef>

namespace parprims::detail::runtime {

/// A plain value, so that plans are tested without a GPU.
struct machine {
    unsigned multiprocessors = 132;
    unsigned threads_per_multiprocessor = 2048;
    std::size_t shared_bytes_per_block = 227 * 1024;
    std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
    unsigned cluster_blocks = 8;  ///< that every GPU with clusters can have; 1: it has none
    int architecture = 90;        ///< as in device_info
};

}  // namespace parprims::detail::runtime
