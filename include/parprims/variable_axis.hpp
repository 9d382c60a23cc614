/// @file
/// @brief  The axis with arbitrary edges. It owns memory, unlike those of axis.hpp.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/check.hpp>
#include <parprims/detail/axis/edge_cells.hpp>
#include <parprims/detail/axis/edge_table.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace parprims {

namespace detail::axis {

/// The i with `edges[i] <= x < edges[i + 1]`, which must exist. The number of steps depends on `bins` alone.
template <class Index, class T>
PARPRIMS_HOST_DEVICE constexpr std::size_t bisect(const T* edges, Index bins, T x)
{
    Index low = 0;
    for (Index left = bins; left > 1;) {
        const Index half = left / 2;
        low += edges[low + half] <= x ? half : 0;
        left -= half;
    }
    return low;
}

template <class T>
PARPRIMS_HOST_DEVICE constexpr std::size_t slot_among(const T* edges, std::size_t bins, T x)
{
    if (!(x >= edges[0] && x < edges[bins]))
        return bins + (x < edges[0] ? underflow : x >= edges[bins] ? overflow : nan);
    if (bins <= UINT32_MAX)
        return bisect(edges, static_cast<std::uint32_t>(bins), x);
    return bisect(edges, bins, x);
}

}  // namespace detail::axis

/// @brief  A variable_axis as kernels use it: trivially copyable, with a pointer to edges that the kernel can read.
/// @snippet reference.cpp variable_axis
template <class T>
class variable_axis_view {
public:
    using value_type = T;

    /// @param  edges  `bins + 1` of them, accessible where `slot` is called
    PARPRIMS_HOST_DEVICE constexpr variable_axis_view(const T* edges, std::size_t bins, bool flow)
        : edges_(edges), bins_(bins), flow_(flow)
    {
    }

    PARPRIMS_HOST_DEVICE constexpr const T* edges() const { return edges_; }
    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }
    PARPRIMS_HOST_DEVICE constexpr std::size_t extent() const { return bins_ + (flow_ ? 3 : 0); }
    PARPRIMS_HOST_DEVICE constexpr bool has_flow() const { return flow_; }
    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const { return edges_[i < bins_ ? i : bins_]; }

    template <detail::axis::sample_value X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(const X& x) const
    {
        if (cells_.exist())
            return slot_in_cells(x);
        const auto sample = detail::axis::convert<T>(x);
        return sample.is_outside ? bins_ + sample.flow : detail::axis::slot_among(edges_, bins_, sample.value);
    }

private:
    friend variable_axis<T>;
    friend detail::axis::rule_access;

    PARPRIMS_HOST_DEVICE constexpr bool has_cells() const { return cells_.exist(); }
    template <class X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot_in_cells(const X& x) const
    {
        const auto sample = detail::axis::convert<T>(x);
        return sample.is_outside ? bins_ + sample.flow : cells_.slot_among(edges_, bins_, sample.value);
    }

    const T* edges_;
    std::size_t bins_;
    bool flow_;
    detail::axis::edge_cells<T> cells_;
};

