/// @file
/// @brief  How the rows of a tuning table are chosen: by architecture, then by the size of a value.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// What an architecture was found to like.
template <class Config>
struct tuning_row {
    int architecture;         ///< from this compute capability on (major * 10 + minor)
    std::size_t value_bytes;  ///< from this size of a value on
    bool measured;            ///< false: chosen by reasoning, not yet run on such a GPU
    Config config;
};

/// The last row that asks for no more than both; the first for a GPU older than the table. Rows are sorted by architecture,
/// then by value size.
template <class Config, std::size_t Rows>
constexpr const Config& tuned(const tuning_row<Config> (&table)[Rows], int architecture, std::size_t value_bytes)
{
    const tuning_row<Config>* best = table;
    for (const auto& row : table)
        if (row.architecture <= architecture && row.value_bytes <= value_bytes)
            best = &row;
    return best->config;
}

}  // namespace parprims::detail::device
