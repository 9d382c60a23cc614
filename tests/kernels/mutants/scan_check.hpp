/// @file
/// @brief  One scan against the order contract written down serially.
#pragma once

#include "program.hpp"

#include "../../unit/support/order_oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace mutants {

using namespace kernel_test;
using parprims::scan_config;
using parprims::three_phase_scan;

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
        scan<Kind>(schedule_of(seed), config, gpu, static_cast<const Source*>(input.data()), n, out, init, op,
                   parprims::identity{});
        for (std::size_t i = 0; i < n; ++i)
            require(same_bits(out[i], expected[i]), name);
    };
    scan_to(output.data());
    if constexpr (std::is_same_v<T, Source>)
        if (offset != 0)
            scan_to(input.data());
}

}  // namespace mutants
