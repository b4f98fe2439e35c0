"""Triton: which configurations of a kernel give the same bits, without a GPU.

    import discern.triton
    arrays = {"a_ptr": ("A", "mk", (64, 128)), "b_ptr": ("B", "kn", (128, 32)), "c_ptr": ("D", "mn", (64, 32))}
    discern.triton.classes(matmul, [{"BM": 64, "BN": 32, "BK": 32}, {"BM": 64, "BN": 32, "BK": 64}],
                           signature={"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32"},
                           arrays=arrays, scalars={"M": 64, "N": 32, "K": 128}, target="sm_90")

Each configuration is compiled by Triton for the target, and its PTX, or for AMD's targets its LLVM IR, is read (docs/kernel-files.md). What Triton specialises
away, scalars that are 1 or divisible by 16, is specialised here as its own launcher does it.
"""

from __future__ import annotations

import inspect
import json
import pathlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import ArrayError, InputError
from .kernel_classes import Classes, SameBits, asked, classes_of

try:
    import triton as _triton
    from triton.backends.compiler import GPUTarget as _GPUTarget
    from triton.compiler import ASTSource as _ASTSource
except ImportError as error:  # pragma: no cover
    raise ImportError("discern.triton needs triton (3.4 and 3.9 were tried); 'pip install triton' installs it") from error
if "constexprs" not in inspect.signature(_ASTSource.__init__).parameters:
    raise ImportError(f"discern.triton needs a newer triton than {_triton.__version__} (3.4 and 3.9 were tried); 'pip install -U triton' installs it")

__all__ = ["Classes", "SameBits", "classes", "compiled", "launch_of", "same_bits"]

# Formats of elements by Triton's names.
_FORMATS = {
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "fp8e4nv": "e4m3", "fp8e5": "e5m2",
    "fp8e4b8": "e4m3fnuz", "fp8e5b16": "e5m2fnuz", "i8": "s8", "u8": "u8", "i32": "s32",
}  # fmt: skip
_SCALARS = {"i32": "i32", "u32": "i32", "i64": "i64", "u64": "i64", "fp32": "f32", "fp64": "f64"}
_BYTES = {"i1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2}  # of scalars that the launch has as bytes
_SWIZZLES = (0, 32, 64, 128)
# AMD's targets, and lanes of a wave.
_WAVES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1101": 32, "gfx1102": 32, "gfx1200": 32, "gfx1201": 32}

Arrays = Mapping[str, Sequence[Any]]
ArraysOf = Arrays | Callable[[Mapping[str, Any]], Arrays]  # of a configuration
Grid = Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]]


@dataclass(frozen=True)
class _Compiled:
    """A kernel of one configuration: its PTX, or LLVM IR and assembly, and how it is launched."""

    ptx: str
    launch: dict[str, Any]
    llir: str = ""
    amdgcn: str = ""

    def write(self, folder: pathlib.Path, name: str) -> str:
        (folder / f"{name}.launch.json").write_text(json.dumps(self.launch))
        for kind in ("ptx", "llir", "amdgcn"):
            if getattr(self, kind):
                (folder / f"{name}.{kind}").write_text(getattr(self, kind))
        return f"llir:{folder / name}.llir" if self.llir else f"ptx:{folder / name}.ptx"


def same_bits(
    fn: Any, config_a: Mapping[str, Any], config_b: Mapping[str, Any], *, signature: Mapping[str, str], arrays: ArraysOf,
    scalars: Mapping[str, Any] = {}, constexprs: Mapping[str, Any] = {}, grid: Grid = (1, 1, 1), target: str = "sm_90",
) -> SameBits:  # fmt: skip
    """Whether two configurations of a kernel give the same bits for all inputs. The parameters are those of classes()."""
    common = dict(signature=signature, arrays=arrays, scalars=scalars, constexprs=constexprs, grid=grid, target=target)
    with tempfile.TemporaryDirectory() as place:
        files = [compiled(fn, config, **common).write(pathlib.Path(place), name) for config, name in ((config_a, "a"), (config_b, "b"))]  # type: ignore[arg-type]
        return asked(*files)


