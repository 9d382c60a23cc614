/// @file
/// @brief  Calls over slices where the runtime fails, on one rank: what is thrown, by which call, and what the other ranks are
///         told.
#include <doctest/doctest.h>

#include <parprims/error.hpp>
#include <parprims/slices.hpp>
#include <parprims/stream.hpp>

#include "stand_in/stand_in.hpp"
#include "support/alone.hpp"
#include "support/loop.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pp = parprims;
namespace device = parprims::detail::device;
using parprims::detail::runtime::result_slot;

namespace {

constexpr std::size_t n = 50'000;

template <class Error, class Call>
std::string text_of(Call call)
{
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// Takes all result slots that calls have left, so that the next call allocates.
void take_free_slots(std::vector<std::unique_ptr<result_slot>>& taken)
{
    stand_in::arm({1, true, stand_in::failure::no_memory});
    try {
        for (;;)
            taken.push_back(std::make_unique<result_slot>(1));
    } catch (const pp::out_of_memory&) {
    }
    stand_in::disarm();
}

/// What came of a failure of the runtime in a call.
struct outcome {
    bool is_reached = false;     // the planned failure
    bool is_launch = false;      // that failed first
    bool is_unreported = false;  // it came after the last exchange
};

/// Makes the call `histogram(policy)` over `slices`, and what follows it, with the failure `planned`.
template <class Slices, class Histogram>
outcome try_fault(const stand_in::fault& planned, Histogram histogram, Slices& slices, alone& group,
                  const failures& kernels)
{
    const auto call = [&] { histogram(pp::distributed(slices)); };
    call();  // its words stay in memory
    const unsigned calls = group.calls, counted = kernels.counted();
    bool is_told = false;
    group.afterwards = [&] { is_told = !stand_in::failed_calls().empty(); };
    stand_in::arm(planned);
    const bool is_refused = text_of<pp::cuda_error>(call) != "";  // at the start, where the GPU is looked up
    group.afterwards = [] {};
    CHECK(group.calls == calls + (is_refused ? 0 : 1));
    if (!planned.from_then_on)
        CHECK(kernels.counted() == counted + (is_refused ? 0 : 1));
    const std::vector<std::string> failed = stand_in::failed_calls();
    const bool is_launch = !failed.empty() && failed[0] == "cudaLaunchKernelExC";
    CHECK_FALSE((is_launch && is_refused));
    if (failed.empty() || is_refused || gives_back(failed[0])) {
        stand_in::disarm();
        return {!failed.empty()};
    }
    CAPTURE(failed[0]);
    CHECK(text_of<std::exception>([&] { slices.check(); }) != "");
    CHECK(group.calls == calls + 1 + (is_told ? 1 : 0));  // the reports
    stand_in::disarm();
    if (!is_told) {  // this rank alone knows, until the next call
        call();
        CHECK(text_of<pp::cuda_error>([&] { slices.check(); }) != "");
        CHECK(group.calls == calls + 3);
    }
    const unsigned all = group.calls;
    slices.check();
    CHECK(group.calls == all);
    return {true, is_launch, !is_told};
}

/// Fails each call of the runtime in `histogram(policy)` in turn, and then each launch together with all later ones. The
/// histogram exchanges `exchanges` times, and launches at least `min_launches` kernels.
template <class Histogram>
void check_takes_part(Histogram histogram, unsigned min_launches)
{
    const auto stream = raw_stream(0);
    for (const bool from_then_on : {false, true}) {
        CAPTURE(from_then_on);
        const auto how = from_then_on ? stand_in::failure::wrong_binary : stand_in::failure::unknown;
        unsigned launches = 0, unreported = 0;
        outcome of_call{true};
        for (unsigned call = 1; of_call.is_reached; ++call) {
            CAPTURE(call);
            const failures kernels;
            alone group;
            pp::slices slices(pp::device.on(stream.get()), group, n, 8, 1602);
            of_call = try_fault({call, from_then_on, how}, histogram, slices, group, kernels);
            launches += of_call.is_launch;
            unreported += of_call.is_unreported;
        }
        CHECK(launches >= min_launches);
        CHECK(unreported >= 1);  // the last kernel
        CHECK((from_then_on || unreported == 1));
    }
}

}  // namespace

TEST_CASE("a rank without memory for the value of reduce takes part in the call, and the other ranks are told")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n);
    const failures seen;
    alone group;
    pp::slices slices(pp::device.on(stream.get()), group, n);
    std::vector<std::unique_ptr<result_slot>> taken;
    bool is_found = false;
    for (unsigned call = 1; !is_found && call < 100; ++call) {
        take_free_slots(taken);
        group.calls = 0;
        stand_in::arm({call, false, stand_in::failure::no_memory});
        std::string thrown;
        try {
            pp::reduce(pp::distributed(slices), x.get(), x.get() + n, 0.0f);
        } catch (const pp::out_of_memory& error) {
            thrown = error.what();
        } catch (const pp::cuda_error&) {  // before the slot, where the GPU is looked up
            CHECK(group.calls == 0);
        }
        REQUIRE(!stand_in::failed_calls().empty());
        is_found = stand_in::failed_calls()[0] == "cudaHostAlloc";
        CHECK(is_found == (thrown != ""));
        stand_in::disarm();
    }
    CHECK(is_found);
    CHECK(seen.told() == 1);
    CHECK(group.calls == 2);  // the call, and reports of what failed
    slices.check();
}

