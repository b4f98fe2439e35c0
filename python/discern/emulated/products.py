"""torch's products of matrices, by the names that its dispatcher has for them, and how each is computed.

A product is `f(mode, *arguments)` with the arguments of the operation in its functional form; forms that write into an
argument are made of it by `computed`.
"""

from __future__ import annotations

from typing import Any, Callable

import torch

from ..errors import ShapeError
from . import attention, convolution, fused


def _matrices(name: str, dims: tuple[int, int], A: Any, B: Any) -> None:
    """Raises ShapeError, as torch raises RuntimeError, for operands of other dimensions."""
    if (A.dim(), B.dim()) != dims:
        raise ShapeError(f"{name} of {A.dim()} and {B.dim()} dimensions; {dims[0]} and {dims[1]} are needed")


def _plain(name: str, dims: tuple[int, int]) -> Callable[..., Any]:
    def multiply(mode: Any, A: Any, B: Any, out_dtype: Any = None) -> Any:
        _matrices(name, dims, A, B)
        if dims == (3, 3) and A.shape[0] != B.shape[0]:
            raise ShapeError(f"{name}: a batch of {A.shape[0]} and one of {B.shape[0]} matrices; both must be as large")
        return mode.by.product(A, B, out_dtype)

    return multiply


def _added(name: str, dims: tuple[int, int]) -> Callable[..., Any]:
    def add(mode: Any, input: Any, A: Any, B: Any, out_dtype: Any = None, *, beta: float = 1, alpha: float = 1) -> Any:
        _matrices(name, dims, A, B)
        sums = mode.by.sums(A, B)
        try:
            input.expand(sums.shape)
        except RuntimeError:
            raise ShapeError(f"{name}: what is added is {tuple(input.shape)} and the product {tuple(sums.shape)}") from None
        return mode.by.added(sums, A, input, alpha, beta, out_dtype)

    return add


def _addbmm(mode: Any, input: Any, A: Any, B: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """One product after another is added, as torch has it."""
    _matrices("addbmm", (3, 3), A, B)
    y = input if beta == 1 else input * beta if beta != 0 else torch.zeros(A.shape[1], B.shape[2], dtype=A.dtype, device=A.device)
    y = y.expand(A.shape[1], B.shape[2])
    for p, q in zip(A, B):
        y = mode.by.added(mode.by.sums(p, q), p, y, alpha, 1)
    return y


def _addmm_activation(mode: Any, *args: Any, use_gelu: bool = False, **how: Any) -> Any:
    y = _PRODUCTS["addmm"](mode, *args, **how)
    return torch.nn.functional.gelu(y) if use_gelu else y.relu()


def _scaled_mm(mode: Any, *args: Any, **how: Any) -> Any:
    return NotImplemented if mode.by.scaled_mm is None else mode.by.scaled_mm(*args, **how)


def _scaled_mm_v2(
    mode: Any, A: Any, B: Any, scale_a: Any, recipe_a: Any, swizzle_a: Any, scale_b: Any, recipe_b: Any, swizzle_b: Any, bias: Any = None,
    out_dtype: Any = None, contraction_dim: Any = (), use_fast_accum: bool = False,
) -> Any:  # fmt: skip
    if mode.by.scaled_mm is None or len(scale_a) != 1 or len(scale_b) != 1 or list(contraction_dim):
        return NotImplemented
    return mode.by.scaled_mm(A, B, scale_a[0], scale_b[0], bias, None, out_dtype, use_fast_accum)


_PRODUCTS: dict[str, Callable[..., Any]] = {
    "mm": _plain("mm", (2, 2)),
    "bmm": _plain("bmm", (3, 3)),
    "mv": _plain("mv", (2, 1)),
    "dot": _plain("dot", (1, 1)),
    "vdot": _plain("vdot", (1, 1)),
    "addmm": _added("addmm", (2, 2)),
    "baddbmm": _added("baddbmm", (3, 3)),
    "addmv": _added("addmv", (2, 1)),
    "addbmm": _addbmm,
    "_addmm_activation": _addmm_activation,
    "_scaled_mm": _scaled_mm,
    "_scaled_mm_v2": _scaled_mm_v2,
    **convolution.PRODUCTS,
    **attention.PRODUCTS,
    **fused.PRODUCTS,
}

#: parts of names of operations that multiply matrices
_WORDS = {
    "matmul", "linear", "mv", "addmv", "dot", "vdot", "attention", "attn", "rnn", "lstm", "gru", "cdist", "pdist", "dist", "einsum",
    "bilinear", "trilinear", "convolution", "transformer", "lstsq", "inverse", "pinverse", "solve", "cholesky", "ormqr", "orgqr", "geqrf",
    "svd", "qr", "det", "slogdet",
}  # fmt: skip
#: operations with such a part that do not, or whose sums are of single elements
_OTHER = {"linalg_vector_norm", "linalg_cross", "linalg_diagonal", "_linalg_check_errors", "linalg__powsum", "_cudnn_rnn_flatten_weight"}


def name_of(func: Any) -> str:
    """Of an operation, without what says that it writes into an argument."""
    packet = getattr(func, "overloadpacket", None)
    name = str(getattr(packet, "__name__", None) or getattr(func, "__name__", func))
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def product_of(func: Any) -> Callable[..., Any] | None:
    """How an operation of torch is computed that is emulated; None for others."""
    if getattr(func, "namespace", "") != "aten":
        return None
    return _PRODUCTS.get(name_of(func))


def is_product(func: Any) -> bool:
    """Whether an operation multiplies matrices, as far as its name says; of any library."""
    name = name_of(func)
    if name in _OTHER or name.startswith("_thnn_fused"):
        return False
    if name.startswith(("linalg_", "_linalg_")):
        return True
    words = [word for word in name.split("_") if word]
    return any(word in _WORDS or word.endswith("mm") or (word.startswith("conv") and word.rstrip("123d") == "conv") for word in words)


def computed(product: Callable[..., Any], mode: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operation by its product: the result, or the argument into which it was written. NotImplemented: it has none."""
    kwargs = dict(kwargs)
    out = kwargs.pop("out", None)
    if "out0" in kwargs or any(isinstance(x, torch.Tensor) and (x.is_nested or x.layout != torch.strided) for x in args):
        return NotImplemented
    y = product(mode, *args, **kwargs)
    if y is NotImplemented:
        return y
    if out is None and str(func.overloadpacket.__name__).endswith("_"):
        out = args[0]
    if out is None:
        return y
    if out.shape != y.shape:
        out.resize_(y.shape)
    return out.copy_(y)
