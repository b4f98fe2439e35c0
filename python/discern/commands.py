"""The commands of the program: what two units differ in, which unit something is.

Each runs the very command in this process; a keyword argument is the option of that name. `progress` is none of them:
None shows how far a long call is where somebody looks (a terminal, a notebook), True always, False never; a callable gets
a text, how far, and of how many.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import numpy as np

from . import _core
from .arrays import to_words
from .errors import ArrayError, Error, InputError
from .formats import Shape, format_of, shape_from
from .results import (
    Answer, Check, Explanation, Feature, Identification, KernelIdentification, Probe, SameBits, Suite, TargetKind,
    Which,
)  # fmt: skip
from .running import done, run, shape_of
from .shards import settle_all
from .target import Asker
from .units import unit_text
from .vectors import Vectors, parse, vectors_of, write


# ---- two units and more


def synth(
    first: Any, second: Any, *, n: int | None = None, values: Any = None, no_subnormals: bool = False,
    finite: bool = False, range: Any = None, raw: bool = False, timeout: float | None = None, seed: int | None = None,
    solver: str | None = None, cross_check: str | None = None, threads: int | None = None, d: str | None = None,
    sa: str | None = None, sb: str | None = None, progress: Any = None,
) -> Answer:  # fmt: skip
    """Vectors on which two units differ, or a proof that there are none.

    n: at most so many, each of another kind. timeout: seconds.
    values: numbers between which the inputs lie, {'a': (-1, 1)} or 'a:-1..1'; range: the same of exponents.
    no_subnormals, finite: only such inputs. raw: vectors as they were found, not simplified.
    threads: of solvers, side by side; 2 to 4 as the machine has.
    Of units of different shapes, .assumed says what makes them comparable. d: what results of different formats are
    rounded to, 'f16:rne'; sa, sb: the pattern of all scales.
    Raises InputError if the units cannot be compared.
    """
    options = dict(n=n, values=values, no_subnormals=no_subnormals, finite=finite, range=range, raw=raw,
                   timeout=timeout, seed=seed, solver=solver, cross_check=cross_check, threads=threads)  # fmt: skip
    options |= _other_shapes(d, sa, sb)
    return _question("synth", first, second, options, progress)


def prove(
    first: Any, second: Any, *, values: Any = None, no_subnormals: bool = False, finite: bool = False,
    range: Any = None, timeout: float | None = None, seed: int | None = None, solver: str | None = None,
    cross_check: str | None = None, threads: int | None = None, certificate: Any = None, checked: bool = False,
    d: str | None = None, sa: str | None = None, sb: str | None = None, progress: Any = None,
) -> Answer:  # fmt: skip
    """Whether two units compute the same, asked for a proof.

    certificate: a new folder for what discern-check needs to check the proof. checked: "equivalent" only if such a
    certificate was made and discern-check accepted it within the time; else .missing says what is. The rest as of synth().
    """
    options = dict(values=values, no_subnormals=no_subnormals, finite=finite, range=range, timeout=timeout, seed=seed,
                   solver=solver, cross_check=cross_check, threads=threads, certificate=certificate, checked=checked)  # fmt: skip
    options |= _other_shapes(d, sa, sb)
    return _question("prove", first, second, options, progress)


def _other_shapes(d: str | None, sa: str | None = None, sb: str | None = None) -> dict[str, Any]:
    """Options of units of different shapes."""
    return {"d": d, "sa": sa, "sb": sb}


def _question(name: str, first: Any, second: Any, options: dict[str, Any], progress: Any) -> Answer:

    units = (unit_text(first), unit_text(second))
    ran = run(name, *units, json=True, progress=progress, **options)
    data = json.loads(ran.out)
    vectors = vectors_of(shape_of(data.get("read_as", units)[0]), data["vectors"])
    return done(Answer(data, data["verdict"], vectors, data["same_tree"], data["by"], data["seconds"],
                        data["ground"], data.get("missing", ""), data.get("assumed", []), notes=ran.notes, interrupted=ran.interrupted))  # fmt: skip


def same_bits(
    first: Any, second: Any, A: Any = None, B: Any = None, C: Any = None, *, K: int | None = None, n: int | None = None,
    values: Any = None, no_subnormals: bool = False, finite: bool = False, range: Any = None,
    timeout: float | None = None, seed: int | None = None, d: str | None = None, progress: Any = None,
) -> SameBits:  # fmt: skip
    """Whether two kernels, UNIT@[SCHEDULE], give the same bits: proved, if they are short; else how often not.

        discern.same_bits("x86/fma.f32@[split=2]", "x86/fma.f32@[]", K=4)
        discern.same_bits("x86/fma.f32@[kc=384]", "x86/fma.f32@[]", K=256).ground       # "structure", in less than a millisecond

    A, B, C: matrices, or names of files, M × K, K × N and M × N, whose product is compared instead.
    K: of both kernels, if neither they nor matrices say it. n: random products (10,000). The rest as of synth(); of
    kernels of different shapes .data["assumed"] says what makes them comparable.
    """
    kernels = (unit_text(first), unit_text(second))
    words = list(kernels)
    unlimited = values is None and range is None and not no_subnormals and not finite
    if A is None and unlimited and _same_structure(*kernels, K):
        nothing = {"numbers": 0, "zero_sign": 0, "special": 0, "relative": {"max": 0, "mean": 0}, "families": {},
                   "ulp": {"max": 0, "mean": 0, "histogram": {}}}  # fmt: skip
        by = "they are one computation of the inputs"
        known = {"verdict": "same", "by": by, "ground": "structure", "challenged": 0, "vector": None, "compared": 0, "different": 0, "apart": nothing}
        return SameBits(known, "same", by, None, 0, 0, nothing, "structure")
    with tempfile.TemporaryDirectory() as folder:
        for name, matrix in (("a", A), ("b", B), ("c", C)):
            if matrix is not None:
                words.append(_matrix_file(folder, kernels[0], name, matrix))
        ran = run("same-bits", *words, json=True, progress=progress, K=K, n=n, values=values, seed=seed,
                  no_subnormals=no_subnormals, finite=finite, range=range, timeout=timeout, **_other_shapes(d))  # fmt: skip
    data = {"different": 0, "apart": {}, **json.loads(ran.out)}  # of kernels that were read from code these are not there
    fields = ("verdict", "by", "vector", "compared", "different", "apart", "ground")
    return done(SameBits(data, *(data[key] for key in fields), notes=ran.notes, interrupted=ran.interrupted))


def _same_structure(first: str, second: str, K: Any) -> bool:
    """Whether both are one computation. What is wrong with them, the command says."""
    try:
        return _core.same_structure(first, second, K)
    except (Error, TypeError):
        return False


def _matrix_file(folder: str, kernel: str, name: str, matrix: Any) -> str:
    """The name of a file, or of one with the array's patterns."""
    if isinstance(matrix, (str, os.PathLike)):
        return os.fspath(matrix)

    format = shape_of(kernel.partition("@[")[0]).format_of(name)
    if format is None:
        raise InputError(f"{kernel} has no accumulator, so there is no {name.upper()}")
    words, _ = to_words(matrix, format, name.upper())
    path = os.path.join(folder, name + ".npy")
    np.save(path, words)
    return path


