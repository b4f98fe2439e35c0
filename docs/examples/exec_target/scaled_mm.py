#!/usr/bin/env python3
"""A target that is a library's product with scales: an element of `discern.scaled_mm` for each vector.

For the bits of a real GPU, put `torch._scaled_mm` in place of `discern.scaled_mm`: its arguments are the same.

    discern identify 'exec:python3 scaled_mm.py' --formats e4m3,e4m3,-,bf16 --K 384 --kernel
"""

import json
import sys

import numpy as np

import discern

SCALE_A, SCALE_B = 0.3, 0.7
N = 16  # torch wants a multiple of 16 columns; here they are all alike

header = json.loads(sys.stdin.readline())
if [header.get(key) for key in ("a", "b", "c", "d")] != ["e4m3", "e4m3", None, "bf16"]:
    sys.exit("scaled_mm.py computes e4m3*e4m3->bf16 only")

for line in sys.stdin:
    vector = json.loads(line)
    a, b = (np.array([[int(pattern, 16) for pattern in vector[key]]], np.uint8) for key in "ab")
    d = discern.scaled_mm(a, np.repeat(b, N, axis=0).T, SCALE_A, SCALE_B, out_dtype="bf16", split=1, formats=("e4m3", "e4m3"))
    print(json.dumps({"d": f"{d.view(np.uint16)[0, 0]:04x}"}), flush=True)
