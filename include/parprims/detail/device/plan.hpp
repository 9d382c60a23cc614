/// @file
/// @brief  What every plan needs: checked launch configurations and the numbers of the GPU.
#pragma once

#include <parprims/device.hpp>
#include <parprims/error.hpp>
#include <parprims/launch_config.hpp>

#include <cstddef>
#include <string>

namespace parprims::detail::device {

/// What a plan depends on of a GPU. A plain value, so that plans are tested without one.
struct machine {
    unsigned multiprocessors = 132;
    unsigned threads_per_multiprocessor = 2048;
    std::size_t shared_bytes_per_block = 227 * 1024;
    std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
};

inline machine machine_of(const device_info& info)
{
    return {info.multiprocessors, info.max_threads_per_multiprocessor, info.shared_bytes_per_block,
            info.shared_bytes_per_multiprocessor};
}

inline void check_config(const char* function, bool holds, const char* field, std::size_t value, const char* limit)
{
    if (!holds)
        throw invalid_argument(function, std::string("config.") + field, std::to_string(value) + " is not " + limit);
}

/// The fields that every configuration has.
template <class Config>
void check_common_config(const char* function, const Config& config)
{
    check_config(function, config.block_threads >= 32 && config.block_threads <= 1024 && config.block_threads % 32 == 0,
                 "block_threads", config.block_threads, "a multiple of 32 from 32 to 1024");
    check_config(function, config.blocks_per_sm >= 1 && config.blocks_per_sm <= 32, "blocks_per_sm",
                 config.blocks_per_sm, "from 1 to 32");
}

constexpr bool is_power_of_two(std::size_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace parprims::detail::device
