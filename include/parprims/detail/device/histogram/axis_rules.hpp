/// @file
/// @brief  The fastest functions that tell the slot of a sample of an axis. The bounds of a regular_axis decide at run time
///         which that is, so all functions here call `use` with the one that they choose.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/sample.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The position of a sample in the window `[first, first + width)` of the slots, by a function that tells its slot.
template <class SlotOf>
struct slot_window {
    SlotOf slot_of;
    std::uint32_t first;
    std::uint32_t width;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const std::uint32_t offset = static_cast<std::uint32_t>(slot_of(x)) - first;
        return {offset < width, offset};
    }
};

/// Calls `use(slot_of)`, where `slot_of(x)` is `axis.slot(x)`.
template <class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const Axis& axis, Use use)
{
    use([&axis](const auto& x) { return axis.slot(x); });
}

template <class T, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const regular_axis<T>& axis, Use use)
{
    detail::axis::rule_access::rule(axis).specialize([&](auto rule) {
        use([rule](const auto& x) {
            const auto sample = detail::axis::convert<T>(x);
            return sample.is_outside ? rule.bins() + sample.flow : rule.slot(sample.value);
        });
    });
}

/// Calls `use(position_of)`, where `position_of(x)` is the `detail::axis::window_position` of `x` among the slots
/// `[first, first + width)`. A sample that the axis does not count may have any position, inside or not.
template <class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const Axis& axis, std::uint32_t first, std::uint32_t width,
                                                     Use use)
{
    const auto slot_of = [&axis](const auto& x) { return axis.slot(x); };
    use(slot_window<decltype(slot_of)>{slot_of, first, width});
}

/// Edges ascend, so the bins of a window are an interval of samples: to compare with its ends costs less than to compute the
/// bin of each sample and to compare that.
template <class T, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const regular_axis<T>& axis, std::uint32_t first,
                                                     std::uint32_t width, Use use)
{
    const auto& rule = detail::axis::rule_access::rule(axis);
    if (!axis.has_flow() && rule.has_window()) {
        rule.with_window(first, width, [&](auto window) {
            use([window](const auto& x) {
                const auto sample = detail::axis::convert<T>(x);
                const detail::axis::window_position position = window(sample.value);
                return detail::axis::window_position{!sample.is_outside && position.inside, position.offset};
            });
        });
    } else {
        const auto slot_of = [&axis](const auto& x) { return axis.slot(x); };
        use(slot_window<decltype(slot_of)>{slot_of, first, width});
    }
}

/// Calls `use(find)`, where `find(x)` is the slot of `x` as 32 bits, or its `detail::axis::window_position` among all slots.
template <class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const Axis& axis, Use use)
{
    with_slot_rule(axis, [&](auto slot_of) {
        use([slot_of](const auto& x) { return static_cast<std::uint32_t>(slot_of(x)); });
    });
}

/// With floating-point bounds, to compare a sample with both ends costs less than to tell why it is in no bin.
template <class T, class Use>
    requires std::is_floating_point_v<T>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const regular_axis<T>& axis, Use use)
{
    with_window_rule(axis, 0, static_cast<std::uint32_t>(axis.bins() + detail::axis::flow_slots), use);
}

}  // namespace parprims::detail::device
