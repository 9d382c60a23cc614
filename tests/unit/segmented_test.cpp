/// @file
/// @brief  segmented_reduce of segments of one size and of any lengths, against `reduce` of each segment.
#include <doctest/doctest.h>

#include <parprims/reduce.hpp>
#include <parprims/segmented.hpp>
#include <parprims/stream.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace pp = parprims;

namespace {

/// Not associative, so any other order gives other bits: sums of numbers of very different sizes.
template <class T>
std::vector<T> rough_values(std::size_t n)
{
    return generate(n, [](std::uint64_t bits) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(static_cast<std::int64_t>(bits) >> bits % 48);
        else
            return static_cast<T>(bits);
    });
}

/// `reduce` of each segment on the host, whose order other tests check.
template <class T>
std::vector<T> reduced(const std::vector<T>& values, const std::vector<std::int64_t>& offsets, T init)
{
    std::vector<T> results;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        results.push_back(
            pp::reduce(pp::host.threads(1), values.begin() + offsets[s], values.begin() + offsets[s + 1], init));
    return results;
}

template <class Backend, class T>
void check_offsets(const std::vector<T>& values, const std::vector<std::int64_t>& offsets)
{
    CAPTURE(values.size());
    CAPTURE(offsets.size());
    const auto x = place<Backend>(values, 1);
    const auto at = place<Backend>(offsets);
    const auto out = poisoned<Backend, T>(offsets.size() - 1);
    const T init = static_cast<T>(3);
    const T* const end =
        pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), at.begin(), at.end(), out.begin(), init);
    CHECK(end == out.end());
    CHECK(same_values(out.read(), reduced(values, offsets, init)));
}

template <class Backend, class T>
void check_fixed(const std::vector<T>& values, std::size_t size)
{
    CAPTURE(values.size());
    CAPTURE(size);
    const auto n = static_cast<std::int64_t>(values.size());
    const auto step = static_cast<std::int64_t>(std::min(size, values.size()));
    std::vector<std::int64_t> offsets{0};
    while (offsets.back() < n)
        offsets.push_back(std::min(offsets.back() + step, n));
    const auto x = place<Backend>(values, 1);
    const auto out = poisoned<Backend, T>(offsets.size() - 1);
    const T init = static_cast<T>(3);
    CHECK(pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), size, out.begin(), init) == out.end());
    CHECK(same_values(out.read(), reduced(values, offsets, init)));
}

}  // namespace

TEST_CASE_TEMPLATE("segments of one size have the bits of their reductions", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<float> values = rough_values<float>(200001);
    for (const std::size_t size : {1, 2, 3, 31, 32, 33, 100, 128, 129, 1000, 2048, 2049, 70000, 200000, 200001, 300000})
        check_fixed<Backend>(values, size);
    check_fixed<Backend>(values, std::numeric_limits<std::size_t>::max());
    check_fixed<Backend>(rough_values<std::int8_t>(100000), 700);
}

TEST_CASE_TEMPLATE("segments of any lengths have the bits of their reductions", Backend, PARPRIMS_BACKENDS)
{
    const std::size_t n = 300000;
    const std::vector<float> values = rough_values<float>(n);
    check_offsets<Backend>(values, offsets_by(n, [](std::uint64_t bits) { return bits % 3; }));
    check_offsets<Backend>(values, offsets_by(n, [](std::uint64_t bits) { return 1 + bits % 64; }));
    check_offsets<Backend>(values, offsets_by(n, [](std::uint64_t bits) { return bits % 5000; }));
    check_offsets<Backend>(values, offsets_by(n, [](std::uint64_t bits) {
                               return (bits >> 8) % 20 != 0 ? 0 : (bits % 256) * (bits % 257);
                           }));
    std::vector<std::int64_t> one_of_everything(100000, 0);
    one_of_everything.insert(one_of_everything.end(), 100000, static_cast<std::int64_t>(n));
    check_offsets<Backend>(values, one_of_everything);
}

TEST_CASE("segments next to the size of a task of the host")
{
    const std::size_t task = pp::detail::host::segmented_task;
    const auto values = rough_values<std::int32_t>(6 * task);
    for (const std::size_t size : {task - 1, task, task + 1}) {
        check_fixed<host_backend>(values, size);
        for (const std::size_t first : {std::size_t{0}, std::size_t{1}, task / 2}) {
            std::vector<std::int64_t> offsets;
            for (std::size_t offset = first; offset <= values.size(); offset += size)
                offsets.push_back(static_cast<std::int64_t>(offset));
            check_offsets<host_backend>(values, offsets);
        }
    }
}

