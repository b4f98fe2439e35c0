"""Products of numpy and torch as a target: what the arrays of this machine compute.

    discern identify 'matrices:python3 docs/examples/libraries/arrays.py numpy matmul' --formats f32,f32,-,f32 --K 256 --kernel

The pipe is that of docs/targets.md; C, where the header has one, is added by the function itself (torch addmm), or not
at all. `sum` and `einsum` work on vectors, so they are called for each element of D.
"""

import json
import struct
import sys

WORDS = {"f16": ("<u2", "float16"), "bf16": ("<u2", "bfloat16"), "f32": ("<u4", "float32"), "f64": ("<u8", "float64")}


def in_numpy(name):
    import numpy

    def by_elements(dot):
        return lambda a, b: numpy.array([[dot(row, column) for column in b.T.copy()] for row in a])

    functions = {
        "matmul": numpy.matmul,
        "dot": by_elements(numpy.dot),
        "sum": by_elements(lambda x, y: (x * y).sum()),
        "einsum": by_elements(lambda x, y: numpy.einsum("k,k->", x, y)),
    }
    multiply = functions[name]
    return lambda a, b, c: multiply(a, b)


def in_torch(name):
    import numpy
    import torch

    torch.set_num_threads(1)
    functions = {
        "matmul": lambda a, b, c: torch.matmul(a, b),
        "addmm": lambda a, b, c: torch.addmm(c, a, b),
        "mv": lambda a, b, c: torch.stack([torch.mv(a, column.contiguous()) for column in b.T], 1),
        "linear": lambda a, b, c: torch.nn.functional.linear(a, b.T.contiguous()),
    }
    multiply = functions[name]
    signed = {2: numpy.int16, 4: numpy.int32, 8: numpy.int64}

    def tensor(words, kind):
        return torch.from_numpy(words.view(signed[words.itemsize]).copy()).view(getattr(torch, kind))

    def words(a, b, c):
        d = multiply(a, b, c).contiguous()
        whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[d.element_size()]
        return d.view(whole).numpy()

    return tensor, words


def main(library, function):
    import numpy

    header = json.loads(sys.stdin.buffer.readline())
    kinds = [header.get(operand) for operand in ("a", "b", "c")]
    if library == "torch":
        tensor, multiply = in_torch(function)
    else:
        tensor, multiply = lambda words, kind: words.view(kind), in_numpy(function)
    while size := sys.stdin.buffer.read(12):
        m, n, k = struct.unpack("<3I", size)
        operands = []
        for kind, shape in zip(kinds, ((m, k), (k, n), (m, n))):
            if kind is None:
                operands.append(None)
                continue
            words, name = WORDS[kind]
            count = shape[0] * shape[1]
            raw = numpy.frombuffer(sys.stdin.buffer.read(count * numpy.dtype(words).itemsize), words)
            operands.append(tensor(raw.reshape(shape), name))
        with numpy.errstate(all="ignore"):
            d = multiply(*operands)
        sys.stdout.buffer.write(numpy.ascontiguousarray(d).tobytes())
        sys.stdout.buffer.flush()


if len(sys.argv) != 3 or sys.argv[1] not in ("numpy", "torch"):
    print("usage: arrays.py numpy matmul|dot|sum|einsum, or torch matmul|addmm|mv|linear", file=sys.stderr)
    raise SystemExit(2)
main(sys.argv[1], sys.argv[2])
