#!/usr/bin/env python3
"""Compares calls along dimensions with NumPy: random shapes of one to four dimensions, random strides, every set of dimensions.

usage: along.py PROGRAM [ROUNDS]; exit status 77 without NumPy
"""
import struct
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("no NumPy")
    sys.exit(77)

CALLS = ["sum", "min_element", "max_element", "inclusive_scan", "exclusive_scan"]
EXTENTS = [0, 1, 2, 3, 7, 31, 64, 127, 128, 129, 1009]


def random_view(random):
    """An array of random extents and strides, with the memory that it lies in and where it begins there."""
    extents, most = [], 200_000
    for _ in range(random.integers(1, 5)):
        extents.append(int(min(random.choice(EXTENTS) if random.random() < 0.8 else random.integers(1, 100_000), most)))
        most //= max(extents[-1], 1)
    strides, step = [0] * len(extents), 1
    for d in random.permutation(len(extents)):
        strides[d] = int(step * random.choice([1, 1, 1, -1]) if random.random() < 0.9 else random.integers(-2, 3))
        step = step * max(extents[d], 1) + int(random.choice([0, 0, 5]))
    reach = [(extent - 1) * stride for extent, stride in zip(extents, strides)]
    if 0 in extents:
        first, size = 0, 0
    else:
        first = -sum(each for each in reach if each < 0)
        size = first + sum(each for each in reach if each > 0) + 1
    memory = random.standard_normal(size) if random.random() < 0.5 else random.integers(0, 20, size).astype(float)
    view = np.lib.stride_tricks.as_strided(memory[first:], extents, [8 * stride for stride in strides])
    return view, memory, first, strides


def expected(call, view, axes):
    if call == "sum":
        return view.sum(axis=axes)
    if call.endswith("scan"):
        running = view.cumsum(axis=axes[0])
        return running if call == "inclusive_scan" else running - view + 1
    rest = [d for d in range(view.ndim) if d not in axes]
    length = int(np.prod([view.shape[d] for d in axes]))
    lines = view.transpose(rest + list(axes)).reshape([view.shape[d] for d in rest] + [length])
    if length == 0:
        return np.zeros(lines.shape[:-1])
    return (lines.argmin if call == "min_element" else lines.argmax)(axis=-1)


def main():
    random = np.random.default_rng(1)
    with subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        for round_number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 400):
            view, memory, first, strides = random_view(random)
            call = int(random.integers(len(CALLS)))
            axes = [d for d in range(view.ndim) if random.random() < 0.5] or [0]
            if call >= 3:
                axes = [int(random.integers(view.ndim))]
            wanted = np.asarray(expected(CALLS[call], view, tuple(axes)), dtype=float)
            numbers = [call, view.ndim, sum(1 << d for d in axes), first, memory.size, *view.shape, *strides]
            program.stdin.write(struct.pack(f"<{len(numbers)}q", *numbers) + memory.tobytes())
            program.stdin.flush()
            found = np.frombuffer(program.stdout.read(8 * wanted.size)).reshape(wanted.shape)
            scale = np.abs(memory).sum() + 1
            if not np.allclose(found, wanted, rtol=0, atol=1e-13 * scale if call in (0, 3, 4) else 0):
                sys.exit(f"round {round_number}: {CALLS[call]} along {axes} of {view.shape}, strides {strides}: differs from NumPy")
        program.stdin.close()
    print("as in NumPy")


main()
