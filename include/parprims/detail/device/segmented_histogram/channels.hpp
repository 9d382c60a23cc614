/// @file
/// @brief  Interleaved pixels as the samples of a histogram: each sample has its channel.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/channels.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Pixels of `Period` samples. The first sample is of channel 0.
template <class Input, unsigned Period>
struct channel_input {
    using number = typename Input::value_type;
    using value_type = channel_sample<number>;
    static constexpr bool is_pointer = Input::is_pointer;

    Input input;

    PARPRIMS_DEVICE value_type at(std::size_t offset, std::size_t position) const
    {
        return {static_cast<number>(input[offset]), static_cast<unsigned>(position % Period)};
    }
    PARPRIMS_DEVICE value_type operator[](std::size_t i) const { return at(i, i); }
    PARPRIMS_DEVICE channel_input from(std::size_t i) const { return {input.from(i)}; }
};

/// Reads aligned packets, the first of which begins with sample `head`.
template <class T, unsigned Period>
struct channel_reader {
    static constexpr unsigned items = 16 / sizeof(T);
    using of_array = array_reader<pointer_input<T>>;
    static constexpr unsigned batch = of_array::batch;
    struct packet {
        typename of_array::packet samples;
        unsigned channel;  // of the first one
    };

    of_array reader;
    unsigned head;

    PARPRIMS_DEVICE packet load(std::size_t i) const
    {
        constexpr unsigned step = items % Period;
        return {reader.load(i), (head + (step == 0 ? 0 : static_cast<unsigned>(i % Period)) * step) % Period};
    }

    template <class Use>
    PARPRIMS_DEVICE void for_each(const packet& source, Use& use) const
    {
        unsigned channels[Period];
#pragma unroll
        for (unsigned c = 0; c < Period; ++c)
            channels[c] = source.channel + c < Period ? source.channel + c : source.channel + c - Period;
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            use(channel_sample<T>{simt::element<T>(source.samples, k), channels[k % Period]});
    }
};

template <class T, unsigned Period>
    requires fills_packets<T>
struct sample_packets<channel_input<pointer_input<T>, Period>> {
    using of_array = sample_packets<pointer_input<T>>;
    static constexpr bool exist = true;
    static constexpr unsigned items = of_array::items;
    using reader_type = channel_reader<T, Period>;

    template <class Use>
    PARPRIMS_DEVICE static void read(const channel_input<pointer_input<T>, Period>& input, std::size_t begin,
                                     std::size_t end, Use use)
    {
        of_array::read(input.input, begin, end, [&](auto reader, std::size_t head, std::size_t body) {
            use(reader_type{reader, static_cast<unsigned>(head % Period)}, head, body);
        });
    }
};

/// The position of a sample among the counters of all channels, by a rule for each.
template <class... Rules>
struct channel_position {
    tuple<Rules...> rules;
    std::uint32_t firsts[sizeof...(Rules)];

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const channel_sample<X>& x) const
    {
        detail::axis::window_position found{false, 0};
        const auto try_channel = [&](unsigned channel, const auto& rule, std::uint32_t first) {
            if (x.channel == channel) {
                found = rule(x.value);
                found.offset += first;
            }
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (try_channel(I, parprims::get<I>(rules), firsts[I]), ...);
        }(std::index_sequence_for<Rules...>{});
        return found;
    }
};

/// The faster rules of all channels, if all axes that may have one do.
template <class X, class... Axes>
struct fast_rule<channel_sample<X>, channel_axis<Axes...>> {
    static constexpr bool is_faster = (fast_rule<X, Axes>::is_faster || ...);

    PARPRIMS_HOST_DEVICE static constexpr bool exists(const channel_axis<Axes...>& axis)
    {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (fast_rule<X, Axes>::exists(axis.template axis<I>()) && ...);
        }(std::index_sequence_for<Axes...>{});
    }
    PARPRIMS_HOST_DEVICE static constexpr auto of(const channel_axis<Axes...>& axis)
    {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            channel_position<decltype(fast_rule<X, Axes>::of(axis.template axis<I>()))...> result{
                {fast_rule<X, Axes>::of(axis.template axis<I>())...}, {}};
            std::uint32_t before = 0;
            ((result.firsts[I] = before, before += static_cast<std::uint32_t>(axis.template axis<I>().extent())), ...);
            return result;
        }(std::index_sequence_for<Axes...>{});
    }
};

/// The samples of pixels. Those of one byte are counted by channel and value.
template <class Input, unsigned Period, class Axis>
struct channel_samples : histogram_samples<channel_input<Input, Period>, Axis> {
    using base = histogram_samples<channel_input<Input, Period>, Axis>;
    using typename base::value_type;
    using number = typename Input::value_type;
    static constexpr bool by_byte = sizeof(number) == 1 && std::is_integral_v<number>;

    PARPRIMS_HOST_DEVICE std::size_t counters() const { return by_byte ? 256 * Period : this->axis.extent(); }

    PARPRIMS_DEVICE std::size_t slot_of(std::size_t counter) const
    {
        if constexpr (by_byte)
            return this->axis.slot(value_type{static_cast<number>(static_cast<unsigned char>(counter % 256)),
                                              static_cast<unsigned>(counter / 256)});
        else
            return counter;
    }

    template <class Count>
    PARPRIMS_DEVICE void with_all(Count count) const
    {
        if constexpr (by_byte)
            count([](const value_type& sample) {
                return detail::axis::window_position{true,
                                                     sample.channel * 256 + static_cast<unsigned char>(sample.value)};
            });
        else
            base::with_all(count);
    }

    PARPRIMS_DEVICE channel_samples from(std::size_t first, std::size_t size) const
    {
        return {{this->input.from(first), size, this->axis}};
    }
    PARPRIMS_DEVICE value_type at(std::size_t offset, std::size_t position) const
    {
        return this->input.at(offset, position);
    }
};

}  // namespace parprims::detail::device