TEST_CASE("every small size and number of segments")
{
    for (std::size_t n = 0; n < 300; ++n) {
        check_offsets<host_backend>(rough_values<double>(n),
                                    offsets_by(n, [](std::uint64_t bits) { return bits % 40; }));
        check_fixed<host_backend>(rough_values<std::int32_t>(n), 1 + n % 37);
    }
}

TEST_CASE_TEMPLATE("segments may leave out elements, and offsets be of any integer type and iterator", Backend,
                   PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<std::int32_t>(100, 1));
    const auto offsets = place<Backend>(std::vector<std::uint16_t>{10, 20, 20, 50});
    const auto out = poisoned<Backend, std::int32_t>(3);
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), offsets.begin(), offsets.end(), out.begin(), 5);
    CHECK(out.read() == std::vector<std::int32_t>{15, 5, 35});
    const pp::counting_iterator<int> each(4);
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), each, each + 4, out.begin(), 0, pp::maximum{});
    CHECK(out.read() == std::vector<std::int32_t>{1, 1, 1});
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), each, each + 1, static_cast<std::int32_t*>(nullptr), 0);
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), each, each, static_cast<std::int32_t*>(nullptr), 0);
    pp::segmented_reduce(Backend::policy(), x.begin(), x.begin(), 7, static_cast<std::int32_t*>(nullptr), 0);
    const int* const no_offsets = nullptr;
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), no_offsets, no_offsets, out.begin(), 0);
}

TEST_CASE_TEMPLATE("segmented_reduce refuses what it cannot read or write", Backend, PARPRIMS_BACKENDS)
{
    constexpr const char* function = "parprims::segmented_reduce";
    const auto x = place<Backend>(std::vector<std::int32_t>(100, 1));
    const auto offsets = place<Backend>(std::vector<int>{0, 50, 100});
    const auto out = poisoned<Backend, std::int32_t>(100);
    const auto policy = Backend::policy();
    std::int32_t* const none = nullptr;
    const int* const no_offsets = nullptr;
    check_refused(function, "segment_size", "not 0",
                  [&] { pp::segmented_reduce(policy, x.begin(), x.end(), 0, out.begin(), 0); });
    check_refused(function, "segment_size", "not -1",
                  [&] { pp::segmented_reduce(policy, x.begin(), x.end(), -1, out.begin(), 0); });
    check_refused(function, "out", "null", [&] { pp::segmented_reduce(policy, x.begin(), x.end(), 10, none, 0); });
    check_refused(function, "first", "null", [&] { pp::segmented_reduce(policy, none, none + 3, 10, out.begin(), 0); });
    check_refused(function, "last", "before first",
                  [&] { pp::segmented_reduce(policy, x.end(), x.begin(), 10, out.begin(), 0); });
    check_refused(function, "offsets_first", "null", [&] {
        pp::segmented_reduce(policy, x.begin(), x.end(), no_offsets, no_offsets + 3, out.begin(), 0);
    });
    check_refused(function, "offsets_last", "before first", [&] {
        pp::segmented_reduce(policy, x.begin(), x.end(), offsets.end(), offsets.begin(), out.begin(), 0);
    });
    CHECK(out.untouched());
}

TEST_CASE_TEMPLATE("segmented_reduce refuses an out that overlaps the input or the offsets", Backend, PARPRIMS_BACKENDS)
{
    constexpr const char* function = "parprims::segmented_reduce";
    const auto x = place<Backend>(std::vector<std::int32_t>(100, 1));
    const auto policy = Backend::policy();
    std::int32_t* const begin = x.begin();
    const auto sizes = [&](std::int32_t* first, std::int32_t* last, int size, std::int32_t* out) {
        pp::segmented_reduce(policy, first, last, size, out, 0);
    };
    check_refused(function, "out", "overlaps [first, last)", [&] { sizes(begin, begin + 50, 1, begin); });
    check_refused(function, "out", "overlaps [first, last)", [&] { sizes(begin, begin + 50, 50, begin + 49); });
    check_refused(function, "out", "overlaps [first, last)", [&] { sizes(begin + 20, begin + 50, 10, begin + 18); });
    const auto offsets = place<Backend>(std::vector<std::int32_t>{0, 10, 20, 20, 50});
    const auto rows = [&](std::int32_t* out) {
        pp::segmented_reduce(policy, begin, begin + 50, offsets.begin(), offsets.begin() + 4, out, 0);
    };
    check_refused(function, "out", "overlaps the offsets", [&] { rows(offsets.begin()); });
    check_refused(function, "out", "overlaps the offsets", [&] { rows(offsets.begin() + 3); });
    CHECK(x.read() == std::vector<std::int32_t>(100, 1));

    sizes(begin, begin, 1, begin);            // no segment
    sizes(begin, begin + 50, 1, begin + 50);  // beside the input
    sizes(begin + 50, begin + 100, 5, begin + 40);
}

