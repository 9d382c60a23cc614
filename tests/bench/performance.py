#!/usr/bin/env python3
"""Fills the tables of docs/performance-tables.md and draws the plots of docs/plots from what the benches measured.

usage: performance.py FOLDER [--write | --self-test]

FOLDER holds device_bench.json, host_bench.json (tests/gpu/run benches) and compile_time.json (tests/bench/compile_time.py), and
as other_card.json the device_bench.json of another GPU. Any of them may be missing: what depends on it stays as it is.
Prints the tables; --write puts them into the page, between
`<!-- table NAME -->` and `<!-- end -->`, and the plots into docs/plots. --self-test does so with made-up figures elsewhere.
"""
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "samples"), str(ROOT / "samples" / "gpu"), str(ROOT / "tests" / "bench")]
import plot  # noqa: E402
from performance_plots import plot_bins, plot_compile, plot_end_to_end, plot_order, plot_speedup, throughput  # noqa: E402
from performance_rows import (  # noqa: E402
    ALL_SPREADS, BINS, ELEMENT_WORKS, LARGE, LARGEST, ODD, ODD_BINS, OTHER_TYPES, PAIRS, REDUCED, RUNS, SCANNED, SEGMENT_TYPES,
    SPREADS, Bench, beside_aligned, call_name, floor_share, get, limit, mean, placed_scans, share, show, times)
from performance_targets import HOST_TARGETS, table_of, table_targets, targets_of_inputs, verdict  # noqa: E402
from plot import size  # noqa: E402
from tables import fill, markdown  # noqa: E402


def described(row):
    """The input of a row: type, variant, bins and spread, as far as it has them."""
    bins = [f"{row['bins']} bins", row["spread"]] if row.get("bins") else []
    return ", ".join(filter(None, [row["type"], row["variant"], *bins]))


def table_worst(bench, references, shown):
    """For each algorithm, the rows with the smallest ratio. Three phases are a method that a call has to ask for."""
    found = [row for row in bench.rows if row.get("reference") in references and row["how"] != "end to end"
             and row["variant"] != "three phases"]
    rows = []
    for work in dict.fromkeys(row["work"] for row in found):
        for row in sorted((row for row in found if row["work"] == work), key=lambda row: row["ratio"])[:shown]:
            rows.append([work, described(row), size(row["n"]), show(row["us"]), show(row["reference_us"]), times(row["ratio"])])
    return markdown(["work", "input", "n", "µs", f"{references[0]}, µs", "ratio"], rows)


def table_limits(bench):
    rows = []
    for kind in ("read", "copy"):
        rows += [[f"{kind} {size(n)} floats, bytes read" + (" and written" if kind == "copy" else ""),
                  f"{show(limit(bench, kind, n))} GB/s"] for n in (LARGE, LARGEST) if bench.select(work=f"limit: {kind}", n=n)]
    for name in ("empty kernel", "launch and synchronise"):
        rows.append([name + (" in a CUDA graph" if name == "empty kernel" else ""),
                     f"{show(get(bench.one(work=f'limit: {name}'), 'us'), 3)} µs"])
    for name in ("pinned host to device", "device to pinned host", "pageable host to device", "device to pageable host"):
        rows.append([name, f"{show(get(bench.one(work=f'limit: {name}'), 'gbps'), 3)} GB/s"])
    return markdown(["limit", "measured"], rows)


def table_types(bench, work, kind, types):
    rows = []
    for name in types + OTHER_TYPES:
        variant = "custom operator" if name == "u32" else ""
        cells = [f"{name}, {variant}" if variant else name]
        for n in (LARGE, LARGEST):
            row = bench.one(work=work, type=name, variant=variant, n=n, reference="CUB", how="stream")
            cells += [show(get(row, "us")), show(get(row, "reference_us")), times(get(row, "ratio")), show(get(row, "gbps")),
                      times(share(bench, row, kind))]
        rows.append(cells)
    if work == "inclusive_scan":
        row = bench.one(work=work, type="f32", variant="three phases", n=LARGE)
        rows.append(["f32, three phases", show(get(row, "us")), show(get(row, "reference_us")), times(get(row, "ratio")),
                     show(get(row, "gbps")), times(share(bench, row, kind)), *[""] * 5])
    head = ["µs", "CUB µs", "ratio", "GB/s", f"of {kind} limit"]
    return markdown(["type", *(f"{size(LARGE)}: {word}" if word == "µs" else word for word in head),
                     *(f"{size(LARGEST)}: {word}" if word == "µs" else word for word in head)], rows)


