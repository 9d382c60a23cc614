#!/usr/bin/env python3
"""Checks what the compiler says of programs that must not compile: the first error is a sentence of ours, and the output is
short.

A program holds several of them. Each has a line at its beginning and a part of the program:
    // expect NAME [FLAG...]: TEXT     compiled with -DNAME, the first error contains TEXT
    // every NAME N: TEXT              compiled with -DNAME, there are N errors, and each contains TEXT
    // compiles [FLAG...]              and without any of the parts it compiles, without a warning

The headers that it includes are compiled once, for parts without flags of their own, where the compiler is g++.

usage: check.py PROGRAM COMPILER [FLAG...] | check.py --self-test COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MOST_LINES = 29
EXPECT = re.compile(r"// expect (\w+)((?: -\S+)*): (.+)")
EVERY = re.compile(r"// every (\w+) (\d+): (.+)")
COMPILES = re.compile(r"// compiles((?: -\S+)*)")


def check_part(command, expected, number=0):
    """What is wrong with the messages of a program that must not compile, or nothing. `number`: of its errors, if each counts."""
    result = subprocess.run(command, capture_output=True, text=True)
    lines = (result.stdout + result.stderr).splitlines()
    if result.returncode == 0:
        return "compiles"
    errors = [line for line in lines if "error:" in line] or ["no error"]
    other = next((line for line in (errors if number else errors[:1]) if expected not in line), None)
    if other is not None:
        return f"{'an' if number else 'the first'} error is not `{expected}` but:\n{other}"
    if number and len(errors) != number:
        return f"there are {len(errors)} errors, not {number}:\n" + "\n".join(errors)
    most = MOST_LINES * max(number, 1)
    if len(lines) > most:
        return f"the compiler writes {len(lines)} lines, more than {most}:\n" + "\n".join(lines)
    return ""


def check_control(command):
    result = subprocess.run(command, capture_output=True, text=True)
    output = result.stdout + result.stderr
    if result.returncode != 0:
        return "does not compile:\n" + output
    return "is not compiled in silence:\n" + output if output.strip() else ""


def compile_headers(program, command, folder):
    """Flags that bring the headers of the program in compiled form, or none."""
    header = pathlib.Path(folder, "headers.hpp")
    header.write_text("".join(re.findall(r"^#include <.*\n", program.read_text(), re.MULTILINE)))
    compile_it = [flag for flag in command if flag != "-fsyntax-only"]
    result = subprocess.run([*compile_it, "-x", "c++-header", "-o", f"{header}.gch", str(header)], capture_output=True)
    return ["-include", str(header)] if result.returncode == 0 else []


def check(program, compiler, flags):
    """What is wrong, one text each."""
    with tempfile.TemporaryDirectory() as folder:
        return check_with(program, [compiler, *flags], folder)


def check_with(program, command, folder):
    head = [line for line in program.read_text().splitlines() if line.startswith("// ")]
    parts = [match for match in map(EXPECT.fullmatch, head) if match]
    controls = [match for match in map(COMPILES.fullmatch, head) if match]
    if len(controls) != 1:
        return [f"{program.name}: has {len(controls)} lines `// compiles`, not one"]
    headers = [] if program.suffix == ".cu" else compile_headers(program, command, folder)

    def with_flags(name, flags):
        return [*command, *([] if flags else headers), str(program), *name, *flags.split()]

    found = [(match[1], check_part(with_flags([f"-D{match[1]}"], match[2]), match[3])) for match in parts]
    found += [(match[1], check_part(with_flags([f"-D{match[1]}"], ""), match[3], int(match[2])))
              for match in map(EVERY.fullmatch, head) if match]
    found.append(("the rest", check_control(with_flags([], controls[0][1]))))
    return [f"{program.name}: {name}: {wrong}" for name, wrong in found if wrong]


def self_test(compiler):
    good = '#ifdef A\nstatic_assert(sizeof(char) > 1, "too small");\n#endif\n'
    noise = "".join(f"int x{i} = undeclared{i};\n" for i in range(10))
    cases = [  # text, what must be found wrong; nothing: good
        ("// expect A: too small\n// compiles\n" + good, ""),
        ("// expect A: too small\n// compiles\n#ifndef A\n#error B\n#endif\n" + good, "does not compile"),
        ("// expect A: too small\n// compiles\n#warning B\n" + good, "in silence"),
        ("// expect A: too small\n// compiles\n", "compiles"),
        ("// expect A: too small\n// compiles\n#ifdef A\nint x = undeclared;\n#endif\n" + good, "the first error is not"),
        ("// expect A: too small\n// compiles\n" + good.replace("#endif", noise + "#endif"), "lines, more than"),
        ("// expect A: too small\n" + good, "not one"),
        ("// every A 2: too small\n// compiles\n" + 2 * good, ""),
        ("// every A 2: too small\n// compiles\n" + good, "errors, not 2"),
        ("// every A 2: too small\n// compiles\n#ifdef A\nint x = undeclared;\n#endif\n" + good, "an error is not"),
    ]
    for text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.cpp")
            program.write_text(text)
            wrong = check(program, compiler, ["-fsyntax-only"])
            assert (len(wrong) == 1 and expected in wrong[0] if expected else not wrong), (text, expected, wrong)
    print(f"{sum(expected != '' for _, expected in cases)} known-bad programs are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test(sys.argv[2])
    else:
        errors = check(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
        print("\n".join(errors))
        sys.exit(1 if errors else 0)
