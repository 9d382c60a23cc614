#!/usr/bin/env python3
"""What the compiler made of each kernel in a compiled file: registers, spills, shared memory, instructions.

usage: kernels.py FILE [NEW_FILE] [--cuobjdump PROGRAM]
       kernels.py --self-test

FILE is an object, a program or a library with machine code. With NEW_FILE, prints the kernels that differ, those of one file
alone, and the sums. Kernels with one name, for several GPUs or in several objects, count together.
"""
import argparse
import collections
import re
import subprocess
import sys

FIELDS = ("registers", "stack bytes", "shared bytes", "instructions")


def resources(text):
    """Kernel to (registers, stack, shared), as `cuobjdump -res-usage` prints them."""
    found = collections.defaultdict(lambda: [0, 0, 0])
    for name, usage in re.findall(r"Function (\S+):\s*\n\s*(REG:.*)", text):
        values = dict(re.findall(r"(REG|STACK|SHARED):(\d+)", usage))
        mine = found[name]
        for i, field in enumerate(("REG", "STACK", "SHARED")):
            mine[i] = max(mine[i], int(values[field]))
    return found


def instructions(text):
    """Kernel to its number of instructions, as `cuobjdump -sass` prints them, without those that only fill it up."""
    counts, current = collections.Counter(), None
    for line in text.splitlines():
        if start := re.match(r"\s*Function : (\S+)", line):
            current = start[1]
        elif current and re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?!NOP)\S", line):
            counts[current] += 1
    return counts


def readable(names):
    try:
        text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return dict(zip(names, names))
    return {name: long.replace("parprims::detail::", "").replace("device::", "") for name, long in zip(names, text.splitlines())}


def kernels_of(path, cuobjdump):
    def printed(option):
        return subprocess.run([cuobjdump, option, path], capture_output=True, text=True, check=True).stdout

    counts = instructions(printed("-sass"))
    return {name: (*usage, counts[name]) for name, usage in resources(printed("-res-usage")).items()}


def report(old, new=None):
    names = readable(sorted(old | (new or {})))
    lines = ["  ".join(FIELDS)]
    for name, shown in names.items():
        before, after = old.get(name), new.get(name) if new is not None else None
        if new is None:
            lines.append("  ".join(map(str, before)) + f"  {shown}")
        elif before != after:
            cells = [str(b) if before and after and b == a else f"{b} -> {a}"
                     for b, a in zip(before or "----", after or "----")]
            lines.append("  ".join(cells) + f"  {shown}")
    for word, all_of in (("", old),) if new is None else (("before: ", old), ("after: ", new)):
        spilling = sum(usage[1] > 0 for usage in all_of.values())
        lines.append(f"{word}{len(all_of)} kernels, {sum(usage[3] for usage in all_of.values())} instructions, "
                     f"{spilling} with a stack")
    return "\n".join(lines)


def self_test():
    usage = resources("Resource usage:\n Function k1:\n  REG:32 STACK:8 SHARED:128 LOCAL:0 CONSTANT[0]:4\n"
                      " Function k2:\n  REG:10 STACK:0 SHARED:0 LOCAL:0\n")
    assert {**usage} == {"k1": [32, 8, 128], "k2": [10, 0, 0]}
    counts = instructions("\t\tFunction : k1\n        /*0000*/                   LDC R1, c[0x0][0x28] ;  /* 0x1 */\n"
                          "                                   /* 0x000fe2 */\n        /*0010*/                   EXIT ;\n"
                          "        /*0020*/                   NOP ;\n")
    assert counts == {"k1": 2}
    old, new = {"k1": (32, 8, 128, 2), "k2": (10, 0, 0, 5)}, {"k1": (30, 0, 128, 2), "k3": (9, 0, 0, 4)}
    text = report(old, new)
    assert "32 -> 30  8 -> 0  128  2  k1" in text and "10 -> -" in text and "- -> 9" in text, text
    assert "before: 2 kernels, 7 instructions, 1 with a stack" in text and "after: 2 kernels, 6 instructions, 0 with" in text
    print("kernels.py: self-test passed")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("file")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    asked = parser.parse_args()
    old = kernels_of(asked.file, asked.cuobjdump)
    print(report(old, kernels_of(asked.new, asked.cuobjdump) if asked.new else None))


if __name__ == "__main__":
    self_test() if sys.argv[1:] == ["--self-test"] else main()
