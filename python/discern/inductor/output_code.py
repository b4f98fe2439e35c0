"""The Python that torch.compile's Inductor writes of a graph: its kernels' sources, and what calls which with which buffers.

The function `call` of such a file is straight-line code between allocations, kernels of Triton and those of libraries. It is
run here with names that stand for buffers and only record, so that neither torch nor a GPU is needed.
"""

from __future__ import annotations

import ast
import math
import pathlib
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError

__all__ = ["Buffer", "Call", "Graph", "files_of", "read"]

_INPUTS = "rand_strided"  # by which get_args() makes an argument of each
_MARKS = ("async_compile", "def call(")
# What the names of the generated code's helpers do; the others are kernels of libraries.
_IGNORED = re.compile(r"(assert_|get_raw_stream|start_graph|end_graph|run_intermediate_hooks|print|torch\.cuda\.|torch\.ops\.inductor\.|record_|maybe_profile)")
_ALIASES = {"bias_addmm": "addmm"}  # Inductor's own name of it


@dataclass(eq=False)
class Buffer:
    """A tensor that the code names: the shape and the strides of what it allocated, or was given."""

    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    parts: dict[int, Buffer] = field(default_factory=dict)  #: of a call that returns several
    whole: Buffer | None = None  #: that it is a view of

    @property
    def memory(self) -> Buffer:
        """The buffer in whose memory it lies."""
        return self.whole.memory if self.whole else self

    def __getitem__(self, index: int) -> Buffer:
        return self.parts.setdefault(index, Buffer())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: self

    @property
    def elements(self) -> int:
        """How many there are from the first to the last."""
        return 1 + sum((n - 1) * step for n, step in zip(self.shape or (), self.strides or ())) if all(self.shape or ()) else 0


@dataclass(frozen=True)
class Call:
    """A kernel that the graph calls."""

    name: str  #: of the kernel of Triton, or aten.mm …
    is_native: bool
    arguments: tuple[Any, ...]  #: buffers and numbers
    origin: tuple[str, ...] = ()  #: what the model said, as aten.relu
    result: Buffer | None = None  #: of a native one

    @property
    def key(self) -> tuple[Any, ...]:
        """What two calls of one launch have in common."""
        given = (*self.arguments, self.result)
        memory = [one.memory if isinstance(one, Buffer) else None for one in given]
        return self.name, tuple((one.shape, one.strides, memory.index(one.memory)) if isinstance(one, Buffer) else repr(one) for one in given)


@dataclass(frozen=True)
class Graph:
    """What one file has."""

    path: pathlib.Path
    sources: dict[str, str]  #: of kernels of Triton, by name
    hashes: dict[str, str]  #: the names of the files in which Inductor keeps them
    others: dict[str, str]  #: kernels in other languages: by name, what they are
    calls: list[Call]


