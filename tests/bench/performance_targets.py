"""The targets of docs/performance-tables.md: what was aimed at, and whether it was reached."""
from performance_rows import (
    BINS, LARGE, LARGEST, PAIRS, REDUCED, RUNS, SCANNED, SPREADS, STRUCTS, beside_aligned, floor_share, get, limit, mean, order_price,
    placed_scans, share, times)
from plot import size
from tables import markdown


# The least ratio on the host, by work, variant, bins and reference.
HOST_TARGETS = {("weighted_histogram", "", 1024, "Boost.Histogram"): 2}


def verdict(holds):
    return "yes" if holds else "**no**"


def target(name, aim, value, holds):
    return [name, aim, "-" if value is None else value if isinstance(value, str) else times(value),
            "" if value is None else verdict(holds)]


def least(name, aim, values, floor):
    """A row for a floor that the smallest of several values has to reach."""
    values = [value for value in values if value is not None]
    return target(name, aim, min(values, default=None), values and min(values) >= floor)


def most(name, aim, values, ceiling):
    """A row for a ceiling that the greatest of several values has to keep."""
    values = [value for value in values if value is not None]
    return target(name, aim, max(values, default=None), values and max(values) <= ceiling)


def targets_of_segments(bench):
    """Of segments, keys and elements. Their floor is the time of the bytes at the speed of a copy."""
    def at_large(work, kinds, variants=("",)):
        return [bench.one(work=work, type=kind, variant=each, n=LARGE, reference="CUB") for kind in kinds for each in variants]

    def ratios(rows):
        return [get(row, "ratio") for row in rows]

    def floors(rows):
        return [floor_share(bench, row) for row in rows]

    def each(*lengths):
        return [f"{length} each" for length in lengths]

    def spread(work):
        found = [row["us"] for row in at_large(work, ("i32",), lengths) if row]
        return [max(found) / min(found)] if len(found) == len(lengths) else []

    lengths = ("1 to 64", "Zipf to 2^24", "one of half")
    fixed = at_large("segmented_reduce", ("i32", "f32"), each(2, 16, 32, 100, 129, 1000, 4096, 65536, 2**24))
    bytes_ = at_large("segmented_reduce", ("i8 to i32",), each(32, 100, 1000))
    rows = [
        least("segmented_reduce i32 and f32, 2 to 2^24 each, of the floor", "≥ 0.80", floors(fixed), 0.80),
        least("segmented_reduce i32 and f32, 2 to 2^24 each, beside CUB", "≥ 0.95", ratios(fixed), 0.95),
        least("segmented_reduce i64, 16, 32 and 1000 each, of the floor", "≥ 0.85",
              floors(at_large("segmented_reduce", ("i64",), each(16, 32, 1000))), 0.85),
        least("segmented_reduce i8 to i32, 32 to 1000 each, of the floor", "≥ 0.40", floors(bytes_), 0.40),
        least("segmented_reduce i8 to i32, 32 to 1000 each, beside CUB", "≥ 4", ratios(bytes_), 4),
        least("segmented_reduce i32, three kinds of lengths, of the floor", "≥ 0.65",
              floors(at_large("segmented_reduce", ("i32",), lengths)), 0.65),
        most("segmented_reduce i32, three kinds of lengths: the slowest beside the fastest", "≤ 1.6",
             spread("segmented_reduce"), 1.6),
        least("segmented_reduce f64, lengths of 0 to 4095, beside CUB", "≥ 1.0",
              ratios(at_large("segmented_reduce", ("f64",), ("0 to 4095",))), 1.0),
        least("segmented_inclusive_scan i32, three kinds of lengths, of the floor", "≥ 0.70",
              floors(at_large("segmented_inclusive_scan", ("i32",), lengths)), 0.70)]
    for work, aims in (("reduce_by_key", (2.5, 1.5, 1.3)), ("inclusive_scan_by_key", (2.5, 1.15, 1.1))):
        for kind, aim in zip(("i8/i8", "i32/f32", "i64/f32"), aims):
            rows.append(least(f"{work} {kind}, runs of 2, 2^28, beside CUB", f"≥ {aim}",
                              ratios(bench.select(work=work, type=kind, variant="runs of 2", n=LARGE, reference="CUB")), aim))
    long = [row for kind in PAIRS for runs in RUNS
            for row in bench.select(work="reduce_by_key", type=kind, variant=runs, reference="CUB") if row["n"] >= 3_000_000]
    rows.append(least("reduce_by_key, every pair of types and length of runs, 3·10^6 and more, beside CUB", "≥ 1.1", ratios(long), 1.1))
    for kind, aim in (("i8", 75), ("i16", 125), ("i32", 240), ("f32", 240), ("f64", 480)):
        rows.append(most(f"min_element {kind}, 2^28, µs", f"≤ {aim}", [get(*at_large("min_element", (kind,)), "us")], aim))
    for kind, aim in (("i8", 2), ("i32", 1.3), ("f64", 1.15)):
        rows.append(least(f"copy_if {kind}, half kept, 2^28, beside CUB", f"≥ {aim}",
                          ratios(at_large("copy_if", (kind,), ("half kept",))), aim))
    for work in ("segmented_reduce", "segmented_inclusive_scan", "reduce_by_key", "inclusive_scan_by_key", "min_element",
                 "copy_if"):
        small = [row for row in bench.select(work=work, variant=..., reference="CUB", how="graph") if 2**8 <= row["n"] <= 2**16]
        rows.append(least(f"{work} in a graph, 2^8 … 2^16, every type, beside CUB", "≥ 1.3", ratios(small), 1.3))
    return rows


