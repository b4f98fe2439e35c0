"""The scoreboard for benches: its core without cocotb, and a bench under Icarus Verilog where both are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT

import discern
from discern.cocotb import Scoreboard, TestFailure

UNIT = "volta/mma.m8n8k4.f16.f16.f16.f16"
EXAMPLE = ROOT / "docs" / "examples" / "rtl" / "cocotb_scoreboard.py"


class Pin:
    def __init__(self, value=0):
        self.value = value


class Pipe:
    """A model of a pipeline: what it is given at an edge comes out so many edges later."""

    def __init__(self, registers, wrong_at=None):
        self.a, self.b, self.c, self.d, self.valid, self.done, self.ready = Pin(), Pin(), Pin(), Pin(), Pin(), Pin(), Pin(1)
        self.stages = [(0, 0)] * registers
        self.wrong_at, self.count, self.unit = wrong_at, 0, discern.unit(UNIT)

    def edge(self, score):
        score.edge()
        words = [int(pin.value) >> 16 * k & 0xFFFF for pin in (self.a, self.b) for k in range(4)]
        a, b = np.array(words[:4], np.uint16), np.array(words[4:], np.uint16)
        d = int(self.unit(a, b, np.uint16(self.c.value)))
        if self.valid.value:
            self.count += 1
            d ^= self.count == self.wrong_at
        self.stages.append((d, self.valid.value))
        self.stages.pop(0)
        self.d.value, self.done.value = self.stages[0]


def drive(pipe, score, n, valid=lambda i: 1, seed=1):
    rng = np.random.default_rng(seed)
    for i in range(n):
        # Exponents near each other, so that terms are aligned and rounded.
        words = rng.integers(0, 1 << 10, 9) | rng.integers(12, 18, 9) << 10 | rng.integers(0, 2, 9) << 15
        pipe.a.value = sum(int(x) << 16 * k for k, x in enumerate(words[:4]))
        pipe.b.value = sum(int(x) << 16 * k for k, x in enumerate(words[4:8]))
        pipe.c.value, pipe.valid.value = int(words[8]), valid(i)
        pipe.edge(score)
    pipe.valid.value = 0
    for _ in range(len(pipe.stages)):
        pipe.edge(score)


@pytest.mark.parametrize("registers", [1, 2, 5])
def test_fixed_latency(registers):
    pipe = Pipe(registers)
    score = Scoreboard(UNIT, pipe, latency=registers)
    drive(pipe, score, 50)
    assert score.finish() == 50


def test_valid_signals_and_bubbles():
    pipe = Pipe(3)
    score = Scoreboard(UNIT, pipe, valid_in="valid", valid_out="done")
    drive(pipe, score, 60, valid=lambda i: int(i % 3 != 1))
    assert score.finish() == 40


def test_the_first_wrong_result_is_said_with_its_vector():
    pipe = Pipe(2, wrong_at=7)
    score = Scoreboard(UNIT, pipe, valid_in=pipe.valid, valid_out=pipe.done)
    drive(pipe, score, 20)
    with pytest.raises(TestFailure) as raised:
        score.finish()
    first = raised.value.mismatch
    assert (first.number, first.cycle, first.got) == (7, 8, first.expected ^ 1)
    assert "1 of 20 results differ" in str(raised.value)
    again = discern.unit(UNIT)(*(np.array(first.operands[name], np.uint16) for name in "ab"), np.uint16(first.operands["c"][0]))
    assert int(again) == first.expected
    assert isinstance(raised.value, AssertionError)
    line = str(raised.value).splitlines()[-2].split()
    assert line[:3] == ["discern", "explain", UNIT] and line[3] == "--a" and len(line[4].split(",")) == 4


def test_the_wrong_latency_is_noticed():
    for registers, latency in ((2, 1), (2, 3)):
        pipe = Pipe(registers)
        score = Scoreboard(UNIT, pipe, latency=latency)
        drive(pipe, score, 30)
        with pytest.raises(TestFailure, match="the design gives"):
            score.finish()


def test_lost_and_surplus_results():
    pipe = Pipe(2)
    score = Scoreboard(UNIT, pipe, valid_in="valid", valid_out=Pin(0))
    drive(pipe, score, 5)
    with pytest.raises(TestFailure, match="5 of 5 results did not come"):
        score.finish()
    score = Scoreboard(UNIT, Pipe(2), valid_in=Pin(0), valid_out=Pin(1))
    score.edge()
    with pytest.raises(TestFailure, match="no result is due"):
        score.finish()


def test_nothing_compared_is_no_success():
    with pytest.raises(TestFailure, match="nothing was compared"):
        Scoreboard(UNIT, Pipe(1)).finish()


def test_ready_stalls():
    pipe = Pipe(2)
    score = Scoreboard(UNIT, pipe, valid_in="valid", ready_in="ready", valid_out="done")
    pipe.ready.value = 0
    pipe.valid.value = 1
    score.edge()
    assert score.taken == 0


def test_bits_that_are_neither_0_nor_1():
    for port in "ad":
        pipe = Pipe(1)
        getattr(pipe, port).value = "01xx"
        score = Scoreboard(UNIT, pipe)
        score.check()
        with pytest.raises(TestFailure, match="neither 0 nor 1"):
            score.finish()


def test_lists_of_ports_and_callables():
    one = 0x3C00
    ports = {"a": [Pin(one)] * 4, "b": [lambda: one] * 4, "c": lambda: 0, "d": Pin(0x4400)}
    score = Scoreboard(UNIT, ports=ports)
    score.check()
    assert score.finish() == 1


def test_any_nan_is_a_nan_where_the_unit_says_so():
    unit = discern.unit("f16*f16+f16->f16 K=1 : round[f16 rne](fuse[exact](p*, c))")
    assert unit.nan_any
    for d, right in ((0x7E01, True), (0xFFFF, True), (0x7C00, False)):
        score = Scoreboard(unit, SimpleNamespace(a=Pin(0x7E00), b=Pin(0), c=Pin(0), d=Pin(d)))
        score.check()
        assert (score.first is None) == right


def test_wrong_use_is_said():
    with pytest.raises(discern.InputError, match="has no port a"):
        Scoreboard(UNIT, SimpleNamespace())
    with pytest.raises(discern.InputError, match="no operand"):
        Scoreboard(UNIT, Pipe(1), {"x": "a"})
    with pytest.raises(discern.InputError, match="not both"):
        Scoreboard(UNIT, Pipe(1), latency=1, valid_out="done")
    with pytest.raises(discern.InputError, match="clock"):
        Scoreboard(UNIT, Pipe(1)).start()


@pytest.mark.parametrize("design, status", [("right", 0), ("wrong", 1)])
def test_under_a_simulator(design, status):
    pytest.importorskip("cocotb", reason="cocotb is not installed (pip install cocotb)")
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed (Debian: iverilog)")
    package = Path(discern.__file__).parents[1]
    ran = subprocess.run([sys.executable, str(EXAMPLE), *(["--wrong"] if design == "wrong" else [])],
                         capture_output=True, text=True, timeout=300, env={**__import__("os").environ, "PYTHONPATH": str(package)})  # fmt: skip
    assert ran.returncode == status, ran.stdout + ran.stderr
    if status:
        assert "the design gives" in ran.stdout + ran.stderr and "discern explain" in ran.stdout + ran.stderr
