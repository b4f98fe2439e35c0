"""How a kernel of Inductor's is launched, for discern to read it: from its parameters and the buffers that the graph calls it with."""

from __future__ import annotations

import math
import string
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..errors import InputError
from .compiling import Compiled
from .output_code import Buffer

__all__ = ["launches_of"]

# Formats of elements by Triton's names, and bytes of an element of scratch memory.
_FORMATS = {
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "fp8e4nv": "e4m3", "fp8e5": "e5m2", "fp8e4b8": "e4m3fnuz", "fp8e5b16": "e5m2fnuz",
    "i1": "u8", "i8": "s8", "u8": "u8", "i32": "s32", "u32": "u32",
}  # fmt: skip
_BYTES = {"u8": 1, "i8": 1, "fp16": 2, "bf16": 2, "fp32": 4, "i32": 4, "u32": 4, "fp64": 8, "i64": 8, "u64": 8}
_SCALARS = {"i32": "i32", "u32": "i32", "i64": "i64", "u64": "i64", "fp32": "f32", "fp64": "f64"}
_OWN = "abmn"  # letters of the axes of a result: no more can be named
_SUMMED = "k" + "".join(c for c in string.ascii_lowercase if c not in _OWN + "k")


def launches_of(made: Compiled, arguments: Mapping[str, Any], mutated: Collection[str]) -> Iterator[dict[str, Any]]:
    """Descriptions of one launch that name the axes of its arrays otherwise, the likeliest first.

    arguments: of each parameter a buffer or a number. Which axis of an operand goes with which of the result only decides how many
    trees a listing has, and not what is computed.
    """
    results = {name for name in made.types if name.startswith(("out_ptr", "in_out_ptr")) or name in mutated}
    if not results:
        raise InputError("the launch has no parameter that the kernel writes")
    shapes = {name: _shape(name, arguments.get(name)) for name, kind in made.types.items() if kind[0] == "*" and not name.startswith("ws_ptr")}
    for views in _views(shapes, results, {name: value for name, value in arguments.items() if isinstance(value, int)}):
        yield _launch(made, arguments, results, views)


def _shape(name: str, given: Any) -> list[tuple[int, int]]:
    """Axes of an array, as length and stride: without those of one element, and axes that lie as one made one."""
    if not isinstance(given, Buffer) or given.shape is None or given.strides is None:
        raise InputError(f"the generated code does not say the shape of {name}")
    axes = [(n, step) for n, step in zip(given.shape, given.strides) if n != 1]
    if any(n == 0 for n, _ in axes) or any(step == 0 for _, step in axes):
        raise InputError(f"{name} has the shape {given.shape} and the strides {given.strides}: arrays without elements, or whose elements lie in one place, are not read")
    return axes or [(1, 1)]


def _views(shapes: Mapping[str, list[tuple[int, int]]], results: Collection[str], numbers: Mapping[str, int]) -> Iterator[dict[str, list[tuple[int, int, str]]]]:
    rows = math.prod(numbers.get(name, 1) for name in ("xnumel", "ynumel", "znumel"))
    columns = math.prod(value for name, value in numbers.items() if name.startswith("r") and name.endswith("numel"))
    if columns > 1 and all(_is_dense(axes) for axes in shapes.values()):
        # A kernel that sums sees rows and columns, whatever the model sees.
        known = {rows * columns: [(rows, columns, "m"), (columns, 1, "n")], rows: [(rows, 1, "m")], columns: [(columns, 1, "n")]}
        if all(_elements(axes) in known for axes in shapes.values()):
            sums = all(_elements(shapes[name]) == rows for name in results)
            yield {name: [(n, step, "k" if sums and c == "n" else c) for n, step, c in known[_elements(axes)]] for name, axes in shapes.items()}
            return
    largest = max((shapes[name] for name in results), key=_elements)
    own = largest if len(largest) <= len(_OWN) else _merged(largest)
    whole = {name: own if axes != own and _elements(axes) == _elements(own) and _is_dense(axes) and _order(axes) == _order(own) else axes for name, axes in shapes.items()}
    letters = dict(zip(range(-len(own), 0), _OWN[-len(own) :]))
    for shift in range(len(own)):
        views = {}
        for name, axes in whole.items():
            axes = _merged(axes) if len(axes) > 8 else axes
            views[name] = _named(axes, own, letters, shift)
            if name in results and len(axes) > len(_OWN):
                raise InputError(f"{name} has {len(axes)} axes, and of results four are read")
        yield views


