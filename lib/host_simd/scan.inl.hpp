/// @file
/// @brief  The scan of rows. A lane of the order contract is a block of 16 bytes; blocks are transposed, so that a vector holds one
///         item of many lanes.
///
/// Part of host_simd.cpp, inside the namespace of an instruction set: included once for each, so without a guard.

/// Transposes `items` vectors inside their blocks of 16 bytes, each of which is a lane: vector j of the result holds item
/// j of the lanes. Its own inverse.
template <std::size_t Items, class D, class V>
HWY_INLINE void transpose(D d, V* v)
{
    if constexpr (Items == 2) {
        const V lower = hn::InterleaveLower(d, v[0], v[1]);
        v[1] = hn::InterleaveUpper(d, v[0], v[1]);
        v[0] = lower;
    } else {
        const hn::RepartitionToWide<hn::RebindToUnsigned<D>> wide;
        const auto lower01 = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
        const auto upper01 = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
        const auto lower23 = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
        const auto upper23 = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
        v[0] = hn::BitCast(d, hn::InterleaveLower(wide, lower01, lower23));
        v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, lower01, lower23));
        v[2] = hn::BitCast(d, hn::InterleaveLower(wide, upper01, upper23));
        v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, upper01, upper23));
    }
}

/// A vector of blocks of 16 bytes, `stride` elements apart.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* x, std::size_t stride)
{
    if constexpr (hn::MaxLanes(D()) * sizeof(T) <= 16) {
        return hn::LoadU(d, x);
    } else {
        const hn::Half<D> half;
        constexpr std::size_t blocks = hn::MaxLanes(D()) * sizeof(T) / 32;  // in half a vector
        return hn::Combine(d, load_blocks(half, x + blocks * stride, stride), load_blocks(half, x, stride));
    }
}
template <class D, class V, class T>
HWY_INLINE void store_blocks(D d, V v, T* x, std::size_t stride)
{
    if constexpr (hn::MaxLanes(D()) * sizeof(T) <= 16) {
        hn::StoreU(v, d, x);
    } else {
        const hn::Half<D> half;
        constexpr std::size_t blocks = hn::MaxLanes(D()) * sizeof(T) / 32;
        store_blocks(half, hn::LowerHalf(half, v), x, stride);
        store_blocks(half, hn::UpperHalf(half, v), x + blocks * stride, stride);
    }
}

/// The items of the lanes of a row: item[k][j] holds item j of as many lanes as fit a vector.
template <class T>
struct row_vectors {
    using D = hn::CappedTag<T, 64 / sizeof(T)>;
    using V = hn::Vec<D>;
    static constexpr D d{};
    static constexpr std::size_t items = order::lane_items<T>;
    static constexpr std::size_t lanes = hn::MaxLanes(d);
    static constexpr std::size_t count = order::lanes / lanes;
    static constexpr std::size_t blocks = lanes / items;  // of 16 bytes in a vector: this many lanes side by side

    V item[count][items];

    // An implicit constructor would be compiled without the instruction set of this namespace.
    HWY_INLINE row_vectors() {}

    // A vector of two blocks is loaded and stored in halves, so that its lanes are in order; that is free. With four blocks
    // it is cheaper to permute the few vectors whose lanes must be in order.
    static constexpr bool in_order = blocks <= 2;

    HWY_INLINE void load(const T* x)
    {
        for (std::size_t k = 0; k < count; ++k, x += items * lanes) {
            for (std::size_t j = 0; j < items; ++j) {
                if constexpr (in_order)
                    item[k][j] = load_blocks(d, x + j * items, items * items);
                else
                    item[k][j] = hn::LoadU(d, x + j * lanes);
            }
            transpose<items>(d, item[k]);
        }
    }

    HWY_INLINE void store(T* out)
    {
        for (std::size_t k = 0; k < count; ++k, out += items * lanes) {
            transpose<items>(d, item[k]);
            for (std::size_t j = 0; j < items; ++j) {
                if constexpr (in_order)
                    store_blocks(d, item[k][j], out + j * items, items * items);
                else
                    hn::StoreU(item[k][j], d, out + j * lanes);
            }
        }
    }

