"""What torch computes in one call and could compute by products: the fast paths of attention, an LSTM's layer, a bilinear form.

Each is written out in operations of torch, which the mode sees again.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch.nn import functional as F


def _heads(x: Any, heads: int) -> Any:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _native_multi_head_attention(
    mode: Any, query: Any, key: Any, value: Any, embed_dim: int, num_head: int, qkv_weight: Any, qkv_bias: Any, proj_weight: Any, proj_bias: Any,
    mask: Any = None, need_weights: bool = True, average_attn_weights: bool = True, mask_type: Any = None,
) -> Any:  # fmt: skip
    """nn.MultiheadAttention in eval mode: its bias and scale follow the product, and so does its softmax."""
    if query.is_nested or not (query is key is value or key.data_ptr() == value.data_ptr() == query.data_ptr()):
        return NotImplemented
    with mode:
        q, k, v = F.linear(query, qkv_weight, qkv_bias).chunk(3, -1)
        q, k, v = (_heads(x, num_head) for x in (q / math.sqrt(embed_dim // num_head), k, v))
        scores = q @ k.transpose(-2, -1)
        if mask is not None:
            if mask_type == 1:  # of keys, batch × keys
                mask = mask[:, None, None, :]
            scores = scores.masked_fill(mask.bool(), -math.inf)
        weights = scores.softmax(-1)
        y = F.linear((weights @ v).transpose(1, 2).flatten(-2), proj_weight, proj_bias)
    if not need_weights:
        return y, torch.empty(0, dtype=y.dtype, device=y.device)
    return y, weights.mean(1) if average_attn_weights else weights


def _transformer_encoder_layer_fwd(
    mode: Any, src: Any, embed_dim: int, num_heads: int, qkv_weight: Any, qkv_bias: Any, proj_weight: Any, proj_bias: Any, use_gelu: bool,
    norm_first: bool, eps: float, norm_weight_1: Any, norm_bias_1: Any, norm_weight_2: Any, norm_bias_2: Any, ffn_weight_1: Any, ffn_bias_1: Any,
    ffn_weight_2: Any, ffn_bias_2: Any, mask: Any = None, mask_type: Any = None,
) -> Any:  # fmt: skip
    if src.is_nested:
        return NotImplemented

    def attend(x: Any) -> Any:
        weights = (qkv_weight, qkv_bias, proj_weight, proj_bias)
        return _native_multi_head_attention(mode, x, x, x, embed_dim, num_heads, *weights, mask, False, True, mask_type)[0]

    def feed(x: Any) -> Any:
        h = F.linear(x, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(h) if use_gelu else h.relu(), ffn_weight_2, ffn_bias_2)

    def norm(x: Any, weight: Any, bias: Any) -> Any:
        return F.layer_norm(x, (embed_dim,), weight, bias, eps)

    with mode:
        if norm_first:
            x = src + attend(norm(src, norm_weight_1, norm_bias_1))
            return x + feed(norm(x, norm_weight_2, norm_bias_2))
        x = norm(src + attend(src), norm_weight_1, norm_bias_1)
        return norm(x + feed(x), norm_weight_2, norm_bias_2)


def _mkldnn_rnn_layer(
    mode: Any, input: Any, w_input: Any, w_hidden: Any, b_input: Any, b_hidden: Any, hx: Any, cx: Any, reverse: bool, batch_sizes: Any,
    kind: int, hidden_size: int, num_layers: int, has_biases: bool, bidirectional: bool, batch_first: bool, train: bool,
) -> Any:  # fmt: skip
    """One direction of one layer of an LSTM, as torch computes it without this library: all inputs first, then step by step."""
    if kind != 2 or len(batch_sizes):
        return NotImplemented
    space = torch.empty(0, dtype=torch.uint8)
    if train and torch.is_grad_enabled() and any(x.requires_grad for x in (input, w_input, w_hidden, hx, cx)):  # gradients are torch's
        sizes = (reverse, batch_sizes, kind, hidden_size, num_layers, has_biases, bidirectional, batch_first, train)
        space = torch.ops.aten.mkldnn_rnn_layer(input, w_input, w_hidden, b_input, b_hidden, hx, cx, *sizes)[3]
    biases = (b_input, b_hidden) if has_biases else (None, None)
    h, c = hx.reshape(-1, hidden_size), cx.reshape(-1, hidden_size)
    steps = []
    with mode:
        inputs = F.linear(input, w_input, biases[0])
        for x in reversed(inputs.unbind(0)) if reverse else inputs.unbind(0):
            i, f, g, o = (F.linear(h, w_hidden, biases[1]) + x).chunk(4, -1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            steps.append(h)
    y = torch.stack(steps[::-1] if reverse else steps)
    return y, h.reshape(hx.shape), c.reshape(cx.shape), space


def _trilinear(
    mode: Any, i1: Any, i2: Any, i3: Any, expand1: Any, expand2: Any, expand3: Any, sumdim: Any, unroll_dim: int = 1,
) -> Any:  # fmt: skip
    """nn.Bilinear: for each output first x1 by its matrix, then that by x2."""
    if [*map(list, (expand1, expand2, expand3, sumdim))] != [[1, 3], [0], [1, 2], [2, 3]]:
        return NotImplemented
    with mode:
        columns = [torch.bmm((i1 @ weight)[:, None, :], i3[:, :, None])[:, 0, 0] for weight in i2]
    return torch.stack(columns, 1)


PRODUCTS: dict[str, Callable[..., Any]] = {
    "_native_multi_head_attention": _native_multi_head_attention,
    "_transformer_encoder_layer_fwd": _transformer_encoder_layer_fwd,
    "mkldnn_rnn_layer": _mkldnn_rnn_layer,
    "_trilinear": _trilinear,
}
