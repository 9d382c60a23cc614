/// @file
/// @brief  What only a GPU can be given wrongly: memory it cannot reach, launches it cannot run, scratch it has no room for,
///         streams that must not wait.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace pp = parprims;

#if PARPRIMS_CUDA_COMPILER

namespace {

/// Gives memory `allowed` times, then none.
class failing_resource final : public pp::memory_resource {
public:
    explicit failing_resource(int allowed) : allowed_(allowed) {}
    int live() const { return live_; }

private:
    void* do_allocate(std::size_t bytes, pp::stream_view where) override
    {
        if (allowed_-- == 0)
            throw pp::out_of_memory(bytes, "a test");
        ++live_;
        return pp::default_memory_resource().allocate(bytes, where);
    }
    void do_deallocate(void* memory, std::size_t bytes, pp::stream_view where) noexcept override
    {
        --live_;
        pp::default_memory_resource().deallocate(memory, bytes, where);
    }

    int allowed_;
    int live_ = 0;
};

/// Runs `call(policy, out)` with ever more allocations that succeed. Until all do, nothing may be written or leaked.
template <class Value = number, class Policy, class Call>
void check_out_of_memory(const std::string& function, std::size_t outputs, const Policy& policy, Call call)
{
    for (int allowed = 0; allowed < 100; ++allowed) {
        CAPTURE(function);
        CAPTURE(allowed);
        failing_resource resource(allowed);
        const auto out = poisoned<device_backend, Value>(outputs);
        try {
            call(policy.using_memory(resource), out.begin());
        } catch (const pp::out_of_memory& error) {
            CHECK(error.bytes() > 0);
            CHECK(std::string(error.what()).find(std::to_string(error.bytes())) != std::string::npos);
            CHECK(resource.live() == 0);
            CHECK(out.untouched());
            continue;
        }
        CHECK(allowed > 0);  // or the call needs no scratch, and this test shows nothing
        CHECK(resource.live() == 0);
        CHECK(!out.untouched());
        return;
    }
    FAIL_CHECK("no end of allocations");
}

/// Has no memory, and counts the requests.
class empty_resource final : public pp::memory_resource {
public:
    int asked = 0;

private:
    void* do_allocate(std::size_t bytes, pp::stream_view) override
    {
        ++asked;
        throw pp::out_of_memory(bytes, "a test");
    }
    void do_deallocate(void*, std::size_t, pp::stream_view) noexcept override {}
};

/// A value of so many bytes that blocks leave their totals in scratch.
struct widen {
    PARPRIMS_HOST_DEVICE wide operator()(number x) const { return wide(x); }
};

template <class Config>
void check_config_refused(const Config& config, const std::string& field, const std::string& reason)
{
    const auto x = place<device_backend>(std::vector<number>(1000, 1));
    const auto out = poisoned<device_backend, number>(1000);
    const auto refused = [&](const char* function, auto call) {
        check_refused(function, "config." + field, reason, call);
    };
    const auto policy = pp::device.with(config);
    if constexpr (std::is_same_v<Config, pp::reduce_config>) {
        refused("parprims::reduce", [&] { (void)pp::reduce(policy, x.begin(), x.end(), number{0}); });
        refused("parprims::reduce_into", [&] { pp::reduce_into(policy, x.begin(), x.end(), out.begin(), number{0}); });
    } else if constexpr (std::is_same_v<Config, pp::scan_config> || std::is_same_v<Config, pp::three_phase_scan>) {
        refused("parprims::inclusive_scan", [&] { pp::inclusive_scan(policy, x.begin(), x.end(), out.begin()); });
        refused("parprims::exclusive_scan",
                [&] { pp::exclusive_scan(policy, x.begin(), x.end(), out.begin(), number{0}); });
    } else {
        refused("parprims::histogram",
                [&] { pp::histogram(policy, x.begin(), x.end(), pp::integer_axis<number>(0, 5), out.begin()); });
    }
    CHECK(out.untouched());
}

}  // namespace

TEST_CASE("[device] a histogram that cannot be placed is refused before its edges are copied")
{
    std::vector<number> edges(1000001);
    std::iota(edges.begin(), edges.end(), number{0});
    const pp::variable_axis<number> axis(edges);
    const auto x = place<device_backend>(std::vector<number>(1000, 1));
    const auto out = poisoned<device_backend, number>(axis.extent());
    empty_resource none;
    const pp::histogram_config config{pp::histogram_config::shared, 1024, 1, 0};
    check_refused("parprims::histogram", "config.placement", "fits shared memory", [&] {
        pp::histogram(pp::device.using_memory(none).with(config), x.begin(), x.end(), axis, out.begin());
    });
    CHECK(none.asked == 0);
    CHECK(out.untouched());
}

