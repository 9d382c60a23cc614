#!/usr/bin/env python3
"""Runs `exact_sums` and looks at what it writes.

usage: check.py PROGRAM host|device
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import program  # noqa: E402


class ExactSums(program.TestCase):
    work = ("--pairs", 1000)

    def test_exact_sums_agree_and_plain_ones_do_not(self):
        data = self.folder / "out.json"
        done = self.run_program("--pairs", 20000, "--seed", 3, "--json", data)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        written = json.loads(data.read_text())
        self.assertEqual([row["exact"] for row in written["rows"]], [0.1] * 10)
        self.assertGreater(written["plain_values"], 20)
        self.assertEqual([len(points) for _, points in written["chart"]["lines"]], [8] * 10)

    def test_what_cannot_be_used_is_refused(self):
        self.assertEqual(self.run_program("--pairs", "3").returncode, 2)
        self.expect_refusal(1, "No such file", "--json", self.folder / "missing" / "out.json")


if __name__ == "__main__":
    program.main()
