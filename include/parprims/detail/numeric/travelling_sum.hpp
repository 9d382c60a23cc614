/// @file
/// @brief  Integer sums as words that are added up over ranks.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/fixed_point.hpp>

#include <cstdint>

namespace parprims::detail::numeric {

/// The sums of a bin, and its flags, as words of 64 bits that are added over all ranks. `Integer` holds a sum over all ranks; one of
/// 128 bits travels as three words of 44, which a million ranks can add without overflow.
template <class Integer, unsigned Values>
struct travelling_sum {
    static constexpr unsigned parts = sizeof(Integer) <= 8 ? 1 : 3;
    static constexpr unsigned part_bits = parts == 1 ? 64 : 44;  // 20 bits remain for a million ranks
    static constexpr unsigned flag_bits = 21;                    // how many ranks have each of three flags
    static constexpr unsigned words = Values * parts + 1;

    PARPRIMS_HOST_DEVICE static constexpr void write(std::uint64_t* to, const int128* totals, std::uint32_t flags)
    {
        for (unsigned v = 0; v < Values; ++v)
            for (unsigned p = 0; p < parts; ++p)
                *to++ = static_cast<std::uint64_t>(static_cast<uint128>(totals[v]) >> (p * part_bits)) & mask;
        *to = 0;
        for (unsigned f = 0; f < 3; ++f)
            *to |= std::uint64_t{flags >> f & 1} << (f * flag_bits);
    }

    PARPRIMS_HOST_DEVICE static constexpr std::uint32_t read(const std::uint64_t* from, int128* totals)
    {
        for (unsigned v = 0; v < Values; ++v) {
            uint128 total = 0;
            for (unsigned p = 0; p < parts; ++p)
                total += static_cast<uint128>(*from++) << (p * part_bits);
            totals[v] = parts == 1 ? int128{static_cast<std::int64_t>(total)} : static_cast<int128>(total);
        }
        std::uint32_t flags = 0;
        for (unsigned f = 0; f < 3; ++f)
            flags |= (*from >> (f * flag_bits) & ((1u << flag_bits) - 1)) != 0 ? 1u << f : 0u;
        return flags;
    }

private:
    static constexpr std::uint64_t mask = ~std::uint64_t{0} >> (64 - part_bits);
};

}  // namespace parprims::detail::numeric