TEST_CASE("a launch that fails after the exchange is thrown by check, and the other ranks are told in the next call")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n), y = raw_memory<float>(n);
    const auto call_scan = [&](const auto& policy) { pp::inclusive_scan(policy, x.get(), x.get() + n, y.get()); };
    const auto call_reduce = [&](const auto& policy) { pp::reduce_into(policy, x.get(), x.get() + n, y.get(), 0.0f); };
    const auto check = [&](auto call) {
        const failures seen;
        alone group;
        pp::slices slices(pp::device.on(stream.get()), group, n);
        const auto policy = pp::distributed(slices);
        group.afterwards = [] { stand_in::arm({1, false, stand_in::failure::unknown}); };
        call(policy);
        group.afterwards = [] {};
        stand_in::disarm();
        for (unsigned twice = 0; twice < 2; ++twice)
            CHECK(text_of<pp::cuda_error>([&] { slices.check(); }) != "");
        CHECK(seen.told() == 0);
        call(policy);
        CHECK(seen.told() == 1);
        CHECK(text_of<pp::cuda_error>([&] { slices.check(); }) != "");
        call(policy);
        CHECK(seen.told() == 1);
        slices.check();
    };
    check(call_reduce);
    check(call_scan);
}

TEST_CASE("a rank that can launch no kernel takes part in its call, and no rank waits for its report")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n), y = raw_memory<float>(n);
    const auto check = [&](auto call) {
        const failures seen;
        alone group;
        pp::slices slices(pp::device.on(stream.get()), group, n);
        const unsigned calls = group.calls;
        stand_in::arm({1, true, stand_in::failure::wrong_binary});
        CHECK(text_of<pp::cuda_error>([&] {
                  call(pp::distributed(slices));
                  slices.check();
              }) != "");
        stand_in::disarm();
        CHECK(group.calls == calls + 2);  // the call, and reports
        slices.check();
        CHECK(group.calls == calls + 2);
    };
    check([&](const auto& policy) { pp::reduce(policy, x.get(), x.get() + n, 0.0f); });
    check([&](const auto& policy) { pp::reduce_into(policy, x.get(), x.get() + n, y.get(), 0.0f); });
    check([&](const auto& policy) { pp::inclusive_scan(policy, x.get(), x.get() + n, y.get()); });
}

TEST_CASE("a rank whose launch fails after the exchange sees that another rank failed, and both are told once")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n), y = raw_memory<float>(n);
    const failures seen;
    alone group;
    pp::slices slices(pp::device.on(stream.get()), group, n);
    const auto policy = pp::distributed(slices);
    group.afterwards = [&] {
        failures::words_of(group.received)[1] = 1;  // of another rank
        stand_in::arm({1, false, stand_in::failure::unknown});
    };
    pp::reduce_into(policy, x.get(), x.get() + n, y.get(), 0.0f);
    group.afterwards = [] {};
    stand_in::disarm();
    const unsigned calls = group.calls;
    CHECK(text_of<pp::cuda_error>([&] { slices.check(); }) != "");
    CHECK(group.calls == calls + 1);
    slices.check();
    pp::reduce_into(policy, x.get(), x.get() + n, y.get(), 0.0f);
    CHECK(seen.told() == 0);
}

TEST_CASE("a histogram takes part in its call wherever the runtime fails, and all ranks are told")
{
    const auto x = raw_memory<float>(n), sums = raw_memory<float>(100);
    const auto counts = raw_memory<std::uint64_t>(100);
    const pp::regular_axis<float> axis(100, 0.0f, 1.0f);
    check_takes_part([&](const auto& policy) { pp::histogram(policy, x.get(), x.get() + n, axis, counts.get()); }, 3);
    // The sums; these as they travel, the words, the sums of all.
    check_takes_part(
        [&](const auto& policy) { pp::weighted_histogram(policy, x.get(), x.get() + n, x.get(), axis, sums.get()); },
        4);
}

