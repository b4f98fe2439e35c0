"""Products of fp8 on one core, beside the package mmaemu's reference for CPUs: processor time, and how many bits differ.

Usage: PYTHONPATH=build/python python3 tests/bench/peers.py [M K N]      one thread; skipped without mmaemu and torch
"""

from __future__ import annotations

import sys
import time

import numpy as np

import discern


def best(compute, times):
    """The least processor time of some runs, and what the last gave."""
    seconds = float("inf")
    for _ in range(times):
        begin = time.process_time()
        result = compute()
        seconds = min(seconds, time.process_time() - begin)
    return seconds, result


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "an unknown CPU")


def main():
    M, K, N = (int(word) for word in sys.argv[1:4]) if len(sys.argv) > 3 else (64, 1920, 5760)
    try:
        import mmaemu
        import torch
    except ImportError as error:
        print(f"skipped: {error}")
        return
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    a, w = rng.integers(0, 256, (M, K), np.uint8) & 0xBF, rng.integers(0, 256, (N, K), np.uint8) & 0xBF
    x, y = (torch.from_numpy(codes).view(torch.float8_e4m3fn) for codes in (a, w))
    sa, sb = torch.tensor(0.5), torch.tensor(0.25)
    print(f"{M} × {K} × {N}, e4m3 into bf16, H100; one thread of {processor()}")
    kept = discern.packed(w.T, "e4m3")
    for fast in (True, False):
        once, c = best(lambda: discern.scaled_mm(a, kept, 0.5, 0.25, use_fast_accum=fast, split=1), 7)
        ours, d = best(lambda: discern.scaled_mm(a, w.T, 0.5, 0.25, use_fast_accum=fast, split=1), 7)
        theirs, e = best(
            lambda: mmaemu.scaled_mm(
                x, y.t(), sa, sb, out_dtype=torch.bfloat16, use_fast_accum=fast, profile="hopper", splitk=1, backend="reference"
            ),
            2,
        )
        bits = e.view(torch.int16).numpy().view(np.uint16)
        different = int((d.view(np.uint16) != bits).sum()) + int((c.view(np.uint16) != bits).sum())
        name = "fast" if fast else "slow"
        times = f"{ours:.4f} s, with a packed weight {once:.4f} s, mmaemu {mmaemu.__version__} {theirs:.3f} s"
        print(f"{name} accumulation: {times}: {theirs / ours:.0f} × and {theirs / once:.0f} ×, {different} differ")


if __name__ == "__main__":
    main()
