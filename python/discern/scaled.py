"""Products of fp8 and fp4 with scales, as torch._scaled_mm gives them: the library's kernel, and what comes after the sum."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .arrays import WORDS, Kind, from_words, in_its_order, to_words
from .errors import ArrayError, Error, InputError
from .formats import NAMES, PACKED, format_of
from .packed import Packed
from .profiles import LibraryKernel, NotMeasured, kernel_with_scales, library_kernel, profile_of
from .progress import showing
from .scales import Scales, element_type, one_scale, scaled, scales_of
from .units import Unit, _positive

#: largest finite number, exponent of the smallest normal one, and fraction bits
_FP8 = {"e4m3": (448.0, -6, 3), "e5m2": (57344.0, -14, 2)}
_OPERANDS = ("e4m3", "e5m2", "e2m1")
_OUT = ("f32", "bf16", "f16", "e4m3", "e5m2")
_NAN = {"f32": 0x7FFFFFFF, "bf16": 0x7FFF, "f16": 0x7FFF, "e4m3": 0x7F, "e5m2": 0x7F}


def scaled_mm(
    a: Any, b: Any, scale_a: Any, scale_b: Any, *, bias: Any = None, scale_result: Any = None, out_dtype: Any = "bf16",
    use_fast_accum: bool = False, profile: Any = "h100-pcie", split: Any = None, formats: Any = "e4m3,e4m3", threads: int = 1,
    progress: Any = None,
) -> Any:  # fmt: skip
    """The product of two matrices with scales, with the bits that a GPU's library gives: torch._scaled_mm.

        d = discern.scaled_mm(a, w.T, 0.5, 2.0, out_dtype="bf16", split=1)

    a: M × K, b: K × N (the transpose of a weight, N × K): ml_dtypes' float8_e4m3fn or float8_e5m2, or torch's; or uint8
    codes, which are of `formats`; b may be discern.packed(b). K and N are multiples of 16. With scales a block fp4 too.
    scale_a, scale_b: one number each, of f32; or M × 1 and 1 × N; or one a block of k, as discern.scales.scales_of has it.
    scale_result: one number, for results in fp8; others ignore it.
    bias: N numbers of bf16 or f16.
    out_dtype: f32, bf16, f16, e4m3 or e5m2, or an element type. use_fast_accum: as torch's.
    profile: whose bits; see discern.profiles(). split: into how many parts k is divided: None asks recorded tables,
    1 is no division, (S, scheme) says it; see discern.library_kernel().
    Returns M × N, of out_dtype (as patterns, where ml_dtypes is not installed).
    What was not compared with a GPU (a bias, scales a row or a block) says so by the warning NotMeasured.
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
    if (fa == "e2m1") != (fb == "e2m1"):
        raise InputError(f"a is {fa} and b is {fb}; both must be fp8, or both fp4")
    if k % 16 != 0:
        raise InputError(f"a is {m}x{k} and b is {k}x{n}; k must be divisible by 16")
    if n % 16 != 0:
        raise InputError(f"b is {k}x{n}; its columns must be divisible by 16")
    scales = scales_of(scale_a, scale_b, m, n, k, "fp4" if fa == "e2m1" else "fp8")
    if fa == fb == "e5m2" and scales.kind != "blocks":
        raise InputError("multiplication of two float8_e5m2 matrices is not supported; one of them must be e4m3")
    if out == "e5m2" and fa == fb:
        raise InputError(f"{row.library} has no product of {fa} and {fb} into e5m2; another out_dtype is right")
    added = None if bias is None else _bias(bias, out, n)
    result = None if scale_result is None else one_scale("scale_result", scale_result)
    threads = _positive("threads", threads)
    if m == 0 or n == 0 or k == 0:
        return from_words(np.zeros((m, n), WORDS[format_of(out).word]), out, Kind(kind.library, False))
    fast = bool(use_fast_accum)
    if scales.kind == "tensor":
        kernel = library_kernel(m, n, k, a=fa, b=fb, out_dtype=out, use_fast_accum=fast, profile=row, split=split)
    else:
        kernel = kernel_with_scales(row, scales, k, a=fa, b=fb, out_dtype=out, use_fast_accum=fast, split=split)
    sums = _sums(kernel, x, y, b.core if isinstance(b, Packed) else None, scales, threads, progress)
    return from_words(_finish(sums, scales, added, result, out), out, Kind(kind.library, False))