def suite(
    units: Sequence[Any] = (), *, space: Any = None, timeout: float | None = None, seed: int | None = None,
    solver: str | None = None, store: Any = None, resume: bool = False, values: Any = None,
    no_subnormals: bool = False, finite: bool = False, range: Any = None, threads: int | None = None,
    executor: Any = None, shards: int = 8, d: str | None = None, progress: Any = None,
) -> Suite:  # fmt: skip
    """A small set of vectors that tells all of the units apart, and the classes that nothing can tell apart (proved).

    units: of different shapes, they are compared as synth() does, d too. space: units of a space in braces, 'name{F={22..26}}', or of several.
    store: a file where answers are looked up and kept; resume: go on with one.
    threads: how many compute, all that the machine has without it; the classes are the same.
    executor: computes the cells in so many `shards`, elsewhere: an executor of concurrent.futures, a Client of
    dask.distributed, an MPIPoolExecutor, the module ray. A shard whose worker is lost is computed again; `threads` are those of a shard then.
    """
    if isinstance(units, str) or not hasattr(units, "__iter__"):
        raise ArrayError(f"{units!r} is no list of units")
    names = [unit_text(one) for one in units]
    notes: list[str] = []
    limits = {"space": space, "timeout": timeout, "seed": seed, "solver": solver, "values": values,
              "no_subnormals": no_subnormals, "finite": finite, "range": range, **_other_shapes(d)}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        if executor is not None:
            kept = None if store is None else os.fspath(store)
            if resume and kept is not None and not os.path.exists(kept):
                raise InputError(f"store={kept!r} does not exist, so there is nothing to resume")
            files, notes = settle_all(executor, shards, folder, names, {**limits, "threads": threads or 1}, kept)
            merged = os.path.join(folder, "store") if store is None else os.fspath(store)
            run("store", "merge", merged, *files)
            store, threads = merged, None
        ran = run("suite", *names, json=True, store=store, resume=resume, threads=threads, progress=progress, **limits)
    data = json.loads(ran.out)
    if isinstance(data, list):
        data = data[0]
    shape = shape_of(data.get("read_as", data["units"])[0])
    vectors = vectors_of(shape, data["vectors"]) if data["vectors"] else None
    return done(Suite(data, data["classes"], vectors, data["open"], data["seconds"], data["grounds"], notes=notes + ran.notes,
                       interrupted=ran.interrupted))  # fmt: skip