    /// Running totals inside the lanes.
    template <class Op>
    HWY_INLINE void scan_items(Op op)
    {
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t j = 1; j < items; ++j)
                item[k][j] = op(item[k][j - 1], item[k][j]);
    }

    /// Permutes the vector of an item to the order of the lanes, and back.
    static HWY_INLINE V to_order(V v)
    {
        if constexpr (in_order)
            return v;
        else
            return permuted(v, [](std::size_t lane) { return lane % blocks * items + lane / blocks; });
    }
    static HWY_INLINE V from_order(V v)
    {
        if constexpr (in_order)
            return v;
        else
            return permuted(v, [](std::size_t place) { return place % items * blocks + place / items; });
    }

private:
    template <class From>
    static HWY_INLINE V permuted(V v, From from)
    {
        using Index = hwy::MakeSigned<T>;
        alignas(64) Index index[lanes];
        for (std::size_t i = 0; i < lanes; ++i)
            index[i] = static_cast<Index>(from(i));
        return hn::TableLookupLanes(v, hn::SetTableIndices(d, index));
    }
};

/// Lane i of the result is the lane `Shift` before lane i of `now`, where `before` is the vector in front of it.
template <std::size_t Shift, class D, class V>
HWY_INLINE V shifted(D d, V before, V now)
{
    using T = hn::TFromD<D>;
    constexpr std::size_t bytes = Shift * sizeof(T);
    constexpr std::size_t size = hn::MaxLanes(D()) * sizeof(T);
    if constexpr (size == 16) {
        return hn::CombineShiftRightBytes<16 - bytes>(d, now, before);
    } else if constexpr (size == 32) {
        const V middle = hn::ConcatLowerUpper(d, now, before);
        if constexpr (bytes == 16)
            return middle;
        else
            return hn::CombineShiftRightBytes<16 - bytes>(d, now, middle);
    } else {
#if HWY_TARGET <= HWY_AVX3
        const hn::RebindToUnsigned<D> words;
        const auto high = hn::BitCast(words, now).raw;
        const auto low = hn::BitCast(words, before).raw;
        if constexpr (sizeof(T) == 4)
            return hn::BitCast(d, hn::VFromD<decltype(words)>{_mm512_alignr_epi32(high, low, 16 - Shift)});
        else
            return hn::BitCast(d, hn::VFromD<decltype(words)>{_mm512_alignr_epi64(high, low, 8 - Shift)});
#endif
    }
}

/// One level of the Hillis-Steele scan over 32 lanes, and the levels after it.
template <std::size_t Distance, class Row, class V, class Op>
HWY_INLINE void scan_lanes(V* s, Op op)
{
    constexpr auto d = Row::d;
    if constexpr (Distance < order::lanes) {
        if constexpr (Distance >= Row::lanes) {
            constexpr std::size_t vectors = Distance / Row::lanes;
            for (std::size_t k = Row::count; k-- > vectors;)
                s[k] = op(s[k - vectors], s[k]);
        } else {
            for (std::size_t k = Row::count; k-- > 1;)
                s[k] = op(shifted<Distance>(d, s[k - 1], s[k]), s[k]);
            s[0] = hn::IfThenElse(hn::FirstN(d, Distance), s[0], op(shifted<Distance>(d, s[0], s[0]), s[0]));
        }
        scan_lanes<2 * Distance, Row>(s, op);
    }
}

template <class T, class Op>
void fold_rows(const T* x, T* row_totals)
{
    using Row = row_vectors<T>;
    constexpr auto d = Row::d;
    const Op op;
    for (std::size_t r = 0; r < order::tile_rows<T>; r += Row::lanes) {
        typename Row::V totals[Row::lanes];
        for (std::size_t i = 0; i < Row::lanes; ++i) {
            Row row;
            row.load(x + (r + i) * order::row<T>);
            row.scan_items(op);
            typename Row::V lanes[Row::count];
            for (std::size_t k = 0; k < Row::count; ++k)
                lanes[k] = Row::to_order(row.item[k][Row::items - 1]);
            totals[i] = fold_vectors<Row::count>(d, lanes, op);
        }
        hn::StoreU(fold_vectors<Row::lanes>(d, totals, op), d, row_totals + r);
    }
}

