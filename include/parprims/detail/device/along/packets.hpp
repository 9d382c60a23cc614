/// @file
/// @brief  How many elements of an array along a dimension a thread loads together, as packets, and whether they lie in packets.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Elements narrower than a word.
template <class Value>
inline constexpr bool is_narrow_element = sizeof(Value) < 4;

/// Whether lines are searched for extremes among narrow elements.
template <class Value, class T>
inline constexpr bool is_narrow_search = is_located<T> && is_narrow_element<Value>;

/// Elements of the packets that a thread loads: as many as have totals in 64 bytes of registers, in a narrow search at most
/// `along_packet_bytes`.
template <class Input, class T>
inline constexpr unsigned along_items = [] {
    constexpr std::size_t most_bytes = is_narrow_search<typename Input::value_type, T> ? along_packet_bytes : 16;
    constexpr unsigned items =
        order::power_of_two_within(64, sizeof(T) < 4 ? 4 : sizeof(T), packet_items<Input> * most_bytes / 16);
    return packet_bytes_of<Input>(items) != 0 ? items : 1u;
}();

/// How many neighbouring short lines a thread folds whose elements it loads as packets; 1: it loads elements one by one.
template <class Input, class T>
inline constexpr unsigned along_packet_lines = [] {
    if (is_located<T>)
        return is_narrow_element<typename Input::value_type> ? along_items<Input, T> : 1u;
    constexpr unsigned lines =
        order::power_of_two_within(along_packet_bytes, sizeof(T) < 4 ? 4 : sizeof(T), packet_items<Input>);
    return packet_bytes_of<Input>(lines) == 0 ? 1u : lines;
}();

/// How many neighbouring lines a thread folds by leaves, if they lie in packets; 1: none do.
template <class Input, class T>
inline constexpr unsigned along_leaf_lines = [] {
    constexpr unsigned lines =
        is_located<T> ? order::power_of_two_within(16, sizeof(typename element_in_flight<Input, T>::type), 8)
                      : order::power_of_two_within(32, sizeof(T) < 4 ? 4 : sizeof(T), packet_items<Input>);
    return packet_items<Input> == 1 || packet_bytes_of<Input>(lines) == 0 ? 1u : lines;
}();

/// Elements of a line, at most, that a thread folds: a chunk, which is a node of the tree; in a search fewer, as leaves and blocks are faster.
template <class Value, class T>
inline constexpr std::size_t along_longest_whole =
    is_located<T> && order::chunk<Value> > along_short_length ? along_short_length : order::chunk<Value>;

/// Positions of a chunk of a line: those of a row of the order contract. Extremes do not depend on the order, so a narrow search is free to have
/// fewer: with 256 or 512, lines of a few hundred elements would have one or two of them for each total.
template <class Value, class T>
inline constexpr unsigned along_row = is_narrow_search<Value, T> ? along_narrow_row : order::row<Value>;

/// Whether a stride is a multiple of the elements of a packet.
inline bool is_of_packets(std::ptrdiff_t stride, unsigned items)
{
    return stride % static_cast<std::ptrdiff_t>(items) == 0;
}

/// Whether each group of neighbouring lines begins with an aligned packet. If groups are not dense: at each of their positions.
template <class Input>
bool have_aligned_groups(const Input& input, const array_lines& array, std::size_t start, bool are_dense,
                         unsigned items)
{
    bool are_aligned = device::is_aligned(input.data + start, items * sizeof(typename Input::source_type)) &&
                       (are_dense || is_of_packets(array.line.stride(), items));
    for (unsigned d = 0; d + 1 < array.lines.count; ++d)
        are_aligned = are_aligned && is_of_packets(array.lines.at[d].stride, items);
    return are_aligned;
}

/// Whether neighbouring lines lie in aligned packets at each of their elements.
template <class Input>
bool are_in_packets(const Input& input, const array_lines& array, std::size_t start, unsigned items)
{
    return array.lines.stride() == 1 && array.lines.neighbours() % items == 0 &&
           device::have_aligned_groups(input, array, start, false, items);
}

/// Whether lines have several dimensions, and each of their runs consists of aligned packets.
template <class Input>
bool have_run_packets(const Input& input, const array_lines& array, std::size_t start, unsigned items)
{
    if (array.line.count <= 1 || array.line.stride() != 1 || array.line.neighbours() % items != 0)
        return false;
    bool have = device::is_aligned(input.data + start, items * sizeof(typename Input::source_type));
    for (unsigned d = 0; d + 1 < array.line.count; ++d)
        have = have && is_of_packets(array.line.at[d].stride, items);
    for (unsigned d = 0; d < array.lines.count; ++d)
        have = have && is_of_packets(array.lines.at[d].stride, items);
    return have;
}

}  // namespace parprims::detail::device
