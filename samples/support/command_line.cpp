#include "support/command_line.hpp"

#include "support/sizes.hpp"
#include "support/text.hpp"

#include <parprims/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>

namespace samples {

namespace {

namespace fs = std::filesystem;

bool is_same_name(const fs::path& one, const fs::path& other)
{
    return fs::absolute(one).lexically_normal() == fs::absolute(other).lexically_normal();
}

/// Refuses an output that would take the place of an input, or of what was written before.
void check_spares(const output_name& output, const std::vector<fs::path>& inputs, const std::vector<fs::path>& written)
{
    for (const fs::path& input : inputs)
        if (is_same_file(input, output.path) && !(output.may_replace_input && is_same_name(input, output.path)))
            throw CLI::ValidationError(output.option,
                                       fmt::format("{} is read, and would be overwritten", output.path.string()));
    for (const fs::path& other : written)
        if (is_same_file(other, output.path))
            throw CLI::ValidationError(output.option, fmt::format("{} is written already", output.path.string()));
}

}  // namespace

CLI::Option* add_file_option(CLI::App& app, const std::string& name, std::string& path, const std::string& help)
{
    const auto set = [&path, name](const std::string& text) {
        if (text.empty())
            throw CLI::ValidationError(name, "no file has an empty name");
        path = text;
    };
    return app.add_option_function<std::string>(name, set, help)->type_name("FILE");
}

void add_report_option(CLI::App& app, std::string& json)
{
    add_file_option(app, "--json", json, "writes the numbers as JSON; samples/plot.py draws them");
}

CLI::Option* add_sizes_option(CLI::App& app, const std::string& name, std::vector<std::size_t>& sizes,
                              const std::string& help)
{
    const auto parse = [&sizes, name](const std::string& text) {
        try {
            sizes = parse_sizes(text);
        } catch (const std::invalid_argument& error) {
            throw CLI::ValidationError(name, error.what());
        }
    };
    return app.add_option_function<std::string>(name, parse, help)->type_name("SIZES");
}

CLI::Option* add_numbers_option(CLI::App& app, const std::string& name, std::vector<int>& numbers, int most,
                                const std::string& help)
{
    const auto parse = [&numbers, name, most](const std::string& text) {
        numbers.clear();
        for (const std::string& part : CLI::detail::split(text, ',')) {
            const auto dots = part.find("..");
            int first = -1, last = -1;
            const bool is_read =
                CLI::detail::lexical_cast(part.substr(0, dots), first) &&
                CLI::detail::lexical_cast(dots == std::string::npos ? part : part.substr(dots + 2), last);
            if (!is_read || first < 0 || last < first || last > most)
                throw CLI::ValidationError(name, fmt::format("'{}' is no number or range from 0 to {}", part, most));
            for (int number = first; number <= last; ++number) {
                if (std::ranges::count(numbers, number) != 0)
                    throw CLI::ValidationError(name, fmt::format("{} is there twice", number));
                numbers.push_back(number);
            }
        }
    };
    return app.add_option_function<std::string>(name, parse, help)->type_name("NUMBERS");
}

void check_files(const std::vector<fs::path>& inputs, const std::vector<output_name>& outputs, std::uintmax_t most)
{
    std::vector<fs::path> read = inputs, written{"/dev/stdout"}, tried, folders;
    std::erase(read, fs::path());
    for (const output_name& output : outputs) {
        if (output.path.empty())
            continue;
        check_spares(output, read, written);
        written.push_back(output.path);
        const fs::path folder = fs::absolute(output.path).parent_path();
        if (output.makes_folder && !fs::exists(folder))
            folders.push_back(folder);
        if (std::ranges::none_of(folders, [&](const fs::path& made) { return is_same_name(made, folder); }))
            tried.push_back(output.path);
    }
    for (const fs::path& input : read)
        check_readable(input, most);
    tried.insert(tried.end(), folders.begin(),
                 folders.end());  // where a file can be made, so can a folder, and files in it
    check_writable(tried);
}

bool is_output_open(const std::string& program)
{
    if (fcntl(STDOUT_FILENO, F_GETFD) != -1)
        return true;
    fmt::print(stderr, "{}: the output cannot be written\n", program);
    return false;
}

bool flush_output(const std::string& program)
{
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::cout.good() && std::ferror(stdout) == 0)
        return true;
    fmt::print(stderr, "{}: the output cannot be written\n", program);  // why, the write that failed has not kept
    return false;
}

int exit_code_of(CLI::App& app, const std::function<int()>& run)
{
    const auto explain = [&app](const char* reason) {  // one line, whatever a file is called
        fmt::print(stderr, "{}: {}\n", app.get_name(), printable(reason));
        return 1;
    };
    try {
        return run();
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "{}: {} (see {} --help)\n", app.get_name(), printable(error.what()), app.get_name());
        return 2;
    } catch (const parprims::out_of_memory& error) {
        return explain(error.what());
    } catch (const std::bad_alloc&) {
        return explain("this takes more memory than there is");
    } catch (const std::length_error&) {  // more than a vector holds
        return explain("this takes more memory than there is");
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) != 0)  // more than fits a buffer
            return explain("the output cannot be written");
        return explain(error.what());
    } catch (const std::exception& error) {
        return explain(error.what());
    }
}

int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run)
{
    if (!is_output_open(app.get_name()))
        return 1;
    const int code = exit_code_of(app, [&] {
        app.parse(argc, argv);
        return run();
    });
    return code == 0 && !flush_output(app.get_name()) ? 1 : code;
}

}  // namespace samples
