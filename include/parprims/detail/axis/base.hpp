/// @file
/// @brief  What the axes have in common.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace parprims::detail::axis {

/// Whether an axis has `with_rule` and `with_window`: several ways to the same slots, of which its bounds allow some.
template <class Axis>
inline constexpr bool has_rules = false;

/// Where a sample lies in a window of an axis's slots, if it is in there at all.
struct found {
    bool inside;
    std::uint32_t place;  ///< counted from the window's first slot; anything where it is not inside
};

/// The window `[first, first + width)` of the slots that `rule` tells.
template <class Rule>
struct slot_window {
    Rule rule;
    std::uint32_t first;
    std::uint32_t width;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr found operator()(const X& x) const
    {
        const std::uint32_t place = static_cast<std::uint32_t>(rule(x)) - first;
        return {place < width, place};
    }
};

/// Flow and the number of counters. `Axis` has `bins()` and `slot(x)`.
template <class Axis>
class axis_base {
public:
    /// @brief  The number of counters: the bins, and with flow three more for underflow, overflow and NaN.
#if PARPRIMS_CUDA_COMPILER  // a variable_axis is for the host alone: on the device there is its view
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011, 20012, 20013, 20014, 20015
#endif
    PARPRIMS_HOST_DEVICE constexpr std::size_t extent() const { return self().bins() + (flow_ ? 3 : 0); }
#if PARPRIMS_CUDA_COMPILER
#pragma nv_diagnostic pop
#endif
    PARPRIMS_HOST_DEVICE constexpr bool has_flow() const { return flow_; }

    /// @brief  The same axis, with samples that are in no bin counted after the bins.
    constexpr Axis with_flow() const
    {
        Axis changed = self();
        changed.flow_ = true;
        return changed;
    }

    /// @brief  The bin of `x`, or nothing where it is in none.
    template <class X>
    constexpr std::optional<std::size_t> index(const X& x) const
    {
        const std::size_t slot = self().slot(x);
        return slot < self().bins() ? std::optional(slot) : std::nullopt;
    }

    friend constexpr bool operator==(const axis_base&, const axis_base&) = default;

protected:
    bool flow_ = false;

private:
    PARPRIMS_HOST_DEVICE constexpr const Axis& self() const { return static_cast<const Axis&>(*this); }
};

}  // namespace parprims::detail::axis
