#!/usr/bin/env python3
"""Checks in the PTX of a file for 9.0 that no product is fused with a sum, nor can be when the PTX is compiled, and
that every kernel waits for the kernels before it, which it is launched without waiting for, on every path to an access
to memory, to the start of the next kernel and to its own end. That what is loaded is used: nvcc 13.0 lost the words of
histograms of zipped arrays, in a struct with [[no_unique_address]]. And, with --assemble, that it can be assembled.

usage: check.py [--assemble] SOURCE NVCC [FLAG...] | check.py --self-test
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FUSED = re.compile(r"^\s*\{?\s*(?:@!?%\w+\s+)?\{?\s*((?:fma|mad)(?:\.\w+)*\.(?:b?f16x?2?|bf16x?2?|f32x2|f32|f64))\s([^;]*);",
                   re.MULTILINE)  # half precision is inline assembly, with braces of its own
# A histogram guesses at a bin with (x - lower) * scale + 0.5, + 2^23 or + 2^52, and does not mind how that is rounded.
GUESSES = ("0f3F000000", "0f4B000000", "0d3FE0000000000000", "0d4330000000000000")
# Without a rounding mode in its name an operation may still be fused.
PRODUCT = re.compile(r"\bmul(?:\.ftz)?\.(?:f|bf)\w+\s+(%\w+),")
SUM = re.compile(r"\b(?:add|sub)(?:\.ftz)?\.(?:f|bf)\w+\s+%\w+,\s*(%\w+|-?0[fd]\w+),\s*(%\w+|-?0[fd]\w+);")
WAIT = "griddepcontrol.wait"
START = "griddepcontrol.launch_dependents"
END = re.compile(r"(?:ret|exit)\b")
NO_NEXT = re.compile(r"(?:bra|brx|ret|exit|trap)\b")
NAME = re.compile(r"[\w$%.]+")
TOKEN = re.compile(r"[{}]|[\w$%.]+:(?!:)|[^\s{};](?:[^{};]|\{[^{};]*\})*;")  # a vector has braces, too
INSTRUCTION = re.compile(r"(@!?\S+)?\s*(.*?)\s*;", re.DOTALL)
ACCESS = re.compile(r"(?:ldu?|st|atom|red|multimem|cp|prefetchu?|bar|barrier|mbarrier|call|ldmatrix|stmatrix|wmma|tex|tld4|suld|sust|sured"
                    r"|discard|applypriority)\b(?!\.param)[\w.:]*")
LOAD = re.compile(r"\bld\.global[\w.:]*\s+(%\w+), ?\[")
COPY = re.compile(r"\bmov\.\w+\s+(%\w+), (%\w+);")


def instructions_of(kernel):
    """The instructions of a kernel, as (predicate, text, places): `places` are those that it may jump to."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*\.(?:loc|file)\b[^\n]*", "", kernel, flags=re.DOTALL | re.MULTILINE)
    found = []   # predicate, text, scope
    labels = {}  # by scope and name: the place, and the names in the list of targets that stands there
    scope = ()   # labels belong to the braces they are in, as inline assembly has its own
    scopes, names = 0, []
    for token in TOKEN.findall(text, text.index("{")):
        if token == "{":
            scopes += 1
            scope = (*scope, scopes)
        elif token == "}":
            scope = scope[:-1]
            if not scope:
                break
        elif token.endswith(":"):
            names.append(token[:-1])
            labels[scope, token[:-1]] = (len(found), [])
        else:
            if token.startswith(".branchtargets"):
                for name in names:
                    labels[scope, name][1].extend(NAME.findall(token)[1:])
            elif not token.startswith("."):
                found.append((*INSTRUCTION.fullmatch(token).groups(), scope))
            names = []

    def resolve(scope, name):
        return labels[scope, name] if (scope, name) in labels or not scope else resolve(scope[:-1], name)

    result = []
    for predicate, instruction, scope in found:
        name = NAME.findall(instruction)[-1]
        places = []
        if instruction.startswith("bra"):
            places = [resolve(scope, name)[0]]
        elif instruction.startswith("brx"):
            places = [resolve(scope, to)[0] for to in resolve(scope, name)[1]]
        result.append((predicate, instruction, places))
    return result


def before_wait(instructions):
    """What some path comes to before it has waited for earlier kernels, as lines."""
    faults = []
    seen, left = set(), [0]
    while left:
        place = left.pop()
        if place in seen:
            continue
        seen.add(place)
        predicate, text, places = instructions[place] if place < len(instructions) else (None, "ret", [])
        left += places
        if predicate or not (text == WAIT or NO_NEXT.match(text)):
            left.append(place + 1)
        if END.match(text):
            faults.append("ends before it waits for earlier kernels")
        elif text == START:
            faults.append("lets the next kernel start before it waits for earlier ones")
        elif access := ACCESS.match(text):
            faults.append(f"{access[0]} before it waits for earlier kernels")
    return faults


