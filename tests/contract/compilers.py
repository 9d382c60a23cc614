#!/usr/bin/env python3
"""Compiles the library and the golden program with other compilers, as far as they are here, and runs it: the newest clang++ for this
CPU, and g++ for 64-bit Arm under qemu. Every result has the bits of golden.txt, and no source gives a warning. Older versions of
clang++ only read the sources.

usage: compilers.py SOURCE_DIR BUILD_DIR

BUILD_DIR/arm may have oneTBB and Highway for Arm, which tests/run puts there. Without them the program for Arm is header-only, and oneTBB
is replaced by the stand-in of tests/host. Exits with 77 where there is none of these compilers.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
ARM = "aarch64-linux-gnu"


def find_compilers():
    """Names on PATH: the versions of clang++, oldest first, and g++ for Arm where qemu can run its programs."""
    names = [name for name in ["clang++", *(f"clang++-{version}" for version in range(14, 30))] if shutil.which(name)]
    versions = {}
    for name in names:
        version = subprocess.run([name, "-dumpversion"], capture_output=True, text=True, check=True).stdout
        versions.setdefault(tuple(map(int, version.strip().split("."))), name)
    has_arm = shutil.which(f"{ARM}-g++") and shutil.which("qemu-aarch64") and pathlib.Path("/usr", ARM).is_dir()
    return [versions[key] for key in sorted(versions)], f"{ARM}-g++" if has_arm else None


def compiles(command, source, objects):
    """Compiles one source, with ccache if there is one, in a folder of the build: paths from there are those in any clone."""
    launcher = ["ccache"] if shutil.which("ccache") and os.environ.get("PARPRIMS_CCACHE") != "0" else []
    return subprocess.run([*launcher, *command, "-c", source, "-o", f"{source.stem}.o"], cwd=objects).returncode == 0


def build(compiler, root, build_dir, program):
    """What is built, whether it could be, and what runs it. The library is optimised; the golden program, whose templates are many,
    as far as it takes least time to compile and run."""
    arm_libraries = build_dir / "arm/usr"
    is_arm = compiler.startswith(ARM)
    is_compiled = not is_arm or arm_libraries.is_dir()
    command = [compiler, "-std=c++20", "-ffp-contract=off", "-pthread", "-DPARPRIMS_HAS_CUDA=0", *WARNINGS,
               f"-I{root / 'include'}", f"-I{build_dir / 'include'}"]
    libraries = []
    if is_arm and is_compiled:
        command += ["-isystem", arm_libraries / "include"]
        libraries += [f"-L{arm_libraries / 'lib' / ARM}"]
    sources = []
    if is_compiled:
        sources += [([*command, "-O1", f"-I{root / 'lib'}"], source) for source in sorted((root / "lib").glob("*.cpp"))]
        libraries += ["-ltbb", "-lhwy"]
    else:
        command += ["-DPARPRIMS_HEADER_ONLY", "-isystem", root / "tests/host/stand_in"]
    sources.append(([*command, "-Og" if is_arm else "-O0"], root / "tests/contract/host.cpp"))
    runner = ["qemu-aarch64", "-L", f"/usr/{ARM}", "-E", f"LD_LIBRARY_PATH={arm_libraries / 'lib' / ARM}"] if is_arm else []
    with tempfile.TemporaryDirectory(dir=build_dir) as objects:
        is_built = all(compiles(*each, objects) for each in sources)
        if is_built:
            link = [compiler, "-pthread", "-o", program, *pathlib.Path(objects).glob("*.o"), *libraries]
            is_built = subprocess.run(link).returncode == 0
    return ("compiled library" if is_compiled else "header-only"), is_built, runner


def reads(compiler, root, build_dir):
    """Whether a compiler reads all sources without a warning."""
    sources = [*sorted((root / "lib").glob("*.cpp")), root / "tests/contract/host.cpp"]
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-DPARPRIMS_HAS_CUDA=0", *WARNINGS, f"-I{root / 'include'}",
                           f"-I{build_dir / 'include'}", f"-I{root / 'lib'}", *sources]).returncode == 0


def main(source, build_folder):
    root, build_dir = pathlib.Path(source), pathlib.Path(build_folder)
    clangs, arm = find_compilers()
    failed = 0
    for name in clangs[:-1]:
        is_read = reads(name, root, build_dir)
        print(f"{name}: {'reads all sources' if is_read else 'does not compile'}", flush=True)
        failed += not is_read
    with tempfile.TemporaryDirectory() as folder:
        for name in [*clangs[-1:], *([arm] if arm else [])]:
            program = pathlib.Path(folder) / name
            what, is_built, runner = build(name, root, build_dir, program)
            if not is_built:
                print(f"{name}, {what}: does not compile")
                failed += 1
                continue
            run = subprocess.run([*runner, program, root / "tests/contract/golden.txt"], capture_output=True, text=True)
            print(f"{name}, {what}: {run.stdout}{run.stderr}".rstrip(), flush=True)
            failed += run.returncode != 0
    if not clangs and not arm:
        print("no clang++, and no g++ for 64-bit Arm with qemu-user")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
