#!/usr/bin/env python3
"""A bench in Python for pipelined.sv: operands at every edge, with gaps, and a scoreboard that knows what the unit gives.

    pip install cocotb   # and discern: pip install . in a clone of it
    python3 docs/examples/rtl/cocotb_scoreboard.py            passes
    python3 docs/examples/rtl/cocotb_scoreboard.py --wrong    fails: the same design with c a register short

The file is two things. Run as a program it builds the design and starts the simulator (SIM: icarus without it, or
verilator); the simulator then imports it for the test. The exit status is 0 if the test passed, else 1.
"""

import os
import sys
import tempfile
from pathlib import Path

UNIT = "volta/mma.m8n8k4.f16.f16.f16.f16"


async def stream(dut):
    import random

    import cocotb
    from cocotb.clock import Clock
    from cocotb.triggers import RisingEdge

    import discern
    from discern.cocotb import Scoreboard

    cocotb.start_soon(Clock(dut.clk, 10).start())  # in steps of the simulator
    dut.rst_n.value, dut.valid.value = 0, 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    await RisingEdge(dut.clk)

    score = Scoreboard(UNIT, dut, clock=dut.clk, valid_in="valid", valid_out="done")
    score.start()
    gaps = random.Random(1)
    vectors = discern.generate(UNIT, n=500, seed=1)
    for a, b, c in zip(vectors.a, vectors.b, vectors.c):
        dut.a.value = sum(int(x) << 16 * k for k, x in enumerate(a))
        dut.b.value = sum(int(x) << 16 * k for k, x in enumerate(b))
        dut.c.value, dut.valid.value = int(c), 1
        await RisingEdge(dut.clk)
        while gaps.random() < 0.3:
            dut.valid.value = 0
            await RisingEdge(dut.clk)
    dut.valid.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut._log.info("%d results are those of %s", score.finish(), UNIT)


def main():
    try:
        from cocotb_tools.runner import get_results, get_runner
    except ImportError:
        from cocotb.runner import get_results, get_runner  # before cocotb 2
    here = Path(__file__).resolve()
    runner = get_runner(os.environ.get("SIM", "icarus"))
    parameters = {"KEEP_C": 0} if "--wrong" in sys.argv else {}
    with tempfile.TemporaryDirectory() as folder:
        runner.build(sources=[here.parent / "tfdpa_f16.sv", here.parent / "pipelined.sv"], hdl_toplevel="pipelined",
                     parameters=parameters, build_dir=folder)  # fmt: skip
        try:
            results = runner.test(hdl_toplevel="pipelined", test_module=here.stem, build_dir=folder, test_dir=folder,
                                  extra_env={"PYTHONPATH": os.pathsep.join([str(here.parent), *sys.path])})  # fmt: skip
            tests, failed = get_results(results)
        except SystemExit:  # how some versions say that a test failed
            return 1
    return 0 if tests == 1 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
else:
    import cocotb

    stream = cocotb.test()(stream)
