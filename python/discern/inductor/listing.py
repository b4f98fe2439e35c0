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

_KEPT = "kernels.json"  # what Kernels.write() keeps of the compilation


@dataclass
class Kernel:
    """A kernel of the model."""

    name: str  #: as Inductor names it, or aten.addmm
    is_native: bool  #: a kernel of a library, whose code is not Inductor's
    origin: tuple[str, ...]  #: what the model said: aten.relu …
    calls: int  #: how often this launch is called
    shapes: list[Any]  #: of the buffers that it is called with, the first result of a native one last
    configurations: list[dict[str, Any]] = field(default_factory=list)  #: that Inductor tries; the one that its cache has chosen first
    is_tuned: bool = False  #: whether its cache has chosen one
    ptx: list[str] = field(default_factory=list)  #: of each configuration
    launches: list[dict[str, Any]] = field(default_factory=list)  #: of each configuration, as FILE.launch.json has it
    terms: list[str] = field(default_factory=list)  #: of the first configuration: UNIT@[…], or its terms
    trees: int = 0  #: how many different trees its elements have
    classes: Classes | None = None  #: which configurations give the same bits
    refused: str | None = None  #: why it is not read

    def write(self, folder: str | pathlib.Path, configuration: int = 0, name: str | None = None) -> str:
        """Writes PTX and launch to a folder, as files of a name, and returns ptx:FILE for other questions."""
        if not self.ptx:
            raise InputError(f"{self.name} has no PTX: {self.refused or 'it is a kernel of a library'}")
        file = pathlib.Path(folder) / f"{name or self.name}.ptx"
        file.write_text(self.ptx[configuration])
        file.with_suffix(".launch.json").write_text(json.dumps(self.launches[configuration]) + "\n")
        return f"ptx:{file}"

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
        varied = [name for name in self.configurations[0] if len({str(one.get(name)) for one in self.configurations}) > 1]
        groups = [", ".join(" ".join(f"{name}={self.configurations[i].get(name)}" for name in varied) for i in members) for members in self.classes]
        may = ", of which some may be one" if self.classes.open else ""
        return f"{len(self.configurations)} configurations, {len(self.classes)} classes of bits{may}: {' / '.join(groups)}"

    def __str__(self) -> str:
        start = self.name + (f" ({self.calls} times)" if self.calls > 1 else "")
        if self.is_native:
            return f"{start}: native, of {', '.join(map(str, self.shapes[:-1]))}"
        if self.refused:
            return f"{start}: refused: {self.refused}"
        more = f", and {len(self.terms) - 1} more terms" if len(self.terms) > 1 and self.trees == 1 else f", one of {self.trees} trees" if self.trees > 1 else ""
        return f"{start}: {short(self.terms[-1].strip())}{more}; {self.bits}"


class Kernels(list[Kernel]):
    """All kernels, in the order in which the model calls them."""

    def __init__(self, found: list[Kernel], compiled_by: str, graphs: Mapping[str, str]):
        super().__init__(found)
        self.compiled_by = compiled_by  #: which torch and Triton
        self.graphs = dict(graphs)  #: the generated code, by the name of its file

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {"compiled_by": self.compiled_by, "kernels": [kernel.to_dict() for kernel in self]}

    def write(self, folder: str | pathlib.Path) -> None:
        """Writes the generated code to a folder, with the PTX and the launch of each kernel, so that kernels(FOLDER) reads it without torch."""
        place = pathlib.Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for name, text in self.graphs.items():
            (place / name).write_text(text)
        kept = []
        for number, kernel in enumerate(self):
            files = [kernel.write(place, i, f"kernel-{number}-{i}").removeprefix("ptx:") for i in range(len(kernel.ptx))]
            kept.append({"name": kernel.name, "tuned": kernel.is_tuned, "configurations": kernel.configurations, "ptx": [pathlib.Path(file).name for file in files], "refused": kernel.refused})
        (place / _KEPT).write_text(json.dumps({"compiled_by": self.compiled_by, "kernels": kept}, indent=1) + "\n")

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def listed(path: pathlib.Path, target: str | None) -> Kernels:
    """All kernels of a file, or of all files of a folder."""
    found: list[Kernel] = []
    folder = path if path.is_dir() else path.parent
    kept = _kept(folder) if target is None else None
    graphs = [read(file) for file in files_of(path)]
    compiled_by = kept["compiled_by"] if kept else versions()
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        for graph in graphs:
            calls: dict[Any, list[Call]] = {}
            for call in graph.calls:
                calls.setdefault(call.key, []).append(call)
            for same in calls.values():
                result = same[0].result
                given = (*same[0].arguments, result.parts.get(0, result) if result else None)
                shapes = [list(one.shape or ()) for one in given if isinstance(one, Buffer)]
                kernel = Kernel(same[0].name, same[0].is_native, same[0].origin, len(same), shapes)
                found.append(kernel)
                if not kernel.is_native:
                    try:
                        if kept:
                            _fetch(kernel, folder, kept["kernels"], len(found) - 1)
                        else:
                            _compile(kernel, same[0], graph, folder, target, place)
                        _read(kernel, place)
                    except Error as error:
                        kernel.refused = str(error)
    return Kernels(found, compiled_by, {f"graph-{i}.py": graph.path.read_text() for i, graph in enumerate(graphs)})


