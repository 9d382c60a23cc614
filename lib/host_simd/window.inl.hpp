/// @file
/// @brief  Exact sums of terms in a window: detail/host/exact_simd.hpp.
///
/// Part of host_simd.cpp, inside the namespace of an instruction set: included once for each, so without a guard.

/// Adds numbers to the sums of a window's levels from level `First` on, of which the last one takes what is left.
template <unsigned First, unsigned Levels, class V>
HWY_INLINE void add_to_levels(V (&sums)[Levels], V number)
{
    for (unsigned k = First; k + 1 < Levels; ++k) {
        const V sum = hn::Add(sums[k], number);
        number = hn::Sub(number, hn::Sub(sum, sums[k]));
        sums[k] = sum;
    }
    sums[Levels - 1] = hn::Add(sums[Levels - 1], number);
}

/// The elements of one array.
template <class T>
struct exact_numbers {
    const T* x;

    template <class D>
    HWY_INLINE hn::Vec<D> number(D d, std::size_t i) const
    {
        if constexpr (std::is_same_v<T, float>)
            return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), x + i));
        else
            return hn::LoadU(d, x + i);
    }

    /// Whether a window holds a block of them.
    HWY_INLINE bool are_held(std::size_t begin, double first, double end) const
    {
        constexpr hn::CappedTag<T, 64 / sizeof(T)> d;
        const auto from = hn::Set(d, static_cast<T>(first));
        const auto to = hn::Set(d, static_cast<T>(end));
        auto held = hn::Eq(from, from);
        for (std::size_t i = 0; i < exact_block; i += hn::MaxLanes(d)) {
            const auto size = hn::Abs(hn::LoadU(d, x + begin + i));
            const auto is_large = hn::Or(hn::Ge(size, from), hn::Eq(size, hn::Zero(d)));
            held = hn::And(held, hn::And(hn::Lt(size, to), is_large));
        }
        return hn::AllTrue(d, held);
    }
    template <unsigned Levels, class D, class V>
    HWY_INLINE void add_error(D, std::size_t, V, V (&)[Levels]) const
    {
    }
};

/// The products of two arrays.
template <class T>
struct exact_products {
    const T* x;
    const T* y;

    template <class D>
    HWY_INLINE hn::Vec<D> number(D d, std::size_t i) const
    {
        return hn::Mul(exact_numbers<T>{x}.number(d, i), exact_numbers<T>{y}.number(d, i));
    }
    HWY_INLINE bool are_held(std::size_t begin, double first, double end) const
    {
        constexpr hn::CappedTag<double, 8> d;
        const auto from = hn::Set(d, first);
        const auto to = hn::Set(d, end);
        const auto zero = hn::Zero(d);
        auto held = hn::Eq(from, from);
        for (std::size_t i = 0; i < exact_block; i += hn::MaxLanes(d)) {
            const auto size = hn::Abs(number(d, begin + i));
            auto is_zero = hn::Eq(size, zero);
            if constexpr (std::is_same_v<T, double>)  // and not too small for a double
                is_zero = hn::And(is_zero, hn::Or(hn::Eq(hn::LoadU(d, x + begin + i), zero),
                                                  hn::Eq(hn::LoadU(d, y + begin + i), zero)));
            held = hn::And(held, hn::And(hn::Lt(size, to), hn::Or(hn::Ge(size, from), is_zero)));
        }
        return hn::AllTrue(d, held);
    }
    /// -0 if there is none.
    template <unsigned Levels, class D, class V>
    HWY_INLINE void add_error(D d, std::size_t i, V product, V (&sums)[Levels]) const
    {
        if constexpr (std::is_same_v<T, double>)
            add_to_levels<1>(sums, hn::Neg(hn::NegMulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), product)));
    }
};

/// Adds a block, from term `begin` on, to the first `Levels` levels.
template <unsigned Levels, class Terms>
HWY_INLINE void add_exact_block(const Terms& terms, std::size_t begin, double* sums)
{
    constexpr hn::CappedTag<double, 8> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    for (std::size_t l = 0; l < exact_lanes; l += lanes) {
        hn::Vec<decltype(d)> column[Levels];
        for (unsigned k = 0; k < Levels; ++k)
            column[k] = hn::Load(d, sums + k * exact_lanes + l);
        for (std::size_t i = l; i < exact_block; i += exact_lanes) {
            const auto number = terms.number(d, begin + i);
            add_to_levels<0>(column, number);
            terms.add_error(d, begin + i, number, column);
        }
        for (unsigned k = 0; k < Levels; ++k)
            hn::Store(column[k], d, sums + k * exact_lanes + l);
    }
}

template <class Window, class Terms>
std::size_t add_exact_blocks(const Terms& terms, std::size_t blocks, const exact_sizes& held, double* sums)
{
    constexpr hn::CappedTag<double, 8> d;
    double* const last = sums + (Window::levels - 1) * exact_lanes;
    std::size_t b = 0;
    for (; b < blocks; ++b) {
        const std::size_t begin = b * exact_block;
        const bool has_number = !hn::AllTrue(d, hn::Eq(terms.number(d, begin), hn::Zero(d)));
        if (has_number && terms.are_held(begin, held.upper, held.end)) {
            add_exact_block<Window::upper>(terms, begin, sums);
            hn::Store(hn::Add(hn::Load(d, last), hn::Zero(d)), d, last);  // -0 would say that all numbers are -0
        } else if (terms.are_held(begin, held.first, held.end)) {
            add_exact_block<Window::levels>(terms, begin, sums);
        } else {
            break;
        }
    }
    return b;
}

template <class T, class Window>
std::size_t add_exact_numbers(const T* x, std::size_t blocks, const exact_sizes& held, double* sums)
{
    return add_exact_blocks<Window>(exact_numbers<T>{x}, blocks, held, sums);
}
template <class T, class Window>
std::size_t add_exact_products(const T* x, const T* y, std::size_t blocks, const exact_sizes& held, double* sums)
{
    return add_exact_blocks<Window>(exact_products<T>{x, y}, blocks, held, sums);
}
