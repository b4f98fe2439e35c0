"""Matrices that stay packed for the kernels, for many products with one weight."""

from __future__ import annotations

import numpy as np
import pytest

import discern


def test_a_weight_stays_packed(rng):
    a, b = rng.integers(0, 0x70, (9, 288), np.uint8), rng.integers(0, 0x70, (288, 80), np.uint8)
    w = discern.packed(b, "e4m3")
    for how in (dict(split=1), dict(split=(2, "contiguous")), dict(split=(3, "serial"), profile="rtx4060")):
        for fast in (False, True):
            d = discern.scaled_mm(a, w, 0.5, 2.0, use_fast_accum=fast, **how)
            assert (d == discern.scaled_mm(a, b, 0.5, 2.0, use_fast_accum=fast, **how)).all()
    assert w.nbytes == 288 * 80 + 320 * 128 and w.shape == (288, 80) and repr(w) == "Packed(288 × 80 of e4m3)"
    u = discern.unit("hopper/wgmma.m64n8k32.f32.e4m3.e4m3")
    want = u.gemm(a, b)
    b[:] = 0  # it is a copy
    assert (u.gemm(a, w) == want).all() and (u.gemm(a[:1], w, threads=2) == want[:1]).all()
    turned = np.asfortranarray(rng.integers(0, 0x70, (288, 80), np.uint8))  # a weight, as its transpose
    for x in (turned, discern.packed(turned, "e4m3")):
        assert (u.gemm(a, x) == u.gemm(a, np.ascontiguousarray(turned))).all()
    half = rng.standard_normal((64, 8)).astype(np.float16)
    x = rng.standard_normal((3, 64)).astype(np.float16)
    v = discern.unit("hopper/wgmma.m64n8k16.f32.f16.f16")
    assert (v.gemm(x, discern.packed(half)) == v.gemm(x, half)).all()


def test_what_cannot_stay_packed_is_one_sentence(rng):
    w = discern.packed(np.zeros((32, 16), np.float16))
    a = np.zeros((2, 32), np.uint8)
    for bad, said in [
        (lambda: discern.packed(np.zeros((4, 4), np.uint8)), "or format=, is needed"),
        (lambda: discern.packed([1.0]), "elements of type list"),
        (lambda: discern.packed(np.zeros(4, np.float16)), "a matrix is needed"),
        (lambda: discern.scaled_mm(a, w, 1.0, 1.0, split=1), "b is packed, of f16; float8_e4m3fn"),
        (lambda: discern.unit("hopper/wgmma.m64n8k32.f32.e4m3.e4m3").gemm(a, w), "B is packed, of f16; .* has b of e4m3"),
        (lambda: discern.unit("hopper/wgmma.m64n8k16.f32.f16.f16").gemm(np.zeros((2, 3), np.float16), w), "as many columns"),
    ]:
        with pytest.raises(discern.Error, match=said):
            bad()
