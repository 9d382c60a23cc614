/// @file
/// @brief  What every plan needs: checked launch configurations and the numbers of the GPU.
#pragma once

#include <parprims/detail/launch_table.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <cstddef>

namespace parprims::detail::device {

using runtime::machine;
using runtime::machine_of;

inline void check_config(const char* function, bool holds, const char* field, std::size_t value, const char* limit)
{
    if (!holds)
        runtime::refuse_config(function, field, value, limit);
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
