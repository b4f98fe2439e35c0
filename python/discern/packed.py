"""Matrices that stay packed: a weight that many products are multiplied by."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from .arrays import Kind, in_its_order, to_words
from .errors import ArrayError, InputError
from .formats import NAMES, format_of


class Packed:
    """A matrix B, K × N, as the kernels of units read it; discern.packed(b) makes one.

    `words` are the patterns, which do not change; `core` has them once more, in the order in which products read them.
    """

    def __init__(self, words: np.ndarray, format: str, kind: Kind) -> None:
        self.words, self.format, self.kind = words, format, kind
        in_memory, by_columns = in_its_order(words)
        self.core = _core.Packed(format, *words.shape, in_memory, by_columns)

    @property
    def shape(self) -> tuple[int, int]:
        return self.words.shape

    @property
    def nbytes(self) -> int:
        """Of the patterns and of what is packed."""
        return self.words.nbytes + self.core.bytes

    def __reduce__(self) -> Any:
        return (_again, (np.asarray(self.words, order="K"), self.format, self.kind))

    def __repr__(self) -> str:
        return f"Packed({self.shape[0]} × {self.shape[1]} of {self.format})"


def _again(words: np.ndarray, format: str, kind: Kind) -> Packed:
    """Of what was pickled."""
    words.flags.writeable = False
    return Packed(words, format, kind)


def packed(b: Any, format: Any = None) -> Packed:
    """The matrix b, K × N, kept packed for products with it: in place of B of u.gemm(A, B) and of scaled_mm(a, b, …).

        w = discern.packed(weight.T)
        for x in batches: y = discern.scaled_mm(x, w, sa, sb, split=1)

    format: of its patterns, if b is an array of unsigned integers.
    It is a copy, which does not change when b does.
    Raises ArrayError for what is no array of numbers of a format, InputError for what is no matrix.
    """
    given = str(getattr(b, "dtype", type(b).__name__)).replace("torch.", "")
    if format is None and given not in NAMES:
        raise ArrayError(f"b has elements of type {given}; an element type of a format, or format=, is needed")
    name = format_of(NAMES[given] if format is None else format).name
    words, kind = to_words(b, name, "b", either_order=True)
    if words.ndim != 2:
        raise InputError(f"b has the shape {words.shape}; a matrix is needed")
    words = np.array(words, order="K", copy=True)
    words.flags.writeable = False
    return Packed(words, name, kind)
