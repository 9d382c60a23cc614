#include "report.hpp"

#include "bench_commit.hpp"

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/sizes.hpp"
#include "support/table.hpp"

#include <parprims/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <utility>

namespace bench {

namespace {

samples::table table_of(const std::vector<row>& rows)
{
    samples::table result({{"work", "work"},
                           {"n", "n"},
                           {"us", "us"},
                           {"reference us", "reference_us"},
                           {"ratio", "ratio"},
                           {"GB/s", "gbps"},
                           {"", "verdict"}});
    const auto number = [](bool exists, double value, const char* format) {
        return exists ? samples::cell(value, format) : samples::nothing;
    };
    for (const row& r : rows) {
        const bool is_beside = !r.reference.empty();
        std::string verdict = !r.is_right ? "WRONG" : r.floor == 0 ? "" : r.holds() ? "ok" : "BELOW";
        if (r.cpu_seconds > 0 && is_beside)
            verdict += fmt::format(" cpu {:.2f}", r.reference_cpu_seconds / r.cpu_seconds);
        result.add({r.series(),
                    samples::size_of(r.n),
                    {r.seconds * 1e6, "{:.2f}"},
                    number(is_beside, r.reference_seconds * 1e6, "{:.2f}"),
                    number(is_beside, r.ratio(), "{:.2f}"),
                    number(r.bytes > 0, r.bytes / r.seconds * 1e-9, "{:.0f}"),
                    verdict});
    }
    return result;
}

/// The first line that a command prints; empty where it cannot be run.
std::string first_line(const char* command)
{
    std::string result;
    std::FILE* const pipe = popen(command, "r");
    if (pipe == nullptr)
        return result;
    std::array<char, 256> text{};
    if (std::fgets(text.data(), static_cast<int>(text.size()), pipe) != nullptr)
        result = text.data();
    pclose(pipe);
    while (!result.empty() && (result.back() == '\n' || result.back() == ' '))
        result.pop_back();
    return result;
}

nlohmann::json as_json(const row& r)
{
    nlohmann::json result{{"work", r.work}, {"type", r.type},   {"variant", r.variant},  {"how", r.how},
                          {"n", r.n},       {"bytes", r.bytes}, {"us", r.seconds * 1e6}, {"right", r.is_right}};
    if (!r.reference.empty())
        result.update({{"reference", r.reference}, {"reference_us", r.reference_seconds * 1e6}, {"ratio", r.ratio()}});
    if (r.bytes > 0)
        result["gbps"] = r.bytes / r.seconds * 1e-9;
    if (r.scratch_bytes > 0)
        result["scratch_bytes"] = r.scratch_bytes;
    if (r.operations > 0)
        result["tflops"] = r.operations / r.seconds * 1e-12;
    if (r.floor > 0)
        result.update({{"floor", r.floor}, {"holds", r.holds()}});
    if (r.bins > 0)
        result.update({{"bins", r.bins}, {"spread", r.spread}});
    if (r.cpu_seconds > 0)
        result.update({{"cpu_us", r.cpu_seconds * 1e6}, {"reference_cpu_us", r.reference_cpu_seconds * 1e6}});
    return result;
}

}  // namespace

bool options::wants(std::string_view group) const
{
    return only.empty() || std::find(only.begin(), only.end(), group) != only.end();
}

options parse(const std::string& title, int count, char** arguments, options defaults,
              const std::vector<group_name>& groups)
{
    options result = std::move(defaults);
    const std::string program = arguments[0];
    result.command = program.substr(program.rfind('/') + 1);
    CLI::App app(title, result.command);
    if (!groups.empty())
        samples::add_file_option(app, "--json", result.json_file, "writes the rows as JSON");
    std::vector<std::size_t> largest{std::size_t{1} << result.log2};
    samples::add_sizes_option(app, "--size", largest,
                              fmt::format("of the largest inputs, a power of two (default: {})",
                                          samples::format_size(largest.front())));
    if (!groups.empty()) {
        std::vector<std::string> names;
        std::string help = "measure these groups alone, with commas between:";
        for (const group_name& group : groups) {
            names.push_back(group.name);
            help += fmt::format("\n{}: {}", group.name, group.what);
        }
        app.add_option("--only", result.only, help)->delimiter(',')->check(CLI::IsMember(names));
        app.add_flag("--quick", result.quick,
                     "few sizes of at most 2^22 elements and few rounds: does it run, is it right");
    }
    if (result.threads != 0) {
        app.add_option("--threads", result.threads, fmt::format("of the CPU (default: {})", result.threads))
            ->check(CLI::Range(1, 4096));
        app.add_option("--repeats", result.repeats, fmt::format("turns of each (default: {})", result.repeats))
            ->check(CLI::Range(1, 1000));
    }
    bool is_parsed = false;
    const int code = samples::exit_code_of(app, [&] {
        app.parse(count, arguments);
        if (largest.size() != 1 || !std::has_single_bit(largest.front()) || largest.front() < 256 ||
            largest.front() > std::size_t{1} << 30)
            throw CLI::ValidationError("--size", "is one power of two from 2^8 to 2^30");
        samples::check_files({}, {{"--json", result.json_file}});  // before minutes of measuring
        is_parsed = true;
        return 0;
    });
    if (!is_parsed)
        std::exit(code);
    for (int i = 1; i < count; ++i)
        result.command += fmt::format(" {}", arguments[i]);
    result.log2 = static_cast<unsigned>(std::countr_zero(largest.front()));
    if (result.quick)
        result.log2 = std::min(result.log2, 22u);
    return result;
}

std::string row::series() const
{
    std::string result = fmt::format("{} {}", work, type);
    if (bins > 0)
        result += fmt::format(", {} bins, {}", bins, spread);
    if (!variant.empty())
        result += ", " + variant;
    result += ", " + how;
    return reference.empty() ? result : result + " (" + reference + ")";
}

report::report(std::string bench, options asked, machine where)
    : bench_(std::move(bench)), asked_(std::move(asked)), where_(std::move(where)),
      date_(fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))))
{
    if (!where_.card.empty())
        driver_ = first_line("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null");
}

