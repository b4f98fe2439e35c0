"""Names of number formats: discern's, and those of numpy, ml_dtypes and torch beside them.

The table of formats itself (widths, biases, what is special) is the library's; see `formats()`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import _core
from .errors import ArrayError, InputError

#: discern's name of a format → names of element types that hold it: numpy's or ml_dtypes', torch's.
DTYPES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "f64": (("float64",), ("float64",)),
    "f32": (("float32",), ("float32",)),
    "tf32": (("float32",), ("float32",)),  # the low 13 bits are not looked at
    "bf16": (("bfloat16",), ("bfloat16",)),
    "f16": (("float16",), ("float16",)),
    "e5m2": (("float8_e5m2",), ("float8_e5m2",)),
    "e4m3": (("float8_e4m3fn",), ("float8_e4m3fn",)),
    "e5m2fnuz": (("float8_e5m2fnuz",), ("float8_e5m2fnuz",)),
    "e4m3fnuz": (("float8_e4m3fnuz",), ("float8_e4m3fnuz",)),
    "e3m2": (("float6_e3m2fn",), ()),
    "e2m3": (("float6_e2m3fn",), ()),
    "e2m1": (("float4_e2m1fn",), ("float4_e2m1fn_x2",)),
    "e8m0": (("float8_e8m0fnu",), ("float8_e8m0fnu",)),
    "ue4m3": (("float8_e4m3fn",), ("float8_e4m3fn",)),  # the sign is not looked at
}
#: Other people's name → discern's; where two are stored alike, the plain one.
NAMES = {name: ours for ours, kinds in DTYPES.items() if ours not in ("tf32", "ue4m3") for kind in kinds for name in kind}
#: torch's element type of two fp4 numbers
PACKED = "float4_e2m1fn_x2"


@dataclass(frozen=True)
class Format:
    """A number format: the library's record of it."""

    name: str
    synonym: str
    width: int
    word: int
    digits: int
    exponent_bits: int
    mantissa_bits: int
    has_infinity: bool
    has_nan: bool
    source: str

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def formats() -> list[Format]:
    """The formats that have names of their own. Others are written by their fields: `e5m7`, `fix8.6`."""
    return [Format(**fields) for fields in _core.formats()]


@lru_cache(maxsize=None)
def _format(name: str) -> Format:
    return Format(**_core.format(name))


def format_of(what: Any) -> Format:
    """The format that is meant: a name of discern's, numpy's or ml_dtypes' (`f16`, `float16`, `float8_e4m3fn`), or an
    element type itself (`numpy.float16`, `torch.bfloat16`).

    Raises InputError for a name that there is not, ArrayError for what is no name.
    """
    if isinstance(what, Format):
        return what
    if isinstance(what, str):
        return _format(NAMES.get(what.strip(), what.strip()))
    text = str(what)
    if text.startswith("torch.") and text[6:] in NAMES:
        return _format(NAMES[text[6:]])
    name = getattr(what, "name", None) or getattr(what, "__name__", None)
    if isinstance(name, str) and name in NAMES:
        return _format(NAMES[name])
    raise ArrayError(f"{what!r} is no format; a name is needed, such as 'f16' or 'float8_e4m3fn'")


@dataclass(frozen=True)
class Shape:
    """The formats of a, b, c and d, K, and the scales: what vectors and units must have in common."""

    a: str
    b: str
    c: str | None
    d: str
    K: int
    scale: str | None = None
    block: int = 0

    @property
    def scales(self) -> int:
        """Scale factors of one operand of one vector: one for every `block` elements; 0 without scales."""
        return -(-self.K // self.block) if self.scale else 0

    @property
    def formats(self) -> str:
        """As the option --formats takes them."""
        return f"{self.a},{self.b},{self.c or '-'},{self.d}"

    @property
    def key(self) -> tuple[str, int, str]:
        return (self.formats, self.K, f"{self.scale}/{self.block}" if self.scale else "")

    def format_of(self, operand: str) -> str | None:
        """Of 'a', 'b', 'sa', 'sb', 'c' or 'd'; None: there is no such operand."""
        return self.scale if operand in ("sa", "sb") else getattr(self, operand)

    def row(self, operand: str) -> tuple[int, ...]:
        """The shape of one vector's part of an array."""
        if operand in ("c", "d"):
            return ()
        return (self.scales if operand in ("sa", "sb") else self.K,)

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_key(cls, key: tuple[str, int, str]) -> Shape:
        a, b, c, d = key[0].split(",")
        scale, _, block = key[2].partition("/")
        return cls(a, b, None if c == "-" else c, d, key[1], scale or None, int(block or 0))


def shape_from(formats: Any, K: Any, scale: Any = None) -> Shape:
    """What `formats=`, `K=` and `scale=` mean.

    formats: of a, b, c and d, as 'f16,f16,f32,f32' or a sequence of four; no c is '-' or None.
    scale: 'e8m0/32' or ('e8m0', 32).
    """
    parts = formats.split(",") if isinstance(formats, str) else formats
    if not isinstance(parts, (list, tuple)):
        raise ArrayError(f"formats={formats!r} is no list of formats; 'f16,f16,f32,f32' is one, of a, b, c and d")
    if len(parts) != 4:
        raise InputError(f"formats={formats!r} has {len(parts)} formats; those of a, b, c and d are needed")
    names = [part if part is None or part == "-" else format_of(part).name for part in parts]
    if isinstance(K, bool) or not isinstance(K, int):
        raise ArrayError(f"K={K!r} is no number of products; a whole number is needed")
    if scale is not None and not isinstance(scale, str):
        try:
            scale = f"{format_of(scale[0]).name}/{int(scale[1])}"
        except (TypeError, IndexError, KeyError):
            raise ArrayError(f"scale={scale!r} is not a format and a block, as 'e8m0/32'") from None
    key = _core.check_shape((",".join(name or "-" for name in names), K, scale or ""))
    return Shape.from_key(key)
