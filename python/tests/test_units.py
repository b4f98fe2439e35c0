"""Units: names, the notation, overrides, and what is known about them."""

from __future__ import annotations

import pickle

import discern
import pytest
from conftest import AMPERE, HOPPER, NVFP4


def test_a_unit_says_what_it_is():
    u = discern.unit(HOPPER)
    assert (u.K, u.L, u.formats) == (16, 16, ("f16", "f16", "f32", "f32"))
    assert u.tree.startswith("f16*f16+f32->f32 K=16")
    assert u.parameters["F"] == "25"
    assert {p.key: p.evidence for p in u.evidence}["F"] == "paper"
    assert u.family == "T-FDPA"
    assert "hopper/mma.m16n8k16.f32.f16.f16.f32" in u.same
    assert not u.nan_any
    assert str(u) == HOPPER and repr(u) == f"Unit('{HOPPER}')"
    assert "T4" not in u._repr_html_() and "<td>F</td><td>25</td>" in u._repr_html_()
    assert u.to_dict()["K"] == 16


def test_scales_are_part_of_the_shape():
    shape = discern.unit(NVFP4).shape
    assert (shape.scale, shape.block, shape.scales) == ("ue4m3", 16, 4)


def test_overrides_make_variants():
    u = discern.unit(HOPPER)
    v = u.with_(F=24)
    assert v.text == HOPPER + "{F=24}" and v.parameters["F"] == "24"
    assert v.with_(F=23, floor=None).text == HOPPER + "{F=23,floor=none}"
    assert discern.unit(HOPPER, F=24) == v
    assert u != v and u == discern.unit(u.tree) and hash(u) == hash(discern.unit(u.tree))
    assert discern.unit(u.tree, F=24).tree == v.tree
    assert pickle.loads(pickle.dumps(v)) == v


def test_the_catalogue():
    everything = discern.units()
    assert len(everything) > 150
    hopper = discern.units("hopper")
    assert all(u.text.startswith("hopper/") for u in hopper) and 0 < len(hopper) < len(everything)
    assert {u.text for u in discern.units("H100")} == {u.text for u in hopper}
    assert all("bf16" in u.formats for u in discern.units("hopper/*", format="bfloat16"))
    assert all(u.K == 8 for u in discern.units(K=8))
    assert HOPPER in hopper._repr_html_()


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: discern.unit("hoper/wgmma.m64n8k16.f32.f16.f16"), "did you mean"),
        (lambda: discern.unit(HOPPER, G=3), "G"),
        (lambda: discern.unit(HOPPER).with_(F="many"), "F"),
        (lambda: discern.unit("f16*f16+f32->f32 K=16 : nonsense"), "nonsense"),
        (lambda: discern.units("no such unit"), "no unit's name matches"),
        (lambda: discern.units(format="float8_e9m9"), "float8_e9m9"),
    ],
)
def test_wrong_names_are_one_sentence(make, said):
    with pytest.raises(discern.InputError) as error:
        make()
    assert isinstance(error.value, discern.Error) and isinstance(error.value, ValueError)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_what_is_no_unit_is_a_type_error():
    for what in (None, 3, b"x86/dpps"):
        with pytest.raises(discern.ArrayError) as error:
            discern.unit(what)
        assert isinstance(error.value, TypeError)


def test_formats():
    names = [f.name for f in discern.formats()]
    assert names[:2] == ["f64", "f32"] and "ue4m3" in names
    assert discern.format_of("float8_e4m3fn").name == "e4m3"
    assert discern.format_of("fp16").name == "f16"
    assert discern.format_of("e5m7").width == 13
    import numpy as np

    assert discern.format_of(np.float32).name == "f32" and discern.format_of(np.dtype("f2")).name == "f16"
    with pytest.raises(discern.ArrayError):
        discern.format_of(float("nan"))


def test_units_of_different_architectures_differ():
    assert discern.unit(HOPPER) != discern.unit(AMPERE)
