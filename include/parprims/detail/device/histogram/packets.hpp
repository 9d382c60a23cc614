/// @file
/// @brief  How a thread loads several samples of a histogram at a time: in aligned packets, where they lie in an array.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Whether aligned packets of 16 bytes hold whole values.
template <class T>
inline constexpr bool fills_packets = 16 % sizeof(T) == 0 && alignof(T) == sizeof(T);

/// The packets of an input: none, so samples are read one by one.
template <class Input>
struct sample_packets {
    static constexpr bool exist = false;
    static constexpr unsigned items = 1;
    struct reader_type {
        struct packet {};
        static constexpr unsigned batch = 1;
    };
};

/// Reads aligned packets of an array.
template <class T>
struct array_reader {
    using packet = simt::packet<16>;
    static constexpr unsigned batch = histogram_batch;

    const packet* packets;

    PARPRIMS_DEVICE packet load(std::size_t i) const { return simt::load_streaming(packets + i); }

    /// Calls `use` with each sample.
    template <class Use>
    PARPRIMS_DEVICE void for_each(const packet& source, Use& use) const
    {
#pragma unroll
        for (unsigned k = 0; k < 16 / sizeof(T); ++k)
            use(simt::element<T>(source, k));
    }
};

template <class T>
    requires fills_packets<T>
struct sample_packets<pointer_input<T>> {
    static constexpr bool exist = true;
    static constexpr unsigned items = 16 / sizeof(T);
    using reader_type = array_reader<T>;

    /// Calls `use(reader, head, body)` for the samples `[begin, end)`: `head` samples, then `body` packets, then fewer samples than
    /// two packets have.
    template <class Use>
    PARPRIMS_DEVICE static void read(const pointer_input<T>& input, std::size_t begin, std::size_t end, Use use)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(input.data + begin);
        const std::size_t unaligned = (16 - address % 16) % 16 / sizeof(T);
        const std::size_t head = unaligned < end - begin ? unaligned : end - begin;
        const T* const first = input.data + begin + head;
        use(reader_type{reinterpret_cast<const simt::packet<16>*>(first)}, head, (end - begin - head) / items);
    }
};

/// Loads a thread's first packets, as far as they are among all `body` packets. A reader has `batch`, `load(i)` and `for_each(packet, use)`.
template <class Packet, unsigned Batch, class Reader>
PARPRIMS_DEVICE inline void load_present(Packet (&ahead)[Batch], const Reader& reader, std::size_t first,
                                         std::size_t stride, std::size_t body)
{
#pragma unroll
    for (unsigned b = 0; b < Batch; ++b)
        if (first + b * stride < body)
            ahead[b] = reader.load(first + b * stride);
}

/// Uses the samples of packets `thread`, `thread + threads`, ... of `body`, after `load_present`. The next packets are in flight while these
/// are used.
template <class Packet, unsigned Batch, class Reader, class Use>
PARPRIMS_DEVICE inline void for_each_packet(Packet (&ahead)[Batch], const Reader& reader, std::size_t thread,
                                            std::size_t threads, std::size_t body, Use& use)
{
    for (std::size_t i = thread; i < body; i += Batch * threads) {
        Packet now[Batch];
#pragma unroll
        for (unsigned b = 0; b < Batch; ++b)
            now[b] = ahead[b];
        device::load_present(ahead, reader, i + Batch * threads, threads, body);
#pragma unroll
        for (unsigned b = 0; b < Batch; ++b)
            if (i + b * threads < body)
                reader.for_each(now[b], use);
    }
}

}  // namespace parprims::detail::device
