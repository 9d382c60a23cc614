/// @file
/// @brief  A row of a scan by key.
///
/// Part of host_simd.cpp, inside the namespace of an instruction set: included once for each, so without a guard.

/// One level of the Hillis-Steele scan by key over 32 lanes, and the levels after it. All bits of `closed` are set in lanes whose
/// total begins at a head: nothing before them is added.
template <std::size_t Distance, class D, class V, std::size_t Count, class Op>
HWY_INLINE void scan_lanes_by_key(D d, V (&s)[Count], V (&closed)[Count], Op op)
{
    if constexpr (Distance < order::lanes) {
        constexpr std::size_t lanes = hn::MaxLanes(D());
        constexpr std::size_t vectors = Distance / lanes;
        for (std::size_t k = Count; k-- > vectors;) {
            V from, from_closed;
            if constexpr (vectors > 0) {
                from = s[k - vectors];
                from_closed = closed[k - vectors];
            } else {
                from = shifted<Distance>(d, s[k > 0 ? k - 1 : 0], s[k]);
                from_closed = shifted<Distance>(d, closed[k > 0 ? k - 1 : 0], closed[k]);
                if (k == 0)  // the first lanes have no lane so far before them
                    closed[0] = hn::Or(closed[0], hn::VecFromMask(d, hn::FirstN(d, Distance)));
            }
            s[k] = hn::IfThenElse(hn::MaskFromVec(closed[k]), s[k], op(from, s[k]));
            closed[k] = hn::Or(closed[k], from_closed);
        }
        scan_lanes_by_key<2 * Distance>(d, s, closed, op);
    }
}

/// The running totals inside as many lanes as a vector has elements, 16 bytes of each at a time. Returns the totals of the lanes.
template <class T, class D, class B, class Op>
HWY_INLINE hn::Vec<D> scan_items_by_key(D d, const T* x, B heads, std::size_t items, T* totals, Op op)
{
    constexpr hn::RebindToUnsigned<D> bits;
    constexpr std::size_t block = 16 / sizeof(T);
    auto bit = hn::Set(bits, 1);
    auto total = hn::Zero(d);
    for (std::size_t first = 0; first < items; first += block) {
        hn::Vec<D> item[block];
        for (std::size_t q = 0; q < block; ++q)
            item[q] = load_blocks(d, x + q * items + first, block * items);
        transpose<block>(d, item);
        for (std::size_t j = 0; j < block; ++j, bit = hn::ShiftLeft<1>(bit)) {
            if (first + j != 0)
                item[j] = hn::IfThenElse(hn::RebindMask(d, hn::TestBit(heads, bit)), item[j], op(total, item[j]));
            total = item[j];
        }
        transpose<block>(d, item);
        for (std::size_t q = 0; q < block; ++q)
            store_blocks(d, item[q], totals + q * items + first, block * items);
    }
    return total;
}

template <class T, class Op>
void scan_row_by_key(const T* x, const head_bits<T>* heads, std::size_t items, T* totals, T* lane_scans)
{
    constexpr hn::CappedTag<T, 64 / sizeof(T)> d;
    constexpr hn::RebindToUnsigned<decltype(d)> bits;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const Op op;
    hn::Vec<decltype(d)> s[order::lanes / lanes];
    hn::Vec<decltype(d)> closed[order::lanes / lanes];
    for (std::size_t l = 0; l < order::lanes; l += lanes) {
        for (std::size_t i = 0; i < lanes * items; i += 64 / sizeof(T))
            __builtin_prefetch(x + (order::lanes + l) * items + i, 0, 2);  // of the row that probably comes next
        const auto lane_heads = hn::LoadU(bits, heads + l);
        s[l / lanes] = scan_items_by_key(d, x + l * items, lane_heads, items, totals + l * items, op);
        closed[l / lanes] = hn::BitCast(d, hn::VecFromMask(bits, hn::Ne(lane_heads, hn::Zero(bits))));
    }
    scan_lanes_by_key<1>(d, s, closed, op);
    for (std::size_t l = 0; l < order::lanes; l += lanes)
        hn::StoreU(s[l / lanes], d, lane_scans + l);
}
