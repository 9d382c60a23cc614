#!/usr/bin/env python3
"""Planted bugs: makes copies of headers with bugs that a number turns on, and judges whether the tests' tools see each.

usage: mutants.py list                                         prints a line a mutant: name header program variant
       mutants.py apply PROGRAM VARIANT INCLUDE_DIR OUT_DIR    writes OUT_DIR/parprims/<header>, each that has bugs
       mutants.py run NAME PROGRAM_FILE                        fails unless the assigned tool kills the mutant
       mutants.py control PROGRAM_FILE SEEDS                   fails unless the program, with no bug on, passes every seed
       mutants.py self-test

A mutant is a table of mutants.toml: `what` is wrong with it; the `header` below include/parprims; the regular expression
to `find`, which must match exactly once, and what to `replace` its first group with, or all of it where it has no group: a
statement or an expression; the `program` (a source beside it) that runs the kernel; the `tool` that has to see it, and what its
report must say (`expect`, a regular expression). See docs/testing.md.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

SEEDS = 12
FIELDS = {"what", "header", "program", "tool", "expect", "find", "replace"}

# What a run looks like that a tool has ended: its exit status and a line of its report. The programs exit with 1 after
# a wrong answer and with 2 after a report of the executor.
TOOLS = {
    "plain": (1, r"^wrong answer: "),
    "watchdog": (2, r"^executor: "),
    "asan": (99, r"ERROR: AddressSanitizer: |: runtime error: "),
    "tsan": (99, r"WARNING: ThreadSanitizer: "),
}


class Fault(Exception):
    pass


def read(text):
    """The mutants by name. Each has its name in it, too, and its number, from 1."""
    mutants = tomllib.loads(text)
    for number, (name, mutant) in enumerate(mutants.items(), 1):
        if set(mutant) != FIELDS:
            raise Fault(f"{name}: missing or unknown: {', '.join(sorted(set(mutant) ^ FIELDS))}")
        if mutant["tool"] not in TOOLS:
            raise Fault(f"{name}: no tool {mutant['tool']}")
        mutant |= {"name": name, "number": number}
    return mutants


def read_all():
    return read(pathlib.Path(__file__).with_name("mutants.toml").read_text())


def variant(mutant):
    """With which flags its program is compiled."""
    return "plain" if mutant["tool"] == "watchdog" else mutant["tool"]


def place(mutant, text):
    """Where the bug goes in the header's text, what is there, and what replaces it."""
    matches = list(re.finditer(mutant["find"], text))
    if len(matches) != 1:
        raise Fault(f"{mutant['name']}: {mutant['header']} has {len(matches)} places, not one, that match\n{mutant['find']}\n"
                    "Has the kernel changed? Then plant the bug in the new text (docs/testing.md).")
    match = matches[0]
    group = 1 if match.re.groups else 0
    bug = match.expand(mutant["replace"])
    if bug == match[group]:
        raise Fault(f"{mutant['name']}: nothing is changed")
    return match.span(group), match[group], bug


def mutated(mutants, text):
    """The header's text with a choice in the place of each bug."""
    places = []
    for mutant in mutants:
        span, right, bug = place(mutant, text)
        is_on = f"::mutants::planted == {mutant['number']}"
        if right.endswith(";"):
            choice = f"if ({is_on}) {{ {bug} }} else {{ {right} }}"
        else:
            choice = f"({is_on} ? ({bug}) : ({right}))"
        places.append((span, choice, mutant["name"]))
    places.sort()
    for (before, _, name), (after, _, next_name) in zip(places, places[1:]):
        if before[1] > after[0]:
            raise Fault(f"{name} and {next_name} are in one place")
    for (begin, end), choice, _ in reversed(places):
        text = text[:begin] + choice + text[end:]
    return text


def apply(mutants, include_dir, out_dir):
    out = pathlib.Path(out_dir) / "parprims"
    if out.resolve() == (pathlib.Path(include_dir) / "parprims").resolve():
        raise Fault(f"{out} is read, and would be overwritten")
    shutil.rmtree(out, ignore_errors=True)  # no bug of yesterday
    for header in {mutant["header"] for mutant in mutants}:
        text = (pathlib.Path(include_dir) / "parprims" / header).read_text()
        planted = mutated([mutant for mutant in mutants if mutant["header"] == header], text)
        (out / header).parent.mkdir(parents=True, exist_ok=True)
        (out / header).write_text(planted)


