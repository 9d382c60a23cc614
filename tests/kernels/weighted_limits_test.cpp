// Weighted histograms on the executor at the limits of their numbers: words that carry, large and small weights.
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/weights.hpp>

#include <doctest/doctest.h>

#include "support/weighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

using parprims::profile_bin;

namespace {

using namespace kernel_test;

/// Adds numbers to one sum of `Words` words in shared memory, or, `is_global`, in device memory, and reads it.
template <unsigned Words>
struct additions {
    using sum_type = device::words_of_sum<Words, std::int64_t>;
    using bin_type = device::words_of_bin<sum_type>;
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    struct number {
        std::int64_t mantissa;
        unsigned shift;
    };

    const number* numbers;
    std::size_t n;
    std::uint32_t* shared;  // two copies of the words
    std::uint64_t* global;  // of all words of a sum
    std::uint32_t* result;
    bool is_global;

    typename bin_type::numbers number_of(std::size_t i) const
    {
        typename bin_type::numbers result;
        result.firsts[0] = numbers[i].shift / 32;
        sum_type::store_shifted(result.words, numbers[i].mantissa, numbers[i].shift);
        return result;
    }

    void operator()(parprims::detail::simt::block block, shared_storage&) const
    {
        if (block.thread() != 0)
            return;
        for (std::size_t i = 0; i < n; ++i) {
            const auto copy = static_cast<std::uint32_t>(i % 2);
            const bool is_pair = i % 3 == 1 && i + 1 < n;
            if (is_global)
                sum_type::add_global(global, 1, bin_type::of(number_of(i)).words, true);
            else if (i % 3 == 0)
                bin_type::add_to_shared(shared, 2, {copy}, {bin_type::of(number_of(i))});
            else if (is_pair)
                bin_type::add_to_shared(shared, 2, {copy, 1 - copy}, {number_of(i), number_of(i + 1)});
            else
                bin_type::add_to_shared(shared, 2, {copy}, {number_of(i)});
            i += is_pair && !is_global ? 1 : 0;
        }
        if (!is_global)
            for (unsigned part = 0; part < bin_type::global_words; ++part)
                global[part] = bin_type::sum_of_copies(shared, 2, 2, 1, part);
        sum_type::load_global(result, global, 1);
    }
};

/// The words of a bin beside the largest and the lowest weights that a window holds, of 2^log2n.
template <class W, unsigned Values>
void check_window(std::uint32_t looked, int log2n)
{
    using windows_type = device::weight_windows<W, Values>;
    using digits = typename windows_type::digits;
    CAPTURE(looked);
    CAPTURE(log2n);
    const auto windows = windows_type::of(looked, log2n);
    const auto fits = [&](auto sum, int number_digits, int shift) {
        return shift >= 0 && shift / 32 <= static_cast<int>(sum.max_first) &&
               shift + number_digits + log2n < 32 * static_cast<int>(sum.shared_words);
    };
    for (const int exponent : {windows.lowest, windows.lowest + static_cast<int>(windows.room)}) {
        REQUIRE(windows.hold(digits{0, digits::field_of(exponent)}));
        REQUIRE(exponent >= digits::lowest);
        REQUIRE(fits(device::value_sum<W>{}, digits::count, exponent - windows.lowest_value));
        if (Values > 1)
            REQUIRE(fits(device::square_sum<W>{}, 2 * digits::count, 2 * exponent - windows.lowest_square));
    }
    REQUIRE(!windows.hold(digits{0, digits::field_of(windows.lowest - 1)}));
    REQUIRE(!windows.hold(digits{0, digits::field_of(digits::lowest - 1)}));  // zeros and denormals
    REQUIRE(!windows.hold(digits{0, digits::field_of(digits::highest + 1)}));
}

/// Adds a count of a profile in shared memory, of two copies, to one in device memory.
struct added_count {
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    const std::uint32_t* words;
    std::uint64_t* count;

