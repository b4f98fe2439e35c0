"""Which unit computes a product of tensors, and what is rounded when: one unit for all, or a GPU's for each element type."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

import numpy as np
import torch

from ..arrays import to_words
from ..errors import InputError, ShapeError
from ..formats import DTYPES, NAMES
from ..packed import Packed
from ..profiles import machine_of
from ..torch_products import scaled_mm
from ..units import Unit


class ByUnit:
    """Every product by one unit, whatever the element type of its operands."""

    def __init__(self, unit: Unit, threads: int, progress: Any = None) -> None:
        self.unit, self.threads, self.progress = unit, threads, progress
        self.weights = Weights()

    def unit_for(self, A: Any, B: Any, of: str = "matmul") -> Unit:
        """of: whose settings of tf32 are asked, torch.backends.cuda.matmul's or cudnn's."""
        return self.unit

    def sums(self, A: Any, B: Any, of: str = "matmul") -> Any:
        """A·B in the unit's format of results, batches of matrices too, as torch.matmul defines them."""
        for x in (A, B):
            if not x.dtype.is_floating_point:
                raise InputError(f"a product of {A.dtype} and {B.dtype}: units multiply floating-point numbers, and torch these")
        if A.shape[-1] != B.shape[-2 if B.dim() > 1 else 0]:
            raise ShapeError(f"A is {_sizes(A)} and B is {_sizes(B)}; A must have as many columns as B has rows")
        unit = self.unit_for(A, B, of)
        few = A.dim() > 0 and A.numel() <= 64 * A.shape[-1]  # rows: more do not gain by it
        weight = _transposed(B) if few else None
        return _product(unit, A, B, None if weight is None else self.weights.of(weight, unit), self.threads, self.progress)

    def finish(self, sums: Any, A: Any, out_dtype: Any = None) -> Any:
        """The one rounding of a sum, to the operands' element type unless out_dtype is another."""
        return sums.to(out_dtype or A.dtype).to(A.device)

    def product(self, A: Any, B: Any, out_dtype: Any = None) -> Any:
        return self.finish(self.sums(A, B), A, out_dtype)

    def added(self, sums: Any, A: Any, input: Any, alpha: float = 1, beta: float = 1, out_dtype: Any = None) -> Any:
        """alpha · sums + beta · input. alpha · sums is rounded to the unit's format of results, where alpha is not 1, and then to
        the element type; beta · input is added after that, as an addition of torch. alpha = 0 and beta = 0 leave out what they multiply."""
        if alpha == 0:
            sums = torch.zeros_like(sums)
        y = self.finish(sums if alpha in (0, 1) else alpha * sums, A, out_dtype)
        if beta == 0:
            return y
        return y + (input if beta == 1 else beta * input)

    def chained(self, unit: Unit, A: Any, B: Any, C: Any) -> Any:
        """Batches of products whose chains start from C, in the unit's format of results; where C is None or the unit has none, from +0."""
        if C is None or unit.shape.c is None or A.numel() == 0 or B.numel() == 0:
            y = self.sums(A, B)
            return y if C is None else y + C
        x, y, z = A.cpu().to(dtype_of(unit.shape.a)), B.detach().cpu().to(dtype_of(unit.shape.b)), C.to(dtype_of(unit.shape.c))
        return torch.stack([unit.gemm(*each, threads=self.threads, progress=False) for each in zip(x, y, z)])

    scaled_mm: Any = None
    is_machine = False  #: whether it stands for a GPU's library


