"""Kernels in files, and schedules: which of many give the same bits, and what is said of two that do not.

What discern.triton has compiled and what discern.pytest is given go through here; nothing in it needs Triton.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .errors import InputError
from .running import Ran, done, run

__all__ = ["Classes", "SameBits", "asked", "classes_of", "listing_of", "reason", "short", "vector_text"]


@dataclass(frozen=True)
class SameBits:
    """Whether two configurations give the same bits for all inputs."""

    verdict: str  #: same, different, unknown
    vector: dict[str, Any] | None  #: operands on which an element differs, and both results
    why: str  #: in words
    interrupted: bool = False

    def __bool__(self) -> bool:
        return self.verdict == "same"


class Classes(list[list[int]]):
    """Lists of indices into the configurations, each of equal bits; and why two classes are two."""

    def __init__(self, found: list[list[int]], listings: list[list[str]], apart: dict[tuple[int, int], SameBits]):
        super().__init__(found)
        self.kernels = [lines[-1] for lines in listings]  #: of each configuration what it computes: UNIT@[…], or the last of its terms
        self.listings = listings  #: of each configuration all of its terms, or its UNIT@[…] alone
        self.apart = apart  #: of the first configurations of two classes: the vector, or why it is not known

    @property
    def open(self) -> list[tuple[int, int]]:
        """Pairs of classes, by their first configurations, of which it is not known whether they are one."""
        return [pair for pair, answer in self.apart.items() if answer.verdict == "unknown"]

    @property
    def reasons(self) -> dict[tuple[int, int], str]:
        """Of the pairs of `apart`: in words, what one computes otherwise than the other."""
        return {(i, j): reason(self.listings[i], self.listings[j]) for i, j in self.apart}

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        apart = [{"pair": list(pair), "verdict": answer.verdict, "why": answer.why, "vector": answer.vector, "reason": self.reasons[pair]}
                 for pair, answer in self.apart.items()]  # fmt: skip
        return {"classes": list(self), "kernels": self.kernels, "apart": apart}

    def __str__(self) -> str:
        lines = []
        for members in self:
            lines.append(f"{', '.join(map(str, members))}: {self.kernels[members[0]]}")
        lines += [f"{i} and {j} may be the same: {self.apart[i, j].why}" for i, j in self.open]
        return "\n".join(lines)


def classes_of(kernels: Iterable[tuple[str, Any]], ask: Callable[[str, str], SameBits] | None = None) -> Classes:
    """Groups kernels by their bits.

    kernels: of each its name (ptx:FILE, llir:FILE, UNIT@[…]), and what can only be equal where the kernels are one text,
    which is read, and asked about beside itself, only once. ask: says whether two are the same; without it asked() does, and
    errors name configurations instead of files, since these do not last.
    """
    files: list[str] = []
    listings: list[list[str]] = []
    schedules: list[Any] = []
    found: list[list[int]] = []
    apart: dict[tuple[int, int], SameBits] = {}
    seen: dict[Any, int] = {}  # the first kernel of each text
    itself: dict[Any, SameBits] = {}  # whether a text has the bits of itself: the order of atomic sums is not the kernel's
    for i, (file, text) in enumerate(kernels):
        files.append(file)
        first = seen.setdefault(text, i)
        lines, schedule = _listing(file, run if ask else _run) if first == i else (listings[first], schedules[first])
        listings.append(lines)
        schedules.append(None if ask else schedule)
        if first != i:
            if text not in itself:
                itself[text] = (ask or asked)(files[first], file)
            if itself[text]:
                next(members for members in found if first in members).append(i)
                continue
        for members in found:
            # Kernels that were read as one schedule of the same operands are one computation, as same-bits says too after reading both again.
            is_one = schedules[i] is not None and schedules[i] == schedules[members[0]]
            answer = SameBits("same", None, "they are one schedule") if is_one else (ask or asked)(files[members[0]], file)
            if answer:
                members.append(i)
                break
            apart[members[0], i] = answer
        else:
            found.append([i])
    firsts = {members[0] for members in found}
    return Classes(found, listings, {pair: answer for pair, answer in apart.items() if set(pair) <= firsts})


def asked(first: str, second: str) -> SameBits:
    """Whether two kernels that were written to temporary files give the same bits."""
    ran = _run("same-bits", first, second)
    data = json.loads(ran.out)
    why = _without_paths(data["by"], first, second)
    return done(SameBits(data["verdict"], data["vector"], why, ran.interrupted))


def reason(one: list[str], other: list[str]) -> str:
    """What one listing of terms has and the other has not, in words: the instructions, how many sums are begun, the order of
    k, other operations, or the first line that differs. It describes the code; that bits differ is what a vector shows."""
    texts = ["\n".join(lines) for lines in (one, other)]
    units = [sorted(set(re.findall(r"([\w.+-]+/[^\s@(]+)@\[", text))) for text in texts]
    if units[0] != units[1]:
        after = [" after conversions" if re.search(r"@\[[^\]]*\]\(cvt\.", text) else "" for text in texts]
        return f"products by {_and(units[0])}{after[0]} beside {_and(units[1])}{after[1]}"
    for what, pattern in (("chains of products", r"[^\s(]+@\["), ("orders of what is summed", r"@\[[^\]]*\]")):
        parts = [re.findall(pattern, text) for text in texts]
        if what.startswith("chains") and len(parts[0]) != len(parts[1]):
            return f"{len(parts[0])} {what} are begun beside {len(parts[1])}"
        if what.startswith("orders") and sorted(parts[0]) != sorted(parts[1]):
            first, second = next((a, b) for a, b in zip(*map(sorted, parts)) if a != b)
            return f"the same instruction takes {short(first[1:])} beside {short(second[1:])}"
    counts = []
    for text in texts:
        operations = re.findall(r"\b([a-z]\w*(?:\.\w+)+)(?=\(|\[)", text)
        counts.append({name: operations.count(name) for name in operations})
    unlike = [name for name in sorted(counts[0] | counts[1]) if counts[0].get(name, 0) != counts[1].get(name, 0)]
    if unlike:
        return _and([f"{counts[0].get(name, 0)} {name} beside {counts[1].get(name, 0)}" for name in unlike])
    first, second = next(((a.strip(), b.strip()) for a, b in zip(one, other) if a != b), (one[-1], other[-1]))
    start = max(first.rfind(" ", 0, len(os.path.commonprefix([first, second]))) + 1, 0)
    return f"the operands of a sum are in another order: {'…' * (start > 0)}{short(first[start:], 40)} beside {'…' * (start > 0)}{short(second[start:], 40)}"


def vector_text(vector: dict[str, Any]) -> str:
    """A vector on a line, with the patterns of operands and results in hexadecimal."""
    if "operands" in vector:
        where, operands = f"{vector['result']}[{','.join(map(str, vector['element']))}]", vector["operands"]
    else:
        where, operands = "d", {}
        for name, given in vector.items():
            if name != "d":
                operands |= {f"{name}[{k}]": bits for k, bits in enumerate(given)} if isinstance(given, list) else {name: given}
    given = ", ".join(f"{name} = {bits}" for name, bits in operands.items() if int(bits, 16))
    return f"{where} is {vector['d'][0]} beside {vector['d'][1]} for {given + ', the others +0' if given else 'operands that are +0'}"


def _and(words: list[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words) or "no instruction of the catalogue"


def short(text: str, length: int = 100) -> str:
    """The text, or its beginning."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _listing(file: str, show: Callable[..., Ran]) -> tuple[list[str], Any]:
    """The schedule of a kernel alone, or the lines of its terms; and what two kernels have in common only if they compute the same."""
    if not re.match(r"(ptx|llir):", file):
        return [file], None
    data = json.loads(show("show", file, json=True).out)
    one = data["results"][0] if "results" in data else data
    lines = _lines(data)
    if not one["kernel"]:
        return lines, None
    is_settled = one["trees"] == 1 and not (one["contractible"] or one["reads_uninitialised"] or one["ordered_atomics"] or "results" in data)
    return lines, (one["result"], one["kernel"], one["terms"]) if is_settled else None