def table_small(bench):
    """Geometric means of the ratio over sizes in a graph, at least two of them."""
    ranges = [(8, 11), (12, 16), (17, 20), (21, 24)]
    rows = []
    for work in ("reduce", "inclusive_scan", "histogram", "segmented_reduce", *ELEMENT_WORKS):
        for series in sorted({(row["type"], row.get("bins"), row["variant"]) for row in bench.select(work=work, variant=...)
                              if row.get("reference") == "CUB" and row["how"] == "graph"}, key=str):
            kind, bins, variant = series
            found = bench.select(work=work, type=kind, bins=bins, variant=variant, reference="CUB", how="graph")
            cells = [mean(row["ratio"] for row in found if 2**low <= row["n"] <= 2**high) for low, high in ranges]
            if len({row["n"] for row in found}) > 2:
                rows.append([work, kind + (f", {bins} bins" if bins else "") + (f", {variant}" if variant else ""),
                             *map(times, cells)])
    return markdown(["work", "type", *(f"2^{low} … 2^{high}" for low, high in ranges)], rows)


def table_histogram(bench, n, kinds, spreads):
    rows = []
    for kind, all_bins in kinds.items():
        for bins in all_bins:
            cells = [f"{kind}, {size(bins)} bins"]
            for spread in spreads:
                row = bench.one(work="histogram", type=kind, bins=bins, spread=spread, n=n, how="stream")
                cells += ["-" if row is None else f"{show(row['us'])} ({times(row.get('ratio'))})",
                          times(share(bench, row, "read"))]
            rows.append(cells)
    return markdown(["samples", *(cell for spread in spreads for cell in (f"{spread}: µs (ratio)", "of read limit"))], rows)


def table_access(bench):
    rows = []
    found = [row for row in bench.select(variant=...) if row.get("reference") == "aligned"]
    for key in dict.fromkeys((row["work"], row["type"], row["variant"]) for row in found):
        by_size = {row["n"]: row["ratio"] for row in found if (row["work"], row["type"], row["variant"]) == key}
        rows.append([*key, *(times(by_size.get(2**k)) for k in (12, 16, 20, 24, 28, 30))])
    return markdown(["work", "type", "input", *(f"2^{k}" for k in (12, 16, 20, 24, 28, 30))], rows)


def table_places(bench):
    """Scans from and to places that are not aligned: the slowest pair of places of each size."""
    types = SCANNED + OTHER_TYPES
    found = {kind: placed_scans(bench, kind) for kind in types}
    sizes = sorted({row["n"] for rows in found.values() for row in rows})
    rows = []
    for kind in (kind for kind in types if found[kind]):
        cells = [[row for row in found[kind] if row["n"] == n] for n in sizes]
        beside = [[ratio for row in cell if (ratio := beside_aligned(bench, row))] for cell in cells]
        rows.append([kind, *(f"{times(min(of_cell, default=None))} ({times(min(row['ratio'] for row in cell))})" if cell else "-"
                             for cell, of_cell in zip(cells, beside))])
    return markdown(["type", *map(size, sizes)], rows)


def table_end_to_end(bench):
    found = [row for row in bench.rows if row["how"] == "end to end" and row.get("reference") in ("CUB", "Thrust")]
    series = list(dict.fromkeys((row["work"], row["type"], row["reference"]) for row in found))
    rows = []
    for n in sorted({row["n"] for row in found}):
        cells = [size(n)]
        for work, kind, beside in series:
            row = next((row for row in found
                        if (row["n"], row["work"], row["type"], row["reference"]) == (n, work, kind, beside)), None)
            cells += [show(get(row, "us"), 3), show(get(row, "reference_us"), 3), times(get(row, "ratio"))]
        rows.append(cells)
    return markdown(["n", *(cell for work, kind, beside in series for cell in (f"{work} {kind}, µs", f"{beside} µs", "ratio"))],
                    rows)


def table_matrix(bench):
    rows = []
    for row in bench.select(work="matrix product", variant=...):
        naive = bench.one(work="matrix product", variant="naive, global memory", n=row["n"])
        rows.append([row["variant"], str(row["n"]), show(row["us"]), show(row["tflops"], 3), times(naive["us"] / row["us"]),
                     show(get(row, "reference_us")), times(get(row, "ratio"))])
    return markdown(["kernel", "rows and columns", "µs", "TFLOP/s", "beside naive", "cuBLAS µs", "of cuBLAS"], rows)


