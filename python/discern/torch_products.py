"""Single products of torch: as targets, as vectors, and torch._scaled_mm with the bits of a GPU."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import torch

from . import scaled as _scaled
from .errors import ArrayError, InputError
from .formats import NAMES, format_of
from .vectors import Vectors

#: elements of a product of matrices that are looked at, evenly spread
MOST_ELEMENTS = 4096


def vectors_of_product(a: Any, b: Any, d: Any, c: Any = None, *, formats: Any = None) -> Vectors:
    """The elements of D = A·B + C as vectors, as `which`, `check` and others take them.

        discern.which(discern.torch.vectors_of_product(a, b, a @ b))

    a: M × K. b: K × N, or N × K as the weight of nn.Linear; of a square b both are tried, and `.notes` says if it is taken for
    N × K. d: M × N. c: the same, or N elements, or 1 × N, as a bias. formats: where the types of the tensors do not say them.
    Of a large product, 4096 elements, evenly spread.
    """
    if isinstance(c, torch.Tensor) and isinstance(d, torch.Tensor) and d.dim() == 2 and c.shape in (d.shape[1:], (1, d.shape[1])):
        c = c.expand(d.shape)
    tensors = {"a": a, "b": b, "d": d, **({} if c is None else {"c": c})}
    for name, one in tensors.items():
        if not isinstance(one, torch.Tensor) or one.dim() != 2:
            raise ArrayError(f"{name} is no matrix: a tensor of two dimensions is needed")
    (M, K), N = a.shape, d.shape[1]
    turned = tuple(b.shape) != (K, N)
    if d.shape[0] != M or (turned and tuple(b.shape) != (N, K)) or (c is not None and c.shape != d.shape):
        sizes = ", ".join(f"{name} is {' x '.join(map(str, one.shape))}" for name, one in tensors.items())
        raise ArrayError(f"{sizes}; a must be M x K, b K x N or N x K, c and d M x N, or c a bias of N")
    if M * N == 0 or K == 0:
        raise ArrayError(f"a is {M} x {K} and d {M} x {N}: there is no element to look at")
    if formats is None:
        names = [_format_of(one, name) for name, one in (("a", a), ("b", b), ("c", d if c is None else c), ("d", d))]
        formats = ",".join(names)
    at = torch.arange(min(M * N, MOST_ELEMENTS)) * (M * N) // min(M * N, MOST_ELEMENTS)
    row, column = at // N, at % N
    some_a, some_d = _at(a, row), _at(d, row, column)
    some_c = torch.zeros(len(at), dtype=d.dtype) if c is None else _at(c, row, column)
    notes = []
    if not turned and K == N and _is_transposed(some_a, b, column, some_c, some_d):
        turned = True
        notes = ["b is square, and is taken as N x K, the transpose of what is multiplied: d is nearer to that product"]
    some_b = _at(b if turned else b.t(), column)
    return Vectors.of(some_a, some_b, some_c, some_d, formats=formats, K=K, notes=notes)


def _at(x: Any, *where: Any) -> Any:
    """Some rows or elements, of element types too that torch does not index."""
    x = x.detach().cpu()
    same = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    return x.view(same)[where].view(x.dtype)


def _is_transposed(a: Any, b: Any, column: Any, c: Any, d: Any) -> bool:
    """Whether d is nearer to the products with the rows of b than to those with its columns."""
    numbers = (a.dtype, b.dtype, c.dtype, d.dtype)
    if not all(dtype.is_floating_point for dtype in numbers):  # patterns
        return False

    def off(rows: Any) -> float:
        sums = (a.to(torch.float64) * _at(rows, column).to(torch.float64)).sum(1) + c.to(torch.float64)
        gaps = (sums - d.to(torch.float64)).abs()
        return float(gaps[gaps.isfinite()].sum())

    return off(b) < off(b.t())


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
        why = "it has more than tensors, and is not loaded for its own code" if "weights_only" in str(error) else "torch.save wrote none of this"
        raise InputError(f"{str(path)!r} is no file of tensors: {why}") from None
    if not isinstance(saved, dict):
        raise InputError(f"{str(path)!r} has {type(saved).__name__}; a dict with the tensors A, B and D, and perhaps C, is needed")
    named = {str(name).lower(): one for name, one in saved.items()}
    if len(named) < len(saved):
        raise InputError(f"{str(path)!r} has names that differ in case only, {', '.join(map(str, saved))}; A, B, D and C are needed once each")
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
