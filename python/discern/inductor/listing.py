"""The kernels of generated code, each read: what it computes, or why it is not read, and which configurations give the same bits."""

from __future__ import annotations

import json
import pathlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import Error, InputError
from ..kernel_classes import Classes, classes_of, listing_of, short
from .compiling import Tuner, versions
from .launches import launches_of
from .output_code import Buffer, Call, Graph, files_of, read

__all__ = ["Kernel", "Kernels", "listed"]


@dataclass
class Kernel:
    """A kernel of the model."""

    name: str  #: as Inductor names it, or aten.addmm
    is_native: bool  #: a kernel of a library, whose code is not Inductor's
    origin: tuple[str, ...]  #: what the model said: aten.relu …
    calls: int  #: how often this launch is called
    shapes: list[Any]  #: of the buffers that it is called with, the result of a native one last
    configurations: list[dict[str, Any]] = field(default_factory=list)  #: that Inductor tries; the one that its cache has chosen first
    is_tuned: bool = False  #: whether its cache has chosen one
    ptx: list[str] = field(default_factory=list)  #: of each configuration
    launches: list[dict[str, Any]] = field(default_factory=list)  #: of each configuration, as FILE.launch.json has it
    terms: list[str] = field(default_factory=list)  #: of the first configuration: UNIT@[…], or its terms
    trees: int = 0  #: how many different trees its elements have
    classes: Classes | None = None  #: which configurations give the same bits
    refused: str | None = None  #: why it is not read

    def write(self, folder: str | pathlib.Path, configuration: int = 0) -> str:
        """Writes PTX and launch to a folder, and returns ptx:FILE for other questions."""
        if not self.ptx:
            raise InputError(f"{self.name} has no PTX: {self.refused or 'it is a kernel of a library'}")
        file = pathlib.Path(folder) / self.name
        file.with_suffix(".ptx").write_text(self.ptx[configuration])
        file.with_suffix(".launch.json").write_text(json.dumps(self.launches[configuration]) + "\n")
        return f"ptx:{file}.ptx"

    def to_dict(self) -> dict[str, Any]:
        """All of it but the code, for JSON."""
        return {"name": self.name, "native": self.is_native, "origin": list(self.origin), "calls": self.calls, "shapes": self.shapes, "configurations": self.configurations,
                "tuned": self.is_tuned, "launches": self.launches, "terms": self.terms, "trees": self.trees, "classes": self.classes and self.classes.to_dict(), "refused": self.refused}  # fmt: skip

    @property
    def bits(self) -> str:
        """What is said of its configurations, in words."""
        if self.classes is None:
            return ""
        if len(self.configurations) == 1:
            return "one configuration"
        if len(self.classes) == 1:
            return f"{len(self.configurations)} configurations, the same bits"
        return f"{len(self.configurations)} configurations, {len(self.classes)} classes of bits{', of which some may be one' if self.classes.open else ''}"

    def __str__(self) -> str:
        times = f" ({self.calls} times)" if self.calls > 1 else ""
        if self.is_native:
            return f"{self.name}{times}: native, of {', '.join(map(str, self.shapes[:-1]))}"
        if self.refused:
            return f"{self.name}{times}: refused: {self.refused}"
        more = f" … and {len(self.terms) - 1} more terms" if len(self.terms) > 1 else ""
        return f"{self.name}{times}: {short(self.terms[-1].strip())}{more}; {self.bits}"


class Kernels(list[Kernel]):
    """All kernels, in the order in which the model calls them."""

    def __init__(self, found: list[Kernel], compiled_by: str):
        super().__init__(found)
        self.compiled_by = compiled_by  #: which torch and Triton

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {"compiled_by": self.compiled_by, "kernels": [kernel.to_dict() for kernel in self]}

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def listed(path: pathlib.Path, target: str | None) -> Kernels:
    """All kernels of a file, or of all files of a folder."""
    found: list[Kernel] = []
    by: set[str] = set()
    for file in files_of(path):
        graph = read(file)
        calls: dict[Any, list[Call]] = {}
        for call in graph.calls:
            calls.setdefault(call.key, []).append(call)
        for same in calls.values():
            shapes = [list(one.shape or ()) for one in (*same[0].arguments, same[0].result) if isinstance(one, Buffer)]
            kernel = Kernel(same[0].name, same[0].is_native, same[0].origin, len(same), shapes)
            if not kernel.is_native:
                try:
                    by.add(_read_into(kernel, same[0], graph, path if path.is_dir() else path.parent, target))
                except Error as error:
                    kernel.refused = str(error)
            found.append(kernel)
    if by == {""} or not by:  # all were refused before anything was compiled, which torch or Triton may be the reason of
        versions()
    return Kernels(found, ", ".join(sorted(by - {""})))


def _read_into(kernel: Kernel, call: Call, graph: Graph, folder: pathlib.Path, target: str | None) -> str:
    if call.name not in graph.sources:
        raise InputError(f"{call.name} is a kernel in another language, {graph.others[call.name]}, which is not read")
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        tuner = Tuner(call.name, graph.sources[call.name], target, place)
        configs = list(tuner.configs)
        for file in folder.rglob(f"{graph.hashes.get(call.name, '?')}*.best_config"):
            best = tuner.tuned(file)
            configs, kernel.is_tuned = [best, *(one for one in configs if one is not best)], True
        own = {option for config in configs for option in config.kwargs}
        names = [one for one in tuner.made.fn.arg_names if one not in own]
        arguments = dict(zip(names, call.arguments))
        numbers = {name: value for name, value in arguments.items() if isinstance(value, int)}
        made = [tuner.compiled(config, numbers, call.grid) for config in configs]
        kernel.configurations = [one.options for one in made]
        kernel.ptx = [one.ptx for one in made]
        mutated = list(getattr(tuner.made, "mutated_arg_names", ()))
        candidates = [list(launches_of(one, arguments, mutated)) for one in made]
        kernel.launches = [one[0] for one in candidates]
        chosen, kernel.terms, kernel.trees = min((_listed(kernel, place, i, launch) for i, launch in enumerate(candidates[0])), key=lambda one: one[2])
        kernel.launches = [one[chosen] for one in candidates]
        try:
            kernel.classes = classes_of(_written(kernel, place, i) for i in range(len(made)))
        except Error:  # of another configuration
            kernel.classes = classes_of(_written(kernel, place, i) for i in range(1))
    return versions()


def _written(kernel: Kernel, place: pathlib.Path, configuration: int) -> tuple[str, Any]:
    folder = place / f"configuration-{configuration}"
    folder.mkdir(exist_ok=True)
    return kernel.write(folder, configuration), (kernel.ptx[configuration], json.dumps(kernel.launches[configuration]))


def _listed(kernel: Kernel, place: pathlib.Path, choice: int, launch: Mapping[str, Any]) -> tuple[int, list[str], int]:
    kernel.launches[0] = dict(launch)
    lines, trees = listing_of(_written(kernel, place, 0)[0])
    return choice, lines, trees