def listing_of(file: str) -> tuple[list[str], int]:
    """The schedule of a kernel, or the lines of its terms, and how many trees its elements have."""
    data = json.loads(_run("show", file).out)
    return _lines(data), sum(one["trees"] for one in data.get("results", [data]))


def _lines(data: dict[str, Any]) -> list[str]:
    """What `show` has of all results, each under its name where there are several."""
    found: list[str] = []
    for one in data.get("results", [data]):
        if one.get("refused"):
            raise InputError(one["refused"])
        found += [f"{one['result']}:"] if "results" in data else []
        found += [one["kernel"]] if one["kernel"] else one["terms"] or ["nothing"]
    return found


def _run(name: str, *files: str, json: bool = True) -> Ran:
    """A command; what is wrong with a file is said of the configuration, since the file does not last."""
    try:
        return run(name, *files, json=json)
    except InputError as error:
        raise InputError(_without_paths(str(error), *files)) from None


def _without_paths(said: str, *files: str) -> str:
    """The sentence about configurations instead of files."""
    for file in files:
        kind, _, path = file.partition(":")
        name = f"the {'PTX' if kind == 'ptx' else 'LLVM IR'} of {pathlib.Path(path).stem.replace('-', ' ')}"
        said = said.replace(file, name).replace(path, name)
    return said
