#!/usr/bin/env python3
"""Compares exact sums with Python's integers, and with math.fsum and fractions: all kinds of inputs, any order, threads, ranks, kernels.

usage: sums.py PROGRAM [INPUTS [ELEMENTS [KIND...]]]

INPUTS of each kind, for floats and for doubles (default: 60), mostly of fewer than a hundred elements, and one of ELEMENTS (40000), floats
and doubles in turn; of all kinds, or of those named. On a core, 50000 inputs of each kind, so 1.9 million, take half an hour, and an input
of 10^7 elements two minutes and 4 GB.
"""
import array
import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

DEFAULTS = [60, 40000]  # so that two threads share the elements of the latter
UNIT = 1074  # elements are multiples of 2^-UNIT


class Form:
    """float or double: digits, exponents of the smallest number and of what overflows, letter of the type."""

    def __init__(self, digits, lowest, highest, letter):
        self.digits, self.lowest, self.highest, self.letter = digits, lowest, highest, letter
        self.bytes = array.array(letter).itemsize
        self.largest = math.ldexp(2**digits - 1, highest - digits)

    def converted(self, values):
        return array.array(self.letter, values)

    def rounded(self, numerator, exponent):
        """numerator * 2^exponent, to nearest, ties to even; +0 if that is 0."""
        kept = abs(numerator)
        dropped = max(kept.bit_length() - self.digits, self.lowest - exponent, 0)
        if dropped > 0:
            kept, rest, half = kept >> dropped, kept & ((1 << dropped) - 1), 1 << (dropped - 1)
            kept += rest > half or (rest == half and kept % 2 == 1)
        if kept == 0:
            return 0.0
        exponent += dropped
        value = math.inf if kept.bit_length() + exponent > self.highest else math.ldexp(kept, exponent)
        return -value if numerator < 0 else value

    def quotient(self, numerator, denominator):
        """numerator / denominator in units of 2^-(2 * UNIT), rounded once: what follows the first 100 digits is one more digit."""
        shift = max(self.digits + 100 - abs(numerator).bit_length() + denominator.bit_length(), 0)
        whole, rest = divmod(abs(numerator) << shift, denominator)
        more = 2 * whole + (rest != 0)
        return self.rounded(-more if numerator < 0 else more, -2 * UNIT - shift - 1)


FLOAT, DOUBLE = Form(24, -149, 128, "f"), Form(53, -1074, 1024, "d")


def units(x):
    """x * 2^UNIT; what is infinite or NaN counts as 0 there."""
    if not math.isfinite(x):
        return 0
    numerator, denominator = x.as_integer_ratio()
    return numerator << (UNIT + 1 - denominator.bit_length())


def is_minus_zero(x):
    return x == 0 and math.copysign(1, x) < 0


def sum_of(form, init, exact, exponent, terms):
    """init and all terms. Those that are finite add up to `exact` * 2^exponent: of `terms` only the others, and signs of zeros, count."""
    exact += units(init) << (-exponent - UNIT)
    if exact == 0 and is_minus_zero(init) and all(map(is_minus_zero, terms)):
        return -0.0
    others = [x for x in terms if not math.isfinite(x)]
    return sum(others) if others else form.rounded(exact, exponent)  # NaN and infinities, as IEEE addition has them


# Inputs: n numbers of a form.


def numbers(form, n, lowest, highest):
    """Of random signs and digits, and exponents from lowest on, below highest."""
    one = 1 << (form.digits - 1)
    return [math.ldexp(random.choice((1, -1)) * (one + random.getrandbits(form.digits - 1)),
                       random.randrange(lowest, highest) + 1 - form.digits) for _ in range(n)]


def any_numbers(form, n):
    """Of random bits."""
    values = array.array(form.letter, random.randbytes(form.bytes * n)).tolist()
    return [x if math.isfinite(x) else 1.0 for x in values]


