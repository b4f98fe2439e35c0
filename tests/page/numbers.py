#!/usr/bin/env python3
"""The page's own reading of patterns (page/js/formats.js, exact.js) against the program's.

Usage: numbers.py ROOT PROGRAM      needs node; exits with 77 without it

All patterns of formats of 8 bits and fewer and of f16 and bf16, and patterns of many exponents of the wider ones: the
number that the page shows for a pattern is given back to the program, which must make the same pattern of it.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FORMATS = {"f16": 16, "bf16": 16, "e5m2": 8, "e4m3": 8, "e5m2fnuz": 8, "e4m3fnuz": 8, "e3m2": 6, "e2m3": 6, "e2m1": 4, "tf32": 32, "f32": 32, "f64": 64,
           "e5m3": 9, "e4m2fn": 7, "e3m4f": 8, "e4m3inuz": 8, "e2m5inuz": 8, "e8m0": 8, "ue4m3": 7, "ue5m3": 8, "e8m13": 32, "fix8.6": 8, "fix16.0": 16}

SCRIPT = """
import {layout, numberOf, textOf, bitsOf} from '%s/page/js/formats.js';
import {exact} from '%s/page/js/exact.js';
import {readFileSync} from 'node:fs';
const wanted = JSON.parse(readFileSync(0));
const out = {};
for (const [name, patterns] of Object.entries(wanted)) {
  const format = layout(name);
  out[name] = patterns.map(hex => {
    const value = numberOf(format, hex), x = exact(value);
    const again = x === null ? value : (x.negative ? -1 : 1) * Number(x.digits) * 2 ** Math.trunc(x.last / 2) * 2 ** (x.last - Math.trunc(x.last / 2));
    const bits = bitsOf(format, hex).map(b => b.bit).join('');
    return [textOf(value), x === null || Object.is(again, value) || again === 0 && value === 0, BigInt('0b' + bits) === BigInt('0x' + hex)];
  });
}
process.stdout.write(JSON.stringify(out));
"""


def patterns_of(name, width):
    digits = (width + 3) // 4
    if width <= 16:
        return [f"{p:0{digits}x}" for p in range(1 << width)]
    r = random.Random(1)
    values = [r.getrandbits(width) for _ in range(3000)] + [r.getrandbits(3) << s for s in range(width - 2) for _ in range(8)]
    if name == "e8m13":
        values = [v >> 10 << 10 for v in values]
    if name == "tf32":
        values = [v >> 13 << 13 for v in values]
    return sorted({f"{v & ((1 << width) - 1):0{digits}x}" for v in values})


def main():
    root, program = Path(sys.argv[1]).resolve(), sys.argv[2]
    if not shutil.which("node"):
        print("node is not installed")
        return 77
    wanted = {name: patterns_of(name, width) for name, width in FORMATS.items()}
    with tempfile.TemporaryDirectory() as place:
        script = Path(place, "numbers.mjs")
        script.write_text(SCRIPT % (root, root))
        answer = json.loads(subprocess.run(["node", script], input=json.dumps(wanted), capture_output=True, text=True, check=True).stdout)
        wrong, count = [], 0
        for name, patterns in wanted.items():
            rows = [(p, text) for p, (text, _, _) in zip(patterns, answer[name])]
            wrong += [f"{name} {p}: the page's exact number of {text} is another" for p, (text, good, _) in zip(patterns, answer[name]) if not good]
            wrong += [f"{name} {p}: the page shows other bits" for p, (_, _, good) in zip(patterns, answer[name]) if not good]
            numbers = [(p, text) for p, text in rows if text != "NaN"]
            Path(place, "t.csv").write_text("a,b\n" + "".join(f"{text},1\n" for _, text in numbers))
            made = subprocess.run([program, "import", "csv", "t.csv", "--formats", f"{name},f64,-,f64", "--K", "1", "--numbers"], cwd=place, capture_output=True, text=True)
            again = [json.loads(line)["a"][0] for line in made.stdout.splitlines()[1:]]
            if len(again) != len(numbers):
                wrong.append(f"{name}: {len(again)} of {len(numbers)} numbers were read: {made.stderr[:500]}")
            if "rounded" in made.stderr:
                wrong.append(f"{name}: a number of the page is none of the format: {made.stderr[:300]}")
            wrong += [f"{name}: the page shows {text} for {p}, which is {q}" for (p, text), q in zip(numbers, again) if p != q]
            count += len(numbers)
    print(f"{count} patterns of {len(FORMATS)} formats, {len(wrong)} wrong")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
