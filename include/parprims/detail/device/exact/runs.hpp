/// @file
/// @brief  Runs of equal keys as segments: copy_if finds where they begin.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Where copy_if writes the number of runs: for the next kernel, and to the count of the call.
template <class Count>
struct run_count {
    struct reference {
        const run_count& to;

        PARPRIMS_DEVICE void operator=(std::size_t runs) const
        {
            simt::store(to.runs, runs);
            *to.count = runs;
        }
    };

    std::size_t* runs;
    Count count;

    PARPRIMS_DEVICE reference operator*() const { return {*this}; }
};

/// Runs as segments. Until copy_if has counted them, they are `unknown_runs`, whose `count` is the most that there can be.
struct run_segments {
    static constexpr bool is_searched = true;

    const std::size_t* heads;  // where runs begin
    std::size_t n;
    std::size_t count;

    PARPRIMS_DEVICE std::size_t begin(std::size_t s) const { return s < count ? simt::load(heads, s) : n; }
    PARPRIMS_DEVICE std::size_t end(std::size_t s) const { return begin(s + 1); }
};

struct unknown_runs : run_segments {
    const std::size_t* runs;

    std::size_t longest() const { return n; }
};

PARPRIMS_DEVICE inline run_segments found_segments(const unknown_runs& segments)
{
    return {segments.heads, segments.n, simt::load(segments.runs, 0)};
}

/// Takes the size of a call that lies in device memory: its number of elements.
PARPRIMS_DEVICE inline void set_size(unknown_runs& segments, std::size_t n)
{
    segments.n = n;
    segments.count = n;
}

PARPRIMS_DEVICE inline std::size_t find_segment(const run_segments& segments, std::size_t position)
{
    return find_first(segments.count, [&](std::size_t s) { return s + segments.begin(s) < position; });
}

}  // namespace parprims::detail::device
