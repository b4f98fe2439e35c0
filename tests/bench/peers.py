"""Products on one core, beside other programs that compute the same bits: processor time, and how many bits differ.

Usage: PYTHONPATH=build/python python3 tests/bench/peers.py [--fastmma FOLDER] [M K N]

One thread each. A peer that is not installed is skipped, with a word:
  mmaemu    its reference for CPUs, of fp8 products on an H100 (PyPI; needs torch)
  mmasim    MMA-Sim, one instruction of it chained over k (PyPI; needs torch)
  fastmma   its port to Rust, from a checkout of https://github.com/ztatlock/MMA-Sim in FOLDER; needs rustc. Only the functions
            that compute are compiled, since the rest binds them to Python by crates; on x86 the port has no others.
"""

from __future__ import annotations

import argparse
import ctypes
import pathlib
import re
import subprocess
import tempfile
import time

import numpy as np

import discern


def best(compute, times):
    """The least processor time of some runs, and what the last gave."""
    seconds = float("inf")
    for _ in range(times):
        begin = time.process_time()
        result = compute()
        seconds = min(seconds, time.process_time() - begin)
    return seconds, result


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "an unknown CPU")


def codes(rng, *shape):
    """Of e4m3, below 2."""
    return rng.integers(0, 256, shape, np.uint8) & 0xBF


def beside_mmaemu(rng, M, K, N):
    import mmaemu
    import torch

    a, w = codes(rng, M, K), codes(rng, N, K)
    x, y = (torch.from_numpy(codes).view(torch.float8_e4m3fn) for codes in (a, w))
    sa, sb = torch.tensor(0.5), torch.tensor(0.25)
    kept = discern.packed(w.T, "e4m3")
    for fast in (True, False):
        once, c = best(lambda: discern.scaled_mm(a, kept, 0.5, 0.25, use_fast_accum=fast, split=1), 7)
        ours, d = best(lambda: discern.scaled_mm(a, w.T, 0.5, 0.25, use_fast_accum=fast, split=1), 7)
        theirs, e = best(
            lambda: mmaemu.scaled_mm(
                x, y.t(), sa, sb, out_dtype=torch.bfloat16, use_fast_accum=fast, profile="hopper", splitk=1, backend="reference"
            ),
            2,
        )
        bits = e.view(torch.int16).numpy().view(np.uint16)
        different = int((d.view(np.uint16) != bits).sum()) + int((c.view(np.uint16) != bits).sum())
        name = "fast" if fast else "slow"
        times = f"{ours:.4f} s, with a packed weight {once:.4f} s, mmaemu {mmaemu.__version__} {theirs:.3f} s"
        print(f"{M} × {K} × {N}, e4m3 into bf16, {name} accumulation: {times}: {theirs / ours:.0f} × and {theirs / once:.0f} ×, {different} differ")


def beside_mmasim(rng, M, K, N):
    """Its operands are expanded to M × N × k, so a part of the columns at a time."""
    import torch
    from importlib.metadata import version
    from mmasim.nv_ptx.sim import MMA, WGMMA

    columns = 64
    half = lambda *shape: rng.standard_normal(shape).astype(np.float16)  # noqa: E731
    for unit, theirs, draw, dtype in (
        ("hopper/wgmma.m64n8k32.f32.e4m3.e4m3", WGMMA("Hopper", "m64n64k32.f32.e4m3.e4m3"), codes, torch.float8_e4m3fn),
        ("ampere/mma.m16n8k16.f32.f16.f16.f32", MMA("Ampere", "m16n8k16.f32.f16.f16.f32"), half, torch.float16),
    ):
        a, w = (draw(rng, M, K), draw(rng, N, K)) if draw is codes else (draw(M, K), draw(N, K))
        x, y = torch.from_numpy(a).view(dtype), torch.from_numpy(w).view(dtype)
        u = discern.unit(unit)
        ours, d = best(lambda: u.gemm(a, w.T), 7)
        parts = lambda: [theirs(x, y[first : first + columns].t(), torch.zeros(M, min(columns, N - first))) for first in range(0, N, columns)]  # noqa: E731
        seconds, e = best(parts, 1)
        bits = torch.cat(e, dim=1).view(torch.int32).numpy().view(np.uint32)
        different = int((d.view(np.uint32) != bits).sum())
        print(f"{M} × {K} × {N}, {unit}: {ours:.4f} s, MMA-Sim {version('mmasim')} {seconds:.3f} s: {seconds / ours:.0f} ×, {different} differ")


