/// @file
/// @brief  The tables that fill a launch configuration where the caller names none.
#include <doctest/doctest.h>

#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/scan/tuning.hpp>

#include <cstddef>
#include <iterator>

namespace device = parprims::detail::device;
using device::tuned;

namespace {

template <class Config>
constexpr bool comes_before(const device::tuning_row<Config>& a, const device::tuning_row<Config>& b)
{
    return a.architecture != b.architecture ? a.architecture < b.architecture : a.value_bytes < b.value_bytes;
}

template <class Config, std::size_t Rows>
constexpr bool is_sorted(const device::tuning_row<Config> (&table)[Rows])
{
    for (std::size_t i = 1; i < Rows; ++i)
        if (!comes_before(table[i - 1], table[i]))
            return false;
    return table[0].value_bytes <= 1;  // the first row fits every value
}
static_assert(is_sorted(device::reduce_tuning));
static_assert(is_sorted(device::scan_tuning));
static_assert(is_sorted(device::histogram_tuning));

/// The best row by looking at all of them, whatever their order.
template <class Config, std::size_t Rows>
const Config* best_of(const device::tuning_row<Config> (&table)[Rows], int architecture, std::size_t value_bytes)
{
    const device::tuning_row<Config>* best = nullptr;
    for (const auto& row : table)
        if (row.architecture <= architecture && row.value_bytes <= value_bytes)
            if (best == nullptr || comes_before(*best, row))
                best = &row;
    return &best->config;
}

template <class Config, std::size_t Rows>
void check_choice(const device::tuning_row<Config> (&table)[Rows])
{
    for (const int architecture : {75, 80, 86, 87, 89, 90, 99, 100, 103, 110, 120, 121, 200})
        for (const std::size_t bytes : {1, 2, 4, 8, 16, 17, 32, 33, 256, 1000}) {
            CAPTURE(architecture);
            CAPTURE(bytes);
            CHECK(&tuned(table, architecture, bytes) == best_of(table, architecture, bytes));
        }
    CHECK(&tuned(table, 50, 4) == &table[0].config);
}

template <class Config, std::size_t Rows>
void check_limits(const device::tuning_row<Config> (&table)[Rows])
{
    for (const auto& row : table) {
        CAPTURE(row.architecture);
        CAPTURE(row.value_bytes);
        const unsigned threads = row.config.block_threads;
        const unsigned blocks = row.config.blocks_per_sm;
        CHECK(threads % 32 == 0);
        CHECK(threads >= 32);
        CHECK(threads <= 1024);
        CHECK(blocks >= 1);
        CHECK(blocks <= 32);
        // No more threads than a multiprocessor of the architecture holds.
        CHECK(threads * blocks <= (row.architecture == 75 ? 1024u : row.architecture == 86 ? 1536u : 2048u));
    }
}

}  // namespace

TEST_CASE("tuned gives the last row that asks for no more than the architecture and the value size")
{
    check_choice(device::reduce_tuning);
    check_choice(device::scan_tuning);
    check_choice(device::histogram_tuning);
}

TEST_CASE("every row keeps to the limits of its fields and of its architecture")
{
    check_limits(device::reduce_tuning);
    check_limits(device::scan_tuning);
    check_limits(device::histogram_tuning);
    for (const auto& row : device::reduce_tuning)
        CHECK((row.config.subtree_chunks & (row.config.subtree_chunks - 1)) == 0);
    for (const auto& row : device::scan_tuning) {
        CHECK(row.config.stages >= 2);
        CHECK(row.config.stages <= 4);
    }
    for (const auto& row : device::histogram_tuning) {
        CHECK((row.config.replicas & (row.config.replicas - 1)) == 0);
        CHECK(row.config.replicas <= 32);
    }
}
