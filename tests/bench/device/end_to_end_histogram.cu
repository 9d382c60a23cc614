// A histogram as a program sees it, from the call until the counts can be used: beside CUB with scratch that is kept; and the
// scratch that a histogram asks for.
#include "end_to_end.cuh"
#include "groups.hpp"

#include <cub/device/device_histogram.cuh>

namespace bench {

namespace {

template <class T>
void bench_histogram(report& out, const options& asked, const std::string& type, unsigned bins)
{
    const auto all = even_sizes(asked);
    const auto x = filled<T>(all.back(), random_word{7});
    pp::device_buffer<std::uint32_t> ours(bins), others(bins);
    const auto axis = pp::regular_axis(bins, 0u, 1u << (8 * sizeof(T) - 1));
    for (const std::size_t n : all) {
        const auto cub_call = [&](void* place, std::size_t& bytes) {
            check(cub::DeviceHistogram::HistogramEven(place, bytes, x.data(), others.data(), static_cast<int>(bins) + 1,
                                                      0u, 1u << (8 * sizeof(T) - 1), static_cast<long long>(n)));
        };
        auto scratch = cub_scratch(cub_call);
        std::size_t scratch_bytes = scratch.size();
        const auto our_call = [&] {
            pp::histogram(pp::device, x.data(), x.data() + n, axis, ours.data());
            pp::stream_view().synchronize();
        };
        const auto their_call = [&] {
            cub_call(scratch.data(), scratch_bytes);
            pp::stream_view().synchronize();
        };
        row next{.work = "histogram", .type = type, .n = n, .bytes = static_cast<double>(n * sizeof(T))};
        next.bins = bins;
        next.spread = "uniform";
        our_call();
        their_call();
        next.is_right = agree(ours.data(), others.data(), bins);
        take_turns(out, asked, next, "CUB", our_call, their_call);
    }
}

/// Remembers how much was held at a time.
class measuring_resource : public pp::memory_resource {
public:
    std::size_t most() const { return most_; }

private:
    void* do_allocate(std::size_t bytes, pp::stream_view where) override
    {
        most_ = std::max(most_, held_ += bytes);
        return pp::default_memory_resource().allocate(bytes, where);
    }
    void do_deallocate(void* memory, std::size_t bytes, pp::stream_view where) noexcept override
    {
        held_ -= bytes;
        pp::default_memory_resource().deallocate(memory, bytes, where);
    }

    std::size_t held_ = 0;
    std::size_t most_ = 0;
};

void bench_scratch(report& out, const options& asked)
{
    const std::size_t n = large(asked);
    const auto x = filled<std::uint32_t>(n, random_word{8});
    for (const unsigned bins : {256u, 65536u, 1u << 20, 1u << 24, 1u << 28}) {
        pp::device_buffer<std::uint32_t> counts(bins);
        const auto axis = pp::regular_axis(bins, 0u, 1u << 31);
        measuring_resource resource;
        const auto count = [&] {
            pp::histogram(pp::device.using_memory(resource), x.data(), x.data() + n, axis, counts.data());
            pp::stream_view().synchronize();
        };
        count();
        row next{.work = "scratch of a histogram", .type = "u32", .how = "end to end", .n = n};
        next.seconds = wall_seconds(count);
        next.scratch_bytes = static_cast<double>(resource.most());
        next.bins = bins;
        next.is_right = resource.most() <= std::size_t{64} << 20;
        out.add(std::move(next));
    }
}

}  // namespace

void end_to_end_histogram(report& out, const options& asked)
{
    bench_histogram<std::uint32_t>(out, asked, "u32", 256);
    bench_scratch(out, asked);
}

}  // namespace bench
