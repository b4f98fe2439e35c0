"""Which kernel a library takes for a product: a table of GPU, library, caller and workspace, with the rule and the
evidence of each row.

An instruction and a schedule give the bits of a product (docs/kernels.md); a library decides which from the shape. Where
that decision is not known, nothing is guessed: `split=` says it, or an error names the ways to find out.
"""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass
from typing import Any, Callable

from .errors import ArrayError, InputError
from .split_tables import Question, decide
from .units import Unit


@dataclass(frozen=True)
class Profile:
    """A row of the table: whose products these are, by which rule they are computed, and why one should believe it."""

    name: str
    gpu: str
    library: str
    caller: str
    workspace: int  #: bytes that the caller gives the library for partial sums
    instructions: str  #: with {a} and {b} in the place of the operands' formats
    promotes: bool  #: without fast accumulation, tiles of k are chains of their own
    schemes: tuple[str, ...]  #: how parts of k can be divided and added; the first is the usual one
    device: tuple[int, int, int] | None  #: compute capability and SMs of the GPU whose library may be asked
    custom: dict[int, str]  #: the scheme, by the custom option of cuBLASLt's algorithm
    table: str  #: of recorded decisions: its name in the package mmaemu; "": there is none
    rows: bool  #: whether it is known what scales a row do
    blocks: dict[str, str]  #: instructions with a scale a block, by the operands and the format of scales
    rule: str
    evidence: str
    source: str

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "schemes": list(self.schemes), "device": None if self.device is None else list(self.device)}


@dataclass(frozen=True)
class LibraryKernel:
    """A product as a library computes it: `kernel` is UNIT@[K=… …], whose missing elements at the end are +0."""

    kernel: str
    K: int  #: of the kernel: k, rounded up to whole instructions
    split: tuple[int, str]  #: parts of k, and the scheme; (1, "none") without
    source: str  #: who said so: split=, a table, the rule for no workspace
    note: str = ""


_SOURCE = "mmaemu 0.1.0 (PyPI): recordings of the GPU, replayed"
_H100 = dict(
    gpu="H100 PCIe, 114 SMs", library="cuBLASLt 12.8.3.14", instructions="hopper/wgmma.m64n8k32.f32.{a}.{b}",
    device=(9, 0, 114), custom={option: "contiguous" for option in range(8)}, promotes=True, schemes=("contiguous",), table="heur_h100pcie_lt12.8.3.14", rows=True, blocks={}, evidence="measured", source=_SOURCE,
    rule="contiguous parts of whole tiles of 128 elements, added in order; without fast accumulation each tile is a chain of its own",
)  # fmt: skip
_RTX4060 = dict(
    gpu="RTX 4060, 24 SMs", library="cuBLASLt 12.8.3.14", instructions="ada/mma.m16n8k32.f32.{a}.{b}.f32",
    device=(8, 9, 24), custom={0: "serial", 1: "pairwise", 2: "serial"}, promotes=True, schemes=("serial", "pairwise"), table="heur_rtx4060_lt12.8.3.14", rows=False, blocks={}, evidence="measured", source=_SOURCE,
    rule="tiles of 64 elements dealt to the parts in turn, added in order or the last first; without fast accumulation two tiles of "
    "a part are a chain of their own",
)  # fmt: skip

_BLOCK = "blackwell/tcgen05.mma.m128n8k{0}.block{1}.f32.{{a}}.{{b}}.{2}"
_B200 = dict(
    gpu="B200", library="cuBLASLt", instructions="blackwell/tcgen05.mma.m64n8k32.f32.{a}.{b}", promotes=False, schemes=(), table="",
    device=None, custom={},
    rows=False, evidence="inferred", source="the units of the catalogue; that k is one chain is usual, and was not compared",
    blocks={
        "fp8 ue8m0": _BLOCK.format(32, 32, "ue8m0"), "fp4 ue8m0": _BLOCK.format(64, 32, "ue8m0"), "fp4 ue4m3": _BLOCK.format(64, 16, "ue4m3"),
    },
    rule="one chain over k; with a scale for 32 elements (MX) or 16 (NVFP4) the instruction that multiplies by them",
)  # fmt: skip

