/// @file
/// @brief  The slots of floating-point samples between equally wide bins.
///
/// Part of host_simd.cpp, inside the namespace of an instruction set: included once for each, so without a guard.

/// The slots of floating_rule::slot, for a window of all bins; the guess is floor(position + 1/2). A window exists only for so
/// few bins that T holds their numbers exactly, so slots stay of type T until they are stored. The guess needs no lower limit:
/// it is not negative where the sample is in a bin, and not used elsewhere.
template <class Sample, class T>
std::size_t find_slots(const Sample* x, std::size_t n, const axis::nearest_bins<T>& bins, std::uint32_t extent,
                       std::uint32_t* slots)
{
    constexpr hn::CappedTag<T, 64 / sizeof(T)> d;
    constexpr hn::Rebind<Sample, decltype(d)> of_samples;
    constexpr hn::Rebind<std::int32_t, decltype(d)> of_slots;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto number = [&](std::int64_t value) { return hn::Set(d, static_cast<T>(value)); };
    const auto lower = hn::Set(d, bins.nearest.lower);
    const auto upper = hn::Set(d, bins.upper);
    const auto scale = hn::Set(d, bins.nearest.scale);
    const auto width = hn::Set(d, bins.nearest.width);
    const auto half = hn::Set(d, static_cast<T>(0.5));
    const auto one = number(1);
    const auto last = number(bins.nearest.last);
    const auto underflow = number(std::int64_t{bins.nearest.last} + 1 + axis::underflow);
    const auto overflow = number(std::int64_t{bins.nearest.last} + 1 + axis::overflow);
    const auto nan = number(std::int64_t{bins.nearest.last} + 1 + axis::nan);
    const auto end = number(extent);
    std::size_t i = 0;
    for (; n - i >= lanes; i += lanes) {
        const auto samples = hn::LoadU(of_samples, x + i);
        hn::Vec<decltype(d)> v;
        if constexpr (sizeof(Sample) < sizeof(T))
            v = hn::PromoteTo(d, samples);
        else
            v = samples;
        const auto position = hn::Add(hn::Mul(hn::Sub(v, lower), scale), half);
        const auto guess = hn::Min(hn::Trunc(position), last);
        const auto edge = hn::Add(lower, hn::Mul(guess, width));
        const auto bin = hn::Sub(guess, hn::IfThenElseZero(hn::Lt(v, edge), one));
        const auto above = hn::IfThenElse(hn::Lt(v, upper), bin, hn::IfThenElse(hn::Ge(v, upper), overflow, nan));
        const auto slot = hn::Min(hn::IfThenElse(hn::Lt(v, lower), underflow, above), end);
        if constexpr (sizeof(T) == 4)
            hn::StoreU(hn::ConvertTo(of_slots, slot), of_slots, reinterpret_cast<std::int32_t*>(slots + i));
        else
            hn::StoreU(hn::DemoteTo(of_slots, slot), of_slots, reinterpret_cast<std::int32_t*>(slots + i));
    }
    return i;
}
