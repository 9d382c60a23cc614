#!/usr/bin/env python3
"""Runs `histogram_memory` on keys and bins of every kind, and looks at what the kernels are said to have done.

usage: check.py PROGRAM host|device
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import experiment, program  # noqa: E402


class HistogramMemory(experiment.TestCase):
    work = ("--sizes", 8, "--methods", 3)
    options = ("--sizes", "--bins", "--rule", "--input", "--methods", "--requests")
    needs_gpu = ("CUB", ("--methods", 4), ("--methods", "3,4", "--sizes", 100))

    def test_keys_and_bins_of_every_kind(self):
        for rule in ("modulus", "range"):
            for keys in ("uniform", "skewed"):
                rows = self.run_experiment("--sizes", "1,8,1000,5001", "--bins", "1,8,256,1024", "--rule", rule,
                                           "--input", keys, "--block", 64)
                methods = 4 if self.backend == "host" else 5
                self.assertEqual(len(rows), 4 * 4 * methods)
                self.assertEqual(len(self.chart["lines"]), 4 * methods)  # of each number of bins

    def test_bins_that_do_not_fit_shared_memory(self):
        rows = self.run_experiment("--sizes", 3000, "--bins", "58000,65536,100000")
        if self.backend == "host":  # as large as an H200's
            self.assertEqual([row["bins"] for row in rows if row["method"] == "shared atomics"], [58000])
        self.assertEqual([row["bins"] for row in rows if row["method"] == "global atomics"], [58000, 65536, 100000])

    def test_without_arguments_shared_memory_takes_the_atomics(self):
        rows = {row["method"]: row for row in self.run_experiment()}
        if self.backend == "host":
            n, bins, blocks = 2**13, 8, 8
            self.assertEqual(rows["global atomics"]["global_atomics"], n)
            self.assertEqual(rows["shared atomics"]["shared_atomics"], n)
            self.assertEqual(rows["shared atomics"]["global_atomics"], bins * blocks)
            self.assertLess(rows["shared, replicated"]["atomic_passes"], rows["shared atomics"]["atomic_passes"])

    def test_a_picture_of_requests_has_a_row_a_method(self):
        picture = self.folder / "requests.svg"
        if self.backend == "device":
            self.expect_refusal(2, "shows what the CPU sees", "--requests", picture)
            return
        self.run_experiment("--sizes", 1024, "--input", "skewed", "--requests", picture)
        text = picture.read_text()
        self.assertEqual(text.count("<g "), 3)
        self.assertIn("lanes at one address; at best 1", text)

    def test_chosen_methods(self):
        rows = self.run_experiment("--methods", "0,3", "--sizes", 100)
        self.assertEqual([row["method"] for row in rows], ["global atomics", "parprims::histogram"])

    def test_methods_are_compared_with_the_same_keys_and_bins(self):
        if self.backend != "device":  # there are no times
            return
        for arguments in (("--sizes", "8,2^20"), ("--sizes", "2^20", "--bins", "8,256")):
            rows = self.run_experiment("--methods", "1,0", *arguments)
            self.assertEqual([row["speed_up"] for row in rows], [None, 1, None, 1])  # nothing was measured before

    def test_a_wrong_command_line_gets_one_line(self):
        for reason, arguments in (("powers of two", ("--rule", "range", "--bins", 10)), ("no size", ("--bins", 0)),
                                  (f"from 1 to {self.most_bins()}", ("--bins", "2^25")), ("no multiple", ("--block", 33)),
                                  ("--rule", ("--rule", "none")), ("from 0 to 4", ("--methods", 5))):
            with self.subTest(arguments=arguments):
                self.expect_refusal(2, reason, *arguments)

    def most_bins(self):
        return "2^18, which is what the CPU plays" if self.backend == "host" else "2^24"

    def test_the_most_bins(self):
        rows = self.run_experiment("--sizes", 100, "--bins", self.most_bins().split(",")[0], "--methods", "0..3")
        self.assertEqual({row["method"] for row in rows}, {"global atomics", "parprims::histogram"})
        if self.backend == "host":
            self.expect_refusal(2, "1000000 is no number from 1 to 2^18", "--bins", 1000000)

    def test_what_is_left_out_is_said(self):
        bins = 65536
        printed = self.run_program("--sizes", 100, "--bins", bins).stdout
        for method in ("shared atomics", "shared, replicated"):
            self.assertIn(f"{method} of {bins} bins is left out: no block has room for the counters\n", printed)
        self.expect_refusal(2, "no block has room", "--sizes", 100, "--bins", bins, "--methods", "1,2")

    def test_options_that_would_mean_nothing_are_refused(self):
        for option, arguments in (("--block", ("--block", 64, "--methods", "3,4")), ("--grid", ("--grid", 4, "--methods", 3)),
                                  *((option, (option, text)) for option in ("--block", "--grid") for text in (-1, 0, "x", "1,2"))):
            with self.subTest(arguments=arguments):
                self.expect_refusal(2, f"{option}: ", *arguments)


if __name__ == "__main__":
    program.main()
