/// @file
/// @brief  Packets that are not aligned: one made from two aligned ones, and rows of packets stored to any address.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::block {

/// How far an address is behind a multiple of 16.
PARPRIMS_HOST_DEVICE inline unsigned shift_of(const void* address)
{
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % 16);
}

/// Bytes [shift, shift + Bytes) of two packets that follow each other. `shift` is less than Bytes, and a multiple of Unit.
template <unsigned Unit, unsigned Bytes>
PARPRIMS_DEVICE inline simt::packet<Bytes> shifted(const simt::packet<Bytes>& low, const simt::packet<Bytes>& high,
                                                   unsigned shift)
{
    constexpr unsigned count = Bytes / 4;
    std::uint32_t words[2 * count];
#pragma unroll
    for (unsigned w = 0; w < count; ++w) {
        words[w] = low.words[w];
        words[count + w] = high.words[w];
    }
    // First by whole words, as the bits of `shift` say, then by bytes.
#pragma unroll
    for (unsigned step = count / 2; step != 0; step /= 2)
        if (Unit <= 4 * step)
#pragma unroll
            for (unsigned w = 0; w + step < 2 * count; ++w)
                words[w] = (shift & 4 * step) != 0 ? words[w + step] : words[w];
    simt::packet<Bytes> result;
#pragma unroll
    for (unsigned w = 0; w < count; ++w)
        result.words[w] = Unit % 4 == 0 ? words[w] : numeric::funnel_shift(words[w], words[w + 1], shift % 4 * 8);
    return result;
}

/// Calls `work(words)`, where the type of `words` tells how many whole words `shift` has: less than `Words`. All lanes have the same
/// shift, so a branch replaces a selection for every word.
template <unsigned Words, class Work>
PARPRIMS_DEVICE inline void with_words_of(unsigned shift, Work work)
{
    if constexpr (Words > 1)
        if (shift / 4 != Words - 1)
            return with_words_of<Words - 1>(shift, work);
    work(std::integral_constant<unsigned, Words - 1>{});
}

/// Writes rows of 16 bytes a lane, one behind the other, to an array that does not begin with a packet: as aligned packets, each of
/// which begins with the last bytes of the lane below. Lane 31 of the row before is below lane 0. For one warp: all lanes must call
/// each member.
///
/// @tparam  Below  whole words of a packet that come from the lane below
template <class T, unsigned Below>
class shifted_writer {
public:
    /// @param  first  where the packet lies in which the rows begin
    /// @param  rest   bytes that come from the lane below, beside the whole words
    PARPRIMS_DEVICE shifted_writer(simt::packet<16>* first, unsigned rest)
        : target_(first + simt::block::lane()), lane_below_((simt::block::lane() - 1) % simt::warp_size),
          rest_bits_(has_rest ? 8 * rest : 0)
    {
    }

    PARPRIMS_DEVICE void write(simt::packet<16> row, bool is_first)
    {
        const bool is_lane_0 = simt::block::lane() == 0;
        if constexpr (has_rest) {  // each word begins with the last bytes of the word before
            const std::uint32_t below = simt::shuffle(row.words[3], lane_below_);
            std::uint32_t before = is_lane_0 ? above_rest_ : below;
            above_rest_ = below;
#pragma unroll
            for (unsigned w = 0; w < 4; ++w) {
                const std::uint32_t word = row.words[w];
                row.words[w] = numeric::funnel_shift_left(before, word, rest_bits_);
                before = word;
            }
        }
        simt::packet<16> packet;
#pragma unroll
        for (unsigned w = 0; w < 4; ++w) {
            if (!is_below(w)) {
                packet.words[w] = row.words[w - Below];
                continue;
            }
            const std::uint32_t below = simt::shuffle(row.words[4 - Below + w], lane_below_);
            packet.words[w] = is_lane_0 ? above_.words[w] : below;
            above_.words[w] = below;
        }
        if (!is_first || !is_lane_0)
            simt::store_streaming(target_, packet);
        if (is_first)
            write_part<false>(target_ - simt::block::lane(), packet);
        target_ += simt::warp_size;
    }

    /// Writes the end of the last row.
    /// @param  behind  where the packet behind it lies
    PARPRIMS_DEVICE void finish(simt::packet<16>* behind) const
    {
        simt::packet<16> packet = above_;
        if constexpr (has_rest)
            packet.words[Below] = numeric::funnel_shift_left(above_rest_, 0, rest_bits_);
        write_part<true>(behind, packet);
    }

private:
    static constexpr bool has_rest = alignof(T) % 4 != 0;

