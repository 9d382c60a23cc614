/// @file
/// @brief  The device places samples where the host does, and finds the same edges.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/variable_axis.hpp>

#include "support/axis_oracle.hpp"

#if PARPRIMS_CUDA_COMPILER

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <parprims/device_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace pp = parprims;
using namespace parprims_test;

namespace {

template <class Axis, class X>
__global__ void place_each(Axis axis, const X* samples, std::size_t n, std::size_t* slots)
{
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
        slots[i] = axis.slot(samples[i]);
}

template <class Axis, class T>
__global__ void find_each(Axis axis, const std::size_t* indices, std::size_t n, T* edges)
{
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
        edges[i] = axis.edge(indices[i]);
}

/// @param  on_device  the axis as the kernel gets it
template <class X, class Axis, class DeviceAxis>
void check_on_device(const Axis& axis, const DeviceAxis& on_device)
{
    const std::vector<X> samples = hard_samples<X>(some_edges(axis, 100));
    const auto input = pp::to_device(samples);
    pp::device_buffer<std::size_t> slots(samples.size());
    place_each<<<8, 128>>>(on_device, input.data(), samples.size(), slots.data());
    CHECK(first_misplaced(axis, values_of(samples), slots.to_host()) == "");
}

template <class Axis, class DeviceAxis>
void check_types_on_device(const Axis& axis, const DeviceAxis& on_device)
{
    check_on_device<float>(axis, on_device);
    check_on_device<double>(axis, on_device);
    check_on_device<bfloat>(axis, on_device);
    check_on_device<level>(axis, on_device);
    check_on_device<std::int8_t>(axis, on_device);
    check_on_device<std::int32_t>(axis, on_device);
    check_on_device<std::uint32_t>(axis, on_device);
    check_on_device<std::int64_t>(axis, on_device);
    check_on_device<std::uint64_t>(axis, on_device);
}

}  // namespace

TEST_CASE_TEMPLATE("[device] a regular axis places samples by definition", T, float, double, std::int8_t, std::uint32_t,
                   std::int64_t, std::uint64_t)
{
    const auto axes = hard_regular_axes<T>();
    for (std::size_t i = 0; i < axes.size(); i += 2)
        check_types_on_device(axes[i], axes[i]);
}

TEST_CASE_TEMPLATE("[device] edges have the bits that they have on the host", T, float, double, std::int32_t,
                   std::uint64_t)
{
    std::mt19937_64 random(9);
    for (const auto& axis : hard_regular_axes<T>()) {
        std::vector<std::size_t> indices{0, axis.bins()};
        for (int i = 0; i < 500; ++i)
            indices.push_back(random() % (axis.bins() + 1));
        const auto input = pp::to_device(indices);
        pp::device_buffer<T> output(indices.size());
        find_each<<<4, 128>>>(axis, input.data(), indices.size(), output.data());
        const std::vector<T> edges = output.to_host();
        CAPTURE(axis.bins());
        CAPTURE(text(value_of(axis.edge(0))));
        CAPTURE(text(value_of(axis.edge(axis.bins()))));
        for (std::size_t i = 0; i < indices.size(); ++i) {
            CAPTURE(indices[i]);
            REQUIRE(value_of(edges[i]) == value_of(axis.edge(indices[i])));
        }
    }
}

TEST_CASE("[device] an integer axis places samples by definition")
{
    const pp::integer_axis axis(-100, 1000);
    check_types_on_device(axis, axis);
    const pp::integer_axis wide(std::int64_t{-5}, (std::int64_t{1} << 53) - 5);
    check_types_on_device(wide, wide);
}

TEST_CASE("[device] a variable axis places samples by definition")
{
    const pp::variable_axis axis{-1e30f, -7.5f, -1e-42f, 0.0f, 0.1f, 0.3f, 1.0f, 4096.0f, 3e38f};
    const auto edges = pp::to_device(axis.edges());
    check_types_on_device(axis, axis.view_at(edges.data()));
    const pp::variable_axis<std::int64_t> integers{INT64_MIN, -5, 0, 1, 1000, INT64_MAX};
    const auto integer_edges = pp::to_device(integers.edges());
    check_types_on_device(integers, integers.view_at(integer_edges.data()));
}

TEST_CASE("[device] every value of __half and __nv_bfloat16 is placed as its float is on the host")
{
    const pp::regular_axis axis(1000, -3.0f, 70000.0f);
    std::vector<__half> halves;
    std::vector<__nv_bfloat16> bfloats;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        halves.push_back(__half(__half_raw{static_cast<unsigned short>(bits)}));
        bfloats.push_back(__nv_bfloat16(__nv_bfloat16_raw{static_cast<unsigned short>(bits)}));
    }
    const auto check = [&](const auto& samples) {
        const auto input = pp::to_device(samples);
        pp::device_buffer<std::size_t> slots(samples.size());
        place_each<<<8, 128>>>(axis, input.data(), samples.size(), slots.data());
        CHECK(first_misplaced(axis, values_of(samples), slots.to_host()) == "");
    };
    check(halves);
    check(bfloats);
}

#endif
