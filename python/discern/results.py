"""Answers, as the commands of the program give them: `.to_dict()` of each is the command's JSON."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import Any

from .vectors import Vectors


@dataclass(repr=False)
class Result:
    """What all answers have."""

    data: dict[str, Any]
    notes: list[str] = field(default_factory=list, kw_only=True)  #: sentences about the answer
    said: list[str] = field(default_factory=list, kw_only=True)  #: those of notes that are the answer itself in words
    interrupted: bool = field(default=False, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the command."""
        return self.data

    def _summary(self) -> dict[str, Any]:
        return {}

    def _about(self) -> dict[str, Any]:
        """The notes, without what other fields have in words."""
        said = set() if self._needs_words() else set(self.said)
        notes = [note for note in self.notes if note not in said]
        return {"notes": notes} if notes else {}

    def _needs_words(self) -> bool:
        """Whether only its words say why the answer is as it is."""
        return False

    def __repr__(self) -> str:
        fields = {**self._summary(), **self._about()}
        text = ", ".join(f"{name}={value!r}" for name, value in fields.items())
        return f"{type(self).__name__}({text})"

    def _repr_html_(self) -> str:
        def shown(value: Any) -> str:
            if hasattr(value, "_repr_html_"):
                return value._repr_html_()
            return html.escape(value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False))

        fields = {**self._summary(), **self._about()}
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{shown(value)}</td></tr>" for name, value in fields.items())
        return f"<b>{type(self).__name__}</b><table>{rows}</table>"


@dataclass(repr=False)
class Answer(Result):
    """Of synth() and prove()."""

    verdict: str  #: different, equivalent (proved), unknown
    vectors: Vectors  #: on which the units differ, with both results
    same_tree: bool  #: both are the same computation of the inputs
    by: str  #: what said so
    seconds: float
    ground: str | None = None  #: what "equivalent" rests on: structure, certificate, terms, solver
    missing: str = ""  #: with checked=True and units that were found to be the same: what no accepted certificate is there for

    def _summary(self) -> dict[str, Any]:
        missing = {"missing": self.missing} if self.missing else {}
        return {"verdict": self.verdict, "by": self.by, "ground": self.ground, **missing, "vectors": self.vectors,
                "seconds": self.seconds}  # fmt: skip


@dataclass(repr=False)
class Suite(Result):
    """Of suite(): of units of one shape."""

    classes: list[list[str]]  #: units of one class compute the same
    vectors: Vectors | None  #: that tell all classes apart, with a result of each class; None: there is one class
    open: list[list[str]]  #: pairs that are neither told apart nor proved the same
    seconds: float
    grounds: list[str | None] = field(default_factory=list)  #: of each class: the weakest of why its units are the same

    def _summary(self) -> dict[str, Any]:
        return {"classes": self.classes, "grounds": self.grounds, "open": self.open, "vectors": self.vectors, "seconds": self.seconds}


@dataclass(repr=False)
class Check(Result):
    """Of check()."""

    checked: int
    mismatches: int
    skipped: int
    first: Vectors  #: some of the mismatches, with d as observed
    expected: list[str]  #: what the unit gives for these, in hexadecimal

    def _summary(self) -> dict[str, Any]:
        return {"checked": self.checked, "mismatches": self.mismatches, "first": self.first, "expected": self.expected}


@dataclass(repr=False)
class Which(Result):
    """Of which()."""

    consistent: list[list[str]]  #: units that give all results, by classes of the same arithmetic
    near: list[dict[str, Any]]  #: if there are none: the nearest, and what refutes each
    vectors: int  #: results that were looked at

    def _needs_words(self) -> bool:
        return not self.consistent

    def _summary(self) -> dict[str, Any]:
        near = [(one["unit"], one["mismatches"]) for one in self.near]
        return {"consistent": self.consistent, "near": near, "vectors": self.vectors}


@dataclass(repr=False)
class Identification(Result):
    """Of identify()."""

    verdict: str  #: unique, class (several that are proved the same), open, unexplained
    unit: str | None  #: by a name of the catalogue, if it has one
    names: list[str]  #: all such names
    tree: str | None  #: in the notation
    structure: str
    open: list[str]  #: what is neither proved nor told apart
    consistent: list[list[str]]  #: units of the catalogue that give all that was observed
    near: list[dict[str, Any]]  #: if it is unexplained
    observations: int
    validated: int
    seconds: float
    ground: str | None = None  #: the weakest of why what is left, and what has a name, is the same

    def _needs_words(self) -> bool:
        return self.verdict == "unexplained" or "unsteady_nan" in self.data

    @property
    def settled(self) -> bool:
        """Whether it is one unit, up to what is proved to be the same."""
        return self.verdict in ("unique", "class")

    def _summary(self) -> dict[str, Any]:
        names = ("verdict", "unit", "tree", "structure", "open", "ground", "observations", "validated", "seconds")
        return {name: getattr(self, name) for name in names}