def explain(*units: Any, a: Any, b: Any, c: Any = None, sa: Any = None, sb: Any = None) -> Explanation:
    """Why a unit gives what it gives for one vector, term by term; with a second unit, where they part.

    units: one or two. a, b: K numbers or patterns each; c: one. sa, sb: scales. They are of the first unit's formats; of
    units of different shapes these have to be the narrower ones.
    """
    names = [unit_text(one) for one in units]
    if not names:
        raise InputError("explain needs a unit")
    shape = shape_of(names[0])
    one = Vectors.of(a, b, c, formats=shape, sa=sa, sb=sb)
    line = json.loads(one._lines()[0])
    options = {name: ",".join(line[name]) if isinstance(line[name], list) else line[name]
               for name in ("a", "b", "sa", "sb", "c") if name in line}  # fmt: skip
    words = [word for name, value in options.items() for word in ("--" + name, value)]
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "sum.svg")
        ran = run("explain", *names, *words, json=True, svg=picture)
        with open(picture, encoding="utf-8") as file:
            svg = file.read()
    data = json.loads(ran.out)
    data["command"] = data["command"].replace(f" --svg {picture}", "")  # which is gone
    return done(Explanation(data, data.get("units", [data]), data["parts_at"], svg, notes=ran.notes,
                             interrupted=ran.interrupted))  # fmt: skip


# ---- targets


def _target(what: Any, options: dict[str, Any], formats: Any, K: Any, scale: Any, arrays: str) -> tuple[str, Any, Shape | None]:
    """What to call the target, what answers for it, and its shape where that is given."""
    if isinstance(what, str):
        given = formats is not None or K is not None or scale is not None
        if not given:
            return what, None, None
        if formats is None or K is None:
            raise InputError("formats and K belong together, as in formats='f16,f16,f32,f32', K=16")
        shape = shape_from(formats, K, scale)
        options |= {"formats": shape.formats, "K": shape.K, "scale": shape.key[2] or None}
        return what, None, shape
    if not callable(what):
        raise ArrayError(f"{type(what).__name__} is no target; a callable or the name of a target is needed")
    if formats is None and K is None and hasattr(what, "formats") and hasattr(what, "K"):  # of discern.torch
        formats, K, scale = what.formats, what.K, getattr(what, "scale", None)
        arrays = getattr(what, "arrays", arrays)
    if formats is None or K is None:
        raise InputError("formats and K of a callable must be given, as in formats='f16,f16,f32,f32', K=16")
    shape = shape_from(formats, K, scale)
    options |= {"formats": shape.formats, "K": shape.K, "scale": shape.key[2] or None}
    return "callable", Asker(what, shape, arrays), shape


