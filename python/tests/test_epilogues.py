"""Kernels behind scales and roundings, found from outside: the target is scaled_mm, which computes what follows the sums in numpy."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import discern

HOPPER = "hopper/wgmma.m64n8k32.f32.e4m3.e4m3"


def products(**how):
    """A target: each vector is an element of a product of at most 32 × 32."""

    def dots(a, b):
        parts = []
        for first in range(0, len(a), 32):
            x, y = a[first : first + 32], b[first : first + 32]
            count = len(y)
            y = np.concatenate([y, np.zeros((-count % 16, y.shape[1]), np.uint8)])  # columns come in sixteens
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", discern.NotMeasured)
                d = discern.scaled_mm(x, y.T, formats=("e4m3", "e4m3"), split=1, **how)
            word = {1: np.uint8, 2: np.uint16, 4: np.uint32}[d.dtype.itemsize]
            parts.append(np.ascontiguousarray(d).view(word).diagonal())
        return np.concatenate(parts)

    return dots


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize("out, sa, sb", [slow("f32", 0.3, 0.7), ("bf16", 0.01, 0.37), ("f16", 2**-9, 1.1), slow("e4m3", 0.02, 0.5)])
def test_a_promoted_accumulator_behind_scales(out, sa, sb):
    found = discern.identify(
        products(scale_a=sa, scale_b=sb, out_dtype=out), formats=f"e4m3,e4m3,-,{out}", K=320, kernel=True, arrays="patterns", timeout=20, validate=20_000,
    )  # fmt: skip
    assert found.unit == HOPPER, found.to_dict()
    assert "promote=128:f32:rne" in [found.schedule, *found.also], found.to_dict()
    alpha = float(np.float32(np.float32(sa) * np.float32(sb)))
    assert found.then["least"] <= alpha <= found.then["greatest"] and found.validated > 1000
    assert found.then["saturates"] == (out == "e4m3")


def test_another_gpu_behind_scales_is_told_apart():
    """Ada's instruction, whose blocks of 16 differ from Hopper's of 32."""
    found = discern.identify(
        products(scale_a=0.3, scale_b=0.7, out_dtype="bf16", profile="rtx4060", use_fast_accum=True), formats="e4m3,e4m3,-,bf16", K=256, kernel=True,
        arrays="patterns", timeout=8, validate=20_000,
    )  # fmt: skip
    assert found.schedule == ""
    assert found.unit in ("ada/mma.m16n8k16.f32.e4m3.e4m3.f32", "ada/mma.m16n8k32.f32.e4m3.e4m3.f32")  # one arithmetic


@pytest.mark.slow
def test_a_promoted_accumulator_behind_a_pipe(monkeypatch):
    """The same as a program of its own, of which discern sees only what it writes."""
    monkeypatch.setenv("PYTHONPATH", str(Path(discern.__file__).parents[1]) + os.pathsep + os.environ.get("PYTHONPATH", ""))
    program = Path(__file__).parents[2] / "docs" / "examples" / "exec_target" / "scaled_mm.py"
    found = discern.identify(
        f"exec:{sys.executable} {program}", formats="e4m3,e4m3,-,bf16", K=384, kernel=True, timeout=200, validate=3000,
    )  # fmt: skip
    assert (found.unit, found.schedule) == (HOPPER, "promote=128:f32:rne"), found.to_dict()
    assert found.then["alpha"] == float(np.float32(0.3) * np.float32(0.7)) and found.verdict == "open"
