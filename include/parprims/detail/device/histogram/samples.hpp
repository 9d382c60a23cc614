/// @file
/// @brief  The samples of a histogram, and how a grid walks over them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/device/histogram/axis_rules.hpp>
#include <parprims/detail/device/histogram/packets.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

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

    /// Counters of a private copy. It counts the samples in no bin as well, with flow or without: that costs less than a
    /// branch for each sample.
    PARPRIMS_HOST_DEVICE static constexpr std::size_t counters_of(std::size_t bins)
    {
        return by_byte ? 256 : bins + detail::axis::flow_slots;
    }
    PARPRIMS_HOST_DEVICE std::size_t counters() const { return counters_of(axis.bins()); }

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

    /// The counter of a sample, where 32 bits number all counters.
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

    /// Sample `i`, not fused with the arithmetic of the axis.
    PARPRIMS_DEVICE decltype(auto) sample(std::size_t i) const
    {
        if constexpr (may_fuse<value_type, value_type, Input::is_pointer, identity>)
            return device::operand<value_type, Input>(identity{}, input[i]);
        else
            return input[i];
    }

    /// Calls `count(counter_of)` with the fastest function that tells the counter of a sample.
    template <class Count>
    PARPRIMS_DEVICE void with_counter_of(Count count) const
    {
        if constexpr (by_byte)
            count([this](const value_type& sample) { return counter_of(sample); });
        else
            device::with_slot_rule<value_type>(axis, count);
    }

    /// Calls `count(find)`, where `find(sample)` is the sample's counter or a `detail::axis::window_position`, outside only if the axis
    /// drops the sample.
    template <class Count>
    PARPRIMS_DEVICE void with_all(Count count) const
    {
        if constexpr (by_byte)
            with_counter_of(count);
        else
            device::with_counting_rule<value_type>(axis, count);
    }

    /// Calls `count(find)`, where `find(sample)` is the `detail::axis::window_position` in a window of the counters.
    template <class Count>
    PARPRIMS_DEVICE void with_window(std::uint32_t first, std::uint32_t width, Count count) const
    {
        if constexpr (by_byte) {
            const auto counter = [this](const value_type& sample) { return counter_of(sample); };
            count(slot_window<decltype(counter)>{counter, first, width});
        } else {
            device::with_window_rule<value_type>(axis, first, width, count);
        }
    }

    /// A thread's next packets, in flight.
    struct packets_ahead {
        typename packets::reader_type::packet words[packets::reader_type::batch];
    };

    /// Starts to load the first packets that `for_each` uses, called for the same samples.
    PARPRIMS_DEVICE void load_first(packets_ahead& ahead, std::size_t thread, std::size_t threads, std::size_t begin,
                                    std::size_t end) const
    {
        if constexpr (packets::exist)
            packets::read(input, begin, end, [&](auto reader, std::size_t, std::size_t body) {
                if constexpr (reads_ahead<decltype(reader)>)
                    load_present<batch_of<true, decltype(reader)>>(ahead, reader, thread, threads, body);
            });
    }

    /// Calls `use(sample)` for the samples of `[begin, end)` that thread number `thread` of `threads` counts. With `IsEarly` the
    /// first packets are loaded already, which takes more registers and instructions.
    template <bool IsEarly, class Use>
    PARPRIMS_DEVICE void for_each(packets_ahead& ahead, std::size_t thread, std::size_t threads, std::size_t begin,
                                  std::size_t end, Use use) const
    {
        if constexpr (!packets::exist) {
            for (std::size_t i = begin + thread; i < end; i += threads)
                use(sample(i));
        } else {
            // The order of samples is free, so all but the ends are read in packets, whatever the alignment.
            packets::read(input, begin, end, [&](auto reader, std::size_t head, std::size_t body) {
                if constexpr (reads_ahead<decltype(reader)>)
                    for_each_packet<IsEarly>(ahead, reader, thread, threads, body, use);
                else
                    for_each_packet_in_turn(reader, thread, threads, body, use);
                const std::size_t tail = begin + head + body * items;
                if (thread < head)
                    use(input[begin + thread]);
                if (thread < end - tail)
                    use(input[tail + thread]);
            });
        }
    }

private:
    /// Whether packets of a reader are in flight while others are used. That takes registers, which other readers lack.
    template <class Reader>
    static constexpr bool reads_ahead = std::is_same_v<Reader, typename packets::reader_type>;

    /// The packets that a thread has in flight: fewer early ones where those are long.
    template <bool IsEarly, class Reader>
    static constexpr unsigned batch_of = [] {
        if constexpr (IsEarly && requires { Reader::early_batch; })
            return Reader::early_batch;
        else
            return Reader::batch;
    }();

    template <class Reader, class Use>
    PARPRIMS_DEVICE static void for_each_packet_in_turn(const Reader& reader, std::size_t thread, std::size_t threads,
                                                        std::size_t body, Use& use)
    {
#pragma unroll 1
        for (std::size_t i = thread; i < body; i += threads)
            reader.for_each(reader.load(i), use);
    }

    template <bool IsEarly, class Reader, class Use>
    PARPRIMS_DEVICE static void for_each_packet(packets_ahead& ahead, const Reader& reader, std::size_t thread,
                                                std::size_t threads, std::size_t body, Use& use)
    {
        constexpr unsigned batch = batch_of<IsEarly, Reader>;
        // The next packets are in flight while these are used.
        std::size_t i = thread;
        bool whole = i + (batch - 1) * threads < body;
        if (!IsEarly && whole)
            load<batch>(ahead, reader, i, threads);
        while (whole) {
            const packets_ahead now = ahead;
            i += batch * threads;
            whole = i + (batch - 1) * threads < body;
            if (whole)
                load<batch>(ahead, reader, i, threads);
            else if (IsEarly)
                load_present<batch>(ahead, reader, i, threads, body);
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                reader.for_each(now.words[b], use);
        }
        // The last packets, or all of a small input, in little code: instructions that have not been fetched yet cost more
        // than a branch.
#pragma unroll 1
        for (; i < body; i += threads) {
            if constexpr (!IsEarly)
                ahead.words[0] = reader.load(i);
            reader.for_each(ahead.words[0], use);
            if constexpr (IsEarly)
#pragma unroll
                for (unsigned b = 1; b < batch; ++b)
                    ahead.words[b - 1] = ahead.words[b];
        }
    }

    template <unsigned Batch, class Reader>
    PARPRIMS_DEVICE static void load(packets_ahead& ahead, const Reader& reader, std::size_t first, std::size_t stride)
    {
        const Reader next = reader.at(first);
#pragma unroll
        for (unsigned b = 0; b < Batch; ++b)
            ahead.words[b] = next.load(b * stride);
    }

    /// Loads those of the packets that exist: there are `body`.
    template <unsigned Batch, class Reader>
    PARPRIMS_DEVICE static void load_present(packets_ahead& ahead, const Reader& reader, std::size_t first,
                                             std::size_t stride, std::size_t body)
    {
        const Reader next = reader.at(first);
#pragma unroll
        for (unsigned b = 0; b < Batch; ++b)
            if (first + b * stride < body)
                ahead.words[b] = next.load(b * stride);
    }
};

}  // namespace parprims::detail::device
