"""Kernels of Triton of many kinds for five generations of GPUs, compiled without one and read: a table of what each computes.

Usage: python triton_corpus.py [--products N] [NAME…]     in an environment with triton, and discern on PYTHONPATH
   --products N    of each kernel that is a schedule, N products of random matrices: by the kernel's graph, and by the schedule
   NAME            only kernels whose names contain one of these

A row is the kernel, the seconds that reading took, and its schedule, or how many trees and lines it has otherwise, or why it
was refused. The exit status is 1 if a kernel was refused, or an element differs. test_triton.py runs it under the mark `slow`.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")

import discern.triton as dt  # noqa: E402
import numpy as np  # noqa: E402
import triton_kernels as kernels  # noqa: E402
from discern import Error  # noqa: E402
from discern.running import run  # noqa: E402

I32 = dict.fromkeys(("M", "N", "K"), "i32")


def product(kind="fp16", out="fp32", M=64, N=64, K=128, TM=64, TN=64, TK=32, **options):
    return kernels.product, dict(TM=TM, TN=TN, TK=TK, **options), dict(
        signature={"x": f"*{kind}", "y": f"*{kind}", "out": f"*{out}", **I32, **dict.fromkeys(("sx", "sy", "so"), "i32")},
        arrays={"x": ("A", "mk", (M, K)), "y": ("B", "kn", (K, N)), "out": ("D", "mn", (M, N))},
        scalars=dict(M=M, N=N, K=K, sx=K, sy=N, so=N), grid=(M // TM * (N // TN),),
    )  # fmt: skip


def by_columns(kind="fp8e4nv", M=64, N=64, K=128, TM=64, TN=64, TK=64, **options):
    return kernels.product_by_columns, dict(TM=TM, TN=TN, TK=TK, **options), dict(
        signature={"x": f"*{kind}", "y": f"*{kind}", "out": "*fp32", **I32},
        arrays={"x": ("A", "mk", (M, K)), "y": ("B", "nk", (N, K)), "out": ("D", "mn", (M, N))},
        scalars=dict(M=M, N=N, K=K), grid=(M // TM * (N // TN),),
    )  # fmt: skip


def by_descriptors(TM=64, TN=64, TK=64, K=128, programs=1, special=False, **options):
    M, N = TM, TN
    box = lambda rows, columns: f"tensordesc<fp16[{rows}, {columns}]>"  # noqa: E731
    return kernels.product_by_descriptors, dict(TM=TM, TN=TN, TK=TK, PROGRAMS=programs, SPECIAL=special, **options), dict(
        signature={"x": box(TM, TK), "y": box(TK, TN), "out": box(TM, TN), **I32},
        arrays={"x": ("A", "mk", (M, K)), "y": ("B", "kn", (K, N)), "out": ("D", "mn", (M, N))}, scalars=dict(M=M, N=N, K=K),
    )  # fmt: skip


def with_bias(gelu, M=64, N=64, K=128):
    return kernels.product_with_bias, dict(TM=M, TN=N, TK=64, GELU=gelu), dict(
        signature={"x": "*fp16", "y": "*fp16", "bias": "*fp16", "out": "*fp16", **I32}, scalars=dict(M=M, N=N, K=K),
        arrays={"x": ("A", "mk", (M, K)), "y": ("B", "kn", (K, N)), "bias": ("bias", "n", (N,)), "out": ("D", "mn", (M, N))},
    )  # fmt: skip


def scaled_blocks(M=64, N=64, K=256):
    return kernels.product_of_scaled_blocks, dict(TM=M, TN=N, TK=128), dict(
        signature={"x": "*fp8e4nv", "y": "*fp8e4nv", "sx": "*fp32", "sy": "*fp32", "out": "*bf16", **I32},
        arrays={"x": ("A", "mk", (M, K)), "y": ("B", "nk", (N, K)), "sx": ("sa", "mb", (M, K // 128)), "sy": ("sb", "b", (K // 128,)), "out": ("D", "mn", (M, N))},
        scalars=dict(M=M, N=N, K=K),
    )  # fmt: skip


def scaled(M=128, N=128, K=128):
    return kernels.scaled_product, dict(TM=M, TN=N, TK=128), dict(
        signature={"x": "*fp8e4nv", "sx": "*u8", "y": "*fp8e4nv", "sy": "*u8", "out": "*fp32", **I32},
        arrays={"x": ("A", "mk", (M, K)), "sx": ("sa", "mb", (M, K // 32)), "y": ("B", "nk", (N, K)), "sy": ("sb", "nb", (N, K // 32)), "out": ("D", "mn", (M, N))},
        scalars=dict(M=M, N=N, K=K),
    )  # fmt: skip


def attention(TS=32, causal=False, S=128, D=64, **options):
    return kernels.attention, dict(TM=64, TS=TS, D=D, CAUSAL=causal, **options), dict(
        signature={"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp16", "S": "i32", "scale": "fp32"}, grid=(S // 64,),
        arrays={"q": ("Q", "md", (S, D)), "k": ("K", "sd", (S, D)), "v": ("V", "sn", (S, D)), "out": ("D", "mn", (S, D))}, scalars={"S": S, "scale": 0.125},
    )  # fmt: skip


def parts(M=64, N=64, K=128):
    return kernels.product_of_parts, dict(TM=M, TN=N, TK=32, PARTS=2), dict(
        signature={"x": "*fp16", "y": "*fp16", "out": "*fp32", **I32}, scalars=dict(M=M, N=N, K=K), grid=(1, 2),
        arrays={"x": ("A", "mk", (M, K)), "y": ("B", "kn", (K, N)), "out": ("D", "mn", (M, N))},
    )  # fmt: skip


def rows(fn, kind, out_axes, N=1024, **options):
    shape = (2,) if out_axes == "m" else (2, N)
    return fn, dict(B=1024, **options), dict(
        signature={"x": f"*{kind}", "out": "*fp32", "N": "i32"}, scalars={"N": N}, grid=(2,),
        arrays={"x": ("X", "mk" if out_axes == "m" else "mn", (2, N)), "out": ("D", out_axes, shape)},
    )  # fmt: skip


def corpus():
    """(name, target, function, configuration, the other parameters of compiled())."""
    def add(name, target, made):
        return (f"{name} {target}", target, *made)

    for target in ("sm_80", "sm_89", "sm_90", "sm_100", "sm_120"):
        yield add("f16", target, product())
        yield add("f16 rounded, TK = 64, 8 warps", target, product(out="fp16", TK=64, num_warps=8))
        yield add("bf16, 4 stages", target, product("bf16", num_stages=4))
        yield add("tf32", target, product("fp32"))
        yield add("attention", target, attention())
        if target != "sm_80":
            yield add("e4m3", target, by_columns())
            yield add("e4m3 of scaled blocks", target, scaled_blocks())
    for target in ("sm_90", "sm_100"):
        yield add("f16 by TMA", target, by_descriptors(TM=128))
        yield add("f16 by TMA, persistent", target, by_descriptors(TM=128, programs=4))
        yield add("MX e4m3", target, scaled())
    yield add("f16 by TMA, warp-specialised", "sm_100", by_descriptors(TM=128, programs=4, special=True))
    yield add("MX e4m3", "sm_120", scaled())
    yield add("e4m3, 16 rows", "sm_90", by_columns(M=16, TM=16))
    yield add("bias and leaky relu", "sm_80", with_bias(False))
    yield add("bias and gelu", "sm_90", with_bias(True))
    yield add("split K, atomic", "sm_80", parts())
    yield add("attention, 64 keys", "sm_80", attention(TS=64))
    yield add("attention, causal", "sm_80", attention(causal=True))
    yield add("sum of rows", "sm_80", rows(kernels.row_sum, "fp32", "m"))
    yield add("sum of rows, 8 warps", "sm_80", rows(kernels.row_sum, "fp32", "m", num_warps=8))
    yield add("softmax", "sm_80", rows(kernels.softmax, "fp32", "mn"))


WORDS = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "e4m3": np.uint8}


def differences(file, launch, kernel, products, random):
    """Elements of products of random matrices that the kernel's graph and its schedule compute otherwise, and of how many."""
    place = pathlib.Path(file.removeprefix("ptx:")).parent
    operands = {one.get("matrix", one.get("result")): one for one in [*launch.get("buffers", []), *launch["arguments"]] if "shape" in one}
    apart = count = 0
    for _ in range(products):
        names = {}
        for name in "AB":
            one, word = operands[name], WORDS[operands[name]["format"]]
            bits = 8 * np.dtype(word).itemsize
            patterns = random.integers(0, 1 << bits, one["shape"], dtype=np.uint64)
            # Numbers of like size, so that bits are lost, and here and there any pattern.
            near = (random.normal(size=one["shape"]) * 2.0 ** random.integers(-3, 4, one["shape"])).astype(np.float32).view(np.uint32) >> (32 - bits)
            usual = near if one["format"] in ("f32", "bf16") else patterns & (0xBFFF if bits == 16 else 0xDF)
            chosen = np.where(random.random(one["shape"]) < 0.001, patterns, usual).astype(word)
            np.save(place / f"{name}.npy", chosen)
            np.save(place / f"{name}-rows.npy", chosen.T.copy() if one["axes"] == "nk" else chosen)
            names[name] = str(place / f"{name}.npy")
        run("gemm", file, names["A"], names["B"], "-o", str(place / "graph.npy"))
        run("gemm", kernel, str(place / "A-rows.npy"), str(place / "B-rows.npy"), "-o", str(place / "schedule.npy"))
        graph, schedule = (np.load(place / f"{whose}.npy") for whose in ("graph", "schedule"))
        unlike = graph.view(f"u{graph.itemsize}") != schedule.view(f"u{schedule.itemsize}")
        if " d=" in kernel:  # where a schedule rounds its result to another format, any NaN is one NaN
            unlike &= ~(np.isnan(graph) & np.isnan(schedule))
        apart, count = apart + int(unlike.sum()), count + graph.size
    return apart, count


