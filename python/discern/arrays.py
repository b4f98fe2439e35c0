"""Arrays in, arrays out: of whatever kind they are, to words of bit patterns and back.

Nothing is copied that already lies in C order. torch, jax and ml_dtypes are imported only if their arrays come in.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from .errors import ArrayError, InputError
from .formats import DTYPES, PACKED, Format, format_of

WORDS = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8")}


@dataclass(frozen=True)
class Kind:
    """What came in, and so what goes out: of which library, and whether as numbers or as patterns."""

    library: str  # "numpy", "torch", "jax"
    is_patterns: bool


def _torch_of(x: Any) -> Any:
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def _unpacked(words: np.ndarray) -> np.ndarray:
    """Two fp4 a byte, the first one in the low bits, to one a byte."""
    both = np.empty(words.shape[:-1] + (2 * words.shape[-1],), np.uint8)
    both[..., 0::2] = words & 15
    both[..., 1::2] = words >> 4
    return both


def _as_numpy(x: Any, operand: str, either_order: bool = False) -> tuple[np.ndarray, str, str]:
    """The array as numpy's, with the name of its element type and of the library that it is of."""
    torch = _torch_of(x)
    if torch is not None:
        if x.device.type != "cpu":
            raise ArrayError(f"{operand} is on {x.device}; units compute on the CPU, where .cpu() brings it")
        if x.layout != torch.strided:
            raise ArrayError(f"{operand} is {x.layout}; a dense tensor is needed, as .to_dense() gives")
        name = str(x.dtype)[len("torch.") :]
        x = x.detach().resolve_conj().resolve_neg()
        by_columns = either_order and x.dim() == 2 and x.t().is_contiguous()
        x = x.t() if by_columns else x.contiguous()
        if name == "bool" or name.startswith("complex") or name.startswith("q"):
            raise ArrayError(f"{operand} has elements of type torch.{name}; numbers or patterns are needed")
        same = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
        words = x.view(same).numpy().view(WORDS[x.element_size()])
        return words.T if by_columns else words, name, "torch"
    if isinstance(x, (list, tuple, float, int)) and not isinstance(x, bool):
        try:
            x = np.asarray(x)
        except ValueError:
            raise InputError(f"{operand} is a list whose rows are of different length") from None
        if x.dtype.kind not in "fiu":
            raise ArrayError(f"{operand} is a list of {x.dtype.name}; numbers are needed")
        return _exact(x, operand), "numbers", "numpy"
    if isinstance(x, np.ma.MaskedArray):
        raise ArrayError(f"{operand} has a mask, of which units know nothing; .data or .filled(0) is right")
    library = "numpy"
    if not isinstance(x, (np.ndarray, np.generic)):
        if type(x).__module__.partition(".")[0] in ("jax", "jaxlib"):
            x, library = np.asarray(x), "jax"
        elif hasattr(x, "__array_interface__") or hasattr(x, "__array__"):
            x = np.asarray(x)
        elif hasattr(x, "__dlpack__"):
            try:
                x = np.from_dlpack(x)
            except (BufferError, RuntimeError, TypeError) as error:
                raise ArrayError(f"{operand} cannot be read by DLPack ({error}); a view of patterns on the CPU can") from error
        else:
            try:
                view = memoryview(x)
            except TypeError:
                raise ArrayError(
                    f"{operand} is {type(x).__name__}; an array is needed, of numpy, torch or with __dlpack__"
                ) from None
            x = np.asarray(view)
    x = np.asarray(x)
    if x.dtype.byteorder == ">" or (x.dtype.byteorder == "=" and sys.byteorder == "big"):
        x = x.astype(x.dtype.newbyteorder("<"))
    return x, x.dtype.name, library


def _exact(numbers: np.ndarray, operand: str) -> np.ndarray:
    """As float64. Raises InputError for a number that is none of its numbers."""
    values = numbers.astype(np.float64)
    if numbers.dtype.kind in "iu" or numbers.dtype.itemsize > 8:
        with np.errstate(all="ignore"):
            back = [int(v) for v in values.ravel()] if numbers.dtype.kind in "iu" else values.astype(numbers.dtype).ravel()
        for i, (number, same) in enumerate(zip(numbers.ravel().tolist() if numbers.dtype.kind in "iu" else numbers.ravel(), back)):
            if number != same and not (number != number):
                raise InputError(f"{operand}: element {i}: {number} is no number of float64, which has the integers up to 2**53")
    return values


