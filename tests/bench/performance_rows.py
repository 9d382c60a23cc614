"""What the benches measured, asked for by what it is of."""
import json
import math
import re
import statistics
import sys

LARGE, LARGEST = 2**28, 2**30
REDUCED = ("i8 to i32", "i16 to i32", "f16 to f32", "i32", "i64", "f32", "f64")
SCANNED = ("u8 to u32", "i16 to i32", "f16 to f32", "i32", "i64", "f32", "f64")
OTHER_TYPES = ("12-byte struct", "u32")
PAIRS = ("i8/i8", "u8/i16", "i32/i32", "i32/f32", "i64/f32")
RUNS = ("runs of 1", "runs of 2", "runs of 3", "runs of 17", "runs of 1000", "one run")
SPREADS = ("uniform", "90 % in one", "constant", "Zipf")
ALL_SPREADS = SPREADS + ("sorted", "bell")
ODD, ODD_BINS = 300_000_017, (1000, 5000, 100_000, 3_000_000)
SEGMENT_TYPES = ("i8 to i32", "i32", "f32", "i64", "f64")
STRUCTS = ("12-byte struct", "40-byte struct", "64-byte struct")
ELEMENT_WORKS = ("reduce_by_key", "inclusive_scan_by_key", "min_element", "copy_if", "transform")
BINS = (8, 256, 2048, 16384, 32768, 65536, 2**20)


class Bench:
    """The rows of one JSON file, asked for by what they say."""

    def __init__(self, path):
        self.all = json.loads(path.read_text())
        if self.all.get("format") != "parprims bench 1":
            sys.exit(f"{path}: not a file of our benches")
        self.rows = self.all["rows"]
        if not self.all.get("complete", True):  # as by a time limit
            self.all["cut"] = "**cut short**"

    def select(self, **where):
        where = {"variant": ""} | where
        return [row for row in self.rows if all(row.get(key) == wanted for key, wanted in where.items() if wanted is not ...)]

    def one(self, **where):
        """The row; of several, the last. None where there is none."""
        return (self.select(**where) or [None])[-1]

    def curve(self, y, **where):
        """(n, y) points in a graph and enqueued."""
        return [(row["n"], row[y]) for row in self.select(**where) if row["how"] != "end to end" and row.get(y)]

    def source(self):
        """What every number has to say of itself."""
        names = [("card", "{}"), ("driver", "driver {}"), ("cpu", "{}"), ("cuda", "CUDA {}"), ("beside", "{}"),
                 ("compiler", "{}"), ("date", "{}"), ("commit", "commit {}"), ("command", "`{}`"), ("cut", "{}")]
        if self.all["card"]:
            names = [each for each in names if each[0] not in ("cpu", "compiler")]
        said = self.all | {"command": re.sub(r" --(json|nvcc) \S+", "", self.all["command"])}  # of no use elsewhere
        return ", ".join(words.format(said[name]) for name, words in names if said.get(name))

    def note(self):
        """The same in short, for the foot of a plot."""
        where = self.all["card"] or self.all["cpu"]
        cuda = f", CUDA {self.all['cuda']}" if self.all["cuda"] else ""
        return f"{where}{cuda}, {self.all['beside']}; {self.all['date']}, commit {self.all['commit']}"


def show(value, digits=4):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def times(value):
    return "-" if value is None else f"{value:.2f}"


def get(row, key):
    return None if row is None else row.get(key)


def mean(values):
    values = [value for value in values if value]
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else None


def limit(bench, kind, n=LARGEST):
    """GB/s of reading or copying, at the size or the next smaller one that was measured."""
    rows = [row for row in bench.select(work=f"limit: {kind}") if row["n"] <= n]
    return max(rows, key=lambda row: row["n"])["gbps"] if rows else None


def share(bench, row, kind):
    top = limit(bench, kind, row["n"]) if row else None
    return row["gbps"] / top if top else None


def floor_share(bench, row):
    """The time of the bytes at the speed of a copy of the largest size, over the time of the row."""
    top = limit(bench, "copy")
    return row["gbps"] / top if row and top else None


def placed_scans(bench, kind):
    """Scans of a type from and to any place but the beginning of a packet."""
    return [row for row in bench.select(work="inclusive_scan", type=kind, variant=..., reference="CUB")
            if row["variant"].startswith("from ") and row["variant"] != "from 0 to 0"]


def beside_aligned(bench, row):
    """The speed of such a scan beside that with aligned pointers."""
    aligned = bench.one(work="inclusive_scan", type=row["type"], variant="from 0 to 0", n=row["n"], reference="CUB")
    return aligned["us"] / row["us"] if aligned else None


def call_name(row):
    return f"{row['library']} {row['work']}" + (f", {row['variant']}" if row["variant"] else "")


def order_price(bench, work):
    """Percent by which f32 is slower than i32 of the same size, whose sums are exact in any order."""
    integers = dict(bench.curve("us", work=work, type="i32", reference="CUB"))
    return [(n, 100 * (us / integers[n] - 1)) for n, us in bench.curve("us", work=work, type="f32", reference="CUB")
            if n in integers]
