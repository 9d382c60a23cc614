#!/usr/bin/env python3
"""The order contract of parprims, version 1, in Python and NumPy: written from the page order-contract.md alone.

As a program: `python3 order_contract.py golden.txt` computes every result of that file again and compares the bits.
Exit code: 0 if all agree, 1 if one differs, 77 if there is no NumPy.

As a module: a function for each call, to compute a result again. Arrays go in, and arrays come out:

    import numpy as np
    import order_contract as oc

    x = np.fromfile("x.bin", np.float32)
    total = oc.reduce(x)                                       # a sum of float
    wide = oc.reduce(x, np.float64(0))                         # float into a double
    squares = oc.transform_reduce(x, lambda v: v * v, np.float32(0))
    sums = oc.exclusive_scan_by_key(keys, x, np.float32(0))
    totals = oc.segmented_reduce(x, 1000, np.float32(0))       # segments of 1000
    print(total.tobytes().hex())                               # compare bits, not decimals

* x: the elements, an array with one axis. Structs are structured arrays (with align=True, so that they have the size of C++).
* init: decides the type that is combined (T), so pass a NumPy scalar: 0.0 is a double, and 0 has 64 bits. None: no init.
* op(a, b): gets two arrays of T whose shapes can be broadcast, the left operands in a; returns an array. It must not compute
  in a wider type than the C++ did. Those of the page are here.
* f: gets the elements as they are, as one array, and returns an array as long.
* lines: ("columns", C) or ("rows", C): x is a matrix of C columns, row by row; a line is a column of it, or a row.
* keys: an array as long as x. segments: the size of one, or an array of offsets.
"""
import itertools
import sys

try:
    import numpy as np
except ImportError:
    if __name__ != "__main__":
        raise
    print("skipped: there is no NumPy")
    sys.exit(77)

order_contract_version = 1


# Operators

def struct(T, **members):
    """An array of structs of type T, of arrays of their members."""
    out = np.empty(np.broadcast_shapes(*(np.shape(value) for value in members.values())), T)
    for name in out.dtype.names:
        out[name] = members[name]
    return out


def plus(a, b):
    """a + b; of structs, member by member."""
    return struct(a.dtype, **{m: np.add(a[m], b[m]) for m in a.dtype.names}) if a.dtype.names else np.add(a, b)


def take_right_if(rule):
    return lambda a, b: np.where(rule(a, b), b, a)


multiplies, bit_and, bit_or, bit_xor = np.multiply, np.bitwise_and, np.bitwise_or, np.bitwise_xor
minimum = take_right_if(lambda a, b: (b < a) | (b != b))             # the left one if they are equal; NaN if one is NaN
maximum = take_right_if(lambda a, b: (a < b) | (b != b))
minimum_number = take_right_if(lambda a, b: (b < a) | (a != a))      # if one is NaN, the other one
maximum_number = take_right_if(lambda a, b: (a < b) | (a != a))


def skew(a, b):
    """3 a + 5 b, of unsigned integers; of structs, member by member."""
    if a.dtype.names:
        return struct(a.dtype, **{m: skew(a[m], b[m]) for m in a.dtype.names})
    number = a.dtype.type                                            # of the same type, so that nothing becomes wider
    return a * number(3) + b * number(5)


def then(a, b):
    """Of maps x -> factor * x + shift: first a, then b."""
    count = np.add(a["count"], b["count"]) if "count" in a.dtype.names else None
    return struct(a.dtype, factor=b["factor"] * a["factor"], shift=b["factor"] * a["shift"] + b["shift"], count=count)


# Lengths: s is the size of Value in bytes

def largest(limit):
    """The largest power of two within a limit, at least 1."""
    return 1 << max(limit.bit_length() - 1, 0)


