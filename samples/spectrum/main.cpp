// How does one measure what almost never happens?
//
// The flux of cosmic rays falls as E^-2.7: of a million particles above 1 GeV, hardly one has more than 3 TeV. A plain simulation
// draws energies as nature does, and has no events where the spectrum ends. The other one draws as many events in each decade of
// energy, and gives each the weight by which nature has fewer: so each bin has events. The sum of the squares of the weights says
// how far a bin may be off, and the error bars are checked: both spectra have to agree with the integral of the flux.
//
//   spectrum --events 100000 --seed 7 --json FILE   samples/plot.py draws FILE: both spectra with their error bars
#include "spectrum/spectrum.hpp"
#include "support/chart.hpp"
#include "support/command_line.hpp"
#include "support/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

constexpr double slope = 1.7;  // of the flux above an energy

/// Number `i` of a sequence, from 0 to 1 without 1 (splitmix64, Steele et al.).
double random(std::uint64_t seed, std::uint64_t i)
{
    std::uint64_t x = (seed << 40) + (i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53;
}

/// The share of all particles between 1 GeV and 10^x GeV.
double share_below(double x)
{
    return (1 - std::pow(10, -slope * x)) / (1 - std::pow(10, -slope * decades));
}

/// Energies as nature has them. All weights are the same.
events plain(std::size_t n, std::uint64_t seed)
{
    events seen{std::vector<float>(n), std::vector<double>(n, 1 / static_cast<double>(n))};
    for (std::size_t i = 0; i < n; ++i)
        seen.log_energies[i] =
            static_cast<float>(-std::log10(1 - random(seed, i) * (1 - std::pow(10, -slope * decades))) / slope);
    return seen;
}

/// As many events in each decade. The weight of an event is the density of nature over that of the draw.
events weighted(std::size_t n, std::uint64_t seed)
{
    const double scale = slope * std::log(10) * decades / (1 - std::pow(10, -slope * decades)) / static_cast<double>(n);
    events seen{std::vector<float>(n), std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        const double x = decades * random(seed, i);
        seen.log_energies[i] = static_cast<float>(x);
        seen.weights[i] = scale * std::pow(10, -slope * x);
    }
    return seen;
}

/// Whether the sums are those of a plain loop.
bool is_right(const events& seen, const std::vector<parprims::weighted_sum<double>>& sums)
{
    std::vector<parprims::weighted_sum<double>> plainly(bins);
    for (std::size_t i = 0; i < seen.weights.size(); ++i)
        if (const float bin = seen.log_energies[i] / decades * bins; bin < bins) {
            auto& [value, variance] = plainly[static_cast<std::size_t>(bin)];
            value += seen.weights[i];
            variance += seen.weights[i] * seen.weights[i];
        }
    for (unsigned b = 0; b < bins; ++b)
        if (std::abs(sums[b].value - plainly[b].value) > 1e-9 * plainly[b].value ||
            std::abs(sums[b].variance - plainly[b].variance) > 1e-6 * plainly[b].variance)
            return false;
    return true;
}

/// A sum with its error bar.
samples::cell estimate(const parprims::weighted_sum<double>& sum)
{
    const double error = std::sqrt(sum.variance);
    return {fmt::format("{:.2e} ± {:.1e}", sum.value, error), {sum.value, error}};
}

int run(std::size_t n, std::uint64_t seed, const std::string& json, const samples::place& where)
{
    fmt::print("spectrum runs on the {}\n\n{} events, drawn as in nature, and as many in each decade\n\n", where.name,
               n);
    const events nature = plain(n, seed), drawn = weighted(n, seed);
    const auto natural_sums = spectrum(nature, where), sums = spectrum(drawn, where);
    samples::line_chart chart{"Cosmic rays: the share of all particles above 1 GeV", "energy, GeV", "share of a bin"};
    samples::table rows(
        {{"energy, GeV", "energy"}, {"share", "share"}, {"as in nature", "as_in_nature"}, {"weighted", "weighted"}});
    double surprise = 0;  // chi squared
    for (unsigned b = 0; b < bins; ++b) {
        const double low = static_cast<double>(b) * decades / bins, high = low + static_cast<double>(decades) / bins;
        const double share = share_below(high) - share_below(low);
        const double at = std::pow(10, (low + high) / 2);
        chart.add("as in nature", at, natural_sums[b].value, std::sqrt(natural_sums[b].variance));
        chart.add("weighted", at, sums[b].value, std::sqrt(sums[b].variance));
        surprise += (sums[b].value - share) * (sums[b].value - share) / sums[b].variance;
        rows.add({fmt::format("{:6.1f} .. {:.1f}", std::pow(10, low), std::pow(10, high)),
                  {fmt::format("{:.2e}", share), share},
                  estimate(natural_sums[b]),
                  estimate(sums[b])});
    }
    rows.print();
    const bool right = is_right(nature, natural_sums) && is_right(drawn, sums);
    // Of 16 bins, chi squared is 16 on average; 70 comes once in 10^8 runs.
    const bool agrees = surprise < 70;
    fmt::print("\n");
    return samples::finish(
        "spectrum", where,
        {{"the sums are those of plain loops", right},
         {fmt::format("off by {:.2f} error bars on average (root of the mean square)", std::sqrt(surprise / bins)),
          agrees}},
        rows, chart.to_json(), json, {{"events", n}});
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Draws a spectrum with error bars from events that have weights.", "spectrum");
    std::size_t n = 100000;
    std::uint64_t seed = 7;
    app.add_option("--events", n, "events of each spectrum (default: 100000)")->check(CLI::Range(10'000, 100'000'000));
    app.add_option("--seed", seed, "of the random numbers (default: 7)");
    return samples::run_sample(app, argc, argv, [&](const samples::place& where, const std::string& json) {
        return run(n, seed, json, where);
    });
}
