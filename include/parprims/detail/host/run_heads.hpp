/// @file
/// @brief  Where runs begin: the heads among the elements of a row, as bits.
#pragma once

#include <parprims/detail/host/values.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::host {

/// The bits of eight bytes, each of which is 0 or 1.
inline std::uint64_t bits_of_bytes(const unsigned char* bytes)
{
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 8; ++i)  // one load on little-endian CPUs
        word |= std::uint64_t{bytes[i]} << 8 * i;
    return word * 0x0102'0408'1020'4080u >> 56;
}

/// Heads of runs of equal keys.
template <class Keys, class Equal>
struct key_heads {
    Keys keys;
    Equal equal;

    /// Sets bit e % items of word e / items for each head among the `live` elements from `begin` on; the other bits are 0.
    template <class Word>
    void find(std::size_t begin, std::size_t live, std::size_t items, Word* words) const
    {
        for (std::size_t first = 0; first < live; first += items)
            words[first / items] = static_cast<Word>(bits(begin + first, smaller_of(items, live - first)));
    }

private:
    /// Of at most 64 elements.
    std::uint64_t bits(std::size_t begin, std::size_t count) const
    {
        unsigned char is_head[64] = {1};
        for (std::size_t e = begin == 0 ? 1 : 0; e < count; ++e)
            is_head[e] =
                equal(host::rounded_element(keys, begin + e - 1), host::rounded_element(keys, begin + e)) ? 0 : 1;
        std::uint64_t result = 0;
        for (std::size_t e = 0; e < count; e += 8)
            result |= bits_of_bytes(is_head + e) << e;
        return result;
    }
};

/// Heads of segments, and of what lies before the first and after the last one.
template <class Segments>
struct segment_heads {
    Segments segments;

    /// Marks the heads of `live` elements from element `begin` on, a word for each `items`.
    template <class Word>
    void find(std::size_t begin, std::size_t live, std::size_t items, Word* words) const
    {
        for (std::size_t lane = 0; lane * items < live; ++lane)
            words[lane] = 0;
        const auto set = [&](std::size_t e) { words[e / items] |= static_cast<Word>(Word{1} << e % items); };
        if (begin == 0)
            set(0);
        for (std::size_t s = first_from(begin); s <= segments.count && segments.begin(s) < begin + live; ++s)
            set(segments.begin(s) - begin);
    }

private:
    /// The first segment that begins at `position` or after it; the end of the last one counts as one.
    std::size_t first_from(std::size_t position) const
    {
        if constexpr (Segments::is_searched)
            return first_that(segments.count + 1, [&](std::size_t s) { return segments.begin(s) >= position; });
        else
            return position / segments.size + (position % segments.size != 0 ? 1 : 0);
    }
};

}  // namespace parprims::detail::host
