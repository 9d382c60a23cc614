/// @file
/// @brief  Histograms of two to four dimensions against Boost.Histogram, on random axes and samples.
#include <doctest/doctest.h>

#include <boost/histogram.hpp>

#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/variable_axis.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace pp = parprims;
namespace bh = boost::histogram;

namespace {

using mersenne_twister = std::mt19937_64;

/// Bounds, widths and samples are multiples of a power of two, so that both libraries find the same bins.
double eighths(mersenne_twister& random, int from, int to)
{
    return (from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1))) / 8.0;
}

// Of each kind: how to make an axis here, the same there, and samples on its edges, inside and outside.

struct regular_kind {
    using sample = double;
    static auto make(mersenne_twister& random)
    {
        const double lower = eighths(random, -80, 80), width = 0.25 * static_cast<double>(1 + random() % 4);
        const std::size_t bins = std::size_t{1} << random() % 4;
        return pp::regular_axis(bins, lower, lower + width * static_cast<double>(bins));
    }
    template <class Axis>
    static auto theirs(const Axis& axis)
    {
        return bh::axis::regular<double>(static_cast<unsigned>(axis.bins()), axis.edge(0), axis.edge(axis.bins()));
    }
};

struct variable_kind {
    using sample = double;
    static auto make(mersenne_twister& random)
    {
        std::vector<double> edges{eighths(random, -80, 80)};
        for (std::size_t bins = 1 + random() % 6; edges.size() <= bins;)
            edges.push_back(edges.back() + eighths(random, 1, 16));
        return pp::variable_axis<double>(edges);
    }
    template <class Axis>
    static auto theirs(const Axis& axis)
    {
        return bh::axis::variable<double>(axis.edges());
    }
};

struct integer_kind {
    using sample = int;
    static auto make(mersenne_twister& random)
    {
        const int lower = static_cast<int>(random() % 20) - 10;
        return pp::integer_axis(lower, lower + 1 + static_cast<int>(random() % 6));
    }
    template <class Axis>
    static auto theirs(const Axis& axis)
    {
        return bh::axis::integer<int>(axis.edge(0), axis.edge(axis.bins()));
    }
};

template <class X, class Axis>
std::vector<X> draw(const Axis& axis, std::size_t n, mersenne_twister& random)
{
    const auto lower = static_cast<double>(axis.edge(0)), upper = static_cast<double>(axis.edge(axis.bins()));
    std::vector<X> samples(n);
    for (X& x : samples) {
        const auto anywhere = lower + (static_cast<double>(random() % 161) / 128 - 0.125) * (upper - lower);
        x = random() % 3 == 0 ? static_cast<X>(axis.edge(random() % (axis.bins() + 1))) : static_cast<X>(anywhere);
        if (std::numeric_limits<X>::has_quiet_NaN && random() % 16 == 0)
            x = std::numeric_limits<X>::quiet_NaN();
    }
    return samples;
}

/// The index there of slot `i` here. Boost.Histogram counts NaN as overflow.
template <class Axis>
int index_of(const Axis& axis, std::size_t i)
{
    const int bins = static_cast<int>(axis.bins());
    const int slot = static_cast<int>(i);
    return slot < bins ? slot : slot == bins ? -1 : bins;
}

/// Compares the counts of all combinations of bins, and of flow where an axis here has it. Returns whether they agree.
template <class... Kinds, std::size_t... I>
bool agrees(std::uint64_t seed, std::index_sequence<I...>)
{
    mersenne_twister random(seed);
    const auto flows = random();
    const auto one = [&](auto axis, std::size_t d) { return flows >> d & 1 ? axis.with_flow() : axis; };
    const pp::product_axis axis{one(Kinds::make(random), I)...};
    const std::size_t n = random() % 60;
    const std::tuple samples{draw<typename Kinds::sample>(axis.template axis<I>(), n, random)...};

    std::vector<std::uint64_t> counts(axis.extent());
    const pp::zip_iterator points(std::get<I>(samples).data()...);
    pp::histogram(pp::host.threads(1), points, points + static_cast<std::ptrdiff_t>(n), axis, counts.begin());
    auto theirs = bh::make_histogram(Kinds::theirs(axis.template axis<I>())...);
    for (std::size_t i = 0; i < n; ++i)
        theirs(std::get<I>(samples)[i]...);

    auto folded = bh::make_histogram(Kinds::theirs(axis.template axis<I>())...);  // ours, with NaN as overflow
    for (std::size_t slot = 0; slot < counts.size(); ++slot) {
        const auto position = axis.position(slot);
        folded.at(index_of(axis.template axis<I>(), pp::get<I>(position))...) += static_cast<double>(counts[slot]);
    }
    bool same = true;
    for (auto&& cell : bh::indexed(theirs, bh::coverage::all)) {
        const bool is_counted =
            ((axis.template axis<I>().has_flow() ||
              (cell.index(I) >= 0 && cell.index(I) < static_cast<int>(axis.template axis<I>().bins()))) &&
             ...);
        const double expected = is_counted ? static_cast<double>(*cell) : 0;
        same = same && static_cast<double>(folded.at(cell.index(I)...)) == expected;
    }
    return same;
}

template <class... Kinds>
void check(std::uint64_t cases)
{
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        CAPTURE(seed);
        CHECK(agrees<Kinds...>(seed, std::index_sequence_for<Kinds...>{}));
    }
}

}  // namespace

TEST_CASE("counts of two to four dimensions agree with Boost.Histogram")
{
    check<regular_kind, regular_kind>(2600);
    check<variable_kind, integer_kind>(2600);
    check<integer_kind, regular_kind, variable_kind>(2600);
    check<regular_kind, variable_kind, integer_kind, integer_kind>(2600);
}
