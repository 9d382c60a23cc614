/// @file
/// @brief  The SIMD kernels of exact sums in the compiled library. A header-only build has none.
#pragma once

#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/host/simd.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::host {

inline constexpr std::size_t exact_block = 128;  ///< terms that are added, or not, together
inline constexpr std::size_t exact_lanes = 16;   ///< sums of a level: term i goes to sum i % 16

/// Magnitudes, beside zero, that a window holds: [first, end); of these, its upper levels alone hold [upper, end).
struct exact_sizes {
    double first;
    double upper;
    double end;
};

/// Adds blocks of elements from `x` on, or of products, to `sums` (level by level), as long as a window holds all terms of a block.
/// Returns the number of blocks. The levels are those of exact::terms.
template <class T>
std::size_t add_exactly_by_simd(const T* x, std::size_t blocks, const exact_sizes& held, double* sums);
template <class T>
std::size_t add_exactly_by_simd(const T* x, const T* y, std::size_t blocks, const exact_sizes& held, double* sums);

/// Inputs for which there are kernels.
template <class Iterator, class Transform>
struct exact_input {
    static constexpr bool has_simd = false;
};
template <class T, class Transform>
    requires((std::is_same_v<std::remove_const_t<T>, float> || std::is_same_v<std::remove_const_t<T>, double>) &&
             std::is_same_v<Transform, identity>)
struct exact_input<T*, Transform> {
    static constexpr bool has_simd = has_simd_kernels;
    static std::size_t add(const T* x, std::size_t blocks, const exact_sizes& held, double* sums)
    {
        return host::add_exactly_by_simd(x, blocks, held, sums);
    }
};
template <class T, class U, class Transform>
    requires(exact::multiplies_pair<Transform> && exact_input<T*, identity>::has_simd &&
             std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>)
struct exact_input<zip_iterator<T*, U*>, Transform> {
    static constexpr bool has_simd = true;
    static std::size_t add(const zip_iterator<T*, U*>& pairs, std::size_t blocks, const exact_sizes& held, double* sums)
    {
        const std::remove_const_t<T>* const x = parprims::get<0>(pairs.base());
        const std::remove_const_t<T>* const y = parprims::get<1>(pairs.base());
        return host::add_exactly_by_simd(x, y, blocks, held, sums);
    }
};

}  // namespace parprims::detail::host
