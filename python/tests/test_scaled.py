"""Products of fp8 with scales, against what a replay of two GPUs gave, and against exact arithmetic written here."""

from __future__ import annotations

import json
from fractions import Fraction as F
from math import inf, isinf

import numpy as np
import pytest

import discern
from conftest import SHARED
from rule_in_fractions import decoded, finished, ieee, summed

PROFILE = {"hopper": "h100-pcie", "ada": "rtx4060"}
RECORDED = SHARED / "scaled-mm" / "h100-rtx4060.npz"
WORD = {"f32": np.uint32, "bf16": np.uint16, "f16": np.uint16, "e4m3": np.uint8, "e5m2": np.uint8}


def scale(bits):
    return np.array(int(bits, 16), np.uint32).view(np.float32)


def test_recorded_products():
    if not RECORDED.exists():
        pytest.skip("../shared/scaled-mm is not here")
    with np.load(RECORDED) as data:
        described = json.loads(bytes(data["meta"]))
        assert len(described) == 32
        for i, said in enumerate(described):
            split = 1 if said["S"] == 1 else (said["S"], said["scheme"])
            d = discern.scaled_mm(
                data[f"a{i}"], data[f"b{i}"].T, scale(said["scale_a"]), scale(said["scale_b"]), out_dtype=said["out"], use_fast_accum=said["fast"],
                profile=PROFILE[said["profile"]], split=split,
                formats=(said["a"], said["b"]),
            )  # fmt: skip
            different = np.flatnonzero(d.view(WORD[said["out"]]) != data[f"d{i}"])
            assert len(different) == 0, f"product {i}: {said}: {len(different)} of {d.size} differ"


CASES = [
    ("h100-pcie", True, 1), ("h100-pcie", False, 1), ("h100-pcie", True, (2, "contiguous")), ("h100-pcie", False, (3, "contiguous")),
    ("h100-pcie", False, (6, "contiguous")), ("rtx4060", True, 1), ("rtx4060", False, 1), ("rtx4060", True, (3, "serial")),
    ("rtx4060", False, (2, "serial")), ("rtx4060", False, (3, "pairwise")), ("rtx4060", True, (4, "pairwise")),
    ("rtx4060", True, (9, "serial")), ("rtx4060", False, (9, "pairwise")),
]  # fmt: skip


