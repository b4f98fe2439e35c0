"""torch: its matrix products as targets, and models run as another machine would run them.

    import discern, discern.torch
    discern.identify(discern.torch.matmul(K=16, dtype="bfloat16"), timeout=60)      # what does *my* matmul compute?

    with discern.torch.emulate(model, "cdna3/v_mfma_f32_16x16x16_bf16"):            # … and what would an MI300 do?
        y = model(x)
"""

from __future__ import annotations

import contextlib
import functools
import weakref
from dataclasses import asdict, dataclass
from typing import Any, Callable, Iterator

import numpy as np

try:
    import torch
    from torch.overrides import TorchFunctionMode
except ImportError as error:  # pragma: no cover
    raise ImportError("discern.torch needs torch, which is not installed; 'pip install torch' installs it") from error

from . import scaled as _scaled
from .arrays import to_words
from .errors import ArrayError, InputError
from .formats import DTYPES, NAMES, format_of
from .packed import Packed
from .profiles import machine_of
from .units import Unit
from .vectors import Vectors


#: elements of a product of matrices that are looked at, evenly spread
MOST_ELEMENTS = 4096


def vectors_of_product(a: Any, b: Any, d: Any, c: Any = None, *, formats: Any = None) -> Vectors:
    """The elements of D = A·B + C as vectors, as `which`, `check` and others take them.

        discern.which(discern.torch.vectors_of_product(a, b, a @ b))

    a: M × K. b: K × N, or N × K if only that fits. c, d: M × N. formats: where the types of the tensors do not say them.
    Of a large product, 4096 elements, evenly spread.
    """
    tensors = {"a": a, "b": b, "d": d, **({} if c is None else {"c": c})}
    for name, one in tensors.items():
        if not isinstance(one, torch.Tensor) or one.dim() != 2:
            raise ArrayError(f"{name} is no matrix: a tensor of two dimensions is needed")
    (M, K), N = a.shape, d.shape[1]
    turned = tuple(b.shape) != (K, N)
    if d.shape[0] != M or (turned and tuple(b.shape) != (N, K)) or (c is not None and c.shape != d.shape):
        sizes = ", ".join(f"{name} is {' x '.join(map(str, one.shape))}" for name, one in tensors.items())
        raise ArrayError(f"{sizes}; a must be M x K, b K x N or N x K, c and d M x N")
    if formats is None:
        names = [_format_of(one, name) for name, one in (("a", a), ("b", b), ("c", d if c is None else c), ("d", d))]
        formats = ",".join(names)
    at = torch.arange(min(M * N, MOST_ELEMENTS)) * (M * N) // min(M * N, MOST_ELEMENTS)
    row, column = at // N, at % N
    rows_of_b = (b if turned else b.t()).cpu()
    some_c = torch.zeros(len(at), dtype=d.dtype) if c is None else c.cpu()[row, column]
    return Vectors.of(a.cpu()[row], rows_of_b[column], some_c, d.cpu()[row, column], formats=formats, K=K)


def load(path: Any, *, formats: Any = None) -> Vectors:
    """The matrices of a product in a file that torch.save wrote: a dict with the tensors A, B and D, and perhaps C.

        torch.save({"A": a, "B": b, "D": a @ b}, "product.pt")
        discern.which(discern.torch.load("product.pt"))
    """
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}") from None
    except Exception as error:
        raise InputError(f"{str(path)!r} is no file of tensors: {error}") from None
    if not isinstance(saved, dict):
        raise InputError(f"{str(path)!r} has {type(saved).__name__}; a dict with the tensors A, B and D, and perhaps C, is needed")
    named = {str(name).lower(): one for name, one in saved.items()}
    missing = [name.upper() for name in "abd" if name not in named]
    if missing:
        raise InputError(f"{str(path)!r} has no {' and no '.join(missing)}; its names are {', '.join(map(str, saved)) or 'none'}")
    return vectors_of_product(named["a"], named["b"], named["d"], named.get("c"), formats=formats)


def _format_of(tensor: torch.Tensor, operand: str) -> str:
    name = str(tensor.dtype)[len("torch.") :]
    if name in NAMES:
        return NAMES[name]
    raise ArrayError(f"{operand} has elements of type torch.{name}, which is no format; formats='f16,f16,f32,f32' says it")


def _dtype(what: Any) -> torch.dtype:
    dtype = getattr(torch, what, None) if isinstance(what, str) else what
    if not isinstance(dtype, torch.dtype):
        raise ArrayError(f"{what!r} is no element type of torch; 'float16' or torch.float16 is one")
    return dtype


