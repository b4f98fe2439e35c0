"""Vectors, and files of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import discern
from conftest import HOPPER, NVFP4


@pytest.mark.parametrize("form", ["json_lines", "text", "binary"])
def test_what_is_written_is_read(tmp_path, form):
    v = discern.generate(HOPPER, n=20, results=True)
    assert len(v) == 20 and v.d is not None and len(v.mismatches(HOPPER)) == 0
    discern.write(tmp_path / "v", v, form)
    w = discern.read(tmp_path / "v", HOPPER)
    assert all(np.array_equal(getattr(v, x), getattr(w, x)) for x in "abcd")


def test_scales_are_kept(tmp_path):
    v = discern.generate(NVFP4, n=5)
    discern.write(tmp_path / "v.jsonl", v)
    w = discern.read(tmp_path / "v.jsonl")
    assert w == v and w.sa.shape == (5, 4) and w.d is None


def test_vectors_of_arrays(batch):
    a, b, c = batch
    v = discern.Vectors.of(a, b, c, discern.unit(HOPPER)(a, b, c), formats="f16,f16,f32,f32")
    assert v.shape.K == 16 and np.array_equal(v.array("a"), a) and v.numbers("c")[3] == c[3]
    assert len(v[3:5]) == 2 and len(v[-1]) == 1 and len(list(v)) == 100
    line = v[0].to_dict()["vectors"][0]
    assert line["a"][0] == f"{a.view(np.uint16)[0, 0]:04x}"
    assert "100 vectors of f16,f16,f32,f32 K=16" in repr(v) and "and 80 more" in v._repr_html_()


def test_some_results_may_be_missing(tmp_path):
    header = {"discern": 1, "unit": "x86/dpps"}
    lines = [header, {"a": ["3f800000"] * 4, "b": ["3f800000"] * 4}, {"a": ["3f800000"] * 4, "b": ["3f800000"] * 4, "d": "40800000"}]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    v = discern.read(tmp_path / "v.jsonl")
    assert v.known.tolist() == [False, True] and v.d.tolist() == [0, 0x40800000]
    assert len(v.mismatches("x86/dpps")) == 0
    assert [len(line.get("d", "")) for line in v.to_dict()["vectors"]] == [0, 8]


def test_wrong_files_are_one_sentence(tmp_path):
    (tmp_path / "v.jsonl").write_text('{"discern":1,"unit":"x86/dpps"}\n{"a":["zz"]}\n')
    for call, said in [
        (lambda: discern.read(tmp_path / "v.jsonl"), "v.jsonl:2"),
        (lambda: discern.read(tmp_path / "none"), "none"),
        (lambda: discern.read(tmp_path), ""),
        (lambda: discern.read(3.5), "no name of a file"),
        (lambda: discern.read(tmp_path / "v.jsonl", "x86/dpps", formats="f32,f32,-,f32", K=4), "twice"),
        (lambda: discern.write(tmp_path / "w", [1, 2]), "no batch of vectors"),
        (lambda: discern.write(tmp_path / "w", discern.generate(HOPPER, n=1), "yaml"), "yaml"),
        (lambda: discern.write(tmp_path / "no" / "w", discern.generate(HOPPER, n=1)), "no/w"),
        (lambda: discern.Vectors.of([1.0] * 4, [1.0] * 4, formats="f16,f16"), "2 formats"),
        (lambda: discern.Vectors.of([1.0] * 4, [1.0] * 4, formats=float("nan")), "no list of formats"),
        (lambda: discern.Vectors.of([1.0] * 4, [1.0] * 4, formats="nan,f16,-,f32"), "nan"),
        (lambda: discern.Vectors.of([[1.0] * 4] * 2, [[1.0] * 4] * 3, formats="f16,f16,-,f32"), "as many"),
        (lambda: discern.Vectors.of([], [], formats="f16,f16,-,f32"), "last axis"),
    ]:
        with pytest.raises(discern.Error) as error:
            call()
        assert said in str(error.value) and "\n" not in str(error.value)
        assert isinstance(error.value, (ValueError, TypeError))
