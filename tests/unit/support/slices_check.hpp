/// @file
/// @brief  Calls over slices on GPUs, compared with one process on the host, for any communicator.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/slices.hpp>
#include <parprims/stream.hpp>

#include "borders.hpp"
#include "data.hpp"
#include "host_values.hpp"
#include "thread_group.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

namespace slices_check {

namespace pp = parprims;

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// What one process gets.
struct answers {
    float sum = 0, sum_from_one = 0;
    double product = 0, exact = 0;
    std::vector<float> inclusive;
    std::vector<double> exclusive;
    std::vector<std::uint32_t> counts;
    std::vector<float> weights;
};

struct square {
    PARPRIMS_HOST_DEVICE double operator()(float x) const { return static_cast<double>(x) * x; }
};

inline const pp::regular_axis<float> axis(1000, -1.0f, 1.0f);

inline answers of_one_process(const std::vector<float>& values)
{
    answers all;
    all.sum = pp::reduce(pp::host, values);
    all.sum_from_one = pp::reduce(pp::host, values, 1.0f);
    all.product = pp::transform_reduce(pp::host, values.begin(), values.end(), 0.5, pp::plus{}, square{});
    all.exact = pp::reduce(pp::host, values, 0.5, pp::exact_plus{});
    all.inclusive.resize(values.size());
    all.exclusive.resize(values.size());
    all.counts.resize(axis.extent());
    pp::inclusive_scan(pp::host, values.begin(), values.end(), all.inclusive.begin());
    pp::transform_exclusive_scan(pp::host, values.begin(), values.end(), all.exclusive.begin(), 0.25, pp::plus{},
                                 square{});
    pp::histogram(pp::host, values, axis, all.counts.begin());
    all.weights.resize(axis.extent());
    pp::weighted_histogram(pp::host, values, values.begin(), axis, all.weights.begin());
    return all;
}

/// All calls of one rank, whose GPU is current. Throws where an answer is wrong. `misalignment`: elements before the slice in its
/// memory.
template <class Communicator>
void check_rank(Communicator& world, const std::vector<float>& values, std::size_t begin, std::size_t end,
                const answers& expected, std::size_t misalignment = 0)
{
    const auto demand = [](bool holds, const char* what) {
        if (!holds)
            throw std::runtime_error(what);
    };
    const pp::stream work;
    const std::size_t n = end - begin;
    std::vector<float> shifted(misalignment, 0.0f);
    shifted.insert(shifted.end(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                   values.begin() + static_cast<std::ptrdiff_t>(end));
    const pp::device_buffer<float> memory(shifted, work);
    const float* const x = memory.data() + misalignment;
    pp::device_buffer<float> inclusive(n, work), sum(1, work);
    pp::device_buffer<double> exclusive(n, work);
    pp::device_buffer<std::uint32_t> counts(axis.extent(), work);
    pp::device_buffer<float> weights(axis.extent(), work);

    pp::slices slices(pp::device.on(work), world, n);
    const auto policy = pp::distributed(slices);
    pp::reduce_into(policy, x, x + n, sum.data(), 1.0f);
    pp::inclusive_scan(policy, x, x + n, inclusive.data());
    pp::transform_exclusive_scan(policy, x, x + n, exclusive.data(), 0.25, pp::plus{}, square{});
    pp::histogram(policy, x, x + n, axis, counts.data());
    pp::weighted_histogram(policy, x, x + n, x, axis, weights.data());
    const auto border = [&](std::size_t rank) {
        return static_cast<std::ptrdiff_t>(pp::own_counters_t::begin(axis.extent(), rank, slices.size()));
    };
    const std::ptrdiff_t first_own = border(slices.rank()), last_own = border(slices.rank() + 1);
    pp::device_buffer<std::uint32_t> own_counts(static_cast<std::size_t>(last_own - first_own), work);
    pp::histogram(policy, x, x + n, axis, own_counts.data(), pp::own_counters);
    const float reduced = pp::reduce(policy, x, x + n, 0.0f);
    const double product = pp::transform_reduce(policy, x, x + n, 0.5, pp::plus{}, square{});
    const double exact = pp::reduce(policy, x, x + n, 0.5, pp::exact_plus{});

    const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
    demand(std::bit_cast<std::uint32_t>(reduced) == std::bit_cast<std::uint32_t>(expected.sum), "reduce");
    demand(std::bit_cast<std::uint64_t>(product) == std::bit_cast<std::uint64_t>(expected.product), "transform_reduce");
    demand(std::bit_cast<std::uint64_t>(exact) == std::bit_cast<std::uint64_t>(expected.exact), "reduce, exact");
    demand(same(sum.to_host(), {expected.sum_from_one}), "reduce_into");
    demand(same(inclusive.to_host(),
                std::vector<float>(expected.inclusive.begin() + first, expected.inclusive.begin() + last)),
           "inclusive_scan");
    demand(same(exclusive.to_host(),
                std::vector<double>(expected.exclusive.begin() + first, expected.exclusive.begin() + last)),
           "transform_exclusive_scan");
    demand(same(counts.to_host(), expected.counts), "histogram");
    demand(same(weights.to_host(), expected.weights), "weighted_histogram");
    demand(same(own_counts.to_host(),
                std::vector<std::uint32_t>(expected.counts.begin() + first_own, expected.counts.begin() + last_own)),
           "histogram of own counters");
}

/// Calls `body(rank)` in a thread for each rank. The texts of what they throw.
template <class Body>
std::vector<std::string> in_threads(std::size_t ranks, Body body)
{
    thread_group threads(ranks);
    std::vector<std::string> texts;
    for (const auto& error : threads.run([&](thread_group::member& self) { body(self.rank()); }))
        texts.push_back(text_of(error));
    return texts;
}

}  // namespace slices_check
