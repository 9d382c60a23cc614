#!/usr/bin/env python3
"""Makes the guide and the API reference a static site: Doxygen reads the headers, Sphinx (with Breathe and MyST) writes the pages.

usage: site.py DOXYGEN OUT            writes OUT/html/index.html; any warning, and any public name without an example, is a fault
       site.py --self-test

Pages are written for readers of the sources: links name files and headings as GitHub does. The site has a page for each name of the
reference: all overloads of a function, or a class.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
from site_pages import LINK, lines_outside_code  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = ROOT / "docs" / "README.md"
IMAGES = ["docs/plots/*.svg", "samples/plots/*.svg", "samples/data/*.png"]
NAMESPACES = {"parprims": "", "parprims::simt": "simt-", "parprims::executor": "executor-"}  # and what names of pages begin with
CLASSES = {"class": "doxygenclass", "struct": "doxygenstruct", "concept": "doxygenconcept"}
# The headers in the order of the guide, under the headings of the reference.
TOPICS = {
    "Calls": ["reduce", "reduce_along", "exact_plus", "scan", "scan_along", "three_phase_scan", "segmented", "segmented_scan", "by_key", "extremes", "extremes_along", "segmented_extremes", "copy_if", "unique_copy",
              "partition_copy", "run_length_encode", "transform",
              "histogram", "segmented_histogram", "histogram_along", "weighted_histogram", "segmented_weighted_histogram", "weighted_histogram_along", "profile", "segmented_profile", "profile_along"],
    "What calls take": ["execution", "functional", "iterator", "view", "sized_on_device", "axis", "variable_axis", "product_axis", "weights", "tuple",
                        "concepts", "launch_config"],
    "Memory, streams, GPUs": ["device_buffer", "pinned_buffer", "memory_resource", "stream", "timer", "device"],
    "Kernels of your own": ["simt/simt", "simt/executor", "simt/statistics", "simt/launch", "simt/launcher", "simt/calls"],
    "Several ranks": ["distributed", "mpi", "nccl", "slices"],
    "Errors and versions": ["error", "version"],
}


def rewritten(page, text):
    """The text without comments; a link to a file that the site does not have becomes its label. Code is left alone."""
    def link(match):
        bang, label, target = match.groups()
        path = target.partition("#")[0]
        is_code = match.string[:match.start()].rpartition("\n")[2].count("`") % 2 == 1
        if is_code or bang or not path or ":" in target.split("/")[0]:
            return match[0]
        file = (page.parent / path).resolve()
        if file.is_dir() and (file / "README.md").exists():
            return f"[{label}]({path.rstrip('/')}/README.md)"
        return match[0] if file.suffix == ".md" else label

    parts, code = [[]], [False]
    for line, plain in zip(text.splitlines(), lines_outside_code(text)):
        if re.match(r"<!--.*-->$", plain):
            line = plain = ""
        if (plain != line) != code[-1]:
            parts.append([])
            code.append(plain != line)
        parts[-1].append(line)
    texts = ("".join(f"{line}\n" for line in lines) for lines in parts)
    return "".join(part if is_code else LINK.sub(link, part) for part, is_code in zip(texts, code))


def pages_in_order():
    """The pages that the index names, and those of the samples. Other pages follow."""
    named = [(INDEX.parent / path.partition("#")[0]).resolve() for _, _, path in LINK.findall(INDEX.read_text())]
    return dict.fromkeys([*named, *sorted((ROOT / "samples").glob("*/README.md")), *sorted((ROOT / "samples").glob("exercises/*/README.md")), *sorted((ROOT / "docs").rglob("*.md"))])


def adapt(path):
    """An XML file of Doxygen as Breathe wants it: one exception an item, examples without the indentation of their source."""
    tree = ElementTree.parse(path)
    for exceptions in (part for part in tree.iter("parameterlist") if part.get("kind") == "exception"):
        for names in list(exceptions.iter("parameternamelist")):
            for extra in names.findall("parametername")[1:]:
                names.remove(extra)
                copy = ElementTree.SubElement(exceptions, "parameteritem")
                ElementTree.SubElement(copy, "parameternamelist").append(extra)
                ElementTree.SubElement(ElementTree.SubElement(copy, "parameterdescription"), "para").text = "likewise"
    for listing in tree.iter("programlisting"):
        firsts = [line[0] for line in listing.findall("codeline") if len(line) and (line[0].text or len(line[0]))]
        def spaces(first):
            return 0 if first.text else next((i for i, part in enumerate(first) if part.tag != "sp" or part.tail), len(first)) + 1
        common = min((spaces(first) for first in firsts), default=1) - 1
        for first in firsts:
            for part in list(first)[:common]:
                first.remove(part)
    tree.write(path)


class Reference:
    """What Doxygen wrote about the public names: functions, each with its overloads, classes, and so on."""

    def __init__(self, xml):
        self.xml, self.nodes, self.headers, self.examples = xml, {}, {}, {}
        for compound in ElementTree.parse(xml / "index.xml").getroot().findall("compound"):
            kind, name = compound.get("kind"), compound.findtext("name")
            if not name.startswith("parprims") or "detail" in name.split("::"):
                continue
            node = ElementTree.parse(xml / f"{compound.get('refid')}.xml").getroot().find("compounddef")
            if kind in CLASSES and name.rpartition("::")[0] in NAMESPACES:
                self.add(name, kind, node)
            for member in node.iter("memberdef") if kind == "namespace" else ():
                is_refusal = "delete" in (member.findtext("argsstring") or "") or member.find(".//param/declname") is None
                if not member.findtext("name").startswith("operator") and not (member.get("kind") == "function" and is_refusal
                                                                              and member.find("param") is not None):
                    self.add(f"{name}::{member.findtext('name')}", member.get("kind"), member)

    def add(self, name, kind, node):
        location = node.find("location")
        self.nodes.setdefault((name, kind), []).append(node)
        file = pathlib.PurePath(location.get("file") if location is not None else "")
        self.headers.setdefault((name, kind), {})["simt/" * (file.parent.name == "simt") + file.stem] = True
        if kind in CLASSES or kind == "function":
            found = any(part.find(".//programlisting") is not None for part in node.findall("detaileddescription"))
            self.examples[name] = self.examples.get(name, False) or found

    def without_example(self):
        return sorted(name for name, found in self.examples.items() if not found)

    def write_group(self, group, members):
        """All overloads of a function as a group of Doxygen's, which Breathe shows together."""
        root = ElementTree.Element("doxygen")
        node = ElementTree.SubElement(root, "compounddef", id=f"group__{group}", kind="group")
        ElementTree.SubElement(node, "compoundname").text = group
        ElementTree.SubElement(node, "title").text = group
        section = ElementTree.SubElement(node, "sectiondef", kind="func")
        for member in members:
            clause = member.find("requiresclause")
            if clause is not None:
                details = member.find("detaileddescription")
                note = ElementTree.Element("para")
                part = ElementTree.SubElement(note, "simplesect", kind="par")
                ElementTree.SubElement(part, "title").text = "Requires"
                ElementTree.SubElement(ElementTree.SubElement(part, "para"), "computeroutput").text = "".join(clause.itertext()).strip()
                details.append(note)
            section.append(member)
        for name in ("briefdescription", "detaileddescription"):
            ElementTree.SubElement(node, name)
        ElementTree.ElementTree(root).write(self.xml / f"group__{group}.xml")
        index = ElementTree.parse(self.xml / "index.xml")
        compound = ElementTree.SubElement(index.getroot(), "compound", refid=f"group__{group}", kind="group")
        ElementTree.SubElement(compound, "name").text = group
        index.write(self.xml / "index.xml")

    def write_pages(self, folder):
        folder.mkdir(parents=True)
        listed = [header for headers in TOPICS.values() for header in headers]
        first = {key: min(headers, key=lambda header: listed.index(header) if header in listed else -1) for key, headers in self.headers.items()}
        missing = sorted({f"{header}.hpp is under no heading of the reference (docs/site.py)" for header in first.values() if header not in listed})
        index = ["# Reference\n"]
        for topic, headers in TOPICS.items():
            index.append(f"## {topic}\n")
            pages = []
            for header in headers:
                keys = [key for key in self.nodes if first[key] == header]
                index += [f"`<parprims/{header}.hpp>`\n"] if keys else []
                for name, kind in keys:
                    short = name.rpartition("::")[2]
                    page = NAMESPACES.get(name.rpartition("::")[0], "") + short
                    page += f"-{kind}" if kind != "function" and (name, "function") in self.nodes else ""
                    brief = re.sub(r"\s+", " ", "".join(self.nodes[name, kind][0].find("briefdescription").itertext())).strip()
                    index.append(f"* [{short}]({page}.md): {brief}" if brief else f"* [{short}]({page}.md)")
                    self.write_page(folder / f"{page}.md", name, kind)
                    pages.append(page)
                index.append("")
            index.append("```{toctree}\n:hidden:\n:caption: " + topic + "\n\n" + "\n".join(pages) + "\n```\n")
        (folder / "index.md").write_text("\n".join(index))
        return missing

    def write_page(self, path, name, kind):
        short = name.rpartition("::")[2]
        if kind == "function":
            group = f"of_{path.stem.replace('-', '_')}"
            self.write_group(group, self.nodes[name, kind])
            directive = f"```{{doxygengroup}} {group}\n:content-only:\n```"
        elif kind in CLASSES:
            members = "" if kind == "concept" else ":members:\n"
            directive = f"```{{{CLASSES[kind]}}} {name}\n{members}```"
        else:
            directive = f"```{{doxygen{kind}}} {name}\n```"
        includes = "".join(f"#include <parprims/{header}.hpp>\n" for header in self.headers[name, kind])
        path.write_text(f"# {short}\n\n```cpp\n{includes}```\n\n{directive}\n")