_PROFILES = {
    profile.name: profile
    for profile in (
        Profile(name="h100-pcie", caller="torch._scaled_mm (torch 2.7.1)", workspace=1 << 20, **_H100),
        Profile(name="h100-pcie-te", caller="Transformer Engine 2.3", workspace=32 << 20, **_H100),
        Profile(name="rtx4060", caller="torch._scaled_mm (torch 2.7.1)", workspace=1 << 20, **_RTX4060),
        Profile(name="rtx4060-te", caller="Transformer Engine 2.3", workspace=4 << 20, **_RTX4060),
        Profile(name="b200", caller="torch._scaled_mm", workspace=32 << 20, **_B200),
    )
}


def profiles() -> list[Profile]:
    """The table: GPUs, libraries and callers whose fp8 products can be computed."""
    return list(_PROFILES.values())


def profile_of(what: Any) -> Profile:
    """The profile of that name. Raises InputError for one that there is not."""
    if isinstance(what, Profile):
        return what
    if not isinstance(what, str):
        raise ArrayError(f"profile={what!r} is no profile; a name is needed, such as 'h100-pcie'")
    if what not in _PROFILES:
        raise InputError(f"profile={what!r} is not known; the profiles are {', '.join(_PROFILES)}")
    return _PROFILES[what]


def split_of(profile: Profile, split: Any) -> tuple[int, str] | None:
    """What `split=` says: parts and scheme; None if it says nothing."""
    right = " or ".join(f"(S, '{scheme}')" for scheme in profile.schemes) or "1"
    if split is None:
        return None
    parts, scheme = split if isinstance(split, (tuple, list)) and len(split) == 2 else (split, None)
    if isinstance(parts, bool) or not isinstance(parts, int):
        raise ArrayError(f"split={split!r} is no division of k; None, 1 or {right} is right")
    if not 1 <= parts <= 1 << 14:
        raise InputError(f"split={split!r}: {parts} parts are out of range; 1 to {1 << 14} are right")
    if parts == 1 and scheme in (None, "none"):
        return (1, "none")
    if scheme is None:
        does = f"split={right} with S = {parts} does" if profile.schemes else f"no scheme of the {profile.gpu} is known, and split=1 is right"
        raise InputError(f"split={parts} does not say how the parts are divided and added; {does}")
    if scheme not in profile.schemes:
        raise InputError(f"split={split!r}: {profile.library} on the {profile.gpu} has no scheme {scheme!r}; {right} is right")
    return (parts, scheme) if parts > 1 else (1, "none")


