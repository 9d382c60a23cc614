"""The plots of docs/performance.md and docs/performance-tables.md: figures of matplotlib, made of the rows of a bench."""
import plot
from performance_rows import BINS, LARGE, SPREADS, call_name, get, limit, order_price
from plot import line_chart, size

# Of lines and bars, for matplotlib.
STYLES = {"ours": {"color": "#2f81f7"}, "reference": {"color": "#e0792b"}, "green": {"color": "#2ea25f"},
          "purple": {"color": "#a06ae0"}, "limit": {"color": "#8a929b", "linestyle": "--", "marker": ""}}


def line(name, points, style):
    return name, points, STYLES[style]


def throughput(bench, work, kind, title, limit_kind, **more):
    where = {"work": work, "type": kind, "reference": "CUB"} | more
    rows = [row for row in bench.select(**where) if row["how"] != "end to end"]
    lines = [line("parprims", [(row["n"], row["gbps"]) for row in rows], "ours"),
             line("CUB", [(row["n"], row["bytes"] / row["reference_us"] * 1e-3) for row in rows], "reference"),
             line(f"limit: {limit_kind}", bench.curve("gbps", work=f"limit: {limit_kind}"), "limit")]
    return line_chart(title, "elements", "GB/s " + ("read and written" if limit_kind == "copy" else "read"), lines,
                      log_y=False, note=bench.note())


def plot_speedup(bench):
    return line_chart("Time of CUB over time of parprims", "elements", "ratio: above 1, parprims is faster",
                      [line("reduce f32", bench.curve("ratio", work="reduce", type="f32", reference="CUB"), "ours"),
                       line("inclusive_scan i32", bench.curve("ratio", work="inclusive_scan", type="i32", reference="CUB"),
                            "reference"),
                       line("histogram u32, 256 bins", bench.curve("ratio", work="histogram", type="u32", bins=256,
                                                                  spread="uniform", reference="CUB"), "green")],
                      level=1, note=bench.note())


def plot_bins(bench):
    lines = []
    for spread, style in zip(SPREADS, ("ours", "reference", "green", "purple")):
        rows = [row for row in bench.select(work="histogram", type="u32", spread=spread, n=LARGE) if row["how"] == "stream"]
        lines.append(line(spread, [(row["bins"], row["gbps"]) for row in rows], style))
        lines.append((f"{spread}, CUB", [(row["bins"], row["bytes"] / row["reference_us"] * 1e-3) for row in rows],
                      STYLES[style] | {"linestyle": "--"}))
    top = limit(bench, "read", LARGE)
    if top:
        lines.append(line("limit: read", [(bins, top) for bins in (BINS[0], BINS[-1])], "limit"))
    return line_chart(f"Histogram of {size(LARGE)} u32 samples: bins and skew", "bins", "GB/s read", lines, note=bench.note())


def plot_order(bench):
    return line_chart("What the order contract costs: f32 beside i32", "elements", "f32 slower by, %",
                      [line("reduce", order_price(bench, "reduce"), "ours"),
                       line("inclusive_scan", order_price(bench, "inclusive_scan"), "reference")],
                      log_y=False, level=0, note=bench.note())


def plot_end_to_end(bench):
    rows = [row for row in bench.rows
            if row.get("reference") == "Thrust" and (row["work"], row["type"]) == ("reduce", "f32")]
    floor = get(bench.one(work="limit: launch and synchronise"), "us")
    return line_chart("reduce f32 from the call to the value", "elements", "µs",
                      [line("parprims::reduce", [(row["n"], row["us"]) for row in rows], "ours"),
                       line("thrust::reduce", [(row["n"], row["reference_us"]) for row in rows], "reference"),
                       line("limit: launch and synchronise", [(row["n"], floor) for row in rows] if floor else [], "limit")],
                      note=bench.note())


def plot_compile(bench):
    """Lying bars, with a stroke across those that have a target."""
    figure, (axes,) = plot.begin("nvcc -arch=sm_90 of a file with one call", height=1.4 + 0.28 * len(bench.rows),
                                 note=bench.note())
    cub = {row["work"]: row["us"] / 1e6 for row in bench.rows if row["library"] == "CUB"}
    for at, row in enumerate(bench.rows):
        style = {"parprims": "ours", "CUB": "reference", "Thrust": "reference"}.get(row["library"], "limit")
        axes.bar_label(axes.barh(at, row["us"] / 1e6, 0.7, color=STYLES[style]["color"]), fmt="%.3g", padding=3)
        if "target" in row and row["work"] in cub:
            axes.vlines(row["target"] * cub[row["work"]], at - 0.45, at + 0.45, color="#24292f")
    axes.set_yticks(range(len(bench.rows)), [call_name(row) for row in bench.rows])
    axes.invert_yaxis()
    axes.set(xlabel="processor time, s (the stroke: the target)")
    axes.grid(axis="x")
    return figure
