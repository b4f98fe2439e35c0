"""Whole kernels as an H200 ran them (tests/data/h200/README.md): their bits are those of `gemm` under the kernel's schedule."""

from __future__ import annotations

import numpy as np
import pytest

import discern

from conftest import DATA, E4M3, HOPPER

#: kernels that Triton compiled: the name in the file, and the schedule that the kernel's code shows
TRITON = [
    ("mm_f16_sm80", "hopper/mma.m16n8k16.f32.f16.f16.f32@[K=128 d=f16:rne]"),
    ("mm_f16_sm90", f"{HOPPER}@[K=128 d=f16:rne]"),
    ("mm_e4m3_promote_sm90", f"{E4M3}@[K=128 promote=64:f32:rne]"),
]


@pytest.fixture(scope="module")
def kept():
    with np.load(DATA / "h200" / "kernels.npz") as arrays:
        return dict(arrays)


def differing(kernel: str, a: np.ndarray, b: np.ndarray, d: np.ndarray) -> int:
    """How many elements of d, as patterns, `gemm` gives otherwise; b is K × N."""
    ours = discern.unit(kernel).gemm(a, np.ascontiguousarray(b))
    return int((np.asarray(ours).view(f"u{d.itemsize}") != d.view(f"u{d.itemsize}")).sum())


@pytest.mark.parametrize(("name", "kernel"), TRITON)
def test_triton(kept, name, kernel):
    for kind in range(4):  # normal, spread, few bits, all finite patterns
        a, b, d = (kept[f"{name}.{kind}.{x}"] for x in "ABD")
        assert differing(kernel, a, b.T if "e4m3" in name else b, d) == 0


def test_the_same_fp8_source_with_16_and_with_64_rows(kept):
    a, b = kept["e4m3.A"], kept["e4m3.B"].T
    kernel = f"{E4M3}@[K={a.shape[1]}]"
    assert differing(kernel, a, b, kept["e4m3.rows64.D"]) == 0
    assert differing(kernel, a, b, kept["e4m3.rows16.D"]) > a.shape[0] * b.shape[1] * 0.99


def test_scaled_mm_promotes_each_128_products(kept):
    a, b, d = (kept[f"scaled_mm.{x}"] for x in "ABD")
    for each, equal in ((64, False), (128, True), (256, False)):
        assert (differing(f"{E4M3}@[K={a.shape[1]} promote={each}:f32:rne]", a, b.T, d) == 0) == equal