def read(names, products=0):
    """Rows of the table: name, seconds, what it computes, whether it was refused, elements that differ, and of how many."""
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as place:
        for i, (name, target, fn, config, more) in enumerate(corpus()):
            if names and not any(part in name for part in names):
                continue
            made = dt.compiled(fn, config, target=target, **more)
            if name.startswith("split K"):
                made.launch["arguments"][2]["initial"] = "zero"
            file = made.write(pathlib.Path(place), str(i))
            start = time.process_time()
            try:
                said = json.loads(run("show", file, json=True).out)
            except Error as error:
                yield name, time.process_time() - start, str(error), True, 0, 0
                continue
            seconds = time.process_time() - start
            apart, count = differences(file, made.launch, said["kernel"], products, random) if said["kernel"] else (0, 0)
            yield name, seconds, said["kernel"] or f"{said['trees']} trees, {len(said['terms'])} terms", False, apart, count


def main():
    line = argparse.ArgumentParser(description="Kernels of Triton, compiled without a GPU and read.")
    line.add_argument("names", nargs="*")
    line.add_argument("--products", type=int, default=0)
    asked = line.parse_args()
    rows = []
    for row in read(asked.names, asked.products):
        name, seconds, what, refused, apart, count = row
        rows.append(row)
        print(f"{name:40} {seconds:6.2f} s  {'refused: ' if refused else ''}{what}{f'  {apart} of {count} differ' if count else ''}", flush=True)
    refused = sum(row[3] for row in rows)
    print(f"{len(rows)} kernels, {refused} refused, {sum('@[' in row[2] for row in rows)} are a schedule; "
          f"{sum(row[4] for row in rows)} of {sum(row[5] for row in rows)} elements differ")  # fmt: skip
    return 1 if refused or any(row[4] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
