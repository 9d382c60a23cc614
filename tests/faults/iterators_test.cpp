/// @file
/// @brief  Pointers inside iterators: they say on which GPU a call runs, and are refused as others are.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "stand_in/stand_in.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

constexpr std::ptrdiff_t few = 100;

struct half_of {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x / 2; }
};

struct is_small {
    PARPRIMS_HOST_DEVICE bool operator()(float x) const { return x < 1; }
};

struct first_part {
    template <class Pair>
    PARPRIMS_HOST_DEVICE float operator()(const Pair& pair) const
    {
        return get<0>(pair);
    }
};

/// Enqueues calls that read `n` elements from `first` on and write them, or what they make of them, to `out`.
template <class Iterator, class Output>
void call_all(Iterator first, std::ptrdiff_t n, Output out, std::uint32_t* counts)
{
    const auto& policy = pp::device;
    pp::reduce_into(policy, first, first + n, out, 0.0f);
    pp::inclusive_scan(policy, first, first + n, out);
    pp::transform(policy, first, first + n, out, half_of{});
    pp::copy_if_into(policy, first, first + n, out, counts, is_small{});
    pp::min_element_into(policy, first, first + n, counts);
    pp::segmented_reduce(policy, first, first + n, 10, out, 0.0f);
    pp::inclusive_scan_by_key(policy, first, first + n, first, out);
    pp::histogram(policy, first, first + n, pp::regular_axis(10, 0.0f, 1.0f), counts);
}

}  // namespace

TEST_CASE("a call runs on the GPU that the pointers inside its iterators belong to")
{
    const auto x = raw_memory<float>(few, 1), out = raw_memory<float>(few, 1);
    const auto positions = raw_memory<std::int32_t>(few, 1);
    pp::pinned_buffer<float> on_host(few);
    pp::pinned_buffer<std::uint32_t> counts(few);
    unsigned launches = 0;
    stand_in::watch_launches([&](const void*, void**) {
        ++launches;
        CHECK(stand_in::live().device == 1);
    });
    const pp::counting_iterator<std::int32_t> numbers(1000);
    const pp::permutation_iterator gathered(x.get(), numbers);
    call_all(pp::transform_iterator(pp::zip_iterator(on_host.data(), gathered), first_part{}), few,
             pp::discard_iterator(), counts.data());
    CHECK(launches >= 8);
    const auto scan = [&](auto first, auto to) {
        const unsigned before = launches;
        pp::inclusive_scan(pp::device, first, first + few, to);
        CHECK(launches > before);
    };
    scan(numbers, positions.get());
    scan(pp::transform_iterator(on_host.data(), half_of{}), pp::transform_output_iterator(out.get(), half_of{}));
    scan(pp::permutation_iterator(x.get() - 1000, numbers), pp::strided_iterator(out.get(), 1));
    scan(pp::permutation_iterator(on_host.data(), positions.get()), pp::discard_iterator());
    stand_in::watch_launches({});
    CHECK(stand_in::live().device == 0);
}

namespace {

template <class Call>
void check_refused(const std::string& argument, const std::string& reason, Call call)
{
    CAPTURE(argument);
    try {
        call();
        FAIL_CHECK("no error");
    } catch (const pp::invalid_argument& error) {
        CHECK(error.argument() == argument);
        CHECK(std::string(error.what()).find(reason) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("pointers inside iterators are refused as others are, before anything is launched")
{
    const auto x = raw_memory<float>(few), out = raw_memory<float>(few);
    const auto there = raw_memory<float>(few, 1);
    std::vector<float> on_host(few);
    const std::vector<std::int32_t> positions(few);
    float* const null = nullptr;
    stand_in::watch_launches([&](const void*, void**) { FAIL_CHECK("a kernel was launched"); });
    const auto scan = [&](auto first, auto to) { pp::inclusive_scan(pp::device, first, first + few, to); };
    check_refused("first", "null pointer", [&] { scan(pp::strided_iterator(null, 2), out.get()); });
    check_refused("first", "host memory", [&] { scan(pp::transform_iterator(on_host.data(), half_of{}), out.get()); });
    check_refused("first", "host memory",
                  [&] { scan(pp::permutation_iterator(x.get(), positions.data()), out.get()); });
    check_refused("first", "host memory", [&] {
        scan(pp::transform_iterator(pp::zip_iterator(x.get(), on_host.data()), first_part{}), out.get());
    });
    check_refused("out", "host memory",
                  [&] { scan(x.get(), pp::transform_output_iterator(on_host.data(), half_of{})); });
    check_refused("out", "memory of device 1", [&] { scan(x.get(), pp::strided_iterator(there.get(), 2)); });
    check_refused("values_first", "null pointer", [&] {
        pp::inclusive_scan_by_key(pp::device, x.get(), x.get() + few, pp::strided_iterator(null, 2), out.get());
    });
    const pp::strided_iterator none(null, 2);
    pp::inclusive_scan(pp::device, none, none, out.get());  // no elements: nothing is asked of them
    CHECK(is_poisoned(out, few));

    unsigned launches = 0;
    stand_in::watch_launches([&](const void*, void**) { ++launches; });
    scan(pp::strided_iterator(x.get() + few, -1, 1), out.get());  // the base is no element
    scan(pp::permutation_iterator(x.get() - 1000, pp::counting_iterator<std::int32_t>(1000)), out.get());
    stand_in::watch_launches({});
    CHECK(launches >= 2);
}
