#!/usr/bin/env python3
"""Checks that the messages in the tables of docs/errors.md are those of the library.

usage: messages.py ROOT | messages.py --self-test

A message is the code in the first cell of a row, unless the cell says that it is nvcc's. Numbers and `...` stand for anything.
"""
import pathlib
import re
import sys
import tempfile


def fragments(page):
    """The parts of each message that are always the same, with the number of the line."""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cell = re.match(r"\| ((?:`[^`]*`|[^|`])*) \|", line)
        if cell and "(nvcc)" not in cell[1]:
            for message in re.findall(r"`([^`]*)`", cell[1]):
                for part in re.split(r"\.\.\.|\[?\d+\]?", message):
                    # What names a function or an argument is not in the same literal.
                    part = re.sub(r"^(?:parprims: )?(?:[\w.]+: )*", "", part).strip(" :")
                    if len(part) > 3 and " " in part:
                        yield number, part


def check(root):
    sources = [path for folder in ("include", "lib") for path in (root / folder).rglob("*.[hc]pp")]
    text = "\n".join(re.sub(r'"\s*\n\s*"', "", path.read_text()) for path in sources)
    found = list(fragments(root / "docs" / "errors.md"))
    return [f"docs/errors.md:{number}: no source says: {part}" for number, part in found if part not in text] or (
        [] if found else ["docs/errors.md: no message found"])


def self_test():
    source = 'refuse("first", "memory of device " + n + " given to a "\n       "call");\n'
    cases = [  # page, what the fault must say; nothing: good
        ("| message | cause |\n|---|---|\n| `first: memory of device 1 given to a call` | x |\n| `of nvcc's own` (nvcc) | x |\n", ""),
        ("| `memory of device 1 lent to a call` | x |\n", "docs/errors.md:1: no source says: lent to a call"),
        ("| message | `memory of no device` |\n", "no message found"),
    ]
    for page, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in (("include/a.hpp", source), ("docs/errors.md", page)):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(content)
            faults = check(root)
            assert (any(expected in fault for fault in faults) if expected else not faults), (page, expected, faults)
    print("messages of no source are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        wrong = check(pathlib.Path(sys.argv[1]))
        print(*wrong, sep="\n")
        sys.exit(1 if wrong else 0)
