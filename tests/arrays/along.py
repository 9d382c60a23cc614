#!/usr/bin/env python3
"""Compares calls along dimensions with NumPy, exact sums with math.fsum: random shapes of one to four dimensions, random strides, every set
of dimensions; and an array of some ten million elements for each call.

usage: along.py PROGRAM [ROUNDS]; exit status 77 without NumPy
"""
import math
import struct
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("no NumPy")
    sys.exit(77)

CALLS = ["sum", "min_element", "max_element", "exact sum", "histogram", "weighted_histogram", "inclusive_scan", "exclusive_scan"]
EDGES = np.linspace(-1, 2, 7)
EXTENTS = [0, 1, 2, 3, 7, 31, 64, 127, 128, 129, 1009]
LARGE = [(10_000_019,), (1009, 10_007), (3, 3_333_337), (10_007, 1009), (2_500_009, 4), (215, 216, 217), (56, 57, 58, 59), (2, 5_000_011)]


def random_extents(random):
    extents, most = [], 200_000
    for _ in range(random.integers(1, 5)):
        extents.append(int(min(random.choice(EXTENTS) if random.random() < 0.8 else random.integers(1, 100_000), most)))
        most //= max(extents[-1], 1)
    return extents


def random_values(random, size):
    return random.standard_normal(size) if random.random() < 0.5 else random.integers(0, 20, size).astype(float) / 4


class Array:
    """A view of random strides, its memory and where it begins there; and of weights that lie like it, if there are any."""

    def __init__(self, random, extents, has_weights):
        self.strides, step = [0] * len(extents), 1
        for d in random.permutation(len(extents)):
            self.strides[d] = int(step * random.choice([1, 1, 1, -1]) if random.random() < 0.9 else random.integers(-2, 3))
            step = step * max(extents[d], 1) + int(random.choice([0, 0, 5]))
        reach = [(extent - 1) * stride for extent, stride in zip(extents, self.strides)]
        self.first = 0 if 0 in extents else -sum(each for each in reach if each < 0)
        size = 0 if 0 in extents else self.first + sum(each for each in reach if each > 0) + 1
        self.memory = random_values(random, size)
        self.weights_memory = random.standard_normal(size if has_weights else 0)
        self.view = self.viewed(self.memory, extents)
        self.weights = self.viewed(self.weights_memory, extents) if has_weights else None

    def viewed(self, memory, extents):
        return np.lib.stride_tricks.as_strided(memory[self.first:], extents, [8 * stride for stride in self.strides])


def lines_of(view, axes):
    """A row for each line."""
    rest = [d for d in range(view.ndim) if d not in axes]
    length = math.prod(view.shape[d] for d in axes)
    return view.transpose(rest + list(axes)).reshape(math.prod(view.shape[d] for d in rest), length)


def histograms(lines, weights):
    """Counts for each line, or, with weights, sums by math.fsum."""
    bins = len(EDGES) - 1
    of_samples = np.searchsorted(EDGES, lines, side="right") - 1
    inside = (of_samples >= 0) & (of_samples < bins)
    places = (of_samples + bins * np.arange(len(lines))[:, None])[inside]
    counts = np.bincount(places, minlength=bins * len(lines))
    if weights is None:
        return counts.astype(float)
    weights = weights[inside][np.argsort(places, kind="stable")].tolist()
    sums, first = np.zeros(len(counts)), 0
    for place in np.flatnonzero(counts):
        sums[place] = math.fsum(weights[first:first + counts[place]])
        first += counts[place]
    return sums


def expected(call, view, weights, axes):
    if call == "sum":
        return view.sum(axis=axes)
    if call.endswith("scan"):
        running = view.cumsum(axis=axes[0])
        return running if call == "inclusive_scan" else running - view + 1
    lines = lines_of(view, axes)
    if call == "exact sum":
        return np.array([math.fsum(line.tolist()) for line in lines])
    if call.endswith("histogram"):
        return histograms(lines, None if weights is None else lines_of(weights, axes))
    if lines.shape[1] == 0:
        return np.zeros(len(lines))
    return (lines.argmin if call == "min_element" else lines.argmax)(axis=-1)


def compare(program, array, call, axes):
    """Whether the program and NumPy agree."""
    view, memory = array.view, array.memory
    wanted = np.asarray(expected(CALLS[call], view, array.weights, tuple(axes)), dtype=float).ravel()
    numbers = [call, view.ndim, sum(1 << d for d in axes), array.first, memory.size, *view.shape, *array.strides]
    program.stdin.write(struct.pack(f"<{len(numbers)}q", *numbers))
    program.stdin.write(memory)
    program.stdin.write(array.weights_memory)
    program.stdin.flush()
    found = np.frombuffer(program.stdout.read(8 * wanted.size))
    if CALLS[call] in ("sum", "inclusive_scan", "exclusive_scan"):
        return np.allclose(found, wanted, rtol=0, atol=1e-13 * (np.abs(memory).sum() + 1))
    return np.array_equal(found, wanted)


def main():
    random = np.random.default_rng(1)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    with subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        for number in range(rounds + len(LARGE)):
            is_large = number >= rounds
            call = number - rounds if is_large else int(random.integers(len(CALLS)))
            extents = LARGE[call] if is_large else random_extents(random)
            array = Array(random, extents, CALLS[call] == "weighted_histogram")
            axes = [d for d in range(array.view.ndim) if random.random() < 0.5] or [0]
            if CALLS[call].endswith("scan"):
                axes = [int(random.integers(array.view.ndim))]
            if not compare(program, array, call, axes):
                sys.exit(f"round {number}: {CALLS[call]} along {axes} of {array.view.shape}, strides {array.strides}: differs from NumPy")
        program.stdin.close()
    print("as in NumPy")


main()