RUST = """
/// Tiles of 16 × 16 by 16 × 8 and C, one after another.
#[no_mangle]
pub unsafe extern "C" fn tiles(a: *const f32, b: *const f32, c: *const f32, d: *mut f32, count: usize) {
    for i in 0..count {
        let part = |p: *const f32, n: usize| std::slice::from_raw_parts(p.add(i * n), n);
        let out = std::slice::from_raw_parts_mut(d.add(i * 128), 128);
        run_one_tile(part(a, 256), part(b, 128), part(c, 128), 16, 8, 16, 24, -14, -14, -126, 23, true, out);
    }
}
"""
COMPUTES = ("decompose", "trunc_shr", "normalize_f32", "decompose_f64", "sig_f64_to_pow2_times", "fast_pow2", "fused_mma_step_int", "run_one_tile")


def beside_fastmma(rng, M, K, N, folder):
    source = (pathlib.Path(folder) / "fastmma_rust" / "src" / "lib.rs").read_text(encoding="utf-8")
    constants = re.findall(r"^const \w+: [^\n]*;\n", source, re.M)
    found = [re.search(rf"^fn {name}\(.*?^}}\n", source, re.M | re.S) for name in COMPUTES]
    with tempfile.TemporaryDirectory() as place:
        text = "".join(constants) + "".join("#[inline]\n" + one.group() for one in found) + RUST
        (pathlib.Path(place) / "lib.rs").write_text(text, encoding="utf-8")
        subprocess.run(
            ["rustc", "--crate-type", "cdylib", "-C", "opt-level=3", "-C", "target-cpu=native", "-A", "warnings", "-o", "libtiles.so", "lib.rs"],
            cwd=place, check=True,
        )  # fmt: skip
        tiles = ctypes.CDLL(f"{place}/libtiles.so").tiles
    tiles.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t]
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((K, N)).astype(np.float16)
    m, n = M // 16, N // 8
    # Every step over k is one call, with the tiles as the port takes them: f32, one after another. Making them is not timed.
    A = np.ascontiguousarray(np.broadcast_to(a.reshape(m, 16, K // 16, 16).transpose(2, 0, 1, 3)[:, :, None], (K // 16, m, n, 16, 16)), np.float32)
    B = np.ascontiguousarray(np.broadcast_to(b.reshape(K // 16, 16, n, 8).transpose(0, 2, 1, 3)[:, None], (K // 16, m, n, 16, 8)), np.float32)

    def theirs():
        c, d = np.zeros((m, n, 16, 8), np.float32), np.empty((m, n, 16, 8), np.float32)
        for step in range(K // 16):
            tiles(A[step].ctypes.data, B[step].ctypes.data, c.ctypes.data, d.ctypes.data, m * n)
            c, d = d, c
        return c

    u = discern.unit("ampere/mma.m16n8k16.f32.f16.f16.f32")
    ours, d = best(lambda: u.gemm(a, b), 7)
    seconds, e = best(theirs, 2)
    bits = e.transpose(0, 2, 1, 3).reshape(M, N).view(np.uint32)
    print(f"{M} × {K} × {N}, {u.text}: {ours:.4f} s, fastmma {seconds:.3f} s: {seconds / ours:.0f} ×, {int((d.view(np.uint32) != bits).sum())} differ")


def main():
    line = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    line.add_argument("sizes", nargs="*", type=int, default=[64, 1920, 5760], metavar="M K N")
    line.add_argument("--fastmma", metavar="FOLDER")
    given = line.parse_args()
    M, K, N = given.sizes
    print(f"one thread of {processor()}")
    try:
        import torch

        torch.set_num_threads(1)
    except ImportError:
        pass
    few = min(N, 256)  # the slower ones get fewer columns
    peers = [(beside_mmaemu, (M, K, N)), (beside_mmasim, (M, K, few))]
    for compare, sizes in peers:
        try:
            compare(np.random.default_rng(1), *sizes)
        except ImportError as error:
            print(f"skipped: {error}")
    if given.fastmma is None:
        print("skipped: --fastmma FOLDER, a checkout of the port to Rust")
    else:
        beside_fastmma(np.random.default_rng(1), M // 16 * 16, K // 16 * 16, few // 8 * 8, given.fastmma)


if __name__ == "__main__":
    main()
