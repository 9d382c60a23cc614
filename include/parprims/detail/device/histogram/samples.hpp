/// @file
/// @brief  The samples of a histogram, and how a grid walks over them: a thread loads several at a time in aligned packets, where they
///         lie in an array, or are a function of its elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/histogram/axis_rules.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/singles.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Whether aligned packets of 16 bytes hold whole values.
template <class T>
inline constexpr bool fills_packets = 16 % sizeof(T) == 0 && alignof(T) == sizeof(T);

/// Whether samples, or weights, are elements of an array that fill packets, or a function of such.
template <class Input>
inline constexpr bool reads_array = [] {
    if constexpr (requires { typename Input::source_type; })
        return fills_packets<typename Input::source_type> && (Input::is_pointer || holds_source<Input>);
    else
        return false;
}();

/// Bytes from an address to the next multiple of `bytes`.
template <class T>
PARPRIMS_DEVICE inline std::size_t bytes_to_multiple(const T* address, std::size_t bytes)
{
    return (bytes - reinterpret_cast<std::uintptr_t>(address) % bytes) % bytes;
}

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
template <class Input>
struct array_reader {
    using source_type = typename Input::source_type;
    using packet = simt::packet<16>;
    static constexpr unsigned batch = histogram_batch;

    const Input& input;
    const packet* packets;

    PARPRIMS_DEVICE packet load(std::size_t i) const { return simt::load_streaming(packets + i); }

    /// Calls `use` with each sample.
    template <class Use>
    PARPRIMS_DEVICE void for_each(const packet& source, Use& use) const
    {
#pragma unroll
        for (unsigned k = 0; k < 16 / sizeof(source_type); ++k)
            use(element_in_flight<Input, typename Input::value_type>::operand(input, identity{},
                                                                              simt::element<source_type>(source, k)));
    }
};

template <class Input>
    requires reads_array<Input>
struct sample_packets<Input> {
    static constexpr bool exist = true;
    static constexpr unsigned items = 16 / sizeof(typename Input::source_type);
    using reader_type = array_reader<Input>;

