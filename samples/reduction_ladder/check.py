#!/usr/bin/env python3
"""Runs every mode of `reduction_ladder` at sizes of every kind, and looks at what the steps are said to have done.

usage: check.py PROGRAM host|device
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import experiment, program  # noqa: E402


class ReductionLadder(experiment.TestCase):
    work = ("--sizes", 8, "--steps", 9)
    options = ("--sizes", "--steps", "--sweep", "--finish", "--transfers", "--type", "--requests")
    needs_gpu = ("CUB", ("--steps", 10), ("--steps", "9,10", "--sizes", 100))

    def test_every_step_at_sizes_of_every_kind(self):
        for kind in ("int", "float"):
            for block in (32, 128, 1024):
                rows = self.run_experiment("--sizes", "1,2,33,1000,1024,5001", "--block", block, "--type", kind)
                self.assertEqual({row["n"] for row in rows}, {1, 2, 33, 1000, 1024, 5001})
                self.assertEqual(len({row["step"] for row in rows}), 10 if self.backend == "host" else 11)

    def test_without_arguments_later_steps_do_less(self):
        rows = {int(row["step"].split()[0]): row for row in self.run_experiment()}
        if self.backend == "device":
            return
        self.assertEqual(rows[0]["launches"], 14)  # a halving each of 2^14
        for step in range(1, 9):
            self.assertEqual(rows[step]["launches"], 2)
        # 128 + 1 blocks of 128 threads with a barrier after the load and after each of 7 halvings; then half the blocks.
        self.assertEqual([rows[step]["barriers"] for step in range(1, 6)], [129 * 8] * 3 + [65 * 8, 65 * 2])
        self.assertEqual(rows[8]["barriers"], 16 + 1)
        self.assertEqual(rows[9]["launches"], 1)
        self.assertLess(rows[1]["active_lanes"], rows[2]["active_lanes"])
        self.assertGreater(rows[2]["bank_conflicts"], 0)
        self.assertEqual([rows[step]["bank_conflicts"] for step in range(3, 10)], [0] * 7)

    def test_wavefronts_of_64_lanes_have_the_figures_of_a_profile(self):
        if self.backend == "device":
            return
        readme = (pathlib.Path(__file__).resolve().parent / "README.md").read_text()
        for line in self.run_program("--wavefronts").stdout.splitlines():
            if line.startswith("  "):
                self.assertTrue(line.rstrip() in readme, line)
        one, two, three = self.run_experiment("--wavefronts")
        self.assertEqual([row["wavefronts"] for row in (one, two, three)], [2**14 / 64] * 3)
        self.assertEqual([row["conflict_cycles"] for row in (one, two, three)], [0, 28.125, 0])  # published: 28.13, 0
        self.assertAlmostEqual(one["lanes_of_vector_instructions"], 45.85, delta=0.005)  # published: 45.85
        self.assertAlmostEqual(two["lanes_of_vector_instructions"], 59.14, delta=0.005)  # published: 60.23, from other source
        for arguments in (("--steps", 5), ("--block", 32), ("--sizes", 1000), ("--backend", "device"), ("--sweep",)):
            self.assertNotEqual(self.run_program("--wavefronts", *arguments).returncode, 0, arguments)

    def test_a_chart_has_a_line_a_step(self):
        rows = self.run_experiment("--sizes", "1,2,33,1024", "--steps", "0..4,9")
        self.assertEqual([name[0] for name, _ in self.chart["lines"]], list("012349"))
        for name, points in self.chart["lines"]:
            expected = [[row["n"], row["transactions"] / row["n"]] if self.backend == "host" else
                        [row["n"], 4e-9 * row["n"] / row["seconds"]] for row in rows if row["step"] == name]
            self.assertEqual([at for at, _ in points], [1, 2, 33, 1024])
            for (_, value), (_, wanted) in zip(points, expected):
                self.assertAlmostEqual(value, wanted, delta=1e-6 * wanted)
        if self.backend == "host":
            self.assertEqual(self.chart["y"], "transactions for each value")

    def test_a_picture_of_requests_has_a_row_a_step(self):
        picture = self.folder / "requests.svg"
        if self.backend == "device":
            self.expect_refusal(2, "shows what the CPU sees", "--requests", picture)
            return
        self.run_experiment("--sizes", 1024, "--steps", "1..3,9", "--requests", picture)
        text = picture.read_text()
        self.assertEqual(text.count("<g "), 3)
        self.assertIn("2. interleaved, bank conflicts", text)
        self.assertEqual(text.count("4 passes; at best 1"), 1)

    def test_block_against_grid(self):
        grids = (2, 8)
        rows = self.run_experiment("--sweep", "--grid", "2,8", "--block", "128,512", "--steps", "7,8", "--sizes", 5000)
        self.assertEqual([(row["step"][0], row["block"]) for row in rows],
                         [("7", 128), ("7", 512), ("8", 128), ("8", 512)])
        self.assertEqual([len(points) for _, points in self.chart["lines"]], [2] * 4)
        for row in rows:
            for grid in grids:
                self.assertGreater(row[f"grid_{grid}"], 0)

    def test_every_finish(self):
        rows = self.run_experiment("--finish", "all", "--block", 32, "--sizes", "2..2^12", "--threshold", 100)
        self.assertEqual([row["n"] for row in rows], [2**k for k in range(1, 13)])
        if self.backend == "host":  # launches
            self.assertEqual([row["GPU alone"] for row in rows], [1] * 5 + [2] * 5 + [3] * 2)
            self.assertEqual([row["GPU then CPU"] for row in rows], [1] * 12)
            self.assertEqual([row["hybrid"] for row in rows], [1] * 11 + [2])
        for finish in ("gpu", "cpu", "hybrid"):
            self.run_experiment("--finish", finish, "--sizes", 5000, "--steps", "0..8", "--type", "float")

    def test_transfers(self):
        if self.backend == "host":
            for arguments in (("--transfers",), ("--transfers", "--sizes", "2^29")):
                self.expect_refusal(2, "measures the way to a GPU", *arguments)
            return
        for row in self.run_experiment("--transfers", "--sizes", "1000,2^20", "--steps", "0,7", "--block", "128,1024"):
            for key in ("to_device_pageable", "to_device_pinned", "kernels", "to_host_pageable",
                        "to_host_pinned", "cpu"):
                self.assertGreater(row[key], 0)

    def test_a_wrong_command_line_gets_one_line(self):
        for reason, arguments in (("no power of two", ("--block", 33)), ("no power of two", ("--block", 2048)),
                                  ("from 0 to 10", ("--steps", "0..11")), ("no size", ("--sizes", "2^")),
                                  ("no size", ("--sizes", "0")), ("goes down", ("--sizes", "9..8")),
                                  ("--type", ("--type", "double")), ("by themselves", ("--sweep", "--steps", 9)),
                                  ("3 is there twice", ("--steps", "0..3,3")), ("2^10 is there twice", ("--sizes", "8..2^10,1024")),
                                  ("excludes", ("--sweep", "--transfers"))):
            with self.subTest(arguments=arguments):
                self.expect_refusal(2, reason, *arguments)

    def test_options_that_would_mean_nothing_are_refused(self):
        for option, arguments in (("--block", ("--block", "32,64")), ("--block", ("--block", "32,64", "--finish", "all")),
                                  ("--block", ("--block", 64, "--steps", "9,10")), ("--grid", ("--grid", "1,2")),
                                  ("--grid", ("--grid", 4, "--steps", "0..6")), ("--grid", ("--grid", -1, "--steps", 7)),
                                  ("--steps", ("--sweep", "--steps", "3,7")), ("--threshold", ("--threshold", 5)),
                                  ("--threshold", ("--threshold", 5, "--finish", "cpu")),
                                  *(("--threshold", ("--threshold", text, "--finish", "all")) for text in (0, -1, "x", ""))):
            with self.subTest(arguments=arguments):
                self.expect_refusal(2, f"{option}: ", *arguments)

    def test_cells_are_named(self):
        for words, arguments in (("blocks in the grid:", ("--sweep", "--sizes", 100)),
                                 ("until the host has the sum:", ("--finish", "all", "--sizes", 100))):
            self.run_experiment(*arguments)
            cells = json.loads((self.folder / "out.json").read_text())["cells"]
            self.assertTrue(cells.startswith("time" if self.backend == "device" else ("barriers", "launches")), cells)
            self.assertIn(f"{cells}:\n", self.run_program(*arguments).stdout)
            self.assertIn(words, f"{cells}:")


if __name__ == "__main__":
    program.main()
