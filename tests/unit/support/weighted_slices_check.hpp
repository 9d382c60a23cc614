/// @file
/// @brief  Weighted histograms over slices on GPUs, of several types, compared with one process on the host.
#pragma once

#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/weighted_histogram.hpp>
#include <parprims/weights.hpp>

#include "slices_check.hpp"

#include <cstddef>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace slices_check {

/// Pairs of samples with weights. Unless `seed % 3 == 0`, one weight is far larger than all others, so most ranks do not
/// have it. Some `narrow` weights are infinite or NaN.
struct weighted_input {
    std::vector<float> x, y, narrow;
    std::vector<double> wide;

    weighted_input(std::size_t n, unsigned seed)
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(-1.1, 1.1);
        for (std::size_t i = 0; i < n; ++i) {
            x.push_back(static_cast<float>(uniform(random)));
            y.push_back(static_cast<float>(uniform(random)));
            wide.push_back(uniform(random));
        }
        if (n != 0)
            wide[random() % n] = seed % 3 == 0 ? 1 : -5000.75;
        for (const double weight : wide)
            narrow.push_back(static_cast<float>(weight));
        for (std::size_t i = 0; i < n; i += 20011)
            narrow[i] =
                seed % 2 == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    }
};

/// The calls of one rank, whose GPU is current. Throws where a sum is wrong. `seed` decides where the memory begins, and the number
/// of bins: sums in shared memory, in windows, sorted, or in device memory.
template <class Communicator>
void check_weights(Communicator& world, const weighted_input& input, std::size_t begin, std::size_t end, unsigned seed)
{
    const pp::stream work;
    const std::size_t n = end - begin, shift = seed % 4;
    const auto copied = [&]<class T>(const std::vector<T>& all) {
        std::vector<T> mine(shift);
        mine.insert(mine.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                    all.begin() + static_cast<std::ptrdiff_t>(end));
        return pp::device_buffer<T>(mine, work);
    };
    const auto x = copied(input.x), y = copied(input.y), narrow = copied(input.narrow);
    const auto wide = copied(input.wide);
    pp::slices slices(pp::device.on(work), world, n, 8, 1'700'000);
    const auto check = [&]<class Sum>(Sum, const char* what, const auto& samples, const auto& of_host,
                                      const auto& weights, const auto& weights_of_host, const auto& bins) {
        pp::device_buffer<Sum> sums(bins.extent(), work);
        std::vector<Sum> expected(bins.extent());
        pp::weighted_histogram(pp::distributed(slices), samples, samples + static_cast<std::ptrdiff_t>(n),
                               weights.data() + shift, bins, sums.data());
        pp::weighted_histogram(pp::host.threads(1), of_host, of_host + static_cast<std::ptrdiff_t>(input.x.size()),
                               weights_of_host.begin(), bins, expected.begin());
        if (!same(sums.to_host(), expected))
            throw std::runtime_error(what);
    };
    const int many[] = {50, 9000, 40000, 100000};
    const pp::regular_axis<float> flat(many[seed % 4], -1.0f, 1.0f);
    check(0.0f, "floats", x.data() + shift, input.x.begin(), narrow, input.narrow, flat.with_flow());
    check(0.0, "into doubles", x.data() + shift, input.x.begin(), narrow, input.narrow, flat);
    check(pp::weighted_sum<double>{}, "pairs", pp::zip_iterator(x.data() + shift, y.data() + shift),
          pp::zip_iterator(input.x.begin(), input.y.begin()), wide, input.wide,
          pp::product_axis(pp::regular_axis<float>(30, -1.0f, 1.0f), pp::variable_axis<float>{-1, 0, 0.5, 0.75, 1}));
    slices.check();
}

}  // namespace slices_check