def table_segments(bench):
    """Segments of one size and of many lengths: a row for each, a pair of columns for each type."""
    found = [row for row in bench.select(variant=..., n=LARGE, reference="CUB") if row["work"].startswith("segmented_")]
    rows = []
    for work, variant in dict.fromkeys((row["work"], row["variant"]) for row in found):
        cells = [work, variant]
        for kind in SEGMENT_TYPES:
            row = bench.one(work=work, type=kind, variant=variant, n=LARGE, reference="CUB")
            cells += ["-" if row is None else f"{show(row['us'])} ({times(row['ratio'])})", times(floor_share(bench, row))]
        rows.append(cells)
    return markdown(["work", "segments", *(cell for kind in SEGMENT_TYPES for cell in (f"{kind}: µs (ratio)", "of floor"))], rows)


def table_runs(bench):
    """Reductions by key: a row for each pair of types and size, a column for each length of runs."""
    found = [row for row in bench.select(work="reduce_by_key", variant=..., reference="CUB") if row["variant"] in RUNS]
    sizes = sorted({row["n"] for row in found if row["variant"] != "runs of 2"})
    rows = []
    for kind in (kind for kind in PAIRS if any(row["type"] == kind for row in found)):
        for n in sizes:
            cells = [next((row for row in found if (row["type"], row["variant"], row["n"]) == (kind, runs, n)), None) for runs in RUNS]
            rows.append([kind, size(n), *("-" if row is None else f"{show(row['us'])} ({times(row['ratio'])})" for row in cells)])
    return markdown(["keys/values", "n", *(f"{runs}: µs (ratio)" for runs in RUNS)], rows)


def table_exact(bench):
    """Exact sums beside those of plus, in the order of the bench."""
    rows = []
    for row in bench.select(variant=..., reference="plus"):
        rows.append([row["work"], described(row), size(row["n"]), row["how"], show(row["us"]), show(row["reference_us"]), times(row["ratio"]),
                     show(row["gbps"])])
    return markdown(["work", "input", "n", "how", "µs", "plus, µs", "ratio", "GB/s"], rows)


def table_elements(bench):
    """Calls by key and of elements, one row for each type."""
    rows = []
    for row in bench.select(variant=..., n=LARGE, reference="CUB"):
        if row["work"] in ELEMENT_WORKS and row["work"] != "reduce_by_key":
            rows.append([row["work"], described(row), show(row["us"]), show(row["reference_us"]), times(row["ratio"]),
                         show(row["gbps"]), times(floor_share(bench, row))])
    return markdown(["work", "input", "µs", "CUB µs", "ratio", "GB/s", "of floor"], rows)


def table_spreads(bench, *works):
    """Histograms of some works over all their bins and spreads, beside atomic operations where these were measured."""
    found = [row for work in works for row in bench.select(work=work, variant=..., n=LARGE) if "spread" in row]
    spreads = list(dict.fromkeys(row["spread"] for row in found))
    rows = []
    for work, kind, variant, bins in dict.fromkeys((row["work"], row["type"], row["variant"], row["bins"]) for row in found):
        cells = [", ".join(filter(None, (work if work != works[0] else "", kind, variant, f"{size(bins)} bins")))]
        for spread in spreads:
            row = bench.one(work=work, type=kind, variant=variant, bins=bins, spread=spread, n=LARGE)
            ratio = f" ({times(row['ratio'])})" if row and row.get("ratio") else ""
            cells += ["-" if row is None else show(row["us"]) + ratio, times(share(bench, row, "read"))]
        rows.append(cells)
    return markdown(["samples", *(cell for spread in spreads for cell in (f"{spread}: µs (ratio)", "of read limit"))], rows)


def table_host(bench):
    rows = []
    for row in (row for row in bench.rows if "reference" in row):
        aim = HOST_TARGETS.get((row["work"], row["variant"], row.get("bins"), row["reference"].split(",")[0]))
        rows.append([f"{row['work']} {described(row)}", row["reference"], show(row["us"] / 1e3), show(row["reference_us"] / 1e3),
                     times(row["ratio"]), show(row["gbps"], 3),
                     *((f"≥ {aim}", verdict(row["ratio"] >= aim)) if aim else ("", ""))])
    return markdown(["work", "beside", "parprims ms", "reference ms", "ratio", "GB/s", "target", "reached"], rows)