def files_of(path: pathlib.Path) -> list[pathlib.Path]:
    """The files of generated code in a folder (TORCHINDUCTOR_CACHE_DIR, TORCH_COMPILE_DEBUG's), or the file itself."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path} is neither a file nor a folder of Inductor's generated code")
    texts: dict[str, pathlib.Path] = {}
    for file in sorted(path.rglob("*.py")):
        text = file.read_text(errors="replace")
        if all(mark in text for mark in _MARKS):
            texts.setdefault(text, file)
    if not texts:
        raise InputError(f"{path} has no file that Inductor has generated: TORCH_COMPILE_DEBUG=1 or TORCHINDUCTOR_CACHE_DIR=FOLDER makes torch.compile keep them")
    return list(texts.values())


def read(path: pathlib.Path) -> Graph:
    """One file of generated code."""
    text = path.read_text()
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise InputError(f"{path}:{error.lineno}: this is no Python that Inductor writes: {error.msg}") from None
    sources, others = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
            made, name = ast.unparse(node.value.func), node.targets[0].id
            texts = [one.value for one in node.value.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if made == "async_compile.triton" and len(texts) > 1:
                sources[name] = texts[1]
            elif made.startswith("async_compile."):
                others[name] = made.removeprefix("async_compile.")
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    if "call" not in functions:
        raise InputError(f"{path} has no function `call`, as files have that Inductor generates of a graph")
    hashes = dict(re.findall(r"# kernel path: (?:\S*/)?(\w+)(?:\.py)?\n(?:#.*\n)*(\w+) = async_compile", text))
    recorder = _Recorder(text.splitlines(), {*sources, *others})
    try:
        recorder.run(functions, _inputs(tree, functions))
    except Exception as error:  # of many kinds: the file says anything that Python can
        raise InputError(f"{path}: its `call` is not the straight-line code that is read: {type(error).__name__}: {error}") from error
    return Graph(path, sources, {name: file for file, name in hashes.items()}, others, recorder.calls)


def _inputs(tree: ast.AST, functions: dict[str, ast.FunctionDef]) -> list[Any]:
    """The arguments of `call`: their shapes and strides are in the benchmark of the file, and in what is asserted of them."""
    made: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if isinstance(value, ast.Call) and ast.unparse(value.func).endswith(_INPUTS):
                made[name] = Buffer(*(tuple(ast.literal_eval(one)) for one in value.args[:2]))
            elif isinstance(value, ast.Constant) and isinstance(value.value, int) and re.fullmatch(r"(arg|s|u)\d+(_\d+)?", name):
                made[name] = value.value
    unpacked = next((node for node in ast.walk(functions["call"]) if isinstance(node, ast.Assign) and ast.unparse(node.value) == "args"), None)
    target = unpacked.targets[0] if unpacked else None
    names = [one.id for one in target.elts if isinstance(one, ast.Name)] if isinstance(target, (ast.Tuple, ast.List)) else [target.id] if isinstance(target, ast.Name) else []
    return [made.get(name, Buffer()) for name in names]


class _Name:
    """A name of the generated code that only records how it is used."""

    def __init__(self, path: str, recorder: _Recorder):
        self._path, self._recorder = path, recorder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(f"{self._path}.{name}", self._recorder)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._recorder.called(self._path, given, named)

    def __enter__(self) -> _Name:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Recorder:
    def __init__(self, lines: Sequence[str], kernels: Iterable[str]):
        self.lines, self.kernels = lines, set(kernels)
        self.calls: list[Call] = []

    def run(self, functions: dict[str, ast.FunctionDef], inputs: list[Any]) -> None:
        body = [node for name, node in functions.items() if name == "call" or name.startswith("partition_")]
        scope: dict[str, Any] = {"inf": math.inf, "nan": math.nan, "math": math}
        for node in body:
            for one in ast.walk(node):
                if isinstance(one, ast.Name):
                    scope.setdefault(one.id, _Name(one.id, self))
        scope |= {name: getattr(__builtins__, name, None) or __builtins__[name] for name in ("len", "max", "min", "range", "list", "tuple", "int")}  # type: ignore[index]
        exec(compile(ast.Module(body=body, type_ignores=[]), "call", "exec"), scope)
        partitions = [scope[name] for name in functions if name.startswith("partition_")]
        runner = [type("Runner", (), {"partitions": partitions})()] if functions["call"].args.args[0].arg == "self" else []
        scope["call"](*runner, inputs)

    def called(self, path: str, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        last = path.rpartition(".")[2]
        if last.startswith("empty_strided") or last == "rand_strided":
            return Buffer(tuple(given[0]), tuple(given[1]))
        if last in ("reinterpret_tensor", "as_strided"):
            return Buffer(tuple(given[1]), tuple(given[2]), whole=given[0] if isinstance(given[0], Buffer) else None)
        if last == "alloc_from_pool":
            return Buffer(tuple(given[3]), tuple(given[4]))
        if last in ("copy_if_misaligned", "device_put"):
            return given[0]
        if last in ("assert_size_stride", "assert_tensor_metadata"):
            self.asserted(*given[:3])
        if last == "assert_size_stride_grouped":
            for each in zip(*given[:3]):
                self.asserted(*each)
        kernel = path.removesuffix(".run")
        if kernel in self.kernels:
            self.calls.append(Call(kernel, False, given, self.origin()))
            return None
        buffers = [one for one in (*given, *named.values()) if isinstance(one, Buffer)]
        buffers += [one for each in given if isinstance(each, (list, tuple)) for one in each if isinstance(one, Buffer)]
        if _IGNORED.match(path) or not buffers:
            return _Name(path + "()", self)
        result = named.get("out", None) or Buffer()
        operation = path.removeprefix("extern_kernels.").removeprefix("torch.ops.").removeprefix("aten.").split(".")[0]
        self.calls.append(Call("aten." + _ALIASES.get(operation, operation), True, tuple(one for one in buffers if one is not result), self.origin(), result))
        return result

    @staticmethod
    def asserted(buffer: Any, shape: Any, strides: Any) -> None:
        if isinstance(buffer, Buffer) and buffer.shape is None:
            buffer.shape, buffer.strides = tuple(shape), tuple(strides)

    def origin(self) -> tuple[str, ...]:
        """What the comment above the line says of where the call comes from."""
        frame: Any = sys._getframe(1)
        while frame and frame.f_code.co_filename != "call":
            frame = frame.f_back
        for line in reversed(self.lines[max(frame.f_lineno - 4, 0) : frame.f_lineno - 1] if frame else []):
            if said := re.search(r"Original ATen: \[([^\]]*)\]", line):
                return tuple(one.strip() for one in said[1].split(","))
        return ()