def targets_of_weights(bench):
    """Of histograms with weights and dimensions."""
    def of(work, **more):
        return bench.select(**{"work": work, "n": LARGE} | more)

    def shares(rows):
        return [share(bench, row, "read") for row in rows]

    def skews(work, bins, kinds=("f32",)):
        """For each type and number of bins, the slowest spread beside the uniform one."""
        found = [of(work, type=kind, bins=each) for kind in kinds for each in bins]
        uniform = [[row["us"] for row in rows if row["spread"] == "uniform"] for rows in found]
        return [max(row["us"] for row in rows) / us[-1] for rows, us in zip(found, uniform) if us]

    weighted, pairs = "weighted_histogram", [size**2 for size in (64, 128, 256)]
    few = [row for row in of(weighted) if row["bins"] <= 4096]
    rows = [
        least("weighted_histogram f32, ≤ 4096 bins, every spread, of the read limit", "≥ 0.85", shares(few), 0.85),
        most("weighted_histogram f32, ≤ 4096 bins: the slowest spread beside uniform", "≤ 1.3",
             skews(weighted, {row["bins"] for row in few}), 1.3),
        least("weighted_histogram f32, 16384 bins, uniform, of the read limit", "≥ 0.80",
              shares(of(weighted, bins=16384, spread="uniform")), 0.80),
        most("weighted_histogram f32, 16384 bins: the slowest spread beside uniform", "≤ 2", skews(weighted, (16384,)), 2)]
    for bins, aim in ((65536, 1.8), (2**20, 1.5)):
        for spread, floor in (("uniform", aim), ("constant", 50)):
            rows.append(least(f"weighted_histogram f32, {size(bins)} bins, {spread}, beside float atomics", f"≥ {floor}",
                              [get(row, "ratio") for row in of(weighted, bins=bins, spread=spread)], floor))
    return [*rows,
            least("weighted_histogram f32 into weighted_sum, 1024 bins, of the read limit", "≥ 0.70",
                  shares(of(weighted, variant="weighted_sum", bins=1024)), 0.70),
            least("profile f32, 256 bins, every spread, of the read limit", "≥ 0.70", shares(of("profile", bins=256)), 0.70),
            least("histogram of pairs, u8 and f32, 64 × 64 to 256 × 256, of the read limit", "≥ 0.90",
                  shares(of("histogram of pairs")), 0.90),
            most("histogram of pairs: the slowest correlation beside uniform", "≤ 1.3",
                 skews("histogram of pairs", pairs, ("u8", "f32")), 1.3)]


