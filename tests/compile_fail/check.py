#!/usr/bin/env python3
"""Checks that a snippet does not compile, and that the compiler says what its first line expects.

usage: check.py SNIPPET COMPILER [FLAG...] | check.py --self-test COMPILER
"""
import pathlib
import subprocess
import sys
import tempfile


def check(snippet, compiler, flags):
    """What is wrong, or nothing."""
    first_line = snippet.read_text().splitlines()[0]
    if not first_line.startswith("// expect: "):
        return f"{snippet}: the first line is not `// expect: <text>`"
    expected = first_line.removeprefix("// expect: ")
    # Long lines stay whole, so that a message can be found in them.
    result = subprocess.run([compiler, *flags, "-fmessage-length=0", "-fsyntax-only", str(snippet)],
                            capture_output=True, text=True)
    if result.returncode == 0:
        return f"{snippet}: compiles"
    if expected not in result.stderr:
        return f"{snippet}: the compiler does not say `{expected}` but:\n{result.stderr}"
    return ""


def self_test(compiler):
    cases = [  # text, what must be found wrong; nothing: good
        ("// expect: too small\nstatic_assert(sizeof(char) > 1, \"too small\");\n", ""),
        ("// expect: too small\nint main() {}\n", "compiles"),
        ("// expect: too small\nint main() { return undeclared; }\n", "does not say"),
        ("static_assert(sizeof(char) > 1, \"too small\");\n", "the first line"),
    ]
    for text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            snippet = pathlib.Path(folder, "snippet.cpp")
            snippet.write_text(text)
            wrong = check(snippet, compiler, [])
            assert (expected in wrong if expected else not wrong), (text, expected, wrong)
    print(f"{len(cases) - 1} known-bad snippets are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test(sys.argv[2])
    else:
        found = check(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
        print(found)
        sys.exit(1 if found else 0)
