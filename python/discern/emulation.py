"""Models run as another machine would run them: every product of matrices by a unit, or as a GPU's library has it."""

from __future__ import annotations

import contextlib
import functools
import weakref
from typing import Any, Callable, Iterator

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from .arrays import to_words
from .errors import ArrayError, InputError
from .formats import DTYPES, NAMES
from .packed import Packed
from .profiles import machine_of
from .torch_products import scaled_mm
from .units import Unit


class _ByUnit:
    """Every product by one unit, whatever the element type of its operands."""

    def __init__(self, unit: Unit, threads: int, progress: Any = None) -> None:
        self.unit, self.threads, self.progress = unit, threads, progress
        self.weights = _Weights()

    def product(self, A: Any, B: Any) -> Any:
        return self.finish(self.sums(A, B), A)

    def unit_for(self, A: Any, B: Any) -> Unit:
        return self.unit

    def sums(self, A: Any, B: Any, weight: Any = None) -> Any:
        """weight: whose transpose B is, if more products with it are to come."""
        unit = self.unit_for(A, B)
        few = A.dim() > 0 and A.numel() <= 64 * A.shape[-1]  # rows: more do not gain by it
        kept = self.weights.of(weight, unit) if weight is not None and few else None
        return _product(unit, A, B, kept, self.threads, self.progress)

    def finish(self, sums: Any, A: Any) -> Any:
        return sums.to(A.dtype).to(A.device)

    def linear(self, input: Any, weight: Any, bias: Any = None) -> Any:
        y = self.finish(self.sums(input, weight.t(), weight), input)
        return y if bias is None else y + bias

    def addmm(self, input: Any, A: Any, B: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        return beta * input + alpha * self.product(A, B)

    scaled_mm = None


class _ByProfile(_ByUnit):
    """Every product by the instruction that a GPU has for its element type, and the library's kernel."""

    def __init__(self, profile: Any, split: Any, threads: int, progress: Any = None) -> None:
        self.machine, self.split, self.threads, self.progress = machine_of(profile), split, threads, progress
        self.units: dict[str, Unit] = {}
        self.weights = _Weights()

    def unit_for(self, A: Any, B: Any) -> Unit:
        if A.dtype != B.dtype:
            raise InputError(f"a product of {A.dtype} and {B.dtype}: both operands must have the same element type")
        format = NAMES.get(str(A.dtype)[6:], "")
        if format not in self.units:
            self.units[format] = Unit(self.machine.unit_of(format, self.split))
        return self.units[format]

    # What is added is added in f32, before the one rounding to the element type.
    def linear(self, input: Any, weight: Any, bias: Any = None) -> Any:
        sums = self.sums(input, weight.t(), weight)
        return self.finish(sums if bias is None else sums + bias.detach().cpu().to(sums.dtype), input)

    def addmm(self, input: Any, A: Any, B: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        sums = self.sums(A, B)
        return self.finish(alpha * sums if beta == 0 else alpha * sums + beta * input.detach().cpu().to(sums.dtype), A)

    def scaled_mm(self, input: Any, mat2: Any, *args: Any, **how: Any) -> Any:
        if self.machine.fp8 is not None:
            return scaled_mm(input, mat2, *args, **how, profile=self.machine.fp8, split=self.split, threads=self.threads, progress=self.progress)
        self.machine.say_fp8()
        return scaled_mm_without_fp8(self, input, mat2, *args, **how)


def scaled_mm_without_fp8(
    by: _ByProfile, input: Any, mat2: Any, scale_a: Any, scale_b: Any, bias: Any = None, scale_result: Any = None, out_dtype: Any = None,
    use_fast_accum: bool = False,
) -> Any:  # fmt: skip
    """The same on a GPU without fp8: operands as f16, which has all their numbers, and then what follows the sum."""
    x, columns = input.to(torch.float16), 1024  # at a time, whose copies are small beside the weight
    parts = [by.sums(x, part.to(torch.float16)) for part in mat2.split(columns, dim=1)]
    y = torch.cat(parts, dim=1) * (scale_a * scale_b)
    if bias is not None:
        y = y + bias.to(y.dtype)
    return y.to(input.dtype if out_dtype is None else out_dtype)


class _Weights:
    """Weights that stay packed: from their second product on, so that a model that runs once needs no memory for it."""

    def __init__(self) -> None:
        self.seen: dict[tuple[int, str], tuple[Any, int, Any]] = {}

    def of(self, weight: Any, unit: Unit) -> Packed | None:
        """The transpose of the weight, packed for the unit. None: not yet."""
        key = (id(weight), unit.shape.b)
        alive, version, kept = self.seen.get(key, (None, -1, None))
        if alive is None or alive() is not weight or version != weight._version:
            self.seen[key] = (weakref.ref(weight), weight._version, None)
            return None
        if kept is None:
            b = weight.detach().cpu().to(_dtype_of(unit.shape.b)).t()
            kept = Packed(*_words(b, unit.shape.b))
            self.seen[key] = (alive, version, kept)
        return kept


def _words(b: Any, format: str) -> tuple[np.ndarray, str, Any]:
    words, kind = to_words(b, format, "weight", either_order=True)
    return words, format, kind


def _product(unit: Unit, A: Any, B: Any, kept: Packed | None, threads: int, progress: Any) -> Any:
    """A·B, batches of matrices too, as torch.matmul defines them, in the unit's format of results. kept: B once more."""
    a, b = _dtype_of(unit.shape.a), _dtype_of(unit.shape.b)
    x = A.detach().cpu().to(a)
    if kept is not None and x.dim() > 0:
        lines = x.reshape(-1, x.shape[-1])
        return unit.gemm(lines, kept, threads=threads, progress=progress).reshape(*x.shape[:-1], kept.shape[1])
    y = B.detach().cpu().to(b)
    one_row, one_column = x.dim() == 1, y.dim() == 1
    x = x[None, :] if one_row else x
    y = y[:, None] if one_column else y
    if y.dim() == 2:  # one B for all rows
        d = unit.gemm(x.reshape(-1, x.shape[-1]), y, threads=threads, progress=progress).reshape(*x.shape[:-1], y.shape[-1])
    else:
        lead = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        x = x.expand(*lead, *x.shape[-2:]).reshape(-1, *x.shape[-2:])
        y = y.expand(*lead, *y.shape[-2:]).reshape(-1, *y.shape[-2:])
        each = [unit.gemm(p, q, threads=threads, progress=progress) for p, q in zip(x, y)]
        d = torch.stack(each).reshape(*lead, x.shape[-2], y.shape[-1])
    d = d[..., 0, :] if one_row else d
    return d[..., 0] if one_column else d


def _dtype_of(name: str) -> torch.dtype:
    for one in DTYPES.get(name, ((), ()))[1]:
        if hasattr(torch, one) and not one.endswith("_x2"):
            return getattr(torch, one)
    raise InputError(f"this torch has no elements of format {name}; a unit of other formats can be emulated")


class _Mode(TorchFunctionMode):
    """Every product of matrices by what computes; everything else as it is."""

    def __init__(self, by: _ByUnit, active: Callable[[], bool]) -> None:
        super().__init__()
        self.by, self.active = by, active
        self.busy = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        handler = None if self.busy or not self.active() else _HANDLERS.get(func)
        if handler is None or (func in _SCALED and self.by.scaled_mm is None):
            return func(*args, **kwargs)
        self.busy = True
        try:
            return handler(self.by, *args, **kwargs)
        finally:
            self.busy = False


_SCALED = [getattr(torch, "_scaled_mm")] if hasattr(torch, "_scaled_mm") else []

_HANDLERS: dict[Any, Callable[..., Any]] = {
    torch.nn.functional.linear: lambda by, *args, **how: by.linear(*args, **how),
    **{
        function: lambda by, *args, **how: by.addmm(*args, **how)
        for function in (torch.addmm, torch.Tensor.addmm, torch.baddbmm)
    },
    torch.Tensor.__rmatmul__: lambda by, B, A: by.product(A, B),
    **{
        function: lambda by, A, B: by.product(A, B)
        for function in (
            torch.matmul, torch.mm, torch.bmm, torch.mv, torch.Tensor.matmul, torch.Tensor.mm, torch.Tensor.bmm,
            torch.Tensor.mv, torch.Tensor.__matmul__,
        )  # fmt: skip
    },
    **{function: lambda by, *args, **how: by.scaled_mm(*args, **how) for function in _SCALED},
}


@contextlib.contextmanager
def emulate(
    model: Any = None, unit: Any = None, *, profile: Any = None, split: Any = None, threads: int = 1, progress: Any = None,
) -> Iterator[None]:  # fmt: skip
    """Within it, matrix products are computed as the unit would compute them: nn.Linear, matmul, mm, bmm, mv, addmm.

        with discern.torch.emulate(model, unit): y = model(x)      only what the model's forward does
        with discern.torch.emulate(unit): …                        everything
        with discern.torch.emulate(model, profile="h100-pcie"): …  each product as that GPU's library computes it

    With a profile ("h100-pcie", "rtx4060", "b200", "a100"), the element type of a product says which instruction computes it, and
    torch._scaled_mm is routed too, with split= as discern.scaled_mm has it. Products of f16, bf16 and f32 go over k in one
    chain, which is what the library does with most shapes and not with all: a warning says so, and split=1 takes it for
    granted.

    Operands are rounded to the unit's formats (to nearest, by torch), the chain starts from +0, and the result is
    rounded to the operands' element type; a bias is added after that, as an addition of torch. Forward only.
    A weight of nn.Linear stays packed from its second product with few rows on. It is packed again when an operation of torch changes
    it; a change through .data or numpy is not seen.
    progress: of each product that takes long: True, False, or a callable; see discern.progress. An exception, Ctrl-C
    among them, leaves torch and the model as they were.
    Raises InputError if torch has no elements of the unit's formats, or the unit has scales.
    """
    if profile is not None:
        if unit is not None:
            raise InputError("a unit and a profile were given, and one of them computes")
        by: _ByUnit = _ByProfile(profile, split, threads, progress)
    else:
        if unit is None:
            model, unit = None, model
        if split is not None:
            raise InputError("split= says how a profile's library divides k, and there is no profile")
        u = unit if isinstance(unit, Unit) else Unit(unit)
        if u.shape.scale:
            raise InputError(f"{u.text} has scales, of which a model says nothing; a unit without can be emulated")
        for name in (u.shape.a, u.shape.b, u.shape.d):
            _dtype_of(name)
        by = _ByUnit(u, threads, progress)
    if model is not None and not isinstance(model, torch.nn.Module):
        raise ArrayError(f"{type(model).__name__} is no torch.nn.Module")
    depth = [0]
    with contextlib.nullcontext() if model is None else _counted_forward(model, depth):
        with torch.no_grad(), _Mode(by, lambda: model is None or depth[0] > 0):
            yield


@contextlib.contextmanager
def _counted_forward(model: Any, depth: list[int]) -> Iterator[None]:
    """Within it, depth[0] counts the calls of the model's forward that have not ended. Hooks would not do: before torch 2.1
    they are not called where forward ends by an exception."""
    own, forward = vars(model).get("forward"), model.forward

    @functools.wraps(forward)
    def counted(*args: Any, **how: Any) -> Any:
        depth[0] += 1
        try:
            return forward(*args, **how)
        finally:
            depth[0] -= 1

    model.forward = counted
    try:
        yield
    finally:
        if own is None:
            del model.forward
        else:
            model.forward = own
