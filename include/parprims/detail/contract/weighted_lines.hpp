/// @file
/// @brief  Lines of samples in one array, and of their weights in another of the same extents, for both backends.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>

#include <cstddef>
#include <initializer_list>

namespace parprims::detail {

/// Lines are numbered as by `lines_along`, by the strides of the samples: so `lines` and `places` number them alike, though each joins other
/// dimensions. The place of a line says where its histogram is: so many others lie before it in memory.
struct weighted_lines {
    array_lines lines;             // the out strides are those of the weights
    dimension_list places;         // of lines, as out offsets from that of line 0
    dimension_list all;            // the samples of all lines, numbered so that neighbours lie close to each other
    dimension_list places_of_all;  // of the lines of samples, numbered alike
    std::ptrdiff_t first_place;    // of line 0

    /// `strides_of_weights`, `strides_of_places`: of each dimension.
    static constexpr weighted_lines of(const dimension* samples, unsigned rank, const bool* is_along,
                                       const std::ptrdiff_t* strides_of_weights,
                                       const std::ptrdiff_t* strides_of_places, std::ptrdiff_t first_place)
    {
        constexpr bool none[max_rank] = {};
        dimension dimensions[max_rank] = {};
        const auto set_out_strides = [&](const std::ptrdiff_t* strides) {
            for (unsigned d = 0; d < rank; ++d)
                dimensions[d] = {samples[d].extent, samples[d].stride, strides[d]};
        };
        weighted_lines result{};
        set_out_strides(strides_of_weights);
        result.lines = detail::lines_along(dimensions, rank, is_along);
        result.all = detail::lines_along(dimensions, rank, none).lines;
        set_out_strides(strides_of_places);
        result.places = detail::lines_along(dimensions, rank, is_along).lines;
        result.places_of_all = detail::lines_along(dimensions, rank, none).lines;
        result.first_place = first_place;
        return result;
    }

    PARPRIMS_HOST_DEVICE std::size_t place_of(std::size_t line) const
    {
        return static_cast<std::size_t>(first_place + places.out_offset(line));
    }
    /// As `lines`, of the weights.
    constexpr array_lines lines_of_weights() const
    {
        array_lines result = lines;
        for (dimension_list* of : {&result.line, &result.lines})
            for (unsigned d = 0; d < of->count; ++d)
                of->at[d].stride = of->at[d].out_stride;
        return result;
    }
};

}  // namespace parprims::detail
