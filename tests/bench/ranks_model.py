#!/usr/bin/env python3
"""What ranks receive in a call, by the rules of docs/ranks.md, from 1 to 10^4 ranks, as the plot of that page.

usage: ranks_model.py --write | --self-test
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "samples"))
import plot  # noqa: E402

FLOATS = 2**30  # of a rank
CHUNK, TILE, GROUP = 2048, 8192, 32
HEADERS = 3 * 256  # of a call on the host


def pieces(begin, end):
    """Aligned subtrees of the blocks from `begin` to `end`."""
    count = 0
    while begin < end:
        size = begin & -begin or 1 << end.bit_length()
        while size > end - begin:
            size //= 2
        begin += size
        count += 1
    return count


def reduce_bytes(is_aligned):
    """At most, for values of 4 bytes: a rank has 2 log2(chunks) subtrees, and less than a chunk at each end."""
    totals = 2 * (FLOATS // CHUNK).bit_length()
    return 4 * (totals + (0 if is_aligned else 2 * (CHUNK - 1)))


def scan_bytes(is_aligned):
    totals = FLOATS // TILE // GROUP + 2 * (GROUP - 1)
    return 4 * (totals + (0 if is_aligned else 2 * (TILE - 1)))


def aligned(count):
    return -(-count // 256) * 256


def device_bytes(is_aligned):
    """The message of `slices` with value_bytes = 4: room for any call."""
    return 512 + aligned(4 * (FLOATS // TILE // GROUP + 2 * (GROUP - 1))) + (0 if is_aligned else aligned(4 * 2 * (TILE - 1)))


LINES = {"scan, slices that end anywhere": lambda: HEADERS + scan_bytes(False),
         "scan, slices of whole tiles": lambda: HEADERS + scan_bytes(True),
         "reduce, slices that end anywhere": lambda: HEADERS + reduce_bytes(False),
         "reduce, slices of whole chunks": lambda: HEADERS + reduce_bytes(True),
         "any call on GPUs, slices that end anywhere": lambda: device_bytes(False),
         "any call on GPUs, slices of whole tiles": lambda: device_bytes(True)}

# Of ranks_bench 31 on two H200 (5f58154): a message of slices of whole tiles, and of slices that end anywhere.
MEASURED = [(2, 2 * 16896), (2, 2 * 33792)]


def draw():
    ranks = [2**k for k in range(14)] + [10**4]
    lines = [(name, [(p, p * bytes_of() / 2**20) for p in ranks], {"linestyle": "--"} if "GPUs" in name else {})
             for name, bytes_of in LINES.items()]
    lines.append(("measured on two GPUs", [(p, bytes / 2**20) for p, bytes in MEASURED],
                  {"linestyle": "", "marker": "D", "markersize": 6, "color": "black"}))
    return plot.line_chart("What a rank receives in a call, 2^30 floats a rank", "ranks", "MiB", lines)


def self_test():
    assert pieces(5, 100) == 7 and pieces(0, 64) == 1 and pieces(3, 4) == 1
    most = max(pieces(begin, begin + 1000) for begin in range(3000))
    assert most <= 2 * (1000).bit_length(), most
    assert 2 * (FLOATS // CHUNK).bit_length() >= max(pieces(begin, begin + 2**12) for begin in range(2**13))
    kib = [round(bytes_of() / 1024, 1) for bytes_of in LINES.values()]
    assert all(ranks * device_bytes(is_aligned) >= bytes for (ranks, bytes), is_aligned in zip(MEASURED, (True, False)))
    assert kib == [81.0, 17.0, 16.9, 0.9, 80.8, 16.8], kib  # as docs/ranks.md says


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif sys.argv[1:] == ["--write"]:
        if plot.matplotlib is None:
            sys.exit(plot.NEEDS.format(sys.executable))
        plot.save(draw(), ROOT / "docs" / "plots" / "ranks.svg")
    else:
        sys.exit(__doc__)
