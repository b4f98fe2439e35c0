"""Whole matrix products."""

from __future__ import annotations

import numpy as np
import pytest

import discern
from conftest import HOPPER, NVFP4


@pytest.fixture
def matrices(rng):
    a = rng.standard_normal((33, 40)).astype(np.float16)
    b = rng.standard_normal((40, 21)).astype(np.float16)
    return a, b, rng.standard_normal((33, 21)).astype(np.float32)


def chained(u, a, b, c):
    """By dot products: K at a time, each from the result of the one before; missing elements are +0."""
    for k in range(0, a.shape[1], u.K):
        x, y = a[:, k : k + u.K], b[k : k + u.K].T
        x = np.pad(x, ((0, 0), (0, u.K - x.shape[1])))
        y = np.pad(y, ((0, 0), (0, u.K - y.shape[1])))
        c = u(x[:, None, :], y[None, :, :], c)
    return c


def test_a_product_is_a_chain_of_dot_products(matrices):
    u = discern.unit(HOPPER)
    a, b, c = matrices
    d = u.gemm(a, b, c)
    assert d.dtype == np.float32 and np.array_equal(d, chained(u, a, b, c))
    assert np.array_equal(u.gemm(a, b), chained(u, a, b, np.zeros_like(c)))
    assert np.array_equal(u.gemm(a, np.asfortranarray(b), c, threads=2), d)
    assert np.array_equal(u.gemm(a.view(np.uint16), b, c), d.view(np.uint32))


def test_alpha_and_beta(matrices):
    u = discern.unit(HOPPER)
    a, b, c = matrices
    product = u.gemm(a, b)
    assert np.array_equal(u.gemm(a, b, c, alpha=2, beta=0), 2 * product)
    assert np.array_equal(u.gemm(a, b, c, from_zero=True), product + c)
    assert np.array_equal(u.gemm(a, b, c, 0.5, 0.25), np.float32(0.5) * product + np.float32(0.25) * c)


def test_scales(rng):
    u = discern.unit(NVFP4)
    a, b = rng.integers(0, 16, (2, 6, 128), np.uint8)
    sa, sb = rng.integers(0x30, 0x40, (2, 6, 8), np.uint8)
    d = u.gemm(a, b.T, sa=sa, sb=sb.T)
    c = np.zeros((6, 6), np.uint32)
    for k in range(2):
        x, y = a[:, None, 64 * k : 64 * k + 64], b[None, :, 64 * k : 64 * k + 64]
        c = u(x, y, c, sa=sa[:, None, 4 * k : 4 * k + 4], sb=sb[None, :, 4 * k : 4 * k + 4])
    assert np.array_equal(d, c)


def test_bad_matrices_are_one_sentence(matrices):
    u = discern.unit(HOPPER)
    a, b, c = matrices
    for call, said in [
        (lambda: u.gemm(a, b.T), "as many columns as B has rows"),
        (lambda: u.gemm(a, b, c.T), "C is 21 × 33; it must be 33 × 21"),
        (lambda: u.gemm(a[0], b), "A has the shape (40,); a matrix is needed"),
        (lambda: u.gemm(a, b, alpha=0.1), "0.1"),
        (lambda: u.gemm(a, b, alpha="two"), "no number"),
        (lambda: u.gemm(a[:, :0], b[:0]), "0"),
        (lambda: u.gemm(a, b.astype(np.float64)), "b has elements of type float64"),
        (lambda: discern.unit(NVFP4).gemm(np.zeros((1, 64), np.uint8), np.zeros((64, 1), np.uint8)), "sa is missing"),
    ]:
        with pytest.raises(discern.Error) as error:
            call()
        assert said in str(error.value) and "\n" not in str(error.value)
        assert isinstance(error.value, (ValueError, TypeError))


def test_kernels_by_name_give_the_same(matrices, monkeypatch):
    u = discern.unit(HOPPER)
    a, b, c = matrices
    for name in ("general", "portable"):
        assert np.array_equal(u.gemm(a, b, c, kernels=name), u.gemm(a, b, c))
        assert np.array_equal(u(a[:, :16], a[:, 16:32], kernels=name), u(a[:, :16], a[:, 16:32]))
    with pytest.raises(discern.Error, match="'fast' are not known; they must be best, avx512fp16, .* or gpu"):
        u.gemm(a, b, c, kernels="fast")
    monkeypatch.setenv("DISCERN_CUDA_LIBRARY", "/nonexistent/libcuda.so.1")
    for compute in (lambda: u.gemm(a, b, kernels="gpu"), lambda: u(a[:, :16], a[:, 16:32], kernels="gpu")):
        with pytest.raises(discern.Error, match="unavailable: the kernels of a GPU: the NVIDIA driver cannot be loaded"):
            compute()
