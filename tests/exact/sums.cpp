// Exact sums for sums.py: reads inputs from stdin and writes what calls make of each to stdout, all results as doubles. An input is
//   nine integers of eight bytes (the members of `settings`), init for results of type double, init for those of type float (doubles both),
//   n elements and n factors (floats or doubles), and n bins (four bytes each), of which those from `bins` on are dropped.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>

#include <parprims/axis.hpp>
#include <parprims/by_key.hpp>
#include <parprims/distributed.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/iterator.hpp>
#include <parprims/profile.hpp>
#include <parprims/reduce.hpp>
#include <parprims/segmented.hpp>
#include <parprims/weighted_histogram.hpp>

#include "../contract/executor_memory.hpp"
#include "../unit/support/borders.hpp"
#include "../unit/support/thread_group.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace pp = parprims;

namespace {

/// How an input is summed.
struct settings {
    std::int64_t element_bytes, n, threads, segment, bins;
    std::int64_t offset;   // elements between a multiple of 256 bytes, or the start of an allocation, and the first
    std::int64_t ranks;    // of the sums over ranks; 0: none
    std::int64_t kernels;  // 1: sums by kernels, too
    std::int64_t seed;     // of the permutation, the division among ranks and the schedule of the kernels
};

bool read(void* to, std::size_t bytes)
{
    return std::fread(to, 1, bytes, stdin) == bytes;
}

template <class T>
struct elements {
    std::vector<T> x, y;
    std::vector<std::int32_t> bins;
};

template <class T>
class sums {
public:
    sums(const settings& how, elements<T> of)
        : how_(how), of_(std::move(of)), host_(pp::host.threads(static_cast<unsigned>(how.threads)))
    {
    }

    template <class Result>
    void write(Result init)
    {
        write_totals(of_, init);
        write_segments(init);
        if (how_.ranks != 0)
            write_over_ranks(init);
        if (how_.kernels != 0)
            write_of_kernels(init);
        write_totals(permuted(), init);
    }

    void write_runs()
    {
        std::vector<std::int32_t> keys(of_.x.size());
        std::vector<T> values(of_.x.size());
        values.resize(pp::reduce_by_key(host_, of_.bins.begin(), of_.bins.end(), of_.x.begin(), keys.begin(),
                                        values.begin(), pp::equal_to{}, pp::exact_plus{}));
        for (const T value : values)
            answer(value);
    }

private:
    static void answer(double result) { std::fwrite(&result, 8, 1, stdout); }

    elements<T> permuted() const
    {
        std::vector<std::size_t> order(of_.x.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), std::mt19937_64(static_cast<std::uint64_t>(how_.seed)));
        elements<T> result;
        for (const std::size_t i : order) {
            result.x.push_back(of_.x[i]);
            result.y.push_back(of_.y[i]);
            result.bins.push_back(of_.bins[i]);
        }
        return result;
    }

    /// What no permutation changes: the sum, also from the last element on, the inner product, a weighted histogram and a profile.
    template <class Result>
    void write_totals(const elements<T>& of, Result init) const
    {
        answer(pp::reduce(host_, of.x, init, pp::exact_plus{}));
        answer(pp::reduce(host_, of.x.rbegin(), of.x.rend(), init, pp::exact_plus{}));
        answer(pp::transform_reduce(host_, of.x.begin(), of.x.end(), of.y.begin(), init, pp::exact_plus{},
                                    pp::multiplies{}));
        const pp::integer_axis<std::int32_t> axis(0, how_.bins);
        std::vector<pp::weighted_sum<Result>> weighted(axis.extent());
        pp::weighted_histogram(host_, of.bins, of.x.begin(), axis, weighted.begin());
        for (const auto& each : weighted) {
            answer(each.value);
            answer(each.variance);
        }
        std::vector<pp::profile_bin<Result>> profiles(axis.extent());
        pp::profile(host_, of.bins, of.x.begin(), axis, profiles.begin());
        for (const auto& each : profiles) {
            answer(static_cast<double>(each.count));
            answer(each.mean);
            answer(each.variance);
        }
    }

