#!/usr/bin/env python3
"""Planted bugs: makes a mutated copy of a header, and judges whether the tests' tools see the mutant.

usage: mutants.py apply MUTANT.toml INCLUDE_DIR OUT_DIR    writes OUT_DIR/parprims/<header>
       mutants.py run MUTANT.toml PROGRAM                  fails unless the assigned tool kills the mutant
       mutants.py control PROGRAM                          fails unless the program, unmutated, passes every seed
       mutants.py self-test

A mutant is a TOML file: `what` is wrong with it; the `header` below include/parprims, and the text to `find`, which must
be there exactly once, and to `replace`; the `program` (a source beside it) that runs the kernel; the `tool` that has to
see it, and what its report must say (`expect`, a regular expression). See docs/testing.md.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

SEEDS = range(1, 21)
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


def read(path):
    mutant = tomllib.loads(pathlib.Path(path).read_text())
    if set(mutant) != FIELDS:
        raise Fault(f"{path}: missing or unknown: {', '.join(sorted(set(mutant) ^ FIELDS))}")
    if mutant["tool"] not in TOOLS:
        raise Fault(f"{path}: no tool {mutant['tool']}")
    return mutant


def mutated(mutant, text):
    """The header's text with the bug in it."""
    count = text.count(mutant["find"])
    if count != 1:
        raise Fault(f"{mutant['header']} has {count} places, not one, that read\n{mutant['find']}\n"
                    "Has the kernel changed? Then plant the bug in the new text (docs/testing.md).")
    if mutant["find"] == mutant["replace"]:
        raise Fault("nothing is changed")
    return text.replace(mutant["find"], mutant["replace"])


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
    """How many runs the assigned tool has ended. Any other end but a good one is a fault: it proves nothing."""
    status, report = TOOLS[mutant["tool"]]
    killed = 0
    for seed, (code, output) in runs:
        if code == 0:
            continue
        if code != status or not re.search(report, output, re.MULTILINE):
            raise Fault(f"seed {seed} failed, but not as {mutant['tool']} does (exit status {code}):\n{output}")
        if not re.search(mutant["expect"], output, re.MULTILINE):
            raise Fault(f"seed {seed}: the report does not say {mutant['expect']!r}:\n{output}")
        killed += 1
    if killed == 0:
        raise Fault(f"SURVIVED: {mutant['what']}: no seed was seen to fail")
    return killed


def judge(mutant, program):
    killed = verdict(mutant, ((seed, run(program, seed)) for seed in SEEDS))
    print(f"{mutant['what']}: seen by {mutant['tool']} in {killed} of {len(SEEDS)} runs")


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

    good, seen = (0, ""), (1, "wrong answer: case 3\n")
    assert verdict(mutant, [(1, good), (2, seen), (3, seen)]) == 2
    assert fails(verdict, mutant, [(1, good), (2, good)]), "it survives"
    assert fails(verdict, mutant, [(1, seen), (2, (-11, ""))]), "it crashes"
    assert fails(verdict, mutant, [(1, (1, "wrong answer: case 4\n"))]), "another answer is wrong"
    assert fails(verdict, mutant, [(1, (2, "executor: case 3\n"))]), "another tool sees it"
    assert fails(verdict, {**mutant, "tool": "asan"}, [(1, seen)]), "the assigned tool does not see it"
    race = (99, "WARNING: ThreadSanitizer: data race\n  case 3\n")
    assert verdict({**mutant, "tool": "tsan"}, [(1, race)]) == 1

    with tempfile.TemporaryDirectory() as folder:
        bad = pathlib.Path(folder) / "bad.toml"
        bad.write_text("what = 'w'\n")
        assert fails(read, bad), "fields are missing"
        header = pathlib.Path(folder) / "in" / "parprims" / "h.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("abd")
        out = pathlib.Path(folder) / "out"
        apply(mutant, header.parent.parent, out)
        assert (out / "parprims" / "h.hpp").read_text() == "acd"
        header.write_text("ad")
        assert fails(apply, mutant, header.parent.parent, out)
        assert not (out / "parprims" / "h.hpp").exists(), "the old mutant is still there"
    for path in pathlib.Path(__file__).parent.glob("*.toml"):
        read(path)


def main():
    match sys.argv[1:]:
        case ["apply", path, include_dir, out_dir]:
            apply(read(path), include_dir, out_dir)
        case ["run", path, program]:
            judge(read(path), program)
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
        name = next((each for each in sys.argv if each.endswith(".toml")), "")
        sys.exit(f"{pathlib.Path(name).stem or 'mutants'}: {fault}")
