/// @file
/// @brief  Axes against the definition of a bin, against plainly written edges, and against Boost.Histogram.
#include "support/axis_oracle.hpp"

#include <doctest/doctest.h>
#include <boost/histogram/axis.hpp>
#include <parprims/detail/device/histogram/axis_rules.hpp>

#include <set>

namespace pp = parprims;
namespace device = parprims::detail::device;
using namespace parprims_test;

namespace {

/// The formula in axis.hpp, every result stored before it is used, so that nothing can be contracted.
template <class T>
T plain_edge(std::size_t i, std::size_t bins, T lower, T upper)
{
    if (i == bins)
        return upper;
    if constexpr (std::is_integral_v<T>) {
        const int128 count = static_cast<int128>(bins);  // rounded up
        return static_cast<T>(lower +
                              (static_cast<int128>(i) * (static_cast<int128>(upper) - lower) + count - 1) / count);
    } else {
        volatile T range = upper - lower;
        const bool overflows = !std::isfinite(range);
        volatile T begin = overflows ? lower / 2 : lower;
        volatile T end = overflows ? upper / 2 : upper;
        range = end - begin;
        volatile T width = range / static_cast<T>(bins);
        volatile T offset = static_cast<T>(i) * width;
        volatile T edge = begin + offset;
        edge = overflows ? 2 * edge : edge;
        const T stored = edge;
        return std::min(stored, upper);
    }
}

/// All edges of a small axis, some of a large one; ascending.
std::vector<std::size_t> some_indices(std::size_t bins)
{
    std::set<std::size_t> chosen{0, bins};
    std::mt19937_64 random(3);
    for (std::size_t i = 0; i < 1000; ++i)
        chosen.insert(bins < 1000 ? std::min(i, bins) : random() % (bins + 1));
    return {chosen.begin(), chosen.end()};
}

/// What a kernel computes, for all slots and for windows of them: a sample is inside exactly if its slot is there and is counted.
template <class X, class Axis>
std::size_t wrong_positions(const Axis& axis, const std::vector<X>& samples, const std::vector<std::size_t>& slots)
{
    std::size_t wrong = 0;
    const std::size_t all = axis.extent();
    device::with_position<X>(axis, [&](auto position_of) {
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const auto position = position_of(samples[i]);
            wrong += position.inside != (slots[i] < all) || (position.inside && position.offset != slots[i]);
        }
        for (const std::size_t first : {std::size_t{0}, all / 2, all - 1}) {
            const std::size_t width = first == 0 ? all / 2 + 1 : all - first;
            device::with_window(
                position_of, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(width), [&](auto find) {
                    for (std::size_t i = 0; i < samples.size(); ++i) {
                        const auto found = find(samples[i]);
                        const bool is_there = slots[i] < all && slots[i] >= first && slots[i] < first + width;
                        wrong += found.inside != is_there || (is_there && found.offset != slots[i] - first);
                    }
                });
        }
    });
    return wrong;
}

template <class X, class Axis>
void check_samples(const Axis& axis, const std::vector<exact>& edges)
{
    const std::vector<X> samples = hard_samples<X>(edges);
    std::vector<std::size_t> slots;
    for (const X x : samples)
        slots.push_back(axis.slot(x));
    CHECK(first_misplaced(axis, values_of(samples), slots) == "");

    if (axis.bins() <= UINT32_MAX - 3) {
        CHECK(wrong_positions(axis, samples, slots) == 0);
        CHECK(wrong_positions(axis.with_flow(), samples, slots) == 0);
    }
}

template <class Axis>
void check_all_sample_types(const Axis& axis)
{
    const std::vector<exact> edges = some_edges(axis);
    check_samples<float>(axis, edges);
    check_samples<double>(axis, edges);
    check_samples<long double>(axis, edges);
    check_samples<bfloat>(axis, edges);
    check_samples<level>(axis, edges);
    check_samples<bool>(axis, edges);
    check_samples<char>(axis, edges);
    check_samples<std::int8_t>(axis, edges);
    check_samples<std::uint8_t>(axis, edges);
    check_samples<std::int16_t>(axis, edges);
    check_samples<std::uint16_t>(axis, edges);
    check_samples<std::int32_t>(axis, edges);
    check_samples<std::uint32_t>(axis, edges);
    check_samples<std::int64_t>(axis, edges);
    check_samples<std::uint64_t>(axis, edges);
}

}  // namespace

