"""A transformer block of a model of 1,000 million parameters, as another machine runs it: tokens a second, and what takes the time.

Usage: PYTHONPATH=build/python python3 tests/bench/emulate.py [PRODUCT] [--tokens N] [--layers N] [--threads N]

Needs torch. The shapes are those of Llama 3.2 1B: 2048 wide, 32 heads of 64 and 8 of keys and values, 8192 within, in bf16; so
many layers make the model. First N (128) tokens at once, as a prompt is read, then one after them, as an answer is written, after
a first one for which the weights are packed. Seconds are of processor time, so that other programs matter little; by the clock,
too, for threads.
"""

import argparse
import collections
import time

import torch
from torch import nn

import discern.torch
from peers import processor

WIDTH, HEADS, KEYS, HEAD, WITHIN = 2048, 32, 8, 64, 8192


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(WIDTH, HEADS * HEAD, bias=False)
        self.k, self.v = (nn.Linear(WIDTH, KEYS * HEAD, bias=False) for _ in "kv")
        self.o = nn.Linear(HEADS * HEAD, WIDTH, bias=False)
        self.gate, self.up = (nn.Linear(WIDTH, WITHIN, bias=False) for _ in "gu")
        self.down = nn.Linear(WITHIN, WIDTH, bias=False)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in "ab")
        self.kept = None  # keys and values of the tokens before

    def attention(self, x):
        q = self.q(x).view(-1, HEADS, HEAD).transpose(0, 1)
        k, v = (layer(x).view(-1, KEYS, HEAD).transpose(0, 1) for layer in (self.k, self.v))
        if self.kept is not None:
            k, v = (torch.cat(both, 1) for both in zip(self.kept, (k, v)))
        self.kept = k, v
        k, v = (t.repeat_interleave(HEADS // KEYS, 0) for t in (k, v))
        scores = (q @ k.transpose(1, 2)).float() / HEAD**0.5
        later = torch.ones(scores.shape[1:], dtype=torch.bool).triu(scores.shape[2] - scores.shape[1] + 1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1).to(v.dtype)
        return self.o((weights @ v).transpose(0, 1).reshape(-1, HEADS * HEAD))

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        y = self.norms[1](x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


def timed(block):
    """Seconds of processor time of each layer's last run, by name."""
    seconds, begun = collections.Counter(), {}

    def begin(name):
        return lambda *_: begun.__setitem__(name, time.process_time())

    def end(name):
        return lambda *_: seconds.__setitem__(name, time.process_time() - begun[name])

    for name, layer in block.named_children():
        if isinstance(layer, nn.Linear):
            layer.register_forward_pre_hook(begin(name))
            layer.register_forward_hook(end(name))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("product", nargs="?", default="H100")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    block = Block().bfloat16().eval()
    seconds = timed(block)
    print(f"{processor()}, {options.threads} threads; a block as {options.product} computes it, {sum(p.numel() for p in block.parameters()) / 1e6:.0f} million parameters")
    with discern.torch.emulate(block, profile=options.product, split=1, threads=options.threads):
        for what, tokens in (("a prompt", options.tokens), ("a first token after it", 1), ("another token", 1), ("another token", 1)):
            x = torch.randn(tokens, WIDTH).bfloat16()
            clock, begin = time.monotonic(), time.process_time()
            block(x)
            used, passed = time.process_time() - begin, time.monotonic() - clock
            most = ", ".join(f"{name} {100 * s / used:.0f} %" for name, s in seconds.most_common(4))
            rest = 100 * (1 - sum(seconds.values()) / used)
            print(f"{what}: {tokens} tokens in {used:.3f} s of processor time, {passed:.3f} s by the clock; {most}; all but the layers {rest:.0f} %; "
                  f"{options.layers} such blocks: {tokens / used / options.layers:.2f} tokens a second of processor time")


if __name__ == "__main__":
    main()
