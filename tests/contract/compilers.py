#!/usr/bin/env python3
"""Compiles the library and the golden program with other compilers, as far as they are here, and runs it: clang++ for this CPU, and
g++ for 64-bit Arm under qemu. Every result has the bits of golden.txt, and no source gives a warning.

usage: compilers.py SOURCE_DIR BUILD_DIR

BUILD_DIR/arm may have oneTBB and Highway for Arm, which tests/run puts there. Without them the program for Arm is header-only, and oneTBB
is replaced by the stand-in of tests/host. Exits with 77 where there is none of these compilers.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
ARM = "aarch64-linux-gnu"


def compilers():
    """Names on PATH: clang++, its versioned names, and g++ for Arm where qemu can run its programs."""
    clangs = ["clang++", *(f"clang++-{version}" for version in range(14, 30))]
    found = {pathlib.Path(path).resolve(): name for name in clangs if (path := shutil.which(name))}
    names = list(found.values())
    if shutil.which(f"{ARM}-g++") and shutil.which("qemu-aarch64") and pathlib.Path("/usr", ARM).is_dir():
        names.append(f"{ARM}-g++")
    return names


def build(compiler, root, build_dir, program):
    arm_libraries = build_dir / "arm/usr"
    is_arm = compiler.startswith(ARM)
    is_compiled = not is_arm or arm_libraries.is_dir()
    command = [compiler, "-std=c++20", "-O1", "-ffp-contract=off", "-pthread", "-DPARPRIMS_HAS_CUDA=0", *WARNINGS,
               f"-I{root / 'include'}", f"-I{build_dir / 'include'}", "-o", program, root / "tests/contract/host.cpp"]
    if is_compiled:
        command += [*sorted((root / "lib").glob("*.cpp")), f"-I{root / 'lib'}"]
        if is_arm:
            command += ["-isystem", arm_libraries / "include", f"-L{arm_libraries / 'lib' / ARM}"]
        command += ["-ltbb", "-lhwy"]
    else:
        command += ["-DPARPRIMS_HEADER_ONLY", "-isystem", root / "tests/host/stand_in"]
    runner = ["qemu-aarch64", "-L", f"/usr/{ARM}", "-E", f"LD_LIBRARY_PATH={arm_libraries / 'lib' / ARM}"] if is_arm else []
    return ("compiled library" if is_compiled else "header-only"), command, runner


def main(source, build_folder):
    root, build_dir = pathlib.Path(source), pathlib.Path(build_folder)
    names = compilers()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            program = pathlib.Path(folder) / name
            what, command, runner = build(name, root, build_dir, program)
            if subprocess.run(command).returncode != 0:
                print(f"{name}, {what}: does not compile")
                failed += 1
                continue
            run = subprocess.run([*runner, program, root / "tests/contract/golden.txt"], capture_output=True, text=True)
            print(f"{name}, {what}: {run.stdout}{run.stderr}".rstrip())
            failed += run.returncode != 0
    if not names:
        print("no clang++, and no g++ for 64-bit Arm with qemu-user")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
