#!/usr/bin/env python3
"""Compiles the header-only golden program with other compilers, as far as they are here, and runs it: clang++ for this CPU, and g++
for 64-bit Arm under qemu. Every result has the bits of golden.txt.

usage: compilers.py SOURCE_DIR INCLUDE_DIR

INCLUDE_DIR has the build's parprims/detail/build_config.hpp. oneTBB is replaced by the stand-in of tests/host, which any compiler has. Exits
with 77 where there is none of these compilers.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ARM_LIBRARIES = "/usr/aarch64-linux-gnu"
# Name, compiler and flags, and what runs the program.
WAYS = [
    ("clang++, this CPU", ["clang++", "-O3", "-march=native"], []),
    ("g++, 64-bit Arm", ["aarch64-linux-gnu-g++", "-O1"], ["qemu-aarch64", "-L", ARM_LIBRARIES]),
]


def is_here(compiler, runner):
    needs_arm = any("aarch64" in word for word in compiler)
    return all(shutil.which(program) for program in (compiler[0], *runner[:1])) and (
        not needs_arm or pathlib.Path(ARM_LIBRARIES).is_dir())


def main(source, include):
    root = pathlib.Path(source)
    flags = ["-std=c++20", "-pthread", "-DPARPRIMS_HEADER_ONLY", "-DPARPRIMS_HAS_CUDA=0", f"-I{root / 'tests/host/stand_in'}",
             f"-I{root / 'include'}", f"-I{include}"]
    tried = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, compiler, runner in WAYS:
            if not is_here(compiler, runner):
                print(f"{name}: not here")
                continue
            tried += 1
            program = pathlib.Path(folder) / f"golden_{tried}"
            command = [*compiler, *flags, root / "tests/contract/host.cpp", "-o", program]
            if subprocess.run(command).returncode != 0:
                print(f"{name}: does not compile")
                failed += 1
                continue
            run = subprocess.run([*runner, program, root / "tests/contract/golden.txt"], capture_output=True, text=True)
            print(f"{name}: {run.stdout}{run.stderr}".rstrip())
            failed += run.returncode != 0
    return 77 if tried == 0 else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
