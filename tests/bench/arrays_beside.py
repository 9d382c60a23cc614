#!/usr/bin/env python3
"""Sums, places of maxima and scans of rows and columns on a GPU, beside PyTorch and CuPy: one run, in turns, results checked.

usage: arrays_beside.py LIBRARY [--log2 N] [--rounds N]

LIBRARY is made of arrays_library.cu:
    nvcc -O3 -std=c++20 -arch=native --extended-lambda -DPARPRIMS_HEADER_ONLY -I include -I BUILD/include -shared
         -Xcompiler=-fPIC tests/bench/arrays_library.cu -o libarrays.so
Needs PyTorch; CuPy may be missing. Prints microseconds (medians), and in parentheses the speed of reading (of scans: copying) all elements
that they are; that speed is of PyTorch's sum and copy of the whole array, or ours if it is faster.
"""
import argparse
import ctypes
import statistics
import sys

import torch

try:
    import cupy
except ImportError:
    cupy = None

POINTER, LONG = ctypes.c_void_p, ctypes.c_int64


def timed(call, calls=3):
    """Microseconds of a call, of which some follow one another."""
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    call()
    start.record()
    for _ in range(calls):
        call()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3 / calls


def in_turns(contenders, rounds):
    """Medians by name. What takes more than 20 ms is called once a round."""
    times = {name: [] for name in contenders}
    for name, call in contenders.items():
        call()
        call()
    slow = {name for name, call in contenders.items() if timed(call, 1) > 20e3}
    for _ in range(rounds):
        for name, call in contenders.items():
            times[name].append(timed(call, 1 if name in slow else 3))
    return {name: statistics.median(each) for name, each in times.items()}


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def __call__(self, name, x, along, out):
        function = getattr(self.library, name)
        function.argtypes = [POINTER, LONG, LONG, ctypes.c_int, POINTER]
        arguments = (x.data_ptr(), *x.shape, along, out.data_ptr())

        def call():
            if function(*arguments) != 0:
                sys.exit(f"{name} of {tuple(x.shape)} along {along} failed")
        return call

    def sum_all(self, x, out):
        self.library.sum_all.argtypes = [POINTER, LONG, POINTER]
        return lambda: self.library.sum_all(x.data_ptr(), x.numel(), out.data_ptr())


SUFFIX = {torch.float32: "", torch.float16: "_half", torch.uint8: "_byte"}  # of the library's functions
SUM = {torch.float32: torch.float32, torch.float16: torch.float32, torch.uint8: torch.int32}


def contenders(library, name, x, along):
    """Calls by name, and the outputs that they write. PyTorch's are those of the type that ours writes."""
    shape = tuple(x.shape) if name == "cumsum" else (x.shape[1 - along],)
    kind = torch.int64 if name == "argmax" else SUM[x.dtype]
    outputs = {"parprims": torch.empty(shape, dtype=kind, device="cuda"), "PyTorch": torch.empty(shape, dtype=kind, device="cuda")}
    of_torch = getattr(torch, name)
    options = {} if name == "argmax" else {"dtype": kind}
    calls = {"parprims": library(name + SUFFIX[x.dtype], x, along, outputs["parprims"]),
             "PyTorch": lambda: of_torch(x, dim=along, out=outputs["PyTorch"], **options)}
    if cupy is not None and x.dtype == torch.float32:
        theirs, target = cupy.asarray(x), cupy.empty(shape, dtype="int64" if name == "argmax" else "float32")
        of_cupy = getattr(cupy, name)
        calls["CuPy"] = lambda: of_cupy(theirs, axis=along, out=target)
        outputs["CuPy"] = target
    return calls, outputs


def is_right(name, x, along, outputs):
    """Sums of small integers are exact in any order; of equal maxima ours is the first, that of others any."""
    ours, theirs = outputs["parprims"], outputs["PyTorch"]
    if name != "argmax":
        return torch.equal(ours, theirs)
    found = [torch.gather(x, along, each.unsqueeze(along)).squeeze(along) for each in (ours, theirs)]
    return torch.equal(*found) and bool((ours <= theirs).all())


def measure(library, name, values, shape, along, rounds, limit):
    x = values[:shape[0] * shape[1]].view(shape)
    calls, outputs = contenders(library, name, x, along)
    times = in_turns(calls, rounds)
    verdict = "" if is_right(name, x, along, outputs) else "  WRONG"
    cells = "".join(f"{times[each]:12.0f} ({limit * x.numel() / values.numel() / times[each]:.2f})" for each in times)
    best = min(us for each, us in times.items() if each != "parprims")
    lines = "columns" if along == 0 else "rows"
    print(f"{name + SUFFIX[x.dtype] + ' of ' + lines:<22} {shape[0]:>9} x {shape[1]:<9}{cells}   {best / times['parprims']:6.2f}{verdict}", flush=True)
    return not verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--log2", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    library, n = Library(asked.library), 2**asked.log2
    torch.manual_seed(1)
    small_integers = torch.randint(-8, 9, (n,), device="cuda", dtype=torch.int8).float()
    values = torch.rand(n, device="cuda")
    scalar, copy = torch.empty((), device="cuda"), torch.empty_like(values)
    whole = in_turns({"parprims": library.sum_all(values, scalar), "PyTorch": lambda: torch.sum(values, dim=0, out=scalar),
                      "copy": lambda: copy.copy_(values)}, asked.rounds)
    reading = min(whole["parprims"], whole["PyTorch"])
    del copy
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, PyTorch {torch.__version__}"
          + (f", CuPy {cupy.__version__}" if cupy else "") + f"; of {n} f32: sum {whole['parprims']:.0f} us, PyTorch's "
          f"{whole['PyTorch']:.0f}, copy {whole['copy']:.0f}")
    print(f"{'':<44}" + "".join(f"{name + ', us':>19}" for name in ("parprims", "PyTorch", *(["CuPy"] if cupy else [])))
          + "   best / parprims")
    side = 2**(asked.log2 // 2)
    good = True
    for kind in SUFFIX:
        limit = reading * kind.itemsize / 4
        for name, of in (("sum", small_integers if kind.is_signed else small_integers + 8), ("argmax", values)):
            typed = of if kind == torch.float32 else (of * 200 if name == "argmax" else of).to(kind)
            for columns in (3, 16, 100, 1000, side, n // 1000, n // 100, n // 16, n // 3):
                for along in (0, 1):
                    good &= measure(library, name, typed, (n // columns, columns), along, asked.rounds, limit)
    for columns in (side, side + 1, 100, n // 100):
        for along in (0, 1):
            good &= measure(library, "cumsum", small_integers, (n // columns, columns), along, asked.rounds, whole["copy"])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
