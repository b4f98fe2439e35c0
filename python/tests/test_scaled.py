"""Products of fp8 with scales, against what a replay of two GPUs gave, and against exact arithmetic written here."""

from __future__ import annotations

import json
from fractions import Fraction as F
from math import inf, isinf, isnan, nan

import numpy as np
import pytest

import discern
from conftest import ROOT, SHARED

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


# ---- the rule once more, in fractions and in Python's own numbers

FIELDS = {"e4m3": (4, 3), "e5m2": (5, 2), "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23)}
NAN = {"f32": 0x7FFFFFFF, "bf16": 0x7FFF, "f16": 0x7FFF, "e4m3": 0x7F, "e5m2": 0x7F}


def decoded(code, format):
    """The number, and the exponent of its fields."""
    e, m = FIELDS[format]
    sign, field, fraction = code >> 7, code >> m & (1 << e) - 1, code & (1 << m) - 1
    bias = (1 << e - 1) - 1
    if format == "e4m3" and code & 0x7F == 0x7F:
        return nan, 0
    if format == "e5m2" and field == 31:
        return (nan if fraction else -inf if sign else inf), 0
    exponent = max(field, 1) - bias
    return (-1) ** sign * F(fraction + ((field > 0) << m)) * F(2) ** (exponent - m), exponent


def exponent_of(x):
    x = abs(x)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if F(2) ** e <= x else e - 1


def cut(x, exponent):
    """Towards zero, to a multiple of that power of two."""
    n = x / F(2) ** exponent
    return (abs(n.numerator) // n.denominator) * (1 if n > 0 else -1) * F(2) ** exponent


def nearest(x, format):
    """To nearest even; beyond the largest number it is infinite."""
    if isinstance(x, float) or x == 0:
        return x
    e, m = FIELDS[format]
    bias = (1 << e - 1) - 1
    step = F(2) ** (max(exponent_of(x), 1 - bias) - m)
    r = round(x / step) * step
    top = bias + (2 if format == "e4m3" else 1)  # e4m3 has numbers where others have infinity
    return r if abs(r) < F(2) ** top else inf if x > 0 else -inf


def chain(products, block):
    """From +0: each block's products and the sum before it, aligned and cut to 13 bits below the largest exponent."""
    c = F(0)
    for first in range(0, len(products), block):
        terms = [(p, e) for p, e in products[first : first + block] if p != 0]
        if c != 0:
            terms.append((c, exponent_of(c)))
        if not terms:
            continue
        top = max(e for _, e in terms)
        c = sum(cut(p, top - 13) for p, _ in terms)
        if c != 0:
            c = cut(c, exponent_of(c) - 13)
    return c


def in_order(sums):
    total = F(0)
    for one in sums:
        total = nearest(total + one, "f32")
    return total


def summed(products, profile, fast, split):
    block, tile = (32, 128) if profile == "h100-pcie" else (16, 64)
    parts, scheme = (1, "none") if split == 1 else split
    tiles = [products[first : first + tile] for first in range(0, len(products), tile)]
    if scheme == "contiguous":
        each = -(-len(tiles) // parts)
        owned = [tiles[s * each : (s + 1) * each] for s in range(parts)]
    else:
        owned = [tiles[s::parts] for s in range(parts)]
    group = 128 // tile

    def part(of):
        if fast:
            return chain(sum(of, []), block)
        return in_order(chain(sum(of[i : i + group], []), block) for i in range(0, len(of), group))

    p = [part(of) for of in owned]
    if scheme != "pairwise":
        return in_order(p)
    half = (parts + 1) // 2
    slots = [nearest(p[i] + p[i + half], "f32") if i + half < parts - 1 else p[i] for i in range(half)]
    return in_order([p[-1], *slots])


def ieee(pairs):
    """What IEEE 754 says of a sum that is not finite; None: it is."""
    terms = [float(x) * float(y) for x, y in pairs]
    return None if all(map(np.isfinite, terms)) else sum(t for t in terms if not np.isfinite(t))


def finished(acc, sa, sb, scale_result, out):
    alpha = nearest(F(float(sa)) * F(float(sb)), "f32")
    negative = acc < 0 if not isinstance(acc, float) else acc == -inf
    if isinstance(acc, float):
        y = acc * float(alpha)
    else:
        y = nearest(acc * alpha, "f32")
        negative = acc * alpha < 0
    if isinstance(y, float) and isnan(y):
        return NAN[out]
    if out in ("e4m3", "e5m2"):
        if scale_result is not None:
            y = y * float(scale_result) if isinstance(y, float) else nearest(y * F(float(scale_result)), "f32")
        most = {"e4m3": F(448), "e5m2": F(57344)}[out]
        y = (most if y > 0 else -most) if isinstance(y, float) or abs(y) > most else y
    y = nearest(y, out)
    e, m = FIELDS[out]
    sign = int(negative) << e + m
    if isinstance(y, float):
        return sign | ((1 << e) - 1) << m
    if y == 0:
        return sign
    bias = (1 << e - 1) - 1
    exponent = max(exponent_of(y), 1 - bias)
    return sign | ((exponent + bias - 1) << m) + int(abs(y) / F(2) ** (exponent - m))


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


# ---- which kernel a library takes


def test_schedules():
    def schedule(K, split, fast=False, profile="h100-pcie"):
        found = discern.library_kernel(64, 64, K, profile=profile, split=split, use_fast_accum=fast)
        return found.kernel.partition("@")[2]

    assert schedule(1920, 1, True) == "[K=1920]"
    assert schedule(1936, 1) == "[K=1952 promote=128:f32:rne]"
    assert schedule(1000, (3, "contiguous"), True) == "[K=1024 split=384+384+256 reduce=order:f32:rne]"
    assert schedule(512, (3, "contiguous"), True) == "[K=512 split=256+256 reduce=order:f32:rne]"  # the third has nothing
    assert schedule(512, (3, "serial"), profile="rtx4060") == "[K=512 slice=3 run=64 reduce=order:f32:rne promote=128:f32:rne]"
    assert schedule(128, (3, "pairwise"), True, "rtx4060") == "[K=192 slice=3 run=64 reduce=last-halves:f32:rne]"
    assert schedule(64, (3, "serial"), True, "rtx4060") == "[K=64]"


def test_profiles_say_what_they_rest_on():
    names = [profile.name for profile in discern.profiles()]
    assert names == ["h100-pcie", "h100-pcie-te", "rtx4060", "rtx4060-te", "b200"]
    for profile in discern.profiles():
        assert profile.evidence == ("inferred" if profile.name == "b200" else "measured") and profile.source and profile.rule and profile.workspace >= 1 << 20
        assert discern.units(profile.instructions.format(a="e4m3", b="e5m2"))
        assert json.dumps(profile.to_dict())


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """A package mmaemu with two small tables of ours."""
    folder = tmp_path / "mmaemu" / "platform" / "data"
    folder.mkdir(parents=True)
    (tmp_path / "mmaemu" / "__init__.py").write_text("raise ImportError('this is not imported')")
    codes = {"fa/fb": {"0": "e4m3", "1": "e5m2"}, "out": {"0": "float32", "1": "bfloat16"}, "ws": [0, 1 << 20, 4 << 20, 32 << 20]}
    rows = [  # M, N, K, fa, fb, out, fast, ws, splitK, custom
        (16, 64, 1024, 0, 0, 1, 0, 1, 4, 1), (16, 64, 1024, 0, 0, 1, 1, 1, 1, 0), (16, 64, 1024, 1, 0, 1, 0, 1, 2, 0),
        (16, 64, 1024, 0, 0, 1, 0, 3, 8, 1), (16, 64, 1024, 0, 0, 0, 0, 1, 3, 9),
    ]  # fmt: skip
    columns = dict(zip(("M", "N", "K", "fa", "fb", "out", "fast", "ws", "splitK", "custom"), np.array(rows).T))
    setting = {"fast": False, "fmt_a": "e4m3", "fmt_b": "e4m3", "out": "bfloat16", "ws": 1 << 20}
    about = {
        "h100pcie": {
            "codes": {**codes, "custom -> scheme": {"0": "contiguous", "1": "contiguous"}}, "settings": [],
            "envelope": {
                "K_grid": [1024, 4096], "K_min": 1024, "K_max": 4096, "bounds": [{**setting, "B": [5000, None]}],
                "validation": {str(1 << 20): {"status": "validated"}, str(32 << 20): {"status": "failed"}},
            },
        },
        "rtx4060": {
            "codes": {**codes, "custom -> scheme": {"0": "serial", "1": "pairwise"}},
            "settings": [{**setting, "split_rows": 7, "max_split_MN": 2000}],
        },
    }  # fmt: skip
    for gpu, said in about.items():
        (folder / f"heur_{gpu}_lt12.8.3.14.json").write_text(json.dumps(said))
        np.savez(folder / f"heur_{gpu}_lt12.8.3.14.npz", **columns)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_decisions_of_tables(tables):
    def decided(profile="h100-pcie", M=16, N=64, K=1024, **how):
        return discern.library_kernel(M, N, K, profile=profile, **how)

    found = decided()
    assert (found.split, found.source) == ((4, "contiguous"), "table") and "split=256+256+256+256" in found.kernel
    assert decided(use_fast_accum=True).split == (1, "none")
    assert decided(a="e5m2").split == (2, "contiguous")
    assert decided("h100-pcie-te").split == (8, "contiguous")
    assert decided("rtx4060").split == (4, "pairwise")
    assert decided(M=80).split == (1, "none") and "5000" in decided(M=80).note  # 80 · 64 > 5000
    assert decided("rtx4060", M=64).split == (1, "none")
    assert decided(split=1).source == "split"
    for unknown in (
        dict(M=17), dict(M=80, K=2048), dict(M=80, K=512), dict(M=80, use_fast_accum=True), dict(M=80, profile="h100-pcie-te"),
        dict(profile="rtx4060", M=62), dict(out_dtype="f32"), dict(out_dtype="f16"), dict(profile="rtx4060-te"),
    ):  # fmt: skip
        with pytest.raises(discern.InputError, match="is not known: the table .* does not say it, and .*; split=1 or split="):
            decided(**unknown)
    for file in tables.rglob("*.npz"):
        file.unlink()
    discern.split_tables._table.cache_clear()
    with pytest.raises(discern.InputError, match="has no table heur_h100pcie"):
        decided()


# ---- kernels of any length, which these products are


def test_a_kernel_of_any_length_multiplies(rng):
    K = 4160
    text = f"hopper/wgmma.m64n8k32.f32.e4m3.e4m3@[K={K} split=2176+1984 reduce=order:f32:rne]"
    u = discern.unit(text)
    a, b = rng.integers(0, 0x70, (3, K), np.uint8), rng.integers(0, 0x70, (K, 4), np.uint8)
    d = u.gemm(a, b)
    one = discern.unit("hopper/wgmma.m64n8k32.f32.e4m3.e4m3")
    parts = [one.gemm(a[:, :2176], b[:2176]), one.gemm(a[:, 2176:], b[2176:])]
    want = parts[0].view(np.float32) + parts[1].view(np.float32)
    assert (d.view(np.float32) == want).all()
    assert (u(a[0], b[:, 0]) == d[0, 0]).all() and u.exact(a[:1], b[:, 0]) == d[0, 0]
    assert (u.K, u.L, u.formats) == (K, 32, ("e4m3", "e4m3", "f32", "f32")) and "@[K=4160" in u.tree
    assert discern.unit(u.tree) == u
    with pytest.raises(discern.InputError, match="computes products of k = 4160, and A has 32 columns"):
        u.gemm(a[:, :32], b[:32])
    with pytest.raises(discern.Error, match="computes instructions in the order of k, and no schedule"):
        u.gemm(a, b, kernels="gpu")


def test_a_short_kernel_is_chained_over_more(rng):
    u = discern.unit("x86/fma.f32@[K=8 split=2]")
    a, b = rng.standard_normal((2, 24)).astype(np.float32), rng.standard_normal((24, 3)).astype(np.float32)
    c = np.zeros((2, 3), np.float32)
    for first in range(0, 24, 8):
        c = u.gemm(a[:, first : first + 8], b[first : first + 8], c)
    assert (u.gemm(a, b) == c).all()


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


def test_the_page_prints_what_it_says(capsys):
    import re
    import textwrap

    page = (ROOT / "docs" / "library-products.md").read_text()
    code = [block for block in re.findall(r"(?:^    .*\n|^\n)+", page, re.M) if "print(" in block]
    assert len(code) == 2
    for block in code:
        exec(textwrap.dedent(block), scope := {} if "import discern" in block else scope)  # noqa: S102
    said = re.findall(r"prints `([^`]*)` and `([^`]*)`", page)
    assert capsys.readouterr().out.splitlines() == [*said[0], "different"]


# ---- matrices that stay packed


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
