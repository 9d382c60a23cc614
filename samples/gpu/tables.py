#!/usr/bin/env python3
"""Puts what samples/gpu/run measured beside the published figures.

usage: tables.py FOLDER [--write | --short]

FOLDER holds the JSON files of a run; a table whose file is missing has dashes. Prints all tables as Markdown; --short the
most telling ones; --write puts them into the READMEs of the samples, between `<!-- table NAME -->` and `<!-- end -->`, what
the samples print without a GPU after `<!-- output NAME -->`, and draws the pictures into samples/plots.
"""
import json
import pathlib
import re
import sys

SAMPLES = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SAMPLES))
import plot  # noqa: E402

PUBLISHED = json.loads((SAMPLES / "data" / "published.json").read_text())


class Run:
    def __init__(self, folder):
        self.folder = folder

    def rows(self, name):
        path = self.folder / f"{name}.json"
        return json.loads(path.read_text())["rows"] if path.exists() else []

    def machine(self):
        for path in sorted(self.folder.glob("*.json")):
            machine = json.loads(path.read_text()).get("machine", "")
            if machine.startswith("GPU"):
                return machine.split(", ", 1)[1]
        return "ours"

    def value(self, name, key, **where):
        for row in self.rows(name):
            if all(row.get(field) == wanted for field, wanted in where.items()):
                return row.get(key)
        return None

    def step(self, name, step, key="seconds"):
        for row in self.rows(name):
            if row["step"].split()[0] == str(step):
                return row.get(key)
        return None


def scaled(value, factor, digits=4):
    return "-" if value is None else f"{value * factor:.{digits}g}"


def ratio(a, b):
    return "-" if not a or not b else f"{a / b:.2f}"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def table_ladder(run):
    """R1: each step at 2^24 int; what the published profiler counted beside what the executor counts."""
    rows, published = [], {row[0]: row for row in PUBLISHED["R1"]["rows"]}
    for step in range(11):
        theirs = published.get(step, [None] * 7)
        ours, first = run.step("ladder", step), run.step("ladder", 1)
        operations, lanes = run.step("ladder-counts", step, "warp_operations"), run.step("ladder-counts", step, "active_lanes")
        first_operations = run.step("ladder-counts", 1, "warp_operations")
        rows.append([step, scaled(theirs[1], 1, 5), ratio(published[1][1], theirs[1]), scaled(ours, 1e6),
                     ratio(first, ours), "-" if ours is None else f"{4 * 2**24 / ours / 1e9:.0f}",
                     scaled(theirs[2], 1), scaled(run.step("ladder", step, "share_of_peak"), 100, 3),
                     ratio(published[1][5], theirs[5]), ratio(first_operations, operations),
                     scaled(lanes, 1, 3)])
    return markdown(["step", "RTX 2080 Ti, µs", "gain", f"{run.machine()}, µs", "gain", "GB/s",
                     "of peak, published, %", "ours, %", "instructions fewer, published", "warp operations fewer, executor", "lanes of 32, executor"], rows)


def table_counters(run):
    """R1: what the published profiler said of each step, beside what the executor counts."""
    rows, published = [], {row[0]: row for row in PUBLISHED["R1"]["rows"]}
    for step in range(10):
        _, _, _, memory, multiprocessors, instructions, occupancy = published.get(step, [None] * 7)
        n, operations, *others = (run.step("ladder-counts", step, key) for key in (
            "n", "warp_operations", "active_lanes", "transactions", "bank_conflicts", "divergent_branches", "barriers"))
        rows.append([step, *(scaled(share, 1) for share in (memory, multiprocessors, occupancy)),
                     "-" if instructions is None else instructions,
                     "-" if instructions is None else f"{32 * instructions / PUBLISHED['R1']['n']:.1f}",
                     "-" if operations is None else operations,
                     "-" if operations is None else f"{32 * operations / n:.1f}",
                     *(scaled(other, 1, 3) if isinstance(other, float) else "-" if other is None else other for other in others)])
    return markdown(["step", "published: memory, %", "SM, %", "occupancy, %", "instructions", "for 32 values",
                     "executor: warp operations", "for 32 values", "lanes of 32", "transactions", "bank conflicts",
                     "divergent branches", "barriers"], rows)


def table_ladder_float(run):
    """R2 and R3: 2^30 values."""
    rows = [[step, scaled(run.step("ladder-float", step), 1e3),
             "-" if run.step("ladder-float", step) is None else f"{4 * 2**30 / run.step('ladder-float', step) / 1e9:.0f}"]
            for step in range(11)]
    rows[1].append("11.79")
    rows[4].append("T4: about 41 GB/s")
    return markdown(["step", f"{run.machine()}, ms", "GB/s", "published (MI250, ms)"],
                    [row if len(row) == 4 else [*row, ""] for row in rows])


