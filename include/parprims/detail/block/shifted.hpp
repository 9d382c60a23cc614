/// @file
/// @brief  Packets that are not aligned: one made from two aligned ones, and rows of packets stored to any address.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::block {

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
/// which begins with the last bytes of the lane below. Lane 0 is below lane 31 of the row before. For one warp: all lanes must call
/// each member.
///
/// @tparam  Below  whole words of a packet that come from the lane below
template <class T, unsigned Below>
class shifted_writer {
public:
    /// @param  first  where the packet lies in which the rows begin
    /// @param  rest   bytes that come from the lane below, beside the whole words
    PARPRIMS_DEVICE shifted_writer(simt::packet<16>* first, unsigned rest)
        : next_(first), rest_(alignof(T) % 4 == 0 ? 0 : rest)
    {
    }

    PARPRIMS_DEVICE void write(simt::packet<16> row, bool is_first)
    {
        const unsigned lane = simt::block::lane();
        if (rest_ != 0) {  // each word begins with the last bytes of the word before
            const std::uint32_t below = from_below(row.words[3]);
            std::uint32_t before = lane > 0 ? below : above_rest_;
            above_rest_ = below;
#pragma unroll
            for (unsigned w = 0; w < 4; ++w) {
                const std::uint32_t word = row.words[w];
                row.words[w] = numeric::funnel_shift(before, word, 32 - 8 * rest_);
                before = word;
            }
        }
        simt::packet<16> target;
#pragma unroll
        for (unsigned w = 0; w < 4; ++w) {
            if (!is_below(w)) {
                target.words[w] = row.words[w - Below];
                continue;
            }
            const std::uint32_t below = from_below(row.words[4 - Below + w]);
            target.words[w] = lane > 0 ? below : above_.words[w];
            above_.words[w] = below;
        }
        if (lane > 0 || !is_first)
            simt::store_streaming(next_ + lane, target);
        else
            write_part<false>(target);
        next_ += simt::warp_size;
    }

    /// Writes the end of the last row.
    PARPRIMS_DEVICE void finish() const
    {
        simt::packet<16> target = above_;
        if (alignof(T) % 4 != 0 && rest_ != 0)
            target.words[Below] = above_rest_ >> (32 - 8 * rest_);
        if (simt::block::lane() == 0)
            write_part<true>(target);
    }

private:
    /// Whether word w of a packet comes from the lane below.
    PARPRIMS_DEVICE static constexpr bool is_below(unsigned w) { return w + 1 <= Below; }

    PARPRIMS_DEVICE static std::uint32_t from_below(std::uint32_t word)
    {
        return simt::shuffle(word, (simt::block::lane() - 1) % simt::warp_size);
    }

    /// The part of the next packet that comes from the lane below, or the other one.
    template <bool IsBelow>
    PARPRIMS_DEVICE void write_part(const simt::packet<16>& packet) const
    {
        using unit = std::conditional_t<alignof(T) == 1, std::uint8_t, std::uint16_t>;
#pragma unroll
        for (unsigned w = 0; w < 4; ++w) {
            if (w != Below || rest_ == 0) {
                if (is_below(w) == IsBelow)
                    simt::store(next_->words, w, packet.words[w]);
                continue;
            }
#pragma unroll
            for (unsigned u = 0; u < 4 / sizeof(unit); ++u)
                if ((u * sizeof(unit) < rest_) == IsBelow)
                    simt::store(reinterpret_cast<unit*>(next_->words + w), u,
                                static_cast<unit>(packet.words[w] >> 8 * u * sizeof(unit)));
        }
    }

    simt::packet<16>* next_;  // of lane 0
    unsigned rest_;
    simt::packet<16> above_{};      // what comes from lane 31 of the last row: whole words,
    std::uint32_t above_rest_ = 0;  // and the word whose last bytes do
};

/// Writes rows of 16 bytes a lane to an array that begins `shift` bytes behind a multiple of 16, from its row `r` on.
/// `for_each(use)` calls `use(row, is_first)` for each of them, in order; there is at least one. For one warp.
template <class T, class Row, class ForEach>
PARPRIMS_DEVICE inline void store_each_row(T* data, unsigned shift, Row r, ForEach for_each)
{
    auto* const packets =
        reinterpret_cast<simt::packet<16>*>(reinterpret_cast<unsigned char*>(data) - shift) + r * simt::warp_size;
    with_words_of<4>(shift, [&](auto words) {
        constexpr unsigned below = decltype(words)::value;
        if constexpr (alignof(T) < 4 || (below > 0 && below * 4 % alignof(T) == 0)) {
            shifted_writer<T, below> writer(packets, shift % 4);
            for_each([&](const simt::packet<16>& row, bool is_first) { writer.write(row, is_first); });
            writer.finish();
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
        // In halves, without shuffles: scans of 6 to 396 misaligned tiles of 64-bit integers take 0.92 to 1.0 of the time (H200,
        // 5d82250).
        using half = simt::packet<8>;
#pragma unroll
        for (unsigned h = 0; h < 2; ++h)
            simt::store(reinterpret_cast<half*>(data) + r * (2 * simt::warp_size), 2 * lane + h,
                        simt::element<half>(rows[0], h));
    } else {
        store_each_row(data, shift, r, [&](auto use) {
#pragma unroll
            for (unsigned b = 0; b < Rows; ++b)
                use(rows[b], b == 0);
        });
    }
}

}  // namespace parprims::detail::block
