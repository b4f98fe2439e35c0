"""Products of matrices by several words a number on several units: the experiment of Figure 7 of Khattak and Mikaitis.

Usage: PYTHONPATH=BUILD/python tests/bench/multiword.py [--largest N] [--words 1,2,3] [--format f16|bf16] [--seed S]
                                                  [--split MODE] [UNIT…]

A is 10 × n and B n × 10, their elements ±10^u with u uniform in [−10, 10], scaled by powers of two, rows of A and columns of
B, so that the largest is near the format's largest; both are cut into words, and the products of words are added up in the
unit, the larger ones first, a product of words j and k with the factor u^(j+k−2) on the word of A. Prints for each n the error
‖C' − C‖ / (‖A‖ ‖B‖), in the infinity norm, C being the product in binary64.

The random numbers are those that the published script draws (MATLAB's rng(1); NumPy's RandomState is the same generator), so
that errors can be compared number by number: a word more begins where the last one ended.
"""

import argparse

import numpy as np

import discern

UNITS = {
    "f16": ["volta/mma.m8n8k4.f32.f16.f16.f32", "ampere/mma.m16n8k16.f32.f16.f16.f32", "hopper/wgmma.m64n8k16.f32.f16.f16",
            "hopper/wgmma.m64n8k16.f32.f16.f16{round=rne}"],
    "bf16": ["ampere/mma.m16n8k16.f32.bf16.bf16.f32", "hopper/wgmma.m64n8k16.f32.bf16.bf16",
             "hopper/wgmma.m64n8k16.f32.bf16.bf16{round=rne}"],
}
ROWS = 10
SPREAD = 10  # decimal exponents, each way


# 20 sizes from 10 to 10^6, evenly on a logarithmic scale.
SIZES = [int(n) for n in np.floor(np.logspace(1, 6, 20) + 1e-9)]


class Words:
    """A format of words: numbers rounded to it, and the patterns that a unit takes."""

    def __init__(self, name):
        f = discern.format_of(name)
        self.name = f.name
        self.u = 2.0 ** -(f.mantissa_bits + 1)
        self.largest = 2.0 ** (2 ** (f.exponent_bits - 1) - 1) * (2 - 2 * self.u)

    def patterns(self, x, mode="rne"):
        return discern.patterns(self.name, x, mode)

    def rounded(self, x, mode="rne"):
        return discern.numbers(self.name, self.patterns(x, mode))


def draw(random, n):
    """A and B as the published script draws them: column by column."""
    uniform = lambda rows, columns: random.random_sample(rows * columns).reshape(columns, rows).T
    a = 10.0 ** (uniform(ROWS, n) * 2 * SPREAD - SPREAD)
    b = 10.0 ** (uniform(n, ROWS) * 2 * SPREAD - SPREAD)
    signs = lambda rows, columns: np.floor(uniform(rows, columns) * 2) * 2 - 1
    sign_of_a = signs(ROWS, n)
    return a * sign_of_a, b * signs(n, ROWS)


def product(unit, words, a, b, count, split):
    """C, and before it is scaled back: rows by their own powers of two."""
    n = a.shape[1]
    theta = min(words.largest, np.sqrt((2.0**127 * (2 - 2.0**-23)) / n))
    power = lambda x: 2.0 ** np.floor(np.log2(x))
    left, right = power(theta / np.abs(a).max(1, keepdims=True)), power(theta / np.abs(b).max(0, keepdims=True))
    of_a, of_b = [], []
    for x, parts in ((left * a, of_a), (b * right, of_b)):
        for j in range(count):
            parts.append(words.rounded(x / words.u**j, split))
            x = x - parts[j] * words.u**j
    c = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for j in range(count):
        for k in range(count - j):
            scaled = words.rounded(words.u ** (j + k) * of_a[j])
            c = unit.gemm(words.patterns(scaled), words.patterns(of_b[k]), c.view(np.uint32), threads=2).view(np.float32)
    return c.astype(np.float64) / left / right


def error(a, b, c):
    norm = lambda x: np.abs(x).sum(1).max()
    return norm(c - a @ b) / norm(a) / norm(b)


def experiment(units, name="f16", counts=(1, 2, 3), largest=SIZES[-1], seed=1, split="rz"):
    """Yields the number of words, n, and the errors of the units."""
    words, random = Words(name), np.random.RandomState(seed)
    units = [discern.unit(unit) for unit in units]
    for count in (1, 2, 3)[: max(counts)]:
        for n in SIZES:
            if n > largest or count not in counts:
                for _ in range(4 * ROWS):  # as many numbers as it would draw
                    random.random_sample(n)
                continue
            a, b = draw(random, n)
            yield count, n, [error(a, b, product(unit, words, a, b, count, split)) for unit in units]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("units", nargs="*", metavar="UNIT")
    parser.add_argument("--format", default="f16", choices=UNITS)
    parser.add_argument("--words", default="1,2,3")
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", default="rz", help="how numbers are rounded to words")
    options = parser.parse_args()
    names = options.units or UNITS[options.format]
    print("words n " + " ".join(names))
    counts = [int(word) for word in options.words.split(",")]
    for count, n, errors in experiment(names, options.format, counts, options.largest, options.seed, options.split):
        print(count, n, " ".join(f"{one:.6e}" for one in errors), flush=True)


if __name__ == "__main__":
    main()
