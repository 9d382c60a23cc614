/// @file
/// @brief  What the samples have in common on the command line and at the end: --json, progress.
#pragma once

#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/counts.hpp"
#include "support/files.hpp"
#include "support/sizes.hpp"
#include "support/stopwatch.hpp"
#include "support/table.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace samples {

/// @brief  Without a GPU, refuses sizes that would take hours lane by lane.
void check_sizes(const std::vector<std::size_t>& sizes, bool on_device);

/// @brief  The columns of what kernels did in the executor, between others.
std::vector<table::column> count_columns(std::vector<table::column> before, const std::vector<table::column>& after);
std::vector<cell> count_cells(std::vector<cell> before, const counts& did, const std::vector<cell>& after);

/// @brief  The times of primitives, with GB/s (1e9 bytes a second) and whether each result was checked.
table timings_table(const std::vector<timing>& timings);

/// @brief  What a sample says of its answer.
struct claim {
    std::string what;
    bool holds;
};

/// @brief  Prints the claims. If one does not hold, also says on stderr that nothing was written.
bool all_hold(const std::string& sample, const std::vector<claim>& claims);

/// @brief  The end of a sample: prints the claims and, if they hold, writes its report.
/// @param  path  FILE of --json; empty if there is none
/// @param  more  what else goes into the JSON
/// @return what `main` returns
int finish(const std::string& sample, const place& where, const std::vector<claim>& claims, const table& rows,
           const nlohmann::json& chart, const std::string& path, const nlohmann::json& more = nlohmann::json::object());

/// @brief  A sample that reads no files: adds --backend and --json, tries the file, and calls `run(where, json)`.
/// @return what `main` returns
template <class Run>
int run_sample(CLI::App& app, int argc, char** argv, Run run)
{
    std::string json;
    backend wish = backend::automatic;
    add_backend_option(app, wish);
    add_report_option(app, json);
    return run_program(app, argc, argv, [&] {
        const place where = choose_place(wish);
        check_files({}, {{"--json", json}});
        return run(where, json);
    });
}

/// @brief  The content of a JSON file: with U+FFFD for bytes of names that are no UTF-8.
template <class Json>
std::string json_text(const Json& json)
{
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// @brief  Writes the files that were asked for, and says so.
void write_report(const std::string& path, const std::string& json);
void write_and_say(const std::vector<output_file>& outputs);

/// @brief  One line on the standard error of a terminal: how far a sweep is. Gone at the end.
class progress {
public:
    explicit progress(std::size_t steps);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    void next(const std::string& what);

private:
    std::size_t steps_;
    std::size_t done_ = 0;
    bool is_shown_;
};

}  // namespace samples
