#!/usr/bin/env python3
"""Runs `ranks_mpi` with 1, 3 and 4 processes: the same bits, the counts of Python, and a picture.

usage: check.py MPIEXEC PROGRAM
"""
import array
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import file_rules  # noqa: E402

MPIEXEC, PROGRAM = sys.argv[1:3]
OPEN_MPI = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=False).stdout
FLAGS = ["--oversubscribe", "--allow-run-as-root"] if "Open" in OPEN_MPI else []
BINS = 40


class Ranks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_ranks(self, ranks, *arguments, **how):
        return subprocess.run([MPIEXEC, *FLAGS, "-n", str(ranks), PROGRAM, *arguments], capture_output=True, text=True,
                              check=False, cwd=self.folder, **how)

    def write(self, values):
        file = self.folder / "data.f32"
        file.write_bytes(array.array("f", values).tobytes())
        return file

    def results(self, file):
        """What a run on two ranks prints: names and values."""
        done = self.run_ranks(2, file, "out.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split() for line in done.stdout.splitlines()]

    def expect_refusal(self, code, reason, *arguments, **how):
        """The exit code, and one line of one rank among those of MPI. Files stay as they are."""
        files = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        done = self.run_ranks(2, *arguments, **how)
        with self.subTest(reason=reason, arguments=arguments):
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            (line,) = [line for line in done.stderr.splitlines() if line.startswith("ranks_mpi: ")]
            self.assertIn(reason, line)
            self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}, files)

    def test_any_number_of_ranks_prints_the_same_bits(self):
        random.seed(5)
        values = array.array("f", (random.gauss(0, 1) for _ in range(100003)))
        file = self.write(values)
        alone = self.run_ranks(1, file, "out.svg")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for ranks in (3, 4):
            self.assertEqual(self.run_ranks(ranks, file, "out.svg").stdout, alone.stdout)

        rows = [line.split() for line in alone.stdout.splitlines()]
        of = {name: float.fromhex(value) for name, value in rows if name not in ("n", "count", "sum")}
        self.assertEqual((of["smallest"], of["largest"]), (min(values), max(values)))
        self.assertAlmostEqual(of["mean"], math.fsum(values) / len(values), delta=1e-12)
        counts = [int(value) for name, value in rows if name == "count"]
        self.assertEqual((len(counts), sum(counts)), (BINS, len(values)))
        sums = [float.fromhex(value) for name, value in rows if name == "sum"]
        self.assertAlmostEqual(sums[-1], math.fsum(values), delta=1e-9)
        self.assertAlmostEqual(sums[0], math.fsum(values[: len(values) // 64]), delta=1e-9)
        self.assertIn("<polyline", (self.folder / "out.svg").read_text())

    def test_equal_and_extreme_values_have_a_histogram(self):
        largest = (2 - 2**-23) * 2.0**127
        for values, counts in (([3e9] * 100, [100]), ([largest, -largest] * 32, [32] + [0] * 38 + [32])):
            found = [int(value) for name, value in self.results(self.write(values)) if name == "count"]
            self.assertEqual(found, counts + [0] * (BINS - len(counts)), values[:2])

    def test_what_is_read_is_not_overwritten(self):
        file, link, hard = self.write(range(100)), self.folder / "link", self.folder / "hard"
        link.symlink_to(file)
        os.link(file, hard)
        for data, picture in ((file, file), (hard, "./data.f32"), (link, hard)):
            self.expect_refusal(2, "would be overwritten", data, picture)

    def test_files_are_tried_before_the_work(self):
        file, closed = self.write(range(100)), file_rules.closed_folder(self, 0o500)
        for code, reason, arguments in (
                (1, "none: cannot be read: No such file", (self.folder / "none", "out.svg")),
                (1, "cannot be written: No such file", (file, "none/out.svg")),
                (1, "cannot be written: it is a folder", (file, self.folder)),
                (2, "PICTURE.svg is required", (file,))):
            self.expect_refusal(code, reason, *arguments)
        if closed:
            self.expect_refusal(1, "cannot be written: Permission denied", file, closed / "out.svg",
                                preexec_fn=file_rules.obey_permissions)

    def test_what_is_no_data_is_refused(self):
        self.expect_refusal(1, "float 99 is -inf, not finite", self.write([1] * 99 + [-math.inf]), "out.svg")
        self.write(range(64)).write_bytes(bytes(4 * 64 + 1))
        self.expect_refusal(1, "at least 64 floats and nothing else", "data.f32", "out.svg")

    def test_help_is_there_once(self):
        done = self.run_ranks(2, "--help")
        self.assertEqual((done.returncode, done.stdout.count("PICTURE.svg REQUIRED")), (0, 1), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