def check(ptx):
    """What is wrong, as lines."""
    faults = []
    kernels = re.split(r"^.*\.entry ", ptx, flags=re.MULTILINE)[1:]
    if not any("mul" in kernel for kernel in kernels):
        faults.append("there is no kernel with a product")
    for kernel in kernels:
        name = kernel.split("(")[0]
        faults += [f"{name}: {fused}" for fused, terms in FUSED.findall(kernel)
                   if not ("histogram" in name and terms.endswith(GUESSES))]
        faults += [f"{name}: {fault}" for fault in before_wait(instructions_of(kernel))]
        faults += [f"{name}: does not use {value}, which it loads" for value in LOAD.findall(kernel)
                   if len(re.findall(f"{value}\\b", kernel)) == 1]
        products = set(PRODUCT.findall(kernel))
        copies = COPY.findall(kernel)
        size = -1
        while len(products) != size:
            size = len(products)
            products |= {to for to, source in copies if source in products}
        faults += [f"{name}: adds the product {term}" for terms in SUM.findall(kernel) for term in terms
                   if term in products and not ("histogram" in name and terms[1] in GUESSES)]
    return faults


def compile_ptx(source, nvcc, flags, is_assembled=False):
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "out.ptx")
        subprocess.run([nvcc, *flags, "-ptx", "-o", target, source], check=True)
        if is_assembled:
            subprocess.run([nvcc, *flags, "-cubin", "-o", target.with_suffix(".cubin"), target], check=True)
        return target.read_text()


