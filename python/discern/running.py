"""How a command of the program runs in this process: its words, and what comes back.

Keyword arguments are the options of those names. What runs them is commands.py, where there is a function for each command.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Callable

from . import _core
from .errors import ArrayError, InputError, Interrupted
from .formats import Shape
from .progress import showing


@dataclass(frozen=True)
class Ran:
    """What a command said."""

    status: int
    out: str
    notes: list[str]
    interrupted: bool
    said: list[str]  #: the answer in words, line by line, of commands that have it beside their JSON


def _words(options: dict[str, Any]) -> list[str]:
    """Options as the command line has them: n=5 is -n 5, no_subnormals=True is --no-subnormals."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = ("-" if len(name) == 1 and name != "K" else "--") + name.replace("_", "-")
        if value is True:
            words.append(option)
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [option, _text(name, one)]
    return words


def _end(number: Any) -> str:
    """An end of a range: a float's own number, where the decimals that show it are another."""
    if isinstance(number, float) and math.isfinite(number) and Decimal(repr(float(number))) != Decimal(number):
        return float(number).hex()
    return str(number)


def _text(name: str, value: Any) -> str:
    if isinstance(value, dict):  # {"a": (-1, 1)}
        try:
            return ",".join(f"{operand}:{_end(low)}..{_end(high)}" for operand, (low, high) in value.items())
        except (TypeError, ValueError):
            raise ArrayError(f"{name}={value!r} is no range of each operand, as {{'a': (-1, 1)}}") from None
    if isinstance(value, (str, int, float)) or hasattr(value, "__index__"):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise ArrayError(f"{name}={value!r} is no value of that option; a text or a number is needed")


def run(
    name: str, *words: str, input: str = "", ask: Callable[..., bytes] | None = None, progress: Any = False,
    total: int | None = None, **options: Any,
) -> Ran:  # fmt: skip
    """Runs a command, as the program would. Raises Error where the program would end with status 2.

    progress: as of showing(). total: how many vectors `ask` will compute, where that is known.
    """
    given = _words(options)
    with showing(name, progress, total) as report:
        status, out, err, interrupted, said = _core.command([name, *given, *words], input, ask, report)
    notes = [line.removeprefix("discern: ") for line in err.splitlines() if line]
    if status == 2:
        raise InputError(notes[-1] if notes else f"{name} failed")
    return Ran(status, out, notes, interrupted, said.splitlines())


def done(result: Any) -> Any:
    """Hands over an answer; what Ctrl-C ended is an exception that has it."""
    if result.interrupted:
        raise Interrupted(result)
    return result


def shape_of(unit: str) -> Shape:
    return Shape.from_key(_core.shape_of(unit))
