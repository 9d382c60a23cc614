/// @file
/// @brief  The files of the sample `ranks` and its command line. Plain C++: what reads options and prints is not for nvcc.
#pragma once

#include "analysis.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ranks {

struct files {
    std::string data;
    std::string picture;
};

/// Reads the command line `program FILE PICTURE.svg` and calls `run`. What `main` returns; if not 0, a line on stderr says why.
int run_program(const std::string& program, int count, char** arguments, const std::function<void(const files&)>& run);

/// A wrong command line: the exit code is 2.
[[noreturn]] void refuse(const std::string& reason);

/// Tries both files before the work. Throws where one cannot be used, or where the picture would take the place of the data.
void check(const files& names);

/// The number of floats in a file, and some of them, all finite. Throw std::runtime_error.
std::size_t count_floats(const std::filesystem::path& file);
std::vector<float> read_floats(const std::filesystem::path& file, std::size_t begin, std::size_t end);

/// Prints the results with all their bits, and draws both curves to an SVG file.
void report(const summary& found, const curve& sums, const std::filesystem::path& picture);

}  // namespace ranks