def run(program, planted, seeds=SEEDS):
    """Exit status and output of a run of so many seeds, one after the other, with the mutant of that number on; 0 is none."""
    options = {name: "exitcode=99:halt_on_error=1" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")}
    options["TSAN_OPTIONS"] += ":atexit_sleep_ms=0"  # there is no other thread to wait for
    try:
        done = subprocess.run([program, str(seeds), str(planted)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env={**os.environ, **options}, timeout=550, check=False)
    except subprocess.TimeoutExpired as late:
        raise Fault(f"the program runs for more than {late.timeout} s:\n{late.output}") from None
    return done.returncode, done.stdout


def verdict(mutant, code, output):
    """The seed with which the assigned tool has ended the run. Any other end is a fault: it proves nothing."""
    status, report = TOOLS[mutant["tool"]]
    if code == 0:
        raise Fault(f"SURVIVED: {mutant['what']}: no seed was seen to fail")
    if code != status or not re.search(report, output, re.MULTILINE):
        raise Fault(f"the program failed, but not as {mutant['tool']} does (exit status {code}):\n{output}")
    if not re.search(mutant["expect"], output, re.MULTILINE):
        raise Fault(f"the report does not say {mutant['expect']!r}:\n{output}")
    seeds = re.findall(r"^seed (\d+)$", output, re.MULTILINE)
    if not seeds:
        raise Fault(f"the program ended before its first seed:\n{output}")
    return int(seeds[-1])


def judge(mutant, program):
    seed = verdict(mutant, *run(program, mutant["number"]))
    print(f"{mutant['what']}: seen by {mutant['tool']} with seed {seed}")


def check_control(seeds, code, output):
    if code != 0 or f"seed {seeds}\n" not in output:
        raise Fault(f"the unmutated program failed (exit status {code}):\n{output}")


def fails(function, *arguments):
    try:
        function(*arguments)
    except Fault:
        return True
    return False


def self_test():
    mutant = {"what": "w", "header": "h.hpp", "program": "p", "tool": "plain", "expect": "case 3", "find": "b",
              "replace": "c", "name": "one", "number": 3}
    assert mutated([mutant], "abd") == "a(::mutants::planted == 3 ? (c) : (b))d"
    statement = {**mutant, "find": r"(b(\w);)d", "replace": r"\2(),"}  # what is there decides, not the bug
    assert mutated([statement], "abe;de;") == "aif (::mutants::planted == 3) { e(), } else { be; }de;"
    other = {**mutant, "name": "two", "number": 4, "find": "a"}
    both = "(::mutants::planted == 4 ? (c) : (a))(::mutants::planted == 3 ? (c) : (b))d"
    assert mutated([mutant, other], "abd") == both
    for mutants, text, expected in [
            ([mutant], "ad", "one: h.hpp has 0 places"),
            ([mutant], "abbd", "one: h.hpp has 2 places"),
            ([{**mutant, "replace": "b"}], "abd", "one: nothing is changed"),
            ([mutant, {**other, "find": "abd"}], "abd", "two and one are in one place")]:
        try:
            mutated(mutants, text)
            raise AssertionError(expected)
        except Fault as fault:
            assert str(fault).startswith(expected), fault

    seen = (1, "seed 1\nseed 2\nwrong answer: case 3\n")
    assert verdict(mutant, *seen) == 2
    assert fails(verdict, mutant, 0, "seed 1\nseed 2\n"), "it survives"
    assert fails(verdict, mutant, -11, "seed 1\nwrong answer: case 3\n"), "it crashes"
    assert fails(verdict, mutant, 1, "seed 1\nwrong answer: case 4\n"), "another answer is wrong"
    assert fails(verdict, mutant, 2, "seed 1\nexecutor: case 3\n"), "another tool sees it"
    assert fails(verdict, {**mutant, "tool": "asan"}, *seen), "the assigned tool does not see it"
    assert fails(verdict, mutant, 1, "wrong answer: case 3\n"), "no seed was run"
    check_control(2, 0, "seed 1\nseed 2\n")
    assert fails(check_control, 2, 1, "seed 2\nwrong answer: x\n"), "the control fails"
    assert fails(check_control, 2, 0, "seed 1\n"), "the control ends early"
    assert verdict({**mutant, "tool": "tsan"}, 99, "seed 1\nWARNING: ThreadSanitizer: data race\n  case 3\n") == 1

    with tempfile.TemporaryDirectory() as folder:
        assert fails(read, "[bad]\nwhat = 'w'\n"), "fields are missing"
        header = pathlib.Path(folder) / "in" / "parprims" / "h.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("abd")
        out = pathlib.Path(folder) / "out"
        apply([mutant], header.parent.parent, out)
        assert "planted == 3" in (out / "parprims" / "h.hpp").read_text()
        header.write_text("ad")
        assert fails(apply, [mutant], header.parent.parent, out)
        assert not (out / "parprims" / "h.hpp").exists(), "the old mutant is still there"
        assert fails(apply, [mutant], header.parent.parent, f"{folder}/out/../in") and header.exists(), "headers are overwritten"


def main():
    match sys.argv[1:]:
        case ["list"]:
            for name, mutant in read_all().items():
                print(name, mutant["header"], mutant["program"], variant(mutant))
        case ["apply", program, flags, include_dir, out_dir]:
            apply([mutant for mutant in read_all().values()
                   if (mutant["program"], variant(mutant)) == (program, flags)], include_dir, out_dir)
        case ["run", name, program]:
            judge(read_all()[name], program)
        case ["control", program, seeds]:
            check_control(seeds, *run(program, 0, seeds))
        case ["self-test"]:
            self_test()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(f"{sys.argv[2] if sys.argv[1] == 'run' else 'mutants'}: {fault}")
