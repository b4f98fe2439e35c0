"""Benches in Python: a scoreboard that compares what a design under test gives with what a unit gives.

    import cocotb
    from discern.cocotb import Scoreboard

    @cocotb.test()
    async def stream(dut):
        score = Scoreboard("volta/mma.m8n8k4.f16.f16.f16.f16", dut, clock=dut.clk, latency=2)
        score.start()                   # watches every rising edge of the clock
        ...                             # whatever drives the operands
        score.finish()                  # raises TestFailure with the first vector on which the two differ

cocotb is imported only by start(): all else runs, and is tested, without it.
"""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import WORDS, numbers
from .errors import ArrayError, Error, InputError
from .formats import format_of
from .units import Unit, unit_text

__all__ = ["Mismatch", "Scoreboard", "TestFailure"]


class TestFailure(Error, AssertionError):
    """The design does not give what the unit gives; `mismatch` is the first vector, if there is one."""

    __test__ = False  # no test, whatever its name

    def __init__(self, text: str, mismatch: Mismatch | None = None) -> None:
        super().__init__(text)
        self.mismatch = mismatch


@dataclass(frozen=True)
class Mismatch:
    """The first vector on which a design and the unit differ; patterns as integers."""

    number: int  #: of the vector, from 1
    cycle: int  #: of the clock at which its result was read, from 0
    operands: dict[str, list[int]]  #: a, b, and sa, sb, c where the unit has them
    got: int | None  #: what the design gave; None: bits that are neither 0 nor 1
    expected: int
    text: str  #: all of it in words, with the command that explains it


def _words(patterns: Iterable[int], width: int) -> np.ndarray:
    return np.array(list(patterns), WORDS[1 if width <= 8 else 2 if width <= 16 else 4 if width <= 32 else 8])


def _read(port: Any) -> int | None:
    """The value of a handle, or of a callable; nothing where some bit of it is neither 0 nor 1."""
    value = port() if callable(port) and not hasattr(port, "value") else port.value
    try:
        return int(value)
    except (ValueError, TypeError):
        return None


