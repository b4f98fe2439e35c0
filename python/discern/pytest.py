"""Assertions for the tests of programs that rest on equal bits, as a serving engine's do on batch-invariant layers.

    from discern.pytest import assert_same_bits

    def test_a_row_has_the_same_bits_in_every_batch():
        batches = [{"TM": 16 if m <= 16 else 64, "TK": 64, "scalars": {"M": m}} for m in (1, 16, 256)]
        assert_same_bits(linear, batches, signature=…, arrays=…, scalars=…, grid=…, target="sm_90")

    def test_the_new_kernel():
        assert_same_bits("ptx:old.ptx", "ptx:new.ptx")

Nothing of pytest is used: the functions raise AssertionError, so that other runners of tests can call them.
"""

from __future__ import annotations

import importlib
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from . import commands
from .errors import ArrayError
from .kernel_classes import Classes, SameBits, classes_of, short, vector_text
from .units import unit_text

__all__ = ["assert_same_bits"]

_PREFIXES = {".ptx": "ptx", ".llir": "llir", ".ll": "llir"}


def assert_same_bits(first: Any, *others: Any, **options: Any) -> Classes:
    """Asserts that kernels give the same bits for all inputs of their launches. Only a proof passes: where it is not known
    whether two are the same, the assertion fails too, and says so. Returns the one class.

        assert_same_bits("ptx:a.ptx", pathlib.Path("b.ptx"), "ampere/mma.m16n8k16.f32.f16.f16.f32@[K=128]")
        assert_same_bits(kernel, [{"BLOCK_K": 32}, {"BLOCK_K": 64}], signature=…, arrays=…, …)

    The first form takes kernels in files and schedules, and options of discern.same_bits(), as K=. The second takes a
    @triton.jit function and its configurations, in a list or one by one, and the parameters of discern.triton.classes();
    a batch size is a value of a scalar: {"scalars": {"M": 16}}, with arrays=lambda c: {… ("A", "mk", (c["M"], 128)) …}.
    The same is asserted of kernels whose results have other shapes: an element has the same bits in each.

    The message has the classes with what each computes, and for each two of them what one has that the other has not, and
    operands on which they differ.
    """
    __tracebackhide__ = True
    if hasattr(first, "arg_names"):
        triton = importlib.import_module("discern.triton")  # which is there only where Triton is installed
        configs = list(others[0]) if len(others) == 1 and not isinstance(others[0], Mapping) else list(others)
        _at_least_two(configs, "configurations")
        found, names = triton.classes(first, configs, **options), [str(dict(config)) for config in configs]
    else:
        names = [_file(kernel) for kernel in (first, *others)]
        _at_least_two(names, "kernels")

        def ask(one: str, other: str) -> SameBits:
            answer = commands.same_bits(one, other, **options)
            return SameBits(answer.verdict, answer.vector, answer.by)

        found = classes_of(((name, name) for name in names), ask)
    if len(found) > 1:
        raise AssertionError(_message(found, names))
    return found


def _at_least_two(given: Sequence[Any], what: str) -> None:
    if len(given) < 2:
        raise ArrayError(f"assert_same_bits needs two {what} or more, of which one is compared with the others; there is {len(given)}")


def _file(kernel: Any) -> str:
    if isinstance(kernel, os.PathLike):
        path = pathlib.Path(kernel)
        if path.suffix not in _PREFIXES:
            raise ArrayError(f"{path} is no kernel: the name of one ends in {', '.join(_PREFIXES)}")
        return f"{_PREFIXES[path.suffix]}:{path}"
    return unit_text(kernel)


def _message(found: Classes, names: list[str]) -> str:
    lines = [f"{len(found)} classes of bits among {len(names)} kernels{', of which some may be one' if found.open else ''}:"]
    for members in found:
        terms = found.listings[members[0]]
        more = f" … and {len(terms) - 1} more terms" if len(terms) > 1 else ""
        lines += [f"  {', '.join(map(str, members))}: {short(terms[0].strip())}{more}", *(f"      {names[i]}" for i in members)]
    reasons = found.reasons
    for (one, other), answer in found.apart.items():
        if answer.verdict == "unknown":
            lines.append(f"  {one} and {other} may be the same: {answer.why}")
        else:
            lines.append(f"  {one} and {other} differ: {vector_text(answer.vector) if answer.vector else answer.why}")
            lines.append(f"      {reasons[one, other]}")
    return "\n".join(lines)
