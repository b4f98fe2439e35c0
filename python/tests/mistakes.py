"""Mistakes of all kinds, each of which must be an exception of the package: for tests that look for what they leave.

As a program, `mistakes.py TIMES`, it makes each so many times.
"""

from __future__ import annotations

import sys

import numpy as np

import discern

HOPPER = "hopper/wgmma.m64n8k16.f32.f16.f16"
NVFP4 = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3"
F16 = {"formats": "f16,f16,f32,f32", "K": 16}


def raises(a, b, c):
    raise RuntimeError("no")


def table():
    """Calls by names. Those of the second table run a command, which takes longer."""
    u, fp4 = discern.unit(HOPPER), discern.unit(NVFP4)
    a, c = np.ones((4, 16), np.float16), np.ones(4, np.float32)
    wide, scale = np.full((2, 64), 0x1F, np.uint8), np.full((2, 4), 0x38, np.uint8)
    calls = {
        "wrong type": lambda: u(a.astype(np.float32), a, c),
        "no array": lambda: u(object(), a, c),
        "wrong length": lambda: u(a[:, :8], a, c),
        "batches that do not fit": lambda: u(a, a, c[:3]),
        "patterns of too many bits": lambda: fp4(wide, wide, sa=scale, sb=scale),
        "the same for the oracle": lambda: fp4.exact(wide, wide, sa=scale, sb=scale),
        "the same for a matrix": lambda: fp4.gemm(wide, wide.T, sa=scale, sb=scale.T),
        "no numbers": lambda: u([["x"] * 16], a, c),
        "a number that a format has not": lambda: u([[0.1] * 16], a, c),
        "NaN for a format without": lambda: discern.patterns("e2m1", [np.nan]),
        "a result of an exact conversion": lambda: discern.patterns("f16", [0.1], rounding="exact"),
        "no such rounding": lambda: discern.patterns("f16", [0.1], rounding="up and down"),
        "no such format": lambda: discern.numbers("float9", np.uint8([1])),
        "no such unit": lambda: discern.unit("hopper/nothing"),
        "bad notation": lambda: discern.unit("f16*f16+f32->f32 K=4 L=4 nan=any : round["),
        "no such parameter": lambda: u.with_(nothing=1),
        "matrices that do not fit": lambda: u.gemm(a, a),
        "threads": lambda: u(a, a, c, threads=0),
        "progress": lambda: u(a, a, c, progress=1),
        "vectors of no unit": lambda: discern.Vectors.of(a, a, c[:2], formats="f16,f16,f32,f32"),
        "a file that is not there": lambda: discern.read("/nothing/here.jsonl"),
        "a file of something else": lambda: discern.parse("this is no vector\n"),
        "a line that breaks off": lambda: discern.parse('{"discern":1,"a":"f16","b":"f16","d":"f32","K":1}\n{"a":["00'),
    }
    commands = {
        "a callable that raises": lambda: discern.check(raises, HOPPER, n=10),
        "a callable that returns too few": lambda: discern.check(lambda a, b, c: c[:1], HOPPER, n=10),
        "a callable that returns nothing": lambda: discern.check(lambda a, b, c: None, HOPPER, n=10),
        "no callable": lambda: discern.check(17, HOPPER),
        "no such target": lambda: discern.check("nothing", HOPPER),
        "units of different formats": lambda: discern.prove("H100/e4m3", "H100/e5m2"),
        "an option of the wrong kind": lambda: discern.identify(raises, timeout="soon", **F16),
        "an option that there is not": lambda: discern.identify(raises, nothing=3, **F16),
        "nothing to explain": lambda: discern.which(a, a, c, None, **F16),
    }
    return calls, commands


def make(call, times: int) -> None:
    for _ in range(times):
        try:
            call()
        except discern.Error as error:
            assert isinstance(error, (ValueError, TypeError)) and "\n" not in str(error)
        else:
            raise AssertionError("this is no mistake")


if __name__ == "__main__":
    for calls in table():
        for call in calls.values():
            make(call, int(sys.argv[1]))