def _kept(folder: pathlib.Path) -> Any:
    file = folder / _KEPT
    if not file.exists():
        return None
    try:
        said = json.loads(file.read_text())
        return said if isinstance(said["kernels"], list) and isinstance(said["compiled_by"], str) else None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{file} is not as Kernels.write() has it; without this file the kernels are compiled again") from None


def _fetch(kernel: Kernel, folder: pathlib.Path, kept: list[Any], number: int) -> None:
    """The code that was kept beside the graph."""
    entry = kept[number] if number < len(kept) else {}
    if entry.get("name") != kernel.name:
        raise InputError(f"{folder / _KEPT} has no code of {kernel.name} as kernel {number}; without this file it is compiled again")
    if entry["refused"] and not entry["ptx"]:
        raise InputError(entry["refused"])
    kernel.configurations, kernel.is_tuned = entry["configurations"], entry["tuned"]
    for name in entry["ptx"]:
        try:
            kernel.ptx.append((folder / name).read_text())
            kernel.launches.append(json.loads((folder / name).with_suffix(".launch.json").read_text()))
        except (OSError, ValueError):
            raise InputError(f"{folder / name} or its launch is missing") from None


def _compile(kernel: Kernel, call: Call, graph: Graph, folder: pathlib.Path, target: str | None, place: pathlib.Path) -> None:
    """The code of each configuration, and its launch, whose axes are named so that the kernel has the fewest trees."""
    if call.name not in graph.sources:
        raise InputError(f"it is a kernel in another language, {graph.others[call.name]}, which is not read")
    tuner = Tuner(call.name, graph.sources[call.name], target, place)
    configs = list(tuner.configs)
    for file in folder.rglob(f"{graph.hashes.get(call.name, '?')}*.best_config"):
        best = tuner.tuned(file)
        configs, kernel.is_tuned = [best, *(one for one in configs if one is not best)], True
    own = {option for config in configs for option in config.kwargs}
    names = [one for one in tuner.made.fn.arg_names if one not in own]
    arguments = dict(zip(names, call.arguments))
    numbers = {name: value for name, value in arguments.items() if isinstance(value, int)}
    made = [tuner.compiled(config, numbers) for config in configs]
    mutated = list(getattr(tuner.made, "mutated_arg_names", ()))
    candidates = [list(launches_of(one, arguments, mutated)) for one in made]
    kernel.configurations, kernel.ptx = [one.options for one in made], [one.ptx for one in made]

    def trees(choice: int) -> int:
        kernel.launches = [candidates[0][choice]]
        return listing_of(kernel.write(place))[1]

    try:
        choice = min(range(len(candidates[0])), key=trees) if len(candidates[0]) > 1 else 0
    except Error:  # which is said when it is read
        choice = 0
    kernel.launches = [one[choice] for one in candidates]


def _read(kernel: Kernel, place: pathlib.Path) -> None:
    """What it computes; and which configurations give the same bits, of those that are read: the first one is."""
    def written(configuration: int) -> tuple[str, Any]:
        file = kernel.write(place, configuration, f"{kernel.name}-configuration-{configuration}")
        return file, (kernel.ptx[configuration], json.dumps(kernel.launches[configuration]))

    kernel.terms, kernel.trees = listing_of(written(0)[0])
    kernel.classes = classes_of(map(written, range(len(kernel.ptx))))
