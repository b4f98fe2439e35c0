#!/usr/bin/env python3
"""Point for point: pairs of the catalogue, asked of the module (under node) and of the native program.

Usage: pairs.py ROOT MODULE-FOLDER PROGRAM COUNT

Verdicts and their grounds have to be the same. So have vectors that random search found; what a solver found may be
another vector, which the native program then computes again. `show`, `eval`, `explain`, `which`, `property`, `measure`,
`suite`, `generate` and `export` are compared byte for byte, times aside, on a few units each, and so are `show` and
`same-bits` of all kernels of tests/data/kernels.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from native import Native, options  # noqa: E402

MODULE = """
const {load} = require(process.argv[1]);
load(process.argv[2]).then(program => {
  const lines = require('readline').createInterface({input: process.stdin});
  lines.on('line', line => { const {args, files} = JSON.parse(line); process.stdout.write(JSON.stringify(program(args, files || {})) + '\\n'); });
});
"""


class Module:
    """The module in one process of node, which is kept."""

    def __init__(self, root, folder):
        self.process = subprocess.Popen(["node", "-e", MODULE, str(Path(root).resolve() / "page/wasm/run.js"), str(folder)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *arguments, files=None):
        self.process.stdin.write(json.dumps({"args": list(arguments), "files": files or {}}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def without_times(text):
    return re.sub(r'"seconds": ?[0-9.e+-]+', '"seconds":0', text)


def pairs_of(units, count):
    """Pairs of one shape, of different trees where possible, spread over the catalogue; always the same ones."""
    by_shape = {}
    for unit in units:
        by_shape.setdefault((unit["a"], unit["b"], unit.get("c"), unit["d"], unit["K"], unit.get("scale"), unit.get("kblock")), []).append(unit)
    all_pairs = []
    for members in by_shape.values():
        seen = set()
        for i, p in enumerate(members):
            for q in members[i + 1:]:
                key = tuple(sorted((p["hash"], q["hash"])))
                if key not in seen:
                    seen.add(key)
                    all_pairs.append((p["unit"], q["unit"]))
    step = max(1, len(all_pairs) // count)
    return all_pairs[::step][:count]


def main():
    root, folder, program = sys.argv[1:4]
    if not Path(folder, "discern.wasm").exists():
        print(f"there is no module in {folder}; script/page makes one")
        return 77
    count = int(sys.argv[4])
    native, module = Native(program), Module(root, folder)
    wrong, compared, by_solver = [], 0, 0

    for p, q in pairs_of(native.json("units"), count):
        one, other = native.json("synth", p, q, "--timeout", "60"), json.loads(module("synth", p, q, "--timeout", "60", "--json")["out"])
        compared += 1
        for key in ("verdict", "ground", "same_tree"):
            if one[key] != other[key]:
                wrong.append(f"{p} and {q}: {key} is {one[key]} natively, {other[key]} in the module")
        if one["vectors"] != other["vectors"]:
            if "random" in (one["by"], other["by"]) and one["by"] == other["by"]:
                wrong.append(f"{p} and {q}: random search finds other vectors")
            by_solver += 1
            for vector in other["vectors"]:
                again = [native.json("explain", unit, *options(vector))["d"] for unit in (p, q)]
                if again != vector["d"]:
                    wrong.append(f"{p} and {q}: the module gives {vector['d']}, the native program {again}")

    f16, fp4 = "hopper/wgmma.m64n8k16.f32.f16.f16", "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3"
    vectors = native("generate", f16, "-n", "20", "--seed", "5").stdout
    observed = None
    with tempfile.TemporaryDirectory() as place:
        Path(place, "v.jsonl").write_text(vectors)
        observed = native("eval", f16, "v.jsonl", folder=place).stdout
        Path(place, "d.jsonl").write_text(observed)
        files = {"v.jsonl": vectors, "d.jsonl": observed}
        kernels = {p.name: p.read_text() for p in sorted(Path(root, "tests/data/kernels").iterdir()) if p.suffix in (".ptx", ".llir", ".amdgcn", ".json")}
        for name, content in kernels.items():
            Path(place, name).write_text(content)
        named = [f"{name.rsplit('.', 1)[1]}:{name}" for name in kernels if name.endswith((".ptx", ".llir"))]
        of_kernels = [["show", name, "--json"] for name in named] + [["show", name] for name in named[:3]] + [["show", "ptx:v.jsonl"]]
        of_kernels += [["same-bits", one, other, "--json"] for one, other in zip(named, named[1:] + named[:1])]
        of_kernels += [["same-bits", "ptx:mm_f16_sm80.ptx", line, "--json"] for line in ("ampere/mma.m16n8k8.f32.f16.f16.f32@[d=f16:rne]", "hopper/wgmma.m64n8k16.f32.f16.f16@[d=f16:rne]")]
        for command in (["units", "--json"], ["units", "--products", "--json"], ["show", f16, "--json"], ["show", f"{f16}{{F=20,c=late}}", "--json"],
                        ["generate", f16, "-n", "20", "--seed", "5"], ["eval", f16, "v.jsonl"], ["which", "d.jsonl", "--json"], ["which", "d.jsonl"],
                        ["explain", f16, "A100/f16", "v.jsonl", "--json"], ["explain", f16, "A100/f16", "v.jsonl"],
                        ["property", "V100/f16", "--json", "--seed", "1"], ["measure", f16, "-n", "20000", "--json", "--threads", "1"],
                        ["suite", f16, "A100/f16", "MI300X/f16", "--json"], ["export", "--as", "sv", f16], ["export", "--as", "c", "d.jsonl"],
                        ["generate", fp4, "-n", "5"], ["show", fp4, "--json"], ["export", "--as", "cuda", "--unit", f16, "--inputs", "v.jsonl"],
                        ["synth", "A100", "H100", "--json"], ["show", "H1000"], ["which", "none.csv"], ["synth", f16, fp4], *of_kernels):
            expected, got = native(*command, folder=place), module(*command, files={n: c for n, c in files.items() if n in command} | (kernels if command in of_kernels else {}))
            compared += 1
            if expected.returncode != got["status"]:
                wrong.append(f"{' '.join(command)}: exit status {expected.returncode} natively, {got['status']} in the module: {got['err']}")
            if without_times(expected.stdout) != without_times(got["out"]):
                wrong.append(f"{' '.join(command)}: prints something else:\n{expected.stdout[:400]}\n{got['out'][:400]}")
            if expected.returncode == 2 and expected.stderr != got["err"]:
                wrong.append(f"{' '.join(command)}: says {got['err']!r}, natively {expected.stderr!r}")
    module.close()
    print(f"{compared} answers compared, {by_solver} of them other vectors of a solver, {len(wrong)} wrong")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
