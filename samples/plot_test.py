#!/usr/bin/env python3
"""Draws made-up numbers with plot.py and looks at what is in the pictures. Exits with 77 where matplotlib is missing."""
import contextlib
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings
import xml.etree.ElementTree

sys.dont_write_bytecode = True
import plot  # noqa: E402

COUNTS = [3 if value == 97 else 1 if value == 10 else 0 for value in range(256)]


def lines(*names, sizes=(8, 2**20)):
    return {"title": "a title", "x": "values", "y": "GB/s", "log_y": True,
            "lines": [[name, [[n, n * (i + 1) / 4] for n in sizes]] for i, name in enumerate(names)]}


class Plot(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.numbers, self.picture = (self.folder / name for name in ("numbers.json", "picture.svg"))

    def run_plot(self, given, **environment):
        self.numbers.write_text(json.dumps(given))
        return subprocess.run([sys.executable, plot.__file__, self.numbers, self.picture], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})

    def words(self, given):
        """All text of the picture, once that is drawn without a warning and well-formed."""
        with warnings.catch_warnings(record=True) as seen:
            plot.save(plot.draw(given), self.picture)
        self.assertEqual(seen, [])
        root = xml.etree.ElementTree.parse(self.picture).getroot()
        return ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("}text")]

    def test_without_matplotlib_it_says_so_in_a_line(self):
        (self.numbers.parent / "matplotlib.py").write_text("raise ImportError")
        done = self.run_plot({"chart": lines("one")}, PYTHONPATH=str(self.numbers.parent))
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.assertIn("no picture: matplotlib is not installed", done.stderr)
        self.assertFalse(self.picture.exists())

    def expect_refusal(self, code, reason):
        """One line, and no file is touched."""
        def content():
            return {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        before = content()
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()) as told, \
                unittest.mock.patch.object(sys, "argv", ["plot.py", str(self.numbers), str(self.picture)]):
            try:
                found = plot.main()
            except SystemExit as end:
                found = end.code
        self.assertEqual((found, printed.getvalue(), told.getvalue().count("\n")), (code, "", 1), told.getvalue())
        self.assertIn(reason, told.getvalue())
        self.assertEqual(content(), before)

    def test_files_are_tried_first_and_none_is_overwritten(self):
        folder, numbers = self.folder, self.folder / "numbers.svg"
        numbers.write_text(json.dumps({"chart": lines("one")}))
        os.link(numbers, folder / "hard.svg")
        (folder / "link.svg").symlink_to(numbers)
        self.numbers = numbers
        for name in ("numbers.svg", "hard.svg", "link.svg", "none/../numbers.svg"):
            self.picture = folder / name
            self.expect_refusal(2, "would be overwritten")
        for code, reason, name in ((1, "cannot be written: No such file", "none/picture.svg"),
                                   (1, "cannot be written: it is a folder", "."), (2, "does not end in", "picture.txt"),
                                   (1, "cannot be written: Not a directory", "numbers.svg/picture.svg")):
            self.picture = folder / name
            self.expect_refusal(code, reason)
        self.numbers, self.picture = folder / "missing", folder / "picture.svg"
        self.expect_refusal(1, "missing: cannot be read: No such file")
        self.numbers = folder
        self.expect_refusal(1, "is a folder")

    def test_what_no_sample_wrote_gets_one_line(self):
        for text in ("", "{}", "[]", "1", "null", "not JSON", '{"chart": {}}', '{"chart": {"lines": 3}}', '{"files": [{}]}', "\0"):
            with self.subTest(text=text):
                self.numbers.write_text(text)
                self.expect_refusal(1, "is not what a sample writes")

    def test_the_program_draws_what_a_sample_wrote(self):
        done = self.run_plot({"chart": lines("one")})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"  wrote {self.picture}\n", ""))
        self.assertIn("<svg", self.picture.read_text())

    def test_points_have_error_bars_where_there_are_errors(self):
        chart = lines("sums")
        chart["lines"][0][1] = [[8, 5, 1], [64, 3, 0.5]]
        (axes,) = plot.draw({"chart": chart}).axes
        (bars,) = axes.collections
        self.assertEqual([[list(end) for end in bar] for bar in bars.get_segments()], [[[8, 4], [8, 6]], [[64, 2.5], [64, 3.5]]])

    def test_a_line_for_each_name(self):
        chart = lines("first", "second")
        chart["lines"][1][1].append([2**30, 0])  # where time is 0, there is nothing to show
        (axes,) = plot.draw({"chart": chart}).axes
        drawn = {line.get_label(): list(zip(*line.get_data())) for line in axes.lines}
        self.assertEqual(drawn, {"first": [(8, 2), (2**20, 2**18)], "second": [(8, 4), (2**20, 2**19)]})
        words = self.words({"chart": chart})
        for word in ("a title", "values", "GB/s", "first", "second", "8", "2^20"):
            self.assertTrue(any(word in each for each in words), (word, words))

    def test_of_one_size_lines_are_bars(self):
        (axes,) = plot.draw({"chart": lines("first", "second", sizes=(2**14,))}).axes
        self.assertEqual([bar.get_height() for bar in axes.patches], [2**12, 2**13])
        words = self.words({"chart": lines("first", "second", sizes=(2**14,))})
        for word in ("a title: 2^14 values", "first", "second", "4096", "8192"):
            self.assertIn(word, words)

    def test_bars_with_names(self):
        words = self.words({"chart": {"title": "a column", "y": "numbers, %", "bars": [["1.5", 75], ["2.5", 25]]}})
        for word in ("a column", "numbers, %", "1.5", "2.5", "75", "25"):
            self.assertIn(word, words)

    def test_counts_of_bytes(self):
        given = {"files": [{"file": "one", "counts": COUNTS}, {"file": "none", "counts": [0] * 256}]}
        one, none, *cumulative = plot.draw(given).axes
        self.assertEqual([bar.get_height() for bar in one.patches], [25 * count for count in COUNTS])
        self.assertEqual({bar.get_height() for bar in none.patches}, {0})
        self.assertEqual(list(cumulative[0].lines[1].get_ydata()), [25 * count for count in itertools.accumulate(COUNTS)])
        self.assertIn("one", self.words(given))

    def test_luminance_before_and_after(self):
        given = {"file": "folder/in.png", "before": COUNTS, "after": COUNTS[::-1], "table": list(range(255, -1, -1))}
        before, after, table, *_ = plot.draw(given).axes
        self.assertEqual([axes.patches[97].get_height() for axes in (before, after)], [75, 0])
        self.assertEqual(list(table.lines[1].get_ydata()), given["table"])
        self.assertIn("in.png: luminance before and after", self.words(given))

    def test_names_that_a_picture_cannot_hold(self):
        for name in ("gr\ufffd\ufffde <&>", "esc\x1b[31m", "two\nlines", "long " * 60, "$a_b$", "\u0085, größe, 漢字", "\uffff\x01\x7f"):
            with self.subTest(name=name):
                shown = plot.printable(name)
                self.assertLessEqual(len(shown), 61)
                bars = {"chart": {"title": name, "y": "%", "bars": [[name, 1]]}}
                self.assertEqual(self.words(bars).count(shown), 2)
                self.assertIn(plot.printable(name, 80), self.words({"files": [{"file": name, "counts": COUNTS}]}))


if __name__ == "__main__":
    if plot.matplotlib is None:
        print(f"skipped: {plot.NEEDS.format(sys.executable)}")
        sys.exit(77)
    unittest.main()
