"""Nothing leaks: what is done a hundred times, errors included, takes no more memory than what is done ten times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import discern
from conftest import HOPPER

STATM = Path("/proc/self/statm")
MIB = 1 << 20


def resident() -> int:
    return int(STATM.read_text().split()[1]) * 4096


def raises(a, b, c):
    raise ValueError("x" * MIB)


def calls():
    u = discern.unit(HOPPER)
    big = np.ones((1 << 15, 16), np.float16)  # 1 MiB

    def dots():
        u(big, big)

    def wrong_patterns():
        bad = np.full((1 << 14, 64), 0x1F, np.uint8)
        s = np.full((1 << 14, 4), 0x38, np.uint8)
        with pytest.raises(discern.InputError):
            discern.unit("blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3")(bad, bad, sa=s, sb=s)

    def callable_that_raises():
        with pytest.raises(discern.CallableError):
            discern.check(raises, HOPPER, n=2000)

    def callable_of_the_wrong_type():
        with pytest.raises(discern.CallableError):
            discern.check(lambda a, b, c: [b"x" * MIB], HOPPER, n=2000)

    def vectors():
        v = discern.Vectors.of(big[:2000], big[:2000], np.zeros(2000, np.float32), formats="f16,f16,f32,f32")
        discern.parse(discern.write(None, v).decode())

    return [dots, wrong_patterns, callable_that_raises, callable_of_the_wrong_type, vectors]


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="the system does not say how much memory a process has")
@pytest.mark.parametrize("call", calls(), ids=lambda call: call.__name__)
def test_memory_does_not_grow(call):
    for _ in range(5):
        call()
    before = resident()
    for _ in range(30):
        call()
    assert resident() - before < 15 * MIB  # each call leaking its operands would be 30 MiB or more
