/// @file
/// @brief  Slices of several ranks on one GPU, whose messages pass through host memory: bits and errors.
#include <doctest/doctest.h>

#include <parprims/config.hpp>

#if PARPRIMS_CUDA_COMPILER

#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/slices.hpp>

#include "support/slices_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <random>
#include <string>
#include <vector>

namespace pp = parprims;
using namespace slices_check;

namespace {

/// Has no memory for its allocation number `fails_at`.
class short_memory : public pp::memory_resource {
public:
    std::size_t fails_at = ~std::size_t{};
    std::size_t allocations = 0;

private:
    void* do_allocate(std::size_t bytes, pp::stream_view where) override
    {
        if (allocations++ == fails_at)
            throw pp::out_of_memory(bytes, "device 0");
        return pp::default_memory_resource().allocate(bytes, where);
    }
    void do_deallocate(void* memory, std::size_t bytes, pp::stream_view where) noexcept override
    {
        pp::default_memory_resource().deallocate(memory, bytes, where);
    }
};

}  // namespace

TEST_CASE("slices of any lengths have the bits of one process [device]")
{
    std::mt19937 random(7);
    const std::size_t tile = order::tile<float>;
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, tile, 3 * tile + 5, 70 * tile + 333, 2100 * tile + 77}) {
        CAPTURE(n);
        const std::vector<float> values = random_values<float>(n);
        const answers expected = of_one_process(values);
        for (const std::size_t ranks : {1, 2, 3, 5, 8, 64}) {
            if (n > 1000 * tile && ranks > 3)  // many groups of tiles on a rank
                continue;
            const auto borders = random_borders(n, ranks, ranks % 2 == 0 ? tile : order::chunk<float>, random);
            CAPTURE(borders);
            thread_group group(ranks);
            const auto thrown = group.run([&](thread_group::member& self) {
                /// [staged]
                pp::staged_communicator world(
                    self);  // `self`: a communicator of host memory, as pp::mpi_communicator is
                /// [staged]
                check_rank(world, values, borders[self.rank()], borders[self.rank() + 1], expected, self.rank() % 3);
            });
            for (const auto& error : thrown)
                CHECK(text_of(error) == "");
        }
    }
}

TEST_CASE("exact sums of slices have the bits of one process, in any order [device]")
{
    std::mt19937 random(9);
    for (const std::size_t n : {0u, 1u, 5000u, 300007u}) {
        CAPTURE(n);
        std::vector<float> values = random_values<float>(n);
        const float expected = pp::reduce(pp::host, values, 0.5f, pp::exact_plus{});
        const float squares = pp::transform_reduce(pp::host, values.begin(), values.end(), values.begin(), 0.5f,
                                                   pp::exact_plus{}, pp::multiplies{});
        for (const std::size_t ranks : {1, 2, 5}) {
            std::shuffle(values.begin(), values.end(), random);
            const auto borders = random_borders(n, ranks, order::chunk<float>, random);
            thread_group group(ranks);
            const auto thrown = group.run([&](thread_group::member& self) {
                pp::staged_communicator world(self);
                const auto x = pp::to_device(
                    std::vector<float>(values.begin() + static_cast<std::ptrdiff_t>(borders[self.rank()]),
                                       values.begin() + static_cast<std::ptrdiff_t>(borders[self.rank() + 1])));
                pp::slices slices(pp::device, world, x.size());
                const auto policy = pp::distributed(slices);
                CHECK(pp::reduce(policy, x.begin(), x.end(), 0.5f, pp::exact_plus{}) == expected);
                CHECK(pp::transform_reduce(policy, x.begin(), x.end(), x.begin(), 0.5f, pp::exact_plus{},
                                           pp::multiplies{}) == squares);
                pp::device_buffer<float> out(1);
                pp::reduce_into(policy, x.begin(), x.end(), out.begin(), 0.5f, pp::exact_plus{});
                CHECK(out.to_host()[0] == expected);
            });
            for (const auto& error : thrown)
                CHECK(text_of(error) == "");
        }
    }
}

