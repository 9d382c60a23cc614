#include "support/report.hpp"

#include "support/files.hpp"
#include "support/text.hpp"

#include <parprims/version.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace samples {

void check_sizes(const std::vector<std::size_t>& sizes, bool on_device)
{
    constexpr std::size_t most = std::size_t{1} << 24;
    for (const std::size_t n : sizes)
        if (!on_device && n > most)
            throw CLI::ValidationError("--sizes", fmt::format("{} is more than the CPU plays lane by lane: at most {}",
                                                              format_size(n), format_size(most)));
}

std::vector<table::column> count_columns(std::vector<table::column> before, const std::vector<table::column>& after)
{
    before.insert(before.end(), {{"launches", "launches"},
                                 {"barriers", "barriers"},
                                 {"transactions", "transactions"},
                                 {"bank conflicts", "bank_conflicts"},
                                 {"divergent", "divergent_branches"},
                                 {"warp ops", "warp_operations"},
                                 {"lanes of 32", "active_lanes"},
                                 {"global atomics", "global_atomics"},
                                 {"shared atomics", "shared_atomics"},
                                 {"atomic passes", "atomic_passes"}});
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

std::vector<cell> count_cells(std::vector<cell> before, const counts& did, const std::vector<cell>& after)
{
    before.insert(before.end(), {did.launches,
                                 did.barriers,
                                 did.transactions,
                                 did.bank_conflicts,
                                 did.divergent_branches,
                                 did.warp_operations,
                                 {did.active_lanes(), "{:.1f}"},
                                 did.global_atomics,
                                 did.shared_atomics,
                                 did.atomic_passes});
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

table timings_table(const std::vector<timing>& timings)
{
    table rows({{"primitive", "primitive"},
                {"gives", "gives"},
                {"elements", "elements", false},
                {"time", "seconds"},
                {"GB/s", "gigabytes_per_second"},
                {"checked", "checked"}});
    for (const timing& each : timings) {
        const bool has_rate = each.bytes != 0 && each.seconds > 0;
        const double rate = has_rate ? static_cast<double>(each.bytes) / each.seconds / 1e9 : 0;
        rows.add({each.primitive, each.gives, each.elements, seconds_of(each.seconds),
                  has_rate ? cell(rate, "{:.3f}") : nothing, each.checked});
    }
    return rows;
}

bool all_hold(const std::string& sample, const std::vector<claim>& claims)
{
    for (const claim& each : claims)
        fmt::print("  {:<8} {}\n", each.holds ? "ok" : "WRONG", each.what);
    fmt::print("\n");
    const bool all = std::ranges::all_of(claims, &claim::holds);
    if (!all)
        fmt::print(stderr, "{}: the result is wrong; nothing was written\n", sample);
    return all;
}

int finish(const std::string& sample, const place& where, const std::vector<claim>& claims, const table& rows,
           const nlohmann::json& chart, const std::string& path, const nlohmann::json& more)
{
    if (!all_hold(sample, claims))
        return 1;
    nlohmann::json json{{"sample", sample},
                        {"machine", where.name},
                        {"order_contract", parprims::order_contract_version},
                        {"rows", rows.to_json()},
                        {"chart", chart}};
    json.update(more);
    write_report(path, json_text(json));
    return 0;
}

void write_report(const std::string& path, const std::string& json)
{
    if (!path.empty())
        write_and_say({{path, json}});
}

void write_and_say(const std::vector<output_file>& outputs)
{
    write_files(outputs);
    for (const output_file& file : outputs)
        fmt::print("  wrote {}\n", printable(file.path.string()));
}

progress::progress(std::size_t steps) : steps_(steps), is_shown_(isatty(STDERR_FILENO) == 1) {}

progress::~progress()
{
    if (is_shown_)
        fmt::print(stderr, "\r\033[K");
}

void progress::next(const std::string& what)
{
    ++done_;
    if (is_shown_) {
        fmt::print(stderr, "\r\033[K  {} of {}: {}", done_, steps_, what);
        std::fflush(stderr);
    }
}

}  // namespace samples
