"""What the program prints as JSON is what docs/schemas say: of every command that has --json, and of those that say most for
units of every kind; and the schemas refuse other things.

Usage: schemas.py BUILD, in the root of the repository
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

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


TOLD = "hopper/wgmma.m64n8k16.f32.bf16.bf16"  # about which something is open

SCHEMAS = pathlib.Path("docs/schemas").absolute()
#: the names of schemas by which something was found right
used = set()


def validator_of(name):
    path, shared = SCHEMAS / f"{name}.json", SCHEMAS / "definitions.json"
    schema = json.loads(path.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    used.add(name)
    # RefResolver is what Debian 12's jsonschema has; newer ones have it, too.
    resolver = jsonschema.RefResolver(path.as_uri(), schema, store={shared.as_uri(): json.loads(shared.read_text())})
    return jsonschema.Draft7Validator(schema, resolver=resolver)


def refuses(validator, right, spoil):
    wrong = json.loads(json.dumps(right))
    spoil(wrong)
    assert not validator.is_valid(wrong), "the schema takes what is none"


def explanations(said):
    validator = validator_of("explain")
    checked = 0
    for unit in UNITS:
        vectors = said(["generate", unit, "-n", "2", "--seed", "3"])
        for at in 1, 2:
            validator.validate(json.loads(said(["explain", unit, "-", "--at", str(at), "--json"], vectors)))
            checked += 1
    one, other = UNITS[0], "turing/mma.m16n8k8.f32.f16.f16.f32{K=4}"
    two = json.loads(said(["explain", one, other, "-", "--json"], said(["synth", one, other])))
    validator.validate(two)
    assert two["parts_at"] is not None
    for spoil in (lambda x: x.pop("units"), lambda x: x["units"][0]["blocks"][0]["steps"][0].pop("E"),
                  lambda x: x["parts_at"].update(what="nothing"), lambda x: x["units"][1].update(d="0x1")):
        refuses(validator, two, spoil)
    if shutil.which("yosys"):
        design, unit = "rtl:docs/examples/rtl/tfdpa_f16.sv", "volta/mma.m8n8k4.f16.f16.f16.f16"
        vectors = said(["generate", unit, "-n", "1"])
        beside = json.loads(said(["explain", unit, design, "-", "--json"], vectors))
        alone = json.loads(said(["explain", design, "-", "--json", "--formats", "f16,f16,f16,f16", "--K", "4"], vectors))
        for right in (beside, alone):
            validator.validate(right)
        refuses(validator, beside, lambda x: x["design"].pop("nets"))
        refuses(validator, alone, lambda x: x["nets"][0].pop("value"))
    return checked + 1


def proofs(said):
    validator = validator_of("prove")
    direct = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))"
    by_f32 = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](round[f32 rne](fuse[exact](p*))))"
    three = "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p*))"
    by_two = "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p0, round[f16 rne](fuse[exact](p1, p2))))"
    grounds = {}
    for what, question in {
        "structure": [direct, direct],
        "terms": [UNITS[0] + "{carry=3}", UNITS[0]],
        "solver": [three, by_two],
        "certificate": [direct, by_f32, "--checked"],
        "different": [UNITS[0], UNITS[0] + "{F=22}"],
        "unknown": [three, by_two, "--solver", "random"],
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
    for unit in UNITS[::3]:
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
        answer = json.loads(said(["measure", unit, "-n", "500", "--family", "normal", "--family", "cancelling", "--json"]))
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
                 [fma + "@[split=2]", fma + "@[lanes=2]", "--K", "256", "-n", "200", "--values", "a:0..0", "--finite"]]
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
    ptx = "ptx:tests/data/kernels/"
    for pair in ("mm_f16_sm80.ptx", "mm_f16_sm90.ptx"), ("mm_f16_sm80.ptx", "mm_f16_sm80.ptx"), ("splitk_atomic_sm80.ptx",) * 2:
        validator.validate(json.loads(said(["same-bits", *(ptx + file for file in pair), "--json"])))
    read = validator_of("show-kernel")
    for file in "mm_f16_sm80.ptx", "attention_sm80.ptx":
        shown = json.loads(said(["show", ptx + file, "--json"]))
        read.validate(shown)
    for spoil in (lambda x: x.pop("kernel"), lambda x: x.update(terms=[]), lambda x: x.update(trees=0)):
        refuses(read, shown, spoil)
    validator = validator_of("identify-kernel")
    few = ["--kernel", "--json", "--validate", "1000", "--timeout", "4"]
    question = ["identify", f"model:{fma}@[lanes=4 reduce=halving:f32:rne]", "--K", "32"]
    for seconds in ("4", "120"):  # the latter on a busy machine
        found = json.loads(said([*question, *few[:-1], seconds]))
        validator.validate(found)
        if found["schedule"] and found["tried"]["K"][1] > 32:
            break
    assert found["tried"]["K"][1] > 32
    narrow = "e2m1*e2m1+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz](p*, c))@[K=16]"
    none = json.loads(said(["identify", "model:" + narrow, *few]))
    validator.validate(none)
    assert none["verdict"] == "unexplained"
    for spoil in (lambda x: x.pop("depends"), lambda x: x.update(schedule=None), lambda x: x["tried"].update(L=[1, 2]),
                  lambda x: x["depends"].append({"on": "K"})):
        refuses(validator, found, spoil)
    return len(questions) + 2


def plain(said, folder, schema_of):
    """Commands whose answers have one form, or a few: name, schema, what is asked, and what the schema must refuse."""
    volta, narrow, equal = UNITS[0], UNITS[0] + "{F=22}", UNITS[0] + "{carry=3}"
    block = UNITS[4]

    def file(name, content):
        (folder / name).write_bytes(content)
        return str(folder / name)

    right = file("right.jsonl", said(["generate", volta, "-n", "60", "--seed", "3", "--results"]))
    other = file("other.jsonl", said(["eval", narrow, right]))
    bare = file("bare.jsonl", said(["generate", volta, "-n", "4", "--seed", "9"]))
    A, B = file("a.csv", b"1,2,3.1,4\n1,2,3,4\n"), file("b.csv", b"1e30,2.7\n0.1,0.2\n-1e30,5\n1,1\n")
    stores = [str(folder / name) for name in ("one", "two", "three")]
    one = ["--a=3c00,3c00,3c00,3c00", "--b=3c00,3c00,3c00,3c00", "--c", "00000000"]
    few = ["--validate", "1000", "--timeout", "60"]
    lost = lambda field: lambda x: x.pop(field)
    asked = [
        ("diff", [right, other], [lost("apart"), lambda x: x["first"][0].update(d="00000000"), lambda x: x["first"][0].pop("a")]),
        ("diff", [right, right], []),
        ("check", [f"model:{narrow}", volta, "-n", "3000"],
         [lost("skipped"), lambda x: x["first"][0].pop("expected"), lambda x: x["apart"].pop("families"),
          lambda x: x["apart"]["ulp"]["histogram"].update({"few": 1})]),
        ("check", [f"model:{block}", block, "-n", "300"], []),
        ("eval", [volta, other, "--check"], [lost("first"), lambda x: x["first"][0].pop("expected")]),
        ("eval", [volta, *one], [lost("d"), lambda x: x.update(d=["3f800000"]), lambda x: x.update(a=["0x1"])]),
        ("gemm", ["x86/fma.f32", "x86/fma.f32{F=22}", A, B, "--numbers"], [lambda x: x.update(first=None), lambda x: x["first"].pop("row")]),
        ("gemm", ["x86/fma.f32", "x86/fma.f32", A, B, "--numbers"], [lambda x: x.update(first={"row": 0, "column": 0, "d": ["0", "1"]})]),
        ("targets", [], [lambda x: x[0].pop("summary"), lambda x: x[0].update(available=not x[0]["available"])]),
        ("units", [], [lambda x: x[0].pop("tree"), lambda x: x[0].update(K=0), lambda x: x[0].update(product="V100")]),
        ("units", ["--products"], [lambda x: x[0].pop("source")]),
        ("show", [volta], [lost("hash"), lost("evidence_for"), lambda x: x["parameters"][0].update(evidence="hearsay")]),
        ("show", [narrow], []),
        ("show", ["e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))"], []),
        ("tell", [f"model:{TOLD}", "--report", "/dev/null"],
         [lost("version"), lambda x: x["questions"][0].update(state="asked"), lambda x: x["questions"][0].update(fits=[]),
          lambda x: x["questions"][0]["readings"][0].pop("meaning"), lambda x: x["controls"][0].update(checked=0)]),
        ("tell", [f"model:{TOLD}{{floor=none}}", "--report", "/dev/null", "--timeout", "0"], []),
        ("which", [right], [lost("complete"), lambda x: x.update(near=[{"unit": "a/b", "mismatches": 1, "refuted_by": []}])]),
        ("which", [other, "--near", "2"], [lambda x: x["near"][0].update(mismatches=0), lambda x: x["near"][0]["refuted_by"][0].pop("expected")]),
        ("which", [f"model:{UNITS[3]}"], []),
        ("probe", [f"model:{volta}"], [lost("fresh"), lambda x: x.update(shape="f16 K=4"), lambda x: x["features"]["subnormal_a"].pop("why")]),
        ("probe", [f"model:{volta}", "--classic"], []),
        ("probe", [f"model:{block}"], []),
        ("identify", [f"model:{volta}", *few],
         [lost("grounds"), lambda x: x.update(unit=None), lambda x: x.update(open=["something"]), lambda x: x.update(order="p0"),
          lambda x: x["features"]["F"].update(observations=[0])]),
        ("identify", [f"model:{volta}{{F=9}}", "--space", volta + "{F={22..24}}", *few],
         [lambda x: x.update(unit="a/b"), lambda x: x["near"][0].pop("kinds"), lambda x: x["near"][0]["kinds"].update(more=1)]),
        ("identify", [f"replay:{right}", "--timeout", "1"], []),
        ("audit", [bare, "--space", volta + "{F={22..25}}"],
         [lost("ground"), lambda x: x["classes"][0]["missed"][0]["units"].pop(), lambda x: x["classes"][0]["missed"][0]["vector"].pop("d")]),
        ("audit", [right, "--space", volta + "{F={22..25}}"], [lost("misread")]),
        ("suite", [volta, narrow, equal, "--store", stores[0]],
         [lost("trees"), lambda x: x["pairs"][0].update(relation="alike"), lambda x: x["classes"][0].clear(),
          lambda x: x["vectors"][0].update(d="3f800000"), lambda x: x.update(grounds=["hope"])]),
        ("suite", ["--questions", "--solver", "random", "--question", "0.05"], [lambda x: x["suites"][0].pop("pool")]),
        ("suite", [volta, narrow, "--store", stores[1], "--shard", "1/2"], [lost("mine"), lambda x: x.update(shard="1 of 2")]),
        ("store", ["check", stores[0]], [lost("wrong"), lambda x: x.update(in_order=False)]),
        ("store", ["merge", stores[2], stores[0]], [lost("after"), lambda x: x["before"].pop("cells"), lambda x: x.update(merged=False)]),
        ("coverage", [volta, right], [lost("hit"), lambda x: x["bins"][0].pop("meaning"), lambda x: x["bins"][0].update(answer="maybe")]),
        ("coverage", [volta, bare, "--missing"], [lambda x: x["bins"][0].update(first=0), lambda x: x["bins"][0].update(vector={"a": []})]),
        ("synth", [volta, narrow, "-n", "2"], [lambda x: x["vectors"][0].pop("d")]),
        ("synth", [block, block + "{F=20}"], []),
    ]  # fmt: skip
    for name, words, spoils in asked:
        text = said([name, *words, "--json"])
        assert text, f"{name} {' '.join(words)} printed nothing"
        answer = json.loads(text)
        validator = validator_of(schema_of[name])
        try:
            validator.validate(answer)
        except jsonschema.ValidationError as error:
            raise AssertionError(f"{name} {' '.join(words)}: {error}") from None
        for spoil in spoils:
            refuses(validator, answer, spoil)
    return len(asked)


def designs(said, folder):
    """A design that is wrong from the second operation on, which is shown by a sequence of operations."""
    if not shutil.which("yosys"):
        return 0
    unit = "e2m1*e2m1+f16->f16 K=1 : round[f16 rne](fuse[exact](p*, c))"
    said(["export", "--as", "sv", unit, "-o", str(folder / "inner.sv")])
    (folder / "unit.sv").write_text(
        "module unit(input clk, input rst, input [3:0] a, input [3:0] b, input [15:0] c, output reg [15:0] d);\n"
        "  wire [15:0] y; reg n; discern_unit inner(.a(a), .b(b), .c(c), .d(y));\n"
        "  always @(posedge clk) if (rst) n <= 0; else begin n <= 1; d <= n ? y ^ 16'd1 : y; end\nendmodule\n"
    )
    words = [f"rtl:{folder}/inner.sv,{folder}/unit.sv", "--top", "unit", "--clock", "clk", "--reset", "rst", "--cycles", "1"]
    answer = json.loads(said(["prove", unit, *words, "--json"]))
    validator_of("prove").validate(answer)
    assert len(answer["sequence"]) == 2, answer
    refuses(validator_of("prove"), answer, lambda x: x["sequence"].clear())
    return 1


def certificates(build, said, folder):
    """What discern-check says of a certificate, and of one that was changed."""
    validator = validator_of("discern-check")
    direct = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))"
    by_f32 = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](round[f32 rne](fuse[exact](p*))))"
    said(["prove", direct, by_f32, "--certificate", str(folder / "same"), "--no-subnormals", "--json"])
    said(["audit", "-", "--space", UNITS[0] + "{F={22..23},carry={3..4}}", "--certificate", str(folder / "classes"), "--json"],
         said(["generate", UNITS[0], "-n", "50"]))  # fmt: skip

    def checked(name):
        ended = subprocess.run([f"{build}/discern-check", "--json", str(folder / name)], capture_output=True)
        answer = json.loads(ended.stdout)
        validator.validate(answer)
        return answer

    same = checked("same")
    assert same["verdict"] == "accepted" and same["limits"]["no_subnormals"], same
    assert "members" in checked("classes")
    for spoil in (lambda x: x.pop("units"), lambda x: x.update(verdict="refused"), lambda x: x["limits"].pop("finite")):
        refuses(validator, same, spoil)
    (folder / "same" / "claim.json").write_text("{}")
    assert checked("same")["verdict"] == "refused"
    return 3


def examples(said, records):
    """Commands that nothing above asks: what their help has as examples."""
    asked = 0
    for name, record in records.items():
        if not record["schemas"]:
            continue
        lines = re.sub(r"\\\n *", "", record["example"]).splitlines()
        commands = [shlex.split(line) for line in lines if line.split()[:2] == ["discern", name]]
        assert commands, f"{name}: no example of its help begins with 'discern {name}'"
        if used & set(record["schemas"]):
            continue
        for words in commands:
            answer = json.loads(said([*words[1:], *(["--json"] if "--json" not in words else [])]))
            validator_of(record["schemas"][0]).validate(answer)
            # of a list its first object, since an empty list may be right
            refuses(validator_of(record["schemas"][0]), answer, lambda x: (x[0] if isinstance(x, list) else x).clear())
            asked += 1
    return asked


def all_were_asked(records):
    """By every schema an answer was checked; that every command with --json has one, script/commands looks."""
    written = {path.stem for path in SCHEMAS.glob("*.json")} - {"definitions"}
    assert written == used, f"schemas that nothing was checked by: {written - used}"
    with_json = [name for name, record in records.items() if record["schemas"]]
    assert len(with_json) >= 20, with_json
    return len(with_json)


def main():
    def said(arguments, given=None):
        ended = subprocess.run([f"{BUILD}/discern", *arguments], input=given, capture_output=True)
        assert ended.returncode in (0, 1, 3), (arguments, ended.stderr)
        return ended.stdout

    records = {one["name"]: one for one in map(json.loads, said(["--describe-commands"]).splitlines())}
    schema_of = {name: record["schemas"][0] for name, record in records.items() if record["schemas"]}
    checked = explanations(said) + proofs(said) + properties(said) + measurements(said) + comparisons(said) + kernels(said)
    with tempfile.TemporaryDirectory() as folder:
        checked += plain(said, pathlib.Path(folder), schema_of) + certificates(BUILD, said, pathlib.Path(folder)) + designs(said, pathlib.Path(folder))
    checked += examples(said, records)
    commands = all_were_asked(records)
    print(f"{checked} answers are as the schemas say; all {commands} commands that have --json were asked")


BUILD = os.path.abspath(sys.argv[1])
main()
