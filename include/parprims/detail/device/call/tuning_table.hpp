/// @file
/// @brief  Tuning tables: the row of a call is selected by architecture, then by the size of a value.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// A configuration for an architecture and a size of values.
template <class Config>
struct tuning_row {
    int architecture;         ///< from this compute capability on (major * 10 + minor)
    std::size_t value_bytes;  ///< from this size of a value on
    bool measured;            ///< on such a GPU; false: an estimate
    Config config;
};

/// The last row whose architecture and value size do not exceed the given ones; the first row if there is none. Rows are sorted
/// by architecture, then by value size.
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
