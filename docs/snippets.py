#!/usr/bin/env python3
"""Keeps the code in the pages the same as the code that the tests compile and run.

usage: snippets.py ROOT [--write] | snippets.py --self-test

A block of C++ in a page follows a line `<!-- code FILE [REGION...] -->`. It is the text of FILE, or of its regions, each of
which lies between two lines `/// [REGION]`; the regions are set apart by an empty line. --write puts the text into the pages;
without it the differences are listed. A block of C++ without such a line is a fault, and so is a region of docs/examples that
neither a page nor a docstring (`@snippet NAME REGION`) shows. Each docstring of parprims/simt must show one.
"""
import pathlib
import re
import sys
import tempfile
import textwrap

MARKER = re.compile(r"<!-- code (\S+)((?: \S+)*) -->$")
FENCE = re.compile(r"^```(\S*)$")
CHECKED = {"cpp", "cuda"}
DOCSTRING = re.compile(r"((?:^///.*\n)+)(.*)", re.MULTILINE)  # of what is not indented


def pages(root):
    return sorted({*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "samples").rglob("*.md")})


def region(text, name):
    """The lines between the two markers, without their common indentation."""
    parts = re.split(rf"^[ \t]*/// \[{re.escape(name)}\]\n", text, flags=re.MULTILINE)
    if len(parts) != 3:
        raise ValueError(f"region {name} has {len(parts) - 1} markers, not 2")
    return textwrap.dedent(parts[1]).strip("\n") + "\n"


def code(root, file, names):
    text = (root / file).read_text()
    return "\n".join(region(text, name) for name in names) if names else text


def refresh(root, page):
    """The page as it should be, and what is wrong with it."""
    faults, out = [], []
    lines = page.read_text().splitlines(keepends=True)
    marker, at = None, 0
    while at < len(lines):
        line = lines[at]
        fence = FENCE.match(line.rstrip("\n"))
        out.append(line)
        at += 1
        if fence:
            end = at
            while end < len(lines) and lines[end].rstrip("\n") != "```":
                end += 1
            block = "".join(lines[at:end])
            place = f"{page.relative_to(root)}:{at}"
            if marker:
                try:
                    expected = code(root, marker.group(1), marker.group(2).split())
                    if block != expected:
                        faults.append(f"{place}: differs from {marker.group(1)}{marker.group(2)}")
                    block = expected
                except (OSError, ValueError) as error:
                    faults.append(f"{place}: {marker.group(1)}: {error}")
            elif fence.group(1) in CHECKED:
                faults.append(f"{place}: no line `<!-- code FILE REGION -->` before this code")
            out += [block, "```\n"]
            at = end + 1
        marker = MARKER.match(line.rstrip("\n"))
    return "".join(out), faults


def unused_regions(root):
    used = {(pathlib.Path(marker[1]).name, name) for page in pages(root) for line in page.read_text().splitlines()
            if (marker := MARKER.match(line)) for name in marker[2].split()}
    for header in (root / "include").rglob("*.hpp"):
        used |= set(re.findall(r"@snippet (\S+) (\S+)", header.read_text()))
    return [f"docs/examples/{file.name}: region {name} is shown nowhere" for file in sorted((root / "docs/examples").glob("*.cpp"))
            for name in sorted(set(re.findall(r"/// \[(\w+)\]", file.read_text()))) if (file.name, name) not in used]


def without_example(root):
    """The docstrings of what is declared in namespaces of parprims/simt that show no code."""
    faults = []
    for header in sorted((root / "include/parprims/simt").glob("*.hpp")):
        for found in DOCSTRING.finditer(header.read_text()):
            if "@snippet" not in found[1] and "@file" not in found[1] and not found[2].startswith("namespace"):
                faults.append(f"{header.relative_to(root)}: no @snippet before `{found[2]}`")
    return faults


def check(root, write):
    faults = unused_regions(root) + without_example(root)
    for page in pages(root):
        text, of_page = refresh(root, page)
        if write and text != page.read_text():
            page.write_text(text)
            of_page = refresh(root, page)[1]
        faults += of_page
    return faults


def self_test():
    source = "int f()\n{\n    /// [a]\n    g();\n    if (x)\n        h();\n    /// [a]\n    /// [b]\n    i();\n    /// [b]\n}\n"
    good = "text\n<!-- code a.cpp a b -->\n```cpp\ng();\nif (x)\n    h();\n\ni();\n```\n```sh\nls\n```\n"
    cases = [  # page, what the fault must say; nothing: good
        (good, ""),
        (good.replace("i();", "j();"), "p.md:3: differs from a.cpp a b"),
        (good.replace(" b -->", " c -->"), "region c has 0 markers"),
        (good.replace("a.cpp", "b.cpp"), "b.cpp"),
        (good.replace("<!-- code a.cpp a b -->\n", ""), "no line `<!-- code"),
    ]
    for text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.cpp").write_text(source)
            (root / "p.md").write_text(text)
            faults = check(root, False)
            assert (any(expected in fault for fault in faults) if expected else not faults), (text, expected, faults)
            if "differs" in expected:
                assert not check(root, True) and (root / "p.md").read_text() == good
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs/examples").mkdir(parents=True)
        (root / "include").mkdir()
        (root / "docs/examples/a.cpp").write_text(source)
        (root / "include/a.hpp").write_text("/// @snippet a.cpp b\n")
        assert check(root, False) == ["docs/examples/a.cpp: region a is shown nowhere"]
        (root / "include/parprims/simt").mkdir(parents=True)
        (root / "include/parprims/simt/b.hpp").write_text("/// @file\n\n/// @brief  Adds.\n/// @snippet a.cpp a\nvoid g();\n/// Ends.\nvoid h();\n")
        assert check(root, False) == ["include/parprims/simt/b.hpp: no @snippet before `void h();`"]
    print(f"{len(cases)} known-bad trees are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        found = check(pathlib.Path(sys.argv[1]), "--write" in sys.argv)
        print(*found, sep="\n")
        sys.exit(1 if found else 0)
