"""Formats of P3109 by their names, against the package gfloat: every pattern, and rounding at and between all of them."""

from __future__ import annotations

import numpy as np
import pytest

import discern

gfloat = pytest.importorskip("gfloat", reason="gfloat is not installed (pip install gfloat)")
from gfloat.formats import Domain, Signedness, format_info_p3109  # noqa: E402

#: bits and precisions of the finite signed formats that can be written
WRITTEN = [(k, p) for k in range(4, 12) for p in range(2, k - 1) if k - p <= 10]
MODES = {"rz": "TowardZero", "rd": "TowardNegative", "ru": "TowardPositive", "rne": "TiesToEven", "rna": "TiesToAway"}


def finite(k: int, p: int):
    return format_info_p3109(k, p, Signedness.Signed, Domain.Finite)


def same(x: np.ndarray, y: np.ndarray) -> bool:
    return np.array_equal(x, y, equal_nan=True) and np.array_equal(np.signbit(x[~np.isnan(x)]), np.signbit(y[~np.isnan(y)]))


@pytest.mark.parametrize("k, p", WRITTEN)
def test_every_pattern_is_the_same_number(k: int, p: int):
    info = finite(k, p)
    words = np.arange(1 << k, dtype=np.uint8 if k <= 8 else np.uint16)
    theirs = np.array([gfloat.decode_float(info, int(code)).fval for code in words])
    assert np.isnan(theirs).sum() == 1
    for name in (f"binary{k}p{p}sf", info.name, info.name.upper()):
        assert same(discern.numbers(name, words), theirs), name


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("k, p", [(k, p) for k, p in WRITTEN if k == 8])
def test_numbers_at_and_between_all_patterns_are_rounded_alike(k: int, p: int, mode: str):
    name, info = f"binary{k}p{p}sf", finite(k, p)
    own = np.sort(discern.numbers(name, np.delete(np.arange(1 << k, dtype=np.uint8), 1 << (k - 1))))
    between = np.concatenate([own[:-1] + part * np.diff(own) for part in (0, 0.25, 0.5, 0.75)])
    unit = discern.unit(f"f64*f64->{name} K=1 : round[{name} {mode} overflow=max](p*)")
    ours = discern.numbers(name, unit(between[:, None].view(np.uint64), np.full((between.size, 1), 1.0).view(np.uint64)))
    theirs = np.array([gfloat.round_float(info, x, gfloat.RoundMode[MODES[mode]], sat=True) for x in between.tolist()])
    assert same(ours, theirs)


@pytest.mark.parametrize("k, p", [(8, p) for p in range(1, 9)])
def test_what_cannot_be_written_is_refused(k: int, p: int):
    for signedness in Signedness:
        for domain in Domain:
            info = format_info_p3109(k, p, signedness, domain)
            if signedness is Signedness.Signed and domain is Domain.Finite and (k, p) in WRITTEN:
                continue
            with pytest.raises(discern.InputError, match="of P3109"):
                discern.numbers(info.name, np.zeros(1, np.uint8))
