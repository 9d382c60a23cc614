// Exact sums of segments, short, long and both, and of columns, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/device/exact/lines_dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>

#include "../../unit/support/exact_oracle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace kernel_test;
using exact_oracle::kind;

namespace {

class segments_launcher : public launcher {
public:
    segments_launcher(std::uint64_t seed, std::size_t task) : launcher(schedule_of(seed), {2}), task_(task) {}
    void change(device::exact_segments_plan& plan) const
    {
        plan.tasks = order::ceil_div(plan.tasks * plan.task, task_);
        plan.task = task_;
    }

    void change(device::exact_lines_plan& plan) const
    {
        plan.share = task_;
        plan.slices = order::ceil_div(length, task_);
    }

    std::size_t length = 0;  // of lines

private:
    std::size_t task_;
};

template <class T>
void check(kind which, const std::vector<std::uint32_t>& ends, std::size_t task, std::uint64_t seed, const char* name)
{
    using terms = parprims::detail::exact::numbers<T>;
    const std::size_t n = ends.back();
    const auto x = exact_oracle::inputs<T>(which, n, seed);
    memory<T> input(n);
    std::copy(x.begin(), x.end(), input.data());
    memory<std::uint32_t> offsets(ends.size());
    std::copy(ends.begin(), ends.end(), offsets.data());
    memory<T> output(ends.size() - 1);
    segments_launcher on(seed, task);
    device::enqueue_exact_segments<terms>(
        on, parprims::detail::offset_segments<const std::uint32_t*>{offsets.data(), n, ends.size() - 1},
        static_cast<const T*>(input.data()), device::make_output(output.data()), T{1});
    for (std::size_t s = 0; s + 1 < ends.size(); ++s) {
        const std::vector<T> part(x.begin() + ends[s], x.begin() + ends[s + 1]);
        mutants::require(same_bits(output[s], exact_oracle::sum(part, T{1})), name);
    }
}

/// Segments of one size, so that the launcher checks that the words which they share are zero again.
void check_long(std::uint64_t seed, const char* name)
{
    const auto x = exact_oracle::inputs<double>(kind::wide, 400, seed);
    memory<double> input(x.size());
    std::copy(x.begin(), x.end(), input.data());
    memory<double> output(1);
    segments_launcher on(seed, 96);
    device::enqueue_exact_segments<parprims::detail::exact::numbers<double>>(
        on, parprims::detail::fixed_segments::of(x.size(), x.size()), static_cast<const double*>(input.data()),
        device::make_output(output.data()), -0.0);
    mutants::require(same_bits(output[0], exact_oracle::sum(x, -0.0)), name);
}

template <class Values>
void check_one(const Values& x, std::uint64_t seed, const char* name)
{
    memory<double> input(x.size());
    std::copy(x.begin(), x.end(), input.data());
    memory<double> output(1);
    segments_launcher on(seed, 2 * x.size());
    device::enqueue_exact_segments<parprims::detail::exact::numbers<double>>(
        on, parprims::detail::fixed_segments::of(x.size(), x.size()), static_cast<const double*>(input.data()),
        device::make_output(output.data()), 0.0);
    mutants::require(same_bits(output[0], exact_oracle::sum(x, 0.0)), name);
}

/// So many numbers of all digits, behind one for which no window holds them, that bins of 64 bits would overflow.
void check_constant(std::uint64_t seed, const char* name)
{
    std::vector<double> x(4000, 1 - 0x1p-53);
    x.front() = 0x1p500;
    x.back() = -0x1p500;
    check_one(x, seed, name);
}

/// Numbers that are nearly half a unit of the first level, so many that the total of the next one has more than 53 bits, which are also those of
/// the result.
void check_levels(std::uint64_t seed, const char* name)
{
    std::vector<double> x(8191);
    std::mt19937_64 random(seed);
    for (double& each : x)
        each = 0.5 - static_cast<double>(random() >> 11) * 0x1p-57;
    x.front() = 0x1p20;
    x.back() = -0x1p20;
    check_one(x, seed, name);
}

/// Columns of a matrix.
template <class T>
void check_columns(const std::vector<T>& x, std::size_t columns, std::size_t share, std::uint64_t seed,
                   const char* name)
{
    const std::size_t rows = x.size() / columns;
    memory<T> input(x.size());
    std::copy(x.begin(), x.end(), input.data());
    memory<T> output(columns);
    parprims::detail::array_lines lines;
    lines.line.add({rows, static_cast<std::ptrdiff_t>(columns), 0});
    lines.lines.add({columns, 1, 1});
    segments_launcher on(seed, share);
    on.length = rows;
    device::enqueue_exact_lines<parprims::detail::exact::numbers<T>>(on, lines, static_cast<const T*>(input.data()),
                                                                     output.data(), T{1});
    for (std::size_t c = 0; c < columns; ++c) {
        std::vector<T> column;
        for (std::size_t r = 0; r < rows; ++r)
            column.push_back(x[r * columns + c]);
        mutants::require(same_bits(output[c], exact_oracle::sum(column, T{1})), name);
    }
}

/// Segments of two elements.
void check_pairs(kind which, double init, std::uint64_t seed, const char* name)
{
    const auto x = exact_oracle::inputs<double>(which, 601, seed);
    memory<double> input(x.size());
    std::copy(x.begin(), x.end(), input.data());
    const auto segments = parprims::detail::fixed_segments::of(x.size(), 2);
    memory<double> output(segments.count);
    segments_launcher on(seed, 256);
    device::enqueue_exact_segments<parprims::detail::exact::numbers<double>>(
        on, segments, static_cast<const double*>(input.data()), device::make_output(output.data()), init);
    for (std::size_t s = 0; s < segments.count; ++s) {
        const std::vector<double> part(x.begin() + static_cast<std::ptrdiff_t>(segments.begin(s)),
                                       x.begin() + static_cast<std::ptrdiff_t>(segments.end(s)));
        mutants::require(same_bits(output[s], exact_oracle::sum(part, init)), name);
    }
}

/// So many numbers in columns, most of them outside of the windows, that lanes have to pass on carries.
void check_long_columns(std::uint64_t seed, const char* name)
{
    constexpr std::size_t columns = 17, rows = 3008;
    std::vector<double> x(columns * rows, 1 - 0x1p-53);
    for (std::size_t r = 0; r < rows; r += 8)
        std::fill_n(x.data() + r * columns, columns, r % 16 == 0 ? 0x1p500 : -0x1p500);
    check_columns(x, columns, rows, seed, name);
}

/// Numbers so small that it is seen how often init is added.
void check_slices(std::uint64_t seed, const char* name)
{
    std::vector<float> x(40 * 50);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 0.25f * static_cast<float>((i + seed) % 7);
    check_columns(x, 40, 20, seed, name);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check<float>(kind::wide, {0, 3, 10, 10, 30, 37, 44}, 256, seed, "short segments");
        check<double>(kind::cancelling, {0, 40, 60, 130, 200, 230}, 256, seed, "segments of several lanes");
        std::vector<std::uint32_t> ends = {0, 600};
        while (ends.size() < 42)
            ends.push_back(ends.back() + 2);
        check<float>(kind::wide, ends, 1024, seed, "one segment for the warp");
        check<double>(kind::whole_range, {1, 2, 250, 255, 500}, 100, seed, "long segments");
        check_long(seed, "a long segment in several tasks");
        check_slices(seed, "slices of columns");
        if (!mutants::has_tsan) {
            check_constant(seed, "many doubles");
            check_levels(seed, "many doubles in a window");
            check_long_columns(seed, "many doubles in a column");
            check_pairs(kind::whole_range, 1, seed, "pairs");
            check_pairs(kind::largest, -0x1p1023, seed, "pairs whose sums overflow");
        }
    });
}
