#!/usr/bin/env python3
"""Checks in the PTX of one call that no kernel has arrays in local memory: an index or an address that is not known when it is
compiled keeps a whole array out of registers, which no other test sees.

usage: local_memory.py SOURCE NVCC [FLAG...]
"""
import re
import sys

from check import compile_ptx


def main(source, nvcc, *flags):
    ptx = compile_ptx(source, nvcc, flags)
    kernels = len(re.findall(r"\.entry ", ptx))
    arrays = re.findall(r"^\s*\.local\b[^\n]*", ptx, re.MULTILINE)
    if kernels == 0 or arrays:
        print(f"{kernels} kernels have {len(arrays)} arrays in local memory: {arrays}")
    return kernels == 0 or bool(arrays)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