@dataclass(repr=False)
class KernelIdentification(Result):
    """Of identify(kernel=True)."""

    verdict: str  #: unique, class (several that are proved the same), open, unexplained: of the instruction
    unit: str | None  #: the instruction, by a name if it has one
    tree: str | None  #: in the notation
    schedule: str | None  #: what stands between the brackets of UNIT@[…]
    K: int
    also: list[str]  #: other schedules that give the same products
    open: list[str]  #: what is neither proved nor told apart
    observations: int
    validated: int
    seconds: float
    tried: dict[str, list[int]]  #: of K, M and N: the smallest and the largest at which the kernel was tried
    depends: list[dict[str, Any]]  #: of which of these it depends, and where it changes
    ground: str | None = None  #: the weakest of why all that the instruction may be is the same
    then: dict[str, Any] | None = None  #: what follows the sums, if anything does: alpha, bias and roundings; and in words

    @property
    def settled(self) -> bool:
        """Whether it is one unit in that schedule, up to what is proved to be the same."""
        return self.verdict in ("unique", "class")

    @property
    def kernel(self) -> str | None:
        """UNIT@[SCHEDULE], as other functions take it."""
        return None if self.tree is None else f"{self.tree}@[K={self.K} {self.schedule}]".replace(" ]", "]")

    def _summary(self) -> dict[str, Any]:
        names = ("verdict", "unit", "tree", "schedule", "K", "also", "depends", "open", "validated", "seconds")
        return {name: getattr(self, name) for name in names}


@dataclass(repr=False)
class SameBits(Result):
    """Of same_bits()."""

    verdict: str  #: same (proved, or one kernel), different, unknown (none that was compared differs)
    by: str  #: what said so
    vector: dict[str, Any] | None  #: on which they differ; of matrices the element: row, column, d
    compared: int  #: products
    different: int  #: of these
    apart: dict[str, Any]  #: how far
    ground: str | None = None  #: what "same" rests on: structure, terms, solver

    def _summary(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "by": self.by, "ground": self.ground, "compared": self.compared, "different": self.different}


@dataclass
class Feature:
    """A row of the table of probe()."""

    key: str
    title: str
    value: str | None  #: None: cannot tell
    why: str

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass
class TargetKind:
    """A row of targets()."""

    target: str  #: as other functions take it; of a kind with names behind it, "exec:COMMAND"
    available: bool
    reason: str | None  #: why it is not
    summary: str

    def __str__(self) -> str:
        return f"{self.target}: " + (self.summary if self.available else f"unavailable: {self.reason}")

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(repr=False)
class Probe(Result):
    """Of probe(): the feature table."""

    features: dict[str, Feature]
    unit: str | None  #: one with these features, which gives all answers, in the notation
    vectors: Vectors  #: that were asked, with the answers

    def __getitem__(self, key: str) -> str | None:
        return self.features[key].value

    def _summary(self) -> dict[str, Any]:
        return {**{key: one.value for key, one in self.features.items()}, "unit": self.unit}


@dataclass(repr=False)
class Explanation(Result):
    """Of explain(): of one unit, or of two and the step at which they part."""

    units: list[dict[str, Any]]  #: each with its result `d` and its `blocks`, step by step (docs/explain.md)
    parts_at: dict[str, Any] | None  #: block, step and term at which two units part, and `sentence`
    svg: str  #: a picture of the sum that matters

    def _summary(self) -> dict[str, Any]:
        results = {one["unit"]: one["value"] for one in self.units}
        return {"d": results, **({"why": self.parts_at["sentence"]} if self.parts_at else {})}

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self.svg


@dataclass
class Property:
    """A row of property()."""

    name: str
    says: str
    verdict: str  #: proved, refuted, unknown
    vector: Vectors | None  #: that refutes it, or shows that the value cannot be better
    other: dict[str, Any] | None  #: the changed vector, of a property that speaks of two
    where: str  #: "products 0 and 1"
    value: float | None  #: of exact-region, max-error and error-of-terms
    shown: float | None  #: what the vector shows of a value
    by: str  #: what answered
    seconds: float
    ground: str | None = None  #: what a proof rests on: terms, solver, "theorem NAME", argument (of which `bound` is the name)
    bound: str | None = None


@dataclass(repr=False)
class Properties(Result):
    """Of property(): by name."""

    properties: dict[str, Property]
    not_asked: dict[str, str]  #: what says nothing of this unit, and why

    def __getitem__(self, name: str) -> Property:
        return self.properties[name]

    def _summary(self) -> dict[str, Any]:
        return {one.name: one.verdict for one in self.properties.values()}


@dataclass(repr=False)
class Measurement(Result):
    """Of measure(): errors by family, of each unit in order (docs/measure.md)."""

    families: dict[str, list[dict[str, Any]]]
    nearer: dict[str, dict[str, int]]  #: how often the first of two units is nearer to the exact result, or the second
    seconds: float

    def __getitem__(self, family: str) -> list[dict[str, Any]]:
        return self.families[family]

    def _summary(self) -> dict[str, Any]:
        return {family: [one["ulp"]["mean"] for one in units] for family, units in self.families.items()}


@dataclass(repr=False)
class Comparison(Result):
    """Of compare(): of the first program, and of the second."""

    never_farther: list[str]  #: than the other from the exact result: proved, refuted, unknown
    vectors: list[Vectors | None]  #: that refute it, with both results
    families: dict[str, list[dict[str, Any]]]  #: errors as of measure()
    nearer: dict[str, dict[str, int]]
    seconds: float
    grounds: list[str | None] = field(default_factory=list)  #: what each proof rests on: terms, solver, "theorem NAME"

    def _summary(self) -> dict[str, Any]:
        return {"never_farther": self.never_farther, "grounds": self.grounds, "nearer": self.nearer}