TEST_CASE("on the host segmented_reduce refuses offsets that do not ascend or lie outside")
{
    constexpr const char* function = "parprims::segmented_reduce";
    const std::vector<int> x(100, 1);
    std::vector<int> out(3, 7);
    const auto call = [&](std::vector<int> offsets) { pp::segmented_reduce(pp::host, x, offsets, out.begin(), 0); };
    check_refused(function, "offsets", "offset 2 is 101, not from 0 to the 100", [&] { call({0, 50, 101}); });
    check_refused(function, "offsets", "offset 0 is -1", [&] { call({-1, 50, 100}); });
    check_refused(function, "offsets", "offset 2 is 49, less than the 50", [&] { call({0, 50, 49, 100}); });
    CHECK(out == std::vector<int>(3, 7));
}

TEST_CASE("the examples of segmented_reduce")
{
    /// [segmented_reduce]
    const std::vector<float> pixels{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<float> sums(4);
    pp::segmented_reduce(pp::host, pixels, 2, sums.begin(), 0.0f);  // 3, 7, 11, 15
    /// [segmented_reduce]
    CHECK(sums == std::vector<float>{3, 7, 11, 15});

    /// [segmented_reduce_offsets]
    const std::vector<float> weights{4, 1, 3, 2, 6, 5};
    const std::vector<int> rows{0, 2, 2, 6};  // of a CSR matrix: row i is from rows[i] to rows[i + 1]
    std::vector<float> largest(3);
    pp::segmented_reduce(pp::host, weights, rows, largest.begin(), 0.0f, pp::maximum{});  // 4, 0, 6
    /// [segmented_reduce_offsets]
    CHECK(largest == std::vector<float>{4, 0, 6});
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] offsets that do not ascend or lie outside lead to no access outside")
{
    const auto x = place<device_backend>(std::vector<std::int32_t>(100000, 1));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto offsets = place<device_backend>(generate(
            5000, [](std::uint64_t bits) { return static_cast<std::int64_t>(bits) >> bits % 64; }, seed));
        const auto out = poisoned<device_backend, std::int32_t>(4999);
        pp::segmented_reduce(pp::device, x.begin(), x.end(), offsets.begin(), offsets.end(), out.begin(), 0);
        (void)out.read();  // checks what lies around it
    }
}

TEST_CASE("[device] a captured segmented reduction reads what is there at each replay")
{
    const std::size_t n = 100000;
    const std::vector<std::int64_t> offsets = offsets_by(n, [](std::uint64_t bits) { return bits % 9000; });
    const pp::stream work;
    pp::device_buffer<float> x(n, work), out(offsets.size() - 1, work);
    const pp::device_buffer<std::int64_t> at(offsets, work);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runnable = nullptr;
    REQUIRE(cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    pp::segmented_reduce(pp::device.on(work), x.data(), x.data() + n, at.data(), at.data() + at.size(), out.data(),
                         3.0f);
    REQUIRE(cudaStreamEndCapture(work.get(), &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&runnable, graph, 0) == cudaSuccess);
    for (std::uint64_t round = 0; round < 3; ++round) {
        CAPTURE(round);
        const std::vector<float> values = generate(
            n, [](std::uint64_t bits) { return static_cast<float>(bits % 1000003); }, round);
        x.copy_from(values);
        CHECK(cudaGraphLaunch(runnable, work.get()) == cudaSuccess);
        CHECK(same_values(out.to_host(), reduced(values, offsets, 3.0f)));
    }
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
}

TEST_CASE("[device] one segment of everything among empty ones")
{
    const std::size_t n = is_quick() ? 1 << 20 : 1 << 28;
    std::vector<std::int8_t> elements(n);  // none is 0, and neighbours differ
    for (std::size_t i = 0; i < n; ++i)
        elements[i] = static_cast<std::int8_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 24 | 1);
    const pp::device_buffer<std::int8_t> x = pp::to_device(elements);
    std::vector<std::int64_t> offsets(500000, 0);
    offsets.resize(1000000, static_cast<std::int64_t>(n));
    const pp::device_buffer<std::int64_t> at = pp::to_device(offsets);
    pp::device_buffer<std::int64_t> sums(offsets.size() - 1);
    pp::segmented_reduce(pp::device, x, at, sums.begin(), std::int64_t{5});
    std::vector<std::int64_t> expected(sums.size(), 5);
    expected[499999] = std::accumulate(elements.begin(), elements.end(), std::int64_t{5});
    CHECK(same_values(sums.to_host(), expected));
}

#endif
