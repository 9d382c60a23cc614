/// @file
/// @brief  The guide's examples that need a GPU. Plain C++: the calls are among the prebuilt types.
#include <doctest/doctest.h>

/// [readme_include]
#include <parprims/device_buffer.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>  // parprims/parprims.hpp has everything; nvcc reads it for one second more
namespace pp = parprims;
/// [readme_include]
#include <parprims/parprims.hpp>
#include <parprims/timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

/// [memory_resource]
// Counts what it hands on to the default resource.
class counting_resource final : public pp::memory_resource {
public:
    std::size_t bytes = 0;

private:
    void* do_allocate(std::size_t n, pp::stream_view where) override
    {
        bytes += n;
        return pp::default_memory_resource().allocate(n, where);
    }
    void do_deallocate(void* memory, std::size_t n, pp::stream_view where) noexcept override
    {
        pp::default_memory_resource().deallocate(memory, n, where);
    }
};
/// [memory_resource]

}  // namespace

TEST_CASE("[device] guide: the first example of README")
{
    const std::vector<float> host_values{0.25f, 0.5f, 0.125f};
    /// [readme]

    pp::device_buffer<float> x = pp::to_device(host_values);         // RAII, move-only, stream-ordered
    float total = pp::reduce(pp::device, x.begin(), x.end(), 0.0f);  // waits for the value
    pp::inclusive_scan(pp::device, x.begin(), x.end(), x.begin());   // enqueued, here in place
    pp::device_buffer<std::uint64_t> counts(256);
    pp::histogram(pp::device, x.begin(), x.end(), pp::regular_axis(256, 0.0f, 1.0f), counts.begin());
    std::vector<std::uint64_t> h = counts.to_host();

    float same = pp::reduce(pp::host, host_values.begin(), host_values.end(), 0.0f);  // same bits as on the GPU
    /// [readme]
    CHECK(total == same);
    CHECK(h[64] == 1);
}

TEST_CASE("[device] guide: streams")
{
    const std::vector<float> values{1, 2, 3};
    /// [streams]
    const pp::stream work;
    pp::device_buffer<float> x(values, work);  // allocated, copied and later freed in `work`
    const pp::device_policy policy = pp::device.on(work);
    pp::inclusive_scan(policy, x, x.begin());  // enqueued in `work`: no synchronisation between calls of one stream
    const float sum = pp::reduce(policy, x, 0.0f);  // waits for `work`, because it returns a value
    /// [streams]
    CHECK(sum == 10);
}

TEST_CASE("[device] guide: two streams")
{
    const std::vector<float> values{1, 2};
    /// [event]
    const pp::stream first, second;
    pp::device_buffer<float> x(values, first);
    pp::inclusive_scan(pp::device.on(first), x, x.begin());

    pp::event written;
    written.record(first);
    second.wait(written);                                          // the GPU waits, not this thread
    const float sum = pp::reduce(pp::device.on(second), x, 0.0f);  // returns when `second` has read x: it may be freed
    /// [event]
    CHECK(sum == 4);
    CHECK(written.is_ready());
}

TEST_CASE("[device] guide: a value that stays on the GPU")
{
    const pp::device_buffer<float> x = pp::to_device({1.0f, 2.0f, 3.0f});
    /// [into]
    pp::device_buffer<float> sum(1);
    pp::reduce_into(pp::device, x, sum.begin(), 0.0f);  // enqueued; nothing waits
    const float value = sum.to_host().front();          // waits
    /// [into]
    CHECK(value == 6);
}

TEST_CASE("[device] guide: page-locked memory")
{
    /// [pinned]
    const pp::stream work;
    pp::pinned_buffer<float> in(1 << 20), out(1);
    for (float& value : in)
        value = 1;
    pp::device_buffer<float> x(in, work);  // the copy is enqueued: it runs beside this thread at full speed
    pp::reduce_into(pp::device.on(work), x, out.begin(), 0.0f);  // a kernel can write page-locked memory
    work.synchronize();
    const float sum = out[0];
    /// [pinned]
    CHECK(sum == 1 << 20);
}

