"""Small models whose kernels the tests list, compiled for a GPU without one.

Usage: TRITON_DISABLE_LINE_INFO=1 python inductor_models.py FOLDER     in an environment with torch, and discern on PYTHONPATH
   writes tests/data/inductor again: the code of `small`, and that of its kernels
"""

import sys

import discern.inductor
import torch

nn = torch.nn


class Block(nn.Module):
    """A block of a transformer: attention of two heads and a layer of four times the width, each after a norm."""

    def __init__(self, width=32, heads=2):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.parts, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (one.reshape(batch, length, self.heads, -1).transpose(1, 2) for one in self.parts(self.before(x)).chunk(3, -1))
        x = x + self.joined(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(nn.functional.gelu(self.wide(self.after(x))))


def small():
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.LayerNorm(32)).half(), (torch.zeros(16, 64).half(),)


def mlp():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 16), nn.Softmax(-1)).half(), (torch.zeros(64, 64).half(),)


def block():
    return Block().half(), (torch.zeros(2, 16, 32).half(),)


def convolution():
    layers = nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 8, 3)
    return nn.Sequential(*layers).half().eval(), (torch.zeros(1, 3, 16, 16).half(),)


if __name__ == "__main__":
    discern.inductor.kernels(*small(), target="sm_90").write(sys.argv[1])
