/// @file
/// @brief  Floats and doubles as words of 40 bits.
///
/// Part of host_simd.cpp, inside the namespace of an instruction set: included once for each, so without a guard.

/// Word k counts 2^(40 k) units. The sum of a number with 1.5 * 2^(52 + 40 k) is rounded to a multiple of 2^(40 k), which are its last digits.
template <class Real, int Words>
std::size_t split_weights(const Real* weights, std::size_t n, int unit, Real end, std::int64_t (*words)[weights_block],
                          bool& holds_all)
{
    constexpr hn::CappedTag<double, 8> d;
    constexpr hn::Rebind<Real, decltype(d)> of_weights;
    constexpr hn::RebindToSigned<decltype(d)> of_words;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    constexpr bool is_double = sizeof(Real) == sizeof(double);
    // Of doubles in two steps: 2^-unit may be out of range.
    const int first_step = is_double ? -unit / 2 : -unit;
    const auto factor = hn::Set(d, numeric::nearest<double>(1, first_step, false));
    const auto second_factor = hn::Set(d, numeric::nearest<double>(1, -unit - first_step, false));
    auto largest = hn::Zero(of_weights);
    auto left = hn::Zero(d);
    std::size_t i = 0;
    for (; n - i >= lanes; i += lanes) {
        const auto loaded = hn::LoadU(of_weights, weights + i);
        largest = hn::Max(largest, hn::Abs(loaded));
        hn::Vec<hn::CappedTag<double, 8>> number;
        if constexpr (is_double) {
            number = hn::Mul(hn::Mul(loaded, factor), second_factor);
            left = hn::Or(left, hn::IfThenElseZero(hn::Eq(number, hn::Zero(d)), loaded));  // a number that has become 0
        } else {
            number = hn::Mul(hn::PromoteTo(d, loaded), factor);
        }
        for (int k = Words; k-- > 0;) {
            const auto shift = hn::Set(d, 1.5 * numeric::nearest<double>(1, 52 + word_bits * k, false));
            const auto shifted = hn::Add(number, shift);
            hn::StoreU(hn::Sub(hn::BitCast(of_words, shifted), hn::BitCast(of_words, shift)), of_words, words[k] + i);
            number = hn::Sub(number, hn::Sub(shifted, shift));
        }
        left = hn::Or(left, number);  // below the unit; of a NaN or an infinity NaN
    }
    holds_all = holds_all && hn::AllTrue(of_weights, hn::Lt(largest, hn::Set(of_weights, end))) &&
                hn::AllTrue(d, hn::Eq(left, hn::Zero(d)));
    return i;
}
