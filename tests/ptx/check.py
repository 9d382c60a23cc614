#!/usr/bin/env python3
"""Checks in the PTX of a file for 9.0 that no product is fused with a sum, nor can be when the PTX is compiled, and that every
kernel waits for the kernels before it, which it is launched without waiting for, before it touches memory.

usage: check.py SOURCE NVCC [FLAG...] | check.py --self-test
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FUSED = re.compile(r"^\s*(fma(?:\.\w+)*\.(?:b?f16x?2?|bf16x?2?|f32|f64))\s", re.MULTILINE)
# Without a rounding mode in its name an operation may still be fused.
PRODUCT = re.compile(r"\bmul(?:\.ftz)?\.(?:f|bf)\w+\s+(%\w+),")
SUM = re.compile(r"\b(?:add|sub)(?:\.ftz)?\.(?:f|bf)\w+\s+%\w+, (%\w+|-?0[fd]\w+), (%\w+|-?0[fd]\w+);")
WAIT = "griddepcontrol.wait;"
START = "griddepcontrol.launch_dependents;"
ACCESS = re.compile(r"^\s*(?:@!?%\w+\s+)?((?:ld|st|atom|red|cp|prefetch|bar|barrier)\.(?!param)[\w.:]+)", re.MULTILINE)
COPY = re.compile(r"\bmov\.\w+\s+(%\w+), (%\w+);")


def check(ptx):
    """What is wrong, as lines."""
    faults = []
    kernels = re.split(r"^.*\.entry ", ptx, flags=re.MULTILINE)[1:]
    if not any("mul" in kernel for kernel in kernels):
        faults.append("there is no kernel with a product")
    for kernel in kernels:
        name = kernel.split("(")[0]
        faults += [f"{name}: {fused}" for fused in FUSED.findall(kernel)]
        before, wait, _ = kernel.partition(WAIT)
        if not wait:
            faults.append(f"{name}: does not wait for earlier kernels")
        else:
            faults += [f"{name}: {access} before it waits for earlier kernels" for access in ACCESS.findall(before)]
            if START in before:
                faults.append(f"{name}: lets the next kernel start before it waits for earlier ones")
        products = set(PRODUCT.findall(kernel))
        copies = COPY.findall(kernel)
        size = -1
        while len(products) != size:
            size = len(products)
            products |= {to for to, source in copies if source in products}
        faults += [f"{name}: adds the product {term}" for terms in SUM.findall(kernel) for term in terms
                   if term in products]
    return faults


def compile_ptx(source, nvcc, flags):
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "out.ptx")
        subprocess.run([nvcc, *flags, "-ptx", "-o", str(target), source], check=True)
        return target.read_text()


def self_test():
    def kernel(*lines, head=("ld.param.u64 %rd1, [run_param_0];", WAIT)):
        return ".visible .entry run(\n)\n{\n" + "".join(f"    {line}\n" for line in (*head, *lines)) + "}\n"

    good = kernel("mul.f32 \t%f2, %f1, %f1;", "xor.b32 %r2, %r1, %r3;", "add.f32 \t%f3, %f4, %f5;")
    assert check(good) == [], check(good)
    bad = [  # text, what must be found
        ("", "no kernel"),
        (kernel("mul.f32 %f2, %f1, %f1;", "fma.rn.f32 \t%f2, %f1, %f1, %f3;"), "fma.rn.f32"),
        (kernel("mul.f32 %f2, %f1, %f1;", "fma.rn.f16x2 %r2, %r1, %r1, %r3;"), "fma.rn.f16x2"),
        (kernel("mul.f32 \t%f2, %f1, %f1;", "add.f32 \t%f4, %f3, %f2;"), "adds the product %f2"),
        (kernel("mul.f64 \t%fd2, %fd1, %fd1;", "mov.f64 %fd5, %fd2;", "add.f64 %fd4, %fd5, %fd3;"), "%fd5"),
        (kernel("mul.f32 %f2, %f1, %f1;", head=()), "does not wait"),
        (kernel("mul.f32 %f2, %f1, %f1;", head=("@%p1 ld.global.nc.f32 %f1, [%rd1];", WAIT)), "ld.global.nc.f32 before"),
        (kernel("mul.f32 %f2, %f1, %f1;", head=("st.shared.u32 [%r1], 0;", WAIT)), "st.shared.u32 before"),
        (kernel("mul.f32 %f2, %f1, %f1;", head=(START, WAIT)), "lets the next kernel start"),
    ]
    for text, expected in bad:
        assert any(expected in fault for fault in check(text)), (text, expected, check(text))
    print(f"{len(bad)} known-bad kernels are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        found = check(compile_ptx(sys.argv[1], sys.argv[2], sys.argv[3:]))
        print(*found[:20], f"{len(found)} faults", sep="\n")
        sys.exit(1 if found else 0)