def table_sweep(run):
    grids = PUBLISHED["R1_sweep"]["columns"]
    rows = []
    for block, *theirs in PUBLISHED["R1_sweep"]["rows"]:
        ours = [run.value("sweep", f"grid_{grid}", block=block) for grid in grids]
        rows.append([block] + [f"{a} / {scaled(b, 1e6)}" for a, b in zip(theirs, ours)])
    return markdown(["block"] + [f"grid {grid}" for grid in grids], rows)


def table_transfers(run):
    """R4: transfers included; and the kernels by themselves against the CPU."""
    exponents = PUBLISHED["R4"]["columns"]
    rows = []
    for block, *theirs in PUBLISHED["R4"]["rows"][:-1]:
        cells = []
        for exponent, pair in zip(exponents, theirs):
            ours = [run.value("transfers", "in_all_pageable", block=block, n=2**exponent, step=name)
                    for name in ("0 pairwise, global memory", "7 several adds per thread")]
            cells.append(f"{pair[0]} / {pair[1]}; {scaled(ours[0], 1)} / {scaled(ours[1], 1)}")
        rows.append([block, *cells])
    best = {"step": "7 several adds per thread", "block": 256}
    rows.append(["CPU"] + [f"{theirs[0]}; {scaled(run.value('transfers', 'cpu', n=2**exponent, **best), 1)}"
                           for exponent, theirs in zip(exponents, PUBLISHED["R4"]["rows"][-1][1:])])
    for name, key in (("pinned, in all", "in_all_pinned"), ("kernels alone", "kernels")):
        theirs = PUBLISHED["R4"]["kernel_alone"] if key == "kernels" else [None] * 5
        rows.append([name] + [f"{a or '-'}; {scaled(run.value('transfers', key, n=2**exponent, **best), 1)}"
                              for exponent, a in zip(exponents, theirs)])
    for name, theirs, key in (("CPU / kernels", PUBLISHED["R4"]["kernel_alone"], "speed_up_kernels"),
                              ("CPU / in all", [row[1] for row in PUBLISHED["R4"]["rows"][1][1:]], "speed_up_in_all_pageable"),
                              ("CPU / in all, pinned", [None] * 5, "speed_up_in_all_pinned")):
        cpu = [row[0] for row in PUBLISHED["R4"]["rows"][-1][1:]]
        rows.append([name] + [f"{scaled(a and b / a, 1, 3)}; {scaled(run.value('transfers', key, n=2**exponent, **best), 1, 3)}"
                              for exponent, a, b in zip(exponents, theirs, cpu)])
    return markdown(["block"] + [f"2^{exponent}" for exponent in exponents], rows)


def table_finish(run):
    rows = [[plot.size(n), theirs_cpu, theirs_gpu, scaled(run.value("finish", "GPU then CPU", n=n), 1e3),
             scaled(run.value("finish", "GPU alone", n=n), 1e3), scaled(run.value("finish", "hybrid", n=n), 1e3)]
            for n, theirs_cpu, theirs_gpu in PUBLISHED["R5"]["rows"]]
    return markdown(["n", "published: GPU then CPU, ms", "GPU alone", f"{run.machine()}: GPU then CPU, ms", "GPU alone",
                     "hybrid"], rows)


def table_matrix(run):
    rows = []
    for n, theirs_global, theirs_tiled in PUBLISHED["M"]["rows"]:
        ours = [run.value("matrix", "seconds", kernel=kernel, size=str(n)) for kernel in
                ("naive, global memory", "tiled 16, shared memory", "tiled 32, shared memory", "tiled 128, registers",
                 "cuBLAS")]
        rows.append([n, theirs_global, theirs_tiled, ratio(theirs_global, theirs_tiled), *(scaled(x, 1e3) for x in ours),
                     ratio(ours[0], ours[1]), ratio(ours[0], ours[2]), ratio(ours[4], ours[3])])

    def mean(column):
        large = [float(row[column]) for row in rows if row[0] >= 2048 and row[column] != "-"]
        return f"{sum(large) / len(large):.2f}" if large else "-"
    rows.append(["mean from 2048 on", "", "", mean(3), "", "", "", "", "", mean(9), mean(10), ""])
    return markdown(["n", "published: global, ms", "tiled", "ratio", f"{run.machine()}: global, ms", "tiled 16", "tiled 32",
                     "registers", "cuBLAS", "global / tiled 16", "global / tiled 32", "cuBLAS / registers"], rows)


def table_scan(run):
    rows = []
    for n, theirs in PUBLISHED["S"]["rows"]:
        ours = run.value("scan-published", "seconds", n=n)
        cells = [run.value("scan", "seconds", n=n, method=method) for method in
                 ("Hillis-Steele, two buffers", "Blelloch", "shuffles", "reduce, then scan", "parprims, single pass", "CUB")]
        rows.append([plot.size(n), theirs, scaled(ours, 1e3), *(scaled(cell, 1e3) for cell in cells)])
    return markdown(["n", "published: Hillis-Steele, ms", f"{run.machine()}: the same, ms", "two buffers", "Blelloch",
                     "shuffles", "reduce, then scan", "parprims", "CUB"], rows)


