"""The heuristic of the cuBLASLt that is on this machine: into how many parts it divides k of a product of fp8.

cublasLtMatmulAlgoGetHeuristic is asked through ctypes, with the descriptors that torch._scaled_mm makes; no product is
computed. Numbers are those of NVIDIA's cublasLt.h and library_types.h. The libraries are loaded when they are asked for.
"""

from __future__ import annotations

import ctypes
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

#: names by which the loader finds them
LIBRARIES = {"cublasLt": "libcublasLt.so.12", "cuda": "libcuda.so.1"}

_TYPES = {"f32": 0, "f16": 2, "bf16": 14, "e4m3": 28, "e5m2": 29}  # cudaDataType
_COMPUTE_F32 = 68
_TRANSPOSE_A, _TRANSPOSE_B, _SCALE_A, _SCALE_B, _SCALE_D, _FAST = 3, 4, 17, 18, 20, 25  # of descriptors
_WORKSPACE = 1  # of preferences
_PARTS, _CUSTOM = 2, 5  # of algorithms
_SOME_ADDRESS = 1 << 20  # of a scale, which is not read; its alignment counts
_SMS, _MAJOR, _MINOR = 16, 75, 76  # of devices


class Unavailable(Exception):
    """Why it cannot be asked, as the end of a sentence."""


class _Result(ctypes.Structure):
    _fields_ = [
        ("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int), ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    ]  # fmt: skip


@dataclass(frozen=True)
class Answer:
    parts: int
    custom: int  #: the algorithm's custom option, which says in which order parts are added
    workspace: int


def _load(name: str) -> Any:
    try:
        return ctypes.CDLL(LIBRARIES[name])
    except OSError:
        raise Unavailable(f"{LIBRARIES[name]} is not on this machine") from None


def _check(status: int, call: str) -> None:
    if status != 0:
        raise Unavailable(f"{call} of the loaded library failed with status {status}")


def gpu() -> tuple[int, int, int]:
    """Compute capability, and the number of SMs, of the first GPU. Raises Unavailable."""
    cuda = _load("cuda")
    _check(cuda.cuInit(0), "cuInit")
    device, values = ctypes.c_int(), []
    _check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    for attribute in (_MAJOR, _MINOR, _SMS):
        value = ctypes.c_int()
        _check(cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, device), "cuDeviceGetAttribute")
        values.append(value.value)
    return values[0], values[1], values[2]


def version() -> str:
    """Of the library: "12.8.3". Raises Unavailable."""
    lt = _load("cublasLt")
    lt.cublasLtGetVersion.restype = ctypes.c_size_t
    number = lt.cublasLtGetVersion()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def ask(M: int, N: int, K: int, a: str, b: str, out: str, fast: bool, workspace: int) -> Answer:
    """What the heuristic takes first for a product of fp8, M × K by K × N, as torch._scaled_mm asks it.
    Raises Unavailable where it has nothing for the product, too."""
    lt = _load("cublasLt")
    with ExitStack() as made:

        def new(what: str, *arguments: Any) -> Any:
            pointer = ctypes.c_void_p()
            _check(getattr(lt, f"cublasLt{what}Create")(ctypes.byref(pointer), *arguments), f"cublasLt{what}Create")
            destroy = "cublasLtDestroy" if what == "" else f"cublasLt{what}Destroy"
            made.callback(getattr(lt, destroy), pointer)
            return pointer

        def put(what: str, of: Any, attribute: int, value: Any) -> None:
            call = f"cublasLt{what}SetAttribute"
            _check(getattr(lt, call)(of, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value))), call)

        handle = new("")
        # Columns first, as the library has it: Dᵀ = (Bᵀ) · Aᵀ, with the weight transposed.
        product = new("MatmulDesc", _COMPUTE_F32, _TYPES["f32"])
        put("MatmulDesc", product, _TRANSPOSE_A, ctypes.c_int32(1))
        put("MatmulDesc", product, _TRANSPOSE_B, ctypes.c_int32(0))
        for scale in (_SCALE_A, _SCALE_B, *((_SCALE_D,) if out in ("e4m3", "e5m2") else ())):
            put("MatmulDesc", product, scale, ctypes.c_void_p(_SOME_ADDRESS))
        put("MatmulDesc", product, _FAST, ctypes.c_int8(int(fast)))
        of_c = _TYPES["f16" if out in ("e4m3", "e5m2") else out]
        layouts = [
            new("MatrixLayout", type_, ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(rows))
            for type_, rows, columns in ((_TYPES[b], K, N), (_TYPES[a], K, M), (of_c, N, M), (_TYPES[out], N, M))
        ]
        preference = new("MatmulPreference")
        put("MatmulPreference", preference, _WORKSPACE, ctypes.c_uint64(workspace))
        result, count = _Result(), ctypes.c_int()
        status = lt.cublasLtMatmulAlgoGetHeuristic(
            handle, product, *layouts, preference, 1, ctypes.byref(result), ctypes.byref(count)
        )
        if status != 0 or count.value < 1 or result.state != 0:
            raise Unavailable(f"the heuristic of the loaded library has no algorithm for it (status {status or result.state})")

        def of_algorithm(attribute: int) -> int:
            value, written = ctypes.c_int32(), ctypes.c_size_t()
            call = "cublasLtMatmulAlgoConfigGetAttribute"
            _check(
                getattr(lt, call)(
                    ctypes.byref(result.algorithm), attribute, ctypes.byref(value), ctypes.c_size_t(4), ctypes.byref(written)
                ),
                call,
            )
            return value.value

        return Answer(of_algorithm(_PARTS), of_algorithm(_CUSTOM), result.workspace)
