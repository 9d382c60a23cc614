#!/usr/bin/env python3
"""Writes a program that tries the solutions of the exercises, the kernels as a learner finds them, and the wrong answers of a table.

usage: generate.py ROOT TABLE OUT

A table `[name]` of wrong_answers.toml is a solution in which `find` is replaced by `replace`, once; what is said of it must contain `says`.
"""
import pathlib
import re
import sys
import tomllib


def body(text):
    """A kernel without its includes, which the program has."""
    return re.sub(r"^#include .*$", "", text, flags=re.MULTILINE)


def entry(namespace, kernel, check):
    return (f'namespace {namespace} {{\n#line 1 "kernel.hpp"\n{body(kernel)}\n#line 1 "check.hpp"\n{check}}}\n')


def main(root, table, out):
    exercises = root / "samples" / "exercises"
    names = sorted(path.parent.name for path in exercises.glob("*/check.hpp"))
    parts, rows = [], []
    for name in names:
        check = (exercises / name / "check.hpp").read_text()
        for kind, path in (("solution", exercises / "solutions" / f"{name}.hpp"), ("blank", exercises / name / "kernel.hpp")):
            parts.append(entry(f"{kind}_{name}", path.read_text(), check))
            rows.append(f'    {{"{kind}", "{name}", "", {kind}_{name}::exercise}},\n')
    for wrong, row in tomllib.loads(table.read_text()).items():
        name = next((each for each in names if each.startswith(row["exercise"])), None)
        if name is None:
            sys.exit(f"{table}: {wrong}: there is no exercise {row['exercise']}")
        kernel = (exercises / "solutions" / f"{name}.hpp").read_text()
        if kernel.count(row["find"]) != 1:
            sys.exit(f"{table}: {wrong}: `{row['find']}` is in the solution {kernel.count(row['find'])} times")
        kernel = kernel.replace(row["find"], row["replace"])
        parts.append(entry(f"wrong_{wrong}", kernel, (exercises / name / "check.hpp").read_text()))
        rows.append(f'    {{"wrong", "{wrong}", R"({row["says"]})", wrong_{wrong}::exercise}},\n')
    out.write_text('#include "candidates.hpp"\n\n' + "\n".join(parts) +
                   "\nconst std::vector<candidate> candidates{\n" + "".join(rows) + "};\n")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:4]))