class Product:
    """A matrix product of torch as a target: a callable of vectors, with its formats and K.

    Every vector becomes a row of A and a column of B, at places that vary from product to product; the other rows and
    columns hold other vectors. So what depends on the place in the matrix, or on the neighbours, is seen as what it is:
    not a function of the vector.
    """

    arrays = "torch"

    def __init__(
        self, multiply: Callable[..., Any], *, K: int, M: int, N: int, dtype: Any, out_dtype: Any, device: Any, has_c: bool,
    ) -> None:  # fmt: skip
        for name, value in (("K", K), ("M", M), ("N", N)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name}={value!r} is no size of a matrix; a whole number from 1 is needed")
        self.multiply, self.K, self.M, self.N = multiply, K, M, N
        self.dtype = _dtype(dtype)
        self.out_dtype = self.dtype if out_dtype is None else _dtype(out_dtype)
        self.device, self.has_c = torch.device(device), has_c
        ab, d = format_of(self.dtype).name, format_of(self.out_dtype).name
        self.formats = f"{ab},{ab},{d if has_c else '-'},{d}"
        self._random = np.random.default_rng(1)

    def __call__(self, a: Any, b: Any, c: Any = None) -> Any:
        """d of each vector; a and b: batch × K, c: batch."""
        d = torch.empty(len(a), dtype=self.out_dtype)
        each = min(self.M, self.N)
        for first in range(0, len(a), each):
            part = slice(first, min(first + each, len(a)))
            count = part.stop - first
            # Rows and columns of this product, the vectors' own first; all others are copies of them.
            rows = torch.from_numpy(self._random.permutation(self.M)[:count].copy())
            columns = torch.from_numpy(self._random.permutation(self.N)[:count].copy())
            A = _spread(a[part], rows, self.M).to(self.device)
            B = _spread(b[part], columns, self.N).t().to(self.device)
            C = None
            if self.has_c:
                C = torch.zeros(self.M, self.N, dtype=self.out_dtype)
                C[rows, columns] = c[part]
                C = C.to(self.device)
            d[part] = self.multiply(A, B, C).detach().cpu()[rows, columns]
        return d


def _spread(vectors: Any, places: Any, size: int) -> Any:
    """A matrix with the vectors in these rows, and in the others copies of them."""
    matrix = vectors[torch.arange(size) % len(vectors)].clone()
    matrix[places] = vectors
    return matrix


def matmul(K: int, *, M: int = 64, N: int = 64, dtype: Any = "float32", device: Any = "cpu") -> Product:
    """torch.matmul of M × K and K × N, without accumulator."""
    return Product(lambda A, B, C: torch.matmul(A, B), K=K, M=M, N=N, dtype=dtype, out_dtype=None, device=device, has_c=False)


def addmm(K: int, *, M: int = 64, N: int = 64, dtype: Any = "float32", device: Any = "cpu") -> Product:
    """torch.addmm: the same, plus a matrix C."""
    return Product(lambda A, B, C: torch.addmm(C, A, B), K=K, M=M, N=N, dtype=dtype, out_dtype=None, device=device, has_c=True)


def linear(K: int, *, M: int = 64, N: int = 64, dtype: Any = "float32", device: Any = "cpu") -> Product:
    """torch.nn.functional.linear of M × K with N × K, without bias."""
    multiply = lambda A, B, C: torch.nn.functional.linear(A, B.t().contiguous())  # noqa: E731
    return Product(multiply, K=K, M=M, N=N, dtype=dtype, out_dtype=None, device=device, has_c=False)


def mv(K: int, *, M: int = 64, dtype: Any = "float32", device: Any = "cpu") -> Product:
    """torch.mv of M × K: one vector at a time."""
    multiply = lambda A, B, C: torch.mv(A, B[:, 0].contiguous())[:, None]  # noqa: E731
    return Product(multiply, K=K, M=M, N=1, dtype=dtype, out_dtype=None, device=device, has_c=False)


def _scaled_mm_target(
    K: int, *, M: int = 64, N: int = 64, dtype: Any = "float8_e4m3fn", out_dtype: Any = "float32", device: Any = "cuda",
) -> Product:  # fmt: skip
    """torch._scaled_mm with both scales 1."""
    if not hasattr(torch, "_scaled_mm"):
        raise InputError(f"torch {torch.__version__} has no _scaled_mm")
    out = _dtype(out_dtype)

    def multiply(A: Any, B: Any, C: Any) -> Any:
        one = torch.tensor(1.0, device=A.device)
        return torch._scaled_mm(A, B.t().contiguous().t(), scale_a=one, scale_b=one, out_dtype=out)

    return Product(multiply, K=K, M=M, N=N, dtype=dtype, out_dtype=out, device=device, has_c=False)