    /// Whether word w of a packet comes from the lane below.
    PARPRIMS_DEVICE static constexpr bool is_below(unsigned w) { return w + 1 <= Below; }

    /// Writes one of the two parts of lane 0's packet: the one from the lane below, or the other.
    template <bool IsBelow>
    PARPRIMS_DEVICE void write_part(simt::packet<16>* to, const simt::packet<16>& packet) const
    {
        const unsigned lane = simt::block::lane();
        if constexpr (has_rest) {  // an element or a byte by each lane
            using unit = std::conditional_t<alignof(T) == 1, std::uint8_t, std::uint16_t>;
            const unsigned place = lane * sizeof(unit);
            std::uint32_t word = 0;
#pragma unroll
            for (unsigned w = 0; w < 4; ++w)
                if (w == Below || is_below(w) == IsBelow) {
                    const std::uint32_t next = simt::shuffle(packet.words[w], 0);
                    word = place / 4 == w ? next : word;
                }
            if (place < 16 && (place < 4 * Below + rest_bits_ / 8) == IsBelow)
                simt::store(reinterpret_cast<unit*>(to), lane, static_cast<unit>(word >> place % 4 * 8));
        } else if (lane == 0) {
#pragma unroll
            for (unsigned w = 0; w < 4; ++w)
                if (is_below(w) == IsBelow)
                    simt::store(to->words, w, packet.words[w]);
        }
    }

    simt::packet<16>* target_;  // of this lane in the next row
    unsigned lane_below_;
    unsigned rest_bits_;
    simt::packet<16> above_{};      // what comes from lane 31 of the last row: whole words,
    std::uint32_t above_rest_ = 0;  // and the word whose last bytes do
};

/// Writes rows of 16 bytes a lane to an array that begins `shift` bytes behind a multiple of 16, from its row `r` on to row `end`.
/// `for_each(use)` calls `use(row, is_first)` for each of them, in order; there is at least one. For one warp.
template <class T, class Row, class ForEach>
PARPRIMS_DEVICE inline void store_each_row(T* data, unsigned shift, Row r, Row end, ForEach for_each)
{
    auto* const packets =
        reinterpret_cast<simt::packet<16>*>(reinterpret_cast<unsigned char*>(data) - shift) + r * simt::warp_size;
    with_words_of<4>(shift, [&](auto words) {
        constexpr unsigned below = decltype(words)::value;
        if constexpr (alignof(T) < 4 || (below > 0 && below * 4 % alignof(T) == 0)) {
            simt::sync_warp();  // or results would be computed before the branch, and spill
            shifted_writer<T, below> writer(packets, shift % 4);
            for_each([&](const simt::packet<16>& row, bool is_first) { writer.write(row, is_first); });
            writer.finish(packets + (end - r) * simt::warp_size);
        }
    });
}

/// Writes `Rows` rows of 16 bytes a lane to an array that begins `shift` bytes behind a multiple of 16, from its row `r` on. For one
/// warp: all lanes must call this.
template <unsigned Rows, class T, class Row>
PARPRIMS_DEVICE inline void store_rows(T* data, unsigned shift, Row r, const simt::packet<16> (&rows)[Rows])
{
    const unsigned lane = simt::block::lane();
    if (alignof(T) >= 16 || shift == 0) {
        auto* const packets = reinterpret_cast<simt::packet<16>*>(data) + r * simt::warp_size;
#pragma unroll
        for (unsigned b = 0; b < Rows; ++b)
            simt::store_streaming(packets + b * simt::warp_size + lane, rows[b]);
    } else if constexpr (alignof(T) == 8 && Rows == 1) {
        // In halves, without shuffles.
        using half = simt::packet<8>;
#pragma unroll
        for (unsigned h = 0; h < 2; ++h)
            simt::store(reinterpret_cast<half*>(data) + r * (2 * simt::warp_size), 2 * lane + h,
                        simt::element<half>(rows[0], h));
    } else {
        block::store_each_row(data, shift, r, static_cast<Row>(r + Rows), [&](auto use) {
#pragma unroll
            for (unsigned b = 0; b < Rows; ++b)
                use(rows[b], b == 0);
        });
    }
}

}  // namespace parprims::detail::block
