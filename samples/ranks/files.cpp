/// @file
/// @brief  The command line of the sample `ranks`, and its file of floats.
#include "files.hpp"

#include "support/command_line.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace ranks {

int run_program(const std::string& program, int count, char** arguments, const std::function<void(const files&)>& run)
{
    CLI::App app("Mean, extremes, histogram and running sums of a file of floats, over several ranks.", program);
    files names;
    samples::add_file_option(app, "FILE", names.data, fmt::format("at least {} floats, without a header", points))
        ->type_name("")
        ->required();
    samples::add_file_option(app, "PICTURE.svg", names.picture, "the histogram and the running sums")
        ->type_name("")
        ->required();
    return samples::run_program(app, count, arguments, [&] {
        run(names);
        return 0;
    });
}

void refuse(const std::string& reason)
{
    throw CLI::ValidationError(reason);
}

void check(const files& names)
{
    constexpr auto no_limit = std::numeric_limits<std::uintmax_t>::max();  // a rank reads its slice
    samples::check_files({names.data}, {{"PICTURE.svg", names.picture}}, no_limit);
    count_floats(names.data);
}

std::size_t count_floats(const std::filesystem::path& file)
{
    std::error_code error;
    const std::size_t bytes = std::filesystem::file_size(file, error);
    if (error || bytes % sizeof(float) != 0 || bytes < points * sizeof(float))
        throw std::runtime_error(
            fmt::format("{}: must be a file of at least {} floats and nothing else", file.string(), points));
    return bytes / sizeof(float);
}

std::vector<float> read_floats(const std::filesystem::path& file, std::size_t begin, std::size_t end)
{
    std::vector<float> values(end - begin);
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(begin * sizeof(float)));
    in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
    if (!in)
        throw std::runtime_error(file.string() + ": cannot be read");
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))  // there is no histogram between such extremes
            throw std::runtime_error(
                fmt::format("{}: float {} is {}, not finite", file.string(), begin + i, values[i]));
    return values;
}

}  // namespace ranks
