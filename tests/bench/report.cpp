#include "report.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace bench {

namespace {

std::string line(const row& r)
{
    const char* verdict = !r.is_right ? "WRONG" : r.floor == 0 ? "" : r.holds() ? "ok" : "BELOW";
    return fmt::format("{:<44} {:>11} {:>10.1f} {:>12.1f} {:>7.2f} {:>7.2f} {:>8.0f}  {}", r.work, r.n, r.seconds * 1e6,
                       r.reference_seconds * 1e6, r.ratio(), r.floor, r.bytes / r.seconds * 1e-9, verdict);
}

}  // namespace

options parse(const std::string& title, int count, char** arguments)
{
    CLI::App app(title);
    options result;
    app.add_option("--json", result.json_file, "write the rows to this file");
    app.add_option("--log2", result.log2, "inputs of 2^N elements")->check(CLI::Range(10, 30));
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
    return result;
}

void report::add(row next)
{
    rows_.push_back(std::move(next));
    fmt::print(stderr, "{}\n", line(rows_.back()));
}

int report::finish(const std::string& json_file, const std::string& machine, const std::string& reference) const
{
    fmt::print("{}, beside {}\n", machine, reference);
    fmt::print("{:<44} {:>11} {:>10} {:>12} {:>7} {:>7} {:>8}\n", "work", "n", "us", "reference us", "ratio", "floor",
               "GB/s");
    nlohmann::json rows = nlohmann::json::array();
    for (const row& r : rows_) {
        fmt::print("{}\n", line(r));
        rows.push_back({{"work", r.work},
                        {"n", r.n},
                        {"us", r.seconds * 1e6},
                        {"reference_us", r.reference_seconds * 1e6},
                        {"ratio", r.ratio()},
                        {"floor", r.floor},
                        {"gbps", r.bytes / r.seconds * 1e-9},
                        {"right", r.is_right},
                        {"holds", r.holds()}});
    }
    if (!json_file.empty())
        std::ofstream(json_file) << nlohmann::json{{"machine", machine}, {"reference", reference}, {"rows", rows}}.dump(
                                        2)
                                 << '\n';
    return std::all_of(rows_.begin(), rows_.end(), [](const row& r) { return r.holds(); }) ? 0 : 1;
}

}  // namespace bench
