/// @file
/// @brief  Copies a part of an array, at any alignment, to and from shared memory in the aligned packets that cover it.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::block {

/// Starts to copy the aligned packets that cover a part of an array: `bytes` bytes, the first of which lies `shift` bytes behind `source`.
/// `threads` threads do so; this is number `thread`. Byte b of `source` is copied to `to + place(b)`. The first and the last packet also
/// have bytes before and behind the part, which callers must not use. The array ends `left` bytes after the part begins; its last
/// bytes, less than a packet, are copied byte by byte.
/// @tparam  Unroll  of the loop over packets: 1 where it seldom runs
template <unsigned Unroll = 4, class Place>
PARPRIMS_DEVICE inline void copy_covering(unsigned char* to, const unsigned char* source, unsigned shift,
                                          unsigned bytes, std::size_t left, unsigned thread, unsigned threads,
                                          Place place)
{
    using packet = simt::packet<16>;
    const unsigned end = shift + bytes;
    const std::size_t whole = (shift + left) / 16;  // packets that end in the array
    const unsigned packets = (end + 15) / 16 < whole ? (end + 15) / 16 : static_cast<unsigned>(whole);
#pragma unroll(Unroll)
    for (unsigned p = thread; p < packets; p += threads)
        simt::copy_async(reinterpret_cast<packet*>(to + place(16 * p)), reinterpret_cast<const packet*>(source) + p,
                         p == 0 ? shift : 0, end - 16 * p < 16 ? end - 16 * p : 16);
    const unsigned byte = 16 * packets + thread;
    if (byte >= shift && byte < end)
        simt::store(to, place(byte), simt::load(source, byte));
}

/// Writes bytes [shift, end) of `from`, which is in shared memory, to bytes [shift, end) of `to`. `threads` threads do so, at least 32;
/// this is number `thread`. The packets at both ends also cover bytes that do not belong to the part, so they are written byte by byte: 16 threads
/// write the first one, 16 the last one.
PARPRIMS_DEVICE inline void write_covering(unsigned char* to, const unsigned char* from, unsigned shift, unsigned end,
                                           unsigned thread, unsigned threads)
{
    using packet = simt::packet<16>;
    for (unsigned p = thread; p < end / 16; p += threads)
        if (p > 0 || shift == 0)
            simt::store_streaming(reinterpret_cast<packet*>(to) + p,
                                  simt::load(reinterpret_cast<const packet*>(from), p));
    const bool is_first = thread < 16;
    const unsigned byte = is_first ? thread : end / 16 * 16 + thread - 16;
    if (thread < 32 && byte < end && (is_first ? shift != 0 && byte >= shift : byte >= 16 || shift == 0))
        simt::store(to, byte, simt::load(from, byte));
}

}  // namespace parprims::detail::block