def scan_shape(s):
    """Rows of a tile, and the length of a lane, of a scan."""
    lane = largest(16 // s)
    return largest(32 * 1024 // (32 * lane * s)), lane


def key_shape(s, n):
    """Rows of a tile, and the length of a lane, of a call by key."""
    if s <= 16 and n * s <= 2 * 1024 * 1024:
        return 16, scan_shape(s)[1]
    lane = largest(min(64, 128 // s))
    return largest(16 * 1024 // (32 * lane * s)), lane


# Orders. All work along the last axis, for every index of the axes before it at once.

def tree(v, op):
    """The binary tree over the bits of the index, lowest bit first; the length is at least 1."""
    while v.shape[-1] > 1:
        even = v.shape[-1] // 2 * 2
        v = np.concatenate([op(v[..., 0:even:2], v[..., 1:even:2]), v[..., even:]], axis=-1)   # no partner: goes up unchanged
    return v[..., 0]


def hillis_steele(v, op):
    """Each value becomes the total of all up to it."""
    d = 1
    while d < v.shape[-1]:
        v = np.concatenate([v[..., :d], op(v[..., :-d], v[..., d:])], axis=-1)
        d = 2 * d
    return v


def reduce_chunks(c, row, op):
    """The totals of chunks of equal length (the last axis)."""
    acc = c[..., :row].copy()
    for begin in range(row, c.shape[-1], row):
        k = min(row, c.shape[-1] - begin)
        acc[..., :k] = op(acc[..., :k], c[..., begin:begin + k])
    return tree(acc, op)


def reduce_elements(x, s, init, op):
    """reduce of the elements along the last axis."""
    n, row, chunk = x.shape[-1], 32 * scan_shape(s)[1], 16 * 32 * scan_shape(s)[1]
    if n == 0:
        return np.broadcast_to(init, x.shape[:-1])
    full = n // chunk
    totals = reduce_chunks(x[..., :full * chunk].reshape(x.shape[:-1] + (full, chunk)), row, op)
    if full * chunk < n:
        totals = np.append(totals, reduce_chunks(x[..., full * chunk:], row, op)[..., None], axis=-1)
    return op(init, tree(totals, op))


def join_before(before, totals, absent, op):
    """At each place of the last axis: `before`, joined with the total of the places ahead of it.
    If absent, the very first `before` is absent, and the very first result is meaningless."""
    out = np.empty_like(totals)
    out[..., 0] = before
    out[..., 1:] = op(before[..., None], totals[..., :-1])
    if absent:
        out[(0,) * before.ndim][1:] = totals[(0,) * before.ndim][:-1]
    return out


def tile_prefixes(aggregates, first, absent, op):
    """The prefix of each tile. first: the anchor of group 0."""
    tiles = len(aggregates)
    aggregates = np.resize(aggregates, (-(-tiles // 32), 32))        # what fills the last group is not used
    until = np.stack([tree(aggregates[:, :j + 1], op) for j in range(32)], axis=1)
    totals, first = until[:-1, 31:], first.reshape(1)
    anchors = [first, *itertools.accumulate(totals, op)] if absent else [*itertools.accumulate(totals, op, initial=first)]
    return join_before(np.concatenate(anchors), until, absent, op).reshape(-1)[:tiles]


def scan_elements(x, init, inclusive, shape, op):
    """The scan of elements. Without an init (None) the first result of an exclusive scan is meaningless."""
    n = len(x)
    if n == 0:
        return x.copy()
    rows = min(shape[0], -(-n // (32 * shape[1])))   # of a single tile, only those that there are
    t = np.resize(x, (-(-n // (rows * 32 * shape[1])), rows, 32, shape[1]))  # padded: no result depends on what comes after it
    for i in range(1, shape[1]):
        t[..., i] = op(t[..., i - 1], t[..., i])
    S = hillis_steele(t[..., -1], op)
    Q = hillis_steele(S[..., -1], op)
    absent = init is None
    value = tile_prefixes(Q[..., -1], x[:1] if absent else init, absent, op)
    value = join_before(value, Q, absent, op)        # of each row
    value = join_before(value, S, absent, op)        # of each lane
    results = op(value[..., None], t) if inclusive else join_before(value, t, absent, op)
    if inclusive and absent:
        results[0, 0, 0] = t[0, 0, 0]
    return results.reshape(-1)[:n]


# What the calls have in common

def typed(op, T):
    """op, with its result converted to T. It gets padding, too, which may overflow: so there are no warnings."""
    @np.errstate(all="ignore")
    def combine(a, b):
        return np.asarray(op(a, b)).astype(T, copy=False)
    return combine


def start(init, x):
    """init as an array without axes; None: zero of the type of x. Its type is T."""
    return np.zeros((), x.dtype) if init is None else np.asarray(init)


def scan(x, init, inclusive, op):
    x = x.astype(start(init, x).dtype)
    init = None if init is None else np.asarray(init)
    return scan_elements(x, init, inclusive, scan_shape(x.dtype.itemsize), typed(op, x.dtype))


def scan_pairs(keys, x, inclusive, op):
    """Heads, and the values of the scan of the pairs (value, heads). The first value of an exclusive one is meaningless."""
    op = typed(op, x.dtype)

    def op_of_pairs(a, b):
        value = np.where(b["heads"] > 0, b["value"], op(a["value"], b["value"]))
        return struct(a.dtype, value=value, heads=a["heads"] + b["heads"])

    heads = np.append(np.ones(len(keys[:1]), bool), keys[1:] != keys[:-1])
    pairs = struct([("value", x.dtype), ("heads", np.int64)], value=x, heads=heads)
    return heads, scan_elements(pairs, None, inclusive, key_shape(x.dtype.itemsize, len(x)), op_of_pairs)["value"]


def bounds(segments, n):
    """The offsets of segments, given as their size or as offsets."""
    return np.append(np.arange(0, n, segments), n) if np.ndim(segments) == 0 else np.asarray(segments, np.int64)


def keys_of_segments(segments, n):
    return np.cumsum(np.isin(np.arange(n), bounds(segments, n)))


# The calls: reductions. A result has the type of init, or of the elements if init is None, which stands for 0.

def exact_integer(x):
    """A finite number as an integer, in units of 2^-2200."""
    numerator, denominator = float(x).as_integer_ratio()
    return (numerator << 2200) // denominator


def rounded(total, T, divisor=1):
    """total / divisor * 2^-2200, rounded once to the type T: to nearest, ties to even."""
    info = np.finfo(T)
    lowest = 2200 + info.minexp - info.nmant                  # the exponent of the least denormal number
    shift = max((abs(total) // divisor).bit_length() - info.nmant - 1, lowest)
    kept, rest = divmod(abs(total), divisor << shift)
    kept += 2 * rest + kept % 2 > divisor << shift
    value = T(np.inf) if kept.bit_length() + shift - 2200 > info.maxexp else T(np.ldexp(float(kept), shift - 2200))
    return -value if total < 0 and value != 0 else value


def exact_sum(rounded_elements, exact_elements, init):
    """init + the sum of exact_elements(), integers. rounded_elements: as IEEE 754 has them, which decide if one is not finite, or all are -0."""
    all_values = np.append(rounded_elements.astype(np.float64), np.float64(init))
    T = np.asarray(init).dtype.type
    if not np.all(np.isfinite(all_values)):
        odd = all_values[~np.isfinite(all_values)]
        return np.asarray(T(odd[0] if np.all(odd == odd[0]) else np.nan))
    total = sum(exact_elements(), exact_integer(init))
    zero = T(-0.0) if np.all((all_values == 0) & np.signbit(all_values)) else T(0)
    return np.asarray(rounded(total, T) if total else zero)


def exact_sums(x, begins, lengths, init):
    """The exact sum of each segment."""
    T = np.asarray(init).dtype
    return np.array([reduce(x[b:b + length], init, exact_plus) for b, length in zip(begins, lengths)], T)


def exact_plus(a, b):
    """The operator of reduce, segmented_reduce, reduce_by_key, and of transform_reduce_2 with np.multiply; it is never called."""
    raise NotImplementedError


def reduce(x, init=None, op=plus):
    """x: the elements. Returns an array without axes."""
    if op is exact_plus:
        return exact_sum(x, lambda: map(exact_integer, x), start(init, x)[()])
    return transform_reduce(x, lambda v: v, init, op)


def transform_reduce(x, f, init=None, op=plus):
    """reduce of f(x). The size of an element of x, before f, decides the shape."""
    elements = f(x)
    init = start(init, elements)
    return reduce_elements(elements.astype(init.dtype), x.dtype.itemsize, init, typed(op, init.dtype))


def transform_reduce_2(x, y, f, init=None, op=plus):
    """transform_reduce of two ranges: reduce of f(x, y)."""
    if op is exact_plus:                             # the product of the page docs/exact-sums.md
        with np.errstate(all="ignore"):
            products = x.astype(np.float64) * y.astype(np.float64)
        if np.all(np.isfinite(x)) and np.all(np.isfinite(y)):          # a product that overflows is a number
            products = np.where(np.isfinite(products), products, 1)
            products = np.where((x != 0) & (y != 0), 1, products)      # nor is one that is too small
        return exact_sum(products, lambda: (exact_integer(a) * exact_integer(b) >> 2200 for a, b in zip(x, y)),
                         start(init, x)[()])
    both = struct(np.dtype([("x", x.dtype), ("y", y.dtype)], align=True), x=x, y=y)
    return transform_reduce(both, lambda v: f(v["x"], v["y"]), init, op)


def segmented_reduce(x, segments, init=None, op=plus):
    """A value for each segment. segments: the size of one, or an array of offsets (of one more than there are segments)."""
    begins, lengths = bounds(segments, len(x))[:-1], np.diff(bounds(segments, len(x)))
    init = start(init, x)
    if op is exact_plus:
        return exact_sums(x, begins, lengths, init)
    results = np.empty(len(lengths), init.dtype)
    for length in np.unique(lengths):                # all segments of this length at once
        elements = x[begins[lengths == length][:, None] + np.arange(length)].astype(init.dtype)
        results[lengths == length] = reduce_elements(elements, x.dtype.itemsize, init, typed(op, init.dtype))
    return results


def lines_of(x, lines):
    """The lines of a matrix, one after another."""
    form, columns = lines
    matrix = x.reshape(-1, columns)
    return matrix.T if form == "columns" else matrix


def reduce_along(x, lines, init=None, op=plus):
    """A value for each line."""
    return np.array([reduce(np.ascontiguousarray(line), init, op) for line in lines_of(x, lines)])


# The calls: scans. There are as many results as elements, of the type of init, or of the elements if it is None.

def inclusive_scan(x, init=None, op=plus):
    """Result i is the total of init, if there is one, and the elements up to i."""
    return scan(x, init, True, op)


def exclusive_scan(x, init, op=plus):
    """Result i is the total of init and the elements before i."""
    return scan(x, init, False, op)


def scan_along(x, lines, init, inclusive, op):
    results = np.stack([scan(np.ascontiguousarray(line), init, inclusive, op) for line in lines_of(x, lines)])
    return np.ascontiguousarray(results.T if lines[0] == "columns" else results).reshape(-1)


def inclusive_scan_along(x, lines, init=None, op=plus):
    """inclusive_scan of each line; the results lie as x does."""
    return scan_along(x, lines, init, True, op)


def exclusive_scan_along(x, lines, init, op=plus):
    """exclusive_scan of each line; the results lie as x does."""
    return scan_along(x, lines, init, False, op)


def transform_inclusive_scan(x, f, init=None, op=plus):
    """inclusive_scan of f(x)."""
    return scan(f(x), init, True, op)


def transform_exclusive_scan(x, f, init, op=plus):
    """exclusive_scan of f(x)."""
    return scan(f(x), init, False, op)


def inclusive_scan_by_key(keys, x, op=plus):
    """Result i is the total of the elements of the run up to i."""
    return scan_pairs(keys, x, True, op)[1]


def exclusive_scan_by_key(keys, x, init=None, op=plus):
    """Result i is the total of init and the elements of the run before i. init None: 0."""
    init = start(init, x)
    heads, v = scan_pairs(keys, x.astype(init.dtype), False, op)
    return np.where(heads, init, typed(op, init.dtype)(init, v))


def reduce_by_key(keys, x, op=plus):
    """The totals of the runs, one for each."""
    if op is exact_plus:                             # from -0, which changes no sum
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[:len(x)])
        return exact_sums(x, begins, np.diff(np.append(begins, len(x))), x.dtype.type(-0.0))
    heads, v = scan_pairs(keys, x, False, op)
    last = np.where(heads[-1:], x[-1:], typed(op, x.dtype)(v[-1:], x[-1:]))
    return np.append(v[1:][heads[1:]], last)


def segmented_inclusive_scan(x, segments, op=plus):
    """Result i is the total of the elements of the segment up to i."""
    return inclusive_scan_by_key(keys_of_segments(segments, len(x)), x, op)


def segmented_exclusive_scan(x, segments, init=None, op=plus):
    """Result i is the total of init and the elements of the segment before i. init None: 0."""
    return exclusive_scan_by_key(keys_of_segments(segments, len(x)), x, init, op)


# The calls: weights in bins. b: the bin of each sample, an array of integers; samples whose b is not in 0 ... bins - 1 are dropped.
# T: the type of the results, of which each bin has one in the last axis, or more.

def weights_of_bins(b, w, bins):
    """For each bin: its weights that are not finite as they are, the count, the sum, and that of the squares as integers."""
    odd, counts, sums, squares = [set() for _ in range(bins)], [0] * bins, [0] * bins, [0] * bins
    for k, weight in zip(b, w):
        if 0 <= k < bins:
            counts[k] += 1
            if np.isfinite(weight):
                exact = exact_integer(weight)
                sums[k] += exact
                squares[k] += exact * exact >> 2200
            else:
                odd[k].add(float(weight) if weight == weight else np.nan)
    return zip(odd, counts, sums, squares)


def sum_of(odd, total, T, divisor=1):
    """IEEE 754 has it where there are infinities or NaN; otherwise total / divisor, rounded once. A sum of 0 is +0."""
    if odd:
        return T(odd.pop() if len(odd) == 1 else np.nan)
    return rounded(total, T, divisor)


def weighted_histogram(b, w, bins, T):
    """The exact sum of the weights of each bin, rounded once."""
    return np.array([sum_of(odd, total, T) for odd, _, total, _ in weights_of_bins(b, w, bins)], T)


def weighted_histogram_2(b, w, bins, T):
    """The same, and the exact sum of their squares, rounded once (weighted_sum)."""
    return np.array([[sum_of(set(odd), total, T), sum_of({abs(x) for x in odd}, squares, T)]
                     for odd, _, total, squares in weights_of_bins(b, w, bins)], T).reshape(bins, 2)


def weighted_histogram_along(b, w, lines, T):
    """weighted_histogram in 16 bins of each line, one line after another."""
    return np.concatenate([weighted_histogram(b_line, w_line, 16, T)
                           for b_line, w_line in zip(lines_of(b, lines), lines_of(w, lines))])


def profile(b, w, bins, T):
    """Count, mean, and variance: the real numbers, rounded once."""
    results = np.full((bins, 3), np.nan, T)
    for result, (odd, n, total, squares) in zip(results, weights_of_bins(b, w, bins)):
        result[0] = n
        if n > 0:
            result[1] = sum_of(set(odd), total, T, n)
        if n > 1 and not odd:
            result[2] = rounded(n * squares - (total * total >> 2200), T, n * (n - 1))
    return results


# The witnesses: generator, hash, rows

def mix(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def word(seed, i):
    """Outputs i (an array of uint64) of SplitMix64 that starts from seed."""
    return mix(np.uint64(seed) + (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))


FLOATS = {"f32": (np.uint32, 32, 23, {"normal": (107, 41), "wide": (1, 227), "denormal": (0, 3)}),
          "f64": (np.uint64, 64, 52, {"normal": (1003, 41), "wide": (1, 2023), "denormal": (0, 3)})}
INTEGER_BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 16, "u32": 32, "i64": 40, "u64": 64}
TYPES = {"f32": np.dtype("f4"), "f64": np.dtype("f8"), "f32x3": np.dtype("f4, f4, f4"), "f64x3": np.dtype("f8, f8, f8"),
         "u64x2": np.dtype(",".join(2 * ["u8"])), "u64x8": np.dtype(",".join(8 * ["u8"])),
         "map8": np.dtype([("factor", "f4"), ("shift", "f4")]),
         "map12": np.dtype([("factor", "f4"), ("shift", "f4"), ("count", "u4")])}
TYPES.update((name, np.dtype(name[0] + str(int(name[1:]) // 8))) for name in INTEGER_BITS)


def numbers(kind, name, w):
    """The elements of a range of numbers that are made of the words w."""
    if name in INTEGER_BITS:
        signed = w.view(np.int64) if name[0] == "i" else w
        return (signed >> signed.dtype.type(64 - INTEGER_BITS[name])).astype(TYPES[name])
    if kind == "factor":
        return (1 + ((w >> np.uint64(48)).astype(np.int64) - 2**15) / 2**20).astype(TYPES[name])
    unsigned, width, fraction, fields = FLOATS[name]
    bits = (w >> np.uint64(63)) << np.uint64(width - 1)
    if kind == "special":
        choice, infinity = (w >> np.uint64(32)) % np.uint64(32), np.where(w >> np.uint64(63) == 1, -np.inf, np.inf)
        return np.select([choice == 0, choice == 1], [np.nan, infinity], numbers("normal", name, w)).astype(TYPES[name])
    if kind != "zero":
        field = np.uint64(fields[kind][0]) + (w >> np.uint64(52)) % np.uint64(2**11) % np.uint64(fields[kind][1])
        bits = bits | (field << np.uint64(fraction)) | (w & np.uint64(2**fraction - 1))
    return bits.astype(unsigned).view(TYPES[name])


def elements(kind, name, seed, begin, n):
    """Elements begin ... begin + n - 1 of a range of numbers or structs."""
    T = TYPES[name]
    is_map = name.startswith("map")
    per = 1 if T.names is None else 2 if is_map else len(T.names)
    w = word(seed, np.arange(per * begin, per * (begin + n), dtype=np.uint64))
    if not is_map:
        return numbers(kind, name[:3], w).view(T)
    factor = np.where(w[::2] >> np.uint64(63) == 1, -1, 1)
    return struct(T, factor=factor, shift=numbers(kind, "f32", w[1::2]), count=1)


def hash_of(results):
    """The hash of the bits of an array."""
    if results.dtype.kind == "f":
        results = np.where(results != results, results.dtype.type(np.nan), results)       # all NaNs count as one
    little = results.astype(results.dtype.newbyteorder("<")).tobytes()
    b = np.frombuffer(little, f"<u{min(4, results.dtype.itemsize)}").astype(np.uint64)
    k = np.arange(1, len(b) + 1, dtype=np.uint64)
    return (len(b) + int(np.sum(mix(b + k * np.uint64(0x9E3779B97F4A7C15)), dtype=np.uint64))) % 2**64


def segments_of(column, n, seed):
    """The keys, size, offsets, lines or bins of samples that the column `segments` stands for."""
    form, L = column.split(":")
    if form in ("columns", "rows"):
        return form, int(L)
    if form == "bins":
        return (word(seed + 3000, np.arange(n, dtype=np.uint64)) % np.uint64(int(L) + 1)).astype(np.int64)
    i = np.arange(1, n, dtype=np.uint64)
    w = word(seed + 2000, i)
    begins = w % np.uint64(L) == 0 if int(L) else i < 0
    if form == "runs":
        return np.cumsum(np.append(np.zeros(min(n, 1), bool), begins))
    twice = begins & (w % np.uint64(4 * int(L) or 1) == 0)
    return int(L) if form == "size" else np.concatenate([[0], np.repeat(i, begins * 1 + twice).astype(np.int64), [n]])


def results_of(call, types, operator, kind, n, offset, seed, segments, init):
    """The results of a row of golden.txt."""
    type_x, type_init = (types + ":" + types).split(":")[:2]
    n, seed, more = int(n), int(seed), {"op": globals()[operator]}
    arguments = [elements(kind, type_x, seed, 0, n)]
    if segments.startswith("bins"):
        bins = int(segments.split(":")[1])
        return globals()[call](segments_of(segments, n, seed), *arguments, bins, TYPES[type_init].type)
    if call == "weighted_histogram_along":
        return weighted_histogram_along(segments_of("bins:16", n, seed), *arguments, segments_of(segments, n, seed),
                                        TYPES[type_init].type)
    if init != "-":
        more["init"] = elements(kind, type_init, seed, 2**40, 1)[0] if init == "x" else TYPES[type_init].type(init)
    if segments != "-":
        arguments.insert(0 if call.endswith("by_key") else 1, segments_of(segments, n, seed))
    if call == "transform_reduce_2":
        arguments.append(elements(kind, type_x, seed + 1000, 0, n))
    if call.startswith("transform"):
        more["f"] = np.multiply if call.endswith("2") else np.square
    return globals()[call](*arguments, **more)


def main(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    differ = 0
    for row in rows:
        computed = f"{hash_of(results_of(*row[:-1])):016x}"
        if computed != row[-1]:
            print("differs:", *row, "computed:", computed)
            differ += 1
    others = f", {differ} have not" if differ else ""
    print(f"{len(rows) - differ} results have the bits of version {order_contract_version} of the order contract{others}")
    return 1 if differ or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else "usage: order_contract.py golden.txt")
