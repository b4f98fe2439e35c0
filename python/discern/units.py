"""Units: what computes dot products and matrix products, bit for bit."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import _core
from .arrays import WORDS, Kind, from_words, in_its_order, to_words
from .errors import ArrayError, InputError
from .formats import Shape, format_of
from .packed import Packed
from .progress import showing
from .running import run


@dataclass(frozen=True)
class Parameter:
    """One parameter of a unit, as an override in braces would give it, and why one should believe it."""

    key: str
    value: str
    evidence: str  #: silicon, paper, toolbox, assembler, emulator, open; given: by the author of the unit
    source: str

    def to_dict(self) -> dict[str, str]:
        return dict(vars(self))


_BRACES = re.compile(r"(?s)(.*?)\s*\{([^{}]*)\}\s*")


def _overridden(text: str, overrides: dict[str, Any]) -> str:
    """The text with overrides in braces, those that it has already included."""
    all_of_them: dict[str, str] = {}
    found = _BRACES.fullmatch(text)
    if found:
        text = found[1]
        for setting in filter(None, (part.strip() for part in found[2].split(","))):
            key, _, value = setting.partition("=")
            all_of_them[key.strip()] = value.strip()
    for key, value in overrides.items():
        all_of_them[key.rstrip("_")] = "none" if value is None else str(value)
    if not all_of_them:
        return text
    return text + "{" + ",".join(f"{key}={value}" for key, value in all_of_them.items()) + "}"


class Unit:
    """A unit by its catalogue name or its whole-unit notation, either with overrides in braces.

        u = discern.unit("hopper/wgmma.m64n8k16.f32.f16.f16")
        d = u(a, b, c)             # a and b: … × K, c: …; d: …
        D = u.gemm(A, B, C)        # A: M × k, B: k × N, C and D: M × N

    Raises InputError for a unit that there is not; it names the nearest ones.
    """

    def __init__(self, text: str, **overrides: Any) -> None:
        if isinstance(text, Unit):
            text = text.text
        if not isinstance(text, str):
            raise ArrayError(f"{text!r} is no unit; a name or a line in the notation is needed")
        self.text = _overridden(text, overrides) if overrides else text
        self._core = _core.Unit(self.text)
        self.shape = Shape.from_key(_core.shape_of(self.text))

    # ---- what it is

    @property
    def name(self) -> str:
        """As it was written."""
        return self.text

    @property
    def tree(self) -> str:
        """The whole unit in the one-line notation: formats, K, blocks, and the accumulation tree."""
        return self._core.tree

    @property
    def K(self) -> int:
        """Products of one dot product."""
        return self._core.K

    @property
    def L(self) -> int:
        """Products of one block; blocks are chained through the accumulator."""
        return self._core.L

    @property
    def formats(self) -> tuple[str, str, str | None, str]:
        """Of a, b, c and d."""
        return (self.shape.a, self.shape.b, self.shape.c, self.shape.d)

    @property
    def nan_any(self) -> bool:
        """Whether the bits of a NaN result are not specified, so that any NaN equals any NaN."""
        return self._core.nan_any

    @property
    def kernels(self) -> str:
        """Which kernels compute: AVX-512, AVX2, portable, or general, which is slow."""
        return self._core.kernels

    @cached_property
    def _description(self) -> dict[str, Any]:
        return json.loads(run("show", self.text, json=True).out)

    @property
    def evidence(self) -> list[Parameter]:
        """Every parameter with its value and where that comes from."""
        return [Parameter(**one) for one in self._description["parameters"]]

    @property
    def parameters(self) -> dict[str, str]:
        """Values by keys, as with_() takes them."""
        return {one.key: one.value for one in self.evidence}

    @property
    def family(self) -> str:
        """Of the elementary operation in the literature: T-FDPA, FMA, …; empty if the unit is not in the catalogue."""
        return self._description.get("family", "")

    @property
    def remark(self) -> str:
        return self._description.get("remark", "")

    @property
    def same(self) -> list[str]:
        """Other units of the catalogue with the same arithmetic."""
        return list(self._description["same"])

    def with_(self, **overrides: Any) -> Unit:
        """The variant with other parameters: u.with_(F=24, zero="none"). None is the value none; a trailing
        underscore is not part of a key (as_). Raises InputError for what is no parameter of this unit."""
        return Unit(self.text, **overrides)

    def to_dict(self) -> dict[str, Any]:
        return {**self._description, **self.shape.to_dict()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.tree == other.tree

    def __hash__(self) -> int:
        return hash(self.tree)

    def __reduce__(self) -> Any:
        return (Unit, (self.text,))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Unit({self.text!r})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(p.key)}</td><td>{html.escape(p.value)}</td><td>{html.escape(p.evidence)}</td>"
            f"<td>{html.escape(p.source)}</td></tr>"
            for p in self.evidence
        )
        return (
            f"<b>{html.escape(self.text)}</b><br><code>{html.escape(self.tree)}</code>"
            f"<table><tr><th>parameter</th><th>value</th><th>evidence</th><th>source</th></tr>{rows}</table>"
        )

    # ---- what it computes

    def __call__(self, a: Any, b: Any, c: Any = None, *, sa: Any = None, sb: Any = None, packed: bool = False, threads: int = 1,
                 kernels: str = "best", progress: Any = None) -> Any:  # fmt: skip
        """Dot products: d = a·b + c for every vector of a batch, as the unit computes it.

        a, b: … × K, of the unit's formats; the leading axes are broadcast against each other and against c.
        c: …; without it +0. sa, sb: … × scales, for units with scales.
        packed: fp4 two a byte, the first in the low bits.
        threads: how many compute. kernels: best, avx512fp16, avx512, avx2, portable, general or gpu; results are the same.
        progress: True, False, or a callable; see discern.progress.
        Returns d, …, of the kind that a is of; a number if there is one vector.
        Raises ArrayError for elements of the wrong type, InputError for a wrong shape.
        """
        return self._dots(self._core.dots, a, b, c, sa, sb, packed, progress, _positive("threads", threads), kernels)

    def exact(self, a: Any, b: Any, c: Any = None, *, sa: Any = None, sb: Any = None, packed: bool = False,
              progress: Any = None) -> Any:  # fmt: skip
        """The same by the exact oracle, which shares no arithmetic with the kernels, and is slow."""
        return self._dots(self._core.exact, a, b, c, sa, sb, packed, progress)

    def _dots(self, compute: Any, a: Any, b: Any, c: Any, sa: Any, sb: Any, packed: bool, progress: Any, *more: Any) -> Any:
        given = self._given({"a": a, "b": b, "c": c, "sa": sa, "sb": sb}, packed)
        words = {operand: array for operand, (array, _) in given.items()}
        lead = {}
        for operand, array in words.items():
            row = self.shape.row(operand)
            if row and (array.ndim == 0 or array.shape[-1:] != row):
                raise InputError(
                    f"{operand} has the shape {array.shape}; its last axis must have {row[0]} elements, as the unit's "
                    + ("scales have" if operand in ("sa", "sb") else f"K is {row[0]}")
                )
            lead[operand] = array.shape[: array.ndim - len(row)]
        try:
            batch = np.broadcast_shapes(*lead.values())
        except ValueError:
            shapes = ", ".join(f"{operand} {array.shape}" for operand, array in words.items())
            raise InputError(f"the batches do not fit each other: {shapes}") from None
        for operand, array in words.items():
            if lead[operand] != batch:
                words[operand] = np.ascontiguousarray(np.broadcast_to(array, batch + self.shape.row(operand)))
        count = int(np.prod(batch, dtype=np.int64))
        if self.shape.c and "c" not in words:
            words["c"] = np.zeros(batch, _word(self.shape.c))
        d = np.empty(batch, _word(self.shape.d))
        with showing("dot products", progress, count) as report:
            compute(count, *(words.get(operand) for operand in ("a", "b", "c", "sa", "sb")), d, *more, report)
        return from_words(d, self.shape.d, given["a"][1])

    def gemm(
        self,
        A: Any,
        B: Any,
        C: Any = None,
        alpha: float = 1,
        beta: float = 1,
        *,
        sa: Any = None,
        sb: Any = None,
        from_zero: bool = False,
        packed: bool = False,
        threads: int = 1,
        kernels: str = "best",
        progress: Any = None,
    ) -> Any:
        """A whole matrix product: D = alpha · A·B + beta · C, k in instructions of K in order.

        A: M × k, B: k × N (or discern.packed(B)), C: M × N (without it +0). sa: M × scales, sb: scales × N, for units with scales.
        If alpha and beta are 1 the unit chains from C; else, or with from_zero, from +0: the sum has d's format, beta · C is rounded to
        it, and alpha times the sum plus that is rounded once more, as one fused multiply-add, both to nearest even. alpha and beta
        are numbers of d's format: np.float32(0.1).
        packed: fp4 two a byte along the last axis, the first in the low bits.
        threads: how many compute. kernels: best, avx512fp16, avx512, avx2, portable, general or gpu; results are the same.
        progress: True, False, or a callable; see discern.progress.
        Returns D, M × N, of the kind that A is of.
        Raises ArrayError for elements of the wrong type, InputError for shapes that do not fit.
        """
        kept = B if isinstance(B, Packed) else None
        if kept is not None and (kept.format != self.shape.b or self.shape.scale):
            wrong = "has scales, and products with these pack B" if self.shape.scale else f"has b of {self.shape.b}"
            raise InputError(f"B is packed, of {kept.format}; {self.text} {wrong}")
        given = self._given({"a": A, "b": B if kept is None else kept.words, "c": C, "sa": sa, "sb": sb}, packed, either_order="b")
        words = {operand: array for operand, (array, _) in given.items()}
        for operand, array in words.items():
            if array.ndim != 2:
                name = operand if operand in ("sa", "sb") else operand.upper()
                raise InputError(f"{name} has the shape {array.shape}; a matrix is needed")
        (m, k), (k_of_b, n) = words["a"].shape, words["b"].shape
        if k != k_of_b:
            raise InputError(f"A is {m} × {k} and B is {k_of_b} × {n}; A must have as many columns as B has rows")
        scales = self._core.scales_along(k) if self.shape.scale and k else 0
        right = {"c": (m, n), "sa": (m, scales), "sb": (scales, n)}
        for operand, shape in right.items():
            if operand in words and words[operand].shape != shape:
                name = "C" if operand == "c" else operand
                raise InputError(f"{name} is {' × '.join(map(str, words[operand].shape))}; it must be {shape[0]} × {shape[1]}")
        words["b"], by_columns = in_its_order(words["b"] if kernels != "gpu" else np.ascontiguousarray(words["b"]))
        d = np.empty((m, n), _word(self.shape.d))
        if self.shape.c is None:  # there is no C, whatever beta says
            beta = 1 if alpha == 1 and not from_zero else 0
        elif "c" not in words:
            words["c"] = np.zeros((m, n), _word(self.shape.c))
        if d.size:
            numbers = (_number("alpha", alpha), _number("beta", beta), bool(from_zero), _positive("threads", threads), kernels)
            with showing("multiplying", progress, 1) as report:
                operands = (words.get(operand) for operand in ("a", "b", "c", "sa", "sb"))
                try:
                    self._core.gemm((m, n, k), *operands, d, *numbers, report, None if kept is None else kept.core, by_columns)
                except InputError as error:
                    raise InputError(f"{error}{self._nearest_factor(str(error))}") from None
        return from_words(d, self.shape.d, given["a"][1])

    def _nearest_factor(self, said: str) -> str:
        """What would be right, of an error about alpha or beta."""
        found = re.match(r"(?:alpha|beta) is (\S+), which is not a number", said)
        named = {"f32": "np.float32", "f16": "np.float16"}.get(self.shape.d)
        return f"; {named}({found[1]}) is one" if found and named else ""

    def _given(self, operands: dict[str, Any], packed: bool, either_order: str = "") -> dict[str, tuple[np.ndarray, Kind]]:
        """The operands as words; what the unit has not must not be there, what it needs must."""
        given = {}
        for operand, x in operands.items():
            f = self.shape.format_of(operand)
            if x is None:
                if f is not None and operand != "c":
                    raise InputError(f"{operand} is missing; {self.text} needs it")
                continue
            if f is None:
                has = "scales" if operand in ("sa", "sb") else "accumulator"
                raise InputError(f"{operand} was given, but {self.text} has no {has}")
            given[operand] = to_words(x, f, operand, packed=packed and operand in ("a", "b"), either_order=operand == either_order)
        return given


def _word(name: str) -> np.dtype:
    return WORDS[format_of(name).word]


def _positive(name: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise ArrayError(f"{name}={number!r} is no whole number")
    if not 1 <= number <= 1024:
        raise InputError(f"{name}={number} is out of range; it must be 1 to 1024")
    return int(number)


def _number(name: str, number: Any) -> float:
    try:
        return float(number)
    except (TypeError, ValueError):
        raise ArrayError(f"{name}={number!r} is no number") from None


class Units(list):
    """A list of units, shown as a table."""

    def to_dict(self) -> list[dict[str, Any]]:
        return [unit.to_dict() for unit in self]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(u.text)}</td><td>{u.formats[0]}·{u.formats[1]}+{u.formats[2]}→{u.formats[3]}</td>"
            f"<td>{u.K}</td></tr>"
            for u in self
        )
        return f"<table><tr><th>unit</th><th>formats</th><th>K</th></tr>{rows}</table>"


def unit_text(what: Any) -> str:
    """Of a unit, or of its name or line: as commands take it."""
    if isinstance(what, Unit):
        return what.text
    if isinstance(what, str):
        return what
    raise ArrayError(f"{what!r} is no unit; discern.unit(…), a name or a line in the notation is needed")


def unit(text: str, **overrides: Any) -> Unit:
    """The unit of that name or notation line; keyword arguments override its parameters, as u.with_() does."""
    return Unit(text, **overrides)


def units(pattern: str | None = None, *, format: str | None = None, K: int | None = None) -> Units:
    """The units of the catalogue.

    pattern: part of a name, or a whole name with * and ?; or a product, such as 'H100' or 'RTX 4090'.
    format: only those with an operand, a result or scales of that format. K: only those with that many products.
    Raises InputError if there are none; it names the nearest.
    """
    words = [] if pattern is None else [pattern]
    options = {"format": None if format is None else format_of(format).name, "K": K, "json": True}
    return Units(Unit(one["unit"]) for one in json.loads(run("units", *words, **options).out))

