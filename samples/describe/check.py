#!/usr/bin/env python3
"""Runs `describe` on files of every kind and compares what it says with Python's own arithmetic.

usage: check.py PROGRAM host|device
"""
import collections
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import program  # noqa: E402


class Describe(program.TestCase):
    reads = b"abc"

    def describe(self, *files):
        out = self.folder / "numbers.json"
        done = self.run_program(*files, "--json", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        numbers = json.loads(out.read_text())
        self.assertEqual(numbers["backend"], self.backend)
        return numbers["files"], done.stdout

    def check(self, content):
        path = self.folder / "input"
        path.write_bytes(content)
        (found,), text = self.describe(path)
        counts = collections.Counter(content)
        ascending = sorted(content)
        self.assertEqual(found["bytes"], len(content))
        self.assertEqual(found["counts"], [counts[value] for value in range(256)])
        self.assertEqual(found["cumulative"], [sum(found["counts"][: value + 1]) for value in range(256)])
        entropy = math.fsum(-count / len(content) * math.log2(count / len(content)) for count in counts.values())
        self.assertAlmostEqual(found["entropy_bits_per_byte"], entropy, delta=1e-12)
        if content:
            self.assertEqual((found["minimum"], found["maximum"]), (ascending[0], ascending[-1]))
            self.assertAlmostEqual(found["mean"], sum(content) / len(content), delta=1e-12)
            # The smallest value that at least a quarter, a half, three quarters of the bytes do not exceed.
            self.assertEqual(found["quartiles"],
                             [ascending[math.ceil(quarters * len(content) / 4) - 1] for quarters in (1, 2, 3)])
        else:
            self.assertFalse({"minimum", "maximum", "mean", "quartiles"} & set(found))
        self.assertTrue(found["primitives"] and all(row["checked"] is True for row in found["primitives"]))
        return text

    def test_files_of_every_size(self):
        for size in (0, 1, 2, 3, 4, 5, 255, 256, 257, 4095, 4096, 4097, 100001):
            with self.subTest(size=size):
                self.check(os.urandom(size))

    def test_one_value_alone(self):
        for value in (0, 0x41, 255):
            with self.subTest(value=value):
                self.check(bytes([value]) * 70001)

    def test_a_large_file(self):
        self.check(os.urandom(1 << 20) * 5 + b"tail")

    def test_its_chart_shows_the_shares(self):
        text = self.check(b"a" * 3 + b"\n")
        self.assertRegex(text, r"0x61 +'a' +█{32} +75\.0 %")
        self.assertRegex(text, r"0x0a +line feed +█{10}▋ +25\.0 %")
        self.assertRegex(text, r"0x60\.\.0x6f  ·█·{14}  █{32} +75\.0 % +100\.0 %")

    def test_several_files_and_a_pipe(self):
        (self.folder / "a").write_bytes(b"aa")
        (self.folder / "b").write_bytes(b"b")
        files, _ = self.describe(self.folder / "a", self.folder / "b")
        self.assertEqual([each["bytes"] for each in files], [2, 1])
        done = self.run_program("/dev/stdin", stdin=b"abc")
        self.assertEqual(done.returncode, 0)
        self.assertIn("/dev/stdin: 3 bytes", done.stdout)

    def test_input_without_end_and_too_large_files_are_refused(self):
        limit = 2**32 if self.backend == "host" else None  # the driver maps more addresses than that
        large, pipe = self.folder / "large", self.folder / "pipe"
        with open(large, "wb") as file:
            file.truncate(2**30 + 1)
        os.mkfifo(pipe)
        with subprocess.Popen(["sh", "-c", 'exec cat /dev/zero >"$0"', pipe], stderr=subprocess.DEVNULL) as writer:
            for path in (large, "/dev/zero", pipe):
                with self.subTest(path=path):
                    done = self.run_program(path, limit_bytes=limit)
                    self.assertEqual((done.returncode, done.stderr),
                                     (1, f"describe: {path}: has more than 1 GiB, the most that is read\n"))
            writer.kill()

    def test_names_that_a_terminal_cannot_hold(self):
        for name in (b"gr\xf6\xdfe <&>", b"esc\x1b[31m", b"two\nlines", b"long" * 60):
            path = os.path.join(os.fsencode(self.folder), name)
            with open(path, "wb") as file:
                file.write(b"abc")
            (found,), text = self.describe(os.fsdecode(path))
            self.assertEqual(found["file"], path.decode(errors="replace"))
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
            os.remove(path)
            self.expect_refusal(1, "No such file", os.fsdecode(path))

    def test_what_is_read_is_not_overwritten(self):
        path, link = self.folder / "in", self.folder / "link"
        path.write_bytes(b"abc")
        link.symlink_to(path)
        for name in (path, link, "in"):
            self.expect_refusal(2, "would be overwritten", "/dev/null", path, "--json", name)
        self.expect_refusal(2, "empty name", path, "--json", "")
        self.expect_refusal(2, "empty name", "")
        self.assertEqual(path.read_bytes(), b"abc")

    def test_help_names_every_option(self):
        done = self.run_program("--help")
        for word in ("FILE", "--backend", "--json"):
            self.assertIn(word, done.stdout)

    def test_without_arguments_it_describes_itself(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"{self.program.resolve()}: ", done.stdout)

    def test_bad_input_gets_one_line(self):
        out = self.folder / "numbers.json"
        self.expect_refusal(1, "missing: cannot be read: No such file", self.folder / "missing", "--json", out)
        self.expect_refusal(1, "is a folder", self.folder)
        self.expect_refusal(1, "cannot be written", "/dev/null", "--json", self.folder / "none" / "numbers.json")
        done = self.run_program("/dev/null", "--json", self.folder / "none" / "numbers.json")
        self.assertEqual(done.stdout, "")  # before the work
        self.expect_refusal(2, "'gpu' is none of auto, host, device", "--backend", "gpu", backend=False)
        self.expect_refusal(2, "--what", "--what")
        self.assertFalse(out.exists())


if __name__ == "__main__":
    program.main()