class ByProfile(ByUnit):
    """Every product by the instruction that a GPU has for its element type, and the library's kernel."""

    is_machine = True

    def __init__(self, profile: Any, split: Any, threads: int, progress: Any = None) -> None:
        self.machine, self.split, self.threads, self.progress = machine_of(profile), split, threads, progress
        self.units: dict[str, Unit] = {}
        self.weights = Weights()

    def unit_for(self, A: Any, B: Any, of: str = "matmul") -> Unit:
        if A.dtype != B.dtype:
            raise InputError(f"a product of {A.dtype} and {B.dtype}: both operands must have the same element type")
        format = NAMES.get(str(A.dtype)[6:], "")
        if format == "f32" and "tf32" in self.machine.units and _allows_tf32(of):
            format = "tf32"
        if format not in self.units:
            self.units[format] = Unit(self.machine.unit_of(format, self.split, _reduced(format)))
        return self.units[format]

    def added(self, sums: Any, A: Any, input: Any, alpha: float = 1, beta: float = 1, out_dtype: Any = None) -> Any:
        """alpha · sums + beta · input in the unit's format of results, f32, each of the three operations rounded to it where its
        factor is not 1, and one rounding to the element type. alpha = 0 and beta = 0 leave out what they multiply."""
        y = torch.zeros_like(sums) if alpha == 0 else sums if alpha == 1 else alpha * sums
        if beta != 0:
            c = input.detach().cpu().to(sums.dtype)
            y = y + (c if beta == 1 else beta * c)
        return self.finish(y, A, out_dtype)

    def scaled_mm(self, input: Any, mat2: Any, *args: Any, **how: Any) -> Any:
        if self.machine.fp8 is not None:
            return scaled_mm(input, mat2, *args, **how, profile=self.machine.fp8, split=self.split, threads=self.threads, progress=self.progress)
        self.machine.say_fp8()
        return _scaled_mm_without_fp8(self, input, mat2, *args, **how)


def _scaled_mm_without_fp8(
    by: ByProfile, input: Any, mat2: Any, scale_a: Any, scale_b: Any, bias: Any = None, scale_result: Any = None, out_dtype: Any = None,
    use_fast_accum: bool = False,
) -> Any:  # fmt: skip
    """The same on a GPU without fp8: operands as f16, which has all their numbers, and then what follows the sum."""
    x, columns = input.to(torch.float16), 1024  # at a time, whose copies are small beside the weight
    parts = [by.sums(x, part.to(torch.float16)) for part in mat2.split(columns, dim=1)]
    y = torch.cat(parts, dim=1) * (scale_a * scale_b)
    if bias is not None:
        y = y + bias.to(y.dtype)
    return y.to(input.dtype if out_dtype is None else out_dtype)


def _allows_tf32(of: str) -> bool:
    """Whether torch's settings let a GPU take tf32 for f32."""
    backend = torch.backends.cudnn if of == "convolution" else torch.backends.cuda.matmul
    try:
        return bool(backend.allow_tf32)
    except RuntimeError:  # the newer setting is in use, and torch refuses to read the older one
        return getattr(backend.conv if of == "convolution" else backend, "fp32_precision") == "tf32"


def _reduced(format: str) -> bool:
    """Whether torch's settings let a GPU add parts of k in the operands' format."""
    name = {"bf16": "allow_bf16_reduced_precision_reduction", "f16": "allow_fp16_reduced_precision_reduction"}.get(format, "")
    try:
        return bool(name) and bool(getattr(torch.backends.cuda.matmul, name))
    except (AttributeError, AssertionError, RuntimeError):  # this torch has no such setting
        return False


class Weights:
    """Weights that stay packed: from their second product on, so that a model that runs once needs no memory for it."""

    def __init__(self) -> None:
        self.seen: dict[tuple[int, str], tuple[Any, int, Any]] = {}

    def of(self, weight: Any, unit: Unit) -> Packed | None:
        """The transpose of the weight, packed for the unit. None: not yet."""
        if weight.is_inference():  # which does not count its changes
            return None
        key = (id(weight), unit.shape.b)
        alive, version, kept = self.seen.get(key, (None, -1, None))
        if alive is None or alive() is not weight or version != weight._version:
            forget = weakref.ref(weight, lambda dead: self._forget(key, dead))
            self.seen[key] = (forget, weight._version, None)
            return None
        if kept is None:
            b = weight.detach().cpu().to(dtype_of(unit.shape.b)).t()
            words, kind = to_words(b, unit.shape.b, "weight", either_order=True)
            kept = Packed(words, unit.shape.b, kind)
            self.seen[key] = (alive, version, kept)
        return kept

    def _forget(self, key: tuple[int, str], dead: Any) -> None:
        if self.seen.get(key, (None,))[0] is dead:
            del self.seen[key]


