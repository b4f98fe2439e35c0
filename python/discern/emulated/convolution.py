"""Convolutions as products of matrices: a row for each place of the result, a column for each channel of it.

k runs over the places of the kernel and, fastest, over the channels, as implicit products of libraries have it that keep
channels last. Which order and which algorithm a library takes for a shape is not known; see docs/python.md.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable

import torch

from ..errors import ShapeError
from ..profiles import NotMeasured

#: elements of rows that are written out at a time
_ROWS = 1 << 21


def _all(numbers: Any, dims: int) -> list[int]:
    return [int(n) for n in numbers] * (dims if len(numbers) == 1 else 1)


def _convolution(
    mode: Any, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int,
    *settings: Any, out_dtype: Any = None,
) -> Any:  # fmt: skip
    """settings: which libraries torch may ask, which is nothing to a unit."""
    by, dims = mode.by, weight.dim() - 2
    single = input.dim() == dims + 1
    x = input[None] if single else input
    if x.dim() != dims + 2:
        raise ShapeError(f"convolution of {input.dim()} dimensions by a weight of {weight.dim()}; as many are needed, or one less")
    stride, padding, dilation, more = (_all(numbers, dims) for numbers in (stride, padding, dilation, output_padding))
    if by.is_machine and by.split != 1:
        warnings.warn(
            "convolutions are taken for products whose k runs over the kernel and, fastest, the channels, in one chain; which algorithm the "
            "library takes was not compared with a GPU; split=1 takes it for granted", NotMeasured, stacklevel=2,
        )  # fmt: skip
    if transposed:
        x, weight = _spread(x, stride, more, padding, dilation, weight), _turned(weight, groups)
        padding, stride = [0] * dims, [1] * dims
    if x.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups != 0:
        raise ShapeError(f"convolution: {x.shape[1]} channels by {groups} groups of a weight of {tuple(weight.shape)}")
    x = torch.nn.functional.pad(x, [n for p in reversed(padding) for n in (p, p)]) if any(padding) else x
    kernel = list(weight.shape[2:])
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation)]
    if min(sizes, default=1) < 1:
        raise ShapeError(f"convolution: the kernel {tuple(kernel)} is larger than the padded input {tuple(x.shape[2:])}")
    last = [0, *range(2, dims + 2), 1]  # channels last
    x = x.permute(last).contiguous()
    d = None
    for g in range(groups):
        inner, outer = weight.shape[1], weight.shape[0] // groups
        b = weight[g * outer : (g + 1) * outer].permute(last).reshape(outer, -1).t()
        rows = _rows(x[..., g * inner : (g + 1) * inner], sizes, kernel, stride, dilation)
        each = max(1, _ROWS // max(1, math.prod(sizes[1:]) * math.prod(kernel) * inner))  # of the first place
        for n in range(x.shape[0]):
            for first in range(0, sizes[0], each):
                part = rows[n, first : first + each]
                y = by.sums(part.reshape(-1, b.shape[0]), b, "convolution")
                if d is None:
                    d = y.new_empty(x.shape[0], *sizes, weight.shape[0])
                d[n, first : first + each, ..., g * outer : (g + 1) * outer] = y.reshape(*part.shape[:dims], outer)
    if d is None:  # an empty batch
        d = torch.zeros(x.shape[0], *sizes, weight.shape[0])
    y = by.finish(d, input, out_dtype) if bias is None else by.added(d, input, bias, out_dtype=out_dtype)
    y = y.permute(0, dims + 1, *range(1, dims + 1))
    channels_last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(input.dim())
    if channels_last is None or input.is_contiguous() or not input.is_contiguous(memory_format=channels_last):
        y = y.contiguous()
    return y[0] if single else y


def _rows(x: Any, sizes: list[int], kernel: list[int], stride: list[int], dilation: list[int]) -> Any:
    """A view of places × kernel × channels, of N × lengths × channels."""
    step = x.stride()
    places = [step[i + 1] * s for i, s in enumerate(stride)]
    inner = [step[i + 1] * d for i, d in enumerate(dilation)]
    return x.as_strided((x.shape[0], *sizes, *kernel, x.shape[-1]), (step[0], *places, *inner, step[-1]), x.storage_offset())


def _spread(x: Any, stride: list[int], more: list[int], padding: list[int], dilation: list[int], weight: Any) -> Any:
    """Of a transposed convolution: zeros between the elements and around them, so that a plain one follows."""
    places = [(n - 1) * s + 1 for n, s in zip(x.shape[2:], stride)]
    spread = x.new_zeros(*x.shape[:2], *places)
    spread[(..., *(slice(None, None, s) for s in stride))] = x
    around = [d * (k - 1) - p for k, p, d in zip(weight.shape[2:], padding, dilation)]
    return torch.nn.functional.pad(spread, [n for a, m in zip(reversed(around), reversed(more)) for n in (a, a + m)])


def _turned(weight: Any, groups: int) -> Any:
    """Of a transposed convolution: what a plain one multiplies by."""
    inner, outer = weight.shape[:2]
    each = weight.reshape(groups, inner // groups, outer, *weight.shape[2:]).transpose(1, 2)
    return each.reshape(groups * outer, inner // groups, *weight.shape[2:]).flip(list(range(2, weight.dim())))


PRODUCTS: dict[str, Callable[..., Any]] = {"convolution": _convolution, "_convolution": _convolution}