def to_words(x: Any, what: Format | str, operand: str, packed: bool = False, either_order: bool = False) -> tuple[np.ndarray, Kind]:
    """The patterns of an array of that format: unsigned words in C order, in the array's own memory where it lies so.

    x: numbers of the format's element type, or unsigned integers of its word, which are patterns; a list of numbers
    that the format has.
    packed: two fp4 patterns a byte, the first in the low bits; the last axis is twice as long then.
    either_order: a matrix may lie column after column, as the transpose of one in C order does.
    Raises ArrayError for elements of another type, InputError for numbers that the format has not.
    """
    f = format_of(what)
    array, name, library = _as_numpy(x, operand, either_order)
    numpy_names, torch_names = DTYPES.get(f.name, ((), ()))
    word = WORDS[f.word]
    if name == "numbers":
        return patterns(f, array, rounding="exact", operand=operand), Kind("numpy", False)
    if name == PACKED:
        if f.name != "e2m1":
            raise ArrayError(f"{operand} has packed fp4, but the format is {f.name}")
        return _unpacked(array), Kind(library, False)
    if name in (torch_names if library == "torch" else numpy_names):
        is_patterns = False
    elif name == word.name or (library == "torch" and name == f"int{8 * word.itemsize}"):
        is_patterns = True
    else:
        right = numpy_names[:1] if library != "torch" else torch_names[:1]
        raise ArrayError(
            f"{operand} has elements of type {name}; {f.name} needs {' or '.join([*right, word.name + ' patterns'])}"
            + (f" (discern.patterns('{f.name}', …) rounds numbers)" if name.startswith(("float", "int", "bfloat")) else "")
        )
    if packed:
        if f.width != 4:
            raise InputError(f"packed=True is for formats of 4 bits, and {operand} is {f.name}")
        if not is_patterns or array.ndim == 0:
            raise ArrayError(f"{operand} has elements of type {name}; packed=True takes bytes of two patterns")
        return _unpacked(array.view(np.uint8)), Kind(library, True)
    if not array.flags.c_contiguous and not (either_order and array.ndim == 2 and array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    return array.view(word), Kind(library, is_patterns)


def in_its_order(words: np.ndarray) -> tuple[np.ndarray, bool]:
    """A matrix as what lies in memory in C order, and whether that is its transpose."""
    return (words, False) if words.flags.c_contiguous else (words.T, True)


def from_words(words: np.ndarray, what: Format | str, kind: Kind) -> Any:
    """The array that goes out, of the kind that came in; patterns where the library has no such numbers."""
    f = format_of(what)
    array = words
    if not kind.is_patterns:
        array = as_numbers(words, f, use_ml_dtypes=kind.library != "torch")
    if kind.library == "torch":
        import torch

        same = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[words.dtype.itemsize]
        signed = words.view(f"i{words.dtype.itemsize}") if words.dtype.itemsize > 1 else words
        tensor = torch.from_numpy(signed).view(same)
        names = () if kind.is_patterns else [n for n in DTYPES.get(f.name, ((), ()))[1] if n != PACKED]
        return tensor.view(getattr(torch, names[0])) if names and hasattr(torch, names[0]) else tensor
    if kind.library == "jax":
        import jax.numpy

        return jax.numpy.asarray(array)
    return array[()] if array.ndim == 0 else array


def as_numbers(words: np.ndarray, what: Format | str, use_ml_dtypes: bool = True) -> np.ndarray:
    """Words as an array of the format's own element type; the words themselves if there is none, or ml_dtypes, whose it
    is, is not installed."""
    f = format_of(what)
    for name in DTYPES.get(f.name, ((), ()))[0]:
        if hasattr(np, name):
            return words.view(getattr(np, name))
        if use_ml_dtypes:
            try:
                import ml_dtypes
            except ImportError:
                return words
            if hasattr(ml_dtypes, name):
                return words.view(getattr(ml_dtypes, name))
    return words


def patterns(format: Any, numbers: Any, rounding: str = "rne", operand: str = "numbers") -> np.ndarray:
    """The bit patterns of numbers in a format, each in the smallest unsigned word that holds it.

    numbers: an array, or a list, of anything that is exact in float64.
    rounding: 'rne', 'rna', 'rnu', 'rnd', 'rnz', 'rno', 'rz', 'ra', 'rd', 'ru', 'odd', or 'exact', which refuses numbers that the format
        has not.
    Raises InputError where a number cannot be one of the format.
    """
    f = format_of(format)
    try:
        given = np.asarray(numbers)
        is_wide = rounding == "exact" and (given.dtype.kind in "iu" or (given.dtype.kind == "f" and given.dtype.itemsize > 8))
        values = np.ascontiguousarray(_exact(given, operand) if is_wide else given, np.float64).reshape(given.shape)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise ArrayError(f"{operand} are no numbers: {error}") from error
    out = np.empty(values.shape, WORDS[f.word])
    try:
        _core.patterns(f.name, values, out, rounding)
    except InputError as error:
        raise InputError(f"{operand}: {error}" + (f" ({f.name})" if f.name not in str(error) else "")) from None
    return out


def numbers(format: Any, patterns: Any) -> np.ndarray:
    """The numbers of bit patterns, exact, as float64: NaN and infinities are themselves.

    patterns: unsigned words of the format, or an array of its element type.
    """
    f = format_of(format)
    words, _ = to_words(patterns, f, "patterns")
    out = np.empty(words.shape, np.float64)
    _core.numbers(f.name, words, out)
    return out