def _transposed(B: Any) -> Any:
    """The matrix whose whole transpose B is a view of, as nn.Linear multiplies by its weight; None: there is none."""
    base = B._base if B.dim() == 2 else None
    if base is None or base.dim() != 2 or not base.is_contiguous() or base.dtype != B.dtype:
        return None
    is_all = tuple(B.shape) == tuple(base.shape[::-1]) and B.stride() == base.stride()[::-1] and B.data_ptr() == base.data_ptr()
    return base if is_all and B.numel() > 0 else None


def _sizes(x: Any) -> str:
    return " × ".join(map(str, x.shape)) or "a number"


def _product(unit: Unit, A: Any, B: Any, kept: Packed | None, threads: int, progress: Any) -> Any:
    """A·B. kept: B once more."""
    a, b = dtype_of(unit.shape.a), dtype_of(unit.shape.b)
    x = _rounded(A, a)
    if kept is not None and x.numel() > 0:
        lines = x.reshape(-1, x.shape[-1])
        return unit.gemm(lines, kept, threads=threads, progress=progress).reshape(*x.shape[:-1], kept.shape[1])
    if B.dim() > 2 and B.stride()[:-2].count(0) == B.dim() - 2 and B.numel() > 0:  # one B, expanded
        B = B[(0,) * (B.dim() - 2)]
        if A.dim() < 3:
            raise ShapeError(f"A is {_sizes(A)} and B is a batch; both must be batches")
    y = _rounded(B, b)
    one_row, one_column = x.dim() == 1, y.dim() == 1
    x = x[None, :] if one_row else x
    y = y[:, None] if one_column else y
    lead = x.shape[:-2] if y.dim() == 2 else torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    shape = (*lead, x.shape[-2], y.shape[-1])
    if 0 in shape or x.shape[-1] == 0:  # sums of nothing
        d = torch.zeros(shape, dtype=dtype_of(unit.shape.d))
    elif y.dim() == 2:  # one B for all rows
        d = unit.gemm(x.reshape(-1, x.shape[-1]), y, threads=threads, progress=progress).reshape(shape)
    else:
        x = x.expand(*lead, *x.shape[-2:]).reshape(-1, *x.shape[-2:])
        y = y.expand(*lead, *y.shape[-2:]).reshape(-1, *y.shape[-2:])
        d = torch.stack([unit.gemm(p, q, threads=threads, progress=progress) for p, q in zip(x, y)]).reshape(shape)
    d = d[..., 0, :] if one_row else d
    return d[..., 0] if one_column else d


def _rounded(operand: Any, dtype: torch.dtype) -> Any:
    """An operand in the unit's element type. Warns where finite numbers are beyond it."""
    x = operand.detach().cpu()
    if x.dtype == dtype:
        return x
    y = x.to(dtype)
    if torch.finfo(x.dtype).max > torch.finfo(dtype).max and not bool(y.isfinite().all()) and bool((x.isfinite() & ~y.isfinite()).any()):
        said = f"operands of {x.dtype} have numbers beyond {dtype}, which the unit multiplies; they are infinite or NaN there"
        warnings.warn(said, RuntimeWarning, stacklevel=2)
    return y


def dtype_of(name: str) -> torch.dtype:
    """torch's element type of a format. Raises InputError if there is none."""
    for one in DTYPES.get(name, ((), ()))[1]:
        if hasattr(torch, one) and not one.endswith("_x2"):
            return getattr(torch, one)
    raise InputError(f"this torch has no elements of format {name}; a unit of other formats can be emulated")
