"""Decisions of cuBLASLt: into how many parts it divides k, by shape; recorded, or asked of the library itself.

The tables are those of the package mmaemu 0.1.0 (Apache-2.0): heuristic answers that its author recorded on the GPUs.
They are read from where that package is installed, and are no part of this one.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from . import cublaslt
from .errors import InputError


@dataclass(frozen=True)
class Question:
    """A product of fp8: its shape, formats of the operands and of the result, and whether accumulation is fast."""

    M: int
    N: int
    K: int
    a: str
    b: str
    out: str
    fast: bool


#: our name of a format → the table's
_OUT = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}


def _folder() -> Path | None:
    """Where the package is, which is not imported: it would need torch."""
    found = importlib.util.find_spec("mmaemu")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "platform" / "data"


class Table:
    """One table: columns of integers, codes for names, and the shapes beyond which nothing is divided."""

    def __init__(self, name: str, folder: Path) -> None:
        self.about = json.loads((folder / f"{name}.json").read_text())
        with np.load(folder / f"{name}.npz", allow_pickle=False) as columns:
            self.columns = {key: columns[key] for key in ("M", "N", "K", "fa", "fb", "out", "fast", "ws", "splitK", "custom")}
        codes = self.about["codes"]
        self.codes = {
            "fa": {said: int(code) for code, said in codes["fa/fb"].items()},
            "fb": {said: int(code) for code, said in codes["fa/fb"].items()},
            "out": {said: int(code) for code, said in codes["out"].items()},
            "ws": {bytes_: code for code, bytes_ in enumerate(codes["ws"])},
        }
        self.schemes = codes["custom -> scheme"]

    def row(self, q: Question, workspace: int) -> tuple[int, str] | None:
        """What was recorded for exactly this product."""
        keys = {"M": q.M, "N": q.N, "K": q.K, "fast": int(q.fast)}
        for key, said in (("fa", q.a), ("fb", q.b), ("out", _OUT[q.out]), ("ws", workspace)):
            if said not in self.codes[key]:
                return None
            keys[key] = self.codes[key][said]
        found = np.flatnonzero(self.columns["K"] == keys["K"])
        for key, value in keys.items():
            found = found[self.columns[key][found] == value]
        if len(found) == 0:
            return None
        parts = int(self.columns["splitK"][found[0]])
        if parts <= 1:
            return (1, "none")
        scheme = self.schemes.get(str(int(self.columns["custom"][found[0]])))
        return None if scheme is None else (parts, scheme)

    def is_undivided(self, q: Question, workspace: int) -> str | None:
        """Why a product that was not recorded is not divided: it is larger than all that are. None: that is not known."""
        same = {"ws": workspace, "out": _OUT[q.out], "fast": q.fast, "fmt_a": q.a, "fmt_b": q.b}
        size, envelope = q.M * q.N, self.about.get("envelope")
        if envelope is None:
            for setting in self.about["settings"]:
                if all(setting[key] == value for key, value in same.items()) and setting["split_rows"]:
                    if size > 2 * setting["max_split_MN"]:
                        return f"M·N = {size} is more than twice the largest that was seen divided, {setting['max_split_MN']}"
            return None
        held_out = envelope.get("validation", {}).get(str(workspace), {})
        if held_out.get("status") != "validated" or not envelope["K_min"] <= q.K <= envelope["K_max"]:
            return None
        for bounds in envelope["bounds"]:
            if all(bounds[key] == value for key, value in same.items()):
                bound = bounds["B"][int(np.searchsorted(envelope["K_grid"], q.K))]
                if bound is not None and size > bound:
                    return f"M·N = {size} is more than {bound}, beyond which nothing is divided at this K"
        return None


@lru_cache(maxsize=4)
def _table(name: str, folder: Path) -> Table:
    return Table(name, folder)


def by_library(profile: Any, q: Question) -> tuple[int, str]:
    """What this machine's cuBLASLt decides, if that and the GPU are the profile's. Raises cublaslt.Unavailable."""
    if profile.device is None:
        raise cublaslt.Unavailable("no rule of its cuBLASLt was measured")
    found, gpu = cublaslt.version(), cublaslt.gpu()
    if not profile.library.startswith(f"cuBLASLt {found}"):
        raise cublaslt.Unavailable(f"the cuBLASLt of this machine is {found}, of which no rule was measured")
    if gpu != profile.device:
        major, minor, sms = gpu
        raise cublaslt.Unavailable(f"the GPU of this machine has compute capability {major}.{minor} and {sms} SMs")
    answer = cublaslt.ask(q.M, q.N, q.K, q.a, q.b, q.out, q.fast, profile.workspace)
    if answer.parts <= 1:
        return (1, "none")
    if answer.custom not in profile.custom:
        raise cublaslt.Unavailable(f"its algorithm has the custom option {answer.custom}, of which no order of parts was measured")
    return (answer.parts, profile.custom[answer.custom])


def decide(profile: Any, q: Question) -> tuple[tuple[int, str], str, str]:
    """Parts and scheme, who says so, and why. Raises InputError if it is not known."""
    folder = _folder()
    why = "the package mmaemu, which has recorded decisions, is not installed"
    if not profile.table:
        why = "nothing is recorded of it"
    elif folder is not None:
        if not (folder / f"{profile.table}.npz").is_file():
            why = f"the package mmaemu that is installed has no table {profile.table}"
        else:
            table = _table(profile.table, folder)
            found = table.row(q, profile.workspace)
            if found is not None:
                return found, "table", f"recorded, in {profile.table}"
            reason = table.is_undivided(q, profile.workspace)
            if reason is not None:
                return (1, "none"), "table", reason
            why = f"the table {profile.table} of mmaemu does not say it"
    try:
        return by_library(profile, q), "library", f"cuBLASLt {cublaslt.version()} on this machine"
    except cublaslt.Unavailable as unavailable:
        why += f", and {unavailable}"
    right = "".join(f" or split=(S, '{scheme}')" for scheme in profile.schemes)
    ways = f"split=1{right} says it"
    if profile.table:
        ways += ", 'pip install mmaemu' brings a table of recorded shapes, and on a machine with that GPU and that library its own heuristic is asked"
    raise InputError(
        f"into how many parts {profile.library} on the {profile.gpu} divides k = {q.K} of a product of {q.M} × {q.N} is not known: {why}; "
        f"{ways}"
    )