def cancelling(form, n):
    half = numbers(form, n // 2, -20, 20)
    return half + [-x for x in half] + [0.0] * (n % 2)


def cancelling_to_a_digit(form, n):
    x = cancelling(form, n - 1) if n > 0 else []
    return x + [random.choice((1, -1)) * math.ldexp(1, -random.randrange(20, 20 + form.digits))] * (n > 0)


def halfway(form, n):
    """A number, and halves of its last digit: sums are ties, or a little more or less."""
    x = numbers(form, min(n, 1), -3, 3)
    x += [random.choice((1, -1)) * math.ldexp(1, math.frexp(x[0])[1] - form.digits - 1 - random.choice((0, 0, 0, 1, 40, 100)))
          for _ in range(n - 1)]
    return x


def overflowing(form, n):
    """Largest numbers of both signs, as many of each or one more; or beside half of their last digit, which makes infinity of one."""
    x = [form.largest, -form.largest] * (n // 2) + [form.largest] * (n % 2)
    if n > 3 and random.random() < 0.5:
        x[1] = random.choice((1, -1)) * math.ldexp(1, form.highest - form.digits - 1)
        x[2], x[3] = random.choice((0.0, math.ldexp(1, form.lowest), -math.ldexp(1, form.lowest))), 0.0
    return x


def denormal(form, n):
    return [math.ldexp(random.choice((1, -1)) * random.getrandbits(form.digits), form.lowest) for _ in range(n)]


def with_some(make, *some):
    """`some` in the place of as many elements."""
    def changed(form, n):
        x = make(form, n)
        for value in some[:n]:
            x[random.randrange(n)] = value
        return x
    return changed


def outliers(form, n):
    return [y if random.random() < 0.01 else x for x, y in zip(numbers(form, n, 0, 3), numbers(form, n, -120, 127))]


KINDS = {
    "uniform": lambda form, n: [random.random() for _ in range(n)],
    "normal": lambda form, n: [random.gauss(0, 1) for _ in range(n)],
    "cancelling": cancelling,
    "cancelling to a digit": cancelling_to_a_digit,
    "2^+-60": lambda form, n: numbers(form, n, -60, 61),
    "whole range": any_numbers,
    "denormal": denormal,
    "halfway": halfway,
    "overflowing": overflowing,
    "outliers": outliers,
    "-0": lambda form, n: [-0.0] * n,
    "zeros": lambda form, n: random.choices((0.0, -0.0), k=n),
    "infinity": with_some(any_numbers, math.inf),
    "-infinity": with_some(any_numbers, -math.inf),
    "both infinities": with_some(any_numbers, math.inf, -math.inf),
    "NaN": with_some(any_numbers, math.nan),
    "drifting": lambda form, n: sorted(numbers(form, n, -100, 100), key=abs),
    "largest": lambda form, n: numbers(form, n, form.highest - 2, form.highest),
    "equal": lambda form, n: [1 - math.ldexp(1, -form.digits)] * n,
}


class Input:
    def __init__(self, kind, form, n, seed):
        self.kind, self.form, self.seed = kind, form, seed
        x, y = KINDS[kind](form, n), (KINDS[kind] if random.random() < 0.5 else any_numbers)(form, n)
        if kind != "drifting" and random.random() < 0.5:
            random.shuffle(x)
        self.x, self.y = form.converted(x), form.converted(y)
        self.extent = random.choice((1, 3, 20))
        bins = random.choices(range(-1, self.extent + 1), k=n)
        self.bins = array.array("i", sorted(bins) if n > 2000 or random.random() < 0.5 else bins)
        self.threads, self.offset = random.randrange(4), random.randrange(5)
        self.segment = random.choice((1, 2, 3, 7, 40, n + 1) if n < 2000 else (100, 1000, n))
        self.ranks = random.randint(1, 4) if random.random() < 0.1 else 0
        self.kernels = int(n <= 2000 and random.random() < (0.05 if n < 100 else 0.3))
        self.inits = [each.converted([random.choice((0.0, -0.0, 0.5, 1 / 3, -1e-30, each.largest, -math.ldexp(1, each.lowest)))])[0]
                      for each in (DOUBLE, FLOAT)]

    def packed(self):
        head = struct.pack("<9q2d", self.form.bytes, len(self.x), self.threads, self.segment, self.extent, self.offset, self.ranks,
                           self.kernels, self.seed, *self.inits)
        return head + self.x.tobytes() + self.y.tobytes() + self.bins.tobytes()

    def expected(self):
        """A list of names and values, in the order of the answers."""
        exact = [units(x) for x in self.x]
        whole = sum(exact)
        inner = sum(x * units(y) for x, y in zip(exact, self.y))
        self.check_oracle(whole, inner)
        products = [x * y if 0 in (x, y) or not (math.isfinite(x) and math.isfinite(y)) else 1.0 for x, y in zip(self.x, self.y)]
        bins = self.sums_of_bins(exact)
        segments = [(sum(exact[i:i + self.segment]), self.x[i:i + self.segment]) for i in range(0, len(self.x), self.segment)]
        results = []
        for form, init in zip((DOUBLE, FLOAT), self.inits):
            total = sum_of(form, init, whole, -UNIT, self.x)
            product = sum_of(form, init, inner, -2 * UNIT, products)
            totals = [("reduce", total), ("reduce of reverse iterators", total), ("transform_reduce", product)]
            for values, first, second in bins:
                totals += [("weighted_histogram, value", sum_of(form, 0.0, first, -UNIT, values)),
                           ("weighted_histogram, variance", sum_of(form, 0.0, second, -2 * UNIT, map(abs, values)))]
            for values, first, second in bins:
                totals += self.profile(form, values, first, second)
            sums = [sum_of(form, init, each, -UNIT, values) for each, values in segments]
            results += totals + [("segmented_reduce", each) for each in sums]
            results += [("reduce over ranks", total), ("transform_reduce over ranks", product)] * self.ranks
            if self.kernels:
                results += [("the kernel of sums", total), ("the kernel of inner products", product)]
                results += [("the kernel of segments", each) for each in sums]
            results += [(name + " of a permutation", value) for name, value in totals]
        return results + self.runs(exact)

    def sums_of_bins(self, exact):
        """Of each bin its elements, and their sum and that of their squares."""
        where = [[] for _ in range(self.extent)]
        for i, each in enumerate(self.bins):
            if 0 <= each < self.extent:
                where[each].append(i)
        return [([self.x[i] for i in bin], sum(exact[i] for i in bin), sum(exact[i] ** 2 for i in bin)) for bin in where]

    @staticmethod
    def profile(form, values, first, second):
        n = len(values)
        mean, variance = math.nan, math.nan
        if not all(map(math.isfinite, values)):
            mean = sum_of(form, 0.0, 0, -UNIT, values)
        elif n > 0:
            mean = form.quotient(first << UNIT, n)
            variance = form.quotient(n * second - first**2, n * (n - 1)) if n > 1 else math.nan
        return [("profile, count", n), ("profile, mean", mean), ("profile, variance", variance)]

    def runs(self, exact):
        results, first, n = [], 0, len(self.x)
        for i in range(1, n + 1):
            if i == n or self.bins[i] != self.bins[first]:
                results.append(("reduce_by_key", sum_of(self.form, -0.0, sum(exact[first:i]), -UNIT, self.x[first:i])))
                first = i
        return results

    def check_oracle(self, whole, product):
        """The integers themselves beside math.fsum and fractions."""
        if all(map(math.isfinite, self.x)):
            try:
                assert math.fsum(self.x) == DOUBLE.rounded(whole, -UNIT), "math.fsum differs from integers"
            except OverflowError:  # on the way
                pass
            if len(self.x) < 100 and self.seed % 16 == 0 and all(map(math.isfinite, self.y)):
                assert sum(map(Fraction, self.x)) == Fraction(whole, 2**UNIT), "fractions differ from integers"
                assert sum(Fraction(x) * Fraction(y) for x, y in zip(self.x, self.y)) == Fraction(product, 4**UNIT)


def check(program, inputs):
    """Returns the number of results."""
    run = subprocess.run([program], input=b"".join(each.packed() for each in inputs), stdout=subprocess.PIPE, check=True)
    found = array.array("d", run.stdout)
    i = 0
    for each in inputs:
        expected = each.expected()
        answers = found[i:i + len(expected)]
        i += len(expected)
        if answers.tobytes() == array.array("d", [wanted for _, wanted in expected]).tobytes():
            continue
        if len(answers) < len(expected):
            sys.exit("too few results")
        for (name, wanted), answer in zip(expected, answers):  # any NaN is as good as another
            if not (math.isnan(wanted) and math.isnan(answer)) and struct.pack("d", answer) != struct.pack("d", wanted):
                sys.exit(f"{name} of {len(each.x)} elements ({each.kind}, {each.form.bytes} bytes each, input {each.seed}): "
                         f"{answer.hex()}, not {float(wanted).hex()}; settings {vars(each) if len(each.x) < 20 else each.inits}")
    if i != len(found):
        sys.exit("too many results")
    return i


def main():
    random.seed(1)
    program, inputs, elements = sys.argv[1], *map(int, sys.argv[2:4] + DEFAULTS[len(sys.argv) - 2:])
    total = 0
    for number, kind in enumerate(sys.argv[4:] or KINDS):
        results = 0
        for form in (FLOAT, DOUBLE):
            for first in range(0, inputs, 1000):
                most = random.choices((4, 20, 100, 2000), (25, 50, 25, 0.5), k=min(1000, inputs - first))
                results += check(program, [Input(kind, form, random.randrange(n), first + i) for i, n in enumerate(most)])
        results += check(program, [Input(kind, (FLOAT, DOUBLE)[number % 2], elements, inputs)])
        print(f"{kind}: {results} results", flush=True)
        total += results
    print(f"{total} results of {(2 * inputs + 1) * len(sys.argv[4:] or KINDS)} inputs: all bits as they should be")


main()
