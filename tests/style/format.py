#!/usr/bin/env python3
"""Checks, or with --fix makes, the format of all sources of ours, with clang-format.

usage: format.py CLANG_FORMAT ROOT [--fix] | format.py CLANG_FORMAT ROOT --self-test
"""
import pathlib
import subprocess
import sys
import tempfile


def sources(root):
    return [str(path) for folder in ("include", "lib", "tests", "samples", "docs") if (root / folder).is_dir()
            for path in sorted((root / folder).rglob("*")) if path.suffix in (".hpp", ".cpp", ".cu")]


def check(clang_format, root, *arguments):
    files = sources(root)
    if not files:
        return 1, "no source found"
    result = subprocess.run([clang_format, *arguments, *files], capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def self_test(clang_format, root):
    def status_of(text):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            (copy / ".clang-format").write_text((root / ".clang-format").read_text())
            (copy / "lib").mkdir()
            if text is not None:
                (copy / "lib" / "a.cpp").write_text(text)
            return check(clang_format, copy, "--dry-run", "-Werror")[0]

    assert status_of("int f()\n{\n    return 0;\n}\n") == 0
    assert status_of("int f() {\n  return 0;\n}\n") != 0
    assert status_of(None) != 0
    print("known-bad files are found")


if __name__ == "__main__":
    program, tree = sys.argv[1], pathlib.Path(sys.argv[2])
    if sys.argv[3:] == ["--self-test"]:
        self_test(program, tree)
    else:
        status, output = check(program, tree, *(["-i"] if sys.argv[3:] == ["--fix"] else ["--dry-run", "-Werror"]))
        print(output)
        sys.exit(status)
