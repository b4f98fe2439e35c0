"""Small models as people build them, each with inputs, for the tests of emulation: 40 with their ways of being run."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    """As small GPTs have it: one projection, scaled_dot_product_attention, one projection."""

    def __init__(self, width, heads, causal=True):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self, width, heads, attention=Attention):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = attention(width, heads)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, words=50, width=32, heads=4, blocks=2):
        super().__init__()
        self.embedding, self.places = nn.Embedding(words, width), nn.Embedding(64, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(blocks))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, ids):
        x = self.embedding(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class ByHand(nn.Module):
    """Attention by einsum, softmax and einsum; a bias of places by baddbmm, as Bloom has it."""

    def __init__(self, width, heads, by="einsum"):
        super().__init__()
        self.heads, self.by = heads, by
        self.q, self.k, self.v = (nn.Linear(width, width, bias=False) for _ in range(3))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        scale = q.shape[-1] ** -0.5
        if self.by == "einsum":
            weights = (torch.einsum("bhid,bhjd->bhij", q, k) * scale).softmax(-1)
            return torch.einsum("bhij,bhjd->bihd", weights, v).flatten(-2)
        shape = (*q.shape[:3], k.shape[2])
        alibi = torch.zeros(shape[0] * shape[1], *shape[2:], dtype=x.dtype)
        batch1, batch2 = q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2)
        weights = alibi.baddbmm(batch1=batch1, batch2=batch2, beta=1.0, alpha=scale).softmax(-1)
        return torch.bmm(weights, v.flatten(0, 1)).unflatten(0, shape[:2]).transpose(1, 2).flatten(-2)


class First(nn.Module):
    """The first of what a module returns, with its input as all arguments that it needs."""

    def __init__(self, module, times=1, **how):
        super().__init__()
        self.module, self.times, self.how = module, times, how

    def forward(self, x):
        return self.module(*[x] * self.times, **self.how)[0]


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.norm2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)

    def forward(self, x):
        return (x + self.norm2(self.conv2(self.norm1(self.conv1(x)).relu()))).relu()


class Tied(nn.Module):
    """Matrices of its own, by functions: addmm, mm, mv, a low-rank change of a weight."""

    def __init__(self, width):
        super().__init__()
        self.w, self.bias = nn.Parameter(torch.randn(width, width) / width**0.5), nn.Parameter(torch.randn(width))
        self.a, self.b = nn.Parameter(torch.randn(width, 4) / 4), nn.Parameter(torch.randn(4, width) / width**0.5)

    def forward(self, x):
        y = torch.addmm(self.bias, x, self.w, beta=0.5, alpha=2.0)
        y = y + x @ self.a @ self.b
        y = (y @ self.a).mm(self.b) + y.mm(self.w)
        return y * torch.mv(y, self.bias.to(y.dtype))[:, None]


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower, self.joined = nn.Linear(24, 16), nn.Bilinear(16, 16, 5)

    def forward(self, x):
        return self.joined(*(self.tower(y).to(x.dtype) for y in (x, x.flip(0))))


def models():
    """By name: what makes a model, and its inputs."""
    x, rows, image = torch.randn(2, 6, 32), torch.randn(7, 24), torch.randn(2, 3, 12, 12)
    ids = torch.randint(0, 50, (2, 9))
    mlp = lambda *more: nn.Sequential(nn.Linear(24, 40), nn.ReLU(), *more, nn.Linear(40, 10))  # noqa: E731
    layer = lambda **how: nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, **how)  # noqa: E731
    conv = lambda *args, **how: nn.Sequential(nn.Conv2d(3, 8, *args, **how), nn.ReLU())  # noqa: E731
    return {
        "mlp": (mlp, rows),
        "mlp with dropout": (lambda: mlp(nn.Dropout(0.3)), rows),
        "mlp with batch norm": (lambda: mlp(nn.BatchNorm1d(40)), rows),
        "mlp with weight norm": (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(24, 8)), rows),
        "functions": (lambda: Tied(24), rows),
        "bilinear": (Siamese, rows),
        "attention": (lambda: First(nn.MultiheadAttention(32, 4, batch_first=True), 3), x),
        "attention without weights": (lambda: First(nn.MultiheadAttention(32, 4, batch_first=True), 3, need_weights=False), x),
        "attention over another width": (lambda: First(nn.MultiheadAttention(32, 4, kdim=32, vdim=32, add_bias_kv=True), 3), x),
        "encoder layer": (layer, x),
        "encoder layer, norm first": (lambda: layer(norm_first=True, activation="gelu"), x),
        "encoder": (lambda: nn.TransformerEncoder(layer(), 2, enable_nested_tensor=False), x),
        "decoder layer": (lambda: _Twice(nn.TransformerDecoderLayer(32, 4, 64, batch_first=True)), x),
        "transformer": (lambda: _Twice(nn.Transformer(32, 4, 1, 1, 64, batch_first=True)), x),
        "gpt": (GPT, ids),
        "gpt block": (lambda: Block(32, 4), x),
        "attention by functions": (lambda: Attention(32, 2, causal=False), x),
        "einsum attention": (lambda: ByHand(32, 4), x),
        "alibi attention": (lambda: ByHand(32, 4, "baddbmm"), x),
        "einsum block": (lambda: Block(32, 4, ByHand), x),
        "cnn": (lambda: nn.Sequential(conv(3)[0], nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(200, 10)), image),
        "strided": (lambda: conv(3, stride=2, padding=1), image),
        "dilated": (lambda: conv(3, dilation=2, padding=2), image),
        "pointwise": (lambda: conv(1), image),
        "patches": (lambda: nn.Sequential(nn.Conv2d(3, 32, 4, stride=4), nn.Flatten(2)), image),
        "depthwise": (lambda: nn.Sequential(nn.Conv2d(3, 6, 3, groups=3), nn.Conv2d(6, 4, 1)), image),
        "padded by reflection": (lambda: conv(3, padding=1, padding_mode="reflect"), image),
        "same padding": (lambda: conv(4, padding="same"), image),
        "residual": (lambda: nn.Sequential(nn.Conv2d(3, 8, 1), Residual(8)), image),
        "transposed": (lambda: nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), image),
        "transposed, groups": (lambda: nn.ConvTranspose2d(3, 6, 2, stride=2, groups=3), image),
        "conv1d": (lambda: nn.Sequential(nn.Conv1d(6, 8, 3), nn.Conv1d(8, 4, 5, padding=2)), x),
        "conv3d": (lambda: nn.Conv3d(3, 4, (1, 3, 3)), torch.randn(1, 3, 2, 6, 6)),
        "lstm": (lambda: First(nn.LSTM(32, 16, batch_first=True)), x),
        "lstm, two ways": (lambda: First(nn.LSTM(32, 8, num_layers=2, bidirectional=True)), x),
        "lstm, projected": (lambda: First(nn.LSTM(32, 16, proj_size=4)), x),
        "gru": (lambda: First(nn.GRU(32, 16, batch_first=True)), x),
        "rnn": (lambda: First(nn.RNN(32, 16, nonlinearity="relu")), x),
        "lstm cell": (lambda: First(nn.LSTMCell(24, 16)), rows),
        "gru cell": (lambda: nn.GRUCell(24, 16), rows),
    }


class _Twice(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x, x)
