"""Scales a row and a block of k, against products by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import discern
from discern.scales import is_b_first

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

HOPPER = "hopper/wgmma.m64n8k32.f32.e4m3.e4m3"


def codes(rng, *shape):
    return rng.integers(0, 0x70, shape, np.uint8) | rng.integers(0, 2, shape, np.uint8) << 7


def quiet(call, *args, **how):
    with pytest.warns(discern.NotMeasured):
        return call(*args, **how)


def bf16(x):
    return x.astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("fast", [True, False])
def test_a_scale_a_row(rng, fast):
    a, w = codes(rng, 5, 272), codes(rng, 32, 272)
    sa = rng.uniform(0.1, 2, (5, 1)).astype(np.float32)
    sb = rng.uniform(0.1, 2, (1, 32)).astype(np.float32)
    schedule = "" if fast else " promote=128:f32:rne"
    sums = discern.unit(f"{HOPPER}@[K=288{schedule}]").gemm(np.pad(a, ((0, 0), (0, 16))), np.pad(w, ((0, 0), (0, 16))).T)
    sums = sums.view(np.float32)
    assert is_b_first(5, 32) is False  # 64 × 64: both odd, m ≤ n, and small
    for out, rounded in (("bf16", bf16), ("f16", lambda x: x.astype(np.float16)), ("f32", np.float32)):
        d = quiet(discern.scaled_mm, a, w.T, sa, sb, out_dtype=out, use_fast_accum=fast)
        with np.errstate(over="ignore"):
            assert (d == rounded(sums * sa * sb)).all()
    bias = rng.standard_normal(32).astype(ml_dtypes.bfloat16)
    d = quiet(discern.scaled_mm, a, w.T, sa, sb, bias=bias, use_fast_accum=fast)
    assert (d == bf16(sums * sa * sb + bias.astype(np.float32))).all()


def test_which_scale_comes_first():
    # Shapes by hand from the conditions of RowwiseScaledMM.cu; the sum of a transposed product meets B's scale first.
    for M, N, first in [
        (1, 4096, False), (4096, 1, True), (192, 4096, True), (4096, 192, False), (128, 512, True), (512, 128, False), (128, 128, False),
        (1344, 1344, True), (1344, 1216, False), (1216, 1344, True), (1024, 1024, True), (4096, 4096, False), (4096, 8192, True), (8192, 4096, False), (2048, 2048, True),
    ]:  # fmt: skip
        assert is_b_first(M, N) is first, (M, N)
    rng = np.random.default_rng(3)
    a, w = codes(rng, 128, 16), codes(rng, 512, 16)
    sa, sb = (rng.uniform(0.1, 2, shape).astype(np.float32) for shape in ((128, 1), (1, 512)))
    sums = discern.unit(HOPPER).gemm(np.pad(a, ((0, 0), (0, 16))), np.pad(w, ((0, 0), (0, 16))).T).view(np.float32)
    d = quiet(discern.scaled_mm, a, w.T, sa, sb, out_dtype="f32", use_fast_accum=True)
    assert (d == sums * sb * sa).all() and (d != sums * sa * sb).any()


def in_tiles(scales):
    """As Blackwell's libraries read them, element by element."""
    rows, columns = (-(-n // to) * to for n, to in zip(scales.shape, (128, 4)))
    words = np.zeros(rows * columns, np.uint8)
    for r in range(scales.shape[0]):
        for c in range(scales.shape[1]):
            tile = r // 128 * (columns // 4) + c // 4
            words[tile * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4] = scales[r, c]
    return words


@pytest.mark.parametrize("operands, scale, block, unit", [
    ("e4m3,e5m2", "float8_e8m0fnu", 32, "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e5m2.ue8m0"),
    ("e2m1,e2m1", "float8_e8m0fnu", 32, "blackwell/tcgen05.mma.m128n8k64.block32.f32.e2m1.e2m1.ue8m0"),
    ("e2m1,e2m1", "float8_e4m3fn", 16, "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3"),
])  # fmt: skip
def test_a_scale_a_block(rng, operands, scale, block, unit):
    M, N, K = 130, 16, 96 if block == 32 else 80
    most = 16 if operands.startswith("e2m1") else 0x70
    a, w = rng.integers(0, most, (M, K), np.uint8), rng.integers(0, most, (N, K), np.uint8)
    low, high = (120, 134) if scale == "float8_e8m0fnu" else (0x20, 0x50)
    sa, sb = (rng.integers(low, high, (lines, K // block), np.uint8) for lines in (M, N))
    of = getattr(ml_dtypes, scale)
    d = quiet(discern.scaled_mm, a, w.T, sa.view(of), sb.T.view(of), out_dtype="f32", formats=operands, profile="b200")
    swizzled = quiet(
        discern.scaled_mm, a, w.T, in_tiles(sa).view(of), in_tiles(sb).view(of), out_dtype="f32", formats=operands, profile="b200"
    )
    u = discern.unit(unit)
    want = u.gemm(a, np.ascontiguousarray(w.T), sa=sa, sb=np.ascontiguousarray(sb.T))
    assert (d.view(np.uint32) == np.asarray(want).view(np.uint32)).all() and (d == swizzled).all()
    lines = quiet(discern.scaled_mm, a, w.T, sa.view(of), sb.T.view(of), formats=operands, profile="b200")
    assert (lines == bf16(d)).all()


def test_what_scales_cannot_be_is_one_sentence(rng):
    a, b = codes(rng, 4, 64), codes(rng, 64, 32)
    one, e8 = np.float32(1), ml_dtypes.float8_e8m0fnu
    rows, columns = np.ones((4, 1), np.float32), np.ones((1, 32), np.float32)
    blocks = np.full((4, 2), 127, np.uint8).view(e8), np.full((2, 32), 127, np.uint8).view(e8)

    def call(*args, **how):
        return lambda: discern.scaled_mm(*args, **how)

    for bad, said in [
        (call(a, b, rows, one), r"scale_a has the shape \(4, 1\) and scale_b \(\); one scale each, or the shapes \(4, 1\) and \(1, 32\)"),
        (call(a, b, rows.T, columns), "are right"),
        (call(a, b, rows, columns, profile="rtx4060"), "what a scale a row does on the RTX 4060, 24 SMs is not known"),
        (call(a, b, rows, columns, split=(2, "contiguous")), "are not divided; None or 1 is right"),
        (call(a, b, rows, columns, out_dtype="e4m3"), "bf16, f16 or f32 are right"),
        (call(a, b, rows, columns, formats="e4m3,e5m2"), "scales a row: b is e5m2"),
        (call(a, b, *blocks), "the H100 PCIe, 114 SMs has no instruction with a scale for 32 elements; profile='b200' has one"),
        (call(a, b, blocks[0], one, profile="b200"), "scale_a has elements of type float8_e8m0fnu and scale_b of float32"),
        (call(a, b, blocks[0][:, :1], blocks[1], profile="b200"), r"scale_a has the shape \(4, 1\); \(4, 2\), or 512 in the order of tiles"),
        (call(a, b, *blocks, profile="b200", out_dtype="e4m3"), "scales a block: out_dtype is e4m3"),
        (call(a[:, :48], b[:48], *blocks, profile="b200"), "k is 48; with a scale for 32 elements it must be divisible by 32"),
        (call(a & 15, b & 15, one, one, formats="e2m1,e2m1"), "products of fp4 need float8_e4m3fn"),
        (call(a & 15, b, one, one, formats="e2m1,e4m3"), "both must be fp8, or both fp4"),
        (call(a, b & 15, one, one, formats="e2m1,e2m1"), "a has codes above 15"),
        (call(a, b, one, one, profile="b200"), "is not known: nothing is recorded of it, and no rule of its cuBLASLt was measured; split=1 says it$"),
        (call(a, b, one, one, profile="b200", split=2), "no scheme of the B200 is known, and split=1 is right"),
    ]:  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(discern.Error, match=said) as error:
                bad()
        assert "\n" not in str(error.value) and isinstance(error.value, (ValueError, TypeError))


def test_one_scale_on_a_b200(rng):
    a, b = codes(rng, 4, 64), codes(rng, 64, 32)
    d = discern.scaled_mm(a, b, 0.5, 2.0, out_dtype="f32", profile="b200", split=1)
    assert (d.view(np.uint32) == discern.unit("blackwell/tcgen05.mma.m64n8k32.f32.e4m3.e4m3").gemm(a, b).view(np.uint32)).all()
