"""How much the surface costs: whole products and batches of dot products by Python, beside the same by the C++ library.

Usage: PYTHONPATH=build/python python3 tests/bench/python.py [build/bench/gemm]. Both are measured by turns, in processor
time; only their ratio says anything on a machine that does other things too.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import time
from typing import Callable

import numpy as np

import discern

UNITS = ["hopper/wgmma.m64n8k16.f32.f16.f16", "cdna3/v_mfma_f32_16x16x16_f16", "hopper/wgmma.m64n8k16.f32.bf16.bf16"]


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def operands(unit: discern.Unit, count: int) -> np.ndarray:
    """So many elements of a, N(0, 1), as patterns."""
    numbers = np.random.default_rng(1).standard_normal(1 << 14)
    return np.resize(discern.patterns(unit.shape.a, numbers), count)


def product(name: str, n: int, program: str, rounds: int = 5) -> None:
    u = discern.unit(name)
    a, b = operands(u, n * n).reshape(n, n), operands(u, n * n).reshape(n, n)
    c = np.zeros((n, n), np.uint32)
    ours, theirs = [], []
    for _ in range(rounds):
        said = subprocess.run([program, "product", name, str(n), "1"], capture_output=True, text=True, check=True).stdout
        theirs.append(float(re.search(r"of processor time ([0-9.]+) s", said)[1]))
        ours.append(seconds(lambda: u.gemm(a, b, c)))
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"{name}: {n}^3 by u.gemm takes {ratio:.2f} of the library's time")


def dots(name: str, count: int, program: str, rounds: int = 3) -> None:
    u = discern.unit(name)
    a = operands(u, count * u.K).reshape(count, u.K)
    b = a[::-1].copy()
    c = np.zeros(count, np.uint32)
    ours, theirs = [], []
    for _ in range(rounds):
        said = subprocess.run([program, "dots", name, str(count)], capture_output=True, text=True, check=True).stdout
        theirs.append(float(said.splitlines()[1].split()[2]))
        ours.append(count / seconds(lambda: u(a, b, c)) / 1e6)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"{name}: {count} dot products by u(a, b, c) at {ratio:.2f} of the library's rate")


def main() -> None:
    program = sys.argv[1] if len(sys.argv) > 1 else "build/bench/gemm"
    for name in UNITS:
        product(name, 1024, program)
    for name in UNITS:
        dots(name, 10_000_000, program)


if __name__ == "__main__":
    main()
