/// @file
/// @brief  device_buffer: what it holds and is made of, and whose memory it is. What pinned_buffer does, too, is tested of both.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>

#include "support/buffers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pp = parprims;

namespace {

struct large {
    std::array<std::uint64_t, 32> words;
    friend bool operator==(const large&, const large&) = default;
};
static_assert(sizeof(large) == 256);

struct alignas(256) aligned_to_256 {
    int value;
    friend bool operator==(const aligned_to_256&, const aligned_to_256&) = default;
};

/// Passes everything on to the default resource and counts it.
class counting_resource final : public pp::memory_resource {
public:
    int allocations = 0;
    int deallocations = 0;
    std::size_t live_bytes = 0;
    pp::stream_view last_stream;

private:
    void* do_allocate(std::size_t bytes, pp::stream_view where) override
    {
        void* const memory = pp::default_memory_resource().allocate(bytes, where);
        ++allocations;
        live_bytes += bytes;
        last_stream = where;
        return memory;
    }
    void do_deallocate(void* memory, std::size_t bytes, pp::stream_view where) noexcept override
    {
        ++deallocations;
        live_bytes -= bytes;
        last_stream = where;
        pp::default_memory_resource().deallocate(memory, bytes, where);
    }
};

template <class T, class... Arguments>
concept makes_buffer = std::is_constructible_v<pp::device_buffer<T>, Arguments...>;

// Not in a template: nvcc before g++ 13 loses the type of the exception there.
void check_refused(const std::function<void()>& copy, const std::string& message)
{
    CHECK_THROWS_WITH_AS(copy(), message.c_str(), pp::invalid_argument);
}

template <class Buffer>
void check_another_size(Buffer empty, const std::string& name)
{
    std::vector<int> three(3);
    check_refused([&] { empty.copy_from(three); }, name + "::copy_from: values: 3 elements given, the buffer has 0");
    check_refused([&] { empty.copy_to(three); }, name + "::copy_to: target: 3 elements given, the buffer has 0");
}

}  // namespace

static_assert(!std::is_copy_constructible_v<pp::device_buffer<int>> &&
              !std::is_copy_assignable_v<pp::device_buffer<int>>);
static_assert(!makes_buffer<int, pp::device_buffer<int>&>, "copying is spelt clone()");
static_assert(std::is_nothrow_move_constructible_v<pp::device_buffer<int>>);
static_assert(std::is_nothrow_move_assignable_v<pp::device_buffer<int>>);
static_assert(std::is_nothrow_default_constructible_v<pp::device_buffer<int>>);
static_assert(!std::is_convertible_v<std::size_t, pp::device_buffer<int>>);
static_assert(!std::is_convertible_v<std::vector<int>, pp::device_buffer<int>>, "a copy to the device is visible");
static_assert(makes_buffer<int, std::vector<int>&> && makes_buffer<int, const std::vector<int>&> &&
              makes_buffer<int, std::vector<int>> && makes_buffer<int, std::span<const int>> &&
              makes_buffer<int, int (&)[3]> && makes_buffer<int, pp::pinned_buffer<int>&>);
static_assert(!makes_buffer<int, std::vector<float>&>, "elements are copied as bytes, never converted");
static_assert(!makes_buffer<int, std::list<int>&>, "elements must lie side by side");
static_assert(std::ranges::contiguous_range<pp::device_buffer<int>>);
static_assert(std::is_same_v<decltype(std::declval<pp::device_buffer<int>&>().begin()), int*>);
static_assert(std::is_same_v<decltype(std::declval<const pp::device_buffer<int>&>().begin()), const int*>);

TEST_CASE_TEMPLATE("a buffer of no elements asks nothing of a GPU", Buffer, pp::device_buffer<int>,
                   pp::pinned_buffer<int>)
{
    Buffer empty(0);
    CHECK(empty.empty());
    CHECK(empty.size() == 0);
    CHECK(empty.size_bytes() == 0);
    CHECK(empty.data() == nullptr);
    CHECK(empty.begin() == empty.end());
    CHECK(empty.cbegin() == empty.cend());
    CHECK(empty.to_host().empty());
    CHECK(empty.clone().empty());
    CHECK(Buffer(std::vector<int>()).empty());
    CHECK_NOTHROW(empty.copy_from(std::vector<int>()));
    std::vector<int> target;
    CHECK_NOTHROW(empty.copy_to(target));
}

