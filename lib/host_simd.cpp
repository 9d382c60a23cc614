/// @file
/// @brief  The host kernels of detail/host/simd.hpp, compiled by Highway for each instruction set and selected at run time.

// Vectors of a fixed size only: the kernels keep arrays of them. CPUs older than AVX2 take the templates: SSSE3 for them would double
// the time to compile this file. Later versions of Highway have SSE2, too: 1.0.3 has no name for it, so `fill_all` leaves it out.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_RVV | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "host_simd.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/exact_simd.hpp>
#include <parprims/detail/host/simd.hpp>
#include <parprims/detail/host/slots.hpp>
#include <parprims/detail/host/weights.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <tuple>

#ifndef PARPRIMS_LIB_HOST_SIMD_ONCE
#define PARPRIMS_LIB_HOST_SIMD_ONCE
namespace parprims::detail::host {

/// The kernels of one instruction set.
struct all_kernels {
    template <class T>
    using by_op = std::array<simd_kernels<T>, 3>;

    std::tuple<by_op<float>, by_op<double>, by_op<std::int32_t>, by_op<std::uint32_t>, by_op<std::int64_t>,
               by_op<std::uint64_t>>
        of_types;

    template <class Sample, class T>
    using slots_of = std::size_t (*)(const Sample* x, std::size_t n, const axis::nearest_bins<T>& bins,
                                     std::uint32_t extent, std::uint32_t* slots);

    slots_of<float, float> float_slots;
    slots_of<double, double> double_slots;
    slots_of<float, double> float_slots_by_double;

    template <class Real>
    using split_of = std::size_t (*)(const Real* weights, std::size_t n, int unit, Real end,
                                     std::int64_t (*words)[weights_block], bool& holds_all);

    split_of<float> split_floats[2];  // into one word, or two
    split_of<double> split_doubles;

    template <class T>
    struct exact {
        std::size_t (*numbers)(const T* x, std::size_t blocks, const exact_sizes& held, double* sums);
        std::size_t (*products)(const T* x, const T* y, std::size_t blocks, const exact_sizes& held, double* sums);
    };

    std::tuple<exact<float>, exact<double>> exact_of;
};

}  // namespace parprims::detail::host
#endif

static_assert(HWY_MAJOR >= 1, "parprims needs Highway 1.0 or later");

HWY_BEFORE_NAMESPACE();
namespace parprims::detail::host::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SSE2

void fill_all(all_kernels&) {}  // no suitable vectors: the templates are used

#else

#include "host_simd/reduce.inl.hpp"
#include "host_simd/scan.inl.hpp"
#include "host_simd/scan_by_key.inl.hpp"
#include "host_simd/slots.inl.hpp"
#include "host_simd/weights.inl.hpp"
#include "host_simd/window.inl.hpp"

template <class T, class VectorOp, class Op>
void fill(simd_kernels<T>& kernels)
{
    kernels = {&fold_chunks<T, VectorOp, Op>, &fold_rows<T, VectorOp>, &scan_rows<true, T, VectorOp>,
               &scan_rows<false, T, VectorOp>, &scan_row_by_key<T, VectorOp>};
}

template <class T>
void fill_ops(std::array<simd_kernels<T>, 3>& kernels)
{
    fill<T, vector_plus, plus>(kernels[static_cast<int>(simd_op::plus)]);
    fill<T, vector_minimum, minimum>(kernels[static_cast<int>(simd_op::minimum)]);
    fill<T, vector_maximum, maximum>(kernels[static_cast<int>(simd_op::maximum)]);
}

void fill_all(all_kernels& kernels)
{
    std::apply([](auto&... of_type) { (fill_ops(of_type), ...); }, kernels.of_types);
    kernels.float_slots = &find_slots<float, float>;
    kernels.double_slots = &find_slots<double, double>;
    kernels.float_slots_by_double = &find_slots<float, double>;
    kernels.split_floats[0] = &split_weights<float, 1>;
    kernels.split_floats[1] = &split_weights<float, 2>;
    kernels.split_doubles = &split_weights<double, 2>;
    kernels.exact_of = {{&add_exact_numbers<float, exact::numbers<float>::window>,
                         &add_exact_products<float, exact::float_products::window>},
                        {&add_exact_numbers<double, exact::numbers<double>::window>,
                         &add_exact_products<double, exact::double_products::window>}};
}