TEST_CASE("[device] [needs unreachable host memory] memory of the host is refused, as input and as output")
{
    const std::vector<number> host_values(1000, 1);
    std::vector<number> host_out(1000, 77);
    const auto x = place<device_backend>(host_values);
    const auto out = poisoned<device_backend, number>(1000);
    const char* const reason = "host memory given to a device policy; copy it with to_device() or use parprims::host";
    each_function(pp::device, host_values.data(), host_values.data() + 1000, out.begin(),
                  [&](const char* function, auto call) { check_refused(function, "first", reason, call); });
    CHECK(out.untouched());
    each_writing_function(pp::device, x.begin(), x.end(), host_out.data(), [&](const std::string& function, auto call) {
        check_refused(function, function == "parprims::histogram" ? "counts" : "out", reason, call);
    });
    const number* const first = x.begin();
    const number* const on_host = host_values.data();
    const auto on_both = [&](auto first1, auto first2, const char* argument) {
        check_refused("parprims::transform_reduce", argument, reason,
                      [&] { (void)pp::transform_reduce(pp::device, first1, first1 + 1000, first2, number(0)); });
        check_refused("parprims::transform", argument, reason,
                      [&] { pp::transform(pp::device, first1, first1 + 1000, first2, out.begin(), pp::plus{}); });
    };
    on_both(on_host, first, "first1");
    on_both(first, on_host, "first2");
    const pp::strided_iterator inside(on_host, 2);
    check_refused("parprims::inclusive_scan", "first", reason,
                  [&] { pp::inclusive_scan(pp::device, inside, inside + 500, out.begin()); });
    CHECK(out.untouched());
    pp::stream_view().synchronize();
    CHECK(host_out == std::vector<number>(1000, 77));
    check_works<device_backend>();
}

TEST_CASE(
    "[device] [needs two GPUs] memory of another GPU decides where a call runs, or is refused in a stream elsewhere")
{
    const pp::stream here;
    const auto there = [] {
        const pp::device_guard guard(1);
        return pp::to_device(std::vector<number>(100000, 1));
    }();
    const int current = pp::current_device();
    CHECK(pp::reduce(pp::device, there, number{5}) == 100005);
    const pp::transform_iterator doubled(there.data(), twice{});
    CHECK(pp::reduce(pp::device, doubled, doubled + 100000, number{5}) == 200005);
    CHECK(pp::current_device() == current);
    check_refused("parprims::reduce", "first", "memory of device 1 given to a call on device 0",
                  [&] { (void)pp::reduce(pp::device.on(here), there, number{5}); });
    const auto out = poisoned<device_backend, number>(100000);
    check_refused("parprims::inclusive_scan", "out", "memory of device 0 given to a call on device 1",
                  [&] { pp::inclusive_scan(pp::device, there, out.begin()); });
    CHECK(out.untouched());
    CHECK(pp::current_device() == current);
    check_works<device_backend>();
}

TEST_CASE("[device] launch configurations that no GPU can run are refused")
{
    check_config_refused(pp::reduce_config{33, 2, 0}, "block_threads", "33 is not a multiple of 32 from 32 to 1024");
    check_config_refused(pp::reduce_config{0, 2, 0}, "block_threads", "0 is not");
    check_config_refused(pp::reduce_config{1056, 2, 0}, "block_threads", "1056 is not");
    check_config_refused(pp::reduce_config{512, 0, 0}, "blocks_per_sm", "0 is not from 1 to 32");
    check_config_refused(pp::reduce_config{512, 33, 0}, "blocks_per_sm", "33 is not from 1 to 32");
    check_config_refused(pp::reduce_config{512, 2, 3}, "subtree_chunks", "3 is not a power of two, or 0");

    check_config_refused(pp::scan_config{48, 2, 3}, "block_threads", "48 is not");
    check_config_refused(pp::scan_config{512, 2, 1}, "stages", "1 is not from 2 to 4");
    check_config_refused(pp::scan_config{512, 2, 5}, "stages", "5 is not from 2 to 4");
    check_config_refused(pp::three_phase_scan{48, 2}, "block_threads", "48 is not");
    check_config_refused(pp::three_phase_scan{512, 33}, "blocks_per_sm", "33 is not from 1 to 32");

    check_config_refused(pp::histogram_config{pp::histogram_config::automatic, 2048, 2, 0}, "block_threads",
                         "2048 is not");
    check_config_refused(pp::histogram_config{pp::histogram_config::automatic, 512, 2, 3}, "replicas",
                         "3 is not a power of two to 32, or 0");
    check_config_refused(pp::histogram_config{pp::histogram_config::automatic, 512, 2, 64}, "replicas", "64 is not");
    check_config_refused(pp::histogram_config{static_cast<pp::histogram_config::placement_kind>(9), 512, 2, 0},
                         "placement", "9 is not a placement");
    check_works<device_backend>();
}