namespace detail::axis {

/// A constant that copies share, as by std::shared_ptr, whose header nvcc reads for a second.
template <class T>
class shared_constant {
public:
    explicit shared_constant(T value) : shared_(new shared{std::move(value)}) {}
    shared_constant(const shared_constant& other) noexcept : shared_(other.shared_)
    {
        if (shared_ != nullptr)
            __atomic_add_fetch(&shared_->owners, 1, __ATOMIC_RELAXED);
    }
    shared_constant(shared_constant&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    shared_constant& operator=(shared_constant other) noexcept
    {
        std::swap(shared_, other.shared_);
        return *this;
    }
    ~shared_constant()
    {
        if (shared_ != nullptr && __atomic_sub_fetch(&shared_->owners, 1, __ATOMIC_ACQ_REL) == 0)
            delete shared_;
    }

    const T& get() const { return shared_->value; }

private:
    struct shared {
        const T value;
        std::size_t owners = 1;
    };

    shared* shared_;
};

inline std::string edge_name(std::size_t i)
{
    return "edges[" + std::to_string(i) + "]";
}

template <class T>
void check_edges(const std::vector<T>& edges)
{
    if (edges.size() < 2)
        runtime::refuse("parprims::variable_axis", "edges", "% given, at least 2 are needed", edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const std::string name = edge_name(i);
        check_bound<T>("parprims::variable_axis", name.c_str(), edges[i]);
        if (i > 0 && !(edges[i - 1] < edges[i]))
            runtime::refuse("parprims::variable_axis", name.c_str(), "% is not greater than the edge before it (%)",
                            edges[i], edges[i - 1]);
    }
}

template <class T>
shared_constant<edge_table<T>> share_edges(std::vector<T> edges)
{
    return runtime::with_host_memory(edges.size() * sizeof(T), [&] {
        check_edges(edges);
        return shared_constant<edge_table<T>>(edge_table<T>(std::move(edges)));
    });
}

/// The type of the edges in a range.
template <class Edges>
using edge_of = iter_value_t<decltype(std::begin(std::declval<const Edges&>()))>;

/// An edge as a built-in number, whose value is checked before it is converted to T. Unary + converts a user's number type.
template <class U>
constexpr auto number_of(const U& edge)
{
    if constexpr (sample_value<U> || std::is_arithmetic_v<U>)
        return edge;
    else
        return +edge;
}

/// Types that can be an edge of an axis of `T`.
template <class U, class T>
concept edge_for = std::convertible_to<U, T> && (sample_value<U> || std::is_arithmetic_v<U> ||
                                                 requires(const U& edge) { requires sample_value<decltype(+edge)>; });

/// The edges as a vector of `T`, each checked before it is converted.
template <class T, class Edges>
std::vector<T> convert_edges(const Edges& edges)
{
    std::vector<T> converted;
    for (const edge_of<Edges>& edge : edges) {
        const auto number = number_of(edge);
        runtime::with_host_memory((converted.size() + 1) * sizeof(T), [&] {
            converted.push_back(check_bound<T>("parprims::variable_axis", edge_name(converted.size()).c_str(), number));
        });
    }
    return converted;
}

}  // namespace detail::axis

/// @brief  Bins between arbitrary edges: bin i is `[edges[i], edges[i + 1])`. Copies share the edges, which never change.
///
/// Needs no GPU. If edges have equal, slowly changing or logarithmic distances, or are few, and there are at most 65536 bins, the constructor
/// makes a table of 4 to 16 bytes a bin (of few bins: up to 8 KiB), and `slot` compares with one edge. Otherwise `slot` is a
/// binary search of `ceil(log2(bins()))` steps.
/// @snippet reference.cpp variable_axis
template <class T>
class variable_axis : public detail::axis::axis_base<variable_axis<T>> {
    static_assert(detail::axis::edge_value<T>,
                  "parprims: the edges of an axis are integers of at most 64 bits, float or double");

public:
    using value_type = T;

    /// @param  edges  `bins() + 1` of them, strictly ascending
    /// @throws invalid_argument  fewer than two edges; an edge that is not finite, or not above the one before it
    /// @throws out_of_memory     no memory for the edges
    explicit variable_axis(std::vector<T> edges) : table_(detail::axis::share_edges(std::move(edges))) {}
    variable_axis(std::initializer_list<T> edges) : variable_axis(detail::axis::convert_edges<T>(edges)) {}

    /// @brief  An axis with the edges of any range of numbers. An integer axis takes integers of any type, and only these. Edges of a
    ///         floating-point axis are rounded to nearest, from integers too.
    /// @throws invalid_argument  as above; an edge out of the range of `T` or, for an integer axis, not integral; edges that
    ///                           are equal after rounding
    /// @throws out_of_memory     as above
    template <class Edges>
        requires detail::axis::edge_for<detail::axis::edge_of<Edges>, T>
    explicit variable_axis(const Edges& edges) : variable_axis(detail::axis::convert_edges<T>(edges))
    {
    }

    std::size_t bins() const { return edges().size() - 1; }

    /// @brief  The lower edge of bin `i`; the last edge for `i >= bins()`.
    T edge(std::size_t i) const { return view().edge(i); }
    const std::vector<T>& edges() const { return table_.get().edges(); }

    /// @brief  The bin of `x`, or `bins()` + 0, 1, 2 for underflow, overflow, NaN.
    template <detail::axis::sample_value X>
    std::size_t slot(const X& x) const
    {
        constexpr std::size_t least_bins =
            8;  // a CPU searches fewer bins faster: 2^24 floats in 3 bins 34 ms, by the table 48
        return bins() < least_bins ? view_at(edges().data()).slot(x) : view().slot(x);
    }

    /// @brief  The axis as a trivially copyable value, valid while this axis or a copy of it exists.
    variable_axis_view<T> view() const { return view_in(table_.get().bytes().data()); }
    /// @brief  `view()` with a copy of `edges()` elsewhere, such as in a GPU's memory. Its `slot` is a binary search.
    variable_axis_view<T> view_at(const T* edges) const { return {edges, bins(), this->has_flow()}; }

    friend bool operator==(const variable_axis& a, const variable_axis& b)
    {
        return a.has_flow() == b.has_flow() && a.edges() == b.edges();
    }

private:
    friend detail::axis::rule_access;

    variable_axis_view<T> view_in(const unsigned char* table) const
    {
        variable_axis_view<T> view = view_at(reinterpret_cast<const T*>(table));
        view.cells_ = table_.get().cells_in(table);
        return view;
    }

    detail::axis::shared_constant<detail::axis::edge_table<T>> table_;
};

template <class Edges>
variable_axis(const Edges&) -> variable_axis<detail::axis::edge_of<Edges>>;

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
