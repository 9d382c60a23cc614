// What the bytes of a file are like, by the three primitives.
//
// You see how often each of the 256 values occurs (histogram), how the counts add up (inclusive_scan), the smallest and
// the largest byte (reduce), the mean and the entropy (transform_reduce); how long each primitive took, from the call
// until the result was there; and that each result is that of a plain loop. statistics.cpp is where parprims works.
//
//   describe                        its own executable, and a text
//   describe FILE... --json OUT     any files, and the numbers in a file, which samples/plot.py draws
#include "describe/report.hpp"
#include "describe/statistics.hpp"
#include "support/backend.hpp"
#include "support/files.hpp"
#include "support/report.hpp"

#include <parprims/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace {

/// Files that every machine has: this program, and a text.
std::vector<std::string> default_files()
{
    std::vector<std::string> files{samples::own_executable()};
    for (const char* text : {"/usr/share/common-licenses/GPL-3", "/etc/services", "/etc/os-release"})
        if (std::filesystem::is_regular_file(text)) {
            files.emplace_back(text);
            break;
        }
    return files;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Describes the bytes of files: histogram, cumulative distribution, minimum, maximum, mean, entropy.",
                 "describe");
    std::vector<std::string> files;
    std::string output;
    samples::backend wish = samples::backend::automatic;
    app.add_option("FILE", files, "the files (default: this program, and a text)")->type_name("");
    samples::add_backend_option(app, wish);
    samples::add_report_option(app, output);

    return samples::run_program(app, argc, argv, [&] {
        const samples::place where = samples::choose_place(wish);
        if (std::ranges::count(files, "") != 0)
            throw CLI::ValidationError("FILE", "no file has an empty name");
        if (files.empty())
            files = default_files();
        samples::check_files({files.begin(), files.end()}, {{"--json", output}});
        fmt::print("describe runs on the {}, order contract {}\n", where.name, parprims::order_contract_version);

        nlohmann::ordered_json json{{"backend", where.on_device ? "device" : "host"},
                                    {"runs_on", where.name},
                                    {"order_contract", parprims::order_contract_version}};
        bool all_checked = true;
        for (const std::string& file : files) {
            const measured_statistics measured = measure(samples::read_file(file), where);
            print_report(file, measured);
            json["files"].push_back(report_as_json(file, measured));
            all_checked = all_checked && measured.checked();
        }
        if (!all_checked) {
            fmt::print(stderr, "describe: a result is not that of the plain loop; nothing was written\n");
            return 1;
        }
        fmt::print("\n");
        samples::write_report(output, samples::json_text(json));
        return 0;
    });
}
