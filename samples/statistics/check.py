#!/usr/bin/env python3
"""Runs `statistics` on columns of every kind and compares what it says with Python's own arithmetic.

usage: check.py PROGRAM host|device
"""
import decimal
import fractions
import json
import math
import os
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import experiment, program  # noqa: E402


class Statistics(experiment.TestCase):
    sweep = None
    reads = b"1\n2\n"
    options = ("--column", "--header", "--separator")
    ends_at_2_24 = is_in_readme = False

    def column(self, text, *arguments):
        path = self.folder / "in.csv"
        path.write_bytes(text.encode())
        (row,) = self.run_experiment(path, *arguments)
        return row

    def check(self, values):
        row = self.column("".join(f"{value!r}\n" for value in values))
        mean, spread = statistics.fmean(values), statistics.pstdev(values)
        self.assertEqual((row["count"], row["smallest"], row["largest"]), (len(values), min(values), max(values)))
        size, scope = max(map(abs, values)) or 1, max(values) - min(values)
        self.assertAlmostEqual(row["mean"], mean, delta=1e-15 * size)
        if len(values) > 1:
            self.assertAlmostEqual(row["variance"], statistics.variance(values), delta=1e-12 * scope**2)
        if spread > 0:
            exact = [fractions.Fraction(value) for value in values]
            center = sum(exact) / len(exact)
            skew = math.fsum((float(value - center) / spread) ** 3 for value in exact) / len(values)
            self.assertAlmostEqual(row["skew"], skew, delta=1e-11 * max(1, abs(skew)))

    def test_columns_of_every_kind(self):
        random.seed(1)
        for count in (1, 2, 3, 100, 1000, 5001):
            self.check([random.gauss(3, 5) for _ in range(count)])
            self.check([random.expovariate(2) for _ in range(count)])
            self.check([1e9 + random.random() for _ in range(count)])  # where sums of squares cancel
            self.check([1e15 + random.random() for _ in range(count)])
        self.check([7.0] * 999)
        self.check([-0.5, 1e-300, 3.0])

    def check_exactly(self, values):
        """For numbers whose squares and cubes no double holds: by fractions. What the answer leaves is infinite: null."""
        row = self.column("".join(f"{value!r}\n" for value in values))
        exact = [fractions.Fraction(value) for value in values]
        mean = sum(exact) / len(exact)
        squares, cubes = (sum((value - mean) ** power for value in exact) for power in (2, 3))
        variance = squares / (len(values) - 1)
        with decimal.localcontext() as context:
            context.prec, context.Emax, context.Emin = 40, decimal.MAX_EMAX, decimal.MIN_EMIN
            root = lambda number: (decimal.Decimal(number.numerator) / decimal.Decimal(number.denominator)).sqrt()
            deviation = root(variance)
            population = root(squares / len(values))
            skew = root((cubes / len(values)) ** 2) / population**3 * (-1 if cubes < 0 else 1) if squares else 0
            wanted = {"mean": mean, "variance": variance, "deviation": deviation, "skew": skew}
        for key, value in wanted.items():
            if value > sys.float_info.max:
                self.assertIsNone(row[key], (key, values))
            else:
                value = float(value)
                self.assertAlmostEqual(row[key], value, delta=max(1e-12 * abs(value), 5e-324), msg=(key, values))

    def test_numbers_whose_powers_no_double_holds(self):
        for size in (1e-110, 1e-170, 1e-300, 1e100, 1e110, 1e200, 1e307):
            for column in ((1, 2, 4), (-1, 1), (1, 1, 1, 9), (-3, 0, 0, 4), tuple(range(-8, 9)) + (5.5,)):
                self.check_exactly([size * value for value in column])
        largest = sys.float_info.max
        for values in ([1e308, -1e308], [largest, -largest], [largest, largest], [largest, largest, 0.0], [5e-324, 0.0],
                       [5e-324, 1e-323, 4e-323], [1e-300, 1e300], [1e300, 1e-300, -1e-300, 2e300], [0.0, 0.0],
                       [1e-320, 2e-310, 1e-308]):
            self.check_exactly(values)

    def test_what_no_double_holds_is_said(self):
        path = self.folder / "in.csv"
        for values, words in (((1e308, -1e308), "variance is larger"), ((1e-170, 3e-170), "variance is smaller"),
                              ((sys.float_info.max, -sys.float_info.max), "variance and deviation are larger")):
            path.write_text("\n".join(map(repr, values)))
            self.assertIn(words, self.run_program(path).stdout)
        path.write_text("1\n2\n")
        self.assertNotIn("than a double", self.run_program(path).stdout)

    def test_digits_show_what_does_not_cancel(self):
        (self.folder / "in.csv").write_text("1000000000.1\n1000000000.2\n")
        printed = self.run_program(self.folder / "in.csv").stdout
        self.assertIn(" 1000000000.15 ", printed)
        self.assertIn(" 0.00500000238419 ", printed)  # of the two doubles that are closest to these
        for word in ("mean", "variance", "deviation", "skew"):  # zeros are shown too
            self.assertIn(word, printed)

    def test_names_that_a_terminal_cannot_hold(self):
        for name in (b"gr\xf6\xdfe", b"\xf6", b"\xc0\xaf", b"\xed\xa0\x80", b"\xff\xfe", b"esc \x1b[31m", b"\x01\x7f", b"\xe2\x82",
                     b"\xef\xbf\xbf", b"long " * 1000, '"a\nb"'.encode(), "\u0085, größe, 漢字".encode()):
            path, data = self.folder / "in.csv", self.folder / "out.json"
            path.write_bytes(b"n;" + name + b"\n1;2\n")
            done = self.run_program(path, "--column", 2, "--separator", ";", "--json", data)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotRegex(done.stdout, "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]")
            self.assertLess(max(map(len, done.stdout.splitlines())), 200)
            column = json.loads(data.read_text())["rows"][0]["column"]
            self.assertEqual(column, name.strip(b'"').decode(errors="replace"))

    def test_what_is_read_is_not_overwritten(self):
        path, link, hard = (self.folder / name for name in ("in.csv", "link", "hard"))
        path.write_text("1\n2\n")
        link.symlink_to(path)
        os.link(path, hard)
        for name in (path, link, hard, "in.csv", "./in.csv"):
            self.expect_refusal(2, "would be overwritten", path, "--json", name)
        self.expect_refusal(2, "would be overwritten", link, "--json", path)
        self.assertEqual(path.read_text(), "1\n2\n")

    def test_options_that_would_mean_nothing_are_refused(self):
        path = self.folder / "in.csv"
        path.write_text("1\n")
        self.expect_refusal(2, "--count", path, "--count", 5)
        self.expect_refusal(2, "FILE.csv", "--column", 1)
        self.expect_refusal(2, "FILE.csv", "--separator", ";")
        self.expect_refusal(2, "FILE.csv", "--header", "no")
        self.expect_refusal(2, "--header", path, "--header", "maybe")
        self.expect_refusal(2, "empty name", "")
        self.expect_refusal(2, "--separator", path, "--separator", "\n")

    def test_the_readme_shows_what_is_printed(self):
        if self.backend == "host":
            readme = (pathlib.Path(__file__).resolve().parent / "README.md").read_text()
            (self.folder / "in.csv").write_text("1000000000.1\n1000000000.2\n")
            for arguments in ((), (self.folder / "in.csv",)):
                table = self.run_program(*arguments).stdout.splitlines()[2:4]
                self.assertIn("\n".join(line.rstrip() for line in table) + "\n", readme)

    def test_a_column_by_name_and_by_number(self):
        text = 'name,"price, net",n\r\n"a ""b""",1.5,10\r\nc,2.5,30\r\n\r\nd,,20\r\n'
        by_name = self.column(text, "--column", "price, net")
        self.assertEqual((by_name["column"], by_name["count"], by_name["empty"], by_name["mean"]), ("price, net", 2, 1, 2))
        self.assertEqual(self.column(text, "--column", "3")["mean"], 20)
        self.assertEqual(self.column("1;2\n3;4\n", "--column", 2, "--separator", ";")["mean"], 3)
        row = self.column('"a" ,"b"\t\r\n"1" ,"2" \r\n"3","4"', "--column", "b")  # blanks after quotes are none of the cell
        self.assertEqual((row["column"], row["count"], row["mean"]), ("b", 2, 3))

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

    def test_input_without_end_is_refused(self):
        limit = 2**32 if self.backend == "host" else None
        done = self.run_program("/dev/zero", limit_bytes=limit)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "statistics: /dev/zero: has more than 1 GiB, the most that is read\n")
        self.expect_refusal(1, "is a folder", self.folder)

    def first_line(self):
        return json.loads((self.folder / "out.json").read_text())["first_line"]

    def test_names_that_are_numbers(self):
        years = "2020,2021,name\n10,20,z\n11,21,y\n"
        for text, arguments, column, mean, first_line in (
                ("x,2,y\n10,20,30\n", (2,), "2", 20, "names"),
                ("x,3,2\n10,20,30\n\n11,21,31\n", (2,), "3", 20.5, "names"),  # the second, whatever it is called
                ("x,2021\n10,20\n", (2021,), "2021", 20, "names"),
                ("1,x\n10,20\n", (1,), "1", 10, "names"),
                ("1,x\n10,20\n", ("x",), "x", 20, "names"),
                ("\nx\n", (1, "--header", "no"), None, None, None),
                ("x,2,y\n\n10,20,30\n", (2,), "2", 20, "names"),
                ("2,x\n10,a\n", (1,), "column 1", 6, "data"),  # text above text
                (years, (1,), "column 1", (2020 + 10 + 11) / 3, "data"),
                (years, (1, "--header", "yes"), "2020", 10.5, "names"),
                (years, (2021, "--header", "yes"), "2021", 20.5, "names"),
                ("1,2\n3,4\n", (2, "--header", "yes"), "2", 4, "names"),
                ("1,2\n3,4\n", (2, "--header", "no"), "column 2", 3, "data"),
                ("x,2\n3,4\n", (2, "--header", "no"), "column 2", 3, "data"),
                (",2\n3,4\n", (2,), "column 2", 3, "data"),  # an empty cell says nothing
                (",x\n3,4\n", (1,), "column 1", 3, "names"),
                ("1\n2\n", (1,), "column 1", 1.5, "data")):
            with self.subTest(text=text, arguments=arguments):
                if column is None:
                    path = self.folder / "in.csv"
                    path.write_text(text)
                    self.expect_refusal(1, "'x' is no number", path, "--column", *arguments)
                    continue
                row = self.column(text, "--column", *arguments)
                self.assertEqual((row["column"], self.first_line()), (column, first_line))
                self.assertAlmostEqual(row["mean"], mean)
                self.assertIn(f"the first line of the file was taken as {first_line}\n",
                              self.run_program(self.folder / "in.csv", "--column", *arguments).stdout)
        self.assertNotIn("first line", self.run_program().stdout)

    def test_numbers_that_are_no_data_are_no_names(self):
        path = self.folder / "in.csv"
        beyond = "is out of the range of a double"
        for cell, reason in (("1e400", beyond), ("-1e400", beyond), ("1e-400", beyond), ("0x10", "is no number"),
                             ("-0X1p3", "is no number"), ("nan", "is no number"), ("-inf", "is no number")):
            for line, text in ((1, f"{cell}\n1\n2\n"), (3, f"a\n1\n{cell}\n")):
                path.write_text(text)
                self.expect_refusal(1, f"line {line}: '{cell}' {reason}", path)
        self.assertEqual(self.column("1e400\n1\n", "--header", "yes")["column"], "1e400")
        self.assertEqual(self.column("0xyz\n1\n")["column"], "0xyz")

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
                                        ("line 4: 'x\ufffdy' is no number", '"a\nb"\n"1"\n"x\ny"\n', ()),
                                        ("line 1: '2' follows the quotes of a cell", '"1"2\n3\n', ()),
                                        ("line 3: 'b' follows the quotes of a cell", 'x,y\n1,2\n3,"a"b\n', ()),
                                        ("line 1: has more than 1000000 cells", "," * 10**6, ()),
                                        ("line 2: a quote is not closed", 'a\n"1\n2\n3\n', ()),
                                        ("is no number", "a\n" + "long " * 1000 + "\n", ()),
                                        ("no column is called b; there are 1\n", "a\n1\n", ("--column", "b")),
                                        ("no column is called 2021; there are 2, and the first line is no names (see --header)",
                                         "2020,2021\n10,20\n", ("--column", "2021")),
                                        ("line 1: 'a' is no number", "a\n1\n", ("--header", "no")),
                                        ("there are 1", "a\n1\n", ("--column", "2"))):
            with self.subTest(reason=reason):
                path.write_text(text)
                self.expect_refusal(1, reason, path, *arguments, "--json", self.folder / "out.json")
                self.assertLess(len(self.run_program(path, *arguments).stderr), 200)
                self.assertEqual(list(self.folder.iterdir()), [path])
        self.expect_refusal(1, "No such file", self.folder / "missing.csv")
        for count in (0, -1, "x", "2^31", "1,2"):
            self.expect_refusal(2, "--count", "--count", count)
        self.expect_refusal(2, "no single character", path, "--separator", "ab")


if __name__ == "__main__":
    program.main()
