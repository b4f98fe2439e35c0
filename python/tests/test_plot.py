"""Pictures. Skipped without matplotlib."""

from __future__ import annotations

import numpy as np
import pytest

import discern
from conftest import AMPERE, HOPPER

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
import discern.plot  # noqa: E402


def test_errors_are_those_of_the_definition():
    """RZ at the end errs toward zero, by less than one place; the exact unit not at all."""
    v = discern.generate(HOPPER, n=400, family="normal", finite=True)
    error = discern.plot.errors(HOPPER, v)
    sign = np.sign(discern.numbers("f64", discern.plot.exact_unit(HOPPER)(**v.inputs)))
    assert np.nanmean(error * sign) < -0.1
    nearest = discern.unit(HOPPER, F="exact", round="rne")
    assert np.nanmax(np.abs(discern.plot.errors(nearest, v))) <= 0.5


@pytest.mark.parametrize("suffix, begins", [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_pictures_are_written(tmp_path, suffix, begins):
    for name, figure in {
        "error": lambda path: discern.plot.error([HOPPER, AMPERE], n=200, path=path),
        "bias": lambda path: discern.plot.bias(HOPPER, n=200, path=path),
        "where": lambda path: discern.plot.where(HOPPER, AMPERE, n=200, path=path),
    }.items():
        path = tmp_path / f"{name}.{suffix}"
        assert figure(path).axes
        assert path.read_bytes().startswith(begins)


def test_cells_of_few_vectors_are_left_white():
    """Of 400 vectors in some 384 cells hardly any has twenty."""
    shares = {least: discern.plot.where(HOPPER, AMPERE, n=400, least=least).axes[0].images[0].get_array() for least in (1, 20)}
    shown = {least: int(np.isfinite(np.ma.filled(array, np.nan)).sum()) for least, array in shares.items()}
    assert 0 <= shown[20] < shown[1]
