#!/usr/bin/env python3
"""The unit of tfdpa.sv behind a pipe with cocotb: a bench in Python, under any simulator that cocotb knows.

    pip install cocotb
    discern check 'exec:python3 docs/examples/rtl/cocotb_target.py' hopper/wgmma.m64n8k16.f32.f16.f16 -n 200

The file is two things. Run as a program it builds the design and starts the simulator; the simulator then imports it for
the test, which answers vectors. Simulators write to standard output what they like, so that becomes standard error, and
the answers go to what standard output was.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

WIDTH, K = 16, 16


def pack(patterns):
    """Element 0 lowest."""
    return sum(int(pattern, 16) << (WIDTH * k) for k, pattern in enumerate(patterns))


async def answer_vectors(dut):
    from cocotb.triggers import Timer

    with open(os.environ["DISCERN_ANSWERS"], "a") as answers:
        header = json.loads(sys.stdin.readline())
        if [header.get(key) for key in "abcd"] != ["f16", "f16", "f32", "f32"] or header["K"] != K:
            sys.exit(f"this bench is for f16*f16+f32->f32 with K = {K}")
        for line in sys.stdin:
            vector = json.loads(line)
            dut.a.value, dut.b.value = pack(vector["a"]), pack(vector["b"])
            dut.c.value = int(vector["c"], 16)
            await Timer(1, "step")
            try:
                answer = {"d": f"{int(dut.d.value):08x}"}
            except ValueError:
                answer = {"error": f"d is {dut.d.value}"}
            print(json.dumps(answer), file=answers, flush=True)  # at once: discern may wait for it


def main():
    try:
        from cocotb_tools.runner import get_runner
    except ImportError:
        from cocotb.runner import get_runner  # before cocotb 2
    here = Path(__file__).resolve()
    answers = os.dup(1)
    os.dup2(2, 1)
    runner = get_runner(os.environ.get("SIM", "icarus"))
    with tempfile.TemporaryDirectory() as folder:
        runner.build(sources=[here.parent / "tfdpa.sv"], hdl_toplevel="tfdpa", build_dir=folder)
        runner.test(
            hdl_toplevel="tfdpa",
            test_module=here.stem,
            build_dir=folder,
            test_dir=folder,
            extra_env={
                "PYTHONPATH": os.pathsep.join([str(here.parent), os.environ.get("PYTHONPATH", "")]),
                "DISCERN_ANSWERS": f"/proc/{os.getpid()}/fd/{answers}",
            },
        )


if __name__ == "__main__":
    main()
else:
    import cocotb

    answer_vectors = cocotb.test()(answer_vectors)
