/// @file
/// @brief  Rows of lines between memory and shared memory: a warp copies its rows in the order in which they lie in memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The logarithm of the number of lanes that copy elements of a row of at most `span` elements together, if these lie next to each other. The
/// host computes it.
constexpr unsigned stage_log_lanes(bool lies_along, unsigned span)
{
    unsigned log_lanes = 0;
    while (lies_along && 1u << log_lanes < span && 1u << log_lanes < simt::warp_size)
        ++log_lanes;
    return log_lanes;
}

/// The rows of a warp in shared memory, one for each lane. Element e of row r is number e * pitch + r: lanes that have one element each of
/// neighbouring rows, or neighbouring elements of one row, use different banks.
template <class T>
struct row_stage {
    static constexpr unsigned pitch = simt::warp_size + 1;
    /// Elements of a lane that are in flight together. One of less than four bytes takes a whole register.
    static constexpr unsigned in_flight =
        order::power_of_two_within(along_stage_bytes, sizeof(T) < 4 ? 4 : sizeof(T), 16);
    static constexpr unsigned few = 4;  // rows, where a lane has several elements of each

    unsigned span;  // elements of a row, at most

    /// Calls `write(i, place, read(i, place))` for each element: its index in memory, its place in shared memory; or `read(i, place)` alone, if
    /// it returns nothing. This lane has a row of `count` elements, from `first` on, `step` apart.
    ///
    /// @param  log_lanes  0: this lane copies its own row, whose elements lie next to those of its neighbours
    template <class Read, class Write>
    PARPRIMS_DEVICE void copy(unsigned log_lanes, std::size_t first, unsigned count, std::size_t step, Read read,
                              Write write) const
    {
        static_assert(in_flight >= few);
        if (log_lanes == 0)
            copy_batches<1, in_flight>(log_lanes, first, count, step, read, write);
        else if (span <= 1u << log_lanes)
            copy_batches<in_flight, 1>(log_lanes, first, count, step, read, write);
        else
            copy_batches<few, in_flight / few>(log_lanes, first, count, step, read, write);
    }

private:
    /// @tparam  Rows  from which a lane copies elements at a time
    /// @tparam  Each  elements that it copies from each of them
    template <unsigned Rows, unsigned Each, class Read, class Write>
    PARPRIMS_DEVICE void copy_batches(unsigned log_lanes, std::size_t first, unsigned count, std::size_t step,
                                      Read read, Write write) const
    {
        const unsigned lanes = 1u << log_lanes;
        const unsigned rows = simt::warp_size >> log_lanes;  // that are copied together
        const unsigned element = (simt::block::lane() & (lanes - 1)), row = simt::block::lane() >> log_lanes;
        const std::size_t skipped = element * step, jump = lanes * step;
#pragma unroll 1
        for (unsigned begin_row = 0; begin_row < simt::warp_size; begin_row += Rows * rows) {
            struct {
                std::size_t i;   // of this lane's next element
                unsigned place;  // of it
                unsigned left;   // of the row's elements, from it on
            } at[Rows];
#pragma unroll
            for (unsigned k = 0; k < Rows; ++k) {
                const unsigned r = begin_row + k * rows + row, source = r % simt::warp_size;
                const unsigned row_count = simt::shuffle(count, source);
                at[k].i = simt::shuffle(first, source) + skipped;
                at[k].place = element * pitch + source;
                at[k].left = r < simt::warp_size && element < row_count ? row_count - element : 0;
            }
#pragma unroll 1
            for (unsigned begin = 0; begin < span; begin += Each * lanes) {
                uninitialized<T> x[Rows][Each];
                const auto for_each = [&](auto use) {
#pragma unroll
                    for (unsigned k = 0; k < Rows; ++k) {
                        std::size_t i = at[k].i;
                        unsigned place = at[k].place;
#pragma unroll
                        for (unsigned j = 0; j < Each; ++j, i += jump, place += lanes * pitch)
                            if (j * lanes < at[k].left)
                                use(i, place, x[k][j]);
                    }
                };
                if constexpr (std::is_void_v<decltype(read(std::size_t{0}, 0u))>) {
                    for_each([&](std::size_t i, unsigned place, uninitialized<T>&) { read(i, place); });
                } else {
                    for_each([&](std::size_t i, unsigned place, uninitialized<T>& e) { e.value = read(i, place); });
                    for_each([&](std::size_t i, unsigned place, uninitialized<T>& e) { write(i, place, e.value); });
                }
#pragma unroll
                for (unsigned k = 0; k < Rows; ++k) {
                    at[k].i += Each * jump;
                    at[k].place += Each * lanes * pitch;
                    at[k].left -= smaller_of(at[k].left, Each * lanes);
                }
            }
        }
    }
};

}  // namespace parprims::detail::device
