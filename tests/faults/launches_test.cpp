/// @file
/// @brief  What kernels are launched with: scratch that is there, and zero where they count on it. Every call finds the
///         scratch of others, full of what these left.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "stand_in/stand_in.hpp"
#include "support/launches.hpp"
#include "support/raw.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>

namespace pp = parprims;
namespace device = parprims::detail::device;
namespace order = parprims::detail::order;

namespace {

constexpr std::size_t n = 50'000;  // more than one block, tile and subtree

using float_scan_tile = device::scan_tile<pp::detail::scan_kind::inclusive, device::pointer_input<float>,
                                          device::output_for<float*>, float, pp::plus, pp::identity>;

/// Scans `n` values in one pass. A kernel that counts departures leaves zeros.
void check_single_pass(std::size_t n, bool resets)
{
    CAPTURE(n);
    using tile = float_scan_tile;
    using kernel = device::long_pass<device::scan_work<tile, float>>;
    const auto x = raw_memory<float>(n);
    pp::scan_config config;
    config.small_tiles_per_sm = 0;
    const launches_of<kernel> launches([=](const kernel& launched) {
        const auto& shared = launched.words;
        const std::size_t bytes = device::tile_words<float>::bytes(launched.work.of_tile.tiles());
        REQUIRE(launched.work.of_tile.tiles() > 1);
        REQUIRE(stand_in::is_allocated(shared.memory, bytes));
        CHECK(shared.tiles == launched.work.of_tile.tiles());
        CHECK(is_zero(shared.memory, bytes));  // the ticket, the departures, the words
        CHECK(shared.counts_departures == resets);
        if (resets) {
            *shared.departures() = 1;
            CHECK(*shared.ticket() == 0);  // they are different places
            CHECK(*shared.words() == 0);
            *shared.departures() = 0;
            return;
        }
        std::memset(shared.memory, 1, bytes);  // as the kernel leaves it
    });
    call_again_and_again(
        [&](const auto& policy) { pp::inclusive_scan(policy.with(config), x.get(), x.get() + n, x.get()); });
    CHECK(launches.count() == 4);
}

}  // namespace

TEST_CASE("a scan in one pass finds a ticket and status words that are zero, call after call")
{
    check_single_pass(n, true);
    check_single_pass(900 * order::tile<float>, true);
    check_single_pass(3000 * order::tile<float>, true);
    check_single_pass(6000 * order::tile<float>, false);
}

namespace {

/// Scans `n` values by a block for each tile, whose warps hold two rows.
/// @param  scans  before, by the word that counts arrivals; a graph that ends gives its memory to the next one
void check_small_scan(std::size_t n, std::map<const void*, std::uint64_t>& scans)
{
    CAPTURE(n);
    using kernel = device::short_pass<device::held_scan_work<float_scan_tile, float, 2>>;
    using status_type = typename kernel::words_type;
    const auto x = raw_memory<float>(n);
    const launches_of<kernel> launches([&](const kernel& launched) {
        const status_type& status = launched.words;
        REQUIRE(stand_in::is_allocated(status.arrivals, sizeof *status.arrivals));
        REQUIRE(stand_in::is_allocated(status.abandoned, status_type::abandoned_bytes));
        REQUIRE(stand_in::is_allocated(status.status, status_type::room * sizeof *status.status));
        CHECK(status_type::max_tiles >= launched.work.of_tile.tiles());
        const std::uint64_t expected = scans[status.arrivals]++;
        CHECK(*status.arrivals == expected << status_type::epoch_bits);

        // As the kernel leaves them; they are different places.
        std::memset(status.status, 1, status_type::room * sizeof *status.status);
        CHECK(is_zero(status.abandoned, status_type::abandoned_bytes));
        CHECK(*status.arrivals == expected << status_type::epoch_bits);
        *status.arrivals = (expected + 1) << status_type::epoch_bits;
        CHECK(is_zero(status.abandoned, status_type::abandoned_bytes));
    });
    call_again_and_again([&](const auto& policy) { pp::inclusive_scan(policy, x.get(), x.get() + n, x.get()); });
    CHECK(launches.count() == 4);
}

}  // namespace

TEST_CASE("a small scan finds the status words that the last one has left, or zeros")
{
    std::map<const void*, std::uint64_t> scans;
    check_small_scan(2 * order::tile<float>, scans);
    CHECK(scans.size() == 2);  // of the stream, and of what is captured
    check_small_scan(17 * order::tile<float>, scans);
}

TEST_CASE("a scan in three phases has room for all aggregates and anchors")
{
    using tile = float_scan_tile;
    using kernel = device::scan_tiles_kernel<device::scan_work<tile, float>>;
    constexpr std::size_t many = 130 * order::tile<float>;  // more than the padding of scratch hides
    const auto x = raw_memory<float>(many);
    const pp::three_phase_scan config;
    const launches_of<kernel> launches([](const kernel& launched) {
        const std::size_t tiles = launched.work.of_tile.tiles();
        const std::size_t groups = order::ceil_div(tiles, order::group_tiles);
        CHECK(stand_in::is_allocated(launched.aggregates, tiles * sizeof(float)));
        if (launched.phase == 1)
            return;
        REQUIRE(launched.phase == 3);
        CHECK(stand_in::is_allocated(launched.anchors, groups * sizeof(float)));
        CHECK(static_cast<const void*>(launched.aggregates + tiles) <= static_cast<const void*>(launched.anchors));
    });
    call_again_and_again(
        [&](const auto& policy) { pp::inclusive_scan(policy.with(config), x.get(), x.get() + many, x.get()); });
    CHECK(launches.count() == 8);  // in phase 1 and in phase 3
}