#define PARPRIMS_EDGE_TYPES \
    float, double, std::int8_t, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t

TEST_CASE_TEMPLATE("a regular axis places samples of every type by definition", T, PARPRIMS_EDGE_TYPES)
{
    for (const auto& axis : hard_regular_axes<T>())
        check_all_sample_types(axis);
}

TEST_CASE_TEMPLATE("the edges of a regular axis ascend from lower to upper", T, PARPRIMS_EDGE_TYPES)
{
    for (const auto& axis : hard_regular_axes<T>()) {
        CAPTURE(axis.bins());
        CAPTURE(text(value_of(axis.edge(0))));
        CAPTURE(text(value_of(axis.edge(axis.bins()))));
        T before = axis.edge(0);
        for (const std::size_t i : some_indices(axis.bins())) {
            CAPTURE(i);
            const T edge = axis.edge(i);
            REQUIRE(before <= edge);
            before = edge;
        }
    }
}

TEST_CASE_TEMPLATE("the edges of a regular axis have the bits of the documented formula", T, PARPRIMS_EDGE_TYPES)
{
    for (const auto& axis : hard_regular_axes<T>()) {
        const T lower = axis.edge(0);
        const T upper = axis.edge(axis.bins());
        CAPTURE(axis.bins());
        CAPTURE(text(value_of(lower)));
        CAPTURE(text(value_of(upper)));
        for (const std::size_t i : some_indices(axis.bins())) {
            CAPTURE(i);
            REQUIRE(value_of(axis.edge(i)) == value_of(plain_edge(i, axis.bins(), lower, upper)));
        }
    }
}

TEST_CASE_TEMPLATE("a range that overflows is cut evenly", T, float, double)
{
    constexpr T most = std::numeric_limits<T>::max();
    const pp::regular_axis axis(8, -most, most);
    for (std::size_t i = 0; i <= 8; ++i) {
        CAPTURE(i);
        const exact ideal = (static_cast<exact>(i) / 4 - 1) * most;
        CHECK(std::abs(value_of(axis.edge(i)) - ideal) <= most * static_cast<exact>(std::numeric_limits<T>::epsilon()));
    }
}

TEST_CASE_TEMPLATE("an integer axis places samples of every type by definition", T, std::int8_t, std::uint8_t, char,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t)
{
    using limits = std::numeric_limits<T>;
    constexpr T reach = sizeof(T) <= 4 ? limits::max() : static_cast<T>(std::int64_t{1} << 52);
    check_all_sample_types(pp::integer_axis<T>(limits::min(), T(limits::min() + reach)));
    check_all_sample_types(pp::integer_axis<T>(T(limits::max() - reach), limits::max()));
    check_all_sample_types(pp::integer_axis<T>(T(limits::max() - 1), limits::max()));
    check_all_sample_types(pp::integer_axis<T>(limits::min(), T(limits::min() + 1)));
    if constexpr (sizeof(T) <= 4)
        check_all_sample_types(pp::integer_axis<T>(limits::min(), limits::max()));
    if constexpr (std::is_signed_v<T>)
        check_all_sample_types(pp::integer_axis<T>(-5, 7));
}

