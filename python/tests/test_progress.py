"""Progress: what a long call says of itself, to whom, how often, and that nothing of it is left."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
import types

import numpy as np
import pytest

import discern
import discern.progress
from conftest import HOPPER

U = discern.unit(HOPPER)
X = np.ones((100_000, 16), np.float16)
FMA = discern.unit("x86/fma.f32")  # which no kernel computes: a product takes long however fast the machine is


class Recorded:
    """A callable for progress=, and when it was called with what."""

    def __init__(self):
        self.calls, self.at = [], []

    def __call__(self, what, done, total):
        self.calls.append((what, done, total))
        self.at.append(time.monotonic())


def slowly(a, b, c):
    time.sleep(0.1)
    return U(a, b, c)


LONG = {
    "dot products": lambda **how: U.exact(X, X, **how),
    "multiplying": lambda **how: FMA.gemm(np.ones((1024, 1024), np.float32), np.ones((1024, 1024), np.float32), **how),
    "check": lambda **how: discern.check(slowly, U, n=20_000, **how),
}


@pytest.mark.parametrize("name", LONG)
def test_a_callable_is_told_how_far_it_is(name):
    told = Recorded()
    LONG[name](progress=told)
    assert told.calls, "the call was too quick for this test"
    parts = [done / total for _, done, total in told.calls]
    assert parts == sorted(parts) and 0 <= parts[0] and parts[-1] <= 1
    assert {what for what, _, _ in told.calls} == {name}
    assert np.diff(told.at).min(initial=1) > 0.08  # ten times a second at most


def test_where_the_end_is_not_known_there_is_none():
    told = Recorded()
    discern.which(slowly, formats="f16,f16,f32,f32", K=16, progress=told)
    counts = [done for _, done, _ in told.calls]
    assert counts == sorted(counts) and counts[-1] > 0 and {total for _, _, total in told.calls} == {None}


def test_stages_are_told_where_there_is_no_terminal():
    told = Recorded()
    discern.identify(slowly, formats="f16,f16,f32,f32", K=16, timeout=4, validate=0, progress=told)
    texts = {what for what, _, _ in told.calls}
    assert any(text.startswith("identify: ") and len(text) > len("identify: ") for text in texts), texts


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("name", LONG)
def test_what_the_callable_raises_ends_the_call(name, error):
    def told(what, done, total):
        raise error("enough")

    with pytest.raises(error):
        LONG[name](progress=told)
    assert (U(X[:1], X[:1]) == 16).all()


def test_an_interrupt_there_gives_what_is_known():
    def told(what, done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(discern.Interrupted) as stopped:
        LONG["check"](progress=told)
    assert 0 < stopped.value.result.checked < 20_000


def test_what_is_no_callable_is_an_error():
    for call in (U, U.exact):
        with pytest.raises(discern.ArrayError, match="progress=7 is neither True, False nor a callable"):
            call(X[:1], X[:1], progress=7)


@pytest.fixture
def bars(monkeypatch):
    """A tqdm that keeps what it was told, and no second in which nothing is shown."""
    made = []

    class Bar:
        def __init__(self, **how):
            self.how, self.said, self.n, self.closed = how, [], 0, False
            made.append(self)

        def set_description_str(self, text, refresh=True):
            self.text = text

        def refresh(self):
            self.said.append((self.text, self.n))

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(discern.progress, "SILENT", 0)
    return made


def test_tqdm_shows_it(bars):
    LONG["check"](progress=True)
    (bar,) = bars
    assert bar.how["total"] == 20_000 and bar.how["leave"] is False and bar.closed
    assert bar.said[-1] == ("check", bar.n) and 0 < bar.n <= 20_000


@pytest.mark.parametrize("wanted", [None, False])
def test_nothing_where_nobody_looks_or_nobody_wants_it(bars, capfd, wanted):
    LONG["check"](progress=wanted)
    assert bars == [] and capfd.readouterr() == ("", "")


def test_short_calls_show_nothing(bars, monkeypatch):
    monkeypatch.setattr(discern.progress, "SILENT", 60)
    U(X[:1], X[:1], progress=True)
    LONG["check"](progress=True)
    assert bars == []


def test_a_notebook_is_somebody_who_looks(bars, monkeypatch):
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    LONG["check"]()
    assert len(bars) == 1


def on_a_terminal(program: str) -> str:
    """What a program writes to standard error, where that is a terminal."""
    ours, its = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], stderr=its, stdout=subprocess.DEVNULL) as process:
        os.close(its)
        said = b""
        while True:
            try:
                said += os.read(ours, 4096)
            except OSError:  # it has ended
                break
    os.close(ours)
    assert process.returncode == 0, said.decode()
    return said.decode()


PROGRAM = f"""
import sys, time
sys.modules["tqdm"] = None  # a line without it
import discern, discern.progress
discern.progress.SILENT = 0.1
u = discern.unit("{HOPPER}")
def f(a, b, c):
    time.sleep(0.1)
    return u(a, b, c)
"""


def test_a_line_on_a_terminal():
    """With a total, not wanted, and with the stages that the command tells."""
    said = on_a_terminal(PROGRAM + """
discern.check(f, u, n=9000)
sys.stderr.write("|")
discern.check(f, u, n=9000, progress=False)
sys.stderr.write("|")
discern.which(f, formats="f16,f16,f32,f32", K=16)
""")
    shown, nothing, stages = said.split("|")
    assert "check: " in shown and " %" in shown
    assert shown.endswith("\r") and shown.split("\r")[-2].strip() == ""  # and it is gone in the end
    assert nothing == ""
    assert "which: " in stages and " vectors asked; asking" in stages
