"""What the tests of the experiments have in common: running one, its table and its chart as JSON."""
import contextlib
import json
import math
import os
import pathlib
import pty
import subprocess
import sys

from support import program


class TestCase(program.TestCase):
    sweep = ("--sizes", "1..64")  # work of several steps
    options = ()  # that --help names, besides --json
    needs_gpu = None  # a library, what asks for it alone, and what asks for more besides
    ends_at_2_24 = True  # without a GPU
    is_in_readme = True  # what is printed without arguments

    def run_experiment(self, *arguments):
        """The rows of the table, once the exit code, the self-check and the JSON are what they should be."""
        data = self.folder / "out.json"
        done = self.run_program(*arguments, "--json", data)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotIn("WRONG", done.stdout)
        found = json.loads(data.read_text())
        rows, self.chart = found["rows"], found["chart"]
        points = [point for _, line in self.chart.get("lines", []) for point in line] or self.chart["bars"]
        self.assertTrue(points)
        for at, value in points:
            self.assertTrue(isinstance(at, str) or at > 0, points)
            self.assertTrue(math.isfinite(value) and value >= 0, points)
        self.assertTrue(rows)
        for row in rows:
            self.assertIs(row["is_right"], True, row)
        return rows

    def test_the_readme_shows_what_is_printed(self):
        """But for the library's own kernels, which change more often than it does."""
        if self.backend == "host" and self.is_in_readme:
            readme = (pathlib.Path(sys.argv[0]).resolve().parent / "README.md").read_text()
            table = [line.rstrip() for line in self.run_program().stdout.splitlines() if line.startswith("  ")]
            self.assertTrue(table)
            for line in table:
                if "parprims" not in line:
                    self.assertIn(line + "\n", readme)

    def test_help_names_every_option(self):
        done = self.run_program("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.options)
        for word in ("--json", *self.options):
            self.assertIn(word, done.stdout)

    def test_a_library_alone_needs_a_gpu(self):
        if self.backend == "host" and self.needs_gpu:
            library, alone, others = self.needs_gpu
            self.expect_refusal(2, f"{library} needs a GPU", *alone)
            self.assertIn(f"{library} needs a GPU and is left out", self.run_program(*others).stdout)

    def test_sizes_that_would_take_hours_on_the_cpu_get_one_line(self):
        if self.backend == "host" and self.ends_at_2_24:
            for sizes in ("2^25", "2^8..2^31"):
                self.expect_refusal(2, "at most 2^24", "--sizes", sizes)

    def test_progress_is_for_a_terminal_and_gone_at_the_end(self):
        if self.sweep is None:
            return
        terminal, stderr = pty.openpty()
        with subprocess.Popen([self.program, "--backend", self.backend, *self.sweep], stdout=subprocess.DEVNULL,
                              stderr=stderr) as running:
            os.close(stderr)
            seen = b""
            with contextlib.suppress(OSError):  # Linux says so where nobody writes any more
                while more := os.read(terminal, 1 << 12):
                    seen += more
            os.close(terminal)
        self.assertEqual(running.returncode, 0, seen)
        lines = seen.decode().split("\r\033[K")
        self.assertEqual((lines[0], lines[-1]), ("", ""))
        total = len(lines) - 2
        self.assertGreater(total, 1)
        for number, line in enumerate(lines[1:-1], 1):
            self.assertTrue(line.startswith(f"  {number} of {total}: "), line)