TEST_CASE_TEMPLATE("a variable axis places samples of every type by definition", T, float, double, std::int8_t,
                   std::uint32_t, std::int64_t, std::uint64_t)
{
    std::mt19937_64 random(11);
    for (const std::size_t count : {2u, 3u, 4u, 5u, 17u, 64u, 1000u}) {
        std::set<T> edges{std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
        if constexpr (std::is_floating_point_v<T>)
            edges.insert({-std::numeric_limits<T>::denorm_min(), 0, std::numeric_limits<T>::denorm_min()});
        const std::size_t most = sizeof(T) == 1 ? 100 : count;
        while (edges.size() < most)
            edges.insert(std::is_floating_point_v<T>
                             ? T(std::ldexp(double(random()) / 1e19 - 0.8, int(random() % 60) - 30))
                             : static_cast<T>(random() >> random() % 64));
        check_all_sample_types(pp::variable_axis(edges));
        if (edges.size() < 4)
            continue;
        edges.erase(edges.begin());  // so that there is something below and above
        edges.erase(std::prev(edges.end()));
        check_all_sample_types(pp::variable_axis(edges));
    }
}

TEST_CASE_TEMPLATE("a variable axis finds bins by a table if few cells separate its edges, and by a search if not", T,
                   float, double, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t)
{
    using limits = std::numeric_limits<T>;
    const auto check = [](const std::set<T>& edges, bool has_table) {
        const pp::variable_axis axis(edges);
        CAPTURE(axis.bins());
        CAPTURE(text(value_of(axis.edge(1))));
        CHECK(pp::detail::axis::rule_access::has_cells(axis.view()) == has_table);
        check_all_sample_types(axis);
        const auto searched = axis.view_at(axis.edges().data());
        for (const T x : hard_samples<T>(some_edges(axis)))
            CHECK(searched.slot(x) == axis.slot(x));
    };
    check({limits::lowest(), limits::max()}, true);
    check({limits::lowest(), 0, limits::max()}, true);
    std::set<T> even{T(0)}, doubling{T(1)}, close{limits::lowest(), limits::max()};
    for (int i = 1; i < 60; ++i) {
        even.insert(static_cast<T>(2 * i - 1));
        if (doubling.size() < limits::digits && doubling.size() < 50)
            doubling.insert(static_cast<T>(2 * *doubling.rbegin()));
        close.insert(static_cast<T>(i));
        if (i < 8 || i == 59)
            check(even, true);
    }
    check(doubling, true);
    check(close, sizeof(T) <= 2 || limits::lowest() == 0);  // few values, or all close to the first edge but one
    if constexpr (std::is_floating_point_v<T>) {
        std::set<T> subnormal;
        for (int i = 0; i < 100; ++i)
            subnormal.insert(static_cast<T>(i) * limits::denorm_min());
        check(subnormal, false);
        std::set<T> many;
        for (int i = 0; i < 65536; ++i)
            many.insert(static_cast<T>(i) / 3);
        many.insert(-1);
        check(many, true);
        many.insert(-2);
        check(many, false);
    }
}

TEST_CASE("small regular axes of floats are right for every float between their bounds")
{
    for (const auto& [bins, lower, upper] : {std::tuple(10, 1.0f, 1.001f), std::tuple(3, -1e-39f, 2e-40f),
                                             std::tuple(999, 64.0f, 64.25f), std::tuple(100000, 1.0f, 1.01f)}) {
        const pp::regular_axis axis(static_cast<std::size_t>(bins), lower, upper);
        std::size_t bin = 0;
        for (float x = lower; x < upper; x = std::nextafter(x, upper)) {
            while (axis.edge(bin + 1) <= x)
                ++bin;
            if (axis.slot(x) != bin) {
                CAPTURE(x);
                CHECK(axis.slot(x) == bin);
            }
        }
        CHECK(bin <= axis.bins() - 1);
    }
}

// Both sides of bounds of scaled_rule, a product of 2^51 and 2^26 bins, and of the faster rule where all edges are integers.
TEST_CASE_TEMPLATE("regular axes of integers are right for every number around their edges", X, float, double)
{
    long wrong = 0;
    long fast = 0;
    const auto check = [&](const auto& axis) {
        std::mt19937 random(9);
        const auto bounds = std::pair(value_of(axis.edge(0)), value_of(axis.edge(axis.bins())));
        fast += device::fast_rule<X, std::remove_cvref_t<decltype(axis)>>::exists(axis);
        device::with_position<X>(axis, [&](auto position_of) {
            for (int k = 0; k <= 20; ++k) {
                const std::size_t i = k == 20 ? axis.bins() : axis.bins() < 20 ? k : random() % axis.bins();
                const exact edge = bounds.first + (bounds.second - bounds.first) * static_cast<exact>(i) / axis.bins();
                X x = static_cast<X>(edge);
                for (int step = 0; step < 200; ++step)
                    x = std::nextafter(x, -std::numeric_limits<X>::infinity());
                for (int step = 0; step < 400; ++step, x = std::nextafter(x, std::numeric_limits<X>::infinity())) {
                    const std::size_t right = slot_by_definition(axis, static_cast<exact>(x));
                    const auto position = position_of(x);
                    wrong += axis.slot(x) != right || position.inside != (right < axis.bins()) ||
                             (position.inside && position.offset != right);
                }
            }
        });
    };
    for (const std::size_t bins : {3u, 7u, 10u, 1000u, 9999999u, 1u << 26, (1u << 26) + 1})
        for (const int lower : {0, 1, -1, -7, 1000000, -2147483647})
            for (const int range : {1, 2, 11, 1001, 67108863, 67108865, 1147483646}) {
                check(parprims::regular_axis<int>(bins, lower, lower + range));
                check(parprims::regular_axis<std::int64_t>(bins, lower * (std::int64_t{1} << 31),
                                                           lower * (std::int64_t{1} << 31) + range));
            }
    const long before = fast;
    for (const unsigned bins : {1u, 3u, 1000u, 150000u, 1u << 20, (1u << 20) + 1, 1u << 23})
        for (const int lower : {0, -77, 1 - (1 << 23), 1 << 22})
            for (const int width : {1, 2, 7}) {
                check(parprims::regular_axis<int>(bins, lower, lower + width * static_cast<int>(bins)));
                check(parprims::integer_axis<int>(lower, lower + static_cast<int>(bins)));
            }
    CHECK(wrong == 0);
    CHECK(fast - before > 20);  // both rules came up, of doubles the faster one only
    CHECK((fast - before < 168) == std::is_same_v<X, float>);
}

TEST_CASE("small regular axes of 8-bit integers are right for every bounds, bins and sample")
{
    long wrong = 0;
    for (int lower = -128; lower < 127; lower += 3)
        for (int upper = lower + 1; upper <= 127; ++upper)
            for (const std::size_t bins : {1u, 2u, 3u, 5u, 10u, 64u, 100u, 255u, 256u, 300u}) {
                const pp::regular_axis<std::int8_t> axis(bins, lower, upper);
                device::with_position<std::int8_t>(axis, [&](auto position_of) {
                    for (int x = -128; x <= 127; ++x) {
                        const auto sample = static_cast<std::int8_t>(x);
                        const std::size_t right = slot_by_definition(axis, static_cast<exact>(x));
                        const auto position = position_of(sample);
                        wrong += axis.slot(sample) != right || position.inside != (right < bins) ||
                                 (position.inside && position.offset != right);
                    }
                });
            }
    CHECK(wrong == 0);
}

TEST_CASE("wide regular axes of 32-bit integers are right at every edge")
{
    long wrong = 0;
    long narrow = 0;
    std::mt19937 random(5);
    for (const std::uint32_t range : {256u, 1000u, 65536u, 1000000u, 1000000007u, 0x80000000u, 0xffffffffu})
        for (const std::size_t bins : {2u, 3u, 7u, 100u, 256u, 1000u, 2048u, 65536u})
            for (const std::uint32_t lower : {0u, 7u, 0xffffffffu - range}) {
                if (lower > 0xffffffffu - range)
                    continue;
                const pp::regular_axis<std::uint32_t> axis(bins, lower, lower + range);
                narrow += device::fast_rule<std::uint32_t, pp::regular_axis<std::uint32_t>>::exists(axis);
                device::with_position<std::uint32_t>(axis, [&](auto position_of) {
                    for (int k = 0; k < 2000; ++k) {
                        const std::size_t bin = k < 1000 ? random() % bins : static_cast<std::size_t>(k) % bins;
                        for (const std::uint32_t x : {axis.edge(bin) - 1, axis.edge(bin), axis.edge(bin) + 1}) {
                            const std::size_t right = slot_by_definition(axis, static_cast<exact>(x));
                            const auto position = position_of(x);
                            wrong += axis.slot(x) != right || position.inside != (right < bins) ||
                                     (position.inside && position.offset != right);
                        }
                    }
                });
            }
    CHECK(wrong == 0);
    CHECK(narrow > 0);  // both rules came up
    CHECK(narrow < 168);
}

// Boost.Histogram counts NaN as overflow where parprims tells it apart.

TEST_CASE("a variable axis agrees with Boost.Histogram")
{
    namespace bh = boost::histogram::axis;
    const std::vector<double> edges{-7.5, -1.0, 0.0, 1e-300, 0.1, 0.3, 4096.0};
    const pp::variable_axis axis(edges);
    const bh::variable<double> theirs(edges);
    for (const double x : hard_samples<double>(some_edges(axis))) {
        CAPTURE(x);
        const int index = theirs.index(x);
        if (!std::isnan(x))
            CHECK(axis.slot(x) == (index < 0                ? axis.bins()
                                   : index == theirs.size() ? axis.bins() + 1
                                                            : static_cast<std::size_t>(index)));
    }
}

TEST_CASE("an integer axis agrees with Boost.Histogram")
{
    namespace bh = boost::histogram::axis;
    const pp::integer_axis axis(-100, 1000);
    const bh::integer<int> theirs(-100, 1000);
    for (int x = -2000; x < 2000; ++x) {
        CAPTURE(x);
        const int index = theirs.index(x);
        CHECK(axis.slot(x) == (index < 0                ? axis.bins()
                               : index == theirs.size() ? axis.bins() + 1
                                                        : static_cast<std::size_t>(index)));
    }
}

// Boost.Histogram takes the integer part of a multiplication as the bin and does not look at its edges, which are
// (1 - i / bins) * lower + i / bins * upper. So a sample within a few roundings of an edge may be in the bin next to it.
TEST_CASE("a regular axis agrees with Boost.Histogram but for samples at an edge")
{
    namespace bh = boost::histogram::axis;
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> anywhere(-0.1, 1.1);
    for (const auto& [bins, lower, upper] :
         {std::tuple(10, 0.0, 1.0), std::tuple(256, -3.0, 5.0), std::tuple(1000, 0.1, 0.7),
          std::tuple(77, 1e6, 1e6 + 1), std::tuple(100000, -1.0, 2.0)}) {
        const pp::regular_axis axis(static_cast<std::size_t>(bins), lower, upper);
        const bh::regular<double> theirs(static_cast<unsigned>(bins), lower, upper);
        std::vector<double> samples = hard_samples<double>(some_edges(axis));
        for (int i = 0; i < 10000; ++i)
            samples.push_back(lower + (upper - lower) * anywhere(random));
        int agreed = 0;
        for (const double x : samples) {
            if (std::isnan(x))
                continue;
            CAPTURE(x);
            CAPTURE(axis.bins());
            const int index = theirs.index(x);
            const auto slot = index < 0       ? axis.bins()
                              : index == bins ? axis.bins() + 1
                                              : static_cast<std::size_t>(index);
            agreed += axis.slot(x) == slot;
            if (axis.slot(x) == slot)
                continue;
            const double position = (x - lower) / (upper - lower) * bins;
            const double rounding = 8 * std::numeric_limits<double>::epsilon() *
                                    (bins + std::max(std::abs(lower), std::abs(upper)) / (upper - lower) * bins);
            CHECK(std::abs(position - std::round(position)) <= rounding);
        }
        CHECK(agreed > 10000);
    }
}
