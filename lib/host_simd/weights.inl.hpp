/// @file
/// @brief  Floats as integers, multiples of a power of two.
///
/// Part of host_simd.cpp, inside the namespace of an instruction set: included once for each, so without a guard.

/// The integers of narrow_scale_of<true>. Products are exact, so that fused or not, sums are rounded in the same way.
inline std::size_t scale_weights(const float* weights, std::size_t n, const numeric::narrow_scale_of<true>& scale,
                                 std::int64_t* values, std::int64_t* squares, std::uint32_t& key)
{
    constexpr hn::CappedTag<double, 8> d;
    constexpr hn::Rebind<float, decltype(d)> of_weights;
    constexpr hn::Rebind<std::int32_t, decltype(d)> of_keys;
    constexpr hn::RebindToSigned<decltype(d)> of_integers;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto shift = hn::Set(d, numeric::narrow_scale_of<true>::shift);
    const auto shifted = hn::BitCast(of_integers, shift);
    const auto factor = hn::Set(d, scale.factor);
    const auto square_factor = hn::Set(d, scale.square_factor);
    const auto nearest = [&](auto numbers) {
        return hn::Sub(hn::BitCast(of_integers, hn::Add(numbers, shift)), shifted);
    };
    auto keys = hn::Zero(of_keys);
    std::size_t i = 0;
    for (; n - i >= lanes; i += lanes) {
        const auto w = hn::LoadU(of_weights, weights + i);
        keys = hn::Max(keys, hn::BitCast(of_keys, hn::Abs(w)));
        const auto v = hn::PromoteTo(d, w);
        hn::StoreU(nearest(hn::Mul(v, factor)), of_integers, values + i);
        if (squares != nullptr)
            hn::StoreU(nearest(hn::Mul(hn::Mul(v, v), square_factor)), of_integers, squares + i);
    }
    std::int32_t found[lanes];
    hn::StoreU(keys, of_keys, found);
    for (const std::int32_t each : found)
        key = std::max(key, static_cast<std::uint32_t>(each));
    return i;
}
