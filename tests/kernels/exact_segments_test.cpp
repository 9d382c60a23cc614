// The kernel of exact sums of segments on the executor, against long addition: short and long segments, and both together.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/device/exact/lines_dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include "../unit/support/exact_oracle.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

using namespace kernel_test;
using exact_oracle::kind;
namespace exact = parprims::detail::exact;

namespace {

/// Tasks of few positions, so that segments are long.
class segments_launcher : public launcher {
public:
    segments_launcher(const executor::options& how, const device::gpu_properties& gpu, std::size_t task)
        : launcher(how, gpu), task_(task)
    {
    }
    void change(device::exact_lines_plan& plan) const
    {
        if (task_ == 0)
            return;
        plan.share = task_;
        plan.slices = order::ceil_div(length, task_);
    }
    void change(device::exact_segments_plan& plan) const
    {
        if (task_ == 0)
            return;
        plan.tasks = order::ceil_div(plan.tasks * plan.task, task_);
        plan.task = task_;
    }

    std::size_t length = 0;  // of lines

private:
    std::size_t task_;
};

template <class T>
bool same_number(T a, T b)
{
    return same_bits(a, b) || (std::isnan(a) && std::isnan(b));
}

/// Lengths of segments: about `mean`, some of them 0, and now and then one of 20 times as many elements.
std::vector<std::uint32_t> offsets_of(std::size_t n, std::size_t mean, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::uint32_t> offsets{static_cast<std::uint32_t>(n == 0 ? 0 : random() % std::min<std::size_t>(n, 3))};
    while (offsets.back() < n) {
        const std::size_t length = random() % 20 == 0 ? 20 * mean : random() % 7 == 0 ? 0 : random() % (2 * mean + 1);
        offsets.push_back(static_cast<std::uint32_t>(std::min(n, offsets.back() + length)));
    }
    if (seed % 2 == 0)
        offsets.insert(offsets.end(), random() % 40, static_cast<std::uint32_t>(n));
    return offsets;
}

template <class T, class Value, class Segments, class Begin, class End>
void check_segments(const std::vector<Value>& x, const Segments& segments, Begin begin_of, End end_of,
                    std::uint64_t seed, T init)
{
    using terms = exact::sum_terms<Value, T>;
    constexpr std::size_t tasks[] = {0, 50, 64, 333, device::largest_exact_task};
    device::gpu_properties gpu{1 + static_cast<unsigned>(seed % 3)};
    gpu.architecture = seed % 5 < 3 ? 90 : 89;  // which adds doubles slowly
    segments_launcher on(schedule_of(seed), gpu, tasks[seed / 2 % 5]);
    memory<Value> input(x.size(), seed % 5 * sizeof(Value));
    std::copy(x.begin(), x.end(), input.data());
    memory<T> output(segments.count);
    device::enqueue_exact_segments<terms>(on, segments, static_cast<const Value*>(input.data()),
                                          device::make_output(output.data()), init);
    for (std::size_t s = 0; s < segments.count; ++s) {
        CAPTURE(s);
        const std::vector<Value> part(x.begin() + static_cast<std::ptrdiff_t>(begin_of(s)),
                                      x.begin() + static_cast<std::ptrdiff_t>(end_of(s)));
        REQUIRE(same_number(output[s], exact_oracle::sum(part, init)));
    }
}

template <class T>
T init_of(std::uint64_t seed)
{
    return seed % 3 == 0 ? T{0} : seed % 3 == 1 ? -T{0} : T{1} / 3;
}

constexpr std::size_t means[] = {1, 3, 20, 70, 300, 2500};

template <class Value, class T>
void check_offsets(kind which, std::size_t n, std::size_t mean, std::uint64_t seed)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(mean);
    CAPTURE(seed);
    const auto x = exact_oracle::inputs<Value>(which, n, seed);
    const auto where = offsets_of(n, mean, seed);
    memory<std::uint32_t> offsets(where.size());
    std::copy(where.begin(), where.end(), offsets.data());
    const parprims::detail::offset_segments<const std::uint32_t*> segments{offsets.data(), n, where.size() - 1};
    if (segments.count != 0)
        check_segments(
            x, segments, [&](std::size_t s) { return where[s]; }, [&](std::size_t s) { return where[s + 1]; }, seed,
            init_of<T>(seed));
}