def check(
    target: Any, unit: Any = None, *, formats: Any = None, K: int | None = None, scale: Any = None,
    arrays: str = "numpy", n: int | None = None, seed: int | None = None, values: Any = None,
    no_subnormals: bool = False, finite: bool = False, nan: str | None = None, show: int | None = None,
    timeout: float | None = None, threads: int | None = None, progress: Any = None,
) -> Check:  # fmt: skip
    """Randomised validation: does the target give what the unit gives?

    target: a callable f(a, b, c) of arrays (batch × K; c: batch), or a target's name ('x86/dpps', 'model:…').
    unit: what it is believed to be; formats and K are the unit's unless they are given.
    n: vectors (a million). arrays: what a callable takes, 'numpy', 'torch' or 'patterns'.
    nan: 'any', any NaN is right where the unit gives one. show: how many mismatches are in .first.
    threads: besides the target's, all that the machine has without it; the outcome is the same. Of a program,
    'exec:…', so many copies answer side by side.
    """
    if unit is not None and callable(target) and formats is None and not hasattr(target, "formats"):
        shape = shape_of(unit_text(unit))
        formats, K, scale = shape.formats, shape.K, shape.key[2] or None
    options: dict[str, Any] = dict(n=n, seed=seed, values=values, no_subnormals=no_subnormals, finite=finite, nan=nan,
                                   show=show, timeout=timeout, threads=threads)  # fmt: skip
    name, asker, shape = _target(target, options, formats, K, scale, arrays)
    words = [name] if unit is None else [name, unit_text(unit)]
    total = None if asker is None else 1_000_000 if n is None else n if isinstance(n, int) else None
    ran = run("check", *words, json=True, ask=asker, progress=progress, total=total, **options)
    data = json.loads(ran.out)
    if shape is None:
        shape = shape_of(words[-1])
    first = vectors_of(shape, [{k: v for k, v in one.items() if k != "expected"} for one in data["first"]])
    expected = [one["expected"] for one in data["first"]]
    return done(Check(data, data["checked"], data["mismatches"], data["skipped"], first, expected, notes=ran.notes,
                       interrupted=ran.interrupted))  # fmt: skip


def which(
    *what: Any, formats: Any = None, K: int | None = None, scale: Any = None, sa: Any = None, sb: Any = None,
    arrays: str = "numpy", space: Any = None, near: int | None = None, show: int | None = None, n: int | None = None,
    seed: int | None = None, timeout: float | None = None, packed: bool = False, progress: Any = None,
) -> Which:  # fmt: skip
    """The units of the catalogue that give all results that were observed.

        discern.which(a, b, c, d, formats="f16,f16,f32,f32")    arrays: a, b n × K; c, d n (c=None: there is none)
        discern.which(vectors)                                   Vectors, or the name of a file
        discern.which(f, formats="f16,f16,f32,f32", K=16)        a callable, or the name of a target

    space: more units. near: how many to tell of when none fits, with `show` vectors that refute each.
    """
    options: dict[str, Any] = dict(space=space, near=near, show=show, n=n, seed=seed, timeout=timeout)
    text, asker, notes = "", None, []
    if len(what) == 4:
        a, b, c, d = what
        if formats is None:
            raise InputError("formats is missing, as in formats='f16,f16,f32,f32'")
        if d is None:
            raise InputError("d is missing: there is nothing to explain")
        what = (Vectors.of(a, b, c, d, formats=formats, K=K, scale=scale, sa=sa, sb=sb, packed=packed),)
    if len(what) != 1:
        raise InputError(f"which takes a, b, c, d, or one thing, and was given {len(what)}")
    (one,) = what
    if isinstance(one, Vectors):
        if one.d is None or one.d.ndim != 1:
            raise InputError("each vector must have one d: what was observed")
        part, notes = one if one.known is None else one[one.known], one.notes
        name, text = "-", write(None, part).decode()
    elif isinstance(one, os.PathLike):
        name, asker, _ = _target(os.fspath(one), options, formats, K, scale, arrays)
    else:
        name, asker, _ = _target(one, options, formats, K, scale, arrays)
    ran = run("which", name, json=True, ask=asker, input=text, progress=progress, **options)
    data = json.loads(ran.out)
    return done(Which(data, data["consistent"], data["near"], data["vectors"], notes=notes + ran.notes + ran.said, said=ran.said,
                       interrupted=ran.interrupted))  # fmt: skip


