"""What units can and cannot do: properties, errors against the exact result, and programs around units compared."""

from __future__ import annotations

import json
from typing import Any

from .errors import InputError
from .formats import shape_from
from .results import Comparison, Measurement, Properties, Property
from .running import done, run, shape_of
from .units import unit_text
from .vectors import vectors_of


def property(
    unit: Any, name: str | None = None, *, timeout: float | None = None, seed: int | None = None,
    cross_check: str | None = None, progress: Any = None,
) -> Properties:  # fmt: skip
    """Whether the unit has a property, for all inputs: proved, refuted with a vector, or unknown.

        discern.property(u, "monotonic")["monotonic"].verdict

    name: one property; without it all are asked about (docs/property.md has them).
    timeout: seconds, shared by all that is asked. cross_check: a second solver that has to confirm every proof.
    """
    text = unit_text(unit)
    words = [text] if name is None else [text, name]
    ran = run("property", *words, json=True, timeout=timeout, seed=seed, cross_check=cross_check, progress=progress)
    data = json.loads(ran.out)
    shape = shape_of(text)
    found = {
        one["name"]: Property(
            one["name"], one["says"], one["verdict"], None if one["vector"] is None else vectors_of(shape, [one["vector"]]),
            one.get("other"), one.get("where", ""), one["value"], one.get("shown"), one["by"], one["seconds"],
            one["ground"], one.get("bound"))
        for one in data["properties"]
    }  # fmt: skip
    not_asked = {one["name"]: one["why"] for one in data["not_asked"]}
    return done(Properties(data, found, not_asked, notes=ran.notes, interrupted=ran.interrupted))


def measure(
    *units: Any, n: int | None = None, family: Any = None, spread: dict[str, float] | None = None, chain: int | None = None,
    values: Any = None, no_subnormals: bool = False, finite: bool = False, seed: int | None = None,
    threads: int | None = None, progress: Any = None,
) -> Measurement:  # fmt: skip
    """Errors of units against the exact result, all on the same random inputs.

        discern.measure(u, v, n=100_000)["normal"][0]["ulp"]["mean"]

    family: a kind of inputs, or several. spread: standard deviations of normal numbers instead, {"a": 1000}.
    chain: instructions of a dot product, each one's c the d of the one before.
    """
    names = [unit_text(one) for one in units]
    if not names:
        raise InputError("measure needs a unit")
    ran = run("measure", *names, json=True, n=n, family=family, spread=_spread(spread), chain=chain, values=values,
              no_subnormals=no_subnormals, finite=finite, seed=seed, threads=threads, progress=progress)  # fmt: skip
    data = json.loads(ran.out)
    families = {one["family"]: one["units"] for one in data["families"]}
    nearer = {one["family"]: one["nearer"] for one in data["families"] if "nearer" in one}
    return done(Measurement(data, families, nearer, data["seconds"], notes=ran.notes, interrupted=ran.interrupted))


def compare(
    first: str, second: str, *, on: Any, operands: str | None = None, arithmetic: str | None = None, length: int | None = None,
    n: int | None = None, family: Any = None, spread: dict[str, float] | None = None, values: Any = None,
    no_subnormals: bool = False, timeout: float | None = None, seed: int | None = None, threads: int | None = None,
    progress: Any = None,
) -> Comparison:  # fmt: skip
    """Two programs around one unit: is one never farther from the exact result than the other, and how far are they?

        discern.compare("markidis", "ootomo-yokota", on=u).never_farther

    first, second: algorithms, by name or as programs (docs/compare.md). on: the unit.
    operands: the formats of a, b and c ('f32'). arithmetic: that of the programs ('f32'). length: elements of a and b.
    n: vectors for which errors are measured. timeout: seconds, of the questions.
    """
    ran = run("compare", first, second, json=True, on=unit_text(on), operands=operands, arithmetic=arithmetic, length=length, n=n,
              family=family, spread=_spread(spread), values=values, no_subnormals=no_subnormals, timeout=timeout,
              seed=seed, threads=threads, progress=progress)  # fmt: skip
    data = json.loads(ran.out)
    answers = [one["never_farther"] for one in data["algorithms"]]
    shape = shape_from(",".join([*data["inputs"], data["d"]]), data["length"])
    vectors = [None if one["vector"] is None else vectors_of(shape, [one["vector"]]) for one in answers]
    families = {one["family"]: one["algorithms"] for one in data["families"]}
    nearer = {one["family"]: one["nearer"] for one in data["families"]}
    return done(Comparison(data, [one["verdict"] for one in answers], vectors, families, nearer, data["seconds"],
                            [one["ground"] for one in answers], notes=ran.notes, interrupted=ran.interrupted))  # fmt: skip


def _spread(spread: dict[str, float] | None) -> str | None:
    return None if spread is None else ",".join(f"{operand}:{value:g}" for operand, value in spread.items())


__all__ = ["compare", "measure", "property"]