CONF = '''
project = "parprims"
version = release = "{version}"
extensions = ["breathe", "myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
breathe_projects = {{"parprims": "{xml}"}}
breathe_default_project = "parprims"
root_doc = "docs/README"
html_theme = "furo"
html_title = "parprims {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
primary_domain = "cpp"
highlight_language = "cpp"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
'''


def version_text():
    number = int(re.search(r"#define PARPRIMS_VERSION (\d+)", (ROOT / "include/parprims/version.hpp").read_text())[1])
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def write_guide(source):
    """Copies of the pages and pictures, and the tree beside them, in the order of docs/README.md."""
    pages = [page for page in pages_in_order() if page.suffix == ".md" and page != INDEX]
    for page in [INDEX, *pages]:
        copy = source / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(rewritten(page, page.read_text()))
    for image in (image for pattern in IMAGES for image in ROOT.glob(pattern)):
        copy = source / image.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(image, copy)
    names = [os.path.relpath(page.relative_to(ROOT).with_suffix(""), "docs") for page in pages]
    samples = [name for name in names if name.startswith("../samples/")]
    trees = {"Guide": [name for name in names if name not in samples], "Samples": samples, "Reference": ["../reference/index"]}
    with open(source / "docs" / "README.md", "a") as index:
        for caption, entries in trees.items():
            index.write(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(entries) + "\n```\n")