class Scoreboard:
    """Compares a design under test with a unit.

    unit: a Unit or its name.
    dut: where ports are looked up by name; not needed if all of them are in `ports`.
    ports: where operands and the result are: {"a": dut.operands_a, "b": …, "c": …, "d": …}, and "sa", "sb" of units with
        scales. Each is a handle (anything with a .value that int() reads), a name in `dut`, a callable that returns an
        integer, or a list of K of these, one an element. One handle holds all elements, the first one in the low bits.
        Without it the ports have the operands' names.
    clock: the handle whose rising edges start() watches.
    latency: rising edges from the one at which operands are taken to the one before which their result stands at d: the
        number of registers between them; 0: the design has none. Not with valid_out.
    valid_in, ready_in: operands are taken at edges at which these are 1; without them, at every edge.
    valid_out, ready_out: results are taken, in the order of their operands, at edges at which these are 1.
    """

    def __init__(
        self,
        unit: Unit | str,
        dut: Any = None,
        ports: Mapping[str, Any] | None = None,
        *,
        clock: Any = None,
        latency: int | None = None,
        valid_in: Any = None,
        ready_in: Any = None,
        valid_out: Any = None,
        ready_out: Any = None,
    ) -> None:
        self.unit = unit if isinstance(unit, Unit) else Unit(unit)
        self._dut = dut
        shape = self.unit.shape
        counts = {"a": shape.K, "b": shape.K, "sa": shape.scales, "sb": shape.scales, "c": 1}
        formats = {name: shape.format_of(name) for name in (*counts, "d")}
        self._counts = {name: count for name, count in counts.items() if formats[name] is not None}
        self._widths = {name: format_of(found).width for name, found in formats.items() if found is not None}
        given = dict(ports or {})
        for name in given:
            if name not in self._widths:
                raise InputError(f"Scoreboard: {name!r} is no operand of {self.unit}; its ports are {', '.join(self._widths)}")
        self._ports = {name: self._port(given.get(name, name)) for name in self._widths}
        self._valid_in, self._ready_in = self._port(valid_in), self._port(ready_in)
        self._valid_out, self._ready_out = self._port(valid_out), self._port(ready_out)
        self._clock = self._port(clock)
        if latency is not None and (not isinstance(latency, int) or isinstance(latency, bool) or latency < 0):
            raise InputError(f"Scoreboard: latency is {latency!r}; it must be a number of clock edges, 0 or more")
        if valid_out is not None and latency is not None:
            raise InputError("Scoreboard: results come with valid_out or after a fixed latency, not both")
        if valid_out is None and ready_out is not None:
            raise InputError("Scoreboard: ready_out is given and valid_out is not")
        self._latency = None if valid_out is not None else latency or 0
        self._due: deque[tuple[int, dict[str, list[int] | None]]] = deque()
        self._task: Any = None
        self.cycle = 0  #: edges that were seen
        self.taken = 0  #: operands that were taken
        self.compared = 0  #: results that were compared
        self.mismatches = 0
        self.first: Mismatch | None = None
        self._fault = ""

    # ---- what a bench calls

    def start(self) -> Any:
        """Watches the clock from now on, in a task of cocotb, which is returned."""
        if self._clock is None:
            raise InputError("Scoreboard: start() watches a clock, and none is given; without one call edge() or check()")
        import cocotb
        from cocotb.triggers import RisingEdge

        async def watch() -> None:
            while True:
                await RisingEdge(self._clock)
                self.edge()

        self._task = cocotb.start_soon(watch())
        return self._task

    def finish(self) -> int:
        """Ends the watch. @return how many results were compared

        Raises TestFailure if one differed, if one came that was not due or did not come where valid_out says when, and if
        there was none.
        """
        if self._task is not None:
            (getattr(self._task, "cancel", None) or self._task.kill)()
            self._task = None
        if self.first is not None:
            more = f"\n{self.mismatches} of {self.compared} results differ" if self.compared > 1 else ""
            raise TestFailure(self.first.text + more, self.first)
        if self._fault:
            raise TestFailure(self._fault)
        if self._latency is None and self._due:
            raise TestFailure(f"{len(self._due)} of {self.taken} results did not come: valid_out was not 1 for them")
        if self.compared == 0:
            raise TestFailure(f"nothing was compared: {self.taken} operands were taken in {self.cycle} cycles")
        return self.compared

    # ---- the core, which needs no simulator

    def edge(self) -> None:
        """One rising edge: ports are read as they are before it."""
        if self._is_one(self._valid_in) and self._is_one(self._ready_in):
            self.taken += 1
            self._due.append((self.cycle, {name: self._operand(name) for name in self._counts}))
        if self._latency is not None:
            if self._due and self._due[0][0] + self._latency == self.cycle:
                self._compare(self._due.popleft()[1])
        elif self._is_one(self._valid_out) and self._is_one(self._ready_out):
            if self._due:
                self._compare(self._due.popleft()[1])
            elif not self._fault:
                self._fault = f"cycle {self.cycle}: valid_out is 1, and no result is due: all of {self.taken} have come"
        self.cycle += 1

    def check(self) -> None:
        """Operands and result as they are now, of a design without registers."""
        self.taken += 1
        self._compare({name: self._operand(name) for name in self._counts})
        self.cycle += 1

    # ---- inside

    def _port(self, what: Any) -> Any:
        if isinstance(what, str):
            if self._dut is None:
                raise InputError(f"Scoreboard: port {what!r} is a name, and there is no dut to look it up in")
            if not hasattr(self._dut, what):
                raise InputError(f"Scoreboard: the design has no port {what}; ports={{…}} says which one it is")
            return getattr(self._dut, what)
        return what

    @staticmethod
    def _is_one(port: Any) -> bool:
        return port is None or _read(port) == 1

    def _operand(self, name: str) -> list[int] | None:
        port, count, width = self._ports[name], self._counts[name], self._widths[name]
        if isinstance(port, (list, tuple)):
            if len(port) != count:
                raise ArrayError(f"Scoreboard: port {name} is a list of {len(port)}; {self.unit} has {count}")
            values = [_read(self._port(one)) for one in port]
            return None if None in values else [value & (1 << width) - 1 for value in values if value is not None]
        value = _read(port)
        if value is None:
            return None
        return [value >> width * k & (1 << width) - 1 for k in range(count)]

    def _compare(self, operands: dict[str, list[int] | None]) -> None:
        self.compared += 1
        unknown = [name for name, values in operands.items() if values is None]
        if unknown:
            self.mismatches += 1
            if not self._fault and self.first is None:
                self._fault = f"vector {self.compared}, cycle {self.cycle}: bits of {' and '.join(unknown)} are neither 0 nor 1"
            return
        known = {name: values for name, values in operands.items() if values is not None}
        words = {name: _words(values, self._widths[name]) for name, values in known.items()}
        d = self.unit(words["a"], words["b"], words["c"][0] if "c" in words else None, sa=words.get("sa"), sb=words.get("sb"))
        expected, got = int(d), _read(self._ports["d"])
        if got is not None:
            got &= (1 << self._widths["d"]) - 1
        if got == expected or (got is not None and self.unit.nan_any and self._both_nan(got, expected)):
            return
        self.mismatches += 1
        if self.first is None and not self._fault:
            text = self._sentence(known, got, expected)
            self.first = Mismatch(self.compared, self.cycle, known, got, expected, text)

    def _numbers(self, *patterns: int) -> np.ndarray:
        return numbers(self.unit.shape.d, _words(patterns, self._widths["d"]))

    def _both_nan(self, *patterns: int) -> bool:
        return bool(np.isnan(self._numbers(*patterns)).all())

    def _sentence(self, operands: dict[str, list[int]], got: int | None, expected: int) -> str:
        def digits(name: str, value: int) -> str:
            return f"{value:0{(self._widths[name] + 3) // 4}x}"

        vector = {name: ",".join(digits(name, value) for value in values) for name, values in operands.items()}
        gave = "bits that are neither 0 nor 1" if got is None else f"{digits('d', got)} ({self._numbers(got)[0]:g})"
        options = " ".join(f"--{name} {value}" for name, value in vector.items())
        return (f"vector {self.compared}, cycle {self.cycle}: the design gives {gave}, "
                f"{self.unit} gives {digits('d', expected)} ({self._numbers(expected)[0]:g})\n"
                + "\n".join(f"  {name} {value}" for name, value in vector.items())
                + f"\n  discern explain {shlex.quote(unit_text(self.unit))} {options}")  # fmt: skip