void report::add(row next)
{
    if (!rows_.empty() && rows_.back().series() != next.series())
        show_series();
    rows_.push_back(std::move(next));
}

void report::show_series()
{
    if (shown_ == rows_.size())
        return;
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(shown_);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
    std::string text = fmt::format("{:6.1f} s  {:<72}", elapsed.count(), first->series());
    if (!first->reference.empty()) {
        const auto [low, high] =
            std::minmax_element(first, rows_.end(), [](const row& a, const row& b) { return a.ratio() < b.ratio(); });
        text += fmt::format(" {:.2f} ({})", low->ratio(), samples::format_size(low->n));
        if (low != high)
            text += fmt::format(" to {:.2f} ({})", high->ratio(), samples::format_size(high->n));
    }
    if (!std::all_of(first, rows_.end(), [](const row& r) { return r.is_right; }))
        text += "  WRONG";
    fmt::print(stderr, "{}\n", text);
    for (; shown_ < rows_.size(); ++shown_)
        shown_json_ += fmt::format("{}\n  {}", shown_ == 0 ? "" : ",", as_json(rows_[shown_]).dump());
    write(false);
}

void report::fail(const std::string& why)
{
    show_series();
    failures_.push_back(why);
    fmt::print(stderr, "FAILED: {}\n", why);
}

int report::finish()
{
    show_series();
    const std::string versions = where_.card.empty()
                                     ? samples::cpu_name()
                                     : fmt::format("{}, driver {}, CUDA {}", where_.card, driver_, where_.cuda);
    fmt::print("{}, beside {}; {}, commit {}, order contract {}\n", versions, where_.beside, date_, commit,
               parprims::order_contract_version);
    table_of(rows_).print();
    for (const std::string& why : failures_)
        fmt::print("FAILED: {}\n", why);
    const bool all_hold = std::all_of(rows_.begin(), rows_.end(), [](const row& r) { return r.holds(); });
    return write(true) && all_hold && failures_.empty() ? 0 : 1;
}

bool report::write(bool is_complete) const
{
    if (asked_.json_file.empty())
        return true;
    const nlohmann::json head{{"format", "parprims bench 1"},
                              {"bench", bench_},
                              {"complete", is_complete},
                              {"card", where_.card},
                              {"driver", driver_},
                              {"cuda", where_.cuda},
                              {"cpu", samples::cpu_name()},
                              {"compiler", "g++ " __VERSION__},
                              {"beside", where_.beside},
                              {"date", date_},
                              {"commit", commit},
                              {"order_contract", parprims::order_contract_version},
                              {"failures", failures_},
                              {"command", asked_.command}};
    std::string text = head.dump(1);
    text.replace(text.rfind('\n'), 2, fmt::format(",\n \"rows\": [{}\n ]\n}}\n", shown_json_));
    try {
        samples::write_files({{asked_.json_file, text}});  // the file is whole at any time
        return true;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return false;
    }
}

}  // namespace bench
