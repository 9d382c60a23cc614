/// @file
/// @brief  The host histogram counts every sample once, whichever way it counts.
#include <parprims/axis.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/iterator.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace {

namespace host = parprims::detail::host;

/// Whole numbers from 0 on, with a step that spreads them; below and above, with or without counters for them.
struct step_axis {
    std::size_t bins, step;
    bool flow;
    std::size_t extent() const { return flow ? bins + 3 : bins; }
    template <class X>
    std::size_t slot(X x) const
    {
        if constexpr (std::is_signed_v<X>)
            if (x < X{})
                return bins;
        const std::size_t bin = static_cast<std::size_t>(x) * step;
        return bin < bins ? bin : bins + 1;
    }
};

template <class Sample>
std::vector<Sample> random_samples(std::size_t n, unsigned percent_equal)
{
    std::mt19937 random(3);
    std::vector<Sample> samples(n);
    for (Sample& x : samples)
        x = random() % 100 < percent_equal ? Sample{5} : static_cast<Sample>(random() % 1000);
    return samples;
}

template <class Sample, class Count>
void check(std::size_t n, const step_axis& axis, unsigned percent_equal)
{
    const std::vector<Sample> samples = random_samples<Sample>(n, percent_equal);
    std::vector<Count> expected(axis.extent(), Count{0});
    for (const Sample x : samples)
        if (axis.slot(x) < axis.extent())
            expected[axis.slot(x)] += Count{1};
    for (const unsigned threads : {1u, 2u, 0u}) {
        CAPTURE(n);
        CAPTURE(axis.bins);
        CAPTURE(axis.step);
        CAPTURE(axis.flow);
        CAPTURE(percent_equal);
        CAPTURE(threads);
        std::vector<Count> counts(axis.extent(), Count{77});
        host::histogram(threads, samples.data(), n, axis, counts.data());
        CHECK(counts == expected);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("host histogram counts every sample once", Sample, std::uint8_t, std::int8_t, std::int16_t,
                   std::uint32_t, float, double)
{
    for (const std::size_t n : {0, 1, 15, 16, 17, 1023, 1024, 1025, 16383, 16384, 100003})
        for (const step_axis axis :
             {step_axis{1, 1, false}, step_axis{100, 1, true}, step_axis{2047, 2, false}, step_axis{2048, 2, true},
              step_axis{50000, 61, true}, step_axis{1u << 20, 1057, true}})
            for (const unsigned percent_equal : {0, 100}) {
                check<Sample, std::uint64_t>(n, axis, percent_equal);
                check<Sample, float>(n, axis, percent_equal);
            }
}

TEST_CASE_TEMPLATE("host histogram gives no task more samples than its counters hold", Sample, std::uint8_t,
                   std::uint16_t, float)
{
    const std::vector<Sample> samples(100'003, Sample{5});
    for (const std::size_t bins : {6, 5000})
        for (const unsigned threads : {1u, 0u}) {
            CAPTURE(bins);
            CAPTURE(threads);
            std::vector<std::uint64_t> counts(bins);
            host::histogram<std::uint8_t>(threads, samples.data(), samples.size(), step_axis{bins, 1, false},
                                          counts.data());
            CHECK(counts[5] == samples.size());
        }
}

TEST_CASE_TEMPLATE("host histogram counts floating-point samples between equally wide bins", T, float, double)
{
    const std::size_t n = 600'003;  // enough that each number of tables comes up on one thread
    std::mt19937 random(4);
    std::vector<T> samples(n);
    for (T& x : samples)
        x = static_cast<T>(random() % 1'200'000) / 1'000'000 - T(0.1);
    std::fill_n(samples.begin() + 1000, 50'000, T(0.3));
    samples[7] = std::numeric_limits<T>::quiet_NaN();
    for (const std::size_t bins : {1, 100, 4096, 5000, 65536, 70000}) {
        const auto axis = parprims::regular_axis<T>(bins, 0, 1).with_flow();
        std::vector<std::uint32_t> expected(axis.extent());
        for (const T x : samples)
            ++expected[axis.slot(x)];
        for (const unsigned threads : {1u, 2u, 0u}) {
            CAPTURE(bins);
            CAPTURE(threads);
            std::vector<std::uint32_t> counts(axis.extent(), 77);
            host::histogram(threads, samples.data(), n, axis, counts.data());
            CHECK(counts == expected);
        }
    }
}

TEST_CASE("host histogram takes any iterator and any place for the counters")
{
    struct odd_numbers {
        std::ptrdiff_t at;
        odd_numbers operator+(std::ptrdiff_t distance) const { return {at + distance}; }
        std::uint8_t operator*() const { return static_cast<std::uint8_t>(2 * at + 1); }
    };
    const std::size_t n = 40000;
    std::vector<double> counts(256);
    host::histogram(0, odd_numbers{0}, n, step_axis{256, 1, false}, counts.begin());
    for (std::size_t bin = 0; bin < 256; ++bin)
        CHECK(counts[bin] == (bin % 2 == 1 ? 312.0 + (bin < 128 ? 1.0 : 0.0) : 0.0));
}

TEST_CASE("host histogram lets an exception of the axis through")
{
    struct moody_axis {
        std::size_t bins;
        std::size_t extent() const { return bins; }
        std::size_t slot(int x) const
        {
            if (x == 4321)
                throw std::runtime_error("no such bin");
            return 0;
        }
    };
    std::vector<int> samples(100000);
    samples[70000] = 4321;
    for (const std::size_t bins : {10u, 1u << 22}) {
        std::vector<std::uint32_t> counts(bins);
        CHECK_THROWS_AS(host::histogram(0, samples.data(), samples.size(), moody_axis{bins}, counts.data()),
                        std::runtime_error);
    }
}