def table_histogram(run):
    rows = []
    for n, theirs_global, theirs_shared in PUBLISHED["H"]["rows"]:
        ours = [run.value("histogram", "seconds", n=n, method=method) for method in
                ("global atomics", "shared atomics", "shared, replicated", "parprims::histogram", "CUB")]
        rows.append([plot.size(n), theirs_global, theirs_shared, ratio(theirs_global, theirs_shared),
                     *(scaled(x, 1e3) for x in ours), ratio(ours[0], ours[1])])
    return markdown(["n", "published: global, ms", "shared", "ratio", f"{run.machine()}: global, ms", "shared", "replicated",
                     "parprims", "CUB", "global / shared"], rows)


def table_bins(run):
    rows = []
    for bins in (2**k for k in range(3, 17)):
        row = [bins]
        for name in ("bins", "bins-skewed"):
            row += [scaled(run.value(name, "seconds", bins=bins, method=method), 1e3) for method in
                    ("global atomics", "shared atomics", "shared, replicated", "parprims::histogram", "CUB")]
        rows.append(row)
    methods = ["global", "shared", "replicated", "parprims", "CUB"]
    return markdown(["bins", *(f"{name}, ms" if name == "global" else name for name in methods),
                     *(f"skewed: {name}" if name == "global" else name for name in methods)], rows)


TABLES = {"ladder": ("reduction_ladder", table_ladder), "ladder-counters": ("reduction_ladder", table_counters),
          "ladder-float": ("reduction_ladder", table_ladder_float),
          "sweep": ("reduction_ladder", table_sweep), "transfers": ("reduction_ladder", table_transfers),
          "finish": ("reduction_ladder", table_finish), "matrix": ("matrix_multiply", table_matrix),
          "scan": ("scan_methods", table_scan), "histogram": ("histogram_memory", table_histogram),
          "bins": ("histogram_memory", table_bins)}


OUTPUTS = {"ladder-counts": "reduction_ladder", "scan-counts": "scan_methods", "matrix-counts": "matrix_multiply",
           "histogram-counts": "histogram_memory"}


def output(run, name):
    """The table that a sample printed, as it stands on a terminal."""
    lines = (run.folder / f"{name}.txt").read_text().splitlines()
    return "\n".join(["```", *(line.rstrip() for line in lines if re.match("  (?!wrote)", line)), "```"])


def fill(path, name, text):
    """Puts a text into its place on a page."""
    page, found = re.subn(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda match: f"{match[1]}{text}\n{match[2]}",
                          path.read_text(), flags=re.DOTALL)
    if found != 1:
        sys.exit(f"{path} has no place for {name}")
    path.write_text(page)


def write(run):
    for name, (sample, make) in TABLES.items():
        fill(SAMPLES / sample / "README.md", f"table {name}", make(run))
    for name, sample in OUTPUTS.items():
        fill(SAMPLES / sample / "README.md", f"output {name}", output(run, name))
    for sample in sorted({sample for sample, _ in TABLES.values()}):
        path = SAMPLES / sample / "README.md"
        path.write_text(re.sub(r"(<!-- plots ([a-z -]+) -->\n).*?(<!-- end -->)", lambda match: match[1] + "".join(
            draw(run, name) for name in match[2].split()) + match[3], path.read_text(), flags=re.DOTALL))


def draw(run, name):
    """Draws a picture and says how to show it; nothing where there are no numbers."""
    numbers = run.folder / f"{name}.json"
    if not numbers.exists():
        return ""
    plot.save(plot.draw(json.loads(numbers.read_text())), SAMPLES / "plots" / f"{name}.svg")
    return f"![{name}](../plots/{name}.svg)\n"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"], ["--short"]):
        sys.exit(__doc__)
    run, mode = Run(pathlib.Path(sys.argv[1])), "".join(sys.argv[2:])
    if not any(run.folder.glob("*.json")):
        sys.exit(f"{run.folder} has no numbers: nothing is made of them")  # but tables of dashes
    if mode == "--write":
        if plot.matplotlib is None:
            sys.exit(plot.NEEDS.format(sys.executable))
        write(run)
        return
    for name, (_, make) in TABLES.items():
        if mode == "--short" and name in ("finish", "scan", "histogram"):
            lines = make(run).splitlines()
            print(f"\n{name}\n" + "\n".join(lines[:2] + lines[2::6]))
        else:
            print(f"\n{name}\n{make(run)}")


if __name__ == "__main__":
    main()
