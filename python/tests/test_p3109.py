"""Formats of P3109 by their names, against the package gfloat: every pattern, and rounding at, between and beyond all of them."""

from __future__ import annotations

import numpy as np
import pytest

import discern

gfloat = pytest.importorskip("gfloat", reason="gfloat is not installed (pip install gfloat)")
from gfloat.formats import Domain, Signedness, format_info_p3109  # noqa: E402

#: bits and precisions of the signed formats that can be written
WRITTEN = [(k, p) for k in range(4, 12) for p in range(2, k - 1) if k - p <= 10]
LETTERS = {"f": Domain.Finite, "e": Domain.Extended}
MODES = {"rz": "TowardZero", "rd": "TowardNegative", "ru": "TowardPositive", "rne": "TiesToEven", "rna": "TiesToAway"}


def same(x: np.ndarray, y: np.ndarray) -> bool:
    return np.array_equal(x, y, equal_nan=True) and np.array_equal(np.signbit(x[~np.isnan(x)]), np.signbit(y[~np.isnan(y)]))


def patterns(k: int) -> np.ndarray:
    return np.arange(1 << k, dtype=np.uint8 if k <= 8 else np.uint16)


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("k, p", WRITTEN)
def test_every_pattern_is_the_same_number(k: int, p: int, letter: str):
    info = format_info_p3109(k, p, Signedness.Signed, LETTERS[letter])
    words = patterns(k)
    theirs = np.array([gfloat.decode_float(info, int(code)).fval for code in words])
    assert np.isnan(theirs).sum() == 1 and np.isinf(theirs).sum() == (2 if letter == "e" else 0)
    names = [f"binary{k}p{p}s{letter}", info.name, info.name.upper(), *([f"binary{k}p{p}"] if letter == "e" else [])]
    for name in names:
        assert same(discern.numbers(name, words), theirs), name


@pytest.mark.parametrize("overflow", ("max", "ieee"))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("k, p", [(k, p) for k, p in WRITTEN if k in (4, 5, 8)])
def test_numbers_at_and_between_all_patterns_are_rounded_alike(k: int, p: int, letter: str, mode: str, overflow: str):
    name, info = f"binary{k}p{p}s{letter}", format_info_p3109(k, p, Signedness.Signed, LETTERS[letter])
    own = discern.numbers(name, patterns(k))
    own = np.sort(own[np.isfinite(own)])
    between = np.concatenate([own[:-1] + part * np.diff(own) for part in (0, 0.25, 0.5, 0.75)])
    ulp = own[-1] - own[-2]
    beyond = own[-1] + ulp * np.array([0, 0.25, 0.5, 0.75, 1, 1.5, 1000])
    values = np.concatenate([between, beyond, -beyond])
    if overflow == "ieee":  # with saturation, gfloat has infinities become the largest number, too, and overflow=max has not
        values = np.concatenate([values, [np.inf, -np.inf, np.nan]])
    unit = discern.unit(f"f64*f64->{name} K=1 : round[{name} {mode} overflow={overflow}](p*)")
    ours = discern.numbers(name, unit(values[:, None].view(np.uint64), np.full((values.size, 1), 1.0).view(np.uint64)))
    theirs = np.array([gfloat.round_float(info, x, gfloat.RoundMode[MODES[mode]], sat=overflow == "max") for x in values.tolist()])
    assert same(ours, theirs)


@pytest.mark.parametrize("k, p", [(8, p) for p in range(1, 9)])
def test_what_cannot_be_written_is_refused(k: int, p: int):
    for signedness in Signedness:
        for domain in Domain:
            info = format_info_p3109(k, p, signedness, domain)
            if signedness is Signedness.Signed and (k, p) in WRITTEN:
                continue
            with pytest.raises(discern.InputError, match="of P3109"):
                discern.numbers(info.name, np.zeros(1, np.uint8))
