#!/usr/bin/env python3
"""Planted bugs: makes a mutated copy of a header, and judges whether the tests' tools see the mutant.

usage: mutants.py list                                 prints a line a mutant: name header program tool
       mutants.py apply NAME INCLUDE_DIR OUT_DIR       writes OUT_DIR/parprims/<header>
       mutants.py run NAME PROGRAM                     fails unless the assigned tool kills the mutant
       mutants.py control PROGRAM                      fails unless the program, unmutated, passes every seed
       mutants.py self-test

A mutant is a table of mutants.toml: `what` is wrong with it; the `header` below include/parprims; the regular expression
to `find`, which must match exactly once, and what to `replace` it with; the `program` (a source beside it) that runs the
kernel; the `tool` that has to see it, and what its report must say (`expect`, a regular expression). See docs/testing.md.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

SEEDS = range(1, 13)
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
    mutants = tomllib.loads(text)
    for name, mutant in mutants.items():
        if set(mutant) != FIELDS:
            raise Fault(f"{name}: missing or unknown: {', '.join(sorted(set(mutant) ^ FIELDS))}")
        if mutant["tool"] not in TOOLS:
            raise Fault(f"{name}: no tool {mutant['tool']}")
    return mutants


def read_all():
    return read(pathlib.Path(__file__).with_name("mutants.toml").read_text())


def mutated(mutant, text):
    """The header's text with the bug in it."""
    planted, count = re.subn(mutant["find"], mutant["replace"], text)
    if count != 1:
        raise Fault(f"{mutant['header']} has {count} places, not one, that match\n{mutant['find']}\n"
                    "Has the kernel changed? Then plant the bug in the new text (docs/testing.md).")
    if planted == text:
        raise Fault("nothing is changed")
    return planted


def apply(mutant, include_dir, out_dir):
    target = pathlib.Path(out_dir) / "parprims" / mutant["header"]
    target.unlink(missing_ok=True)  # no bug of yesterday
    text = mutated(mutant, (pathlib.Path(include_dir) / "parprims" / mutant["header"]).read_text())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def run(program, seed):
    """Exit status and output of a run."""
    options = {name: "exitcode=99:halt_on_error=1" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")}
    options["TSAN_OPTIONS"] += ":atexit_sleep_ms=0"  # there is no other thread to wait for
    done = subprocess.run([program, str(seed)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env={**os.environ, **options}, timeout=300, check=False)
    return done.returncode, done.stdout


def verdict(mutant, runs):
    """The seed of the first run that the assigned tool has ended; later ones are not made. Before it, any other end but a good
    one is a fault: it proves nothing."""
    status, report = TOOLS[mutant["tool"]]
    for seed, (code, output) in runs:
        if code == 0:
            continue
        if code != status or not re.search(report, output, re.MULTILINE):
            raise Fault(f"seed {seed} failed, but not as {mutant['tool']} does (exit status {code}):\n{output}")
        if not re.search(mutant["expect"], output, re.MULTILINE):
            raise Fault(f"seed {seed}: the report does not say {mutant['expect']!r}:\n{output}")
        return seed
    raise Fault(f"SURVIVED: {mutant['what']}: no seed was seen to fail")


def judge(mutant, program):
    seed = verdict(mutant, ((seed, run(program, seed)) for seed in SEEDS))
    print(f"{mutant['what']}: seen by {mutant['tool']} with seed {seed}")


def control(program):
    for seed in SEEDS:
        code, output = run(program, seed)
        if code != 0:
            raise Fault(f"the unmutated program failed with seed {seed} (exit status {code}):\n{output}")


def fails(function, *arguments):
    try:
        function(*arguments)
    except Fault:
        return True
    return False


def self_test():
    mutant = {"what": "w", "header": "h.hpp", "program": "p", "tool": "plain", "expect": "case 3", "find": "b",
              "replace": "c"}
    assert mutated(mutant, "abd") == "acd"
    assert fails(mutated, mutant, "ad"), "the text is gone"
    assert fails(mutated, mutant, "abbd"), "the text is there twice"
    assert fails(mutated, {**mutant, "replace": "b"}, "abd"), "nothing changes"
    assert mutated({**mutant, "find": r"b(\w)", "replace": r"\1"}, "abd") == "ad"

    good, seen = (0, ""), (1, "wrong answer: case 3\n")
    assert verdict(mutant, [(1, good), (2, seen), (3, seen)]) == 2
    assert fails(verdict, mutant, [(1, good), (2, good)]), "it survives"
    assert fails(verdict, mutant, [(1, (-11, "")), (2, seen)]), "it crashes"
    assert fails(verdict, mutant, [(1, (1, "wrong answer: case 4\n"))]), "another answer is wrong"
    assert fails(verdict, mutant, [(1, (2, "executor: case 3\n"))]), "another tool sees it"
    assert fails(verdict, {**mutant, "tool": "asan"}, [(1, seen)]), "the assigned tool does not see it"
    race = (99, "WARNING: ThreadSanitizer: data race\n  case 3\n")
    assert verdict({**mutant, "tool": "tsan"}, [(1, race)]) == 1

    with tempfile.TemporaryDirectory() as folder:
        assert fails(read, "[bad]\nwhat = 'w'\n"), "fields are missing"
        header = pathlib.Path(folder) / "in" / "parprims" / "h.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("abd")
        out = pathlib.Path(folder) / "out"
        apply(mutant, header.parent.parent, out)
        assert (out / "parprims" / "h.hpp").read_text() == "acd"
        header.write_text("ad")
        assert fails(apply, mutant, header.parent.parent, out)
        assert not (out / "parprims" / "h.hpp").exists(), "the old mutant is still there"


def main():
    match sys.argv[1:]:
        case ["list"]:
            for name, mutant in read_all().items():
                print(name, mutant["header"], mutant["program"], mutant["tool"])
        case ["apply", name, include_dir, out_dir]:
            apply(read_all()[name], include_dir, out_dir)
        case ["run", name, program]:
            judge(read_all()[name], program)
        case ["control", program]:
            control(program)
        case ["self-test"]:
            self_test()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(f"{sys.argv[2] if sys.argv[1] in ('apply', 'run') else 'mutants'}: {fault}")
