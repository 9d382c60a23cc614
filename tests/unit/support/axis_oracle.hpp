/// @file
/// @brief  The bin of a sample by definition, the values that are hard to place, and axes with hard edges.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/variable_axis.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace parprims_test {

/// A bfloat16 without arithmetic: it only converts to float.
struct bfloat {
    std::uint16_t bits;
    PARPRIMS_HOST_DEVICE explicit operator float() const
    {
        return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
    }
};

enum class level : std::int16_t {};

/// Has every value of every type of samples and edges, exactly.
using exact = long double;
static_assert(std::numeric_limits<exact>::digits >= 64);

template <class X>
exact value_of(X x)
{
    if constexpr (std::is_class_v<X>)
        return static_cast<float>(x);
    else
        return static_cast<exact>(x);
}

__extension__ using int128 = __int128;

/// Places a number that is not NaN between the edges of an axis: `reaches(i)` tells whether it is at edge i or above.
template <class Axis>
struct placed {
    const Axis& axis;
    exact x;

    bool reaches(std::size_t i) const { return x >= value_of(axis.edge(i)); }
};

/// Of bounds that are integers, edge i is lower + i * (upper - lower) / bins, so x reaches it if (x - lower) * bins is
/// i * (upper - lower) or more, in integers of 128 bits.
template <std::integral T>
struct placed<parprims::regular_axis<T>> {
    int128 position;  // (x - lower) * bins, rounded down: what it is compared with are integers
    int128 range;

    placed(const parprims::regular_axis<T>& axis, exact x) : range(int128{axis.edge(axis.bins())} - axis.edge(0))
    {
        const auto bins = static_cast<int128>(axis.bins());
        int exponent = 0;
        const exact digits = std::ldexp(std::frexp(std::clamp(x, -0x1p65L, 0x1p65L), &exponent), 64);
        exponent -= 64;
        const int128 product = static_cast<int128>(digits) * bins;  // x * bins is this times 2^exponent
        position = (exponent >= 0 ? product << exponent : product >> std::min(-exponent, 127)) - axis.edge(0) * bins;
    }

    bool reaches(std::size_t i) const { return position >= static_cast<int128>(i) * range; }
};

/// From the definition alone: the i with edge i <= x < edge i + 1, else bins, bins + 1, bins + 2 for below, above, NaN.
template <class Axis>
std::size_t slot_by_definition(const Axis& axis, exact x)
{
    const std::size_t bins = axis.bins();
    if (std::isnan(x))
        return bins + 2;
    const placed<Axis> sample{axis, x};
    if (!sample.reaches(0))
        return bins;
    if (sample.reaches(bins))
        return bins + 1;
    std::size_t low = 0;
    for (std::size_t high = bins; high - low > 1;) {
        const std::size_t middle = low + (high - low) / 2;
        (sample.reaches(middle) ? low : high) = middle;
    }
    return low;
}

/// `e` as an X where X has it, otherwise one of the X next to it or the one closest to it.
template <class X>
X nearest(exact e)
{
    if constexpr (std::is_same_v<X, bfloat>) {
        return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(e)) >> 16)};
    } else if constexpr (std::is_enum_v<X>) {
        return static_cast<X>(nearest<std::underlying_type_t<X>>(e));
    } else if constexpr (std::is_same_v<X, bool>) {
        return e > 0;
    } else if constexpr (std::is_integral_v<X>) {
        using limits = std::numeric_limits<X>;
        if (e <= static_cast<exact>(limits::min()))
            return limits::min();
        return e >= static_cast<exact>(limits::max()) ? limits::max() : static_cast<X>(e);
    } else {
        using limits = std::numeric_limits<X>;
        return static_cast<X>(std::clamp<exact>(e, limits::lowest(), limits::max()));
    }
}

/// The X `steps` values further up (or down, where negative), at most the last one.
template <class X>
X neighbour(X x, int steps)
{
    if constexpr (std::is_same_v<X, bfloat>) {
        return {static_cast<std::uint16_t>(x.bits + steps)};
    } else if constexpr (std::is_enum_v<X>) {
        return static_cast<X>(neighbour(static_cast<std::underlying_type_t<X>>(x), steps));
    } else if constexpr (std::is_integral_v<X>) {
        return nearest<X>(static_cast<exact>(x) + steps);
    } else {
        const X towards = steps < 0 ? -std::numeric_limits<X>::infinity() : std::numeric_limits<X>::infinity();
        for (int i = 0; i < std::abs(steps); ++i)
            x = std::nextafter(x, towards);
        return x;
    }
}

/// Edge i, rounded.
template <class Axis>
exact edge_near(const Axis& axis, std::size_t i)
{
    return value_of(axis.edge(i));
}
template <std::integral T>
exact edge_near(const parprims::regular_axis<T>& axis, std::size_t i)
{
    const exact lower = value_of(axis.edge(0)), upper = value_of(axis.edge(axis.bins()));
    return lower + static_cast<exact>(i) * (upper - lower) / static_cast<exact>(axis.bins());
}

/// The edges of an axis; of many, the first, the last and some between.
template <class Axis>
std::vector<exact> some_edges(const Axis& axis, std::size_t most = 200)
{
    std::mt19937_64 random(1);
    std::vector<std::size_t> chosen;
    const std::size_t bins = axis.bins();
    for (std::size_t i = 0; i < std::min(bins + 1, most); ++i)
        chosen.push_back(bins < most ? i : i < 8 ? i : i < 16 ? bins - (i - 8) : random() % (bins + 1));
    std::sort(chosen.begin(), chosen.end());
    std::vector<exact> edges;
    for (const std::size_t i : chosen)
        edges.push_back(edge_near(axis, i));
    return edges;
}

