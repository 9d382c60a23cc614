#!/usr/bin/env python3
"""Runs `statistics` on columns of every kind and compares what it says with Python's own arithmetic.

usage: check.py PROGRAM host|device
"""
import math
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import experiment, program  # noqa: E402


class Statistics(experiment.TestCase):
    sweep = None

    def column(self, text, *arguments):
        path = self.folder / "in.csv"
        path.write_bytes(text.encode())
        (row,) = self.run_experiment(path, *arguments)
        return row

    def check(self, values):
        row = self.column("".join(f"{value!r}\n" for value in values))
        mean, spread = statistics.fmean(values), statistics.pstdev(values)
        self.assertEqual((row["count"], row["smallest"], row["largest"]), (len(values), min(values), max(values)))
        size = max(map(abs, values)) or 1
        self.assertAlmostEqual(row["mean"], mean, delta=1e-12 * size)
        if len(values) > 1:
            self.assertAlmostEqual(row["variance"], statistics.variance(values), delta=1e-9 * size * (spread + 1e-6 * size))
        if spread > 1e-3 * size:
            skew = math.fsum(((value - mean) / spread) ** 3 for value in values) / len(values)
            self.assertAlmostEqual(row["skew"], skew, delta=1e-7 * max(1, abs(skew)))

    def test_columns_of_every_kind(self):
        random.seed(1)
        for count in (1, 2, 3, 100, 1000, 5001):
            self.check([random.gauss(3, 5) for _ in range(count)])
            self.check([random.expovariate(2) for _ in range(count)])
            self.check([1e9 + random.random() for _ in range(count)])  # where sums of squares cancel
        self.check([7.0] * 999)
        self.check([-0.5, 1e-300, 3.0])

    def test_a_column_by_name_and_by_number(self):
        text = 'name,"price, net",n\r\n"a ""b""",1.5,10\r\nc,2.5,30\r\n\r\nd,,20\r\n'
        by_name = self.column(text, "--column", "price, net")
        self.assertEqual((by_name["column"], by_name["count"], by_name["empty"], by_name["mean"]), ("price, net", 2, 1, 2))
        self.assertEqual(self.column(text, "--column", "3")["mean"], 20)
        self.assertEqual(self.column("1;2\n3;4\n", "--column", 2, "--separator", ";")["mean"], 3)

    def test_a_number_in_the_first_line_is_no_name(self):
        self.assertEqual(self.column("5,1,3\n6,2,4\n")["mean"], 5.5)
        self.assertEqual(self.column("5,1,3\n6,2,4\n", "--column", 3)["mean"], 3.5)
        self.assertEqual(self.column("n,1\n5,2\n7,4\n", "--column", 1)["mean"], 6)

    def test_missing_cells_are_counted(self):
        row = self.column("a,b\r\n1,\r\n2\r\n3, \t\r\n4,8", "--column", "b")
        self.assertEqual((row["count"], row["empty"], row["mean"]), (1, 3, 8))
        row = self.column(",1\n4,2\n")
        self.assertEqual((row["column"], row["count"], row["empty"], row["mean"]), ("column 1", 1, 1, 4))

    def test_memory_that_is_not_there_gets_one_line(self):
        if self.backend != "host":  # the driver maps more addresses than that
            return
        done = self.run_program("--count", 2**28, limit_bytes=2**31)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Astatistics: this takes .*memory.*\n\Z")

    def test_without_a_file_it_knows_the_distribution(self):
        (row,) = self.run_experiment()
        self.assertEqual(row["count"], 2**20)
        for key, value in (("mean", 1), ("variance", 1), ("skew", 2)):
            self.assertAlmostEqual(row[key], value, delta=0.05)

    def test_bad_input_gets_one_line(self):
        path = self.folder / "in.csv"
        for reason, text, arguments in (("line 3: 'x' is no number", "a\n1\nx\n", ()), ("is empty", "", ()),
                                        ("line 2: 'nan' is no number", "a\r\nnan\r\n1\r\n", ()),
                                        ("line 3: '-inf' is no number", "a\n1\n-inf\n", ()),
                                        ("no number is in column a", "a,b\n", ("--column", "a")),
                                        ("line 4: 'x y", '"a\nb"\n"1"\n"x\ny"\n', ()),
                                        ("line 2: a quote is not closed", 'a\n"1\n2\n3\n', ()),
                                        ("is no number", "a\n" + "long " * 1000 + "\n", ()),
                                        ("no column is called b", "a\n1\n", ("--column", "b")),
                                        ("there are 1", "a\n1\n", ("--column", "2"))):
            with self.subTest(reason=reason):
                path.write_text(text)
                self.expect_refusal(1, reason, path, *arguments, "--json", self.folder / "out.json")
                self.assertLess(len(self.run_program(path, *arguments).stderr), 200)
                self.assertEqual(list(self.folder.iterdir()), [path])
        self.expect_refusal(1, "No such file", self.folder / "missing.csv")
        for count in (0, -1, "x", "2^31", "1,2"):
            self.expect_refusal(2, "--count", "--count", count)
        self.expect_refusal(2, "no single character", "--separator", "ab")

    def test_help_names_every_option(self):
        self.expect_help("--column", "--separator", "--json", "--plot")


if __name__ == "__main__":
    program.main()