def _sums(kernel: LibraryKernel, x: np.ndarray, y: np.ndarray, kept: Any, scales: Scales, threads: int, progress: Any) -> np.ndarray:
    """f32, M × N."""
    (m, k), n = x.shape, y.shape[1]
    if kernel.K != k:
        kept = None
        x = np.pad(x, ((0, 0), (0, kernel.K - k)))
        y = np.pad(y.T, ((0, 0), (0, kernel.K - k))).T if y.flags.f_contiguous else np.pad(y, ((0, kernel.K - k), (0, 0)))
    sa = sb = None
    if scales.kind == "blocks":
        kept = None
        more, one = (kernel.K - k) // scales.block, 0x7F if scales.format == "ue8m0" else 0x38
        sa = np.ascontiguousarray(np.pad(scales.a, ((0, 0), (0, more)), constant_values=one))
        sb = np.ascontiguousarray(np.pad(scales.b, ((0, more), (0, 0)), constant_values=one))
    y, by_columns = in_its_order(y)
    sums = np.empty((m, n), np.uint32)
    with showing("multiplying", progress, 1) as report:
        Unit(kernel.kernel)._core.gemm(
            (m, n, kernel.K), np.ascontiguousarray(x), y, np.zeros((m, n), np.uint32), sa, sb, sums, 1, 1, False, threads, "best", report,
            kept, by_columns,
        )  # fmt: skip
    return sums.view(np.float32)


def _out_format(out_dtype: Any) -> str:
    try:
        name = format_of(out_dtype).name
    except Error:
        name = ""
    if name not in _OUT:
        raise InputError(f"out_dtype={out_dtype!r} is no type of results; f32, bf16, f16, e4m3 or e5m2 is right")
    return name


def _formats_of_codes(formats: Any) -> tuple[str, str]:
    parts = formats.split(",") if isinstance(formats, str) else formats
    if not isinstance(parts, (list, tuple)):
        raise ArrayError(f"formats={formats!r} is no list of formats; 'e4m3,e5m2' is one, of a and b")
    names = tuple(format_of(part).name for part in parts)
    if len(names) != 2 or not set(names) <= set(_OPERANDS):
        raise InputError(f"formats={formats!r} are not those of a and b; two of e4m3, e5m2 and e2m1 are needed")
    return names


def _operand(name: str, x: Any, of_codes: str) -> tuple[np.ndarray, str, Kind]:
    """Codes, format, and kind of an operand."""
    if isinstance(x, Packed):
        if x.format not in _FP8:
            raise ArrayError(f"{name} is packed, of {x.format}; float8_e4m3fn or float8_e5m2 is needed")
        return x.words, x.format, x.kind
    given = element_type(x)
    format = of_codes if given == "uint8" else NAMES.get(given)
    if format not in _OPERANDS:
        raise ArrayError(f"{name} has elements of type {given}; float8_e4m3fn, float8_e5m2 or uint8 codes are needed")
    if getattr(x, "requires_grad", False):
        raise InputError(f"{name} requires grad, and no gradient is computed; {name}.detach() is right")
    if given == PACKED and name == "b":  # two elements of a column a byte
        words, kind = to_words(x.t(), format, name)
        return words.T, format, kind
    words, kind = to_words(x, format, name, either_order=name == "b")
    if format == "e2m1" and words.size and int(words.max()) > 15:
        raise InputError(f"{name} has codes above 15; those of e2m1 have 4 bits, one a byte")
    return words, format, kind


def _bias(bias: Any, out: str, n: int) -> np.ndarray:
    """N numbers, as f32."""
    given = NAMES.get(element_type(bias))
    if out == "f32":
        raise InputError("bias is not supported when out_dtype is f32")
    if given not in ("bf16", "f16") or (out in ("bf16", "f16") and given != out):
        raise ArrayError(
            f"bias has elements of type {element_type(bias)}; {out if out in ('bf16', 'f16') else 'bf16 or f16'} is needed for results "
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


def _finish(sums: np.ndarray, scales: Scales, bias: np.ndarray | None, scale_result: Any, out: str) -> np.ndarray:
    """What follows the sum: scales, bias, and a second rounding to the type of the result, which saturates for fp8. All
    NaN are one."""
    with np.errstate(all="ignore"):
        y = sums if scales.kind == "blocks" else scaled(sums, scales)
        if bias is not None or scales.kind == "rows":
            y = y + (np.float32(0) if bias is None else bias)
        if out in _FP8:
            if scale_result is not None:
                y = (y.astype(np.float64) * np.float64(scale_result)).astype(np.float32)
            words = _to_fp8(y, out)
        elif out == "f32":
            words = y.view(np.uint32).copy()
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