TEST_CASE("what fails on one rank is thrown on every rank by the next call that waits, and leaves the output [device]")
{
    constexpr std::size_t n = 10000;
    thread_group group(3);
    const auto check = [&](const char* bad_text, const char* other_text, auto call) {
        const auto thrown = group.run([&](thread_group::member& self) {
            pp::staged_communicator world(self);
            const pp::stream work;
            const pp::device_buffer<float> x(std::vector<float>(n, 1.0f), work);
            pp::device_buffer<float> y(std::vector<float>(n, 7.0f), work);
            pp::slices slices(pp::device.on(work), world, n);
            const auto policy = pp::distributed(slices);
            std::string text;
            try {
                call(policy, self.rank() == 1, x.data(), y.data());
                slices.check();
            } catch (const pp::invalid_argument& error) {
                text = error.what();
            }
            CHECK(text == (self.rank() == 1 ? bad_text : other_text));
            CHECK(y.to_host() == std::vector<float>(n, 7.0f));
            if (pp::reduce(policy, x.data(), x.data() + n, 0.0f) != 30000)
                throw std::runtime_error("the call after an error is wrong");
            slices.check();
        });
        for (const auto& error : thrown)
            CHECK(text_of(error) == "");
    };
    check("parprims::inclusive_scan: out: null pointer with n = 10000",
          "parprims::slices::check: rank 1: out: null pointer with n = 10000",
          [](const auto& policy, bool is_bad, const float* x, float* y) {
              pp::inclusive_scan(policy, x, x + n, is_bad ? nullptr : y);
          });
    check("parprims::reduce: last: the slice has 9999 elements, slices was made for 10000",
          "parprims::reduce: rank 1: last: the slice has 9999 elements, slices was made for 10000",
          [](const auto& policy, bool is_bad, const float* x, float*) {
              pp::reduce(policy, x, x + n - (is_bad ? 1 : 0), 0.0f);
          });
    check("parprims::histogram: counts: overlaps [first, last); use separate memory",
          "parprims::slices::check: rank 1: counts: overlaps [first, last); use separate memory",
          [](const auto& policy, bool is_bad, const float* x, float* y) {
              const float* const first = is_bad ? y : x;
              pp::histogram(policy, first, first + n, pp::regular_axis(4, 0.0f, 1.0f), y);
          });
    const char* const other_call =
        "parprims::slices::check: rank 1: calls another function than rank 0, or with another type "
        "of values, operator or axis, or another number of bins";
    check(other_call, other_call, [](const auto& policy, bool is_bad, const float* x, float* y) {
        if (is_bad)
            pp::inclusive_scan(policy, x, x + n, y, pp::maximum{});
        else
            pp::inclusive_scan(policy, x, x + n, y);
    });
}

TEST_CASE("an allocation that fails on one rank is out_of_memory on every rank [device]")
{
    constexpr std::size_t n = 4'000'000;  // of which a scan needs more scratch than the group keeps
    thread_group group(3);
    std::size_t tried = 0;
    for (bool fails = true; fails; ++tried) {
        CAPTURE(tried);
        std::vector<int> failed(3);
        const auto thrown = group.run([&](thread_group::member& self) {
            pp::staged_communicator world(self);
            const pp::stream work;
            const pp::device_buffer<float> x(std::vector<float>(n, 1.0f), work);
            pp::device_buffer<float> y(n, work);
            short_memory memory;
            memory.fails_at = self.rank() == 1 ? 1 + tried : memory.fails_at;  // the first one is that of the reports
            try {
                pp::slices slices(pp::device.on(work).using_memory(memory), world, n);
                const auto policy = pp::distributed(slices);
                pp::inclusive_scan(policy, x.data(), x.data() + n, y.data());
                (void)pp::reduce(policy, x.data(), x.data() + n, 0.0f);
            } catch (const pp::out_of_memory& error) {
                failed[self.rank()] = std::string(error.what()).ends_with("of rank 1") ? 2 : 1;
            }
            work.synchronize();
        });
        for (const auto& error : thrown)
            CHECK(text_of(error) == "");
        fails = failed[0] != 0;
        CHECK(failed == (fails ? std::vector<int>{2, 1, 2} : std::vector<int>{0, 0, 0}));
    }
    CHECK(tried > 2);
}

#endif
