#!/usr/bin/env python3
"""Checks what the compiler says of programs that must not compile: the first error is a sentence of ours, and the output is
short.

A program holds several of them. Each has a line at its beginning and a part of the program:
    // expect NAME [FLAG...]: TEXT     compiled with -DNAME, the first error contains TEXT
    // every NAME N: TEXT              compiled with -DNAME, there are N errors, and each contains TEXT
    // compiles [FLAG...]              and without any of the parts it compiles, without a warning

Parts with the same flags are compiled together: each is the program without its includes in a namespace in_NAME, from a file in
a folder of that name, so that all that the compiler writes of a part names it. A part of which that shows anything but what is
expected is compiled by itself, which decides: an error of one may hide another's.

usage: check.py PROGRAM COMPILER [FLAG...] | check.py --self-test COMPILER
"""
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

MOST_LINES = 29
EXPECT = re.compile(r"// expect (\w+)((?: -\S+)*): (.+)")
EVERY = re.compile(r"// every (\w+) (\d+): (.+)")
COMPILES = re.compile(r"// compiles((?: -\S+)*)")
INCLUDE = re.compile(r"#include <.*")
CONTEXT = re.compile(r"In file included from| +from |\S+: (?:In|At) |\S+:   (?:recursively required|required|in) ")  # g++: before its error
FIRST_LINE = re.compile(r"error:|warning(?: #\S+)?:")


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    expected: str
    flags: str = ""
    number: int = 0  # of its errors, if each counts


def fault_in(lines, part):
    """What is wrong with the messages of a part, or nothing."""
    errors = [line for line in lines if "error:" in line] or ["no error"]
    other = next((line for line in (errors if part.number else errors[:1]) if part.expected not in line), None)
    if other is not None:
        return f"{'an' if part.number else 'the first'} error is not `{part.expected}` but:\n{other}"
    if part.number and len(errors) != part.number:
        return f"there are {len(errors)} errors, not {part.number}:\n" + "\n".join(errors)
    most = MOST_LINES * max(part.number, 1)
    if len(lines) > most:
        return f"the compiler writes {len(lines)} lines, more than {most}:\n" + "\n".join(lines)
    return ""


def run(command):
    """Whether the compiler takes it, and the lines that it writes."""
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode == 0, (result.stdout + result.stderr).splitlines()


def check_alone(program, command, part):
    compiles, lines = run([*command, f"-D{part.name}", *part.flags.split(), str(program)])
    return "compiles" if compiles else fault_in(lines, part)


def messages_of(lines):
    """Of each error and warning its lines, with the notes after it."""
    messages, before = [[]], []
    for line in lines:
        if CONTEXT.match(line):
            before.append(line)
            continue
        if FIRST_LINE.search(line):
            messages.append([])
        messages[-1] += [*before, line]
        before = []
    return messages


def write_together(program, parts, folder):
    """A program of all the parts."""
    lines = program.read_text().splitlines()
    begin = max(i for i, line in enumerate(lines) if INCLUDE.match(line)) + 1 if any(map(INCLUDE.match, lines)) else 0
    together = [line for line in lines[:begin] if INCLUDE.match(line)]
    for part in parts:
        text = pathlib.Path(folder, f"in_{part.name}", program.name)
        text.parent.mkdir(exist_ok=True)
        text.write_text("\n" * begin + "\n".join(lines[begin:]) + "\n")
        together += [f"#define {part.name}", f"namespace in_{part.name} {{", f'#include "{text}"', "}", f"#undef {part.name}"]
    result = pathlib.Path(folder, f"together{program.suffix}")
    result.write_text("\n".join(together) + "\n")
    return result


def right_together(program, command, parts, folder):
    """The parts of which the compiler says what it should, where all are in one program."""
    compiles, lines = run([*command, *parts[0].flags.split(), str(write_together(program, parts, folder))])
    lines_of = {part.name: [] for part in parts}
    others = []
    for message in messages_of(lines):
        names = set(re.findall(r"\bin_(\w+)\b", "\n".join(message))) & lines_of.keys()
        if len(names) == 1:
            lines_of[names.pop()] += message
        else:
            others += [line for line in message if "error:" in line]
    # nvcc leaves out the line of the program in a few cases. An error that is not of a part without any is taken for anybody's.
    silent = [part.expected for part in parts if not lines_of[part.name]]
    if compiles or any(not any(expected in line for expected in silent) for line in others):
        return []
    return [part for part in parts if not fault_in(lines_of[part.name], part)]


def check_parts(program, command, parts, folder):
    """What is wrong with parts of the same flags, as (name, text). Errors of instances hide those of code for the GPU, so there are
    rounds."""
    left, right = parts, parts
    while right and len(left) > 1:
        right = right_together(program, command, left, folder)
        left = [part for part in left if part not in right]
    return [(part.name, check_alone(program, command, part)) for part in left]


def check_control(command):
    compiles, lines = run(command)
    if not compiles:
        return "does not compile:\n" + "\n".join(lines)
    return "is not compiled in silence:\n" + "\n".join(lines) if lines else ""


def check(program, compiler, flags):
    """What is wrong, one text each."""
    command = [compiler, *flags]
    head = [line for line in program.read_text().splitlines() if line.startswith("// ")]
    parts = [Part(match[1], match[3], match[2]) for match in map(EXPECT.fullmatch, head) if match]
    parts += [Part(match[1], match[3], number=int(match[2])) for match in map(EVERY.fullmatch, head) if match]
    controls = [match for match in map(COMPILES.fullmatch, head) if match]
    if len(controls) != 1:
        return [f"{program.name}: has {len(controls)} lines `// compiles`, not one"]
    found = [("the rest", check_control([*command, *controls[0][1].split(), str(program)]))]
    with tempfile.TemporaryDirectory() as folder:
        for flags_of_parts in sorted({part.flags for part in parts}):
            found += check_parts(program, command, [part for part in parts if part.flags == flags_of_parts], folder)
    return [f"{program.name}: {name}: {wrong}" for name, wrong in found if wrong]


def self_test(compiler):
    good = '#ifdef A\nstatic_assert(sizeof(char) > 1, "too small");\n#endif\n'
    noise = "".join(f"int x{i} = undeclared{i};\n" for i in range(10))
    two = "// expect A: too small\n// expect B: too small\n// compiles\n" + good
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
        (two + good.replace("A", "B"), ""),
        (two, "compiles"),
        (two + "#ifdef B\nint x = undeclared;\n" + good.replace("#ifdef A", ""), "the first error is not"),
        (two + "#ifdef B\n" + good.replace("#ifdef A\n", "").replace("#endif", noise + "#endif"), "lines, more than"),
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