TEST_CASE("a device_buffer of no elements has no device")
{
    pp::device_buffer<int> empty(0);
    CHECK(empty.device() == -1);
    CHECK_NOTHROW(empty.copy_from(pp::device_buffer<int>()));
    CHECK(pp::to_device(std::vector<int>()).empty());
    CHECK(pp::to_device(std::span<int>()).empty());
}

TEST_CASE("a buffer of no elements remembers its stream and its resource")
{
    counting_resource resource;
    const pp::stream_view some(reinterpret_cast<CUstream_st*>(std::size_t{0x2}));
    const pp::device_buffer<int> empty(0, some, &resource);
    CHECK(empty.stream() == some);
    CHECK(empty.resource() == &resource);
    CHECK(resource.allocations == 0);
}

TEST_CASE("a buffer of no elements needs no default constructor")
{
    CHECK(pp::device_buffer<no_default>(0).to_host().empty());
    CHECK(pp::device_buffer<bool>(0).to_host().empty());
    CHECK(pp::pinned_buffer<no_default>(0).to_host().empty());
}

TEST_CASE_TEMPLATE("empty buffers can be moved", Buffer, pp::device_buffer<int>, pp::pinned_buffer<int>)
{
    Buffer a;
    Buffer b(std::move(a));
    a = std::move(b);
    CHECK(a.empty());
    CHECK(b.empty());
}

TEST_CASE("more bytes than an address can count are out_of_memory, GPU or none")
{
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    CHECK_THROWS_AS(pp::device_buffer<int>(most / 4 + 1), pp::out_of_memory);
    CHECK_THROWS_AS(pp::device_buffer<large>(most / 256 + 1), pp::out_of_memory);
    CHECK_THROWS_AS(pp::device_buffer<no_default>(most / 2), pp::out_of_memory);
    CHECK_THROWS_AS(pp::pinned_buffer<int>(most / 4 + 1), pp::out_of_memory);
}

TEST_CASE("another number of elements is refused, with both numbers")
{
    check_another_size(pp::device_buffer<int>(), "parprims::device_buffer");
    check_another_size(pp::pinned_buffer<int>(), "parprims::pinned_buffer");
}

TEST_CASE("without a GPU a buffer is refused by a cuda_error in its name")
{
    if (pp::device_count() != 0)
        return;
    for (const auto& make : {+[] { pp::device_buffer<int>(1); }, +[] { (void)pp::to_device({1, 2, 3}); }}) {
        try {
            make();
            FAIL("no error");
        } catch (const pp::cuda_error& error) {
            CAPTURE(error.what());
            CHECK(std::string(error.what()).starts_with("parprims::device_buffer: "));
        }
    }
}

TEST_CASE("[device] values come back as they went")
{
    for (const std::size_t n : {1, 2, 31, 32, 33, 1000, 1 << 20, (1 << 20) + 1}) {
        CAPTURE(n);
        const std::vector<int> values = numbers(n);
        const pp::device_buffer<int> buffer = pp::to_device(values);
        CHECK(buffer.size() == n);
        CHECK(buffer.size_bytes() == n * sizeof(int));
        CHECK(static_cast<std::size_t>(buffer.end() - buffer.begin()) == n);
        CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
        CHECK(buffer.to_host() == values);
    }
}

TEST_CASE("[device] a buffer is filled from every kind of contiguous range")
{
    const std::vector<int> expected = {1, 2, 3};
    const std::vector<int> vector = expected;
    const std::array<int, 3> array = {1, 2, 3};
    const int plain[] = {1, 2, 3};
    const pp::pinned_buffer<int> pinned(expected);
    CHECK(pp::to_device(vector).to_host() == expected);
    CHECK(pp::to_device(std::vector<int>{1, 2, 3}).to_host() == expected);
    CHECK(pp::to_device(array).to_host() == expected);
    CHECK(pp::to_device(plain).to_host() == expected);
    CHECK(pp::to_device(std::span(vector)).to_host() == expected);
    CHECK(pp::to_device({1, 2, 3}).to_host() == expected);
    CHECK(pp::to_device(plain, plain + 3).to_host() == expected);
    CHECK(pp::to_device(vector.begin(), vector.end()).to_host() == expected);
    CHECK(pp::to_device(pinned).to_host() == expected);
}

