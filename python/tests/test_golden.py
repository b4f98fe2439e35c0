"""Results of others, by the surface: outputs measured on GPUs, and of the papers' simulators. The whole sets are beside
the repository, where there is a checkout of them; samples are in tests/data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import discern
from conftest import DATA, SHARED
from discern.running import run


def unit_of(vectors: discern.Vectors) -> discern.Unit:
    """What the file says; for groups with the readings of the paper's revision, whose simulator made the vectors."""
    u = discern.unit(vectors.unit)
    return u.with_(catalogue="paper") if u.shape.scale and u.family == "GST-FDPA" else u


def golden(folder: Path) -> tuple[int, int]:
    """Files and vectors; fails at the first file with a mismatch."""
    files = sorted(folder.glob("*.jsonl"))
    vectors = 0
    for file in files:
        v = discern.read(file)
        u = unit_of(v)
        wrong = v.mismatches(u)
        assert len(wrong) == 0, f"{file.name}: {u} differs at {wrong[:5]}"
        vectors += len(v)
    return len(files), vectors


def test_the_sample_is_reproduced():
    assert golden(DATA / "golden") == (111, 999)


def test_a_wrong_unit_does_not_reproduce_it():
    v = discern.read(DATA / "golden" / "Hopper__wgmma.m64n8k16.f32.f16.f16.jsonl")
    u = discern.unit("hopper/wgmma.m64n8k16.f32.f16.f16")
    assert len(v.mismatches(u)) == 0 and len(v.mismatches(u.with_(F=24))) > 0


def test_the_whole_set_is_reproduced():
    if not (SHARED / "golden").is_dir():
        pytest.skip("the whole golden set is not beside the repository")
    files, vectors = golden(SHARED / "golden")
    assert files > 100 and vectors > 10 * files


def test_the_measured_sets_are_reproduced(tmp_path):
    if not (SHARED / "hardware").is_dir():
        pytest.skip("the measured sets are not beside the repository")
    said = run("import", "matlab-tensor-core", str(SHARED / "hardware"), o=str(tmp_path)).out
    assert "imported 48 of 48 sets" in said
    sets = sorted(tmp_path.glob("*.jsonl"))
    assert len(sets) == 48
    for file in sets:
        v = discern.read(file)
        assert len(v) > 100 and v.unit
        assert len(v.mismatches(v.unit)) == 0, file.name


def test_which_knows_a_measured_sample():
    v = discern.read(DATA / "golden" / "Ampere__mma.m16n8k16.f32.f16.f16.f32.jsonl")
    found = discern.which(v.a, v.b, v.c, v.d, formats="f16,f16,f32,f32")
    assert any("ampere/mma.m16n8k16.f32.f16.f16.f32" in names for names in found.consistent)
    assert found.vectors == len(v) and np.all(v.known is None)
