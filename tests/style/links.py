#!/usr/bin/env python3
"""Checks that every relative link and picture of the pages names a file of the repository, and a heading that is there, and that a page
shows each picture of the `plots` folders.

usage: links.py ROOT | links.py --self-test
"""
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
from site_pages import LINK, PICTURE, lines_outside_code, slug  # noqa: E402

FOLDERS = ("docs", "samples", "lib", "tests")


def anchors(page):
    return {slug(line.lstrip("#")) for line in lines_outside_code(page.read_text()) if re.match(r"#+ ", line)}


def check(root):
    faults, links, named = [], 0, set()
    pages = sorted({*root.glob("*.md"), *(page for folder in FOLDERS for page in (root / folder).rglob("*.md"))})
    for page in pages:
        for line in lines_outside_code(page.read_text()):
            line = re.sub(r"`[^`]*`", "", line)
            for target in [target for _, _, target in LINK.findall(line)] + PICTURE.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                links += 1
                path, _, anchor = target.partition("#")
                file = (page.parent / path).resolve() if path else page
                named.add(file)
                if not file.exists():
                    faults.append(f"{page.relative_to(root)}: no such file: {target}")
                elif anchor and anchor not in anchors(file):
                    faults.append(f"{page.relative_to(root)}: no such heading: {target}")
    faults += [f"{picture.relative_to(root)}: no page shows it"
               for picture in sorted(root.glob("*/plots/*.*")) if picture.suffix in (".svg", ".png") and picture not in named]
    return faults if links else ["no link found"]


def self_test():
    cases = [  # text, what the fault must say; nothing: good
        ("# A b\n[x](#a-b) [y](p.md) [z](https://example.org/none)\n`[c](none)`\n", ""),
        ("```\n[x](none.md)\n```\n[y](p.md)\n", ""),
        ("[x](none.md)\n", "no such file: none.md"),
        ("![x](none.svg)\n", "no such file: none.svg"),
        ('[y](p.md) <img src="none.svg" width="9">\n', "no such file: none.svg"),
        ("# A b\n[x](p.md#a-c)\n", "no such heading: p.md#a-c"),
        ("[x](p.md)\n", "docs/plots/b.svg: no page shows it"),
        ("text\n", "no link found"),
    ]
    for text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "docs/plots").mkdir(parents=True)
            (root / "docs/plots/b.svg").touch()
            shows = "" if "b.svg" in expected or "found" in expected else "<img src='docs/plots/b.svg'>\n".replace("'", '"')
            (root / "p.md").write_text(text + shows)
            faults = check(root)
            assert (any(expected in fault for fault in faults) if expected else not faults), (text, expected, faults)
    print(f"{sum(bool(expected) for _, expected in cases)} dead links are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        found = check(pathlib.Path(sys.argv[1]).resolve())
        print(*found, sep="\n")
        sys.exit(1 if found else 0)
