"""Kernels of Triton for test_triton.py: in a file of their own, since Triton reads their source."""

import triton
import triton.language as tl


@triton.jit
def product(x, y, out, M, N, K, sx, sy, so, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    tile = tl.program_id(0)
    columns = tl.cdiv(N, TN)
    i = tile // columns * TM + tl.arange(0, TM)
    j = tile % columns * TN + tl.arange(0, TN)
    k = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(0, K, TK):
        a = tl.load(x + i[:, None] * sx + (start + k)[None, :])
        b = tl.load(y + (start + k)[:, None] * sy + j[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + i[:, None] * so + j[None, :], total.to(out.dtype.element_ty))


@triton.jit
def row_sum(x, out, N, B: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((B,), tl.float32)
    for start in range(0, N, B):
        total += tl.load(x + row * N + start + tl.arange(0, B))
    tl.store(out + row, tl.sum(total, 0))


@triton.jit
def gathered(x, index, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + tl.load(index + i)))


@triton.jit
def product_by_columns(x, y, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    tile = tl.program_id(0)
    columns = tl.cdiv(N, TN)
    i = tile // columns * TM + tl.arange(0, TM)
    j = tile % columns * TN + tl.arange(0, TN)
    k = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(0, K, TK):
        a = tl.load(x + i[:, None] * K + (start + k)[None, :])
        b = tl.load(y + (start + k)[:, None] + j[None, :] * K)
        total = tl.dot(a, b, total)
    tl.store(out + i[:, None] * N + j[None, :], total)
