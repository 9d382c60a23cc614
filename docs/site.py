#!/usr/bin/env python3
"""Makes the guide and the API reference a static site, with Doxygen.

usage: site.py DOXYGEN OUT            writes OUT/html/index.html; any warning, and any public name without an example, is a fault
       site.py --filter FILE          a page as Doxygen reads it, on standard output: docs/Doxyfile calls this
       site.py --self-test

Pages are written for readers of the sources: links name files and headings as GitHub does. --filter gives each heading an
identifier and makes the links references to them. The tree beside the pages has the order of docs/README.md.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
from site_pages import LINK, PICTURE, lines_outside_code, slug  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = ROOT / "docs" / "README.md"
IMAGES = ["docs/plots/*.svg", "samples/plots/*.svg", "samples/data/*.png"]


def identifier(page, anchor=""):
    """Doxygen's label of a page or of a heading in it."""
    if page == INDEX and not anchor:
        return "index"  # Doxygen's own name of the main page
    name = page.relative_to(ROOT).with_suffix("").as_posix() + ("-" + anchor if anchor else "")
    return "page_" + re.sub(r"\W", "_", name)


def is_parent(page, other):
    """Whether `other` stands below `page` in the tree: each sample below the page of the samples."""
    return page.name == "README.md" and page.parent not in (ROOT, INDEX.parent) and page.parent in other.parent.parents


def filtered(page, text):
    """The text with labels, references and without comments; code is left alone."""
    def copied(image):
        return f"images/{image.relative_to(ROOT)}"

    def link(match):
        bang, label, target = match.groups()
        if ":" in target.split("/")[0]:
            return match.group(0)
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if file.is_dir() and (file / "README.md").exists():
            file = file / "README.md"
        if bang:
            return f'<img src="{copied(file)}" alt="{label}">'
        if file.suffix != ".md":
            return label  # a source file, which is not in the site
        if not anchor and is_parent(page, file) and file not in children:
            children.add(file)
            return f'@subpage {identifier(file)} "{label}"'
        return f'@ref {identifier(file, anchor)} "{label}"'

    children = set()

    def page_line(line):
        heading = re.match(r"(#+) (.*)", line)
        if re.match(r"<!--.*-->$", line):
            return ""
        if heading and not (page == INDEX and len(heading[1]) == 1):
            return f"{line} {{#{identifier(page, '' if len(heading[1]) == 1 else slug(heading[2]))}}}"
        line = PICTURE.sub(lambda path: copied((page.parent / path[0]).resolve()), line)
        parts = re.split(r"(`[^`]*`)", line)  # code between backticks is no link
        return "".join(part if part.startswith("`") else LINK.sub(link, part) for part in parts)

    lines = zip(text.splitlines(), lines_outside_code(text))
    return "".join((page_line(line) if outside else line) + "\n" for line, outside in lines)