    /// Calls `use(reader, head, body)` for the samples `[begin, end)`: `head` samples, then `body` packets, then fewer samples than
    /// two packets have.
    template <class Use>
    PARPRIMS_DEVICE static void read(const Input& input, std::size_t begin, std::size_t end, Use use)
    {
        const std::size_t unaligned = device::bytes_to_multiple(input.data + begin, 16) / (16 / items);
        const std::size_t head = unaligned < end - begin ? unaligned : end - begin;
        const auto* const first = input.data + begin + head;
        use(reader_type{input, reinterpret_cast<const simt::packet<16>*>(first)}, head, (end - begin - head) / items);
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

/// Samples, and the counter that each of them belongs to. Samples of one byte are counted by value, whatever the axis: it
/// places each value once, not each sample.
template <class Input, class Axis>
struct histogram_samples {
    using value_type = typename Input::value_type;
    using packets = sample_packets<Input>;
    static constexpr bool by_byte = sizeof(value_type) == 1 && std::is_integral_v<value_type>;
    static constexpr bool has_packets =
        packets::exist && std::is_same_v<Input, pointer_input<value_type>>;  // of one array
    static constexpr unsigned items = packets::items;                        // of a packet

    Input input;
    std::size_t n;
    Axis axis;

    /// Counters of a private copy, for an axis of `extent` slots.
    PARPRIMS_HOST_DEVICE static constexpr std::size_t counters_of(std::size_t extent) { return by_byte ? 256 : extent; }
    PARPRIMS_HOST_DEVICE std::size_t counters() const { return counters_of(axis.extent()); }

    /// `size` samples from sample `first` on.
    PARPRIMS_DEVICE histogram_samples from(std::size_t first, std::size_t size) const
    {
        return {input.from(first), size, axis};
    }

    /// Samples of an array that would lie between a 16-byte boundary and the first sample; 0 where there are no packets.
    static std::size_t leading_samples(const Input& input)
    {
        if constexpr (has_packets)
            return reinterpret_cast<std::uintptr_t>(input.data) % 16 / sizeof(value_type);
        else
            return 0;
    }

    /// Blocks that have a packet, or a sample, for each thread.
    PARPRIMS_DEVICE std::size_t blocks_at_most() const
    {
        return order::ceil_div(n, std::size_t{has_packets ? items : 1} * simt::block::threads());
    }

    /// The counter of a sample, if 32 bits number all counters. Samples that no counter counts get larger numbers.
    PARPRIMS_DEVICE std::uint32_t counter_of(const value_type& sample) const
    {
        if constexpr (by_byte)
            return static_cast<unsigned char>(sample);
        else
            return static_cast<std::uint32_t>(axis.slot(sample));
    }

    /// The slot of the samples that a counter counts.
    PARPRIMS_DEVICE std::size_t slot_of(std::size_t counter) const
    {
        if constexpr (by_byte)
            return axis.slot(static_cast<value_type>(static_cast<unsigned char>(counter)));
        else
            return counter;
    }

    /// The slot of a sample that counter `counter` counts. The sample is known, so it need not be made from the counter.
    PARPRIMS_DEVICE std::size_t slot_of([[maybe_unused]] std::size_t counter,
                                        [[maybe_unused]] const value_type& sample) const
    {
        if constexpr (by_byte)
            return axis.slot(sample);
        else
            return counter;
    }

    /// Sample `i`, not fused with the arithmetic of the axis.
    PARPRIMS_DEVICE decltype(auto) sample(std::size_t i) const
    {
        if constexpr (may_fuse<value_type, value_type, Input::is_pointer, identity>)
            return device::operand<value_type, Input>(identity{}, input[i]);
        else
            return input[i];
    }

    /// The sample at an offset of the input, which is at `position` of its line.
    PARPRIMS_DEVICE decltype(auto) at(std::size_t offset, std::size_t) const { return sample(offset); }

    /// Calls `count(position_of)`, where `position_of(sample)` is the `detail::axis::window_position` of the sample's counter: not
    /// inside if no counter counts it.
    template <class Count>
    PARPRIMS_DEVICE void with_all(Count count) const
    {
        if constexpr (by_byte)
            count([](const value_type& sample) {
                return detail::axis::window_position{true, static_cast<unsigned char>(sample)};
            });
        else
            device::with_position<value_type>(axis, count);
    }

    /// Calls `count(position_of)`, where `position_of(sample)` is the position in a window of the counters.
    template <class Count>
    PARPRIMS_DEVICE void with_window(std::uint32_t first, std::uint32_t width, Count count) const
    {
        with_all([&](auto position_of) { device::with_window(position_of, first, width, count); });
    }

    /// A thread's next packets, in flight.
    struct packets_ahead {
        typename packets::reader_type::packet words[packets::reader_type::batch];
    };

    /// Starts to load the first packets that `for_each` uses.
    PARPRIMS_DEVICE void load_first(packets_ahead& ahead, std::size_t thread, std::size_t threads) const
    {
        if constexpr (packets::exist)
            packets::read(input, 0, n, [&](auto reader, std::size_t, std::size_t body) {
                if constexpr (std::is_same_v<decltype(reader), typename packets::reader_type>)
                    device::load_present(ahead.words, reader, thread, threads, body);
            });
    }

    /// Calls `use(sample)` for the samples that thread number `thread` of `threads` counts, after `load_first`. The order of samples is
    /// free, so all but the ends are read in packets, whatever the alignment.
    template <class Use>
    PARPRIMS_DEVICE void for_each(packets_ahead& ahead, std::size_t thread, std::size_t threads, Use use) const
    {
        if constexpr (!packets::exist) {
            device::for_each_single(
                thread, threads, n, [&](std::size_t i) -> value_type { return sample(i); },
                [&](std::size_t, const value_type& next) { use(next); });
        } else {
            packets::read(input, 0, n, [&](auto reader, std::size_t head, std::size_t body) {
                using reader_type = decltype(reader);
                if constexpr (std::is_same_v<reader_type, typename packets::reader_type>) {
                    device::for_each_packet(ahead.words, reader, thread, threads, body, use);
                } else {
                    typename reader_type::packet first[reader_type::batch];
                    device::load_present(first, reader, thread, threads, body);
                    device::for_each_packet(first, reader, thread, threads, body, use);
                }
                const std::size_t tail = head + body * items;
                if (thread < head)
                    use(sample(thread));
                if (thread < n - tail)
                    use(sample(tail + thread));
            });
        }
    }
};

}  // namespace parprims::detail::device
