#!/usr/bin/env python3
"""Checks that a shared library exports (lib/cmake/exports.map) all of its functions that the objects of programs call.

usage: exports.py SHARED_LIBRARY FOLDER

FOLDER has object files that call, between them, all that headers declare.
"""
import pathlib
import subprocess
import sys


def symbols(*arguments):
    lines = subprocess.run(["nm", "-P", *map(str, arguments)], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0] for line in lines if " " in line}


def main(library, folder):
    defined = {name for name in symbols("--defined-only", library) if "8parprims" in name}
    exported = {name for name in symbols("-D", "--defined-only", library) if "8parprims" in name}
    objects = sorted(pathlib.Path(folder).rglob("*.o"))
    called = {name for path in objects for name in symbols("--undefined-only", path)} & defined
    hidden = sorted(called - exported)
    for name in hidden:
        print(f"called, and not exported: {name}")
    print(f"{len(exported)} of {len(defined)} symbols are exported; {len(objects)} objects call {len(called)} of them")
    return 1 if hidden or not called else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
