// Why does a simulation give another total on four processes than on three?
//
// Two particles push each other with forces that are equal and opposite, so all forces add up to nothing, and with one force of 0.1
// from outside to 0.1. A sum that rounds after each addition is off, and each order of the particles, and each number of ranks
// among which they are divided, gives another total: ten orders on one to eight ranks give dozens of them. With exact_plus all
// eighty are the same, and right.
//
//   exact_sums --pairs 100000 --seed 7 --json FILE   samples/plot.py draws FILE: how far the plain sums are off
#include "exact_sums/sums.hpp"
#include "support/chart.hpp"
#include "support/command_line.hpp"
#include "support/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr double outside = 0.1;
constexpr std::size_t most_ranks = 8;

/// Forces of pairs, which differ by many powers of ten, and the one from outside in the middle.
std::vector<double> forces(std::size_t pairs, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<double> x;
    for (std::size_t i = 0; i < pairs; ++i) {
        if (i == pairs / 2)
            x.push_back(outside);
        const double distance = static_cast<double>(random() >> 11) * 0x1p-53 + 1e-4;
        const double force = (random() % 2 == 0 ? 1 : -1) / (distance * distance);
        x.push_back(force);
        x.push_back(-force);
    }
    return x;
}

/// The numbers `x` in ten orders.
std::vector<std::pair<std::string, std::vector<double>>> orders_of(const std::vector<double>& x, std::uint64_t seed)
{
    const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
    std::vector<std::pair<std::string, std::vector<double>>> orders{{"pair by pair", x}};
    const auto sorted = [&](const char* name, auto less) {
        orders.emplace_back(name, x);
        std::ranges::stable_sort(orders.back().second, less);
    };
    sorted("ascending", std::less{});
    sorted("descending", std::greater{});
    sorted("small ones first", by_size);
    sorted("large ones first", [&](double a, double b) { return by_size(b, a); });
    std::mt19937_64 random(seed + 1);
    for (int k = 1; k <= 5; ++k) {
        orders.emplace_back(fmt::format("shuffled {}", k), x);
        std::ranges::shuffle(orders.back().second, random);
    }
    return orders;
}

int run(std::size_t pairs, std::uint64_t seed, const std::string& json, const samples::place& where)
{
    fmt::print("exact_sums runs on the {}\n\n{} pairs of forces that cancel, and one of {}\n\n", where.name, pairs,
               outside);
    samples::line_chart chart{"Plain sums of the same numbers, in ten orders", "ranks", "off by"};
    samples::table rows({{"order", "order"},
                         {"plain, 1 rank", "plain_1"},
                         {"plain, 3 ranks", "plain_3"},
                         {"plain, 8 ranks", "plain_8"},
                         {"exact, 1 to 8 ranks", "exact"}});
    std::set<double> plain, exact;
    for (const auto& [name, x] : orders_of(forces(pairs, seed), seed)) {
        std::vector<samples::cell> row{name};
        for (std::size_t ranks = 1; ranks <= most_ranks; ++ranks) {
            const double sum = plain_sum(x, ranks, where);
            plain.insert(sum);
            exact.insert(exact_sum_of_ranks(x, ranks));
            chart.add(name, static_cast<double>(ranks), std::abs(sum - outside));
            if (ranks == 1 || ranks == 3 || ranks == most_ranks)
                row.push_back({sum, "{:.12g}"});
        }
        const double sum = exact_sum(x, where);
        exact.insert(sum);
        row.push_back({sum, "{:.12g}"});
        rows.add(row);
    }
    rows.print();
    const bool right = exact.size() == 1 && *exact.begin() == outside;
    fmt::print("\n  the {} plain ones have {} values, from {:.12g} to {:.12g}\n\n", 10 * most_ranks, plain.size(),
               *plain.begin(), *plain.rbegin());
    return samples::finish("exact_sums", where, {{fmt::format("all exact sums are {}", outside), right}}, rows,
                           chart.to_json(), json, {{"pairs", pairs}, {"plain_values", plain.size()}});
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Adds the same numbers in ten orders and on one to eight ranks.", "exact_sums");
    std::size_t pairs = 100000;
    std::uint64_t seed = 7;
    app.add_option("--pairs", pairs, "of numbers that cancel (default: 100000)")->check(CLI::Range(100, 10'000'000));
    app.add_option("--seed", seed, "of the random numbers (default: 7)");
    return samples::run_sample(app, argc, argv, [&](const samples::place& where, const std::string& json) {
        return run(pairs, seed, json, where);
    });
}
