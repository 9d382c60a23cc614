/// @file
/// @brief  One scan against the order contract written down serially.
#pragma once

#include "program.hpp"

#include "../../unit/support/order_oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace mutants {

using namespace kernel_test;
using parprims::scan_config;
using parprims::three_phase_scan;

/// Scans by a part of the kernels, so that the others need not be compiled: those for few tiles, or for any number.
struct short_scan : scan_config {};
struct long_scan : scan_config {};

template <scan_kind Kind, class T, class Config, class Source, class Op>
void enqueue(scan_launcher& on, const Config& config, const Source* first, std::size_t n, T* out, const T* init, Op op)
{
    const auto work = device::make_scan_tile<Kind, T>(first, n, out, init, op, parprims::identity{});
    if constexpr (std::is_same_v<Config, short_scan>)
        require(device::enqueue_short_scan<T>(on, config, work), "too many tiles");
    else if constexpr (std::is_same_v<Config, long_scan>)
        device::enqueue_long_scan<T>(on, config, work);
    else
        device::enqueue_scan<Kind>(on, parprims::detail::optional_config(config), first, n, out, init, op,
                                   parprims::identity{});
}

template <scan_kind Kind, class T, class Source = T, class Config, class Op>
void check_scan(std::size_t n, std::size_t offset, const Config& config, Op op, std::optional<T> init,
                std::uint64_t seed, const char* name, unsigned blocks = 0)
{
    memory<Source> input(n, offset);
    memory<T> output(n);
    fill(input);
    const auto expected = order_oracle::scan<Kind, T>(input.data(), n, init, op, parprims::identity{});
    const device::gpu_properties gpu{blocks != 0 ? blocks : 3 + static_cast<unsigned>(seed % 3)};
    const auto scan_to = [&](T* out) {
        scan_launcher on = launcher_of_scan<T>(schedule_of(seed), config, gpu);
        enqueue<Kind, T>(on, config, static_cast<const Source*>(input.data()), n, out,
                         init ? std::addressof(*init) : nullptr, op);
        for (std::size_t i = 0; i < n; ++i)
            require(same_bits(out[i], expected[i]), name);
    };
    scan_to(output.data());
    if constexpr (std::is_same_v<T, Source>)
        if (offset != 0)
            scan_to(input.data());
}

}  // namespace mutants
