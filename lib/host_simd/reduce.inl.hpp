/// @file
/// @brief  Operators on vectors, and the reduction of chunks.
///
/// Part of host_simd.cpp, inside the namespace of an instruction set: included once for each, so without a guard.

namespace hn = hwy::HWY_NAMESPACE;

// The operators of functional.hpp on vectors.
struct vector_plus {
    template <class V>
    HWY_INLINE V operator()(V a, V b) const
    {
        return hn::Add(a, b);
    }
};
struct vector_minimum {
    template <class V>
    HWY_INLINE V operator()(V a, V b) const
    {
        if constexpr (hwy::IsFloat<hn::TFromV<V>>())
            return hn::IfThenElse(hn::Or(hn::Ge(b, a), hn::IsNaN(a)), a, b);
        else
            return hn::Min(a, b);
    }
};
struct vector_maximum {
    template <class V>
    HWY_INLINE V operator()(V a, V b) const
    {
        if constexpr (hwy::IsFloat<hn::TFromV<V>>())
            return hn::IfThenElse(hn::Or(hn::Ge(a, b), hn::IsNaN(a)), a, b);
        else
            return hn::Max(a, b);
    }
};

/// One level of the tree: the values of lo, then hi, combined in adjacent pairs.
template <class D, class V, class Op>
HWY_INLINE V fold_pairs(D d, V lo, V hi, Op op)
{
    return op(hn::ConcatEven(d, hi, lo), hn::ConcatOdd(d, hi, lo));
}

/// log2(Count) levels of the tree over the values of `Count` vectors; leaves one vector.
template <std::size_t Count, class D, class V, class Op>
HWY_INLINE V fold_vectors(D d, V* v, Op op)
{
    for (std::size_t count = Count; count > 1; count /= 2)
        for (std::size_t i = 0; i < count / 2; ++i)
            v[i] = fold_pairs(d, v[2 * i], v[2 * i + 1], op);
    return v[0];
}

/// The whole tree over the values of one vector.
template <class T, class D, class V, class VectorOp, class Op>
HWY_INLINE T fold_lanes(D d, V v, VectorOp vector_op, Op op)
{
    constexpr std::size_t lanes = hn::MaxLanes(D());
    v = fold_pairs(d, v, v, vector_op);  // half a vector is left; the rest is scalar
    HWY_ALIGN T value[lanes];
    hn::Store(v, d, value);
    for (std::size_t count = lanes / 2; count > 1; count /= 2)
        for (std::size_t i = 0; i < count / 2; ++i)
            value[i] = op(value[2 * i], value[2 * i + 1]);
    return value[0];
}

template <class T, class VectorOp, class Op>
T fold_chunk(const T* x)
{
    constexpr hn::CappedTag<T, 64 / sizeof(T)> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    constexpr std::size_t row = order::row<T>;
    constexpr std::size_t columns = 8;  // vectors of accumulators at a time: few enough for 16 registers
    using V = hn::Vec<decltype(d)>;
    const VectorOp op;
    V folded[row / (columns * lanes)];
    for (std::size_t c = 0; c < row; c += columns * lanes) {
        V acc[columns];
        for (std::size_t k = 0; k < columns; ++k)
            acc[k] = hn::LoadU(d, x + c + k * lanes);
        for (std::size_t r = row; r < order::chunk<T>; r += row)
            for (std::size_t k = 0; k < columns; ++k)
                acc[k] = op(acc[k], hn::LoadU(d, x + r + c + k * lanes));
        folded[c / (columns * lanes)] = fold_vectors<columns>(d, acc, op);
    }
    return fold_lanes<T>(d, fold_vectors<row / (columns * lanes)>(d, folded, op), op, Op{});
}

template <class T, class VectorOp, class Op>
T fold_chunks(const T* x, std::size_t chunks)
{
    T totals[64];  // of the complete subtrees, largest first
    std::size_t depth = 0;
    const Op op;
    for (std::size_t i = 0; i < chunks; ++i) {
        T total = fold_chunk<T, VectorOp, Op>(x + i * order::chunk<T>);
        for (std::size_t bits = i; bits % 2 != 0; bits /= 2)
            total = op(totals[--depth], total);
        totals[depth++] = total;
    }
    T result = totals[--depth];
    while (depth > 0)
        result = op(totals[--depth], result);
    return result;
}