TEST_CASE("[device] elements without a default constructor come back")
{
    const std::vector<no_default> values = {no_default(1), no_default(-2), no_default(3)};
    CHECK(pp::to_device(values).to_host() == values);
}

TEST_CASE("[device] bools come back")
{
    const std::array<bool, 5> values = {true, false, false, true, true};
    CHECK(pp::to_device(values).to_host() == std::vector<bool>(values.begin(), values.end()));
}

TEST_CASE("[device] large and over-aligned elements come back")
{
    std::vector<large> values_of_256_bytes(1000);
    std::vector<aligned_to_256> aligned(1000);
    for (std::size_t i = 0; i < values_of_256_bytes.size(); ++i) {
        values_of_256_bytes[i].words.fill(i);
        aligned[i].value = static_cast<int>(i);
    }
    CHECK(pp::to_device(values_of_256_bytes).to_host() == values_of_256_bytes);
    CHECK(pp::to_device(aligned).to_host() == aligned);
}

TEST_CASE("[device] a moved-from buffer is empty and can be used again")
{
    const std::vector<int> values = numbers(100);
    pp::device_buffer<int> a = pp::to_device(values);
    int* const memory = a.data();
    pp::device_buffer<int> b = std::move(a);
    CHECK(b.data() == memory);
    CHECK(b.to_host() == values);
    CHECK(a.empty());
    CHECK(a.data() == nullptr);
    CHECK(a.to_host().empty());
    a = pp::to_device(values);
    CHECK(a.to_host() == values);
}

TEST_CASE("[device] a buffer survives being moved to itself")
{
    const std::vector<int> values = numbers(100);
    pp::device_buffer<int> a = pp::to_device(values);
    pp::device_buffer<int>& same = a;
    a = std::move(same);
    CHECK(a.to_host() == values);
}

TEST_CASE("[device] memory comes from the resource, in the stream, and goes back there once")
{
    counting_resource resource;
    const pp::stream work;
    {
        pp::device_buffer<int> a(1000, work, &resource);
        CHECK(a.resource() == &resource);
        CHECK(a.stream() == work.view());
        CHECK(a.device() == work.view().device());
        CHECK(resource.live_bytes == 4000);
        CHECK(resource.last_stream == work.view());
        pp::device_buffer<int> b(10, work, &resource);
        b = std::move(a);
        CHECK(resource.live_bytes == 4000);
        resource.last_stream = {};
    }
    CHECK(resource.live_bytes == 0);
    CHECK(resource.allocations == 2);
    CHECK(resource.deallocations == 2);
    CHECK(resource.last_stream == work.view());
}

TEST_CASE("[device] a buffer larger than the GPU is out_of_memory, and the next one is fine")
{
    const std::size_t bytes = pp::get_device_info(pp::current_device()).memory_bytes + 1;
    CHECK_THROWS_AS(pp::device_buffer<char>{bytes}, pp::out_of_memory);
    CHECK(pp::to_device({1, 2}).to_host() == std::vector<int>{1, 2});
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] a constructor that fails gives its memory back")
{
    counting_resource resource;
    const pp::stream work;
    REQUIRE(cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK_THROWS_AS(pp::device_buffer<int>(numbers(10), work, &resource), pp::invalid_argument);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(work.get(), &graph) == cudaSuccess);
    cudaGraphDestroy(graph);
    CHECK(resource.allocations == 1);
    CHECK(resource.deallocations == 1);
}

TEST_CASE("[device] an error that the user's code left behind stays the user's")
{
    REQUIRE(cudaSetDevice(pp::device_count()) == cudaErrorInvalidDevice);
    CHECK(pp::to_device({1, 2, 3}).to_host() == std::vector<int>{1, 2, 3});
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

#endif