TEST_CASE("[device] guide: buffers")
{
    /// [buffers]
    pp::device_buffer<int> x = pp::to_device({1, 2, 3});
    pp::device_buffer<int> y = x.clone();  // a copy is asked for by name
    y.copy_from(std::vector{4, 5, 6});
    x = std::move(y);  // frees what x had
    const std::vector<int> values = x.to_host();
    /// [buffers]
    CHECK(values == std::vector{4, 5, 6});
}

TEST_CASE("[device] guide: memory for scratch")
{
    const pp::device_buffer<float> x = pp::to_device(std::vector<float>(100, 1.0f));
    /// [scratch]
    counting_resource resource;
    pp::device_buffer<float> sums(x.size(), {}, &resource);                  // memory of a buffer
    pp::inclusive_scan(pp::device.using_memory(resource), x, sums.begin());  // scratch of a call
    /// [scratch]
    CHECK(resource.bytes >= sums.size_bytes());
    CHECK(sums.to_host().back() == 100);
}

TEST_CASE("[device] guide: timing")
{
    const pp::device_buffer<float> x = pp::to_device(std::vector<float>(1000, 1.0f));
    pp::device_buffer<float> sums(x.size());
    /// [timer]
    pp::timer watch;
    watch.start();
    pp::inclusive_scan(pp::device, x, sums.begin());
    watch.stop();
    const std::chrono::duration<double> seconds = watch.elapsed();  // waits for the scan
    /// [timer]
    CHECK(seconds.count() > 0);
}

TEST_CASE("[device] guide: which GPU")
{
    std::vector<float> sums;
    /// [gpus]
    const int here = pp::current_device();  // of this thread
    const pp::device_info& gpu = pp::get_device_info(here);
    const std::string text = gpu.name + ", " + std::to_string(gpu.multiprocessors) + " multiprocessors";
    for (int id = 0; id < pp::device_count(); ++id) {
        const pp::device_guard on(id);  // until the end of the scope
        const pp::device_buffer<float> x = pp::to_device({1.0f, 2.0f});
        sums.push_back(pp::reduce(pp::device, x, 0.0f));  // on the GPU that holds x
    }
    /// [gpus]
    CHECK(!text.empty());
    CHECK(sums == std::vector<float>(static_cast<std::size_t>(pp::device_count()), 3.0f));
    CHECK(pp::current_device() == here);
}

TEST_CASE("[device] guide: launch configurations")
{
    const pp::device_buffer<float> x = pp::to_device(std::vector<float>(1 << 20, 0.1f));
    /// [configs]
    const float usual = pp::reduce(pp::device, x, 0.0f);
    const auto small_blocks = pp::device.with(pp::reduce_config{.block_threads = 64, .blocks_per_sm = 8});
    const float same = pp::reduce(small_blocks, x, 0.0f);  // the same bits, in another time
    /// [configs]
    CHECK(same == usual);
    pp::device_buffer<float> sums(x.size()), again(x.size());
    pp::inclusive_scan(pp::device, x, sums.begin());
    /// [scan_config]
    pp::inclusive_scan(pp::device.with(pp::scan_config{.block_threads = 128}), x, again.begin());  // the same bits
    /// [scan_config]
    CHECK(again.to_host() == sums.to_host());
    /// [three_phase]
    pp::inclusive_scan(pp::device.with(pp::three_phase_scan{}), x, again.begin());  // a textbook's scan: the same bits
    /// [three_phase]
    CHECK(again.to_host() == sums.to_host());
    /// [placement]
    const pp::histogram_config shared{.placement = pp::histogram_config::shared, .replicas = 8};
    pp::device_buffer<std::uint32_t> counts(64);
    pp::histogram(pp::device.with(shared), x, pp::regular_axis(64, 0.0f, 1.0f), counts.begin());
    /// [placement]
    CHECK(pp::reduce(pp::device, counts, 0u) == 1u << 20);
}
