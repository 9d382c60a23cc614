#!/usr/bin/env python3
"""Draws what a sample measured, with matplotlib.

usage: plot.py NUMBERS.json PICTURE

NUMBERS.json is what a sample wrote for --json. PICTURE ends in .svg, .png or .pdf.
"""
import itertools
import json
import pathlib
import sys
import warnings

sys.dont_write_bytecode = True
from support import files  # noqa: E402

NEEDS = "matplotlib is not installed for {} (apt-get install python3-matplotlib, or pip install matplotlib)"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933", "#882255", "#44aa99",
           "#661100", "#6699cc")
LONGEST_TITLE = 60

try:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator
    # Text stays text, and the same numbers give the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "parprims", "text.parse_math": False, "font.size": 9,
                                "axes.spines.top": False, "axes.spines.right": False, "axes.prop_cycle":
                                matplotlib.cycler(color=COLOURS), "grid.color": "#e4e4e4", "axes.axisbelow": True})
except ImportError:
    matplotlib = None


def printable(text, most=LONGEST_TITLE):
    """What XML can hold, and an ellipsis for what is behind `most` characters."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return shown if len(shown) <= most else shown[:most] + "…"


def size(n):
    """2^k and 3 * 2^k as such."""
    n = round(n)
    lowest = n & -n
    if n < 1024 or n // lowest > 3:
        return str(n)
    return f"{'3*' if n != lowest else ''}2^{lowest.bit_length() - 1}"


def begin(title, rows=1, height=4.6, note=""):
    """A figure with a title, `rows` axes below each other, and a note at its foot."""
    figure = Figure(figsize=(8.4, height), layout="constrained")
    figure.suptitle(printable(title), fontweight="bold")
    if note:
        figure.supxlabel(note, fontsize=8, color="#57606a")
    return figure, figure.subplots(rows, squeeze=False)[:, 0]


def line_chart(title, x, y, lines, log_y=True, level=None, note=""):
    """Lines over a logarithmic axis of sizes; `level` is marked across. `lines` are (name, points, style of matplotlib); a point is
    (x, y) or (x, y, error). Of a logarithmic y, points that are not above 0 are left out."""
    figure, (axes,) = begin(title, note=note)
    for name, points, style in lines:
        at, values, *errors = zip(*[point for point in sorted(points) if point[1] > 0 or not log_y] or [((), ())])
        (line,) = axes.plot(at, values, **{"label": name, "marker": "o", "markersize": 3, "linewidth": 1.6} | style)
        if errors:
            axes.errorbar(at, values, *errors, fmt="none", ecolor=line.get_color(), capsize=2)
    if level is not None:
        axes.axhline(level, color="#666", linestyle=":", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: size(n)))
    if log_y:
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,)))
    else:
        axes.set_ylim(bottom=min(0, *(value for _, points, _ in lines for _, value, *_ in points)))
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set(xlabel=x, ylabel=y)
    axes.grid(axis="y")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def bar_chart(title, y, bars):
    """`bars` are (name, value)."""
    figure, (axes,) = begin(title)
    drawn = axes.bar(range(len(bars)), [value for _, value in bars], 0.7)
    if len(bars) <= 13:  # of more, the numbers would be over each other
        axes.bar_label(drawn, fmt="%.4g")
    axes.set_xticks(range(len(bars)), [printable(name) for name, _ in bars], rotation=35, ha="right", rotation_mode="anchor")
    axes.set(ylabel=y)
    axes.grid(axis="y")
    return figure


def chart(given):
    """What `samples::line_chart` holds. Of one size, a line is a bar."""
    if "bars" in given:
        return bar_chart(given["title"], given["y"], given["bars"])
    sizes = {at for _, points in given["lines"] for at, *_ in points}
    if len(sizes) == 1:
        return bar_chart(f"{given['title']}: {size(*sizes)} {given['x']}", given["y"],
                         [(name, points[0][1]) for name, points in given["lines"]])
    return line_chart(given["title"], given["x"], given["y"], [(*line, {}) for line in given["lines"]], given["log_y"])


def bytes_axes(axes, name, x):
    axes.set_title(printable(name, 80), loc="left", fontsize=9)
    axes.set(xlabel=x, xlim=(-0.5, 255.5), xticks=(*range(0, 256, 32), 255))


def histogram(axes, name, things, counts, x):
    """How frequent each value is, in % of all, and the cumulative curve beside the straight one of equal counts."""
    total = max(1, sum(counts))
    bytes_axes(axes, name, x)
    axes.bar(range(256), [100 * count / total for count in counts], 1, color="#6b8fb5")
    axes.set(ylabel=f"{things}, %")
    right = axes.twinx()
    right.plot((-0.5, 255.5), (0, 100), color="#999", linestyle="--", linewidth=1)
    right.step(range(256), [100 * count / total for count in itertools.accumulate(counts)], where="post", color="#c2410c")
    right.set(ylabel="cumulative, %", ylim=(0, 100))


def describe(files):
    figure, panels = begin("How frequent each value of a byte is", len(files), 2.6 * len(files) + 0.4)
    for axes, each in zip(panels, files):
        histogram(axes, each["file"], "bytes", each["counts"], "value of a byte")
    return figure


def equalize(given):
    figure, panels = begin(f"{pathlib.Path(given['file']).name}: luminance before and after", 3, 7.6)
    for axes, name in zip(panels, ("before", "after")):
        histogram(axes, name, "pixels", given[name], "luminance")
    bytes_axes(panels[2], "what each luminance becomes", "luminance")
    panels[2].plot((0, 255), (0, 255), color="#999", linestyle="--", linewidth=1)
    panels[2].step(range(256), given["table"], where="post", color="#c2410c")
    panels[2].set(ylabel="becomes")
    return figure


def draw(given):
    """The figure for the JSON of any sample."""
    return chart(given["chart"]) if "chart" in given else describe(given["files"]) if "files" in given else equalize(given)


def save(figure, path):
    """The picture at `path`, in the format of its name; an SVG without the date."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # in scripts that the font lacks; the SVG has the text all the same
        figure.savefig(path, dpi=110, metadata={"Date": None} if pathlib.Path(path).suffix == ".svg" else None)


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 0 if "--help" in sys.argv or "-h" in sys.argv else 2
    if matplotlib is None:
        print(f"no picture: {NEEDS.format(sys.executable)}", file=sys.stderr)
        return 1
    numbers, picture = sys.argv[1:]
    files.check([numbers], [picture])
    if pathlib.Path(picture).suffix not in (".svg", ".png", ".pdf"):
        print(f"plot.py: {picture} does not end in .svg, .png or .pdf", file=sys.stderr)
        return 2
    try:
        figure = draw(json.loads(pathlib.Path(numbers).read_text()))
    except (KeyError, TypeError, ValueError):
        print(f"plot.py: {numbers}: is not what a sample writes for --json", file=sys.stderr)
        return 1
    save(figure, picture)
    print(f"  wrote {picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