def _named(axes: list[tuple[int, int]], own: list[tuple[int, int]], letters: Mapping[int, str], shift: int) -> list[tuple[int, int, str]]:
    """Letters for the axes of an array: those of the result where lengths agree, from the last on, and others for the rest."""
    found: list[str] = [""] * len(axes)
    free = [i for i in range(-1, -len(own) - 1, -1)]
    free = free[shift:] + free[:shift] if axes != own else free
    for place in range(len(axes) - 1, -1, -1):
        match = next((i for i in free if own[i][0] == axes[place][0]), None)
        if match is not None:
            found[place] = letters[match]
            free.remove(match)
    others = iter(_SUMMED)
    return [(n, step, letter or next(others)) for (n, step), letter in zip(axes, found)]


def _elements(axes: list[tuple[int, int]]) -> int:
    return math.prod(n for n, _ in axes)


def _is_dense(axes: list[tuple[int, int]]) -> bool:
    reach = 1
    for n, step in sorted(axes, key=lambda axis: axis[1]):
        if step != reach and n != 1:
            return False
        reach *= n
    return True


def _order(axes: list[tuple[int, int]]) -> bool:
    """Whether the axes lie in order, row by row."""
    return all(one[1] >= other[1] for one, other in zip(axes, axes[1:]))


def _merged(axes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first axes that lie as one, made one, until four are left."""
    found = list(axes)
    while len(found) > len(_OWN):
        place = next((i for i in range(len(found) - 1) if found[i][1] == found[i + 1][0] * found[i + 1][1]), None)
        if place is None:
            break
        found[place : place + 2] = [(found[place][0] * found[place + 1][0], found[place + 1][1])]
    return found


def _launch(made: Compiled, arguments: Mapping[str, Any], results: set[str], views: Mapping[str, list[tuple[int, int, str]]]) -> dict[str, Any]:
    listed: list[dict[str, Any]] = []
    buffers: list[dict[str, Any]] = []
    first: dict[int, str] = {}
    lie = [(name, arguments[name]) for name in views]
    for i, (name, one) in enumerate(lie):
        for before, other in lie[:i]:
            if one is not other and one.memory is other.memory and results & {name, before}:
                raise InputError(f"{before} and {name} are parts of one buffer, of which the kernel writes one")
    for name, kind in made.types.items():
        value = arguments.get(name)
        if kind[0] == "*":
            element = kind[1:]
            if name.startswith("ws_ptr") and isinstance(value, Buffer) and element in _BYTES:
                listed.append({"zeros": max(value.elements, 1) * _BYTES[element]})
                continue
            if element not in _FORMATS:
                raise InputError(f"the elements of {name} are {element}; {', '.join(_FORMATS)} are read")
            if id(value) in first:  # one buffer twice
                listed.append({"pointer": first[id(value)]})
                continue
            said = name.replace("_ptr", "")
            array = {"format": _FORMATS[element], "shape": [n for n, _, _ in views[name]], "axes": "".join(letter for _, _, letter in views[name]),
                     "strides": [step for _, step, _ in views[name]]}  # fmt: skip
            first[id(value)] = said
            if name not in results:
                listed.append({"matrix": said, **array})
            elif name.startswith("out_ptr"):
                listed.append({"result": said, **array})
            else:  # what it writes is what it reads
                before = f"{said}_before"
                buffers.append({"matrix": before, **array})
                listed.append({"result": said, **array, "initial": before})
        elif kind in _SCALARS and isinstance(value, (int, float)):
            listed.append({_SCALARS[kind]: value})
        elif kind == "i1" and isinstance(value, int):
            listed.append({"hex": f"{int(value):02x}"})
        else:
            raise InputError(f"the parameter {name} has the type {kind!r}, and the generated code gives {value!r} for it")
    return {"launch": 1, "grid": list(made.grid), "shared": made.shared, "arguments": listed, **({"buffers": buffers} if buffers else {})}