def classes(
    fn: Any, configs: Sequence[Mapping[str, Any]], *, signature: Mapping[str, str], arrays: ArraysOf,
    scalars: Mapping[str, Any] = {}, constexprs: Mapping[str, Any] = {}, grid: Grid = (1, 1, 1), target: str = "sm_90",
) -> Classes:  # fmt: skip
    """Which configurations of a kernel give equal bits for all inputs: lists of indices into `configs`.

    fn: a @triton.jit function. configs: dicts of constexprs, and of options of the compiler such as num_warps.
    signature: of each parameter that is no constexpr its type, as "*fp16", "i32", "tensordesc<fp16[64, 64]>".
    arrays: of each pointer (name, a letter an axis, shape): m and n are the place in the result, k is what is summed. What
    is called D is the result, or, where nothing is, the last one. scalars: values of the others, or functions of the
    configuration. constexprs: those that all configurations have. grid: blocks, or a function of the configuration; arrays
    may be one too. target: "sm_80" … "sm_120", "gfx942", "gfx950", "gfx1100", "gfx1201"; a configuration may have one of its
    own under "target", and values of scalars, as {"scalars": {"M": 16}}, which these functions find beside its constexprs.

    Raises InputError if a kernel is not read, with the line and the instruction; ArrayError for what is said wrongly.
    """
    with tempfile.TemporaryDirectory() as place:

        def written(number: int, config: Mapping[str, Any]) -> tuple[str, Any]:
            made = compiled(fn, config, signature=signature, arrays=arrays, scalars=scalars, constexprs=constexprs, grid=grid, target=target)
            # A compiler often makes one text of several configurations.
            return made.write(pathlib.Path(place), f"configuration-{number}"), (made.ptx + made.llir + made.amdgcn, json.dumps(made.launch))

        return classes_of(written(number, config) for number, config in enumerate(configs))


