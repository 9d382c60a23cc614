/// @file
/// @brief  The explicit SIMD kernels of the compiled library (lib/host_simd.cpp): same order and bits as the templates, selected
///         for the CPU at run time. A header-only build has none.
#pragma once

#include <parprims/config.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::host {

enum class simd_op { plus, minimum, maximum };

/// A bit for each element of a lane of a scan by key.
template <class T>
using head_bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The kernels for one type and one operator. Rows, chunks and tiles are those of the order contract, and complete.
template <class T>
struct simd_kernels {
    /// Folds `chunks` chunks, the first of which starts an aligned subtree.
    T (*fold_chunks)(const T* x, std::size_t chunks);
    /// Writes the totals of the rows of a tile.
    void (*fold_rows)(const T* x, T* row_totals);
    /// Writes the results of the first `rows` rows of a tile, given the scanned totals of its rows and its prefix (null:
    /// none). Prefetches as many rows from `ahead` on (null: none). With `stream`, results bypass the caches; without it, `out`
    /// may be `x`.
    using scan_kernel = void (*)(const T* x, T* out, std::size_t rows, const T* row_prefixes, const T* prefix,
                                 const T* ahead, bool stream);
    scan_kernel inclusive_rows;
    scan_kernel exclusive_rows;
    /// Of a row of a scan by key, whose 32 lanes have `items` elements of at least 16 bytes each: writes the running totals inside
    /// the lanes, and the scan of the lanes' totals. Both begin anew where bit e of `heads[lane]` is set. `totals` may be `x`.
    void (*scan_row_by_key)(const T* x, const head_bits<T>* heads, std::size_t items, T* totals, T* lane_scans);
};

/// The kernels for this CPU; null if it has no suitable vectors. Defined for the types of `is_simd_type`.
template <class T>
const simd_kernels<T>* kernels_for(simd_op op);

template <class T>
inline constexpr bool is_simd_type =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;

/// Whether the library is compiled, and so has the kernels.
#if defined(PARPRIMS_HEADER_ONLY)
inline constexpr bool has_simd_kernels = false;
#else
inline constexpr bool has_simd_kernels = true;
#endif

/// Whether it has kernels for values and an operator of these types.
template <class T, class Op>
inline constexpr bool has_simd_op = has_simd_kernels && is_simd_type<T> && basic_operator<Op>;

/// Whether it has kernels for an input: an array of T, no transform.
template <class T, class Iterator, class Op, class Transform>
inline constexpr bool has_simd = has_simd_op<T, Op> && std::is_same_v<Transform, identity> &&
                                 (std::is_same_v<Iterator, T*> || std::is_same_v<Iterator, const T*>);

template <class T, class Op>
const simd_kernels<T>* kernels_for()
{
    if constexpr (std::is_same_v<Op, plus>)
        return kernels_for<T>(simd_op::plus);
    else if constexpr (std::is_same_v<Op, minimum>)
        return kernels_for<T>(simd_op::minimum);
    else
        return kernels_for<T>(simd_op::maximum);
}

}  // namespace parprims::detail::host
