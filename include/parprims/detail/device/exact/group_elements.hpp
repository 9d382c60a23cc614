/// @file
/// @brief  How the lanes of a group add up elements: loads, the choice of the window, and bins for what the window does not hold.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/exact/group_window.hpp>
#include <parprims/detail/device/exact/warp_bins.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The key of a term; 0 of an infinity or a NaN.
template <class Terms>
PARPRIMS_DEVICE inline std::uint32_t finite_key(const typename Terms::term& each)
{
    const std::uint32_t key = Terms::key(each);
    return key < Terms::window::infinity_key ? key : 0;
}

/// Elements at equal distances, as an input.
template <class Input>
struct spaced_input {
    Input input;
    std::size_t stride;

    PARPRIMS_DEVICE decltype(auto) operator[](std::size_t i) const { return input[i * stride]; }
    PARPRIMS_DEVICE spaced_input from(std::size_t i) const { return {input.from(i * stride), stride}; }
};

/// Takes `Count` elements, each `step` behind the one before.
template <class Terms, unsigned Count, class Input>
PARPRIMS_DEVICE inline void take_elements(typename Terms::term (&to)[Count], const Input& from, unsigned step)
{
    if constexpr (requires { from.stride; }) {
        const std::size_t distance = step * from.stride;
        std::size_t at = 0;
#pragma unroll
        for (unsigned r = 0; r < Count; ++r, at += distance)  // without products of 64 bits
            to[r] = Terms::of(from.input[at]);
    } else {
#pragma unroll
        for (unsigned r = 0; r < Count; ++r)
            to[r] = Terms::of(from[r * step]);
    }
}

/// For all lanes of the warp: adds `first`, a term of this lane, and `count` elements of its group, of which each lane takes one of `group`. The
/// first batch of the group decides where its window lies.
template <class Terms, class Elements>
PARPRIMS_DEVICE inline void add_elements(group_window<Terms>& window, warp_bins<Terms>& bins, bool has_windows,
                                         const Elements& elements, unsigned count, unsigned group,
                                         const typename Terms::term& first)
{
    using term = typename Terms::term;
    constexpr unsigned batch = 8;
    constexpr unsigned half = batch / 2;
    /// Whether full batches have their own code, without a comparison and a 64-bit address an element. For doubles: 122 registers, not 96.
    constexpr bool loads_full_batches = std::is_same_v<term, float>;
    const unsigned own = simt::block::lane() & (group - 1);
    term next[batch];
    const auto load = [&](unsigned row) {
        if constexpr (loads_full_batches)
            if (row + batch * group <= count)
                return device::take_elements<Terms>(next, elements.from(row + own), group);
#pragma unroll
        for (unsigned r = 0; r < batch; ++r) {
            const unsigned i = row + r * group + own;
            next[r] = i < count ? Terms::of(elements[i]) : Terms::nothing();
        }
    };
    const auto add = [&](const auto& terms) {
        if (!has_windows || !window.add(terms))
            bins.add(terms);
    };
    load(0);
    for (unsigned row = 0; row == 0 || row < count; row += batch * group) {
        term terms[2][half];
#pragma unroll
        for (unsigned r = 0; r < batch; ++r)
            terms[r / half][r % half] = next[r];
        if (row + batch * group < count)
            load(row + batch * group);
        if (row == 0) {
            const term alone[] = {first};
            std::uint32_t highest = finite_key<Terms>(first);
#pragma unroll
            for (unsigned r = 0; r < batch; ++r)
                highest = larger_of(highest, finite_key<Terms>(terms[r / half][r % half]));
            window.start(group, highest);
            add(alone);
        }
#pragma unroll
        for (unsigned r = 0; r < batch; r += half)
            if (row + r * group < count)
                add(terms[r / half]);
    }
}

}  // namespace parprims::detail::device