#endif

}  // namespace parprims::detail::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parprims::detail::host {

HWY_EXPORT(fill_all);

namespace {

const all_kernels& kernels_of_this_cpu()
{
    static const all_kernels kernels = [] {
        all_kernels best{};
        HWY_DYNAMIC_DISPATCH(fill_all)(best);
        return best;
    }();
    return kernels;
}

}  // namespace

template <class T>
const simd_kernels<T>* kernels_for(simd_op op)
{
    const simd_kernels<T>& kernels =
        std::get<all_kernels::by_op<T>>(kernels_of_this_cpu().of_types)[static_cast<std::size_t>(op)];
    return kernels.fold_chunks != nullptr ? &kernels : nullptr;
}

template const simd_kernels<float>* kernels_for<float>(simd_op);
template const simd_kernels<double>* kernels_for<double>(simd_op);
template const simd_kernels<std::int32_t>* kernels_for<std::int32_t>(simd_op);
template const simd_kernels<std::uint32_t>* kernels_for<std::uint32_t>(simd_op);
template const simd_kernels<std::int64_t>* kernels_for<std::int64_t>(simd_op);
template const simd_kernels<std::uint64_t>* kernels_for<std::uint64_t>(simd_op);

template <class Sample, class T>
std::size_t find_slots_by_simd(const Sample* x, std::size_t n, const axis::nearest_bins<T>& bins, std::uint32_t extent,
                               std::uint32_t* slots)
{
    const all_kernels& all = kernels_of_this_cpu();
    const auto find = [&] {
        if constexpr (std::is_same_v<T, float>)
            return all.float_slots;
        else if constexpr (std::is_same_v<Sample, double>)
            return all.double_slots;
        else
            return all.float_slots_by_double;
    }();
    return find == nullptr ? 0 : find(x, n, bins, extent, slots);
}

template std::size_t find_slots_by_simd(const float*, std::size_t, const axis::nearest_bins<float>&, std::uint32_t,
                                        std::uint32_t*);
template std::size_t find_slots_by_simd(const double*, std::size_t, const axis::nearest_bins<double>&, std::uint32_t,
                                        std::uint32_t*);
template std::size_t find_slots_by_simd(const float*, std::size_t, const axis::nearest_bins<double>&, std::uint32_t,
                                        std::uint32_t*);

template <class Real, int Words>
std::size_t split_by_simd(const Real* weights, std::size_t n, int unit, Real end, std::int64_t (*words)[weights_block],
                          bool& holds_all)
{
    const auto split = [] {
        if constexpr (std::is_same_v<Real, float>)
            return kernels_of_this_cpu().split_floats[Words - 1];
        else
            return kernels_of_this_cpu().split_doubles;
    }();
    return split == nullptr ? 0 : split(weights, n, unit, end, words, holds_all);
}
template std::size_t split_by_simd<float, 1>(const float*, std::size_t, int, float, std::int64_t (*)[weights_block],
                                             bool&);
template std::size_t split_by_simd<float, 2>(const float*, std::size_t, int, float, std::int64_t (*)[weights_block],
                                             bool&);
template std::size_t split_by_simd<double, 2>(const double*, std::size_t, int, double, std::int64_t (*)[weights_block],
                                              bool&);

template <class T>
std::size_t add_exactly_by_simd(const T* x, std::size_t blocks, const exact_sizes& held, double* sums)
{
    const auto add = std::get<all_kernels::exact<T>>(kernels_of_this_cpu().exact_of).numbers;
    return add == nullptr ? 0 : add(x, blocks, held, sums);
}
template <class T>
std::size_t add_exactly_by_simd(const T* x, const T* y, std::size_t blocks, const exact_sizes& held, double* sums)
{
    const auto add = std::get<all_kernels::exact<T>>(kernels_of_this_cpu().exact_of).products;
    return add == nullptr ? 0 : add(x, y, blocks, held, sums);
}
template std::size_t add_exactly_by_simd(const float*, std::size_t, const exact_sizes&, double*);
template std::size_t add_exactly_by_simd(const double*, std::size_t, const exact_sizes&, double*);
template std::size_t add_exactly_by_simd(const float*, const float*, std::size_t, const exact_sizes&, double*);
template std::size_t add_exactly_by_simd(const double*, const double*, std::size_t, const exact_sizes&, double*);

}  // namespace parprims::detail::host
#endif
