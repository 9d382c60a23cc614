"""What the tests of the experiments have in common: running one, its table as JSON and its picture."""
import json
import xml.dom.minidom

from support import program


class TestCase(program.TestCase):
    def run_experiment(self, *arguments):
        """The rows of the table, once the exit code, the self-check, the JSON and the picture are what they should be."""
        data, plot = self.folder / "out.json", self.folder / "out.svg"
        done = self.run_program(*arguments, "--json", data, "--plot", plot)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotIn("WRONG", done.stdout)
        xml.dom.minidom.parse(str(plot))
        rows = json.loads(data.read_text())["rows"]
        self.assertTrue(rows)
        for row in rows:
            self.assertIs(row["is_right"], True, row)
        return rows

    def expect_help(self, *words):
        done = self.run_program("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in words:
            self.assertIn(word, done.stdout)
