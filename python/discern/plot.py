"""Pictures of what units do: errors, bias of rounding, and where two differ. Needs matplotlib.

Each function returns the figure, and with path= writes it, as PNG or SVG by the name; the call that made it stands below.
"""

from __future__ import annotations

import textwrap
from typing import Any, Sequence

import numpy as np

try:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
except ImportError as error:  # pragma: no cover
    raise ImportError("discern.plot needs matplotlib, which is not installed; 'pip install matplotlib' installs it") from error

from .arrays import numbers
from .commands import generate
from .errors import ArrayError, InputError
from .formats import format_of
from .units import Unit, unit_text
from .vectors import Vectors


def exact_unit(unit: Any) -> Unit:
    """The unit of the same inputs whose sum is exact and rounded once, to f64."""
    u = unit if isinstance(unit, Unit) else Unit(unit_text(unit))
    if u.shape.scale:
        raise InputError(f"{u.text} has scales; there is no picture of such units yet")
    a, b, c, _ = u.formats
    formats, sum_of = (f"{a}*{b}+{c}", "p*, c") if c else (f"{a}*{b}", "p*")
    return Unit(f"{formats}->f64 K={u.K} L={u.K} nan=any : round[f64 rne](fuse[exact]({sum_of}))")


def errors(unit: Any, vectors: Vectors) -> np.ndarray:
    """d − exact sum for each vector, in units of the last place of d's format at the exact sum; NaN where either is not
    finite, or the sum is zero."""
    u = unit if isinstance(unit, Unit) else Unit(unit_text(unit))
    d = numbers(u.shape.d, u(**vectors.inputs))
    exact = numbers("f64", exact_unit(u)(**vectors.inputs))
    with np.errstate(all="ignore"):
        ulp = np.exp2(np.floor(np.log2(np.abs(exact))) - format_of(u.shape.d).mantissa_bits)
        error = (d - exact) / ulp
    return np.where(np.isfinite(error), error, np.nan)


def _figure(title: str, x: str, y: str, command: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=x, ylabel=y)
    figure.supxlabel("\n".join(textwrap.wrap(command, 110, break_long_words=False)), fontsize=7, family="monospace", color="grey")
    return figure, axes


def _saved(figure: Figure, path: Any) -> Figure:
    """Written, if it is to be: letters of an SVG as letters, and no date, so that the same picture is the same file."""
    if path is not None:
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "discern"}):
            figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
    return figure


def _list(units: Any) -> list[Unit]:
    if isinstance(units, (str, Unit)):
        units = [units]
    try:
        return [one if isinstance(one, Unit) else Unit(unit_text(one)) for one in units]
    except TypeError as error:
        if isinstance(error, ArrayError):
            raise
        raise ArrayError(f"{units!r} is no list of units") from None


def error(units: Sequence[Any], *, family: str = "normal", n: int = 50_000, seed: int = 1, path: Any = None) -> Figure:
    """How far from the exact sum units of equal formats are: the share of vectors with an error beyond so many ulp."""
    every = _list(units)
    vectors = generate(every[0], n=n, family=family, seed=seed, finite=True)
    command = f"discern.plot.error({[u.text for u in every]}, family={family!r}, n={n}, seed={seed})"
    figure, axes = _figure(f"error against the exact sum, {family}", "error, ulp", "share of vectors beyond", command)
    for u in every:
        sizes = np.sort(np.abs(errors(u, vectors)))
        sizes = sizes[~np.isnan(sizes)]
        shares = 1 - np.arange(1, len(sizes) + 1) / max(1, len(sizes))
        some = np.unique(np.linspace(0, max(0, len(sizes) - 1), 300).astype(int))[: len(sizes)]
        axes.step(sizes[some], shares[some], label=u.text, where="post")
    axes.set_xscale("symlog", linthresh=1)
    axes.legend(fontsize=7)
    return _saved(figure, path)


def bias(units: Sequence[Any], *, family: str = "normal", n: int = 50_000, seed: int = 1, path: Any = None) -> Figure:
    """Whether rounding has a direction: the distribution of the signed error, of each unit, with its mean."""
    every = _list(units)
    vectors = generate(every[0], n=n, family=family, seed=seed, finite=True)
    command = f"discern.plot.bias({[u.text for u in every]}, family={family!r}, n={n}, seed={seed})"
    figure, axes = _figure(f"bias of rounding, {family}", "error, ulp (cut at ±2)", "vectors", command)
    for u in every:
        signed = errors(u, vectors)
        signed = signed[~np.isnan(signed)]
        mean = float(np.mean(np.clip(signed, -2, 2))) if len(signed) else 0.0
        axes.hist(np.clip(signed, -2, 2), bins=81, range=(-2, 2), histtype="step", label=f"{u.text}: mean {mean:+.3f}")
    axes.axvline(0, color="grey", linewidth=0.5)
    axes.legend(fontsize=7)
    return _saved(figure, path)


def where(
    first: Any, second: Any, *, family: str = "normal", n: int = 50_000, seed: int = 1, least: int = 20, path: Any = None,
) -> Figure:  # fmt: skip
    """Where two units differ: the gap between the largest and the smallest exponent of a vector's products, against
    the place of the largest. Cells of fewer than `least` vectors are left white: their shares say nothing."""
    u, v = _list([first, second])
    vectors = generate(u, n=n, family=family, seed=seed, finite=True)
    with np.errstate(divide="ignore"):
        exponents = np.log2(np.abs(vectors.numbers("a"))) + np.log2(np.abs(vectors.numbers("b")))
    exponents = np.where(np.isfinite(exponents), np.floor(exponents), np.nan)
    some = ~np.isnan(exponents).all(axis=1)
    gap = np.nanmax(exponents[some], axis=1) - np.nanmin(exponents[some], axis=1)
    place = np.nanargmax(exponents[some], axis=1)
    differ = (u(**vectors.inputs) != v(**vectors.inputs))[some]
    command = f"discern.plot.where({u.text!r}, {v.text!r}, family={family!r}, n={n}, seed={seed}, least={least})"
    figure, axes = _figure("where two units differ", "place of the largest product, k", "exponent gap of the products, powers of two", command)
    bins = (np.arange(u.K + 1) - 0.5, np.linspace(0, max(1.0, float(gap.max())), 25))
    total, *_ = np.histogram2d(place, gap, bins)
    found, *_ = np.histogram2d(place[differ], gap[differ], bins)
    with np.errstate(invalid="ignore"):
        share = np.where(total >= least, found / total, np.nan).T
    extent = (bins[0][0], bins[0][-1], bins[1][0], bins[1][-1])
    image = axes.imshow(share, vmin=0, vmax=1, extent=extent, origin="lower", aspect="auto", interpolation="nearest")
    figure.colorbar(image, label=f"share that differs (white: fewer than {least} vectors)")
    return _saved(figure, path)
