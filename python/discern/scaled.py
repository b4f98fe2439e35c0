"""Products of fp8 with scales, as torch._scaled_mm gives them: the library's kernel, and what comes after the sum."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .arrays import WORDS, Kind, from_words, in_its_order, to_words
from .errors import ArrayError, Error, InputError
from .formats import NAMES, format_of
from .packed import Packed
from .profiles import NotMeasured, library_kernel, profile_of
from .progress import showing
from .units import Unit, _positive

#: largest finite number, exponent of the smallest normal one, and fraction bits
_FP8 = {"e4m3": (448.0, -6, 3), "e5m2": (57344.0, -14, 2)}
_OUT = ("f32", "bf16", "f16", "e4m3", "e5m2")
_NAN = {"f32": 0x7FFFFFFF, "bf16": 0x7FFF, "f16": 0x7FFF, "e4m3": 0x7F, "e5m2": 0x7F}


def scaled_mm(
    a: Any, b: Any, scale_a: Any, scale_b: Any, *, bias: Any = None, scale_result: Any = None, out_dtype: Any = "bf16",
    use_fast_accum: bool = False, profile: Any = "h100-pcie", split: Any = None, formats: Any = "e4m3,e4m3", threads: int = 1,
    progress: Any = None,
) -> Any:  # fmt: skip
    """The product of two fp8 matrices with scales, with the bits that a GPU's library gives: torch._scaled_mm.

        d = discern.scaled_mm(a, w.T, 0.5, 2.0, out_dtype="bf16", split=1)

    a: M × K, b: K × N (the transpose of a weight, N × K): ml_dtypes' float8_e4m3fn or float8_e5m2, or torch's; or uint8
    codes, which are of `formats`; b may be discern.packed(b). K and N are multiples of 16.
    scale_a, scale_b: one number each, of f32. scale_result: one more, for results in fp8; others ignore it.
    bias: N numbers of bf16 or f16. How the library rounds their addition was not measured: a warning says so.
    out_dtype: f32, bf16, f16, e4m3 or e5m2, or an element type. use_fast_accum: as torch's.
    profile: whose bits; see discern.profiles(). split: into how many parts k is divided: None asks recorded tables,
    1 is no division, (S, scheme) says it; see discern.library_kernel().
    Returns M × N, of out_dtype (as patterns, where ml_dtypes is not installed).
    Raises ArrayError for a wrong type; InputError for a wrong shape, what the library refuses, or a division that is not
    known.
    """
    row = profile_of(profile)
    out = _out_format(out_dtype)
    if not isinstance(use_fast_accum, (bool, np.bool_)):
        raise ArrayError(f"use_fast_accum={use_fast_accum!r} is neither True nor False")
    of_codes = _formats_of_codes(formats)
    (x, fa, kind), (y, fb, _) = _operand("a", a, of_codes[0]), _operand("b", b, of_codes[1])
    for name, words in (("a", x), ("b", y)):
        if words.ndim != 2:
            raise InputError(f"{name} has the shape {words.shape}; a matrix is needed")
    (m, k), (k_of_b, n) = x.shape, y.shape
    if k != k_of_b:
        raise InputError(f"a and b shapes cannot be multiplied ({m}x{k} and {k_of_b}x{n})")
    if fa == fb == "e5m2":
        raise InputError("multiplication of two float8_e5m2 matrices is not supported; one of them must be e4m3")
    if k % 16 != 0:
        raise InputError(f"a is {m}x{k} and b is {k}x{n}; k must be divisible by 16")
    if n % 16 != 0:
        raise InputError(f"b is {k}x{n}; its columns must be divisible by 16")
    if out == "e5m2" and fa == fb:
        raise InputError(f"{row.library} has no product of e4m3 and e4m3 into e5m2; another out_dtype is right")
    sa, sb = _scale("scale_a", scale_a, m), _scale("scale_b", scale_b, n)
    added = None if bias is None else _bias(bias, out, n)
    result = None if scale_result is None else _scale("scale_result", scale_result, 1)
    threads = _positive("threads", threads)
    if m == 0 or n == 0 or k == 0:
        return from_words(np.zeros((m, n), WORDS[format_of(out).word]), out, Kind(kind.library, False))
    kernel = library_kernel(m, n, k, a=fa, b=fb, out_dtype=out, use_fast_accum=bool(use_fast_accum), profile=row, split=split)
    if kernel.K != k:
        x = np.pad(x, ((0, 0), (0, kernel.K - k)))
        y = np.pad(y.T, ((0, 0), (0, kernel.K - k))).T if y.flags.f_contiguous else np.pad(y, ((0, kernel.K - k), (0, 0)))
    sums = np.empty((m, n), np.uint32)
    unit = Unit(kernel.kernel)._core
    kept = b.core if isinstance(b, Packed) and kernel.K == k else None
    y, by_columns = in_its_order(y)
    with showing("multiplying", progress, 1) as report:
        unit.gemm((m, n, kernel.K), x, y, np.zeros((m, n), np.uint32), None, None, sums, 1, 1, False, threads, "best", report, kept, by_columns)
    return from_words(_finish(sums.view(np.float32), sa, sb, added, result, out), out, Kind(kind.library, False))


def _out_format(out_dtype: Any) -> str:
    try:
        name = format_of(out_dtype).name
    except Error:
        name = ""
    if name not in _OUT:
        raise InputError(f"out_dtype={out_dtype!r} is no type of results; f32, bf16, f16, e4m3 or e5m2 is right")
    return name


def _element_type(x: Any) -> str:
    """The name of an array's element type, of whatever library it is."""
    return str(getattr(x, "dtype", type(x).__name__)).replace("torch.", "")