def targets_of_arrays(bench):
    """Of calls along dimensions, of many histograms in one call, and of extremes of segments."""
    def shares(kind, **where):
        return [share(bench, row, kind) for row in bench.select(**{"variant": ...} | where)]

    def ratios(work):
        return [get(row, "ratio") for row in bench.select(work=work, variant=..., reference="CUB") if row["n"] >= LARGE]

    extremes, images = "segmented_min_element", "channel_histograms"
    runs = [ratio for work in ("unique_copy", "run_length_encode") for ratio in ratios(work)]
    return [
        least("reduce of columns and rows, any shape of 2^28 f32, of the read limit", "≥ 0.90",
              shares("read", work="reduce along a dimension"), 0.90),
        least("max_element of columns and rows, any shape of 2^28 f32, of the read limit", "≥ 0.85",
              shares("read", work="max_element along a dimension"), 0.85),
        least("inclusive_scan of columns and rows, 16384 × 16384 f32, of the copy limit", "≥ 0.80",
              [each for lines in ("columns", "rows")
               for each in shares("copy", work="inclusive_scan along a dimension", variant=f"16384 x 16384, {lines}")], 0.80),
        least("segmented_histogram f32, 65536 each, 256 bins, every spread, of the read limit", "≥ 0.85",
              shares("read", work="segmented_histogram", variant="65536 each"), 0.85),
        least("channel_histograms, 4 of 4 channels of bytes, every spread, of the read limit", "≥ 0.85",
              shares("read", work=images, variant="4 of 4 channels"), 0.85),
        least("channel_histograms, 3 and 4 channels of bytes, every spread, beside CUB", "≥ 1.3", ratios(images), 1.3),
        least("segmented_min_element f32, 1000 each and 1 to 64, of the read limit", "≥ 0.80",
              [each for lengths in ("1000 each", "1 to 64") for each in shares("read", work=extremes, type="f32", variant=lengths)],
              0.80),
        least("segmented_min_element f32 and f64, beside CUB", "≥ 1.0", ratios(extremes), 1.0),
        least("unique_copy and run_length_encode, 2^28 and more, beside CUB", "≥ 1.1", runs, 1.1)]


def targets_of_inputs(bench):
    """Of pointers that begin anywhere, and of structs."""
    def beside(kinds):
        return [beside_aligned(bench, row) for kind in kinds for row in placed_scans(bench, kind)]

    structs = [row for kind in STRUCTS for row in bench.select(work="reduce", type=kind, reference="CUB")]
    return [
        least("scan of 4- and 8-byte types from any place to any place, beside aligned pointers", "≥ 0.90",
              beside(("i32", "f32", "f64")), 0.90),
        least("scan of 1- and 2-byte types into 4 bytes, from any place to any place, beside aligned pointers", "≥ 0.80",
              beside(("u8 to u32", "i16 to i32")), 0.80),
        least("scan from any place to any place, beside CUB", "≥ 1.0",
              [get(row, "ratio") for kind in ("u8 to u32", "i16 to i32", "i32", "f32", "f64")
               for row in placed_scans(bench, kind)], 1.0),
        least("scan of 12-byte structs, 2^28, of the copy limit", "≥ 0.85",
              [floor_share(bench, bench.one(work="inclusive_scan", type="12-byte struct", n=LARGE, reference="CUB"))], 0.85),
        least("reduce of 12-, 40- and 64-byte structs, every size, beside CUB", "≥ 0.97",
              [row["ratio"] for row in structs], 0.97),
        least("the same, 2^28 bytes and more, of the read limit", "≥ 0.95",
              [row["gbps"] / top for row in structs
               if row["bytes"] >= 2**28 and (top := limit(bench, "read", row["bytes"] / 4))], 0.95)]


def table_of(rows):
    return markdown(["work", "target", "measured", "reached"], rows)


