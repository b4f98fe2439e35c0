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


@triton.jit
def product_by_descriptors(x, y, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, PROGRAMS: tl.constexpr, SPECIAL: tl.constexpr):
    columns = tl.cdiv(N, TN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, TM) * columns, PROGRAMS, flatten=PROGRAMS > 1, warp_specialize=SPECIAL):
        row, column = tile // columns * TM, tile % columns * TN
        total = tl.zeros((TM, TN), tl.float32)
        for start in range(0, K, TK):
            total = tl.dot(x.load([row, start]), y.load([start, column]), total)
        out.store([row, column], total.to(tl.float16))


@triton.jit
def product_with_bias(x, y, bias, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, GELU: tl.constexpr):
    i = tl.program_id(0) * TM + tl.arange(0, TM)
    j = tl.arange(0, TN)
    k = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(0, K, TK):
        total = tl.dot(tl.load(x + i[:, None] * K + (start + k)[None, :]), tl.load(y + (start + k)[:, None] * N + j[None, :]), total)
    total += tl.load(bias + j)[None, :].to(tl.float32)
    total = total * tl.sigmoid(1.702 * total) if GELU else tl.where(total >= 0, total, 0.01 * total)
    tl.store(out + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def product_of_parts(x, y, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, PARTS: tl.constexpr):
    part = tl.program_id(1)
    i = tl.program_id(0) * TM + tl.arange(0, TM)
    j = tl.arange(0, TN)
    k = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(part * TK, K, TK * PARTS):
        total = tl.dot(tl.load(x + i[:, None] * K + (start + k)[None, :]), tl.load(y + (start + k)[:, None] * N + j[None, :]), total)
    tl.atomic_add(out + i[:, None] * N + j[None, :], total)


@triton.jit
def product_of_scaled_blocks(x, y, sx, sy, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    i = tl.program_id(0) * TM + tl.arange(0, TM)
    j = tl.arange(0, TN)
    k = tl.arange(0, TK)
    blocks = K // TK
    total = tl.zeros((TM, TN), tl.float32)
    for block in range(0, blocks):
        part = tl.dot(tl.load(x + i[:, None] * K + (block * TK + k)[None, :]), tl.load(y + (block * TK + k)[:, None] + j[None, :] * K))
        total += part * tl.load(sx + i * blocks + block)[:, None] * tl.load(sy + block)
    tl.store(out + i[:, None] * N + j[None, :], total.to(tl.bfloat16))


@triton.jit
def attention(q, k, v, out, S, scale, TM: tl.constexpr, TS: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    i = tl.program_id(0) * TM + tl.arange(0, TM)
    d = tl.arange(0, D)
    s = tl.arange(0, TS)
    rows = tl.load(q + i[:, None] * D + d[None, :])
    largest = tl.full((TM,), float("-inf"), tl.float32)
    weight = tl.zeros((TM,), tl.float32)
    total = tl.zeros((TM, D), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * TM if CAUSAL else S, TS):
        scores = tl.dot(rows, tl.load(k + (start + s)[None, :] * D + d[:, None])) * (scale * 1.44269504)
        if CAUSAL:
            scores = tl.where(i[:, None] >= (start + s)[None, :], scores, float("-inf"))
        now = tl.maximum(largest, tl.max(scores, 1))
        p = tl.math.exp2(scores - now[:, None])
        again = tl.math.exp2(largest - now)
        weight = weight * again + tl.sum(p, 1)
        total = tl.dot(p.to(tl.float16), tl.load(v + (start + s)[:, None] * D + d[None, :]), total * again[:, None])
        largest = now
    tl.store(out + i[:, None] * D + d[None, :], (total / weight[:, None]).to(tl.float16))


@triton.jit
def softmax(x, out, N, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    e = tl.load(x + row * N + i, mask=i < N, other=-float("inf"))
    e = tl.exp(e - tl.max(e, 0))
    tl.store(out + row * N + i, e / tl.sum(e, 0), mask=i < N)


@triton.jit
def scaled_product(x, sx, y, sy, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    i = tl.arange(0, TM)
    j = tl.arange(0, TN)
    k = tl.arange(0, TK)
    block = tl.arange(0, TK // 32)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(0, K // TK):
        a = tl.load(x + i[:, None] * K + start * TK + k[None, :])
        b = tl.load(y + (start * TK + k)[:, None] + j[None, :] * K)
        sa = tl.load(sx + i[:, None] * (K // 32) + start * (TK // 32) + block[None, :])
        sb = tl.load(sy + j[:, None] * (K // 32) + start * (TK // 32) + block[None, :])
        total = tl.dot_scaled(a, sa, "e4m3", b, sb, "e4m3", total)
    tl.store(out + N * i[:, None] + j[None, :], total)


@triton.jit
def row_squares(x, out, N, B: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((B,), tl.float32)
    for start in range(0, N, B):
        value = tl.load(x + row * N + start + tl.arange(0, B))
        total += value * value
    tl.store(out + row, tl.sum(total, 0))


@triton.jit
def linear(x, y, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """A layer of any number of rows, each of which has N results."""
    tile = tl.program_id(0)
    columns = tl.cdiv(N, TN)
    i = tile // columns * TM + tl.arange(0, TM)
    j = tile % columns * TN + tl.arange(0, TN)
    k = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(0, K, TK):
        a = tl.load(x + i[:, None] * K + (start + k)[None, :], mask=i[:, None] < M, other=0.0)
        b = tl.load(y + (start + k)[:, None] + j[None, :] * K)
        total = tl.dot(a, b, total)
    tl.store(out + i[:, None] * N + j[None, :], total.to(out.dtype.element_ty), mask=i[:, None] < M)


@triton.jit
def product_in_three(x, y, out, M, N, K, sx, sy, so, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """Of f32, each as a sum of two numbers of tf32, of whose products three are added."""
    tile = tl.program_id(0)
    columns = tl.cdiv(N, TN)
    i = tile // columns * TM + tl.arange(0, TM)
    j = tile % columns * TN + tl.arange(0, TN)
    k = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for start in range(0, K, TK):
        a = tl.load(x + i[:, None] * sx + (start + k)[None, :])
        b = tl.load(y + (start + k)[:, None] * sy + j[None, :])
        total = tl.dot(a, b, total, input_precision="tf32x3")
    tl.store(out + i[:, None] * so + j[None, :], total)
