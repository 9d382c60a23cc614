/// @file
/// @brief  The launch configuration where the caller names none.
#include <doctest/doctest.h>

#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/scan/tuning.hpp>

#include <cstddef>

namespace device = parprims::detail::device;

namespace {

/// Checks the fields that every configuration has. A multiprocessor of the architecture must hold the threads.
template <class Config>
void check_limits(const Config& config, int architecture)
{
    const unsigned threads = config.block_threads;
    CHECK(threads % 32 == 0);
    CHECK(threads >= 32);
    CHECK(threads <= 1024);
    CHECK(config.blocks_per_sm >= 1);
    CHECK(config.blocks_per_sm <= 32);
    const bool is_small = architecture == 86 || architecture == 87 || architecture == 89 || architecture >= 110;
    CHECK(threads * config.blocks_per_sm <= (architecture == 75 ? 1024u : is_small ? 1536u : 2048u));
}

}  // namespace

TEST_CASE("every default configuration keeps to the limits of its fields and of its architecture")
{
    for (const int architecture : {75, 80, 86, 87, 89, 90, 99, 100, 103, 110, 120, 121, 200})
        for (const std::size_t bytes : {1, 2, 4, 8, 11, 12, 13, 16, 17, 32, 33, 256, 1000}) {
            CAPTURE(architecture);
            CAPTURE(bytes);
            const auto reduce = device::default_reduce(bytes);
            check_limits(reduce, architecture);
            CHECK((reduce.subtree_chunks & (reduce.subtree_chunks - 1)) == 0);
            const auto scan = device::default_scan(architecture, bytes);
            check_limits(scan, architecture);
            CHECK(scan.stages >= 2);
            CHECK(scan.stages <= 4);
            check_limits(device::default_histogram, architecture);
        }
    CHECK((device::default_histogram.replicas & (device::default_histogram.replicas - 1)) == 0);
    CHECK(device::default_histogram.replicas <= 32);
}

TEST_CASE("values of more than 16 bytes are reduced, and of 12 bytes scanned on 9.0, by blocks of fewer threads")
{
    CHECK(device::default_reduce(16).block_threads == 512);
    CHECK(device::default_reduce(17).block_threads == 256);
    CHECK(device::default_scan(90, 12).block_threads == 128);
    for (const std::size_t bytes : {4, 11, 13})
        CHECK(device::default_scan(90, bytes).block_threads == 256);
    CHECK(device::default_scan(100, 12).block_threads == 256);
    CHECK(device::default_scan(80, 4).blocks_per_sm == 2);
    CHECK(device::default_scan(86, 4).blocks_per_sm == 1);
}
