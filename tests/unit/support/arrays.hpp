/// @file
/// @brief  Random arrays of one to four dimensions in a piece of memory, and their lines, written down plainly.
#pragma once

#include <parprims/view.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Extents and strides of an array whose first element is element `first` of its memory.
struct random_array {
    unsigned rank = 0;
    std::size_t extents[4] = {};
    std::ptrdiff_t strides[4] = {};
    std::size_t first = 0;
    std::size_t memory = 1;    // elements
    bool is_distinct = false;  // no two positions are one element
};

/// The numbers of all positions of some dimensions, in row-major order, as sums of strides.
inline std::vector<std::ptrdiff_t> offsets_of(const random_array& array, const std::vector<unsigned>& dimensions)
{
    std::vector<std::ptrdiff_t> offsets{0};
    for (const unsigned d : dimensions) {
        std::vector<std::ptrdiff_t> next;
        for (const std::ptrdiff_t offset : offsets)
            for (std::size_t i = 0; i < array.extents[d]; ++i)
                next.push_back(offset + static_cast<std::ptrdiff_t>(i) * array.strides[d]);
        offsets = next;
    }
    return offsets;
}

/// Sets the memory that an array needs.
inline void place_in_memory(random_array& array)
{
    std::ptrdiff_t lowest = 0, highest = 0;
    bool is_empty = false;
    for (unsigned d = 0; d < array.rank; ++d) {
        const std::ptrdiff_t reach = (static_cast<std::ptrdiff_t>(array.extents[d]) - 1) * array.strides[d];
        is_empty = is_empty || array.extents[d] == 0;
        (reach < 0 ? lowest : highest) += reach;
    }
    array.first = is_empty ? 0 : static_cast<std::size_t>(-lowest);
    array.memory = is_empty ? 0 : static_cast<std::size_t>(highest - lowest) + 1;
}

/// An array of these extents: without gaps, in C's or another order of dimensions, or with gaps, or mirrored.
/// @param  is_output  no two positions are one element; otherwise strides may be 0 or anything
template <class Random>
random_array arranged(Random& random, const std::vector<std::size_t>& extents, bool is_output)
{
    random_array array;
    array.rank = static_cast<unsigned>(extents.size());
    array.is_distinct = is_output;
    std::vector<unsigned> order;
    for (unsigned d = 0; d < array.rank; ++d) {
        array.extents[d] = extents[d];
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(random() % 3 == 0 ? random() % (order.size() + 1) : 0),
                     d);
    }
    std::ptrdiff_t stride = random() % 4 == 0 ? 2 : 1;
    for (const unsigned d : order) {
        array.strides[d] = random() % 5 == 0 ? -stride : stride;
        if (!is_output && random() % 12 == 0)
            array.strides[d] = static_cast<std::ptrdiff_t>(random() % 5) - 2;
        stride *= static_cast<std::ptrdiff_t>(std::max<std::size_t>(extents[d], 1));
        stride += random() % 3 == 0 ? static_cast<std::ptrdiff_t>(random() % 9) : 0;
    }
    place_in_memory(array);
    return array;
}

/// Calls `use(view)` with a view of rank 1 to 4.
template <class T, class Use>
void with_view(const random_array& array, T* memory, Use use)
{
    T* const first = memory + array.first;
    const auto of_rank = [&]<std::size_t... D>(std::index_sequence<D...>) {
        use(parprims::strided_view(first, {array.extents[D]...}, {array.strides[D]...}));
    };
    switch (array.rank) {
    case 1: return of_rank(std::make_index_sequence<1>{});
    case 2: return of_rank(std::make_index_sequence<2>{});
    case 3: return of_rank(std::make_index_sequence<3>{});
    case 4: return of_rank(std::make_index_sequence<4>{});
    default: return;
    }
}

/// Which dimensions bit d of `mask` names, and which others there are.
inline std::vector<unsigned> dimensions_in(unsigned rank, unsigned mask, bool wanted)
{
    std::vector<unsigned> found;
    for (unsigned d = 0; d < rank; ++d)
        if (((mask >> d & 1) != 0) == wanted)
            found.push_back(d);
    return found;
}

/// Calls `use(along)` with the dimensions of a list.
template <class Use>
void with_along(const std::vector<unsigned>& dimensions, Use use)
{
    switch (dimensions.size()) {
    case 1: return use(parprims::along(dimensions[0]));
    case 2: return use(parprims::along(dimensions[0], dimensions[1]));
    case 3: return use(parprims::along(dimensions[0], dimensions[1], dimensions[2]));
    case 4: return use(parprims::along(dimensions[0], dimensions[1], dimensions[2], dimensions[3]));
    default: return;
    }
}

/// One to four extents, of which the product is at most about `most`.
template <class Random>
std::vector<std::size_t> random_extents(Random& random, std::size_t most)
{
    std::vector<std::size_t> extents(1 + random() % 4);
    for (std::size_t& extent : extents) {
        constexpr std::size_t usual[] = {0, 1, 2, 3, 5, 7, 13, 31, 64, 97, 128, 300};
        extent = random() % 5 == 0 ? random() % 5000 : usual[random() % 12];
        extent = std::min(extent, most);
        most /= std::max<std::size_t>(extent, 1);
    }
    std::swap(extents[random() % extents.size()], extents[0]);
    return extents;
}
