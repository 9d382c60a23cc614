/// @file
/// @brief  A column of numbers from a file of comma-separated values.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

struct csv_column {
    std::string name;
    std::vector<double> values;
    std::size_t empty = 0;  ///< cells with nothing in them
};

/// Column `which` of a file: a name in its first line, or a number from 1 on. Cells may be in quotes.
/// @throws std::runtime_error  `path: reason`: no such column, or a cell that is no finite number, with its line
csv_column read_csv_column(const std::filesystem::path& path, const std::string& which, char separator);
