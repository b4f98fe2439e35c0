"""Vectors: inputs of dot products as bit patterns, with the results that are known; and files of them."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence

import numpy as np

from . import _core
from .arrays import WORDS, as_numbers, numbers, to_words
from .errors import ArrayError, InputError
from .formats import Shape, format_of, shape_from
from .units import Unit

OPERANDS = ("a", "b", "sa", "sb", "c")


@dataclass
class Vectors:
    """A batch of vectors of one shape, in unsigned words.

    a, b: n × K; c: n, or None; sa, sb: n × scales, or None; d: n, or n × m with results of m units, or None.
    known: n, whether d is there; None: of all, or of none if d is None.
    """

    shape: Shape
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray | None = None
    sa: np.ndarray | None = None
    sb: np.ndarray | None = None
    d: np.ndarray | None = None
    known: np.ndarray | None = None
    unit: str = ""
    target: str = ""
    other: dict[str, Any] = field(default_factory=dict)  #: whatever else the header of a file says
    nan_any: bool = False
    notes: list[str] = field(default_factory=list)  #: sentences about how they were read

    @classmethod
    def of(
        cls, a: Any, b: Any, c: Any = None, d: Any = None, *, formats: Any, K: int | None = None, scale: Any = None,
        sa: Any = None, sb: Any = None, packed: bool = False, **more: Any,
    ) -> Vectors:  # fmt: skip
        """From arrays: a and b … × K, c and d …, sa and sb … × scales, all with the same leading axes.

        K: by default as many as a's last axis has.
        """
        if isinstance(formats, Shape):
            shape = formats
        else:
            parts = formats.split(",") if isinstance(formats, str) else formats
            if K is None and isinstance(parts, (list, tuple)) and len(parts) == 4:
                words, _ = to_words(a, parts[0], "a", packed)
                if words.ndim == 0 or words.shape[-1] == 0:
                    raise InputError(f"a has the shape {words.shape}; its last axis must have the K products of a vector")
                K = int(words.shape[-1])
            shape = shape_from(formats, 1 if K is None else K, scale)
        given = {"a": a, "b": b, "c": c, "sa": sa, "sb": sb, "d": d}
        arrays: dict[str, np.ndarray] = {}
        count = None
        for operand, x in given.items():
            f = shape.format_of(operand)
            if x is None:
                if f is not None and operand != "d":
                    raise InputError(f"{operand} is missing; its format is {f}")
                continue
            if f is None:
                raise InputError(f"{operand} was given, but the formats have none")
            words, _ = to_words(x, f, operand, packed and operand in ("a", "b"))
            row = shape.row(operand)
            if row and words.shape[-1:] != row:
                raise InputError(f"{operand} has the shape {words.shape}; its last axis must have {row[0]} elements")
            words = words.reshape((-1, *row))
            count = len(words) if count is None else count
            if len(words) != count:
                raise InputError(f"{operand} has {len(words)} vectors, a has {count}; there must be as many")
            arrays[operand] = words
        return cls(shape, **arrays, **more)

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, index: Any) -> Vectors:
        """Some of them, by a number, a slice or a mask."""
        if isinstance(index, (int, np.integer)):
            index = slice(index, index + 1 or None)
        part = {name: None if x is None else x[index] for name, x in self._arrays().items()}
        return Vectors(self.shape, **part, unit=self.unit, target=self.target, other=self.other, nan_any=self.nan_any, notes=self.notes)

    def __iter__(self) -> Iterator[Vectors]:
        return (self[i] for i in range(len(self)))

    def _arrays(self) -> dict[str, np.ndarray | None]:
        return {name: getattr(self, name) for name in (*OPERANDS, "d", "known")}

    def array(self, operand: str) -> np.ndarray:
        """An operand, or d, as an array of its element type (numpy's or ml_dtypes'); as patterns if there is none."""
        return as_numbers(self._operand(operand), self.shape.format_of(operand))

    def numbers(self, operand: str) -> np.ndarray:
        """An operand, or d, as float64: exact."""
        return numbers(self.shape.format_of(operand), self._operand(operand))

    def _operand(self, operand: str) -> np.ndarray:
        words = getattr(self, operand) if operand in (*OPERANDS, "d") else None
        if words is None:
            raise InputError(f"there is no {operand!r} in these vectors")
        return words

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        """As a unit takes them: u(**v.inputs)."""
        return {name: getattr(self, name) for name in OPERANDS if getattr(self, name) is not None}

    def mismatches(self, unit: Any) -> np.ndarray:
        """The numbers, from 0, of the vectors whose d the unit does not give. Any NaN equals any NaN if the unit, or
        the file, says so."""
        u = unit if isinstance(unit, Unit) else Unit(unit)
        if u.shape != self.shape:
            raise InputError(f"{u.text} is {u.shape.formats} K={u.K}, the vectors {self.shape.formats} K={self.shape.K}")
        d = self._operand("d")
        if d.ndim != 1:
            raise InputError("each vector must have one d: what was observed")
        given = u(**self.inputs)
        differ = given != d
        if u.nan_any or self.nan_any:
            differ &= ~(np.isnan(numbers(self.shape.d, given)) & np.isnan(numbers(self.shape.d, d)))
        return np.flatnonzero(differ if self.known is None else differ & self.known)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vectors) and self.to_dict() == other.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Shape, and the vectors with patterns in hexadecimal, as in files."""
        return {"shape": self.shape.to_dict(), "vectors": [json.loads(line) for line in self._lines()]}

    def _lines(self) -> list[str]:
        return write(None, self).decode().splitlines()[1:]

    def __repr__(self) -> str:
        results = "" if self.d is None else f", with {self.d.shape[1] if self.d.ndim == 2 else 1} results each"
        return f"<{len(self)} vectors of {self.shape.formats} K={self.shape.K}{results}>"

    def _repr_html_(self) -> str:
        names = [name for name in (*OPERANDS, "d") if getattr(self, name) is not None]
        rows = []
        for line in self[:20]._lines():
            one = json.loads(line)
            cells = (one.get(name, "") for name in names)
            texts = (" ".join(cell) if isinstance(cell, list) else cell for cell in cells)
            rows.append("<tr>" + "".join(f"<td><code>{html.escape(text)}</code></td>" for text in texts) + "</tr>")
        more = f"<p>… and {len(self) - 20} more</p>" if len(self) > 20 else ""
        head = "".join(f"<th>{name}</th>" for name in names)
        return f"<p>{html.escape(repr(self))}</p><table><tr>{head}</tr>{''.join(rows)}</table>{more}"