TEST_CASE("[device] bins that do not fit the chosen place are refused")
{
    const auto x = place<device_backend>(std::vector<number>(1000, 1));
    const number bins = 200000;
    const auto counts = poisoned<device_backend, number>(bins);
    pp::histogram_config config;
    config.placement = pp::histogram_config::shared;
    check_refused("parprims::histogram", "config.placement", "200000 is not", [&] {
        pp::histogram(pp::device.with(config), x.begin(), x.end(), pp::integer_axis<number>(0, bins), counts.begin());
    });
    CHECK(counts.untouched());
}

TEST_CASE("[device] without room for scratch nothing is written and nothing is leaked")
{
    const std::size_t n = 24000000;  // too much for what the blocks share to lie in the workspace of the stream
    const auto x = place<device_backend>(small_values<number>(n));
    const auto device = pp::device;
    const auto many_partials = device.with(pp::reduce_config{32, 1, 1});
    check_out_of_memory<wide>("parprims::transform_reduce_into", 1, many_partials, [&](auto policy, wide* out) {
        pp::transform_reduce_into(policy, x.begin(), x.end(), out, wide(0), pp::plus{}, widen{});
    });
    check_out_of_memory("parprims::inclusive_scan", n, device,
                        [&](auto policy, number* out) { pp::inclusive_scan(policy, x.begin(), x.end(), out); });
    check_out_of_memory("parprims::inclusive_scan", n, device.with(pp::three_phase_scan{}),
                        [&](auto policy, number* out) { pp::inclusive_scan(policy, x.begin(), x.end(), out); });
    check_out_of_memory("parprims::histogram", 5, device, [&](auto policy, number* out) {
        pp::histogram(policy, x.begin(), x.end(), pp::variable_axis<number>{0, 1, 2, 3, 4, 5}, out);
    });
    pp::histogram_config partitioned;
    partitioned.placement = pp::histogram_config::partitioned;
    check_out_of_memory("parprims::histogram", 300000, device.with(partitioned), [&](auto policy, number* out) {
        pp::histogram(policy, x.begin(), x.end(), pp::integer_axis<number>(0, 300000), out);
    });

    failing_resource none(0);
    CHECK_THROWS_AS((void)pp::transform_reduce(many_partials.using_memory(none), x.begin(), x.end(), wide(0),
                                               pp::plus{}, widen{}),
                    pp::out_of_memory);
    check_works<device_backend>();
}

TEST_CASE("[device] more memory than there is, is refused with the bytes asked for")
{
    const std::size_t bytes = std::size_t{1} << 50;
    try {
        const pp::device_buffer<char> too_much(bytes);
        FAIL_CHECK("no error");
    } catch (const pp::out_of_memory& error) {
        CHECK(error.bytes() == bytes);
    }
    check_works<device_backend>();
}

TEST_CASE("[device] what waits for its value is refused while the stream is captured, and the capture goes on")
{
    const std::vector<number> values(100000, 1);
    const pp::stream work;
    const pp::device_buffer<number> x = pp::to_device(values, work);
    pp::device_buffer<number> out(1, work);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    each_value_function(pp::device.on(work), x.begin(), x.end(), [](const char* function, auto call) {
        check_refused(function, "stream", "it is being captured, and this call waits for it", call);
    });
    pp::reduce_into(pp::device.on(work), x, out.begin(), number{1});
    REQUIRE(cudaStreamEndCapture(work.get(), &graph) == cudaSuccess);

    cudaGraphExec_t runnable = nullptr;
    REQUIRE(cudaGraphInstantiate(&runnable, graph, 0) == cudaSuccess);
    CHECK(cudaGraphLaunch(runnable, work.get()) == cudaSuccess);
    CHECK(out.to_host().front() == values.size() + 1);
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
    check_works<device_backend>();
}

#endif