def identify(
    target: Any, *, formats: Any = None, K: int | None = None, scale: Any = None, arrays: str = "numpy",
    timeout: float | None = None, space: Any = None, validate: int | None = None, finite: bool = False,
    kernel: bool = False, seed: int | None = None, threads: int | None = None, progress: Any = None, **more: Any,
) -> Identification | KernelIdentification:  # fmt: skip
    """What is it? Asks the target vectors that tell the possible units apart, until one is left.

        discern.identify(lambda a, b, c: np.einsum("nk,nk->n", a, b) + c, formats="f32,f32,f32,f32", K=8)

    target: a callable f(a, b, c) of arrays (batch × K; c: batch; no c where the formats have none; with scales
    f(a, b, c, sa, sb)) that returns d (batch); or the name of a target.
    arrays: what a callable takes: 'numpy' arrays (numbers where numpy or ml_dtypes has the type, else patterns),
    'torch' tensors, or 'patterns', unsigned words.
    timeout: seconds (60). space: look there, instead of the default space. validate: random vectors at the end.
    finite: neither NaN nor infinity is asked. threads: as of check().
    kernel: K is that of a whole product: the order over k is found, and the unit that is chained; a KernelIdentification.
    Raises CallableError if the callable raises, or returns what cannot be the results.
    """
    options: dict[str, Any] = dict(timeout=timeout, space=space, validate=validate, finite=finite, kernel=kernel,
                                   seed=seed, threads=threads, **more)  # fmt: skip
    name, asker, _ = _target(target, options, formats, K, scale, arrays)
    ran = run("identify", name, json=True, ask=asker, progress=progress, **options)
    data = json.loads(ran.out)
    if kernel:
        fields = ("verdict", "unit", "tree", "schedule", "K", "also", "open", "observations", "validated", "seconds")
        return done(KernelIdentification(data, *(data[key] for key in fields), data.get("tried", {}),
                                          data.get("depends", []), data["ground"], data.get("then"), notes=ran.notes,
                                          interrupted=ran.interrupted))  # fmt: skip
    fields = ("verdict", "unit", "names", "tree", "structure", "open", "consistent")
    return done(Identification(data, *(data[key] for key in fields), data.get("near", []), data["observations"],
                                data["validated"], data["seconds"], data["ground"], notes=ran.notes + ran.said, said=ran.said,
                                interrupted=ran.interrupted))  # fmt: skip


def probe(
    target: Any, *, formats: Any = None, K: int | None = None, scale: Any = None, arrays: str = "numpy",
    classic: bool = False, timeout: float | None = None, progress: Any = None,
) -> Probe:  # fmt: skip
    """The feature table of a target: subnormals, extra bits, rounding, block width, order, …

    classic: the tests of Li et al. instead, read as they read them. The rest as of identify().
    """
    options: dict[str, Any] = dict(classic=classic, timeout=timeout)
    name, asker, _ = _target(target, options, formats, K, scale, arrays)
    ran = run("probe", name, json=True, ask=asker, progress=progress, **options)
    data = json.loads(ran.out)
    features = {
        key: Feature(key, one["title"], one["value"], one["why"]) for key, one in data["features"].items()
    }
    vectors = vectors_of(Shape.from_key((data["formats"], data["K"], data["scale"] or "")), data["vectors"])
    return done(Probe(data, features, data["unit"], vectors, notes=ran.notes, interrupted=ran.interrupted))


def targets() -> list[TargetKind]:
    """What a target can be on this machine: the real units that can be run here and now, and why others cannot."""
    return [TargetKind(**one) for one in json.loads(run("targets", json=True).out)]


def generate(unit: Any, *, n: int | None = None, family: Any = None, seed: int | None = None, values: Any = None,
             no_subnormals: bool = False, finite: bool = False, results: bool = False) -> Vectors:  # fmt: skip
    """Vectors of all kinds of input for a unit, with its results if `results`.

    n: how many (1000). family: one of the kinds, or several.
    """
    text = unit_text(unit)
    ran = run("generate", text, n=n, family=family, seed=seed, values=values, no_subnormals=no_subnormals,
              finite=finite, results=results)  # fmt: skip
    return parse(ran.out, text)


__all__ = ["check", "explain", "generate", "identify", "probe", "prove", "same_bits", "suite", "synth", "targets", "which"]
