/// @file
/// @brief  pinned_buffer: page-locked host memory as a value. What device_buffer does, too, is in device_buffer_test.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/pinned_buffer.hpp>

#include "support/buffers.hpp"

#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace pp = parprims;

static_assert(!std::is_copy_constructible_v<pp::pinned_buffer<int>> &&
              !std::is_copy_assignable_v<pp::pinned_buffer<int>>);
static_assert(!std::is_constructible_v<pp::pinned_buffer<int>, pp::pinned_buffer<int>&>, "copying is spelt clone()");
static_assert(!std::is_constructible_v<pp::pinned_buffer<int>, pp::device_buffer<int>&>, "the host cannot read that");
static_assert(!std::is_constructible_v<pp::pinned_buffer<int>, std::vector<float>&>);
static_assert(std::is_nothrow_move_constructible_v<pp::pinned_buffer<int>>);
static_assert(std::is_nothrow_move_assignable_v<pp::pinned_buffer<int>>);
static_assert(std::ranges::contiguous_range<pp::pinned_buffer<int>>);
static_assert(std::is_constructible_v<std::span<int>, pp::pinned_buffer<int>&>);

TEST_CASE("without a GPU a pinned buffer is refused by a typed error")
{
    if (pp::device_count() != 0)
        return;
    CHECK_THROWS_AS(pp::pinned_buffer<int>(1), pp::cuda_error);
    CHECK_THROWS_AS(pp::pinned_buffer<int>(numbers(3)), pp::cuda_error);
}

TEST_CASE("[device] a pinned buffer is an array for the host")
{
    const std::vector<int> values = numbers(1000);
    pp::pinned_buffer<int> buffer(values);
    CHECK(buffer.size() == 1000);
    CHECK(buffer.size_bytes() == 4000);
    CHECK(buffer[0] == 1);
    CHECK(buffer[999] == 1000);
    buffer[7] = -1;
    CHECK(std::as_const(buffer)[7] == -1);
    CHECK(std::accumulate(buffer.begin(), buffer.end(), 0) == 500500 - 8 - 1);
    CHECK(std::span<const int>(buffer).size() == 1000);
}

TEST_CASE("[device] a pinned buffer is reached by every GPU at the same address")
{
    const pp::pinned_buffer<int> buffer(1);
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        CHECK(pp::detail::runtime::is_reachable(buffer.data(), id));
    }
    CHECK_FALSE(pp::detail::runtime::is_pageable(buffer.data()));
    CHECK_FALSE(pp::detail::runtime::device_of(buffer.data()).has_value());
}

TEST_CASE("[device] a clone of a pinned buffer is a copy of its own")
{
    pp::pinned_buffer<int> original(numbers(10));
    const pp::pinned_buffer<int> copy = original.clone();
    original[0] = -1;
    CHECK(copy.to_host() == numbers(10));
}

TEST_CASE("[device] a moved-from pinned buffer is empty and can be used again")
{
    pp::pinned_buffer<int> a(numbers(10));
    pp::pinned_buffer<int> b = std::move(a);
    CHECK(b.to_host() == numbers(10));
    CHECK(a.empty());
    CHECK(a.data() == nullptr);
    a = pp::pinned_buffer<int>(numbers(5));
    CHECK(a.to_host() == numbers(5));
}

TEST_CASE("[device] elements without a default constructor come back from page-locked memory")
{
    const std::vector<no_default> values = {no_default(1), no_default(-2)};
    CHECK(pp::pinned_buffer<no_default>(values).to_host() == values);
}

TEST_CASE("[device] copy_from and copy_to of a pinned buffer copy every element")
{
    pp::pinned_buffer<int> buffer(100);
    buffer.copy_from(numbers(100));
    std::vector<int> target(100);
    buffer.copy_to(target);
    CHECK(target == numbers(100));
    CHECK_THROWS_AS(buffer.copy_from(numbers(99)), pp::invalid_argument);
    CHECK(buffer.to_host() == numbers(100));
}
