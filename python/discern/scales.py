"""Scales of a product: one number each, one a row and a column, or one a block of k; and what they do to the sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import to_words
from .errors import ArrayError, InputError

#: element types of scales a block → formats of the operands, our name of the scale, and elements of a block
_BLOCKS = {
    ("float8_e8m0fnu", "fp8"): ("ue8m0", 32),
    ("float8_e8m0fnu", "fp4"): ("ue8m0", 32),
    ("float8_e4m3fn", "fp4"): ("ue4m3", 16),
}


@dataclass(frozen=True)
class Scales:
    """`kind`: tensor, rows or blocks. a, b: one f32 each; M × 1 and 1 × N of f32; or patterns, M × k/block and
    k/block × N."""

    kind: str
    a: Any
    b: Any
    format: str = "f32"  #: of blocks: ue8m0 or ue4m3
    block: int = 0


def element_type(x: Any) -> str:
    """The name of an array's element type, of whatever library it is."""
    return str(getattr(x, "dtype", type(x).__name__)).replace("torch.", "")


def one_scale(name: str, scale: Any) -> np.float32:
    """One number of f32."""
    words = _numbers(name, scale)
    if words.size != 1:
        raise InputError(f"{name} has the shape {words.shape}; one scale is right")
    return words.reshape(1)[0]


def _numbers(name: str, scale: Any) -> np.ndarray:
    if isinstance(scale, (bool, str)) or scale is None:
        raise ArrayError(f"{name}={scale!r} is no scale; one number of f32 is needed")
    if isinstance(scale, (int, float)) and not isinstance(scale, np.generic):
        with np.errstate(over="ignore"):
            return np.array(np.float32(scale))
    if element_type(scale) != "float32":
        raise ArrayError(f"{name} has elements of type {element_type(scale)}; float32 is needed")
    words, _ = to_words(scale, "f32", name)
    return words.view(np.float32)


def scales_of(a: Any, b: Any, m: int, n: int, k: int, operands: str) -> Scales:
    """The scales of a product, M × K by K × N. operands: fp8 or fp4.

    f32: one number each; or M × 1 and 1 × N. float8_e8m0fnu, one for 32 elements of k, and for fp4 float8_e4m3fn, one for
    16: M × k/block and k/block × N, or one array each in the order of tiles of 128 × 4 that Blackwell's libraries read.
    Raises InputError for other shapes; what is right stands in the sentence.
    """
    found = _BLOCKS.get((element_type(a), operands))
    if found is not None:
        if element_type(b) != element_type(a):
            raise ArrayError(f"scale_a has elements of type {element_type(a)} and scale_b of {element_type(b)}; both must have one type")
        format, block = found
        if k % block != 0:
            raise InputError(f"k is {k}; with a scale for {block} elements it must be divisible by {block}")
        return Scales("blocks", _blocks("scale_a", a, format, m, k // block), _blocks("scale_b", b, format, n, k // block).T, format, block)
    if operands == "fp4":
        raise ArrayError(f"scale_a has elements of type {element_type(a)}; products of fp4 need float8_e4m3fn (16 elements) or float8_e8m0fnu (32)")
    x, y = _numbers("scale_a", a), _numbers("scale_b", b)
    if x.size == 1 and y.size == 1:
        return Scales("tensor", x.reshape(1)[0], y.reshape(1)[0])
    if x.shape == (m, 1) and y.shape == (1, n):
        return Scales("rows", x, y)
    raise InputError(
        f"scale_a has the shape {x.shape} and scale_b {y.shape}; one scale each, or the shapes ({m}, 1) and (1, {n}), are right"
    )


def _blocks(name: str, scale: Any, format: str, lines: int, count: int) -> np.ndarray:
    """Patterns, lines × count."""
    words, _ = to_words(scale, "e8m0" if format == "ue8m0" else "e4m3", name)
    plain = (count, lines) if name == "scale_b" else (lines, count)
    if words.shape == plain:
        return np.ascontiguousarray(words.T) if name == "scale_b" else words
    rows, columns = -(-lines // 128) * 128, -(-count // 4) * 4
    if words.ndim == 1 and words.size == rows * columns:
        return in_rows(words, rows, columns)[:lines, :count]
    raise InputError(
        f"{name} has the shape {words.shape}; {plain}, or {rows * columns} in the order of tiles of 128 × 4, is right"
    )


def in_rows(words: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Scales from the order in which Blackwell reads them: tiles of 128 × 4, in each of which 32 lines follow one
    another, each with the four scales of rows r, r + 32, r + 64 and r + 96."""
    tiles = words.reshape(rows // 128, columns // 4, 32, 4, 4)
    return np.ascontiguousarray(tiles.transpose(0, 3, 2, 1, 4).reshape(rows, columns))


def is_b_first(M: int, N: int) -> bool:
    """Whether torch's kernel for scales a row on Hopper computes the transpose of the product: then the sum is multiplied
    by the scale of B first. Read in torch's RowwiseScaledMM.cu, where it depends on the shape alone."""
    m, n = -(-M // 64) * 64, -(-N // 64) * 64
    odd_m, odd_n = m % 256 != 0, n % 256 != 0
    if m == 64 and n >= 3072 or n == 192 and m >= 4096:
        return False
    if n == 64 and m >= 3072 or m == 192 and n >= 4096:
        return True
    if m * n <= 4096 * 4096 and odd_m != odd_n:
        return odd_m
    if odd_m and odd_n:
        return (m <= n) != (m * n <= 1024 * 1024)
    return not (m >= 4096 and n >= 4096 and m >= n)


def scaled(sums: np.ndarray, scales: Scales) -> np.ndarray:
    """The sums, f32, with scales that are not those of blocks."""
    if scales.kind == "tensor":  # alpha rounded to f32, and one multiply-add with +0; products of two f32 are exact in f64
        alpha = np.float64(np.float32(np.float64(scales.a) * np.float64(scales.b)))
        return (sums.astype(np.float64) * alpha + 0.0).astype(np.float32)
    first, second = (scales.b, scales.a) if is_b_first(*sums.shape) else (scales.a, scales.b)
    return sums * first * second  # each rounded to f32
