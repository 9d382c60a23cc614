#!/usr/bin/env python3
"""Checks that every public header compiles alone as plain C++, without a warning and without a CUDA header. A header over another
library is left out, with a word, where that library is missing. One over CUDA says in one sentence that it needs the backend.

usage: headers.py ROOT COMPILER [FLAG...] | headers.py --self-test COMPILER
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

NEEDS = {"parprims/mpi.hpp": "mpi.h", "parprims/nccl.hpp": "nccl.h"}
OVER_CUDA = {"parprims/nccl.hpp"}  # nccl.h includes the header of the CUDA runtime
OF_EXECUTOR = {f"parprims/simt/{name}.hpp" for name in ("executor", "launcher", "calls")}  # what links parprims::executor defines the macro
NO_CUDA = "-DPARPRIMS_HAS_CUDA=0"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
CUDA_HEADER = re.compile(r"\S*(?:/cuda[^/\s]*/\S+|/cuda_\w+\.h|/driver_types\.h|/vector_types\.h|/cub/\S+|/thrust/\S+)")


def is_there(header, compiler, flags):
    return subprocess.run([compiler, *flags, "-E", "-x", "c++", "-"], input=f"#include <{header}>\n", capture_output=True,
                          text=True).returncode == 0


def compile_alone(name, include, compiler, flags, *more):
    command = [compiler, "-std=c++20", *WARNINGS, *flags, "-I", str(include), "-fsyntax-only", *more, "-x", "c++", "-"]
    return subprocess.run(command, input=f"#include <{name}>\n", capture_output=True, text=True)


def check_refusal(name, include, compiler, flags):
    """The faults of a header over CUDA where parprims has no CUDA backend."""
    said = compile_alone(name, include, compiler, [*flags, "-UPARPRIMS_HAS_CUDA", NO_CUDA]).stderr
    ends_at_once = said.count("error:") == 2  # the sentence, and the header that does not exist
    return [] if "needs the CUDA backend" in said and ends_at_once else [f"{name}: does not say that it needs CUDA:\n{said}"]


def check_header(header, include, compiler, flags):
    """The faults of one header, as lines."""
    name = header.relative_to(include).as_posix()
    if name in OVER_CUDA and (faults := check_refusal(name, include, compiler, flags)):
        return faults
    if name in OVER_CUDA and NO_CUDA in flags:
        print(f"{name}: left out, the CUDA backend is missing")
        return []
    if name in NEEDS and not is_there(NEEDS[name], compiler, flags):
        print(f"{name}: left out, {NEEDS[name]} is missing")
        return []
    with tempfile.TemporaryDirectory() as folder:
        depends = pathlib.Path(folder, "depends")
        more = ["-DPARPRIMS_SIMT_EXECUTOR", "-Wno-unknown-pragmas"] if name in OF_EXECUTOR else []
        result = compile_alone(name, include, compiler, flags, *more, "-MD", "-MF", str(depends))
        if result.returncode != 0:
            return [f"{name}: does not compile alone:\n{result.stderr}"]
        if name in OVER_CUDA:
            return []
        return [f"{name}: includes {found}, a CUDA header" for found in sorted(set(CUDA_HEADER.findall(depends.read_text())))]


def check(include, compiler, flags):
    headers = sorted([*(include / "parprims").glob("*.hpp"), *(include / "parprims" / "simt").glob("*.hpp")])
    if not headers:
        return [f"{include}: no header found"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = pool.map(lambda header: check_header(header, include, compiler, flags), headers)
        return [fault for of_header in faults for fault in of_header]


def self_test(compiler):
    cases = [  # text, what the fault must say; nothing: good
        ("#pragma once\n#include <vector>\ninline int f(const std::vector<int>& v) { return v.front(); }\n", ""),
        ("inline std::vector<int> f();\n", "does not compile alone"),
        ("inline int f(double x) { return x; }\n", "conversion"),
        ("inline int f(int x) { return 0; }\n", "unused parameter"),
        ("#include <parprims/other/cuda_runtime.h>\n", "a CUDA header"),
    ]
    for text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            include = pathlib.Path(folder)
            (include / "parprims" / "other").mkdir(parents=True)
            (include / "parprims" / "other" / "cuda_runtime.h").touch()
            (include / "parprims" / "a.hpp").write_text(text)
            faults = check(include, compiler, [])
            assert (any(expected in fault for fault in faults) if expected else not faults), (text, expected, faults)
    with tempfile.TemporaryDirectory() as folder:
        assert check(pathlib.Path(folder), compiler, []), "an empty folder passes"
    print(f"{len(cases) - 1} known-bad headers are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test(sys.argv[2])
    else:
        found = check(pathlib.Path(sys.argv[1], "include"), sys.argv[2], sys.argv[3:])
        print(*found, sep="\n")
        sys.exit(1 if found else 0)