TEST_CASE("the other ranks are told of a refused call even if the kernel that tells them cannot be launched")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n);
    bool is_found = false;
    for (unsigned call = 1; !is_found && call < 20; ++call) {
        CAPTURE(call);
        const failures seen;
        alone group;
        pp::slices slices(pp::device.on(stream.get()), group, n);
        group.afterwards = [&] { is_found = failures::words_of(group.received)[1] == ~std::uint64_t{}; };
        stand_in::arm({call, false, stand_in::failure::unknown});
        try {
            pp::reduce_into(pp::distributed(slices), x.get(), x.get() + n - 1, x.get(), 0.0f);
        } catch (const pp::cuda_error&) {  // at the start, where the GPU is looked up
        }
        CHECK(is_found ==
              (stand_in::failed_calls() == std::vector<std::string>{"cudaLaunchKernelExC"} && seen.told() == 0));
        stand_in::disarm();
        group.afterwards = [] {};
        if (is_found)
            CHECK(text_of<pp::invalid_argument>([&] { slices.check(); }) != "");
    }
    CHECK(is_found);
}

TEST_CASE("a launch configuration that is out of range is refused, and the other ranks are told")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n), y = raw_memory<float>(n);
    const auto check = [&](const char* text, const auto& where, auto call) {
        const failures seen;
        alone group;
        pp::slices slices(where, group, n);
        call(pp::distributed(slices));
        CHECK(seen.told() == 1);
        const std::string thrown = text_of<pp::invalid_argument>([&] { slices.check(); });
        CAPTURE(thrown);
        CHECK(thrown.starts_with(text));
    };
    const auto gpu = pp::device.on(stream.get());
    check("parprims::reduce_into: config.block_threads: 0", gpu.with(pp::reduce_config{.block_threads = 0}),
          [&](const auto& policy) { pp::reduce_into(policy, x.get(), x.get() + n, y.get(), 0.0f); });
    check("parprims::inclusive_scan: config.stages: 5", gpu.with(pp::scan_config{.stages = 5}),
          [&](const auto& policy) { pp::inclusive_scan(policy, x.get(), x.get() + n, y.get()); });
}

TEST_CASE("weights for more sums than there are counters for are refused, and the other ranks are told")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n), sums = raw_memory<float>(101);
    alone group;
    const failures seen;
    pp::slices slices(pp::device.on(stream.get()), group, n, 8, 1600);
    const unsigned calls = group.calls;
    pp::weighted_histogram(pp::distributed(slices), x.get(), x.get() + n, x.get(), pp::regular_axis(101, 0.0f, 1.0f),
                           sums.get());
    CHECK(group.calls == calls + 1);
    CHECK(text_of<pp::invalid_argument>([&] { slices.check(); }) ==
          "parprims::weighted_histogram: axis: has 101 sums of 16 counters each, slices was made for at most 1600 "
          "counters");
    slices.check();
}

TEST_CASE("more counters than memory can have are refused")
{
    const auto stream = raw_stream(0);
    alone group;
    for (const std::size_t counters : {SIZE_MAX, std::size_t{1} << 61}) {
        CAPTURE(counters);
        const std::string thrown =
            text_of<pp::invalid_argument>([&] { pp::slices(pp::device.on(stream.get()), group, n, 8, counters); });
        CHECK(thrown.starts_with("parprims::slices: counters: must be at most"));
    }
}

TEST_CASE("page-locked memory of staged messages is allocated before ranks wait for each other in a call")
{
    const auto stream = raw_stream(0);
    const auto x = raw_memory<float>(n), y = raw_memory<float>(n);
    const auto counts = raw_memory<std::uint64_t>(1000);
    alone group;
    pp::staged_communicator world(group);
    CHECK(stand_in::live().pinned_bytes != 0);  // for reports
    pp::slices slices(pp::device.on(stream.get()), world, n, 8, 1000);
    const long pinned = stand_in::live().pinned_bytes;
    bool is_constant = true;
    group.afterwards = [&] { is_constant = is_constant && stand_in::live().pinned_bytes == pinned; };
    const auto policy = pp::distributed(slices);
    pp::reduce_into(policy, x.get(), x.get() + n, y.get(), 0.0f);
    pp::histogram(policy, x.get(), x.get() + n, pp::regular_axis<float>(1000, 0.0f, 1.0f), counts.get());
    CHECK(is_constant);
}
