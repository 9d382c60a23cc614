/// @file
/// @brief  Scans on the device beyond what all backends share: streams, page-locked memory, 2^32 elements, launch configurations.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/iterator.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/scan.hpp>
#include <parprims/stream.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/scan_check.hpp"
#include "support/values.hpp"

#if PARPRIMS_CUDA_COMPILER

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

using word = std::uint64_t;

/// Keeps what is written to the elements from `from` on, and drops the rest.
class tail_output {
public:
    PARPRIMS_HOST_DEVICE tail_output(word* kept, std::ptrdiff_t from, std::ptrdiff_t index = 0)
        : kept_(kept), from_(from), index_(index)
    {
    }
    struct reference {
        word* target;
        PARPRIMS_HOST_DEVICE const reference& operator=(word value) const
        {
            if (target != nullptr)
                *target = value;
            return *this;
        }
    };
    using value_type = word;
    PARPRIMS_HOST_DEVICE reference operator*() const { return {index_ < from_ ? nullptr : kept_ + (index_ - from_)}; }
    PARPRIMS_HOST_DEVICE tail_output operator+(std::ptrdiff_t n) const { return {kept_, from_, index_ + n}; }

private:
    word* kept_;
    std::ptrdiff_t from_;
    std::ptrdiff_t index_;
};

}  // namespace

TEST_CASE("[device] scan takes a device_buffer, in any stream, and page-locked memory")
{
    const std::vector<float> values = small_values<float>(100000);
    const std::vector<float> expected = loop_scan(true, values, std::optional<float>(), pp::plus{});
    const pp::stream work;
    pp::device_buffer<float> x = pp::to_device(values, work);
    pp::device_buffer<float> out(values.size(), work);
    for_each_scan_policy<device_backend>([&](const auto& policy) {
        CHECK(pp::inclusive_scan(policy.on(work), x, out.begin()) == out.end());
        CHECK(out.to_host() == expected);
    });
    pp::inclusive_scan(pp::device.on(work), x, x.begin());
    CHECK(x.to_host() == expected);

    pp::pinned_buffer<float> pinned(values);
    pp::inclusive_scan(pp::device.on(work), pinned.begin(), pinned.end(), pinned.begin());
    work.synchronize();
    CHECK(std::vector<float>(pinned.begin(), pinned.end()) == expected);
}

TEST_CASE("[device] scan counts elements beyond 2^31 and 2^32")
{
    if (is_quick())
        return;
    const pp::counting_iterator<word> first(0);
    const auto check = [&](const auto& policy, word n) {
        CAPTURE(n);
        const auto kept = poisoned<device_backend, word>(100, 1);
        const auto from = static_cast<std::ptrdiff_t>(n - 100);
        pp::inclusive_scan(policy, first, first + static_cast<std::ptrdiff_t>(n), tail_output(kept.begin(), from));
        const std::vector<word> answers = kept.read();
        std::size_t wrong = 0;
        for (word i = 0; i < 100; ++i) {
            const word m = n - 100 + i;  // 0 + 1 + ... + m, modulo 2^64
            wrong += answers[i] != (m % 2 == 0 ? m / 2 * (m + 1) : (m + 1) / 2 * m);
        }
        CHECK(wrong == 0);
    };
    for_each_scan_policy<device_backend>([&](const auto& policy) {
        check(policy, (word{1} << 31) + 12345);
        check(policy, (word{1} << 32) + 77);
    });
}

template <class T>
static void check_scans_of_tiles(std::size_t tiles)
{
    CAPTURE(sizeof(T));
    CAPTURE(tiles);
    const std::size_t n = tiles * (32768 / sizeof(T)) - 77;
    const std::vector<T> values = generate(n, [](std::uint64_t bits) {
        if constexpr (std::is_floating_point_v<T>)
            return spread<T>(bits);
        else
            return static_cast<T>(bits);
    });
    const pp::device_buffer<T> x = pp::to_device(values);
    pp::device_buffer<T> out(n);
    pp::inclusive_scan(pp::device, x, out.begin());
    std::vector<T> expected(n);
    pp::inclusive_scan(pp::host, values, expected.begin());
    CHECK(first_difference(out.to_host(), expected) == n);
}

TEST_CASE("[device] scan has the bits of the host however many tiles a multiprocessor has")
{
    const std::size_t each = pp::get_device_info(pp::current_device()).multiprocessors;
    const std::vector<std::size_t> few{each + 1, 3 * each};
    const std::vector<std::size_t> all{each,         each + 1, 2 * each, 2 * each + 1, 3 * each,
                                       3 * each + 1, 512,      513,      5 * each};
    for (const std::size_t tiles : is_quick() ? few : all) {
        check_scans_of_tiles<float>(tiles);
        check_scans_of_tiles<double>(tiles);
        check_scans_of_tiles<std::int16_t>(tiles);
    }
}

TEST_CASE("[device] scan gives the same answers for every launch configuration")
{
    for (const std::size_t n : {std::size_t{5000}, is_quick() ? std::size_t{30000} : std::size_t{700001}}) {
        const std::vector<affine> maps = generate(n, [](std::uint64_t bits) {
            return affine{static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32), 1};
        });
        const std::vector<affine> expected = loop_scan(true, maps, std::optional<affine>(), then{});
        const auto x = place<device_backend>(maps, 1);
        const auto check = [&](const auto& config) {
            CAPTURE(n);
            CAPTURE(pp::to_string(config));
            const auto out = poisoned<device_backend, affine>(n);
            pp::inclusive_scan(pp::device.with(config), x.begin(), x.end(), out.begin(), then{});
            CHECK(first_difference(out.read(), expected) == n);
        };
        for (const unsigned block_threads : {32u, 96u, 512u, 992u, 1024u})
            for (const unsigned blocks_per_sm : {1u, 2u, 32u}) {
                for (const unsigned stages : {2u, 3u, 4u})
                    check(pp::scan_config{block_threads, blocks_per_sm, stages});
                check(pp::three_phase_scan{block_threads, blocks_per_sm});
            }
    }
}

TEST_CASE("[device] scan reads and writes Thrust's iterators")
{
    const std::size_t n = 300001;
    const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<word>(0), square{});
    const auto out = poisoned<device_backend, word>(n);
    pp::exclusive_scan(pp::device, squares, squares + static_cast<std::ptrdiff_t>(n), out.begin(), word{3});
    const std::vector<word> answers = out.read();
    word expected = 3;
    std::size_t wrong = 0;
    for (word i = 0; i < n; expected += i * i, ++i)
        wrong += answers[i] != expected;
    CHECK(wrong == 0);
    CHECK_NOTHROW(pp::inclusive_scan(pp::device, squares, squares + static_cast<std::ptrdiff_t>(n),
                                     thrust::make_discard_iterator()));
    CHECK_NOTHROW(pp::stream_view().synchronize());
}

#endif