@pytest.mark.parametrize("profile, fast, split", CASES)
def test_the_rule_in_fractions(profile, fast, split, rng):
    """Four kinds of inputs: of all exponents, near one another, sums that cancel, and with NaN and infinities."""
    outs = iter(np.resize(["f32", "bf16", "f16", "e4m3", "e5m2"], 12))
    for K in (48, 272, 400):
        for kind in ("all", "near", "cancelling", "special"):
            out = str(next(outs))
            fa, fb = [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e5m2")][int(rng.integers(1 if out == "e5m2" else 0, 3))]
            a, b = rng.integers(0, 256, (2, K), np.uint8), rng.integers(0, 256, (16, K), np.uint8)
            if kind == "near":
                a, b = a & 0x87 | 0x38, b & 0x87 | 0x38
            if kind == "cancelling":
                a[:, 1::2], b[:, 1::2] = a[:, ::2] ^ 0x80, b[:, ::2]
            if kind != "special":
                for codes, format in ((a, fa), (b, fb)):
                    codes[(codes & 0x7F) >= {"e4m3": 0x7F, "e5m2": 0x7C}[format]] &= 0x83
            else:  # few NaN and infinities, so that other results stay finite
                for codes, format in ((a, fa), (b, fb)):
                    codes[(codes & 0x7F) >= {"e4m3": 0x7F, "e5m2": 0x7C}[format]] = 0x38
                a[0, K // 2] = {"e4m3": 0x7F, "e5m2": 0xFC}[fa]
                b[3, 1], b[5, 2] = {"e4m3": (0xFF, 0x7F), "e5m2": (0x7C, 0xFC)}[fb]
                b[7, K // 2] = 0
            sa, sb = (np.float32(x) for x in rng.uniform(0.01, 2, 2))
            result = np.float32(rng.uniform(0.5, 4)) if rng.random() < 0.5 else None
            d = discern.scaled_mm(
                a, b.T, sa, sb, out_dtype=out, use_fast_accum=fast, profile=profile, split=split, scale_result=result,
                formats=(fa, fb),
            )  # fmt: skip
            x = [[decoded(int(code), fa) for code in row] for row in a]
            y = [[decoded(int(code), fb) for code in row] for row in b]
            for i, j in np.ndindex(2, 16):
                pairs = [(p, q) for (p, _), (q, _) in zip(x[i], y[j])]
                acc = ieee(pairs)
                if acc is None:
                    acc = summed([(p * q, e + f) for (p, e), (q, f) in zip(x[i], y[j])], profile, fast, split)
                want = finished(acc, sa, sb, result, out)
                got = int(d.view(WORD[out])[i, j])
                assert got == want, (K, kind, fa, fb, out, i, j, hex(got), hex(want))


def test_all_roundings_to_fp8():
    """Every f32 around every number of fp8 and every tie, by a product with one number and a scale."""
    a = np.zeros((1, 16), np.uint8)
    b = np.zeros((16, 16), np.uint8)
    a[0, 0] = b[0, 0] = 0x38  # 1
    for out in ("e4m3", "e5m2"):
        numbers = [decoded(code, out)[0] for code in range(128)]
        finite = [x for x in numbers if isinstance(x, F)]
        ties = [(x + y) / 2 for x, y in zip(finite, finite[1:])]
        for x in [*finite[1:], *ties, finite[-1] * 2]:
            for near in (np.float32(float(x)), np.nextafter(np.float32(float(x)), np.float32(0)), np.nextafter(np.float32(float(x)), np.float32(inf))):
                for sign in (1, -1):
                    d = discern.scaled_mm(
                        a, b, near, np.float32(sign), out_dtype=out, split=1, formats=("e4m3", "e5m2") if out == "e5m2" else "e4m3,e4m3"
                    )
                    one = F(1) if out == "e4m3" else F(decoded(0x38, "e5m2")[0])
                    assert int(d.view(np.uint8)[0, 0]) == finished(one, near, np.float32(sign), None, out), (out, near, sign)
    assert not isinf(one)


def test_signs_of_zero_and_what_is_too_small():
    a = np.zeros((1, 16), np.uint8)
    b = np.full((16, 16), 0x38, np.uint8)
    assert (discern.scaled_mm(a, b, 1.0, -1.0, out_dtype="f32", split=1).view(np.uint32) == 0).all()  # an exact zero is +0
    a[0, 0] = 0x01
    d = discern.scaled_mm(a, b, np.float32(1e-38), np.float32(-1e-6), out_dtype="f32", split=1).view(np.uint32)
    assert (d == 0x80000000).all()  # −2^−9 · 10^−44 keeps its sign


def test_results_without_elements():
    for m, k, n in ((0, 16, 16), (3, 0, 16), (2, 16, 0)):
        d = discern.scaled_mm(np.zeros((m, k), np.uint8), np.zeros((k, n), np.uint8), 1.0, 1.0, out_dtype="f32")
        assert d.shape == (m, n) and (d == 0).all()


def test_bad_input_is_one_sentence():
    a, b = np.zeros((4, 32), np.uint8), np.zeros((32, 16), np.uint8)
    one = np.float32(1)
    call = lambda *given, **how: lambda: discern.scaled_mm(*given, **{"split": 1, **how})  # noqa: E731
    for bad, said in [
        (call(a, b, one, one, split=None), "is not known: .* split=1 or split=\\(S, 'contiguous'\\)"),
        (call(a, b, one, one, split=4), "split=4 does not say .* split=\\(S, 'contiguous'\\) with S = 4"),
        (call(a, b, one, one, split=(4, "serial")), "no scheme 'serial'; \\(S, 'contiguous'\\) is right"),
        (call(a, b, one, one, split=(0, "contiguous")), "0 parts are out of range"),
        (call(a, b, one, one, split="two"), "split='two' is no division"),
        (call(a, b, one, one, profile="h200"), "profile='h200' is not known; the profiles are h100-pcie"),
        (call(a, b, one, one, profile=3), "profile=3 is no profile"),
        (call(a, b.T, one, one), "cannot be multiplied \\(4x32 and 16x32\\)"),
        (call(a[0], b, one, one), "a has the shape \\(32,\\); a matrix is needed"),
        (call(a[:, :24], b[:24], one, one), "k must be divisible by 16"),
        (call(a, b[:, :3], one, one), "columns must be divisible by 16"),
        (call(a.astype(np.float32), b, one, one), "a has elements of type float32; float8_e4m3fn"),
        (call(a, [[1.0]], one, one), "b has elements of type list"),
        (call(a, b, one, np.float64(1)), "scale_b has elements of type float64; float32 is needed"),
        (call(a, b, np.ones((4, 2), np.float32), np.ones((1, 16), np.float32)), "one scale each, or the shapes"),
        (call(a, b, np.ones(3, np.float32), one), "scale_a has the shape \\(3,\\) and scale_b .*one scale each"),
        (call(a, b, None, one), "scale_a=None is no scale"),
        (call(a, b, one, one, out_dtype="f64"), "out_dtype='f64' is no type of results"),
        (call(a, b, one, one, out_dtype="e5m2"), "no product of e4m3 and e4m3 into e5m2"),
        (call(a, b, one, one, formats="e5m2,e5m2"), "two float8_e5m2 matrices is not supported"),
        (call(a, b, one, one, formats="e4m3"), "formats='e4m3' are not those of a and b"),
        (call(a, b, one, one, use_fast_accum=1), "use_fast_accum=1 is neither True nor False"),
        (call(a, b, one, one, out_dtype="f32", bias=np.zeros(16, np.float16)), "bias is not supported when out_dtype is f32"),
        (call(a, b, one, one, bias=np.zeros(16, np.float32)), "bias has elements of type float32; bf16 is needed"),
        (call(a, b, one, one, threads=0), "threads=0 is out of range"),
    ]:
        with pytest.raises(discern.Error, match=said) as error:
            bad()
        assert "\n" not in str(error.value) and isinstance(error.value, (ValueError, TypeError))


def test_a_bias_is_added_with_a_warning():
    a, b = np.full((1, 16), 0x38, np.uint8), np.full((16, 16), 0x38, np.uint8)
    bias = np.arange(16, dtype=np.float16)
    with pytest.warns(discern.NotMeasured, match="the addition of a bias was not measured"):
        d = discern.scaled_mm(a, b, 1.0, 1.0, out_dtype="f16", bias=bias, split=1)
    assert (d == 16 + bias).all()
    with pytest.raises(discern.InputError, match="bias has 3 elements; it must have 16"):
        discern.scaled_mm(a, b, 1.0, 1.0, out_dtype="f16", bias=bias[:3], split=1)


@pytest.mark.slow
def test_against_the_package_that_replays(rng):
    """mmaemu's reference for CPUs, with its tables where it decides; needs torch too."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    mmaemu = pytest.importorskip("mmaemu", reason="mmaemu is not installed")
    dtypes = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
    decided = 0
    for n in range(120):
        profile, theirs = [("h100-pcie", "hopper"), ("rtx4060", "ada")][n % 2]
        M, N, K = int(rng.choice([1, 16, 48])), 16 * int(rng.integers(1, 9)), 16 * int(rng.integers(1, 200))
        if n % 3 == 0:
            M, N, K = int(rng.choice([1, 16, 64])), 1920, int(rng.choice([1024, 1920, 2048, 4096]))
        fa, fb = [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e5m2")][int(rng.integers(3))]
        out = str(rng.choice(["f32", "bf16", "f16", "e4m3"]))
        fast = bool(rng.integers(2))
        scheme = "contiguous" if n % 2 == 0 else str(rng.choice(["serial", "pairwise"]))
        split = None if n % 3 == 0 else 1 if n % 3 == 1 else (int(rng.integers(2, 9)), scheme)
        a, b = rng.integers(0, 256, (M, K), np.uint8), rng.integers(0, 256, (N, K), np.uint8)
        for codes, format in ((a, fa), (b, fb)):
            most = {"e4m3": 0x7F, "e5m2": 0x7C}[format]
            codes[(codes & 0x7F) >= most] &= 0x83
            if n % 4 == 3:
                codes[0, 0] = most
        sa, sb = np.float32(rng.uniform(0.001, 1)), np.float32(rng.uniform(0.001, 1))
        x, y = torch.from_numpy(a).view(dtypes[fa]), torch.from_numpy(b).view(dtypes[fb])
        try:
            want = mmaemu.scaled_mm(
                x, y.t(), torch.tensor(sa), torch.tensor(sb), out_dtype=dtypes[out], use_fast_accum=fast, profile=theirs,
                splitk="auto" if split is None else split, backend="reference",
            )  # fmt: skip
        except mmaemu.SplitKUnknownError:
            with pytest.raises(discern.InputError, match="is not known"):
                discern.library_kernel(M, N, K, a=fa, b=fb, out_dtype=out, use_fast_accum=fast, profile=profile)
            continue
        decided += split is None
        d = discern.scaled_mm(a, b.T, sa, sb, out_dtype=out, use_fast_accum=fast, profile=profile, split=split, formats=(fa, fb))
        bits = want.view({4: torch.int32, 2: torch.int16, 1: torch.uint8}[want.element_size()]).numpy()
        assert (d.view(WORD[out]) == bits.view(WORD[out])).all(), (n, profile, M, N, K, fa, fb, out, fast, split)
    assert decided > 5