def pages_in_order():
    """The pages that the index names, and those of the samples. Other pages follow."""
    named = [(INDEX.parent / path.partition("#")[0]).resolve() for _, _, path in LINK.findall(INDEX.read_text())]
    return [INDEX, *named, *sorted((ROOT / "samples").glob("*/README.md")), *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs").glob("*/*.md"))]


def names_without_example(xml):
    """Public classes, concepts and functions without a code example in any of their docstrings."""
    def has_example(node):
        return any(part.find(".//programlisting") is not None for part in node.findall("detaileddescription"))

    examples = {}
    index = ElementTree.parse(xml / "index.xml").getroot()
    for compound in index.findall("compound"):
        kind, name = compound.get("kind"), compound.findtext("name")
        if not name.startswith("parprims") or "detail" in name.split("::"):
            continue
        node = ElementTree.parse(xml / f"{compound.get('refid')}.xml").getroot().find("compounddef")
        if kind in ("class", "struct", "concept") and name.count("::") == 1:
            examples[name] = examples.get(name, False) or has_example(node)
        for member in node.iter("memberdef") if kind == "namespace" else ():
            if member.get("kind") == "function" and not member.findtext("name").startswith("operator"):
                full = f"{name}::{member.findtext('name')}"
                examples[full] = examples.get(full, False) or has_example(member)
    return sorted(name for name, found in examples.items() if not found), len(examples)


def build(doxygen, out):
    out.mkdir(parents=True, exist_ok=True)
    number = int(re.search(r"#define PARPRIMS_VERSION (\d+)", (ROOT / "include/parprims/version.hpp").read_text())[1])
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    pages = " ".join(dict.fromkeys(page.relative_to(ROOT).as_posix() for page in pages_in_order()))
    settings = f"@INCLUDE = docs/Doxyfile\nINPUT += {pages}\nOUTPUT_DIRECTORY = {out}\nPROJECT_NUMBER = {version}\n"
    run = subprocess.run([doxygen, "-"], input=settings, cwd=ROOT, capture_output=True, text=True)
    faults = sorted({line.replace(f"{ROOT}/", "") for line in run.stderr.splitlines() if line.strip()})
    if run.returncode != 0:
        faults.append(f"doxygen ended with {run.returncode}")
        return faults
    for image in (image for pattern in IMAGES for image in ROOT.glob(pattern)):
        copy = out / "html" / "images" / image.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(image, copy)
    missing, names = names_without_example(out / "xml")
    faults += [f"{name} has no example" for name in missing]
    if names < 40:
        faults.append(f"only {names} public names found")
    if not faults:
        print(f"{out}/html/index.html: {names} public names, each with an example")
    return faults


def self_test():
    page = ROOT / "docs" / "streams.md"
    cases = [
        ("# Streams\n", "# Streams {#page_docs_streams}\n"),
        ("## Which stream, which GPU?\n", "## Which stream, which GPU? {#page_docs_streams_which_stream__which_gpu}\n"),
        ("see [that](errors.md).\n", 'see @ref page_docs_errors "that".\n'),
        ("see [that](launch.md#a-b).\n", 'see @ref page_docs_launch_a_b "that".\n'),
        ("`[that](launch.md)`\n", "`[that](launch.md)`\n"),
        ("[source](../include/parprims/reduce.hpp)\n", "source\n"),
        ("[out](https://example.org/a.md)\n", "[out](https://example.org/a.md)\n"),
        ("```cpp\n# [a](b.md)\n```\n", "```cpp\n# [a](b.md)\n```\n"),
        ("![plot](plots/a.svg)\n", '<img src="images/docs/plots/a.svg" alt="plot">\n'),
        ('<img src="plots/a.svg" width="9">\n', '<img src="images/docs/plots/a.svg" width="9">\n'),
        ("<!-- code a b -->\n", "\n"),
    ]
    for text, expected in cases:
        if "which_gpu" in expected:
            expected = f"## Which stream, which GPU? {{#{identifier(page, slug('Which stream, which GPU?'))}}}\n"
        assert filtered(page, text) == expected, (text, filtered(page, text))
    assert slug("Which stream, which GPU?") == "which-stream-which-gpu"
    samples, sample = ROOT / "samples" / "README.md", "[a](statistics/README.md)\n"
    label = 'page_samples_statistics_README "a"\n'
    assert filtered(samples, sample + sample) == f"@subpage {label}@ref {label}"
    assert filtered(page, "[a](README.md)\n") == '@ref index "a"\n'
    with tempfile.TemporaryDirectory() as folder:
        xml = pathlib.Path(folder)
        (xml / "index.xml").write_text('<d><compound refid="n" kind="namespace"><name>parprims</name></compound></d>')
        (xml / "n.xml").write_text(
            '<d><compounddef><memberdef kind="function"><name>f</name><detaileddescription/></memberdef><memberdef kind='
            '"function"><name>g</name><detaileddescription><programlisting/></detaileddescription></memberdef></compounddef></d>')
        assert names_without_example(xml) == (["parprims::f"], 2)
    print("links, headings and missing examples are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    elif sys.argv[1] == "--filter":
        file = pathlib.Path(sys.argv[2]).resolve()
        sys.stdout.write(filtered(file, file.read_text()))
    else:
        found = build(sys.argv[1], pathlib.Path(os.path.abspath(sys.argv[2])))
        print(*found[:200], sep="\n")
        sys.exit(1 if found else 0)