template <class Value, class T>
void check_size(kind which, std::size_t n, std::size_t size, std::uint64_t seed)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(size);
    CAPTURE(seed);
    const auto x = exact_oracle::inputs<Value>(which, n, seed);
    using parprims::detail::fixed_segments;
    const std::size_t step = size + (seed / 2 % 3 == 0 ? 0 : seed % (3 * size));  // rows with gaps
    const auto segments = step == size || n < size ? fixed_segments::of(n, size)
                                                   : fixed_segments::lines((n - size) / step + 1, size, step);
    check_segments(
        x, segments, [&](std::size_t s) { return segments.begin(s); }, [&](std::size_t s) { return segments.end(s); },
        seed, init_of<T>(seed));
}

template <class Value, class T>
void check_all()
{
    std::uint64_t seed = 0;
    for (int which = 0; which < exact_oracle::kinds; ++which)
        for (const std::size_t mean : means) {
            const std::size_t n = mean < 300 ? 100 * mean + 13 : 5003;
            check_offsets<Value, T>(static_cast<kind>(which), n, mean, seed++);
            check_size<Value, T>(static_cast<kind>(which), n, mean, seed++ + 5);
        }
}

/// Sums of the columns of a matrix, whose results lie in reverse order: slices of few elements and of many, and warps in any order.
template <class T, class Value>
void check_columns(std::vector<Value> x, std::size_t columns, std::uint64_t seed)
{
    CAPTURE(columns);
    CAPTURE(seed);
    const std::size_t rows = x.size() / columns;
    constexpr std::size_t shares[] = {0, 7, 100, 100000};
    device::gpu_properties gpu{1 + static_cast<unsigned>(seed % 3)};
    gpu.architecture = seed % 5 < 3 ? 90 : 89;  // which adds doubles slowly
    segments_launcher on(schedule_of(seed), gpu, shares[seed % 4]);
    on.length = rows;
    memory<Value> input(x.size(), seed % 5 * sizeof(Value));
    std::copy(x.begin(), x.end(), input.data());
    memory<T> output(columns);
    const auto line = static_cast<std::ptrdiff_t>(columns);
    parprims::detail::array_lines lines;
    lines.line.add({rows, line, 0});
    lines.lines.add({columns, 1, -1});
    const T init = init_of<T>(seed);
    device::enqueue_exact_lines<exact::sum_terms<Value, T>>(on, lines, static_cast<const Value*>(input.data()),
                                                            output.data() + columns - 1, init);
    for (std::size_t c = 0; c < columns; ++c) {
        CAPTURE(c);
        std::vector<Value> column;
        for (std::size_t r = 0; r < rows; ++r)
            column.push_back(x[r * columns + c]);
        REQUIRE(same_number(output[columns - 1 - c], exact_oracle::sum(column, init)));
    }
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums of columns of every kind of input", T, float, double)
{
    struct shape {
        std::size_t rows, columns;
    };
    std::uint64_t seed = 0;
    for (int which = 0; which < exact_oracle::kinds; ++which) {
        CAPTURE(which);
        for (const shape& each : {shape{1, 40}, {3, 33}, {150, 70}, {500, 3}, {3100, 1}}) {
            ++seed;
            check_columns<T>(exact_oracle::inputs<T>(static_cast<kind>(which), each.rows * each.columns, seed),
                             each.columns, seed);
        }
    }
    check_columns<double>(exact_oracle::inputs<float>(kind::whole_range, 2000, seed), 20, seed);
    check_columns<float>(exact_oracle::inputs<double>(kind::whole_range, 2000, seed), 20, seed);
}

TEST_CASE_TEMPLATE("exact sums of segments of one and two elements of every kind of input", T, float, double)
{
    std::uint64_t seed = 0;
    for (int which = 0; which < exact_oracle::kinds; ++which)
        for (std::size_t size = 1; size <= 2; ++size)
            for (int i = 0; i < 3; ++i)
                check_size<T, T>(static_cast<kind>(which), 2399, size, seed++);
    check_size<T, T>(kind::uniform, 2399, 1, 10);  // every second element
    check_size<float, double>(kind::whole_range, 2399, 2, 0);
    check_size<double, float>(kind::whole_range, 2399, 2, 0);
}

TEST_CASE("exact sums of columns: more numbers outside of windows than bins hold without carries")
{
    constexpr std::size_t columns = 17, rows = 4000;
    std::vector<double> x(columns * rows, 1 - 0x1p-53);
    for (std::size_t r = 0; r < rows; r += 8)
        std::fill_n(x.data() + r * columns, columns, r % 16 == 0 ? 0x1p500 : -0x1p500);
    for (const std::uint64_t seed : {0u, 4u, 7u, 3u})
        check_columns<double>(x, columns, seed);
}

TEST_CASE("exact sums of columns in a window: lanes with several rounds, and totals of more digits than a double has")
{
    check_columns<float>(exact_oracle::inputs<float>(kind::uniform, 33 * 1000, 11), 33, 11);
    std::vector<double> x(16001);
    std::mt19937_64 random(7);
    for (double& each : x)
        each = 0.5 - static_cast<double>(random() >> 11) * 0x1p-57;
    x.front() = 0x1p20;
    x.back() = -0x1p20;
    check_columns<double>(x, 1, 7);
}

TEST_CASE_TEMPLATE("exact sums of segments of every kind of input", T, float, double)
{
    check_all<T, T>();
}

TEST_CASE("exact sums of segments of floats into doubles, and of doubles into floats")
{
    check_all<float, double>();
    check_all<double, float>();
}

TEST_CASE(
    "exact sums of segments: many equal numbers, in a window and, behind a much larger one, in bins that need to pass "
    "on carries")
{
    for (const double first : {1.0, 0x1p500}) {
        std::vector<double> values(40000, 1 - 0x1p-53);
        for (const std::size_t size : {1000u, 4095u, 4096u, 9000u, 20003u, 40000u}) {
            for (std::size_t i = 0; i + size <= values.size(); i += size) {
                values[i] = first;
                values[i + size - 1] = -first;
            }
            check_segments(
                values, parprims::detail::fixed_segments::of(values.size(), size),
                [&](std::size_t s) { return std::min(s * size, values.size()); },
                [&](std::size_t s) { return std::min((s + 1) * size, values.size()); }, 8 + size, 0.0);
        }
    }
}

TEST_CASE("three doubles are added and rounded once")
{
    std::mt19937_64 random(7);
    const auto number = [&](int digits, int lowest, int binades) {
        const auto mantissa = static_cast<double>(static_cast<std::int64_t>(random()) >> (64 - digits));
        return std::ldexp(mantissa, lowest + static_cast<int>(random() % static_cast<unsigned>(binades)));
    };
    for (int i = 0; i < 200000; ++i) {
        const int digits = 1 + static_cast<int>(random() % 53);
        const int lowest = i % 4 == 0 ? -1074 : i % 4 == 1 ? -190 : i % 4 == 2 ? 50 : -20;
        double x[] = {number(digits, lowest + 40, 80), number(digits, lowest, 80), number(digits, lowest, 1 + i % 60)};
        if (i % 5 == 0)
            x[1] = -x[0];
        CAPTURE(x[0]);
        CAPTURE(x[1]);
        CAPTURE(x[2]);
        parprims::detail::numeric::exact_sum<-1088, 1152> sum;
        for (const double each : x)
            sum.add_value(each);
        sum.add_value(0.0);
        REQUIRE(same_bits(parprims::detail::numeric::rounded_sum<double>(x[0], x[1], x[2]), sum.rounded<double>()));
        REQUIRE(same_bits(parprims::detail::numeric::rounded_sum<float>(x[0], x[1], x[2]), sum.rounded<float>()));
    }
}
