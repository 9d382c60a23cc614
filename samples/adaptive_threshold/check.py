#!/usr/bin/env python3
"""Runs `adaptive_threshold` on pictures and compares what it writes with Python's own arithmetic.

usage: check.py PROGRAM host|device
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import png_files, program  # noqa: E402

RADII, WRITTEN = (1, 3, 7, 15, 31, 63), 31


def black_or_white(values, width, radius):
    height = len(values) // width
    result = bytearray()
    for y in range(height):
        rows = range(max(y - radius, 0), min(y + radius + 1, height))
        for x in range(width):
            begin, end = max(x - radius, 0), min(x + radius + 1, width)
            total = sum(sum(values[row * width + begin:row * width + end]) for row in rows)
            result.append(0 if 100 * values[y * width + x] * len(rows) * (end - begin) < 85 * total else 255)
    return bytes(result)


class AdaptiveThreshold(program.TestCase):
    reads = png_files.encode(10, 10, 1, bytes(range(100)))
    writes = ("OUT.png", "--json")

    def setUp(self):
        super().setUp()
        self.picture, self.out, self.data = (self.folder / name for name in ("in.png", "out.png", "out.json"))

    def check(self, width, height, channels, values):
        self.picture.write_bytes(png_files.encode(width, height, channels, bytes(values)))
        done = self.run_program(self.picture, self.out, "--json", self.data)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        grey = values[::channels]
        self.assertEqual(png_files.decode(self.out.read_bytes()), (width, height, 1, black_or_white(grey, width, WRITTEN)))
        (name, points), = json.loads(self.data.read_text())["chart"]["lines"]
        self.assertEqual((name, [x for x, _ in points]), ("black pixels", [2 * radius + 1 for radius in RADII]))
        for radius, (_, share) in zip(RADII, points):
            black = black_or_white(grey, width, radius).count(0)
            self.assertAlmostEqual(share, 100 * black / len(grey), places=9)

    def test_pictures_of_every_kind(self):
        random.seed(5)
        for channels in (1, 2, 3, 4):
            for width, height in ((1, 1), (1, 70), (70, 1), (37, 41)):
                with self.subTest(channels=channels, width=width, height=height):
                    self.check(width, height, channels, [random.randrange(256) for _ in range(width * height * channels)])

    def test_light_that_falls_off_hides_nothing(self):
        """Dots on paper that is five times darker on the right: no single threshold finds them all."""
        width, height = 150, 40
        values = [int((0.5 if x % 10 == y % 10 == 0 else 1) * (250 - 200 * x / width)) for y in range(height)
                  for x in range(width)]
        self.check(width, height, 1, values)
        dots = png_files.decode(self.out.read_bytes())[3]
        for y in range(0, height, 10):
            self.assertEqual(set(dots[y * width:(y + 1) * width:10]), {0})

    def test_without_arguments_it_takes_the_photograph(self):
        done = self.run_program("--json", "numbers.json")  # a name without a folder, beside a result in a new one
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "numbers.json").is_file())
        self.assertEqual([path.name for path in (self.folder / "output").iterdir()], ["grace_hopper-black-and-white.png"])

    def test_what_cannot_be_used_is_refused(self):
        self.expect_refusal(1, "No such file", self.folder / "missing.png", self.out)
        self.picture.write_bytes(self.reads)
        self.expect_refusal(2, "would be overwritten", self.picture, self.picture)
        self.assertEqual(list(self.folder.iterdir()), [self.picture])


if __name__ == "__main__":
    program.main()
