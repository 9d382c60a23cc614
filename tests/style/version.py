#!/usr/bin/env python3
"""Checks that the version in include/parprims/version.hpp, from which CMake has it, is the newest in CHANGELOG.md, the one that pages ask
for in find_package, and that of the packages.

usage: version.py ROOT | version.py --self-test
"""
import pathlib
import re
import sys


def check(header, changelog, pages):
    """What is wrong, as a list of texts. `pages`: their texts by name."""
    number = int(re.search(r"#define PARPRIMS_VERSION (\d+)", header).group(1))
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    minor = version.rpartition(".")[0]
    wrong = []
    newest = re.search(r"\b(\d+\.\d+\.\d+)\b", changelog.partition("\n## ")[2])
    if newest is None or newest.group(1) != version:
        wrong.append(f"CHANGELOG.md: the newest version is {newest and newest.group(1)}, that of version.hpp is {version}")
    for name, text in pages.items():
        wrong += [f"{name}: find_package(parprims {asked}), the version is {version}"
                  for asked in re.findall(r"find_package\(parprims (\d[\d.]*)", text) if asked != minor]
        wrong += [f"{name}: version {named}, that of version.hpp is {version}"
                  for named in re.findall(r'"version": "([\d.]+)"', text) if named != version]
    return wrong


def self_test():
    header, changelog, page = "#define PARPRIMS_VERSION 10203  // x", "# C 1.1.0\n## [Unreleased]\n1.2.3 is", "find_package(parprims 1.2 REQUIRED)"
    assert check(header, changelog, {"page": page}) == []
    assert len(check(header, changelog.replace("1.2.3", "1.2.4"), {})) == 1
    assert len(check(header, changelog, {"page": page.replace("1.2", "1.3")})) == 1
    assert len(check(header, changelog, {"port": '"version": "1.2.4"'})) == 1


def main(argument):
    if argument == "--self-test":
        return self_test()
    root = pathlib.Path(argument)
    pages = {str(path.relative_to(root)): path.read_text() for folder in ("docs", "tests/package")
             for pattern in ("*.md", "**/CMakeLists.txt", "**/vcpkg.json") for path in (root / folder).glob(pattern)}
    pages["CITATION.cff"] = '"version": "' + re.search(r"^version: (\S+)", (root / "CITATION.cff").read_text(), re.M).group(1) + '"'
    pages["README.md"] = (root / "README.md").read_text()
    wrong = check((root / "include/parprims/version.hpp").read_text(), (root / "CHANGELOG.md").read_text(), pages)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
