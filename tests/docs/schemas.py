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


def validator_of(name):
    schema = json.loads(pathlib.Path(f"docs/schemas/{name}.json").read_text())
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)
    return validator


def refuses(validator, right, spoil):
    wrong = json.loads(json.dumps(right))
    spoil(wrong)
    assert not validator.is_valid(wrong), "the schema takes what is none"


def explanations(said):
    validator = validator_of("explain")
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
        refuses(validator, two, spoil)
    return checked + 1


def proofs(said):
    validator = validator_of("prove")
    direct = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))"
    by_f32 = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](round[f32 rne](fuse[exact](p*))))"
    grounds = {}
    for what, question in {
        "structure": [direct, direct],
        "terms": [UNITS[0] + "{carry=3}", UNITS[0]],
        "solver": [direct, by_f32],
        "certificate": [direct, by_f32, "--checked"],
        "different": [UNITS[0], UNITS[0] + "{F=22}"],
        "unknown": [direct, by_f32, "--solver", "random"],
        "unchecked": [UNITS[0], UNITS[0] + "{L=2}", "--range", "a:0..0,b:0..0,c:0..0", "--checked", "--timeout", "1"],
    }.items():
        answer = json.loads(said(["prove", *question, "--json"]))
        validator.validate(answer)
        grounds[what] = answer["ground"]
        if what == "certificate":
            certified = answer
    assert all(grounds[one] == one for one in ("structure", "terms", "solver", "certificate")), grounds
    assert grounds["different"] is None and grounds["unknown"] is None, grounds
    for spoil in (lambda x: x.update(ground=None), lambda x: x.update(ground="cadical"), lambda x: x.pop("ground"),
                  lambda x: x.update(verdict="different")):
        refuses(validator, certified, spoil)
    return len(grounds)


def properties(said):
    validator = validator_of("property")
    checked = 0
    for unit in UNITS:
        for name in ("monotonic", "faithful", "swap"):
            answer = json.loads(said(["property", unit, name, "--json", "--timeout", "1"]))
            validator.validate(answer)
            checked += 1
    answer = json.loads(said(["property", UNITS[0], "monotonic", "--json"]))
    assert answer["properties"][0]["verdict"] == "refuted"
    answer_of_tree = json.loads(said(["property", UNITS[0], "error-of-terms", "--json"]))
    validator.validate(answer_of_tree)
    refuses(validator, answer_of_tree, lambda x: x["properties"][0].pop("bound"))
    refuses(validator, answer_of_tree, lambda x: x["properties"][0].update(ground=None))
    for spoil in (lambda x: x["properties"][0].update(vector=None), lambda x: x["properties"][0].update(name="nothing"),
                  lambda x: x["properties"][0]["other"].pop("d"), lambda x: x.pop("not_asked")):
        refuses(validator, answer, spoil)
    return checked


def measurements(said):
    validator = validator_of("measure")
    for unit in UNITS:
        answer = json.loads(said(["measure", unit, "-n", "5000", "--family", "normal", "--family", "cancelling", "--json"]))
        validator.validate(answer)
        assert [one["family"] for one in answer["families"]] == ["normal", "cancelling"]
    for spoil in (lambda x: x.pop("K"), lambda x: x["families"][0]["units"][0].update(dots=-1),
                  lambda x: x["families"][0]["units"][0]["ulp"].pop("bias")):
        refuses(validator, answer, spoil)
    return len(UNITS)


def comparisons(said):
    validator = validator_of("compare")
    asked = [["markidis", "ootomo-yokota"], ["one-word", "mma(word(a), word(b), c)"]]
    for one, other in asked:
        answer = json.loads(said(["compare", one, other, "--on", UNITS[0], "-n", "500", "--timeout", "5", "--json"]))
        validator.validate(answer)
        verdict = "refuted" if one == "markidis" else "proved"
        assert [a["never_farther"]["verdict"] for a in answer["algorithms"]] == [verdict, verdict]
    for spoil in (lambda x: x.pop("unit"), lambda x: x["algorithms"][0]["never_farther"].update(verdict="refuted"),
                  lambda x: x["families"][0]["nearer"].pop("first"), lambda x: x["algorithms"].pop()):
        refuses(validator, answer, spoil)
    return len(asked)


def kernels(said):
    validator = validator_of("same-bits")
    fma = "x86/fma.f32"
    questions = [[fma + "@[split=2]", fma + "@[slice=2 run=2]", "--K", "4"], [fma + "@[split=2]", fma + "@[]", "--K", "4"],
                 [fma + "@[split=2]", fma + "@[lanes=2]", "--K", "256", "-n", "200"],
                 [fma + "@[split=2]", fma + "@[slice=2 run=128]", "--K", "256", "-n", "200"]]
    verdicts = set()
    for question in questions:
        answer = json.loads(said(["same-bits", *question, "--json"]))
        validator.validate(answer)
        verdicts.add(answer["verdict"])
        if answer["verdict"] == "different":
            different = answer
    assert verdicts == {"same", "different", "unknown"}, verdicts
    for spoil in (lambda x: x.update(vector=None), lambda x: x["apart"].pop("ulp"), lambda x: x.pop("by")):
        refuses(validator, different, spoil)
    validator = validator_of("identify-kernel")
    few = ["--kernel", "--json", "--validate", "2000", "--timeout", "20"]
    found = json.loads(said(["identify", f"model:{fma}@[lanes=4 reduce=halving:f32:rne]", "--K", "32", *few]))
    validator.validate(found)
    assert found["tried"]["K"][1] > 32
    narrow = "e2m1*e2m1+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz](p*, c))@[K=16]"
    none = json.loads(said(["identify", "model:" + narrow, *few]))
    validator.validate(none)
    assert none["verdict"] == "unexplained"
    for spoil in (lambda x: x.pop("depends"), lambda x: x.update(schedule=None), lambda x: x["tried"].update(L=[1, 2]),
                  lambda x: x["depends"].append({"on": "K"})):
        refuses(validator, found, spoil)
    return len(questions) + 2


def main(build):
    def said(arguments, given=None):
        ended = subprocess.run([f"{build}/discern", *arguments], input=given, capture_output=True)
        assert ended.returncode in (0, 1, 3), ended.stderr
        return ended.stdout

    checked = explanations(said) + proofs(said) + properties(said) + measurements(said) + comparisons(said) + kernels(said)
    print(f"{checked} objects are as the schemas say")


main(sys.argv[1])