def _up(n: int, to: int) -> int:
    return -(-n // to) * to


def _contiguous(K: int, parts: int, fast: bool) -> tuple[int, str]:
    """Tiles of 128; part s has tiles s·q … s·q + q − 1. A part without tiles is +0, which changes no sum."""
    tile = 128
    each = _up(-(-K // tile), parts) // parts * tile
    K = _up(K, 32)
    lengths = [min(each, K - first) for first in range(0, K, each)]
    keys = [] if len(lengths) == 1 else [f"split={'+'.join(map(str, lengths))}", "reduce=order:f32:rne"]
    return K, " ".join(keys + ([] if fast else [f"promote={tile}:f32:rne"]))


def _interleaved(order: str) -> Callable[[int, int, bool], tuple[int, str]]:
    """Tiles of 64; part s has the tiles t with t mod S = s. In order, parts without tiles change no sum."""

    def schedule(K: int, parts: int, fast: bool) -> tuple[int, str]:
        tile = 64
        tiles, K = -(-K // tile), _up(K, 32)
        if parts > tiles and order == "order":
            parts = tiles
        elif parts > tiles:
            K = parts * tile
        keys = [] if parts == 1 else [f"slice={parts}", f"run={tile}", f"reduce={order}:f32:rne"]
        return K, " ".join(keys + ([] if fast else [f"promote={2 * tile}:f32:rne"]))

    return schedule


#: by scheme: k, parts and fast accumulation → K of the kernel and what stands between the brackets
_SCHEDULES: dict[str, Callable[[int, int, bool], tuple[int, str]]] = {
    "none": _contiguous,
    "contiguous": _contiguous,
    "serial": _interleaved("order"),
    "pairwise": _interleaved("last-halves"),
}


def library_kernel(
    M: int, N: int, K: int, *, a: str = "e4m3", b: str = "e4m3", out_dtype: str = "bf16", use_fast_accum: bool = False,
    profile: Any = "h100-pcie", split: Any = None,
) -> LibraryKernel:  # fmt: skip
    """Which kernel the profile's library takes for a product of fp8, M × K by K × N.

    a, b: formats of the operands. out_dtype: of the result, which the decision depends on.
    split: None: by the tables of the package mmaemu, if it is installed, or by this machine's cuBLASLt, if it and the GPU
    are the profile's; 1; or (S, scheme).
    Raises InputError if the decision is not known; the sentence names the ways to say it.
    """
    row = profile_of(profile)
    given = split_of(row, split)
    if given is not None:
        decision, source, note = given, "split", ""
    else:
        decision, source, note = decide(row, Question(M, N, K, a, b, out_dtype, bool(use_fast_accum)))
    length, schedule = _SCHEDULES[decision[1]](K, decision[0], bool(use_fast_accum) or not row.promotes)
    unit = row.instructions.format(a=a, b=b)
    return LibraryKernel(f"{unit}@[K={length}{' ' if schedule else ''}{schedule}]", length, decision, source, note)


def kernel_with_scales(
    row: Profile, scales: Any, K: int, *, a: str, b: str, out_dtype: str, use_fast_accum: bool, split: Any,
) -> LibraryKernel:  # fmt: skip
    """The kernel of a product with scales a row or a block, which is never divided. Warns that it was not measured.
    Raises InputError where the profile has none."""
    if split not in (None, 1):
        raise InputError(f"split={split!r}: products with scales a row or a block are not divided; None or 1 is right")
    if scales.kind == "rows":
        if not row.rows:
            raise InputError(f"what a scale a row does on the {row.gpu} is not known; one scale each, or profile='h100-pcie', is right")
        if b != "e4m3" or out_dtype not in ("bf16", "f16", "f32"):
            raise InputError(f"scales a row: b is {b} and out_dtype {out_dtype}; b of e4m3 and bf16, f16 or f32 are right")
        length, schedule = _contiguous(K, 1, use_fast_accum)
        unit, told = row.instructions.format(a=a, b=b), "scales a row follow torch's RowwiseScaledMM.cu and CUTLASS as read"
    else:
        which = f"{'fp4' if a == 'e2m1' else 'fp8'} {scales.format}"
        if which not in row.blocks:
            has = [profile.name for profile in _PROFILES.values() if which in profile.blocks]
            raise InputError(f"the {row.gpu} has no instruction with a scale for {scales.block} elements; profile={has[0]!r} has one")
        if out_dtype not in ("bf16", "f16", "f32"):
            raise InputError(f"scales a block: out_dtype is {out_dtype}; bf16, f16 or f32 is right")
        unit, schedule = row.blocks[which].format(a=a, b=b), ""
        length, told = _up(K, 64 if a == "e2m1" else 32), "products with scales a block are taken for one chain over k"
    warnings.warn(f"{told}; these bits were not compared with a GPU", NotMeasured, stacklevel=3)
    return LibraryKernel(f"{unit}@[K={length}{' ' if schedule else ''}{schedule}]", length, (1, "none"), "rule", told)


# ---- whole machines: what their libraries compute with, by element type


class NotMeasured(UserWarning):
    """The bits of a call follow a rule that was not compared with the GPU."""


class NotEmulated(UserWarning):
    """Products of a model that its emulation left to torch."""


#: multiply-adds of f32, one after another
_FMA = "f32*f32+f32->f32 K=1 nan=7fffffff : round[f32 rne](fuse[exact](p*, c))"


@dataclass(frozen=True)
class Machine:
    """The instructions of a GPU for products without scales, and its profile of fp8, if it has any."""

    name: str
    units: dict[str, str]  #: by the operands' format; tf32 where torch lets it be taken for f32
    fp8: str | None
    has_fp8: bool = False  #: an instruction, of which no profile says how a library uses it

    def unit_of(self, format: str, split: Any, reduced: bool = False) -> str:
        """What computes products of that format, in one chain over k. Warns, unless split=1 says that it is one.
        reduced: torch's settings let the library add parts of k in that format."""
        if format not in self.units:
            raise InputError(f"profile {self.name} has no rule for products of {format or 'such elements'}; {', '.join(self.units)} have one")
        if split != 1:
            warnings.warn(
                f"products of {format} on {self.name} are taken for one chain over k; for which shapes the library divides k is not "
                "known, and these bits were not compared with the GPU; split=1 says that it does not"
                + (f"; torch lets it add such parts in {format}" if reduced else ""),
                NotMeasured, stacklevel=2,
            )  # fmt: skip
        return self.units[format]

    def say_fp8(self) -> None:
        if self.has_fp8:
            raise InputError(f"how the library of {self.name} multiplies fp8 is not known; that of profile='h100-pcie', 'rtx4060' or 'b200' is")
        warnings.warn(f"{self.name} has no instruction for fp8; its operands are taken for f16, which has all their numbers", NotMeasured, stacklevel=2)


def _mma(prefix: str) -> dict[str, str]:
    return {"f16": prefix.format("f16", 16), "bf16": prefix.format("bf16", 16), "tf32": prefix.format("tf32", 8), "f32": _FMA}


_HOPPER, _TCGEN05 = "hopper/wgmma.m64n8k{1}.f32.{0}.{0}", "blackwell/tcgen05.mma.m64n8k{1}.f32.{0}.{0}"
_MMA = "{}/mma.m16n8k{{1}}.f32.{{0}}.{{0}}.f32"
_MACHINES = {
    machine.name: machine
    for machine in (
        Machine("h100-pcie", _mma(_HOPPER), "h100-pcie"),
        Machine("h100-pcie-te", _mma(_HOPPER), "h100-pcie-te"),
        Machine("rtx4060", _mma(_MMA.format("ada")), "rtx4060"),
        Machine("rtx4060-te", _mma(_MMA.format("ada")), "rtx4060-te"),
        Machine("b200", _mma(_TCGEN05), "b200"),
        Machine("a100", _mma(_MMA.format("ampere")), None),
    )
}


def machine_of(profile: Any) -> Machine:
    """Raises InputError for a profile that there is not."""
    name = profile.name if isinstance(profile, Profile) else profile
    if not isinstance(name, str):
        raise ArrayError(f"profile={profile!r} is no profile; a name is needed, such as 'h100-pcie'")
    if name in _MACHINES:
        return _MACHINES[name]
    sold = _machine_of_product(name)
    if sold is None:
        raise InputError(f"profile={name!r} is not known; the profiles are {', '.join(_MACHINES)}, and products such as A100 and MI300X")
    return sold


def _machine_of_product(name: str) -> Machine | None:
    """Of a GPU by the name that it is sold by: the first instruction of the catalogue for each element type. None: there is no such."""
    if "/" in name:
        return None
    units = {}
    for format in ("f16", "bf16", "tf32", "f32", "f64", "e4m3", "e4m3fnuz"):
        with contextlib.suppress(InputError):
            units[format] = Unit(f"{name}/{format}").text
    has_fp8 = any([units.pop(format, None) for format in ("e4m3", "e4m3fnuz")])
    return Machine(name, {"f32": _FMA, **units}, _FP8_OF_PRODUCTS.get(name.upper()), has_fp8) if units else None


#: the profile whose fp8 products are those of a GPU
_FP8_OF_PRODUCTS = {"H100": "h100-pcie", "B200": "b200"}


def is_machine(what: Any) -> bool:
    """Whether it names a profile or a product, and not a unit."""
    return isinstance(what, Profile) or (isinstance(what, str) and (what in _MACHINES or _machine_of_product(what) is not None))