def _formats_of_codes(formats: Any) -> tuple[str, str]:
    parts = formats.split(",") if isinstance(formats, str) else formats
    if not isinstance(parts, (list, tuple)):
        raise ArrayError(f"formats={formats!r} is no list of formats; 'e4m3,e5m2' is one, of a and b")
    names = tuple(format_of(part).name for part in parts)
    if len(names) != 2 or not set(names) <= set(_FP8):
        raise InputError(f"formats={formats!r} are not those of a and b; two of e4m3 and e5m2 are needed")
    return names


def _operand(name: str, x: Any, of_codes: str) -> tuple[np.ndarray, str, Kind]:
    """Codes, format, and kind of an operand."""
    if isinstance(x, Packed):
        if x.format not in _FP8:
            raise ArrayError(f"{name} is packed, of {x.format}; float8_e4m3fn or float8_e5m2 is needed")
        return x.words, x.format, x.kind
    given = _element_type(x)
    format = of_codes if given == "uint8" else NAMES.get(given)
    if format not in _FP8:
        raise ArrayError(f"{name} has elements of type {given}; float8_e4m3fn, float8_e5m2 or uint8 codes are needed")
    if getattr(x, "requires_grad", False):
        raise InputError(f"{name} requires grad, and no gradient is computed; {name}.detach() is right")
    words, kind = to_words(x, format, name, either_order=name == "b")
    return words, format, kind


def _scale(name: str, scale: Any, lines: int) -> np.float32:
    """One number of f32."""
    if isinstance(scale, (bool, str)) or scale is None:
        raise ArrayError(f"{name}={scale!r} is no scale; one number of f32 is needed")
    if isinstance(scale, (int, float)) and not isinstance(scale, np.generic):
        with np.errstate(over="ignore"):
            return np.float32(scale)
    given = _element_type(scale)
    if given != "float32":
        raise ArrayError(f"{name} has elements of type {given}; float32 is needed")
    words, _ = to_words(scale, "f32", name)
    if words.size != 1 and words.shape in ((lines, 1), (1, lines)):
        raise InputError(f"{name} has a scale a line, and how the library adds up and rounds with these was not measured; one scale is right")
    if words.size != 1:
        raise InputError(f"{name} has the shape {words.shape}; one scale is right")
    return words.reshape(1).view(np.float32)[0]


def _bias(bias: Any, out: str, n: int) -> np.ndarray:
    """N numbers, as f32."""
    given = NAMES.get(_element_type(bias))
    if out == "f32":
        raise InputError("bias is not supported when out_dtype is f32")
    if given not in ("bf16", "f16") or (out in ("bf16", "f16") and given != out):
        raise ArrayError(
            f"bias has elements of type {_element_type(bias)}; {out if out in ('bf16', 'f16') else 'bf16 or f16'} is needed for results "
            f"of {out}"
        )
    words, _ = to_words(bias, given, "bias")
    if words.size != n:
        raise InputError(f"bias has {words.size} elements; it must have {n}, as many as b has columns")
    warnings.warn("the addition of a bias was not measured on any GPU; it is taken for one addition in f32", NotMeasured, stacklevel=3)
    words = words.reshape(n)
    if given == "f16":
        return words.view(np.float16).astype(np.float32)
    return (words.astype(np.uint32) << 16).view(np.float32)


def _rounded(x: np.ndarray) -> np.ndarray:
    """f64 → f32, to nearest even."""
    return x.astype(np.float32)


def _finish(sums: np.ndarray, sa: Any, sb: Any, bias: np.ndarray | None, scale_result: Any, out: str) -> np.ndarray:
    """What follows the sum, as it was measured: alpha = sa·sb rounded to f32, one multiply-add with +0, and a second
    rounding to the type of the result, which saturates for fp8. All NaN are one. Products of two f32 are exact in f64."""
    with np.errstate(all="ignore"):
        alpha = np.float64(np.float32(np.float64(sa) * np.float64(sb)))
        y = _rounded(sums.astype(np.float64) * alpha + 0.0)
        if bias is not None:
            y = y + bias
        if out in _FP8:
            if scale_result is not None:
                y = _rounded(y.astype(np.float64) * np.float64(scale_result))
            words = _to_fp8(y, out)
        elif out == "f32":
            words = y.view(np.uint32)
        elif out == "f16":
            words = y.astype(np.float16).view(np.uint16)
        else:
            bits = y.view(np.uint32)
            words = ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16)
    words[np.isnan(y)] = _NAN[out]
    return words


def _to_fp8(y: np.ndarray, out: str) -> np.ndarray:
    """f32 → fp8, to nearest even; beyond the largest number, infinity too, it is that."""
    most, emin, fraction = _FP8[out]
    magnitude = np.minimum(np.abs(np.nan_to_num(y, nan=0.0, posinf=most, neginf=-most)), np.float32(most))
    exponent = np.where(magnitude == 0, emin, np.maximum(np.frexp(magnitude)[1] - 1, emin))
    steps = np.rint(np.ldexp(magnitude, fraction - exponent)).astype(np.int64)  # which is exact before the rounding
    codes = ((exponent - emin + 1) << fraction) + steps - (1 << fraction)
    return (codes | np.where(np.signbit(y), 0x80, 0)).astype(np.uint8)
