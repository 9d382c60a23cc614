#!/usr/bin/env python3
"""Looks for every figure of data/published.json in the tables of the README that sets it beside our own."""
import json
import pathlib
import re
import sys

SAMPLES = pathlib.Path(__file__).resolve().parent.parent
PAGES = {"R1": "reduction_ladder", "R1_sweep": "reduction_ladder", "R4": "reduction_ladder", "R5": "reduction_ladder",
         "M": "matrix_multiply", "S": "scan_methods", "H": "histogram_memory"}


def numbers(value):
    """The figures of a row, one after the other."""
    return [number for each in value for number in numbers(each)] if isinstance(value, list) else [value]


def size(n):
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else str(n)


def missing(published, page):
    """Rows of which no table has all figures beside each other, as they were published."""
    lines = [re.findall(r"[^\s|/;]+", line) for line in page.splitlines() if line.startswith("| ")]
    # A step, a size or a block begins the row; one published row may be spread over several tables.
    for key, *figures in published["rows"]:
        names = {str(key), size(key) if isinstance(key, int) else key}
        found = {word for words in lines if words[0] in names for word in words[1:]}
        yield from ((key, figure) for figure in numbers(figures) if str(figure) not in found)
    found = {word for words in lines for word in words}
    yield from (("kernel alone", figure) for figure in published.get("kernel_alone", []) if str(figure) not in found)


def main():
    published = json.loads((SAMPLES / "data" / "published.json").read_text())
    if set(published) != set(PAGES):
        sys.exit(f"no page is known for {set(published) ^ set(PAGES)}")
    lost = [(name, *what) for name, page in PAGES.items()
            for what in missing(published[name], (SAMPLES / page / "README.md").read_text())]
    for name, key, figure in lost:
        print(f"{PAGES[name]}/README.md: {figure} of {name}, {key}, is in no table")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
