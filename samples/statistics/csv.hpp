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
    std::size_t empty = 0;   ///< cells with nothing in them
    bool has_names = false;  ///< whether the first line was taken as names
};

/// Whether the first line is names. Found out: it is where the cell of the column there is text, or any text there stands
/// above a number. Empty cells say nothing.
enum class header { automatic, yes, no };

/// Column `which` of a file: its number from 1 on, or else its name in the first line. Cells may be in quotes.
/// @throws std::runtime_error  `path: reason`: no such column, or a cell that is no finite number, with its line
csv_column read_csv_column(const std::filesystem::path& path, const std::string& which, char separator,
                           header first_line);