def scaled_mm(
    input: Any, mat2: Any = None, scale_a: Any = None, scale_b: Any = None, bias: Any = None, scale_result: Any = None,
    out_dtype: Any = None, use_fast_accum: bool = False, *, profile: Any = "h100-pcie", split: Any = None, threads: int = 1,
    progress: Any = None, **target: Any,
) -> Any:  # fmt: skip
    """torch._scaled_mm with the bits of a GPU, on the CPU: the same arguments, and profile= and split= of discern.scaled_mm.

    input: M × K, float8_e4m3fn or float8_e5m2, its rows one after another. mat2: K × N, its columns one after another, as
    the transpose of a weight is. scale_a, scale_b, scale_result: tensors of one float32. out_dtype: that of input, if it is
    not given.
    With a number K instead of a tensor: a target, torch._scaled_mm with both scales 1, as matmul() is one (M=, N=, dtype=,
    out_dtype=, device=).
    """
    if isinstance(input, int):
        return _scaled_mm_target(input, **({} if out_dtype is None else {"out_dtype": out_dtype}), **target)
    if target:
        raise ArrayError(f"{next(iter(target))}= is for targets, whose first argument is a number K")
    for name, x in (("input", input), ("mat2", mat2), ("scale_a", scale_a), ("scale_b", scale_b)):
        if not isinstance(x, torch.Tensor):
            raise ArrayError(f"scaled_mm: {name} must be a tensor, not {type(x).__name__}")
    for name, x in (("bias", bias), ("scale_result", scale_result)):
        if x is not None and not isinstance(x, torch.Tensor):
            raise ArrayError(f"scaled_mm: {name} must be a tensor, not {type(x).__name__}")
    for name, x in (("input", input), ("mat2", mat2), ("scale_a", scale_a), ("scale_b", scale_b)):
        if x.device.type != "cpu":
            raise ArrayError(f"{name} is on {x.device}; units compute on the CPU, where .cpu() brings it")
    if input.dim() == 2 and input.shape[1] > 1 and input.stride(1) != 1:
        raise InputError(f"input has the strides {tuple(input.stride())}; its rows must lie one after another, as .contiguous() has them")
    if mat2.dim() == 2 and mat2.shape[0] > 1 and mat2.stride(0) != 1:
        raise InputError(f"mat2 has the strides {tuple(mat2.stride())}; its columns must lie one after another, as in weight.t()")
    return _scaled.scaled_mm(
        input, mat2, scale_a, scale_b, bias=bias, scale_result=scale_result, out_dtype=input.dtype if out_dtype is None else out_dtype,
        use_fast_accum=use_fast_accum, profile=profile, split=split, threads=threads, progress=progress,
    )  # fmt: skip


# ---- models as another machine would run them


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


@dataclass(frozen=True)
class LayerDifference:
    """What a module gives on two machines, each with what its own layers before gave."""

    layer: str  #: the module's name in the model; "" is the model
    kind: str
    elements: int
    different: int  #: whose bits differ; two NaN are the same
    largest: float  #: of the differences, as a part of the largest magnitude of the layer

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Differences(list):
    """One LayerDifference a layer, in the order of computation; printed as a table."""

    def __str__(self) -> str:
        width = max([5, *(len(one.layer or "(all)") for one in self)])
        rows = [f"{'layer':{width}}  differ       of  largest"]
        rows += [f"{one.layer or '(all)':{width}}  {one.different:6}  {one.elements:7}  {one.largest:.3g}" for one in self]
        return "\n".join(rows)


def differences(model: Any, inputs: Any, first: str, second: str, *, split: Any = None, threads: int = 1, progress: Any = None) -> Differences:
    """Where two machines part: a model's forward under two profiles, layer by layer.

        print(discern.torch.differences(model, x, "h100-pcie", "a100", split=1))

    inputs: a tensor, or a tuple of the arguments of forward. The rest as of emulate().
    Layers are the modules without children, each time they compute a tensor, and the model itself.
    Raises ArrayError for what is no module; InputError where the two take different ways through the model.
    """
    if not isinstance(model, torch.nn.Module):
        raise ArrayError(f"{type(model).__name__} is no torch.nn.Module")
    arguments = inputs if isinstance(inputs, tuple) else (inputs,)
    runs = [_layers(model, arguments, profile, split, threads, progress) for profile in (first, second)]
    if [(name, kind, y.shape) for name, kind, y in runs[0]] != [(name, kind, y.shape) for name, kind, y in runs[1]]:
        raise InputError(f"under {first} and under {second} the model computes other layers, so there is nothing to compare")
    return Differences(_difference(name, kind, x, y) for (name, kind, x), (_, _, y) in zip(*runs))


def _layers(model: Any, arguments: tuple[Any, ...], profile: str, split: Any, threads: int, progress: Any) -> list[tuple[str, str, Any]]:
    outputs: list[tuple[str, str, Any]] = []
    handles = []

    def keep(name: str) -> Callable[..., None]:
        def hook(module: Any, _: Any, y: Any) -> None:
            if isinstance(y, torch.Tensor):
                outputs.append((name, type(module).__name__, y.detach().cpu().clone()))

        return hook

    try:
        for name, module in model.named_modules():
            if name == "" or not any(True for _ in module.children()):
                handles.append(module.register_forward_hook(keep(name)))
        with emulate(model, profile=profile, split=split, threads=threads, progress=progress):
            model(*arguments)
    finally:
        for handle in handles:
            handle.remove()
    return outputs


def _difference(name: str, kind: str, x: Any, y: Any) -> LayerDifference:
    u, v = x.double(), y.double()
    differ = ~((u == v) & (u.signbit() == v.signbit()) | (u.isnan() & v.isnan()))
    gaps = (u - v)[differ].abs().nan_to_num(nan=float("inf"))
    most = float(u.abs().nan_to_num(nan=0.0, posinf=0.0).max()) if u.numel() else 0.0
    largest = float(gaps.max()) / (most or 1.0) if gaps.numel() else 0.0
    return LayerDifference(name, kind, x.numel(), int(differ.sum()), largest)