/// The edges and what is next to them, some values between, and the values that are special whatever the axis.
template <class X>
std::vector<X> hard_samples(const std::vector<exact>& edges)
{
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> inside(0, 1);
    std::vector<X> samples;
    const auto around = [&](exact e) {
        for (const int steps : {-2, -1, 0, 1, 2})
            samples.push_back(neighbour(nearest<X>(e), steps));
    };
    for (const exact e : edges)
        around(e);
    for (int i = 0; i < 200; ++i)
        samples.push_back(
            nearest<X>(edges.front() + (edges.back() - edges.front()) * static_cast<exact>(inside(random))));
    for (const exact special : {0.0L, 1.0L, -1.0L, 0.5L, -0.5L, 255.0L, 32768.0L, -2147483648.0L, 4294967296.0L,
                                9223372036854775808.0L, 18446744073709551616.0L, 1e30L, -1e30L, 1e300L})
        around(special);
    using type = std::conditional_t<std::is_class_v<X>, float, X>;
    if constexpr (std::is_floating_point_v<type>) {
        using limits = std::numeric_limits<type>;
        for (const type special :
             {-type{0}, limits::denorm_min(), -limits::denorm_min(), limits::min(), -limits::min(), limits::max(),
              limits::lowest(), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN()})
            if constexpr (std::is_class_v<X>)
                samples.push_back({static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(special) >> 16)});
            else
                samples.push_back(special);
    }
    return samples;
}

inline std::string text(exact value)
{
    std::ostringstream out;
    out.precision(21);
    out << value;
    return out.str();
}

/// Nothing, or the first sample in the wrong slot and where it should be.
template <class Axis>
std::string first_misplaced(const Axis& axis, const std::vector<exact>& samples, const std::vector<std::size_t>& slots)
{
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::size_t right = slot_by_definition(axis, samples[i]);
        if (slots[i] != right)
            return text(samples[i]) + " is in slot " + std::to_string(slots[i]) + " but belongs in " +
                   std::to_string(right) + " of " + std::to_string(axis.bins()) + " bins from " +
                   text(value_of(axis.edge(0))) + " to " + text(value_of(axis.edge(axis.bins())));
    }
    return samples.empty() ? "there are no samples" : "";
}

template <class X>
std::vector<exact> values_of(const std::vector<X>& samples)
{
    std::vector<exact> values;
    for (const X x : samples)
        values.push_back(value_of(x));
    return values;
}

/// Regular axes from the plainest to those whose bounds, widths or bins reach the limits of `T`.
template <class T>
std::vector<parprims::regular_axis<T>> hard_regular_axes()
{
    using axis = parprims::regular_axis<T>;
    using limits = std::numeric_limits<T>;
    std::vector<axis> axes;
    std::mt19937_64 random(7);
    if constexpr (std::is_floating_point_v<T>) {
        const T one = 1;
        const T tiny = limits::denorm_min();
        for (const unsigned bins :
             {1u, 2u, 3u, 7u, 10u, 255u, 256u, 1000u, 65536u, 1u << 20, 3'400'000u, (1u << 24) + 1, 1u << 30}) {
            axes.emplace_back(bins, T{0}, one);
            axes.emplace_back(bins, -one, one / 3);
            axes.emplace_back(bins, one, 1 + limits::epsilon() * 11);
            axes.emplace_back(bins, T{1000}, T{1001});
            axes.emplace_back(bins, limits::lowest(), limits::max());
            axes.emplace_back(bins, T{0}, limits::max());
            axes.emplace_back(bins, limits::lowest() / 3, limits::max());
            axes.emplace_back(bins, -tiny, tiny);
            axes.emplace_back(bins, T{0}, 300 * tiny);
            axes.emplace_back(bins, -limits::min(), limits::min() * 3);
            axes.emplace_back(bins, T(0.1), T(1e10));
        }
        for (int i = 0; i < 100; ++i) {
            const auto draw = [&] { return std::ldexp(T(random() % 20001) / 10000 - 1, int(random() % 80) - 40); };
            const T a = draw();
            const T b = a + std::ldexp(T(1 + random() % 10000), int(random() % 60) - 40);
            if (a < b)
                axes.emplace_back(1 + (std::size_t{random()} >> (34 + random() % 30)), a, b);
        }
    } else {
        const T low = limits::min();
        const T high = limits::max();
        const std::size_t most = sizeof(T) <= 4 ? UINT32_MAX : std::size_t{1} << 53;
        for (const std::size_t bins : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{100},
                                       std::size_t{127}, std::size_t{255}, std::size_t{256}, std::size_t{65536},
                                       (std::size_t{1} << 24) + 1, std::size_t{UINT32_MAX}, most}) {
            axes.emplace_back(bins, low, high);
            axes.emplace_back(bins, T(low + 1), high);
            axes.emplace_back(bins, T(low / 2), T(high / 2 + 1));
            axes.emplace_back(bins, T(high - 1), high);
            axes.emplace_back(bins, low, T(low + 1));
            axes.emplace_back(bins, T(high - 100), T(high - 3));
        }
        for (int i = 0; i < 100; ++i) {
            const T a = static_cast<T>(random() >> random() % 64);
            const T b = static_cast<T>(random() >> random() % 64);
            const std::size_t bins = 1 + (std::size_t{random()} >> (33 + random() % 30));
            if (a != b)
                axes.emplace_back(bins, std::min(a, b), std::max(a, b));
        }
    }
    return axes;
}

}  // namespace parprims_test
