"""The surface against the exact oracle, and against the program's own evaluation, on random patterns."""

from __future__ import annotations

import functools
import json

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import discern
from conftest import HOPPER
from discern.arrays import WORDS
from discern.running import run

#: One unit of every arithmetic of the catalogue.
UNITS = sorted({one["hash"]: one["unit"] for one in json.loads(run("units", json=True).out)}.values())
VECTORS = 20  #: a case of hypothesis is so many


@functools.lru_cache(maxsize=None)
def unit(name: str) -> discern.Unit:
    return discern.unit(name)


def patterns(random: np.random.Generator, name: str, shape: tuple[int, ...], near: bool) -> np.ndarray:
    """Random patterns; `near`: of like exponents, so that sums are not decided by one term."""
    f = discern.format_of(name)
    word = WORDS[f.word]
    bits = random.integers(0, 1 << f.width, shape, np.uint64, endpoint=False) if f.width < 64 else random.integers(
        0, (1 << 64) - 1, shape, np.uint64, endpoint=True
    )  # fmt: skip
    if near and f.mantissa_bits > 0:
        low = f.width - 1 - f.exponent_bits
        top = (1 << f.exponent_bits) - 1
        one = np.clip(top // 2 + random.integers(-2, 3, shape), 0, top)
        bits = bits & np.uint64(((1 << low) - 1) | 1 << (f.width - 1)) | one.astype(np.uint64) << np.uint64(low)
    return bits.astype(word)


def inputs(u: discern.Unit, seed: int, near: bool) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    operands = {}
    for operand in ("a", "b", "c", "sa", "sb"):
        name = u.shape.format_of(operand)
        if name is not None:
            scales = operand in ("sa", "sb")
            operands[operand] = patterns(random, name, (VECTORS, *u.shape.row(operand)), near and not scales)
    return operands


def agrees(name: str, seed: int, near: bool) -> None:
    u = unit(name)
    x = inputs(u, seed, near)
    given, exact = u(**x), u.exact(**x)
    differ = given != exact
    if u.nan_any:
        differ &= ~(np.isnan(discern.numbers(u.shape.d, given)) & np.isnan(discern.numbers(u.shape.d, exact)))
    assert not differ.any(), f"{name}: {discern.Vectors.of(d=given, formats=u.shape, **x)[int(differ.argmax())].to_dict()}"


cases = hypothesis.given(st.sampled_from(UNITS), st.integers(0, 2**32 - 1), st.booleans())


@hypothesis.settings(max_examples=100, deadline=None, derandomize=True, database=None)
@cases
def test_units_agree_with_the_oracle(name, seed, near):
    agrees(name, seed, near)


@pytest.mark.slow
@hypothesis.settings(max_examples=100_000 // VECTORS, deadline=None, derandomize=True, database=None)
@cases
def test_units_agree_with_the_oracle_on_100000_vectors(name, seed, near):
    agrees(name, seed, near)


def test_the_program_gives_the_same(tmp_path):
    u = unit(HOPPER)
    v = discern.generate(u, n=300, seed=3)
    program = run("eval", u.text, "-", input=discern.write(None, v).decode()).out
    assert np.array_equal(u(**v.inputs), discern.parse(program).d)


def test_the_oracle_is_another(rng):
    """A mistake would be seen: a unit with one bit less differs from the oracle of the right one."""
    u = unit(HOPPER)
    x = inputs(u, 1, True)
    assert (u.with_(F=12)(**x) != u.exact(**x)).any()


def test_threads_give_the_same(rng):
    u = unit(HOPPER)
    a, b = rng.standard_normal((2, 70_001, 16)).astype(np.float16)
    assert np.array_equal(u(a, b), u(a, b, threads=3))
