#!/usr/bin/env python3
"""Runs `joint_histogram` on pictures and compares what it writes with Python's own arithmetic.

usage: check.py PROGRAM host|device
"""
import collections
import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import png_files, program  # noqa: E402

MOVED = 12


def bits_of(counts):
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count)


def information(one, other):
    pairs = collections.Counter((a // 4, b // 4) for a, b in zip(one, other))
    rows, columns = collections.Counter(), collections.Counter()
    for (i, j), count in pairs.items():
        rows[i] += count
        columns[j] += count
    return bits_of(rows.values()) + bits_of(columns.values()) - bits_of(pairs.values())


class JointHistogram(program.TestCase):
    reads = png_files.encode(10, 10, 1, bytes(range(100)))
    writes = ("OUT.png", "--json")

    def setUp(self):
        super().setUp()
        self.picture, self.out, self.data = (self.folder / name for name in ("in.png", "out.png", "out.json"))

    def test_the_information_of_each_shift(self):
        random.seed(3)
        values = [random.randrange(256) for _ in range(70 * 31)]
        moved = [0] * MOVED + [2 * v if v < 128 else 2 * (255 - v) for v in values[:-MOVED]]
        self.picture.write_bytes(png_files.encode(70, 31, 1, bytes(values)))
        done = self.run_program(self.picture, self.out, "--json", self.data)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("is 12 pixels further", done.stdout)
        found = json.loads(self.data.read_text())["bits"]
        self.assertEqual(len(found), 32)
        for shift, bits in enumerate(found, 1):
            self.assertAlmostEqual(bits, information(values, moved[shift:]), places=9)
        width, height, channels, pixels = png_files.decode(self.out.read_bytes())
        self.assertEqual((width, height, channels), (2 * 256 + 8, 256, 3))
        brightest = [pixels[(y * width + x) * 3] for y in range(2, 256, 4) for x in range(264 + 2, 520, 4)]
        self.assertLess(sum(value > 0 for value in brightest), 200)  # a line: each tone goes to one other, or to two bins of it

    def test_without_arguments_it_takes_the_photograph(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is 12 pixels further", done.stdout)
        self.assertEqual([path.name for path in (self.folder / "output").iterdir()], ["grace_hopper-joint.png"])

    def test_one_tone_tells_nothing(self):
        self.picture.write_bytes(png_files.encode(20, 10, 1, bytes([0] * 200)))
        self.assertEqual(self.run_program(self.picture, self.out).returncode, 0)

    def test_black_and_white_do_not_tell_how_far(self):
        self.picture.write_bytes(png_files.encode(64, 8, 1, bytes(255 * (x // 8 % 2) for _ in range(8) for x in range(64))))
        done = self.run_program(self.picture, self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("do not tell how far", done.stdout)

    def test_what_cannot_be_used_is_refused(self):
        self.expect_refusal(1, "No such file", self.folder / "missing.png", self.out)
        self.picture.write_bytes(png_files.encode(8, 8, 1, bytes(64)))
        self.expect_refusal(1, "needs more than 64 pixels", self.picture, self.out)
        self.expect_refusal(2, "would be overwritten", self.picture, self.picture)
        self.assertEqual(list(self.folder.iterdir()), [self.picture])


if __name__ == "__main__":
    program.main()
