#!/usr/bin/env python3
"""Runs `word_count` on texts and compares what it says with Python's own counts.

usage: check.py PROGRAM host|device
"""
import collections
import json
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import program  # noqa: E402

SHOWN = 16


class WordCount(program.TestCase):
    reads = b"a word"

    def setUp(self):
        super().setUp()
        self.text, self.out = self.folder / "text", self.folder / "out.json"

    def check(self, text):
        """The ranks of a text, as Python finds them."""
        self.text.write_bytes(text)
        done = self.run_program(self.text, "--json", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        words = [(match[0].lower().decode(), match.start()) for match in re.finditer(rb"[A-Za-z]+", text)]
        counts = collections.Counter(word for word, _ in words)
        firsts = dict(reversed(words))
        ranks = sorted(counts, key=lambda word: (-counts[word], firsts[word]))
        found = json.loads(self.out.read_text())
        self.assertEqual((found["words"], found["different"]), (len(words), len(counts)))
        self.assertEqual([(row["rank"], row["word"], row["count"], row["first"]) for row in found["rows"]],
                         [(i, word, counts[word], firsts[word]) for i, word in enumerate(ranks[:SHOWN], 1)])
        self.assertTrue(all(step["checked"] is True for step in found["primitives"]))
        (_, points), _ = found["chart"]["lines"]
        self.assertEqual(points[:3], [[i, counts[word]] for i, word in enumerate(ranks[:3], 1)])
        return done.stdout

    def test_texts_of_every_size(self):
        random.seed(1)
        for size in (1, 33, 1000, 100003):
            for letters in (b"aB ", b"abc \n", b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,"):
                with self.subTest(size=size, letters=letters):
                    self.check(b"x" + bytes(random.choice(letters) for _ in range(size)))

    def test_what_is_a_word(self):
        self.assertIn("4 words, 2 different", self.check(b"The the THE end"))
        self.check(b"a b c a")  # as many words as a text of its size can have
        self.check("don't stop; größe \u2014 3x y2".encode())
        self.check(b"@A[`z{")  # the neighbours of the letters
        self.check(bytes(range(256)) * 20)
        printed = self.check(b"long" * 5000 + b" long")
        self.assertLess(max(map(len, printed.splitlines())), 200)

    def test_without_arguments_it_counts_the_guide(self):
        done = self.run_program("--json", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(self.out.read_text())["rows"][0]["word"], "the")

    def test_what_cannot_be_used_is_refused(self):
        self.expect_refusal(1, "No such file", self.folder / "missing")
        for text in (b"", b"1 2 3\n"):
            self.text.write_bytes(text)
            self.expect_refusal(1, "has no word", self.text, "--json", self.out)
        self.expect_refusal(2, "would be overwritten", self.text, "--json", self.text)
        self.expect_refusal(2, "empty name", "")
        self.assertEqual(list(self.folder.iterdir()), [self.text])

    def test_help_names_every_option(self):
        for word in ("FILE", "--backend", "--json"):
            self.assertIn(word, self.run_program("--help").stdout)


if __name__ == "__main__":
    program.main()