def self_test():
    def kernel(*lines, head=("ld.param.u64 %rd1, [run_param_0];", WAIT + ";"), end="ret;"):
        return ".visible .entry run(\n)\n{\n" + "".join(f"    {line}\n" for line in (*head, *lines, end)) + "}\n"

    def paths(*lines, **rest):
        return kernel("mul.f32 %f2, %f1, %f1;", head=lines, **rest)

    def histogram(*lines):
        return kernel("mul.f32 %f9, %f8, %f8;", *lines).replace("run(", "histogram_run(")

    wait, start = WAIT + ";", START + ";"
    unused = "ld.global.u32 %r1, [%rd1];"
    load = unused + " st.global.u32 [%rd1], %r1;"
    table = ("$L_t: .branchtargets $L_1, $L_2;", "brx.idx %r1, $L_t;")
    good = [
        kernel("mul.f32 \t%f2, %f1, %f1;", "xor.b32 %r2, %r1, %r3;", "add.f32 \t%f3, %f4, %f5;"),
        paths("ld.param.u64 %rd1, [run_param_0];", "// begin inline asm", wait, "@%p1 bra $L_1;", start, "$L_1:", load),
        histogram("mul.f32 %f2, %f1, %f3;", "add.f32 %f4, %f2, 0f4B000000;", "add.f32 %f4, %f2, 0f3F000000;"),
        histogram("fma.rn.f32 \t%f2, %f1, %f3, 0f4B000000;", "fma.rn.f64 \t%fd2, %fd1, %fd3, 0d4330000000000000;"),
        # Both sides of a branch wait, and what lies before the wait in the text comes after it on every path.
        paths("@%p1 bra $L_1;", wait, "bra.uni $L_2;", "$L_1:", wait, "$L_2:", load),
        paths("bra $L_2;", "$L_1:", load, "bra $L_3;", "$L_2:", wait, "bra $L_1;", "$L_3:"),
        paths("$L_1:", "@%p1 bra $L_1;", wait, "st.global.v2.u32 [%rd1], {%r1, %r2};"),
        paths("{", ".reg .pred p;", "again: @p bra again;", "}", wait, "{", "again: @p bra again;", "}", load),
        paths(*table, "$L_1:", wait, load, "bra $L_3;", "$L_2:", wait, "$L_3:"),
        paths("@%p1 trap;", wait, load),
    ]
    for text in good:
        assert check(text) == [], (text, check(text))
    bad = [  # text, what must be found
        ("", "no kernel"),
        (kernel("mul.f32 %f2, %f1, %f1;", "fma.rn.f32 \t%f2, %f1, %f1, %f3;"), "fma.rn.f32"),
        (kernel("mul.f32 %f2, %f1, %f1;", "fma.rn.f16x2 %r2, %r1, %r1, %r3;"), "fma.rn.f16x2"),
        (kernel("mul.f32 %f2, %f1, %f1;", "fma.rn.f32 \t%f2, %f1, %f3, 0f4B000000;"), "fma.rn.f32"),
        (kernel("mul.f32 %f2, %f1, %f1;", "{fma.rn.f16 %rs4,%rs1,%rs2,%rs3;\n}"), "fma.rn.f16"),
        (kernel("mul.f32 %f2, %f1, %f1;", "@%p1 fma.rn.f32 %f3, %f1, %f1, %f2;"), "fma.rn.f32"),
        (kernel("mul.f32 %f2, %f1, %f1;", "mad.rn.f32 %f3, %f1, %f1, %f2;"), "mad.rn.f32"),
        (kernel("mul.f16 %rs2, %rs1, %rs1;", "{add.f16 %rs4,%rs3,%rs2;\n}"), "adds the product %rs2"),
        (histogram("fma.rn.f32 \t%f2, %f1, 0f3DCCCCCD, %f3;"), "fma.rn.f32"),
        (histogram("fma.rn.f32 \t%f2, %f1, %f3, 0f3F800000;"), "fma.rn.f32"),
        (histogram("mul.f32 %f2, %f1, %f3;", "add.f32 %f4, %f2, 0f3F800000;"), "adds the product %f2"),
        (kernel("mul.f32 %f2, %f1, %f3;", "add.f32 %f4, %f2, 0f4B000000;"), "adds the product %f2"),
        (histogram("mul.f32 %f2, %f1, 0f3DCCCCCD;", "sub.f32 %f4, %f2, %f3;"), "adds the product %f2"),
        (kernel("mul.f32 \t%f2, %f1, %f1;", "add.f32 \t%f4, %f3, %f2;"), "adds the product %f2"),
        (kernel("mul.f64 \t%fd2, %fd1, %fd1;", "mov.f64 %fd5, %fd2;", "add.f64 %fd4, %fd5, %fd3;"), "%fd5"),
        (paths(wait, unused), "does not use %r1"),
        (paths(wait, "ld.global.cs.u32 %r1, [%rd1];", "add.u32 %r12, %r11, 1;"), "does not use %r1"),
        # No wait at all, none before an access, and none before the next kernel may start.
        (paths(load), "ld.global.u32 before"),
        (paths(), "ends before it waits"),
        (paths(end=""), "ends before it waits"),
        (paths("@%p1 ld.global.nc.f32 %f1, [%rd1];", wait), "ld.global.nc.f32 before"),
        (paths("st.shared.u32 [%r1], 0;", wait), "st.shared.u32 before"),
        (paths("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", wait), "ldmatrix"),
        (paths("cp.async.cg.shared.global [%r1], [%rd1], 16;", wait), "cp.async.cg.shared.global before"),
        (paths("call.uni (retval0), helper, (param0);", wait), "call.uni before"),
        (paths(start, wait), "lets the next kernel start"),
        (paths("@%p1 bra $L_1;", start, "$L_1:", wait), "lets the next kernel start"),
        # A wait that some path goes around: with a branch, with a predicate, out of a table, or around a loop.
        (paths("@%p1 bra $L_1;", wait, "$L_1:", load), "ld.global.u32 before"),
        (paths("@%p1 bra $L_1;", wait, "$L_1:", start), "lets the next kernel start"),
        (paths("@%p1 bra $L_1;", wait, load, "$L_1:"), "ends before it waits"),
        (paths("@!%p1 " + wait, load), "ld.global.u32 before"),
        (paths("@%p1 ret;", wait, load), "ends before it waits"),
        (paths("bra $L_2;", "$L_1:", wait, "bra $L_3;", "$L_2:", "@%p1 bra $L_1;", "$L_3:",
               "atom.global.add.u32 %r1, [%rd1], 1;"), "atom.global.add.u32 before"),
        (paths(*table, "$L_1:", wait, "$L_2:", load), "ld.global.u32 before"),
        (paths("$L_1:", "red.global.add.u32 [%rd1], 1;", wait, "@%p1 bra $L_1;"), "red.global.add.u32 before"),
        # A wait in a comment, and a label of other braces that has the same name.
        (paths("// " + wait, load), "ld.global.u32 before"),
        (paths("{", "@p bra done;", wait, "done:", "}", load, "{", "done:", "}"), "ld.global.u32 before"),
    ]
    for text, expected in bad:
        assert any(expected in fault for fault in check(text)), (text, expected, check(text))
    print(f"{len(bad)} known-bad kernels are found, and {len(good)} good ones are not")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        is_assembled = sys.argv[1] == "--assemble"
        source, nvcc, *flags = sys.argv[2:] if is_assembled else sys.argv[1:]
        found = check(compile_ptx(source, nvcc, flags, is_assembled))
        print(*found[:20], f"{len(found)} faults", sep="\n")
        sys.exit(1 if found else 0)