def table_compile(bench):
    rows = []
    for row in bench.rows:
        rows.append([call_name(row), f"{row['us'] / 1e6:.2f}", times(row.get("part")), times(row.get("target")),
                     "" if "holds" not in row else "yes" if row["holds"] else "**no**"])
    return markdown(["file with one call of", "processor time, s", "of CUB's", "target", "reached"], rows)


DEVICE, OTHER = "device_bench", "other_card"
TABLES = {"targets": (DEVICE, table_targets),
          "worst": (DEVICE, lambda bench: table_worst(bench, ("CUB",), 3)),
          "worst-places": (DEVICE, lambda bench: table_worst(bench, ("aligned", "aligned pointers", "pointer"), 3)),
          "limits": (DEVICE, table_limits),
          "reduce-types": (DEVICE, lambda bench: table_types(bench, "reduce", "read", REDUCED)),
          "scan-types": (DEVICE, lambda bench: table_types(bench, "inclusive_scan", "copy", SCANNED)),
          "small": (DEVICE, table_small),
          "bins": (DEVICE, lambda bench: table_histogram(bench, LARGE, {"u8": (256,), "u32": BINS, "f32": BINS}, SPREADS)),
          "odd-bins": (DEVICE, lambda bench: table_histogram(bench, ODD, {"u32": ODD_BINS, "f32": ODD_BINS}, ALL_SPREADS)),
          "access": (DEVICE, table_access), "segments": (DEVICE, table_segments), "elements": (DEVICE, table_elements),
          "runs": (DEVICE, table_runs), "exact": (DEVICE, table_exact),
          "dimensions": (DEVICE, lambda bench: table_spreads(bench, "histogram of pairs")),
          "weights": (DEVICE, lambda bench: table_spreads(bench, "weighted_histogram", "profile")),
          "end-to-end": (DEVICE, table_end_to_end), "matrix": (DEVICE, table_matrix), "host": ("host_bench", table_host),
          "compile": ("compile_time", table_compile),
          "other-inputs": (OTHER, lambda bench: table_of(targets_of_inputs(bench))), "other-places": (OTHER, table_places),
          "other-worst": (OTHER, lambda bench: table_worst(bench, ("CUB",), 3))}
PLOTS = {"reduce": (DEVICE, lambda bench: throughput(bench, "reduce", "f32", "reduce f32", "read")),
         "scan": (DEVICE, lambda bench: throughput(bench, "inclusive_scan", "i32", "inclusive_scan i32", "copy")),
         "histogram": (DEVICE, lambda bench: throughput(bench, "histogram", "u32", "histogram u32, 256 bins, uniform", "read",
                                                        bins=256, spread="uniform")),
         "speedup": (DEVICE, plot_speedup), "bins": (DEVICE, plot_bins), "order": (DEVICE, plot_order),
         "end-to-end": (DEVICE, plot_end_to_end), "compile": ("compile_time", plot_compile)}


def write(benches, page, plots):
    for name, (file, make) in TABLES.items():
        if file in benches:
            fill(page, f"table {name}", make(benches[file]))
    for file, bench in benches.items():
        fill(page, f"table source-{file}", bench.source())
    plots.mkdir(exist_ok=True)
    for name, (file, make) in PLOTS.items():
        if file in benches:
            plot.save(make(benches[file]), plots / f"{name}.svg")


def load(folder):
    paths = {name: folder / f"{name}.json" for name in (DEVICE, OTHER, "host_bench", "compile_time")}
    found = {name: Bench(path) for name, path in paths.items() if path.exists()}
    if not found:
        sys.exit(f"{folder} has none of " + ", ".join(path.name for path in paths.values()))
    for name, bench in found.items():
        wrong = [row for row in bench.rows if not row["right"]]
        if wrong or bench.all.get("failures"):
            sys.exit(f"{paths[name]}: wrong results or failures; nothing is made of them: {(wrong or bench.all['failures'])[0]}")
    return found


def main():
    if "--self-test" in sys.argv:
        import performance_test
        return performance_test.run()
    if len(sys.argv) < 2 or "--help" in sys.argv or "-h" in sys.argv:
        print(__doc__)
        return 0 if len(sys.argv) > 1 else 2
    benches = load(pathlib.Path(sys.argv[1]))
    if "--write" in sys.argv:
        if plot.matplotlib is None:
            sys.exit(plot.NEEDS.format(sys.executable))
        write(benches, ROOT / "docs" / "performance-tables.md", ROOT / "docs" / "plots")
        return 0
    for name, (file, make) in TABLES.items():
        if file in benches:
            print(f"\n{name}: {benches[file].source()}\n{make(benches[file])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
