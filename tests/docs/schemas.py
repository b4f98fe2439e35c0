"""What the program prints as JSON is what docs/schemas say, for units of every kind; and the schemas refuse other things.

Usage: schemas.py BUILD, in the root of the repository
"""

import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    raise SystemExit(77)

UNITS = [
    "volta/mma.m8n8k4.f32.f16.f16.f32",
    "hopper/wgmma.m64n8k32.f32.e4m3.e4m3",
    "cdna2/v_mfma_f32_32x32x8f16",
    "cdna3/v_mfma_f32_16x16x32_fp8_fp8",
    "blackwell/tcgen05.mma.m64n8k64.block16.f32.e2m1.e2m1.ue4m3",
    "x86/fma.f32",
    "psp/vdot",
]


def main(build):
    schema = json.loads(pathlib.Path("docs/schemas/explain.json").read_text())
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)

    def said(arguments, given=None):
        ended = subprocess.run([f"{build}/discern", *arguments], input=given, capture_output=True)
        assert ended.returncode in (0, 1), ended.stderr
        return ended.stdout

    checked = 0
    for unit in UNITS:
        vectors = said(["generate", unit, "-n", "20", "--seed", "3"])
        for at in range(1, 21):
            validator.validate(json.loads(said(["explain", unit, "-", "--at", str(at), "--json"], vectors)))
            checked += 1
    one, other = UNITS[0], "turing/mma.m16n8k8.f32.f16.f16.f32{K=4}"
    two = json.loads(said(["explain", one, other, "-", "--json"], said(["synth", one, other])))
    validator.validate(two)
    assert two["parts_at"] is not None
    for spoil in (lambda x: x.pop("units"), lambda x: x["units"][0]["blocks"][0]["steps"][0].pop("E"),
                  lambda x: x["parts_at"].update(what="nothing"), lambda x: x["units"][1].update(d="0x1")):
        wrong = json.loads(json.dumps(two))
        spoil(wrong)
        assert not validator.is_valid(wrong), "the schema takes what is none"
    print(f"{checked + 1} objects are as the schema says")


main(sys.argv[1])
