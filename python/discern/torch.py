"""torch: its matrix products as targets, and models run as another machine would run them.

    import discern, discern.torch
    discern.identify(discern.torch.matmul(K=16, dtype="bfloat16"), timeout=60)      # what does *my* matmul compute?

    with discern.torch.emulate(model, "cdna3/v_mfma_f32_16x16x16_bf16"):            # … and what would an MI300 do?
        y = model(x)
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

import numpy as np

try:
    import torch
    from torch.overrides import TorchFunctionMode
except ImportError as error:  # pragma: no cover
    raise ImportError("discern.torch needs torch, which is not installed; 'pip install torch' installs it") from error

from .errors import ArrayError, InputError
from .formats import DTYPES, format_of
from .units import Unit


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


def scaled_mm(
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


# ---- models as another machine would run them


def _product(unit: Unit, A: Any, B: Any, threads: int) -> Any:
    """A·B, batches of matrices too, as torch.matmul defines them, of the element type of A."""
    a, b = _dtype_of(unit.shape.a), _dtype_of(unit.shape.b)
    x = A.detach().cpu().to(a)
    y = B.detach().cpu().to(b)
    one_row, one_column = x.dim() == 1, y.dim() == 1
    x = x[None, :] if one_row else x
    y = y[:, None] if one_column else y
    if y.dim() == 2:  # one B for all rows
        d = unit.gemm(x.reshape(-1, x.shape[-1]), y, threads=threads).reshape(*x.shape[:-1], y.shape[-1])
    else:
        lead = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        x = x.expand(*lead, *x.shape[-2:]).reshape(-1, *x.shape[-2:])
        y = y.expand(*lead, *y.shape[-2:]).reshape(-1, *y.shape[-2:])
        each = [unit.gemm(p, q, threads=threads) for p, q in zip(x, y)]
        d = torch.stack(each).reshape(*lead, x.shape[-2], y.shape[-1])
    d = d[..., 0, :] if one_row else d
    d = d[..., 0] if one_column else d
    return d.to(A.dtype).to(A.device)


def _dtype_of(name: str) -> torch.dtype:
    for one in DTYPES.get(name, ((), ()))[1]:
        if hasattr(torch, one) and not one.endswith("_x2"):
            return getattr(torch, one)
    raise InputError(f"this torch has no elements of format {name}; a unit of other formats can be emulated")


class _Mode(TorchFunctionMode):
    """Every product of matrices by the unit; everything else as it is."""

    def __init__(self, unit: Unit, threads: int, active: Callable[[], bool]) -> None:
        super().__init__()
        self.unit, self.threads, self.active = unit, threads, active
        self.busy = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        handler = None if self.busy or not self.active() else _HANDLERS.get(func)
        if handler is None:
            return func(*args, **kwargs)
        self.busy = True
        try:
            return handler(lambda A, B: _product(self.unit, A, B, self.threads), *args, **kwargs)
        finally:
            self.busy = False


def _linear(product: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    y = product(input, weight.t())
    return y if bias is None else y + bias


def _addmm(product: Any, input: Any, A: Any, B: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    return beta * input + alpha * product(A, B)


_HANDLERS: dict[Any, Callable[..., Any]] = {
    torch.nn.functional.linear: _linear,
    torch.addmm: _addmm,
    torch.Tensor.addmm: _addmm,
    torch.baddbmm: _addmm,
    torch.Tensor.__rmatmul__: lambda product, B, A: product(A, B),
    **{
        function: lambda product, A, B: product(A, B)
        for function in (
            torch.matmul, torch.mm, torch.bmm, torch.mv, torch.Tensor.matmul, torch.Tensor.mm, torch.Tensor.bmm,
            torch.Tensor.mv, torch.Tensor.__matmul__,
        )  # fmt: skip
    },
}


@contextlib.contextmanager
def emulate(model: Any, unit: Any = None, *, threads: int = 1) -> Iterator[None]:
    """Within it, matrix products are computed as the unit would compute them: nn.Linear, matmul, mm, bmm, mv, addmm.

        with discern.torch.emulate(model, unit): y = model(x)      only what the model's forward does
        with discern.torch.emulate(unit): …                        everything

    Operands are rounded to the unit's formats (to nearest, by torch), the chain starts from +0, and the result is
    rounded to the operands' element type; a bias is added after that, as an addition of torch. Forward only.
    Raises InputError if torch has no elements of the unit's formats, or the unit has scales.
    """
    if unit is None:
        model, unit = None, model
    u = unit if isinstance(unit, Unit) else Unit(unit)
    if u.shape.scale:
        raise InputError(f"{u.text} has scales, of which a model says nothing; a unit without can be emulated")
    for name in (u.shape.a, u.shape.b, u.shape.d):
        _dtype_of(name)
    depth = 0
    handles = []

    def enter(*_: Any) -> None:
        nonlocal depth
        depth += 1

    def leave(*_: Any) -> None:
        nonlocal depth
        depth -= 1

    if model is not None:
        if not isinstance(model, torch.nn.Module):
            raise ArrayError(f"{type(model).__name__} is no torch.nn.Module")
        handles = [model.register_forward_pre_hook(enter), model.register_forward_hook(leave)]
    try:
        with torch.no_grad(), _Mode(u, threads, lambda: model is None or depth > 0):
            yield
    finally:
        for handle in handles:
            handle.remove()
