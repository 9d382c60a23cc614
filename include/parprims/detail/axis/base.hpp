/// @file
/// @brief  What the axes have in common.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>
#include <optional>

namespace parprims::detail::axis {

/// Gives calls what they use of an axis beside `slot(x)`. Of a regular_axis, the rule; of a variable_axis, the memory that it owns, as bytes,
/// and a view of the axis in a copy of these; of that view, `slot(x)` by cells.
struct rule_access {
    template <class Axis>
    PARPRIMS_HOST_DEVICE static constexpr const auto& rule(const Axis& axis)
    {
        return axis.rule_;
    }
    template <class Axis>
        requires requires(const Axis& axis) { axis.table_; }
    static const auto& table(const Axis& axis)
    {
        return axis.table_.get().bytes();
    }
    template <class Axis>
    static auto view_in(const Axis& axis, const unsigned char* table)
    {
        return axis.view_in(table);
    }
    template <class Axis>
    PARPRIMS_HOST_DEVICE static constexpr bool has_cells(const Axis& axis)
    {
        return axis.has_cells();
    }
    template <class Axis, class X>
    PARPRIMS_HOST_DEVICE static constexpr std::size_t slot_in_cells(const Axis& axis, const X& x)
    {
        return axis.slot_in_cells(x);
    }
};

/// Flow and the number of counters. `Axis` has `bins()` and `slot(x)`.
template <class Axis>
class axis_base {
public:
    /// @brief  The number of counters: the bins, and with flow three more for underflow, overflow and NaN.
    PARPRIMS_BEGIN_UNMARKED_CALLS
    PARPRIMS_HOST_DEVICE constexpr std::size_t extent() const { return self().bins() + (flow_ ? 3 : 0); }
    PARPRIMS_END_UNMARKED_CALLS
    PARPRIMS_HOST_DEVICE constexpr bool has_flow() const { return flow_; }

    /// @brief  A copy of the axis that counts samples in no bin after the bins.
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