    void operator()(parprims::detail::simt::block block, shared_storage&) const
    {
        if (block.thread() != 0)
            return;
        parprims::detail::simt::atomic_add(count,
                                           device::words_of_bin<device::count_sum>::sum_of_copies(words, 2, 2, 0, 0));
    }
};

/// Words of numbers that cancel nearly, beside those of long addition.
template <unsigned Words>
void check_words(bool is_global, std::uint64_t wraps)
{
    CAPTURE(Words);
    CAPTURE(is_global);
    for (std::size_t n = 1; n < 1000; n = n * 3 + 1) {
        memory<typename additions<Words>::number> numbers(n);
        memory<std::uint32_t> shared(2 * Words), result(Words);
        memory<std::uint64_t> global(Words);
        std::fill(shared.begin(), shared.end(), 0);
        std::fill(global.begin(), global.end(), 0);
        std::uint32_t expected[Words] = {};
        const auto add_words = [&](const std::uint32_t* words) {
            std::uint64_t carry = 0;
            for (unsigned w = 0; w < Words; ++w) {
                carry += std::uint64_t{expected[w]} + words[w];
                expected[w] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
        };
        if (is_global && Words > 2) {  // a plane that wraps once more is added, modulo the sum
            global[0] = wraps;
            std::uint32_t start[Words] = {static_cast<std::uint32_t>(wraps), static_cast<std::uint32_t>(wraps >> 32)};
            add_words(start);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t any = mix(i + Words);
            auto& number = numbers[i];
            number.mantissa = static_cast<std::int64_t>(any >> 11);
            number.mantissa = any % 2 == 0 ? number.mantissa : -number.mantissa;
            number.shift = static_cast<unsigned>((any >> 1) % (32 * Words - 53 - 11));
            std::uint32_t words[Words + 2] = {};  // bit by bit
            for (unsigned bit = 0; bit < 32 * Words; ++bit) {
                const unsigned from = bit < number.shift ? 0 : std::min(bit - number.shift, 63u);
                if (bit >= number.shift && (static_cast<std::uint64_t>(number.mantissa) >> from & 1) != 0)
                    words[bit / 32] |= 1u << bit % 32;
            }
            add_words(words);
        }
        launcher cpu(schedule_of(1), gpu_of(1, 512));
        cpu.launch({1, 32, 0},
                   additions<Words>{numbers.data(), n, shared.data(), global.data(), result.data(), is_global});
        REQUIRE(std::equal(result.begin(), result.end(), expected));
    }
}

}  // namespace

TEST_CASE("words of a sum are exact, whatever carries, and where a plane of device memory wraps")
{
    check_words<3>(false, 0);
    check_words<4>(false, 0);
    check_words<5>(false, 0);
    check_words<7>(false, 0);
    for (const std::uint64_t wraps : {std::uint64_t{0}, ~std::uint64_t{0} - 4}) {
        check_words<3>(true, wraps);
        check_words<4>(true, wraps);
        check_words<5>(true, wraps);
        check_words<7>(true, wraps);
    }
}

TEST_CASE("words have room for all weights that a window holds")
{
    using floats = device::weight_windows<float, 1>;
    for (const int log2n : {0, 1, 20, 28, 31, 36})
        for (const std::uint32_t highest : {0u, 1u, 75u, 200u, 328u, 1088u, 2058u})
            for (const std::uint32_t wide : {0u, floats::wide}) {
                check_window<float, 1>(highest | wide, log2n);
                check_window<float, 2>(highest | wide, log2n);
                check_window<double, 1>(highest | wide, log2n);
                check_window<double, 3>(highest | wide, log2n);
            }
    // The page about histograms says so, with one binade for the weights that come later.
    CHECK(floats::of(200, 28).room == 37);
    CHECK(floats::of(200 | floats::wide, 28).room == 43);
    CHECK(device::weight_windows<float, 2>::of(200 | floats::wide, 28).room == 41);
    CHECK(device::weight_windows<double, 1>::of(1000, 28).room == 70);
    CHECK(device::weight_windows<double, 1>::of(1000 | floats::wide, 28).room == 78);
    CHECK(device::weight_windows<double, 2>::of(1000, 28).room == 38);
    CHECK(device::weight_windows<double, 2>::of(1000 | floats::wide, 28).room == 44);
}

TEST_CASE("a count of one word has no sign, and a sum of counts passes 2^32")
{
    memory<std::uint32_t> words(2);
    memory<std::uint64_t> count(1);
    words[0] = 0x80000001;
    words[1] = 0xffffffff;
    count[0] = 0xffffffff;
    launcher cpu(schedule_of(1), gpu_of(1, 512));
    cpu.launch({1, 32, 0}, added_count{words.data(), count.data()});
    CHECK(count[0] == 0x27fffffff);
}

TEST_CASE("weights of any two binades are added, of all signs, in any placement")
{
    constexpr std::size_t n = 700;
    const auto axis = parprims::regular_axis(64, 0.0f, 64.0f);
    memory<float> samples(n), narrow(n);
    memory<double> wide(n);
    const float* const x = samples.data();
    std::uint64_t seed = 0;
    for (const int low : {-1074, -149, -126, -60, 0, 60, 900})
        for (const int distance : {30, 42, 45, 80, 123}) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint64_t any = mix(i * 7 + seed);
                samples[i] = static_cast<float>(any % 67) - 1;
                const double digits = static_cast<double>(any >> 11) * (any % 2 == 0 ? 0x1p-52 : -0x1p-52);
                wide[i] = std::ldexp(digits, low + (any % 5 < 2 ? distance : 0));
                narrow[i] = static_cast<float>(wide[i]);
            }
            for (const auto placement : all_placements) {
                CAPTURE(low);
                CAPTURE(distance);
                ++seed;
                check<float>(x, narrow, axis, placement, seed, 2048);
                check<double>(x, wide, axis, placement, seed, 2048);
                check<parprims::weighted_sum<double>>(x, wide, axis, placement, seed, 4096);
                check<profile_bin<double>>(x, narrow, axis, placement, seed, 4096);
            }
        }
}

