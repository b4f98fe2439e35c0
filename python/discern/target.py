"""A Python callable as a target: words become the arrays that it takes, and what it returns becomes words."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .arrays import WORDS, Kind, from_words, to_words
from .errors import CallableError, Error, InputError
from .formats import DTYPES, Shape, format_of

KINDS = {"numpy": Kind("numpy", False), "torch": Kind("torch", False), "patterns": Kind("numpy", True)}


def _one_line(text: str, most: int = 300) -> str:
    """What others say, as part of a sentence."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + "…"


class Asker:
    """Called with a batch in words, answers with the words of d.

    f: takes a and b (batch × K), c (batch) where the shape has it, sa and sb (batch × scales) where it has scales;
    returns d (batch), of d's element type or as patterns.
    """

    def __init__(self, f: Callable[..., Any], shape: Shape, arrays: str = "numpy") -> None:
        if arrays not in KINDS:
            raise InputError(f"arrays={arrays!r} is not known; it must be 'numpy', 'torch' or 'patterns'")
        if arrays == "torch":
            for operand in ("a", "b", "c", "sa", "sb"):
                name = shape.format_of(operand)
                if name is not None and not DTYPES.get(name, ((), ()))[1]:
                    raise InputError(f"torch has no elements of format {name}, which {operand} is; arrays='patterns' has")
        self.f, self.shape, self.kind = f, shape, KINDS[arrays]

    def __call__(self, count: int, a: bytes, b: bytes, c: bytes, sa: bytes, sb: bytes) -> bytes:
        given = []
        for operand, raw in zip(("a", "b", "c", "sa", "sb"), (a, b, c, sa, sb)):
            name = self.shape.format_of(operand)
            if name is None:
                continue
            words = np.frombuffer(raw, WORDS[format_of(name).word]).reshape((count, *self.shape.row(operand))).copy()
            given.append(from_words(words, name, self.kind))
        try:
            d = self.f(*given)
        except Error:
            raise
        except Exception as error:
            raise CallableError(f"the callable raised {type(error).__name__}: {_one_line(str(error))}") from error
        try:
            words, _ = to_words(d, self.shape.d, "what the callable returned")
        except Error as error:
            raise CallableError(str(error)) from None
        if words.shape not in ((count,), (count, 1)):
            raise CallableError(
                f"the callable returned the shape {words.shape} for {count} vectors; it must return ({count},)"
            )
        return words.tobytes()
