/// @file
/// @brief  Calls over slices where the runtime fails, on one rank: what is thrown, by which call, and what the other ranks are
///         told.
#include <doctest/doctest.h>

#include <parprims/error.hpp>
#include <parprims/slices.hpp>
#include <parprims/staged.hpp>
#include <parprims/stream.hpp>

#include "stand_in/stand_in.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

namespace pp = parprims;
namespace device = parprims::detail::device;

namespace {

constexpr std::size_t n = 50'000;

/// A group of one rank. The memory of the stand-in's GPUs is the host's.
struct alone {
    std::function<void()> afterwards = [] {};

    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    void all_gather(const void* send, void* recv, std::size_t bytes, pp::stream_view)
    {
        std::memcpy(recv, send, bytes);
        afterwards();
    }
    void all_reduce(std::uint64_t*, std::size_t, pp::stream_view) { afterwards(); }
};

/// What `rank_check_kernel` does after a rank has failed, and how often ranks were told of a failure.
class failures {
public:
    failures()
    {
        stand_in::watch_launches([this](const void* kernel, void** parameters) {
            if (kernel == reinterpret_cast<const void*>(&device::run_kernel<device::rank_failure_kernel>))
                ++told_;
            if (kernel == reinterpret_cast<const void*>(&device::run_kernel<device::rank_check_kernel>))
                static_cast<const device::rank_check_kernel*>(parameters[0])->messages.group.failure[0] = 1;
        });
    }
    ~failures() { stand_in::watch_launches({}); }
    failures(const failures&) = delete;
    failures& operator=(const failures&) = delete;

    unsigned told() const { return told_; }

private:
    unsigned told_ = 0;
};

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

}  // namespace

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
