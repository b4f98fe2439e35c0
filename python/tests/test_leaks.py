"""Nothing leaks: what is done often, mistakes included, takes no more memory than what is done a few times.

Three looks at it: objects that Python counts, memory of the process, and what valgrind finds lost in the extension.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import discern
import mistakes
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


MISTAKES = [
    pytest.param(call, times, id=name)
    for times, calls in zip((1000, 80), mistakes.table())
    for name, call in calls.items()
]


@pytest.mark.parametrize("call, times", MISTAKES)
def test_mistakes_leave_no_objects(call, times):
    grown = []
    for _ in range(3):  # what leaks does so each time; the interpreter's own caches grow once
        mistakes.make(call, 20)
        gc.collect()
        before = sys.getallocatedblocks()
        mistakes.make(call, times)
        gc.collect()
        grown.append(sys.getallocatedblocks() - before)
        if grown[-1] < times // 2:  # an object for each would be `times`
            return
    pytest.fail(f"{times} mistakes left {grown} objects")


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="the system does not say how much memory a process has")
def test_a_thousand_mistakes_of_each_kind_take_no_memory():
    every = [call for calls in mistakes.table() for call in calls.values()]
    for call in every:
        mistakes.make(call, 20)
    before = resident()
    for call in every:
        mistakes.make(call, 1000)
    assert resident() - before < 4 * MIB  # a leak of 128 bytes for each of one kind and a bit


# ---- what valgrind finds


def lost(report: str, where: str, times: int) -> list[str]:
    """The records of memory that nothing points to any more, of at least so many blocks, that `where` had a hand in."""
    records = re.split(r"\n==\d+== \n", report)
    found = []
    for record in records:
        head = re.search(r"bytes in ([\d,]+) blocks are definitely lost", record)
        if head and int(head[1].replace(",", "")) >= times and where in record:
            found.append(record)
    return found


def under_valgrind(tmp_path, *program: object) -> str:
    log = tmp_path / "valgrind.log"
    ended = subprocess.run(
        ["valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=40", "--error-limit=no",
         f"--log-file={log}", sys.executable, *map(str, program)],
        env={**os.environ, "PYTHONMALLOC": "malloc"}, capture_output=True, text=True, timeout=1800,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-2000:]
    return log.read_text()


valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")


@pytest.mark.slow
@valgrind
def test_valgrind_finds_nothing_lost(tmp_path):
    report = under_valgrind(tmp_path, mistakes.__file__, 30)
    assert "LEAK SUMMARY" in report
    assert lost(report, "_core.", 15) == []
    errors = [record for record in re.split(r"\n==\d+== \n", report) if "Invalid " in record and "_core." in record]
    assert errors == []


@pytest.mark.slow
@valgrind
def test_valgrind_finds_what_is_lost(tmp_path):
    """The check can fail: a program that loses memory, by another extension."""
    program = "import ctypes\nlibc = ctypes.CDLL(None)\nfor _ in range(50): libc.malloc(100)"
    report = under_valgrind(tmp_path, "-c", program)
    assert lost(report, "_ctypes.", 50) and not lost(report, "_ctypes.", 100) and not lost(report, "_core.", 1)
