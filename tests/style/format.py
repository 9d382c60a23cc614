#!/usr/bin/env python3
"""Checks, or with --fix makes, the format of all sources of ours, with clang-format.

usage: format.py CLANG_FORMAT ROOT [--fix] | format.py CLANG_FORMAT ROOT --self-test
"""
import difflib
import pathlib
import subprocess
import sys
import tempfile


def sources(root):
    return [str(path) for folder in ("include", "lib", "tests", "samples", "docs") if (root / folder).is_dir()
            for path in sorted((root / folder).rglob("*")) if path.suffix in (".hpp", ".cpp", ".cu")]


def check(clang_format, root):
    """What clang-format would change, as a diff."""
    files = sources(root)
    if not files:
        return ["no source found"]
    texts = [pathlib.Path(file).read_text() for file in files]
    if subprocess.run([clang_format, *files], capture_output=True, text=True, check=True).stdout == "".join(texts):
        return []
    changes = []
    for file, old in zip(files, texts):  # a process for each file: seven times as long
        new = subprocess.run([clang_format, file], capture_output=True, text=True, check=True).stdout
        changes += difflib.unified_diff(old.splitlines(), new.splitlines(), file, "as clang-format has it", "", "", 0, "")
    return changes


def self_test(clang_format, root):
    def changes_of(text):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            (copy / ".clang-format").write_text((root / ".clang-format").read_text())
            (copy / "lib").mkdir()
            if text is not None:
                (copy / "lib" / "a.cpp").write_text(text)
            return check(clang_format, copy)

    assert not changes_of("int f()\n{\n    return 0;\n}\n")
    assert changes_of("int f() {\n  return 0;\n}\n")
    assert changes_of(None)
    print("known-bad files are found")


if __name__ == "__main__":
    program, tree = sys.argv[1], pathlib.Path(sys.argv[2])
    if sys.argv[3:] == ["--self-test"]:
        self_test(program, tree)
    elif sys.argv[3:] == ["--fix"]:
        subprocess.run([program, "-i", *sources(tree)], check=True)
    else:
        found = check(program, tree)
        print(*found[:200], sep="\n")
        sys.exit(1 if found else 0)