    template <class Result>
    void write_segments(Result init) const
    {
        std::vector<Result> results(segments().count);
        pp::segmented_reduce(host_, of_.x, static_cast<std::size_t>(how_.segment), results.begin(), init,
                             pp::exact_plus{});
        for (const Result result : results)
            answer(result);
    }

    template <class Result>
    void write_over_ranks(Result init) const
    {
        const auto ranks = static_cast<std::size_t>(how_.ranks);
        std::mt19937 random(static_cast<unsigned>(how_.seed));
        const std::vector<std::size_t> borders = random_borders(of_.x.size(), ranks, 10, random);
        std::vector<Result> totals(ranks), products(ranks);
        const auto thrown = thread_group(ranks).run([&](thread_group::member& self) {
            const auto policy = pp::distributed(host_, self);
            const T* const first = of_.x.data() + borders[self.rank()];
            const T* const last = of_.x.data() + borders[self.rank() + 1];
            const T* const factors = of_.y.data() + borders[self.rank()];
            totals[self.rank()] = pp::reduce(policy, first, last, init, pp::exact_plus{});
            products[self.rank()] =
                pp::transform_reduce(policy, first, last, factors, init, pp::exact_plus{}, pp::multiplies{});
        });
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            if (thrown[rank])
                std::rethrow_exception(thrown[rank]);
            answer(totals[rank]);
            answer(products[rank]);
        }
    }

    /// The sum, the inner product and the sums of segments by the kernels, on the executor.
    template <class Result>
    void write_of_kernels(Result init) const
    {
        namespace exact = parprims::detail::exact;
        namespace device = parprims::detail::device;
        using product = parprims::detail::of_pair<pp::multiplies>;
        const std::size_t n = of_.x.size(), offset = static_cast<std::size_t>(how_.offset);
        contract::kernel_place<T> x(of_.x, offset), y(of_.y, 2 * offset);
        contract::kernel_place<Result> out(segments().count + 2, offset);
        auto on = launcher();
        device::enqueue_exact_sum<exact::numbers<T>>(on, x.values(), n, out.data(), init, pp::identity{});
        device::enqueue_exact_sum<exact::terms<pp::tuple<T, T>, product>>(on, pp::zip_iterator(x.values(), y.values()),
                                                                          n, out.data() + 1, init, product{});
        if (n != 0)
            device::enqueue_exact_segments<exact::sum_terms<T, Result>>(on, segments(), x.values(),
                                                                        device::make_output(out.data() + 2), init);
        for (const Result result : out.read())
            answer(result);
    }

    parprims::detail::fixed_segments segments() const
    {
        return parprims::detail::fixed_segments::of(of_.x.size(), static_cast<std::size_t>(how_.segment));
    }

    /// A GPU of 9.0, or of 8.9, which adds doubles slowly.
    contract::launcher launcher() const
    {
        const auto seed = static_cast<std::uint64_t>(how_.seed);
        parprims::detail::simt::executor::options how;
        how.order = static_cast<parprims::detail::simt::executor::schedule>(seed % 4);
        how.blocks = static_cast<parprims::detail::simt::executor::block_order>(seed / 4 % 3);
        how.resident_blocks = 1 + static_cast<unsigned>(seed / 3 % 5);
        how.seed = seed;
        return contract::launcher(how, {.multiprocessors = 2, .architecture = seed % 2 == 0 ? 90 : 89});
    }

    settings how_;
    elements<T> of_;
    pp::host_policy host_;
};

template <class T>
bool read_values(std::vector<T>& values, std::size_t n)
{
    values.resize(n);
    return read(values.data(), n * sizeof(T));
}

template <class T>
bool answer_one(const settings& how, const double (&init)[2])
{
    elements<T> of;
    const auto n = static_cast<std::size_t>(how.n);
    if (!read_values(of.x, n) || !read_values(of.y, n) || !read_values(of.bins, n))
        return false;
    sums<T> all(how, std::move(of));
    all.write(init[0]);
    all.write(static_cast<float>(init[1]));
    all.write_runs();
    return true;
}

}  // namespace

int main()
{
    settings how;
    double init[2];
    while (read(&how, sizeof how))
        if (!read(init, sizeof init) ||
            !(how.element_bytes == 8 ? answer_one<double>(how, init) : answer_one<float>(how, init)))
            return EXIT_FAILURE;
}