TEST_CASE("weights at both ends of the range of floats are added, and infinite ones outside of all bins change none")
{
    constexpr std::size_t n = 700;
    constexpr unsigned bins = 64;  // flags of so many fill their memory
    const auto axis = parprims::regular_axis(bins, 0.0f, 1.0f * bins);
    constexpr float most = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
    memory<float> samples(n), weights(n);
    const float* const x = samples.data();
    for (const float scale : {most, 0x1p-90f, 0x1p-130f}) {
        for (std::size_t i = 0; i < n; ++i) {
            samples[i] = static_cast<float>(mix(i) % (bins + 5)) - 2;
            weights[i] = scale * weight_like<float>(weights_like::even, i, n);
            if (samples[i] < 0 || samples[i] >= bins || i % 101 == 7)
                weights[i] = i % 2 == 0 ? infinity : -infinity;
        }
        weights[n / 2] = scale;
        for (const auto placement : all_placements) {
            check<float>(x, weights, axis, placement, 3, 1024);
            check<profile_bin<float>>(x, weights, axis, placement, 5, 1024);
        }
    }
}

TEST_CASE("any number of equal values that one lane adds up fit")
{
    memory<float> samples(9001), values(9001);
    std::fill(samples.begin(), samples.end(), 3);
    std::fill(values.begin(), values.end(), 1);  // a power of two: the largest multiples
    const float* const x = samples.data();
    for (const auto placement : all_placements)
        check<profile_bin<float>>(x, values, parprims::regular_axis(64, 0.0f, 64.0f), placement, 0, 1024);
}

TEST_CASE("more samples than a block's 32-bit counts hold are added in device memory")
{
    const device::gpu_properties gpu{132, 2048, 227 * 1024, 228 * 1024};
    const auto windows_of = [&](std::size_t n, std::size_t counters) {
        const auto placement = counters > 1000 ? histogram_config::passes : histogram_config::shared;
        const histogram_config config{placement, 1024, 1, 0};
        return device::plan_weighted("test", {n, counters, counters, counters, 4, 0, 0, 6}, config, gpu).windows;
    };
    const std::size_t many = 132ull << 31;
    CHECK(windows_of(many - 1, 300) == 1);
    CHECK(windows_of(many, 300) == 0);
    CHECK(windows_of(many / 2 - 1, 12000) == 2);
    CHECK(windows_of(many / 2, 12000) == 0);
}

TEST_CASE("the sums of a block and what comes before them fit its shared memory")
{
    const device::gpu_properties gpu{132, 2048, 227 * 1024, 228 * 1024};
    for (std::size_t counters = 1; counters < 20000; ++counters) {
        const auto plan = device::plan_weighted("test", {1 << 20, counters, counters, counters, 4, 0, 0, 3},
                                                {histogram_config::passes, 1024, 1, 0}, gpu);
        REQUIRE(plan.shape.shared_bytes <= gpu.shared_bytes_per_block);
        REQUIRE(plan.window * plan.replicas * 12 + device::weighted_header_bytes <= plan.shape.shared_bytes);
    }
}
