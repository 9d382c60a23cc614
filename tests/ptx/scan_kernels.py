#!/usr/bin/env python3
"""Checks in the PTX of one call that a scan compiles the kernels that it can launch and no others: those of three phases only
where the policy names them.

usage: scan_kernels.py SOURCE NVCC [FLAG...]
"""
import re
import sys

from check import compile_ptx

THREE_PHASES = {"scan_tiles_kernel", "scan_anchors_kernel"}
ONE_PASS = {"long_pass", "scan_cluster_kernel", "short_pass"}


def kernels(source, nvcc, flags):
    names = re.findall(r"\.entry (\S+)\(", compile_ptx(source, nvcc, flags))
    return {kernel for kernel in THREE_PHASES | ONE_PASS for name in names if f"{len(kernel)}{kernel}" in name}


def main(source, nvcc, *flags):
    faults = 0
    for define, expected in ((), ONE_PASS), (("-DNAMES_THREE_PHASES",), THREE_PHASES):
        found = kernels(source, nvcc, [*flags, *define])
        if found != expected:
            faults += 1
            print(f"a scan {' '.join(define)} compiles {sorted(found)}, not {sorted(expected)}")
    return faults


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