def _from_core(raw: dict[str, Any]) -> Vectors:
    shape = Shape.from_key(raw["shape"])
    count, each = raw["count"], raw["d_each"]
    arrays = {}
    for operand in (*OPERANDS, "d"):
        f = shape.format_of(operand)
        if f is None or (operand == "d" and each == 0):
            continue
        rows = shape.row(operand) if operand != "d" or each == 1 else (each,)
        arrays[operand] = np.frombuffer(raw[operand], WORDS[format_of(f).word]).reshape((count, *rows)).copy()
    known = np.frombuffer(raw["known"], np.bool_).copy()
    return Vectors(
        shape, **arrays, known=None if each == 0 or known.all() else known, unit=raw["unit"], target=raw["target"],
        other={key: json.loads(value) for key, value in raw["other"]}, nan_any=raw["nan_any"],
    )  # fmt: skip


def read(path: str | os.PathLike[str], unit: Any = None, *, formats: Any = None, K: int | None = None, scale: Any = None) -> Vectors:
    """A file of vectors, in any of the forms that discern reads.

    unit, or formats, K and scale: what the patterns are, where the file does not say it.
    Raises InputError at the first line that is not right; it names file, line and field.
    """
    key = None if formats is None else shape_from(formats, K, scale).key
    if key is not None and unit is not None:
        raise InputError("unit and formats say the same twice; one is right")
    return _from_core(_core.read(_path(path), "", "" if unit is None else str(unit), key))


def parse(text: str, unit: Any = None) -> Vectors:
    """The same of a text."""
    return _from_core(_core.read("-", text, "" if unit is None else str(unit), None))


def vectors_of(shape: Shape, lines: Sequence[dict[str, Any]]) -> Vectors:
    """Vectors from JSON objects, as commands print them."""
    header: dict[str, Any] = {"discern": 1, "a": shape.a, "b": shape.b, "d": shape.d, "K": shape.K}
    if shape.c:
        header["c"] = shape.c
    if shape.scale:
        header |= {"scale": shape.scale, "kblock": shape.block}
    return parse("\n".join(json.dumps(one) for one in (header, *lines)) + "\n")


def write(path: str | os.PathLike[str] | None, vectors: Vectors, form: str = "json_lines") -> bytes:
    """Writes a file of vectors; without a path nothing is written, and the text is returned.

    form: 'json_lines', 'text' or 'binary'; in the last each vector has one d.
    """
    if not isinstance(vectors, Vectors):
        raise ArrayError(f"{type(vectors).__name__} is no batch of vectors; discern.Vectors is")
    if form not in ("json_lines", "text", "binary"):
        raise InputError(f"form={form!r} is not known; it must be 'json_lines', 'text' or 'binary'")
    d = vectors.d
    each = 0 if d is None else 1 if d.ndim == 1 else d.shape[1]
    if form == "binary" and (each != 1 or vectors.known is not None):
        raise InputError("in the binary form each vector has one d")
    arrays = [None if x is None else np.ascontiguousarray(x) for x in (vectors.a, vectors.b, vectors.c, vectors.sa, vectors.sb, d)]
    known = None if vectors.known is None else np.ascontiguousarray(vectors.known).view(np.uint8)
    other = [(str(key), json.dumps(value)) for key, value in vectors.other.items()]
    return _core.write(
        "-" if path is None else _path(path), vectors.shape.key, len(vectors), *arrays, each, known, vectors.unit,
        vectors.target, other, vectors.nan_any, form,
    )  # fmt: skip


def _path(path: Any) -> str:
    try:
        text = os.fspath(path)
    except TypeError:
        raise ArrayError(f"{path!r} is no name of a file") from None
    return os.fsdecode(text)
