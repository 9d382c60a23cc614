/// @file
/// @brief  Whole files, in and out. Errors are std::runtime_error, one line: `path: reason`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace samples {

/// @brief  The most that is read of a file, and the most that a picture may become: some input has no end, and a small
///         picture may claim to be a large one.
inline constexpr std::size_t most_input_gib = 1;
inline constexpr std::size_t most_input_bytes = most_input_gib << 30;

/// @brief  Every byte of `path`: a file, a device, a pipe. Refuses more than `most_input_bytes` before there is memory for it.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

/// @brief  Fails as read_file would, before the work. Does not open a pipe, whose writer would take that for the reading.
/// @param  most  that a file may have
void check_readable(const std::filesystem::path& path, std::uintmax_t most = most_input_bytes);

/// @brief  Whether what is written to one of two names, which may be links, takes the place of what the other one holds. Devices and
///         pipes hold nothing.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// @brief  What is to be in a file.
struct output_file {
    std::filesystem::path path;
    std::string content;
};

/// @brief  Fails as write_files would, before anything is worked out, and leaves nothing behind.
void check_writable(const std::vector<std::filesystem::path>& paths);

/// @brief  Writes all files or none: each beside its place first, and then moved there.
void write_files(const std::vector<output_file>& files);

/// @brief  Where this program is.
std::filesystem::path own_executable();

}  // namespace samples