def build(doxygen, out):
    shutil.rmtree(out, ignore_errors=True)
    source = out / "source"
    (source / "_static").mkdir(parents=True)
    settings = f"@INCLUDE = docs/Doxyfile\nOUTPUT_DIRECTORY = {out}\n"
    run = subprocess.run([doxygen, "-"], input=settings, cwd=ROOT, capture_output=True, text=True)
    faults = sorted({line.replace(f"{ROOT}/", "") for line in run.stderr.splitlines() if line.strip()})
    if run.returncode != 0:
        return [*faults, f"doxygen ended with {run.returncode}"]
    for path in (out / "xml").glob("*.xml"):
        adapt(path)
    reference = Reference(out / "xml")
    faults += reference.write_pages(source / "reference")
    faults += [f"{name} has no example" for name in reference.without_example()]
    if len(reference.examples) < 40:
        faults.append(f"only {len(reference.examples)} public names found")
    write_guide(source)
    (source / "conf.py").write_text(CONF.format(version=version_text(), xml=out / "xml"))
    shutil.copyfile(ROOT / "docs" / "site.css", source / "_static" / "site.css")
    run = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-j", "2", "-b", "html", source, out / "html"], capture_output=True, text=True)
    faults += sorted({line.replace(f"{source}/", "") for line in (run.stdout + run.stderr).splitlines() if line.strip()})
    (out / "html" / "index.html").write_text('<!DOCTYPE html><meta http-equiv="refresh" content="0; url=docs/README.html">\n')
    if not faults:
        print(f"{out}/html/index.html: {len(reference.examples)} public names, each with an example")
    return faults


def self_test():
    page = ROOT / "docs" / "streams.md"
    cases = [
        ("see [that](errors.md#a-b).\n", "see [that](errors.md#a-b).\n"),
        ("`[that](../lib/a.cpp)`\n", "`[that](../lib/a.cpp)`\n"),
        ("[source\nfile](../include/parprims/reduce.hpp)\n", "source\nfile\n"),
        ("[out](https://example.org/a.md)\n", "[out](https://example.org/a.md)\n"),
        ("[a](../samples/statistics)\n", "[a](../samples/statistics/README.md)\n"),
        ("```cpp\n[a](b.cpp)\n```\n[a](b.cpp)\n", "```cpp\n[a](b.cpp)\n```\na\n"),
        ("[`golden.txt`](../tests/contract/golden.txt)\n", "`golden.txt`\n"),
        ("<!-- code a b -->\n", "\n"),
    ]
    for text, expected in cases:
        assert rewritten(page, text) == expected, (text, rewritten(page, text))
    with tempfile.TemporaryDirectory() as folder:
        xml = pathlib.Path(folder)
        (xml / "index.xml").write_text('<d><compound refid="n" kind="namespace"><name>parprims</name></compound></d>')
        function = '<memberdef kind="function"><name>{}</name><argsstring>{}</argsstring><detaileddescription>{}</detaileddescription></memberdef>'
        (xml / "n.xml").write_text("<d><compounddef>" + function.format("f", "()", "") + function.format("g", "()", "<programlisting/>") +
                                   "</compounddef></d>")
        reference = Reference(xml)
        assert reference.without_example() == ["parprims::f"] and len(reference.examples) == 2
    print("links and missing examples are found")


if __name__ == "__main__":
    missing = [name for name in ("sphinx", "breathe", "furo", "myst_parser") if importlib.util.find_spec(name) is None]
    if sys.argv[1] == "--self-test":
        self_test()
    elif missing:
        print(f"skipped: {sys.executable} has no {', '.join(missing)} (apt install python3-sphinx python3-breathe furo python3-myst-parser)")
        sys.exit(77)
    else:
        found = build(sys.argv[1], pathlib.Path(os.path.abspath(sys.argv[2])))
        print(*found[:200], sep="\n")
        sys.exit(1 if found else 0)