def launch_of(
    kernel: Any, *, arrays: Arrays, scalars: Mapping[str, Any] = {}, grid: Sequence[int] = (1, 1, 1), signature: Mapping[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The launch description of what triton.compile() gave, for FILE.launch.json.

    arrays, scalars: as of classes(); what Triton made a constant is not needed. signature: if the object has none.
    """
    source = getattr(kernel, "src", None)
    types = dict(signature or getattr(source, "signature", None) or {})
    if not types:
        raise ArrayError("the compiled kernel does not say its signature; signature={'a_ptr': '*fp16', …} does")
    constants = {name for name, kind in types.items() if kind == "constexpr"}
    if source is not None and hasattr(source, "constants"):
        names = list(types)
        constants |= {names[key[0]] if isinstance(key, tuple) else key for key in source.constants}
    return _launch(kernel, {name: kind for name, kind in types.items() if name not in constants}, arrays, scalars, grid)


def compiled(
    fn: Any, config: Mapping[str, Any], *, signature: Mapping[str, str], arrays: ArraysOf, scalars: Mapping[str, Any] = {},
    constexprs: Mapping[str, Any] = {}, grid: Grid = (1, 1, 1), target: str = "sm_90",
) -> _Compiled:  # fmt: skip
    """One configuration, compiled: `ptx` (of AMD's targets `llir` and `amdgcn`) and `launch`, and `write(folder, name)`. The parameters are those of classes()."""
    names = list(fn.arg_names)
    own = {} if "scalars" in names else config.get("scalars", {})
    options = {key: value for key, value in config.items() if key not in (*names, "target", "scalars")}
    constants = {**constexprs, **{key: value for key, value in config.items() if key in names}}
    known = {**constexprs, **own, **config}
    values = {name: value(known) if callable(value) else value for name, value in {**scalars, **own}.items()}
    arrays = arrays(known) if callable(arrays) else arrays
    for name in names:
        if name not in constants and name not in signature:
            raise ArrayError(f"the parameter {name} has no type in signature, and no value among constexprs or in the configuration")
    types = {name: signature[name] for name in names if name not in constants}
    for name, kind in list(types.items()):
        if kind in (_SCALARS | _BYTES) and name not in values:
            raise ArrayError(f"the scalar {name} has no value in scalars")
        if kind in ("i32", "i64") and values[name] == 1:
            constants[name] = 1
            del types[name]
    # What Triton's launcher sees of the arguments: pointers are aligned, and sizes often divisible.
    divisible = [name for name, kind in types.items() if kind[0] == "*" or (kind in ("i32", "i64") and values[name] % 16 == 0)]
    where = _target(str(config.get("target", target)))
    # Its launcher for AMD says of arrays under 2 GiB, as all that are read are, that 32 bits reach every element.
    near = [["tt.pointer_range", 32]] if where.backend == "hip" else []
    source = _ASTSource(
        fn=fn, signature={name: types.get(name, "constexpr") for name in names}, constexprs=constants,
        attrs={(names.index(name),): [["tt.divisibility", 16], *(near if types[name][0] == "*" else [])] for name in divisible},
    )  # fmt: skip
    for name, kind in types.items():
        if kind[0] == "*":
            _array(name, kind[1:], arrays, _result(arrays))
    try:
        made = _triton.compile(source, target=where, options=options)
    except Exception as error:  # of many kinds, by what went wrong
        last = next((line for line in reversed(str(error).splitlines()) if line.strip(" ^")), type(error).__name__)
        raise InputError(f"Triton does not compile the configuration {dict(config)}: {last.strip()}") from error
    blocks = grid(known) if callable(grid) else grid
    try:
        texts = {kind: made.asm.get(kind, "") for kind in ("ptx", "llir", "amdgcn") if kind == "ptx" or where.backend == "hip"}
        return _Compiled(launch=_launch(made, types, arrays, values, blocks), **texts)
    except (AttributeError, KeyError) as error:
        raise InputError(f"Triton {_triton.__version__} says otherwise what it has compiled ({error}); 3.4 and 3.9 were tried") from error


def _target(name: str) -> Any:
    if name.startswith("sm_") and name[3:].isdigit():
        return _GPUTarget("cuda", int(name[3:]), 32)
    if name in _WAVES:
        return _GPUTarget("hip", name, _WAVES[name])
    raise ArrayError(f"target {name!r}: kernels for sm_80 to sm_120 are read, and for {', '.join(_WAVES)}")


def _launch(made: Any, types: Mapping[str, str], arrays: Arrays, values: Mapping[str, Any], grid: Sequence[int]) -> dict[str, Any]:
    result = _result(arrays)
    descriptors = iter(getattr(made.metadata, "tensordesc_meta", None) or [])
    arguments: list[dict[str, Any]] = []
    buffers: list[dict[str, Any]] = []
    for name, kind in types.items():
        if kind.startswith("tensordesc<"):
            array = _array(name, kind[len("tensordesc<") :].split("[")[0], arrays, result)
            buffers.append(array)
            box = next(descriptors, None)
            if box is None:
                raise ArrayError(f"the compiled kernel does not say the box of the tensor descriptor {name}")
            arguments.append({"tensor_map": array.get("matrix", array.get("result")), "box": list(box["block_size"]), "swizzle": _SWIZZLES[box["swizzle"]]})
            shape = array["shape"]
            strides = [_product(shape[i + 1 :]) for i in range(len(shape))]
            arguments += [{"i32": n} for n in shape] + [{"i64": n} for n in strides]
        elif kind.startswith("*"):
            arguments.append(_array(name, kind[1:], arrays, result))
        elif kind in _SCALARS:
            if name not in values:
                raise ArrayError(f"the scalar {name} has no value in scalars")
            arguments.append({_SCALARS[kind]: values[name]})
        elif kind in _BYTES and name in values:
            size = _BYTES[kind]
            arguments.append({"hex": (int(values[name]) % (1 << 8 * size)).to_bytes(size, "little").hex()})
        else:
            raise ArrayError(f"the parameter {name} has the type {kind!r}, which is no pointer, number or tensor descriptor")
    blocks = [*grid, 1, 1][:3]
    blocks[0] *= int(getattr(made.metadata, "num_ctas", 1))  # of a cluster, which the kernel says
    launch = {"launch": 1, "grid": blocks, "shared": int(made.metadata.shared), "arguments": arguments}
    if "ptx" not in made.asm:
        said = re.search(r'"amdgpu-flat-work-group-size"="1,(\d+)"', made.asm.get("llir", ""))
        launch["block"] = [int(said[1]) if said else int(made.metadata.num_warps) * int(made.metadata.warp_size)]
    return launch | ({"buffers": buffers} if buffers else {})


def _result(arrays: Arrays) -> str:
    if not arrays:
        raise ArrayError("arrays says of each pointer what it points to, as {'a_ptr': ('A', 'mk', (64, 128))}")
    return next((name for name, array in arrays.items() if array[0] == "D"), list(arrays)[-1])


def _array(name: str, element: str, arrays: Arrays, result: str) -> dict[str, Any]:
    if name not in arrays:
        raise ArrayError(f"the pointer {name} is no array: arrays={{'{name}': ('A', 'mk', (64, 128))}} says what it points to")
    if element not in _FORMATS:
        raise ArrayError(f"the elements of {name} are {element}; {', '.join(_FORMATS)} are read")
    try:
        said, axes, shape = arrays[name][:3]
        shape = [int(n) for n in shape]
    except (KeyError, TypeError, ValueError):
        raise ArrayError(f"arrays[{name!r}] must be a name, a letter for each axis, and a shape, as ('A', 'mk', (64, 128))") from None
    if len(axes) != len(shape):
        raise ArrayError(f"arrays[{name!r}] has {len(axes)} axes, {axes!r}, and a shape of {len(shape)}")
    return {"result" if name == result else "matrix": said, "format": _FORMATS[element], "shape": shape, "axes": axes}


def _product(numbers: Sequence[int]) -> int:
    found = 1
    for n in numbers:
        found *= n
    return found
