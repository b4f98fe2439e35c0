"""Attention in blocks of keys: what docs/python.md says of it, written out once more by single products."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import discern

torch = pytest.importorskip("torch", reason="torch is not installed")
import discern.torch  # noqa: E402
from torch.nn import functional as F  # noqa: E402

if not hasattr(F, "scaled_dot_product_attention"):
    pytest.skip(f"torch {torch.__version__} has no scaled_dot_product_attention", allow_module_level=True)

emulate = discern.torch.emulate


@pytest.fixture(autouse=True)
def same_numbers():
    torch.manual_seed(7)


def same(x, y):
    return x.shape == y.shape and x.dtype == y.dtype and bool(torch.equal(x, y))


def attention_by_hand(u, q, k, v, block, causal, mask, scale, dtype):
    """One query at a time, as docs/python.md has it, in numpy and by single dot products."""
    f32 = np.float32
    log2e = np.log2(np.e)
    to_two = f32((scale if mask is None else 1.0) * log2e)
    rows = []
    for i, row in enumerate(q):
        most, lanes, added = f32(-np.inf), [f32(0)] * 4, None
        for start in reversed(range(0, len(k), block)):
            keys = range(start, min(start + block, len(k)))
            if causal and start > i:
                continue
            x = u.gemm(row[None], k[start : keys.stop].t()).numpy()[0]
            if mask is not None:
                x = x * f32(scale) + mask[i, start : keys.stop].numpy()
            if causal:
                x = np.where(np.arange(start, keys.stop) > i, f32(-np.inf), x)
            before, most = most, max(most, x.max())
            least = f32(most) * to_two
            again = f32(np.exp2(np.float64(f32(f32(before - most) * to_two))))
            p = np.exp2(x.astype(np.float64) * np.float64(to_two) - np.float64(least)).astype(f32)
            for lane in range(4):
                lanes[lane] = lanes[lane] * again
                for j in range(len(p)):
                    if (j % 8) // 2 == lane:
                        lanes[lane] = lanes[lane] + p[j]
            part = torch.from_numpy(p)[None].to(dtype)
            c = None if added is None else added * torch.tensor(again)
            added = u.gemm(part, v[start : keys.stop], c)
        total = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
        rows.append((added * torch.tensor(f32(1) / total))[0])
    return torch.stack(rows).to(dtype)


@pytest.mark.parametrize("causal, masked, block", [(False, False, None), (True, False, None), (False, True, 32), (True, False, 48)])
def test_attention_in_blocks_of_keys(causal, masked, block):
    u, dtype = discern.unit("A100/bf16"), torch.bfloat16
    q, k, v = torch.randn(1, 2, 150, 16).to(dtype), torch.randn(1, 2, 150, 16).to(dtype), torch.randn(1, 2, 150, 16).to(dtype)
    mask = torch.randn(150, 150) if masked else None
    with emulate(u, attention=block) as report:
        d = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else mask.to(dtype), is_causal=causal)
    assert sum(report.emulated.values()) == 1
    rounded = None if mask is None else mask.to(dtype).float()
    for head in range(2):
        want = attention_by_hand(u, q[0, head], k[0, head], v[0, head], block or 128, causal, rounded, 0.25, dtype)
        assert same(d[0, head], want)
    native = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), None if mask is None else rounded.double(), is_causal=causal)
    assert torch.allclose(d.double(), native, atol=0.03)


def test_attention_of_a_gpu_is_said_to_be_modelled():
    q = torch.randn(1, 2, 20, 8).half()
    with pytest.warns(discern.NotMeasured, match="exp2 rounded to the nearest number of f32"):
        with emulate(profile="a100", split=1):
            F.scaled_dot_product_attention(q, q, q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with emulate(profile="a100", split=1, attention="flash"):
            flash = F.scaled_dot_product_attention(q, q, q)
        with emulate(profile="a100", split=1, attention="math") as report:
            by_products = F.scaled_dot_product_attention(q, q, q)
    assert report.emulated["bmm"] == 2 and torch.allclose(flash, by_products, atol=1e-2)
    with pytest.raises(discern.InputError, match="attention='fast' is no form; 'flash', 'math' or the keys of a block"):
        emulate("A100/f16", attention="fast").__enter__()


def test_scales_that_are_not_positive():
    q = torch.randn(1, 2, 150, 16)
    for scale in (-0.3, 0.0):
        with emulate(profile="a100", split=1, attention="flash"):
            d = F.scaled_dot_product_attention(q, q, q, scale=scale)
        assert torch.allclose(d, F.scaled_dot_product_attention(q, q, q, scale=scale), atol=1e-5)


def test_attention_of_f64_is_by_products():
    q = torch.randn(1, 2, 40, 16, dtype=torch.float64)
    with emulate("A100/f64") as report:
        d = F.scaled_dot_product_attention(q, q, q)
    assert report.emulated["bmm"] == 2 and torch.allclose(d, F.scaled_dot_product_attention(q, q, q), atol=1e-14)


def test_rows_that_see_no_key_are_zero_or_nan_as_torch_has_them():
    q, mask = torch.randn(1, 1, 4, 8), torch.zeros(4, 4)
    mask[1] = -torch.inf
    with emulate("A100/f16"):
        d = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    native = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    assert torch.equal(d[0, 0, 1], native[0, 0, 1].nan_to_num(0)) and torch.allclose(d[0, 0, 2:], native[0, 0, 2:], atol=1e-2)


def test_ctrl_c_in_attention_leaves_torch_as_it_was():
    import signal

    q = torch.randn(1, 8, 2048, 64).half()
    told = []
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    with pytest.raises(KeyboardInterrupt):
        with emulate("A100/f16", progress=lambda *said: told.append(said)):
            F.scaled_dot_product_attention(q, q, q)
    assert told and torch.is_grad_enabled() and threading.Thread.start.__module__ == "threading"
    with emulate("A100/f16") as report:
        q[0, 0, :4] @ q[0, 0, :4].t()
    assert dict(report.emulated) == {"mm": 1}


@pytest.mark.slow
def test_memory_of_attention_is_at_most_twice_its_operands():
    import os
    import subprocess
    import sys

    code = """
import torch, discern.torch
def of(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field)) * 1024
q, k, v = (torch.randn(1, 32, 1024, 128).half() for _ in range(3))
small = q[:, :1, :130]
with discern.torch.emulate("A100/f16"):
    torch.nn.functional.scaled_dot_product_attention(small, small, small)  # libraries are loaded
    open("/proc/self/clear_refs", "w").write("5")
    before = of("VmRSS")
    d = torch.nn.functional.scaled_dot_product_attention(q, k, v)
operands = 4 * q.numel() * 2
print((operands + of("VmHWM") - before) / operands)
"""
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert float(ran.stdout) <= 2, ran.stdout