/// Writes the results of one row. Every lane of `row_before` is the prefix of the row, if `has_before`.
template <bool Inclusive, class T, class V, class Op>
HWY_INLINE void scan_row(const T* x, T* out, bool has_before, V row_before, Op op)
{
    using Row = row_vectors<T>;
    constexpr auto d = Row::d;
    Row row;
    row.load(x);
    row.scan_items(op);
    V before[Row::count];  // the prefixes of the lanes
    {
        V s[Row::count];
        for (std::size_t k = 0; k < Row::count; ++k)
            s[k] = Row::to_order(row.item[k][Row::items - 1]);
        scan_lanes<1, Row>(s, op);
        for (std::size_t k = 0; k < Row::count; ++k)
            before[k] = shifted<1>(d, s[k > 0 ? k - 1 : 0], s[k]);
    }
    if (has_before) {
        for (std::size_t k = 1; k < Row::count; ++k)
            before[k] = op(row_before, before[k]);
        before[0] = hn::IfThenElse(hn::FirstN(d, 1), row_before, op(row_before, before[0]));
    }
    const auto alone = hn::FirstN(d, has_before ? 0 : 1);  // the lane without a prefix
    for (std::size_t k = 0; k < Row::count; ++k) {
        before[k] = Row::from_order(before[k]);
        for (std::size_t j = Row::items; j-- > 0;) {
            if (!Inclusive && j == 0) {
                row.item[k][j] = before[k];
                continue;
            }
            const V inside = row.item[k][Inclusive ? j : j - 1];
            const V result = op(before[k], inside);
            row.item[k][j] = k == 0 ? hn::IfThenElse(alone, inside, result) : result;
        }
    }
    row.store(out);
}

/// Copies n values from the L1 cache to memory; the copy bypasses the caches.
template <class T>
HWY_INLINE void stream_out(const T* HWY_RESTRICT from, T* HWY_RESTRICT to, std::size_t n)
{
    constexpr hn::CappedTag<T, 64 / sizeof(T)> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    constexpr std::size_t line = 64 / sizeof(T);
    const std::size_t head = (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64 / sizeof(T);
    std::memcpy(to, from, head * sizeof(T));
    std::size_t i = head;
    for (; i + line <= n; i += line)
        for (std::size_t k = 0; k < line; k += lanes)
            hn::Stream(hn::LoadU(d, from + i + k), d, to + i + k);
    std::memcpy(to + i, from + i, (n - i) * sizeof(T));
}

template <bool Inclusive, class T, class Op>
void scan_rows(const T* x, T* out, std::size_t rows, const T* row_prefixes, const T* prefix, const T* ahead,
               bool stream)
{
    constexpr std::size_t row = order::row<T>;
    constexpr std::size_t most = 8;  // rows in the buffer
    HWY_ALIGN T buffer[most * row];
    constexpr auto d = row_vectors<T>::d;
    const Op op;
    for (std::size_t r = 0; r < rows; ++r) {
        auto row_before = hn::Set(d, prefix != nullptr ? *prefix : row_prefixes[0]);
        if (r > 0) {
            const auto earlier_rows = hn::Set(d, row_prefixes[r - 1]);
            row_before = prefix != nullptr ? op(row_before, earlier_rows) : earlier_rows;
        }
        const bool has_before = r > 0 || prefix != nullptr;
        if (ahead != nullptr)
            for (std::size_t i = 0; i < row; i += 64 / sizeof(T))
                __builtin_prefetch(ahead + r * row + i, 0, 2);  // into the L2 cache: L1 is full
        if (!stream) {
            scan_row<Inclusive>(x + r * row, out + r * row, has_before, row_before, op);
            continue;
        }
        const std::size_t held = r % most;
        scan_row<Inclusive>(x + r * row, buffer + held * row, has_before, row_before, op);
        if (held == most - 1 || r == rows - 1)
            stream_out(buffer, out + (r - held) * row, (held + 1) * row);
    }
    if (stream)
        hwy::FlushStream();
}
