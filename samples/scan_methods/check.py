#!/usr/bin/env python3
"""Runs `scan_methods` at sizes of every kind, and looks at the steps and the work of the methods.

usage: check.py PROGRAM host|device
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import experiment, program  # noqa: E402


class ScanMethods(experiment.TestCase):
    work = ("--sizes", 8, "--methods", 5)
    options = ("--sizes", "--methods", "--type", "--block")
    needs_gpu = ("CUB", ("--methods", 6), ("--methods", "5,6", "--sizes", 100))

    def test_every_method_at_sizes_of_every_kind(self):
        for kind in ("int", "float"):
            for block in (32, 256, 1024):
                rows = self.run_experiment("--sizes", "1,2,31,33,1024,1025,5001", "--block", block, "--type", kind)
                self.assertEqual(len(rows), 7 * (6 if self.backend == "host" else 7))

    def test_steps_and_work_in_one_block(self):
        rows = {row["method"]: row for row in self.run_experiment("--sizes", 256, "--block", 256)}
        if self.backend == "device":
            return
        n, log2 = 256, 8
        # Hillis-Steele: thread t adds in the steps whose distance is at most t. Blelloch: up, down, and its own value.
        work = sum(n - 2**k for k in range(log2))
        for method in ("Hillis-Steele, one buffer", "Hillis-Steele, two buffers"):
            self.assertEqual((rows[method]["steps"], rows[method]["additions"]), (log2, work))
        self.assertEqual((rows["Blelloch"]["steps"], rows["Blelloch"]["additions"]), (2 * log2 + 1, 2 * (n - 1) + n))
        self.assertEqual([rows[method]["barriers"] for method in list(rows)[:4]], [1 + 2 * log2, 1 + log2, 2 * log2 + 2, 2])
        self.assertLess(rows["shuffles"]["additions"], work)

    def test_sums_are_scanned_on_the_machine(self):
        rows = {row["method"]: row for row in self.run_experiment("--sizes", 5000, "--block", 32)}
        if self.backend == "host":  # 5000 -> 157 -> 5 blocks of 32: three scans, two fixups
            self.assertEqual([row["launches"] for row in rows.values()], [5] * 5 + [1])

    def test_chosen_methods(self):
        rows = self.run_experiment("--methods", "0,5", "--sizes", 100)
        self.assertEqual([row["method"] for row in rows], ["Hillis-Steele, one buffer", "parprims, single pass"])

    def test_a_wrong_command_line_gets_one_line(self):
        for reason, arguments in (("no power of two", ("--block", 96)), ("no size", ("--sizes", "x")),
                                  ("--type", ("--type", "half")), ("from 0 to 6", ("--methods", 7))):
            with self.subTest(arguments=arguments):
                self.expect_refusal(2, reason, *arguments)

    def test_options_that_would_mean_nothing_are_refused(self):
        for option, arguments in (("--block", ("--block", 64, "--methods", "5,6")), ("--block", ("--block", -1)),
                                  ("--block", ("--block", "32,64"))):
            with self.subTest(arguments=arguments):
                self.expect_refusal(2, f"{option}: ", *arguments)


if __name__ == "__main__":
    program.main()
