#!/usr/bin/env python3
"""Runs `ranks_mpi` with 1, 3 and 4 processes: the same bits, the counts of Python, and a picture.

usage: check.py MPIEXEC PROGRAM
"""
import array
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]
OPEN_MPI = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=False).stdout
FLAGS = ["--oversubscribe", "--allow-run-as-root"] if "Open" in OPEN_MPI else []
BINS = 40


class Ranks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_ranks(self, ranks, file):
        return subprocess.run([MPIEXEC, *FLAGS, "-n", str(ranks), PROGRAM, file, self.folder / "out.svg"], capture_output=True,
                              text=True, check=False)

    def test_any_number_of_ranks_prints_the_same_bits(self):
        random.seed(5)
        values = array.array("f", (random.gauss(0, 1) for _ in range(100003)))
        file = self.folder / "data.f32"
        file.write_bytes(values.tobytes())
        alone = self.run_ranks(1, file)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for ranks in (3, 4):
            self.assertEqual(self.run_ranks(ranks, file).stdout, alone.stdout)

        rows = [line.split() for line in alone.stdout.splitlines()]
        of = {name: float.fromhex(value) for name, value in rows if name not in ("n", "count", "sum")}
        self.assertEqual((of["smallest"], of["largest"]), (min(values), max(values)))
        self.assertAlmostEqual(of["mean"], math.fsum(values) / len(values), delta=1e-12)
        counts = [int(value) for name, value in rows if name == "count"]
        self.assertEqual(len(counts), BINS)
        self.assertIn(sum(counts), (len(values), len(values) - 1))  # the largest value is the end of the last bin
        sums = [float.fromhex(value) for name, value in rows if name == "sum"]
        self.assertAlmostEqual(sums[-1], math.fsum(values), delta=1e-9)
        self.assertAlmostEqual(sums[0], math.fsum(values[: len(values) // 64]), delta=1e-9)
        self.assertIn("<polyline", (self.folder / "out.svg").read_text())

    def test_a_file_that_is_not_there_ends_all_ranks(self):
        done = self.run_ranks(3, self.folder / "none")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
