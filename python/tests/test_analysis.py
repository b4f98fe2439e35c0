"""Properties, errors and programs around units: the commands of these names."""

from __future__ import annotations

import numpy as np
import pytest

import discern
from conftest import HOPPER

V = "volta/mma.m8n8k4.f32.f16.f16.f32"


def test_a_property_is_refuted_by_vectors_of_the_unit():
    found = discern.property(V, "monotonic")
    one = found["monotonic"]
    assert one.verdict == "refuted" and "larger product" in one.says and not found.not_asked
    assert len(one.vector.mismatches(V)) == 0
    assert found.to_dict()["unit"] == V and "refuted" in repr(found)
    assert discern.property(V, "negation")["negation"].verdict == "proved"
    with pytest.raises(discern.InputError, match="did you mean monotonic"):
        discern.property(V, "monotone")


def test_errors_are_those_of_the_results(rng):
    measured = discern.measure(V, n=4096, finite=True)
    (one,) = measured["normal"]
    assert one["dots"] == 4096 and not measured.nearer and 0 < one["ulp"]["mean"] < 100
    both = discern.measure(V, discern.unit(V).with_(F=26), n=4096, family=["normal", "cancelling"], seed=3)
    assert list(both.families) == ["normal", "cancelling"]
    nearer = both.nearer["normal"]
    assert sum(nearer.values()) == 4096 and nearer["second"] > nearer["first"]
    wide = discern.measure(V, n=4096, spread={"a": 1000})
    assert wide["normal"][0]["absolute"]["mean"] > 100 * one["absolute"]["mean"]
    with pytest.raises(discern.InputError, match="needs a unit"):
        discern.measure()
    with pytest.raises(discern.InputError, match="differ in K"):
        discern.measure(V, HOPPER)


def test_programs_are_compared():
    found = discern.compare("markidis", "ootomo-yokota", on=V, n=2048, timeout=20)
    assert found.never_farther == ["refuted", "refuted"]
    for which, vectors in enumerate(found.vectors):
        # In the exact sum of both vectors, the other result is the nearer one.
        a, b = (discern.numbers("f32", getattr(vectors, name)) for name in "ab")
        d = discern.numbers("f32", vectors.d)[0]
        exact = np.sum(a[0].astype(np.longdouble) * b[0]) + discern.numbers("f32", vectors.c)[0]
        assert abs(d[which] - exact) > abs(d[1 - which] - exact)
    assert sum(found.nearer["normal"].values()) == 2048
    same = discern.compare("one-word", "mma(word(a), word(b), c)", on=discern.unit(V), operands="f16,f16,f32", n=64)
    assert same.never_farther == ["proved", "proved"] and same.vectors == [None, None]
    with pytest.raises(discern.InputError, match="did you mean kahan"):
        discern.compare("kahn", "kahan", on=V)
