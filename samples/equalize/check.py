#!/usr/bin/env python3
"""Runs `equalize` on pictures of every kind and compares what it writes with Python's own arithmetic.

usage: check.py PROGRAM host|device
"""
import itertools
import json
import os
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import png_files, program  # noqa: E402

PHOTOGRAPH = pathlib.Path(__file__).resolve().parent.parent / "data" / "grace_hopper.png"


def luminance(pixel):
    if len(pixel) < 3:
        return pixel[0]
    red, green, blue = pixel[:3]
    return (299 * red + 587 * green + 114 * blue + 500) // 1000


def pixels_of(values, channels):
    return [tuple(values[i: i + channels]) for i in range(0, len(values), channels)]


def equalizing_table(luminances):
    """The textbook's: round((cdf(level) - smallest cdf) / (pixels - smallest cdf) * 255)."""
    cumulative = list(itertools.accumulate(luminances.count(level) for level in range(256)))
    darkest = next(count for count in cumulative if count)
    spread = len(luminances) - darkest
    if spread == 0:
        return list(range(256))
    return [int(max(count - darkest, 0) / spread * 255 + 0.5) for count in cumulative]


class Equalize(program.TestCase):
    reads = png_files.encode(2, 1, 1, bytes([1, 2]))
    writes = ("OUT.png", "--json")
    replaces = ("OUT.png",)

    def setUp(self):
        super().setUp()
        self.picture, self.out = self.folder / "in.png", self.folder / "out.png"

    def equalize(self, content):
        self.picture.write_bytes(content)
        done = self.run_program(self.picture, self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotIn("WRONG", done.stdout)
        return png_files.decode(self.out.read_bytes())

    def check(self, width, height, channels, values):
        found = self.equalize(png_files.encode(width, height, channels, bytes(values)))
        self.assertEqual(found[:3], (width, height, channels))
        before, after = pixels_of(values, channels), pixels_of(found[3], channels)
        table = equalizing_table([luminance(pixel) for pixel in before])
        for old, new in zip(before, after):
            target = table[luminance(old)]
            if channels < 3:
                self.assertEqual(new[0], target)
            else:
                self.assertLessEqual(abs(luminance(new) - target), 1)
                self.check_chrominance(old, new, target)
            if channels in (2, 4):
                self.assertEqual(new[-1], old[-1])

    def check_chrominance(self, old, new, target):
        """The differences from grey are the old ones, all made smaller by one factor, only as far as they have to."""
        was = [value - luminance(old) for value in old[:3]]
        factor = min([1.0] + [(255 - target if d > 0 else target) / abs(d) for d in was if d])
        for value, difference in zip(new, was):
            self.assertLess(abs(value - (target + factor * difference)), 1 + 1e-9, (old, new, target))

    def test_pictures_of_every_kind(self):
        random.seed(1)
        for channels in (1, 2, 3, 4):
            for width, height in ((1, 1), (2, 1), (1, 3), (7, 5), (64, 33), (129, 65)):
                with self.subTest(channels=channels, width=width, height=height):
                    size = width * height * channels
                    self.check(width, height, channels, [random.randrange(256) for _ in range(size)])
                    self.check(width, height, channels, [random.randrange(100, 120) for _ in range(size)])

    def test_two_luminances_become_black_and_white(self):
        self.assertEqual(self.equalize(png_files.encode(2, 1, 1, bytes([120, 121])))[3], bytes([0, 255]))

    def test_one_luminance_stays(self):
        for channels in (1, 3, 4):
            values = bytes([90, 20, 200, 7][:channels] * 12)
            self.assertEqual(self.equalize(png_files.encode(4, 3, channels, values))[3], values)

    def test_a_palette_is_expanded(self):
        header = struct.pack(">IIBBBBB", 2, 1, 8, 3, 0, 0, 0)
        content = png_files.SIGNATURE + b"".join(itertools.starmap(png_files.chunk, (
            (b"IHDR", header), (b"PLTE", bytes([100, 100, 100, 110, 110, 110])),
            (b"IDAT", png_files.zlib.compress(bytes([0, 0, 1]))), (b"IEND", b""))))
        self.assertEqual(self.equalize(content), (2, 1, 3, bytes([0, 0, 0, 255, 255, 255])))

    def test_the_photograph(self):
        width, height, channels, values = png_files.decode(PHOTOGRAPH.read_bytes())
        self.check(width, height, channels, values)

    def test_its_numbers_are_those_of_the_picture(self):
        values = [random.Random(2).randrange(90, 150) for _ in range(20 * 10)]
        self.picture.write_bytes(png_files.encode(20, 10, 1, bytes(values)))
        data = self.folder / "out.json"
        done = self.run_program(self.picture, self.out, "--json", data)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found, after = json.loads(data.read_text()), png_files.decode(self.out.read_bytes())[3]
        self.assertEqual((found["width"], found["height"], found["channels"]), (20, 10, 1))
        self.assertEqual(found["before"], [values.count(level) for level in range(256)])
        self.assertEqual(found["after"], [after.count(level) for level in range(256)])
        self.assertEqual(found["cumulative"], list(itertools.accumulate(found["before"])))
        self.assertEqual(found["table"], equalizing_table(values))
        self.assertTrue(all(check["holds"] is True for check in found["checks"]) and found["checks"])
        self.assertTrue(all(row["checked"] is True for row in found["primitives"]) and found["primitives"])

    def test_what_is_read_is_not_overwritten(self):
        content = png_files.encode(2, 1, 1, bytes([1, 2]))
        self.picture.write_bytes(content)
        link, hard = self.folder / "link.png", self.folder / "hard.png"
        link.symlink_to(self.picture)
        os.link(self.picture, hard)
        for arguments in ((link,), (hard,), (self.out, "--json", self.picture), (self.out, "--json", link)):
            self.expect_refusal(2, "would be overwritten", self.picture, *arguments)
        self.expect_refusal(2, "is written already", self.picture, self.out, "--json", self.out)
        for arguments in (("",), (self.picture, ""), (self.picture, self.out, "--json", "")):
            self.expect_refusal(2, "empty name", *arguments)
        self.assertEqual(self.picture.read_bytes(), content)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"in.png", "link.png", "hard.png"})

    def test_help_names_every_option(self):
        done = self.run_program("--help")
        for word in ("IN.png", "OUT.png", "--backend", "--json"):
            self.assertIn(word, done.stdout)

    def test_without_arguments_it_takes_the_photograph(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in (self.folder / "output").iterdir()], ["grace_hopper-equalized.png"])

    def test_bad_input_gets_one_line_and_writes_nothing(self):
        good = png_files.encode(8, 8, 1, bytes(range(64)))
        bad = {"is empty": b"", "is no PNG file": b"GIF89a, say", "damaged": good[:-30],
               "16 bits a channel": png_files.encode(2, 1, 1, bytes(4), bits=16)}
        flipped = bytearray(good)
        flipped[50] ^= 255
        for reason, content in [*bad.items(), ("damaged", bytes(flipped)), ("damaged", good[:20])]:
            with self.subTest(reason=reason, size=len(content)):
                self.picture.write_bytes(content)
                self.expect_refusal(1, reason, self.picture, self.out)
        self.expect_refusal(1, "cannot be read: No such file", self.folder / "missing.png", self.out)
        self.assertEqual(list(self.folder.iterdir()), [self.picture])

    def test_a_small_file_that_claims_to_be_large_is_refused_before_there_is_memory_for_it(self):
        for width, height, colour_type in ((65535, 65535, 2), (32769, 32768, 0), (1, 10**6, 6), (10**6, 10**5, 6),
                                           (10**6 + 1, 1, 0), (1, 10**6 + 1, 0), (2**31 - 1, 2**31 - 1, 0)):
            header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
            self.picture.write_bytes(png_files.SIGNATURE + png_files.chunk(b"IHDR", header) +
                                     png_files.chunk(b"IDAT", png_files.zlib.compress(bytes(100))) +
                                     png_files.chunk(b"IEND", b""))
            channels = {0: 1, 2: 3, 6: 4}[colour_type]
            reason = (f"in.png: has {width} x {height} pixels; at most 1000000 a side are read" if max(width, height) > 10**6 else
                      f"in.png: has {width * height * channels} bytes ({width} x {height} x {channels}); at most 1 GiB are read"
                      if width * height * channels > 2**30 else "is a damaged PNG file")
            with self.subTest(width=width, height=height):
                done = self.run_program(self.picture, self.out, limit_bytes=2**32 if self.backend == "host" else None)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                self.assertIn(reason, done.stderr)

    def test_a_folder_for_the_result_is_made_only_for_a_result(self):
        self.picture.write_bytes(b"GIF89a, say")
        self.expect_refusal(1, "is no PNG file", self.picture)
        self.assertEqual(list(self.folder.iterdir()), [self.picture])
        (self.folder / "output").write_text("a file")
        self.expect_refusal(1, "output", self.picture)

    def test_output_that_cannot_be_written_gets_one_line_and_leaves_nothing(self):
        self.picture.write_bytes(png_files.encode(2, 1, 1, bytes([1, 2])))
        self.expect_refusal(1, "cannot be written", self.picture, self.folder / "none" / "out.png")
        self.assertEqual(self.run_program(self.picture, self.folder / "none" / "out.png").stdout, "")  # before the work
        data = self.folder / "data"
        data.mkdir()  # the picture could be written, its numbers could not
        self.expect_refusal(1, "cannot be written: it is a folder", self.picture, self.out, "--json", data)
        self.assertEqual(sorted(self.folder.iterdir()), [data, self.picture])
        self.expect_refusal(1, "cannot be written: No space left", self.picture, "/dev/full")

    def test_a_picture_is_replaced_in_place(self):
        self.picture.write_bytes(png_files.encode(2, 1, 1, bytes([1, 2])))
        done = self.run_program(self.picture, self.picture)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(png_files.decode(self.picture.read_bytes())[3], bytes([0, 255]))


if __name__ == "__main__":
    program.main()
