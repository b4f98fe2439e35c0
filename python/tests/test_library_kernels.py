"""Which kernel a library takes for a product: schedules, profiles and tables of decisions; and kernels of any length."""

from __future__ import annotations

import json

import numpy as np
import pytest

import discern
from conftest import ROOT


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


def test_the_page_prints_what_it_says(capsys):
    import re
    import textwrap

    page = (ROOT / "docs" / "library-products.md").read_text()
    code = [block for block in re.findall(r"(?:^    .*\n|^\n)+", page, re.M) if "print(" in block]
    assert len(code) == 1
    exec(textwrap.dedent(code[0]), {})  # noqa: S102
    said = re.findall(r"prints `([^`]*)` and `([^`]*)`", page)
    assert capsys.readouterr().out.splitlines() == [*said[0]]
