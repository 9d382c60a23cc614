/// @file
/// @brief  The axes of several channels: each has counters of its own, one after another.
#pragma once

#include <parprims/config.hpp>
#include <parprims/product_axis.hpp>

#include <cstddef>
#include <utility>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims::detail {

/// A sample of a pixel.
template <class T>
struct channel_sample {
    T value;
    unsigned channel;
};

/// The axes of the channels of a pixel. A sample of a channel without an axis is not counted.
template <class... Axes>
class channel_axis {
    using indices = std::index_sequence_for<Axes...>;

public:
    static constexpr unsigned channels = sizeof...(Axes);

    constexpr explicit channel_axis(Axes... axes) : axes_{{std::move(axes)}...}, extent_(sum(indices{})) {}

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return extent_; }
    PARPRIMS_HOST_DEVICE constexpr std::size_t extent() const { return extent_; }

    template <std::size_t I>
    PARPRIMS_HOST_DEVICE constexpr const auto& axis() const
    {
        return axis::axis_of<I>(axes_);
    }

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(const channel_sample<X>& x) const
    {
        std::size_t result = extent_;
        with_axis(x.channel, [&](const auto& axis, std::size_t before) {
            const std::size_t slot = axis.slot(x.value);
            result = slot < axis.extent() ? before + slot : extent_;
        });
        return result;
    }

    /// Calls `use(axis, first)` with the axis of a channel and its first counter.
    template <class Use>
    PARPRIMS_HOST_DEVICE constexpr void with_axis(unsigned channel, Use use) const
    {
        std::size_t before = 0;
        const auto visit = [&](unsigned of, const auto& axis) {
            if (channel == of)
                use(axis, before);
            before += axis.extent();
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) { (visit(I, axis<I>()), ...); }(indices{});
    }

private:
    template <std::size_t... I>
    constexpr std::size_t sum(std::index_sequence<I...>) const
    {
        return (axis<I>().extent() + ...);
    }

    axis::parts<indices, Axes...> axes_;
    std::size_t extent_;
};

}  // namespace parprims::detail

PARPRIMS_END_UNMARKED_CALLS
