#!/usr/bin/env python3
"""Runs `spectrum` and compares what it writes with Python's own sums.

usage: check.py PROGRAM host|device
"""
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import program  # noqa: E402

SLOPE, DECADES, BINS, EVENTS, SEED = 1.7, 4, 16, 20000, 11
MASK = 2**64 - 1


def random(i):
    x = ((SEED << 40) + (i + 1) * 0x9e3779b97f4a7c15) & MASK
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & MASK
    return ((x ^ x >> 31) >> 11) * 2.0**-53


def expected():
    """Of the weighted events, for each bin: the sum, and the root of the sum of the squares."""
    scale = SLOPE * math.log(10) * DECADES / (1 - 10 ** (-SLOPE * DECADES)) / EVENTS
    sums, squares = [0.0] * BINS, [0.0] * BINS
    for i in range(EVENTS):
        x = DECADES * random(i)
        weight = scale * 10 ** (-SLOPE * x)
        sums[int(x / DECADES * BINS)] += weight
        squares[int(x / DECADES * BINS)] += weight * weight
    return sums, [math.sqrt(value) for value in squares]


class Spectrum(program.TestCase):
    work = ("--events", 10000)

    def test_the_sums_and_the_error_bars(self):
        data = self.folder / "out.json"
        done = self.run_program("--events", EVENTS, "--seed", SEED, "--json", data)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        (_, nature), (_, weighted) = json.loads(data.read_text())["chart"]["lines"]
        self.assertAlmostEqual(sum(value for _, value, _ in nature), 1, places=5)
        for (_, value, error), value_here, error_here in zip(weighted, *expected(), strict=True):
            self.assertAlmostEqual(value / value_here, 1, places=5)
            self.assertAlmostEqual(error / error_here, 1, places=5)
        self.assertLess(error_here / value_here, 0.05)  # of the last bin, for which nature has no event
        self.assertEqual(nature[-1][1], 0)

    def test_what_cannot_be_used_is_refused(self):
        self.assertEqual(self.run_program("--events", "3").returncode, 2)
        self.expect_refusal(1, "No such file", "--json", self.folder / "missing" / "out.json")


if __name__ == "__main__":
    program.main()
