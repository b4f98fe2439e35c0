"""Attention as libraries compute it: blocks of keys, a running maximum, a running sum, and what was added up scaled anew.

The order is that of FlashAttention 2: blocks of keys from the last to the first, products by the unit, the exponential as a
power of two, rounded sums of four lanes, and the unit's chain goes on from what was added up before. A GPU's power of two is
approximate and is not known bit by bit: here it is the nearest f32 number, which is said (NotMeasured).
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable

import torch

from ..errors import InputError, ShapeError
from ..profiles import NotMeasured
from ..progress import showing

_QUERIES = 128  #: rows of a tile, each of which is a computation of its own
_SMALL = 1 << 21  #: elements of scores at a time
_LOG2E = math.log2(math.e)


def keys_of_a_block(width: int) -> int:
    """FlashAttention 2 on an A100 and an H100, by the width of a head."""
    return 128 if width <= 64 else 64


def flash(mode: Any, q: Any, k: Any, v: Any, mask: Any, causal: bool, scale: float | None) -> tuple[Any, Any]:
    """Attention of batches × heads × rows × width, and the logarithms of the sums."""
    if not (q.dim() == k.dim() == v.dim() == 4) or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ShapeError(f"attention of {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}; batch × heads × rows × width are needed")
    if mode.attention is None and mode.by.is_machine:
        warnings.warn(
            "attention is computed in blocks of keys as FlashAttention 2 has them, with exp2 rounded to the nearest number of f32, which a "
            "GPU approximates; these bits were not compared with a GPU; attention='flash' takes it for granted",
            NotMeasured, stacklevel=2,
        )  # fmt: skip
    B, H, L, E = q.shape
    if k.shape[1] != H:
        k, v = (x.repeat_interleave(H // x.shape[1], 1) for x in (k, v))
    factor = 1 / math.sqrt(E) if scale is None and E else 1.0 if scale is None else scale
    heads = B * H
    q3, k3, v3 = (x.expand(B, *x.shape[1:]).reshape(heads, *x.shape[2:]) for x in (q, k, v))
    bias = None if mask is None else mask.expand(B, H, L, k.shape[-2])
    d = torch.empty(heads, L, v.shape[-1], dtype=q.dtype)
    logs = torch.empty(heads, L, dtype=torch.float32)
    step = mode.attention if isinstance(mode.attention, int) else keys_of_a_block(E)
    together = max(1, _SMALL // (_QUERIES * step))
    with showing("attention", mode.by.progress, max(1, heads)) as report:
        for first in range(0, heads, together):
            some = slice(first, min(first + together, heads))
            if report is not None:
                report("", first)
            for row in range(0, L, _QUERIES):
                rows = slice(row, min(row + _QUERIES, L))
                part = None if bias is None else torch.stack([bias[n // H, n % H, rows] for n in range(some.start, some.stop)])
                d[some, rows], logs[some, rows] = _tile(mode.by, q3[some, rows], k3[some], v3[some], part, row if causal else None, factor, step)
    return d.reshape(B, H, L, -1).to(q.device), logs.reshape(B, H, L).to(q.device)


def _tile(by: Any, q: Any, k: Any, v: Any, bias: Any, first: int | None, factor: float, step: int) -> tuple[Any, Any]:
    """Some queries of some heads. first: the place of the first query, where none sees later keys."""
    heads, rows, keys = q.shape[0], q.shape[1], k.shape[1]
    unit = by.unit_for(q, k)
    most = torch.full((heads, rows, 1), -math.inf)
    lanes = torch.zeros(heads, rows, 4)  # of the sum, as four threads have a row of it
    added = None
    scaled = bias is not None or factor <= 0  # before the maximum; else with the power of two
    to_two = torch.tensor((1.0 if scaled else factor) * _LOG2E, dtype=torch.float32)
    for start in reversed(range(0, keys, step)):
        block = slice(start, min(start + step, keys))
        if first is not None and start > first + rows - 1:
            continue
        x = by.sums(q, k[:, block].transpose(1, 2)).float()
        if scaled:
            x = x * factor if bias is None else x * factor + bias[..., block].float()
        if first is not None:
            later = torch.arange(block.start, block.stop)[None, :] > torch.arange(first, first + rows)[:, None]
            x = x.masked_fill(later, -math.inf)
        before, most = most, torch.maximum(most, x.amax(-1, keepdim=True))
        known = torch.where(most == -math.inf, 0.0, most)
        least, again = known * to_two, _exp2((before - known) * to_two)
        p = _exp2(x.double() * to_two.double() - least.double())
        lanes = lanes * again
        padded = torch.nn.functional.pad(p, (0, -p.shape[-1] % 8)).reshape(heads, rows, -1, 4, 2)
        for eight in padded.unbind(2):
            lanes = lanes + eight[..., 0]
            lanes = lanes + eight[..., 1]
        part = p.to(q.dtype)
        added = by.chained(unit, part, v[:, block], None if added is None else added * again)
    if added is None:
        added = torch.zeros(heads, rows, v.shape[-1])
    total = ((lanes[..., 0] + lanes[..., 2]) + (lanes[..., 1] + lanes[..., 3]))[..., None]
    inverse = torch.where((total == 0) | total.isnan(), 1.0, 1.0 / total)
    logs = (most * (1.0 if scaled else factor) + total.log())[..., 0]
    return by.finish(added.float() * inverse, q.cpu()), logs


def _exp2(x: Any) -> Any:
    return torch.exp2(x.double()).float()


def _logs(q: Any, k: Any, mask: Any, causal: bool, scale: Any) -> Any:
    """The logarithms of the sums, which only a gradient needs."""
    if not (q.requires_grad or k.requires_grad):
        return torch.zeros(q.shape[:-1], dtype=torch.float32, device=q.device)
    x = q.float() @ k.float().transpose(-2, -1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    x = x if mask is None else x + mask
    return (x.masked_fill(torch.ones_like(x).triu(1).bool(), -math.inf) if causal else x).logsumexp(-1)


def _fused(outputs: Any) -> Any:
    """A fused form of torch: outputs(d, logs, q, k) are what it returns."""

    def attend(mode: Any, q: Any, k: Any, v: Any, mask: Any, causal: bool, dropout: float, scale: Any) -> Any:
        if dropout:
            return NotImplemented
        if mode.attention == "math" or q.dtype == torch.float64:  # of which GPUs have no fused form
            with mode:
                how = {"attn_mask": mask, "dropout_p": 0.0, "is_causal": causal, "scale": scale}
                d, _ = torch.ops.aten._scaled_dot_product_attention_math(q, k, v, **how)
            return outputs(d, _logs(q, k, mask, causal, scale), q, k)
        return outputs(*flash(mode, q, k, v, mask, causal, scale), q, k)

    return attend


def _with_philox(d: Any, logs: Any, q: Any, k: Any) -> Any:
    none = torch.empty(0, dtype=torch.int64, device=d.device)
    return d, logs, None, None, q.shape[-2], k.shape[-2], none, none, torch.empty(0, dtype=d.dtype, device=d.device)


_CPU = _fused(lambda d, logs, q, k: (d, logs))
_EFFICIENT = _fused(lambda d, logs, q, k: (d, logs, *[torch.empty((), dtype=torch.int64)] * 2))
_LIBRARY = _fused(_with_philox)


def _for_cpu(mode: Any, q: Any, k: Any, v: Any, dropout_p: float = 0.0, is_causal: bool = False, *, attn_mask: Any = None, scale: Any = None) -> Any:
    return _CPU(mode, q, k, v, attn_mask, is_causal, dropout_p, scale)


def _flash(
    mode: Any, q: Any, k: Any, v: Any, dropout_p: float = 0.0, is_causal: bool = False, return_debug_mask: bool = False, *, scale: Any = None,
) -> Any:  # fmt: skip
    return _LIBRARY(mode, q, k, v, None, is_causal, dropout_p, scale)


def _efficient(
    mode: Any, q: Any, k: Any, v: Any, attn_bias: Any, compute_log_sumexp: bool, dropout_p: float = 0.0, is_causal: bool = False, *,
    scale: Any = None,
) -> Any:  # fmt: skip
    return _EFFICIENT(mode, q, k, v, attn_bias, is_causal, dropout_p, scale)


def _cudnn(
    mode: Any, q: Any, k: Any, v: Any, attn_bias: Any, compute_log_sumexp: bool, dropout_p: float = 0.0, is_causal: bool = False,
    return_debug_mask: bool = False, *, scale: Any = None,
) -> Any:  # fmt: skip
    return _LIBRARY(mode, q, k, v, attn_bias, is_causal, dropout_p, scale)


def form_of(what: Any) -> Any:
    """What attention= says: 'flash', 'math', or keys of a block. Raises InputError for anything else."""
    if what in ("flash", "math") or (isinstance(what, int) and not isinstance(what, bool) and what > 0):
        return what
    raise InputError(f"attention={what!r} is no form; 'flash', 'math' or the keys of a block, such as 128, is right")


PRODUCTS: dict[str, Callable[..., Any]] = {
    "_scaled_dot_product_flash_attention_for_cpu": _for_cpu,
    "_scaled_dot_product_flash_attention": _flash,
    "_scaled_dot_product_efficient_attention": _efficient,
    "_scaled_dot_product_cudnn_attention": _cudnn,
}
