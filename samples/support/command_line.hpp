/// @file
/// @brief  What the command lines of the samples have in common, and those of the benches: options, files, errors, exit codes.
///
/// Exit codes: 0 the answer is there and was checked, 1 it is not (one line on stderr says why), 2 a wrong command line.
#pragma once

#include "support/files.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace samples {

/// @brief  An option that takes the name of a file.
CLI::Option* add_file_option(CLI::App& app, const std::string& name, std::string& path, const std::string& help);

/// @brief  --json FILE
void add_report_option(CLI::App& app, std::string& json);

/// @brief  An option that takes sizes, as `--sizes 2^8..2^31`.
CLI::Option* add_sizes_option(CLI::App& app, const std::string& name, std::vector<std::size_t>& sizes,
                              const std::string& help);

/// @brief  An option that takes numbers from 0 to `most`, as `--steps 0..8` or `--steps 3,7`.
CLI::Option* add_numbers_option(CLI::App& app, const std::string& name, std::vector<int>& numbers, int most,
                                const std::string& help);

/// @brief  A file that a sample writes.
struct output_name {
    std::string option;              ///< that names it
    std::filesystem::path path;      ///< empty: not asked for
    bool may_replace_input = false;  ///< one of the same name, which is no mistake then
    bool makes_folder = false;       ///< the sample makes the folder of the file where there is none
};

/// @brief  Tries all files of a command line before the work: every sample calls this, once, with all of them.
/// @param  inputs  with empty names for those that were not asked for
/// @param  most    bytes of an input
/// @throws CLI::ValidationError  an output that is an input as well, by this or another name, or another output, or what the
///                               standard output is written to
/// @throws std::runtime_error    `path: reason`: an input that cannot be read, an output that cannot be written
void check_files(const std::vector<std::filesystem::path>& inputs, const std::vector<output_name>& outputs,
                 std::uintmax_t most = most_input_bytes);

/// @brief  Whether there is a standard output. If not, a file that is opened would take its place: says so on stderr.
bool is_output_open(const std::string& program);

/// @brief  Whether all that was printed is written. If not, says so on stderr.
bool flush_output(const std::string& program);

/// @brief  The exit code of `run`, or of what it threw, with one line on stderr.
int exit_code_of(CLI::App& app, const std::function<int()>& run);

/// @brief  Parses the command line and calls `run`, which returns the exit code. Output that cannot be written is a failure.
int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run);

}  // namespace samples