namespace {

/// A ticket and words for so many partials, all zero.
template <class Partials>
void check_partials(const Partials& partials, std::size_t count)
{
    const std::size_t bytes = Partials::bytes(count);
    REQUIRE(stand_in::is_allocated(partials.memory, bytes));
    CHECK(is_zero(partials.memory, bytes));
    CHECK(bytes >= device::memory_alignment + count * sizeof(std::uint64_t));
}

struct large {
    unsigned char bytes[1000];
};
struct first_of {
    __host__ __device__ large operator()(const large& a, const large&) const { return a; }
};

}  // namespace

TEST_CASE("a reduction finds a ticket and words for all its runs that are zero")
{
    using kernel = device::reduce_kernel<device::pointer_input<float>, float, float*, pp::plus, pp::identity>;
    constexpr std::size_t many = 3'000'000;  // too many for a warp for each column group
    const auto x = raw_memory<float>(many);
    const auto out = raw_memory<float>(1);
    const launches_of<kernel> launches([](const kernel& launched) {
        REQUIRE(launched.branches > 1);
        REQUIRE(launched.branches == order::ceil_div(launched.subtrees, std::size_t{1} << launched.branch_bits));
        check_partials(launched.partials, launched.branches);
    });
    call_again_and_again(
        [&](const auto& policy) { pp::reduce_into(policy, x.get(), x.get() + many, out.get(), 0.0f); });
    CHECK(launches.count() == 4);
}

TEST_CASE("a reduction of values whose partials are more than a workspace finds zeroed scratch")
{
    using kernel = device::reduce_kernel<device::pointer_input<large>, large, large*, first_of, pp::identity>;
    constexpr std::size_t many = 200'000;
    const auto x = raw_memory<large>(many);
    const auto out = raw_memory<large>(1);
    const launches_of<kernel> launches([](const kernel& launched) {
        REQUIRE(launched.partials.bytes(launched.branches) > pp::detail::runtime::workspace::zeroed_bytes);
        check_partials(launched.partials, launched.branches);
        std::memset(launched.partials.memory, 1, launched.partials.bytes(launched.branches));
    });
    call_again_and_again(
        [&](const auto& policy) { pp::reduce_into(policy, x.get(), x.get() + many, out.get(), large{}, first_of{}); });
    CHECK(launches.count() == 4);
}

namespace {

/// Reduces `count` floats with the small kernel, in several blocks.
void check_small_reduction(std::size_t count)
{
    using kernel = device::small_reduce_kernel<device::pointer_input<float>, float, float*, pp::plus, pp::identity>;
    CAPTURE(count);
    std::size_t groups = 0;  // 32 columns of a chunk, as far as it has elements
    for (std::size_t first = 0; first < count; first += order::chunk<float>)
        groups += (std::min<std::size_t>(count - first, order::row<float>) + 31) / 32;
    const auto x = raw_memory<float>(count);
    const auto out = raw_memory<float>(1);
    const launches_of<kernel> launches([&](const kernel& launched) {
        CHECK(launched.columns.n == count);
        CHECK(launched.group_count == groups);
        check_partials(launched.partials(), kernel::max_blocks);
    });
    call_again_and_again(
        [&](const auto& policy) { pp::reduce_into(policy, x.get(), x.get() + count, out.get(), 0.0f); });
    CHECK(launches.count() == 4);
}

}  // namespace

TEST_CASE("a small reduction finds a ticket and words for its blocks that are zero")
{
    check_small_reduction(20'000);
    check_small_reduction(2'000'000);
}

namespace {

/// Gives memory so many times, then none.
class scarce_resource final : public pp::memory_resource {
public:
    explicit scarce_resource(int allowed) : allowed_(allowed) {}

private:
    void* do_allocate(std::size_t bytes, pp::stream_view where) override
    {
        if (allowed_-- == 0)
            throw pp::out_of_memory(bytes, "a test");
        return pp::default_memory_resource().allocate(bytes, where);
    }
    void do_deallocate(void* memory, std::size_t bytes, pp::stream_view where) noexcept override
    {
        pp::default_memory_resource().deallocate(memory, bytes, where);
    }

    int allowed_;
};

}  // namespace

TEST_CASE("a segmented scan that gets only some of its memory enqueues nothing")
{
    const pp::counting_iterator<std::int64_t> first(0);
    const pp::strided_iterator offsets(first, 100);
    constexpr std::int64_t n = 200'000'000;
    for (const int allowed : {0, 1, 2}) {
        CAPTURE(allowed);
        scarce_resource resource(allowed);
        unsigned launches = 0;
        stand_in::watch_launches([&](const void*, void**) { ++launches; });
        const auto scan = [&] {
            pp::segmented_inclusive_scan(pp::device.using_memory(resource), first, first + n, offsets,
                                         offsets + n / 100 + 1, pp::discard_iterator());
        };
        if (allowed < 2)
            CHECK_THROWS_AS(scan(), pp::out_of_memory);
        else
            CHECK_NOTHROW(scan());
        stand_in::watch_launches({});
        CHECK(launches == (allowed < 2 ? 0 : 2));
    }
}