def table_targets(bench):
    """What was aimed at, and whether it was reached. A row holds the worst case over all its types, sizes and spreads."""
    def ratios(work, kinds, sizes, **more):
        return [get(bench.one(work=work, type=kind, n=n, reference="CUB", **more), "ratio") for kind in kinds for n in sizes]

    def shares(work, kinds, sizes, kind_of_limit, **more):
        return [share(bench, bench.one(work=work, type=kind, n=n, **more), kind_of_limit) for kind in kinds for n in sizes]

    def in_graph(work, kind, low, high, **more):
        return [row["ratio"] for row in bench.select(work=work, type=kind, reference="CUB", how="graph", **more)
                if 2**low <= row["n"] <= 2**high]

    simple, integers = REDUCED, [2**k for k in range(8, 21, 2)]
    shared = [bins for bins in BINS if bins <= 32768]
    histogram = {"work": "histogram", "how": "stream", "n": LARGE}

    def skew(bins):
        rows = [bench.one(**histogram, type="u32", bins=bins, spread=spread) for spread in SPREADS]
        return max(row["us"] for row in rows) / rows[0]["us"] if all(rows) else None

    def matrix(variant):
        return bench.one(work="matrix product", variant=variant, n=4096)

    skews = [each for each in map(skew, BINS) if each]
    rows = [
        least("reduce of 1- to 8-byte types, 2^28 and 2^30, beside CUB", "≥ 0.99",
              ratios("reduce", simple, (LARGE, LARGEST), how="stream"), 0.99),
        least("reduce of the same at 2^30, of the read limit", "≥ 0.97",
              shares("reduce", simple, (LARGEST,), "read", how="stream"), 0.97),
        least("reduce f32 in a graph, 2^12 … 2^16, geometric mean beside CUB", "≥ 1.15",
              [mean(in_graph("reduce", "f32", 12, 16))], 1.15),
        least("reduce f32 in a graph, 2^18 … 2^24, beside CUB", "≥ 1.0", in_graph("reduce", "f32", 18, 24), 1.0),
        least("reduce end to end, n ≤ 2^20, beside Thrust", "≥ 2.5",
              [get(bench.one(work="reduce", type=kind, n=n, reference="Thrust"), "ratio") for kind in ("i32", "f32")
               for n in integers], 2.5),
        least("reduce of a misaligned pointer or a transform iterator, f32 and i8 to i32, 2^28, beside its aligned pointer", "≥ 0.95",
              [get(bench.one(work="reduce", type=kind, n=LARGE, reference="aligned", variant=variant), "ratio")
               for kind in ("f32", "i8 to i32") for variant in ("misaligned by one", "transform iterator")], 0.95),
        least("scan i32, f32, f64, 2^28, beside CUB", "≥ 1.25",
              ratios("inclusive_scan", ("i32", "f32", "f64"), (LARGE,), how="stream"), 1.25),
        least("scan i32, f32, f64, 2^28, of the copy limit", "≥ 0.92",
              shares("inclusive_scan", ("i32", "f32", "f64"), (LARGE,), "copy", how="stream"), 0.92),
        least("scan u8 to u32, i16 to i32, f16 to f32, 2^28, beside CUB", "≥ 1.25",
              ratios("inclusive_scan", SCANNED[:3], (LARGE,), how="stream"), 1.25),
        least("scan u8 to u32, i16 to i32, f16 to f32, 2^28, of the copy limit", "≥ 0.85",
              shares("inclusive_scan", SCANNED[:3], (LARGE,), "copy", how="stream"), 0.85),
        least("scan with a custom operator, 2^28, of the copy limit", "≥ 0.85",
              shares("inclusive_scan", ("u32",), (LARGE,), "copy", variant="custom operator"), 0.85),
        least("scan i32 in a graph, 2^8 … 2^20, beside CUB", "≥ 1.3", in_graph("inclusive_scan", "i32", 8, 20), 1.3),
        least("histogram u32 and f32, ≤ 32768 bins, every spread, of the read limit", "≥ 0.93",
              [share(bench, bench.one(**histogram, type=kind, bins=bins, spread=spread), "read")
               for kind in ("u32", "f32") for bins in shared for spread in SPREADS], 0.93),
        least("histogram u8, 256 bins, every spread, of the read limit", "≥ 0.80",
              [share(bench, bench.one(**histogram, type="u8", bins=256, spread=spread), "read") for spread in SPREADS], 0.80),
        least("histogram u32, 65536 bins, uniform, beside CUB", "≥ 25",
              [get(bench.one(**histogram, type="u32", bins=65536, spread="uniform"), "ratio")], 25),
        least("histogram u32, 2^20 bins, uniform, beside CUB", "≥ 15",
              [get(bench.one(**histogram, type="u32", bins=2**20, spread="uniform"), "ratio")], 15),
        most("histogram u32, any bins: the slowest spread beside uniform", "≤ 2", skews, 2),
        least("histogram of 2^16 samples, u32, 256 bins, beside CUB", "≥ 1.5", in_graph("histogram", "u32", 16, 16, bins=256),
              1.5),
        most("scratch of a histogram of 2^28 samples, up to 2^28 bins, MiB", "≤ 64",
             [row.get("scratch_bytes", 0) / 2**20 for row in bench.select(work="scratch of a histogram")], 64),
        least("matrix product 4096, tiled 32 beside naive", "≥ 2",
              [get(matrix("naive, global memory"), "us") / matrix("tiled 32, shared memory")["us"]]
              if matrix("naive, global memory") else [], 2),
        least("matrix product 4096, the best kernel, of cuBLAS", "≥ 0.75",
              [get(matrix("tiled 128, registers"), "ratio")], 0.75)]
    prices = [price for _, price in order_price(bench, "inclusive_scan") if _ == LARGE]
    rows.append(target("scan: f32 slower than i32 at 2^28, because its bits are fixed", "≤ 3 %",
                       f"{round(prices[0], 1) + 0.0:.1f} %" if prices else None, prices and prices[0] <= 3))
    return table_of(rows + targets_of_inputs(bench) + targets_of_segments(bench) + targets_of_arrays(bench)
                    + targets_of_weights(bench))
