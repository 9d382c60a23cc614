#!/usr/bin/env python3
"""Runs `matrix_multiply` on matrices of every shape, and looks at what the kernels are said to have done.

usage: check.py PROGRAM host|device
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import experiment, program  # noqa: E402


class MatrixMultiply(experiment.TestCase):
    work = ("--sizes", 8, "--kernels", 0)
    options = ("--sizes", "--shape", "--kernels")
    needs_gpu = ("cuBLAS", ("--kernels", 4), ("--sizes", 10))
    ends_at_2_24 = False  # but at 1024 rows and columns

    def test_square_matrices(self):
        rows = self.run_experiment("--sizes", "1,2,16,17,33,100,130")
        self.assertEqual({row["size"] for row in rows}, {"1", "2", "16", "17", "33", "100", "130"})
        self.assertGreaterEqual(len({row["kernel"] for row in rows}), 4)

    def test_rectangular_matrices(self):
        for shape in ("1x1x200", "200x1x1", "1x200x1", "3x65x130", "129x7x4", "128x16x128", "128x64x132", "140x20x8"):
            (row, *_) = self.run_experiment("--shape", shape)
            self.assertEqual(row["size"], shape)

    def test_without_arguments_larger_tiles_wait_less(self):
        rows = self.run_experiment()
        if self.backend == "host":
            # blocks of C times two barriers a tile; the last kernel has one for each 16 of 128
            self.assertEqual([row["barriers"] for row in rows], [0, 64 * 8 * 2, 16 * 4 * 2, 8])
        intensity = [row["operations_per_byte"] for row in rows[:4]]
        self.assertEqual(intensity, sorted(intensity))

    def test_chosen_kernels(self):
        rows = self.run_experiment("--kernels", "2..3", "--sizes", 40)
        self.assertEqual([row["kernel"] for row in rows], ["tiled 32, shared memory", "tiled 128, registers"])

    def test_a_wrong_command_line_gets_one_line(self):
        for code, reason, arguments in ((2, "no shape", ("--shape", "3x4")), (2, "no shape", ("--shape", "3x4x5x")),
                                        (2, "no number of rows", ("--shape", "3x0x5")),
                                        (2, "no number of rows", ("--sizes", "2^20")),
                                        (2, "from 0 to 4", ("--kernels", 5)), (2, "no size", ("--sizes", "a"))):
            with self.subTest(arguments=arguments):
                self.expect_refusal(code, reason, *arguments)

    def test_only_digits_are_a_shape(self):
        for shape in ("-1x2x3", "1x-2x3", "+1x2x3", " 1x2x3", "1x2x3 ", "", "x", "1xx3", "1x2x", f"{10**30}x2x3", "0x10x2x3"):
            with self.subTest(shape=shape):
                self.expect_refusal(2, f"'{shape}' is no shape", "--shape", shape)


if __name__ == "__main__":
    program.main()
