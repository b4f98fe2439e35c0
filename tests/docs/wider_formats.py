"""The answers and the tables of docs/wider-formats.md: is it innocuous to compute in a wider format and to round again?

Usage: tests/docs/wider_formats.py DISCERN ask [--seconds S]     asks what docs/wider-formats.jsonl does not have yet
       tests/docs/wider_formats.py DISCERN page                  writes the tables of the page from the answers
       tests/docs/wider_formats.py DISCERN check [--seconds S]   tests the page, its answers and the quick proofs

An answer is one line: the two formats, the operation, and what `discern prove` says of the unit that rounds once and the
unit that rounds in the wider format first. An answer that is not known is asked again where more time is given.
"""

import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANSWERS = ROOT / "docs" / "wider-formats.jsonl"
PAGE = ROOT / "docs" / "wider-formats.md"

# Every number of the first is a number of each of the others, so that the operands are converted exactly.
WIDER = {
    "e5m2": ["f16", "bf16", "tf32", "f32", "f64"],
    "e4m3": ["f16", "bf16", "tf32", "f32", "f64"],
    "e5m2fnuz": ["f16", "bf16", "tf32", "f32", "f64"],
    "e4m3fnuz": ["f16", "bf16", "tf32", "f32", "f64"],
    "f16": ["tf32", "f32", "f64"],
    "bf16": ["tf32", "f32", "f64"],
    "tf32": ["f32", "f64"],
    "f32": ["f64"],
}
OPERATIONS = ["mul", "add", "fma", "mul, add"]


def units(narrow, wide, operation):
    """The unit that rounds once, the unit that rounds in the wider format first, and the limits of the inputs."""
    head, limits = f"{narrow}*{narrow}+{narrow}->{narrow} K=1", []
    exact = within = "fuse[exact](p*, c)"
    if operation == "mul":
        head, exact, within = f"{narrow}*{narrow}->{narrow} K=1", "fuse[exact](p*)", "fuse[exact](p*)"
    if operation == "add":  # a times 1, plus c; e2m1 is the smallest format that has the number 1
        head, limits = f"{narrow}*e2m1+{narrow}->{narrow} K=1", ["--values", "b:1..1"]
    if operation == "mul, add":
        within = f"fuse[exact](round[{wide} rne](fuse[exact](p*)), c)"
    return (f"{head} : round[{narrow} rne]({exact})",
            f"{head} : round[{narrow} rne](round[{wide} rne]({within}))", limits)


def questions():
    return [(narrow, wide, operation) for narrow, all_wide in WIDER.items() for wide in all_wide
            for operation in OPERATIONS]


def read():
    answers = {}
    if ANSWERS.exists():
        for line in ANSWERS.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            answers[one["format"], one["through"], one["operation"]] = one
    return answers


@functools.cache
def prove(discern, question, seconds):
    once, twice, limits = units(*question)
    words = [discern, "prove", once, twice, *limits, "--json", "--timeout", str(seconds)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1, 3):
        raise SystemExit(f"{question}: {ran.stderr}")
    if not ran.stdout:  # what could not be stopped in time was ended
        return {"verdict": "unknown", "vectors": [], "by": "", "ground": None, "seconds": seconds}
    return json.loads(ran.stdout)


def ask(discern, seconds):
    answers = read()
    for question in questions():
        known = answers.get(question)
        if known and (known["verdict"] != "unknown" or known["limit"] >= seconds):
            continue
        said = prove(discern, question, seconds)
        answers[question] = {
            "format": question[0], "through": question[1], "operation": question[2], "verdict": said["verdict"],
            "vector": said["vectors"][0] if said["vectors"] else None, "by": said["by"], "ground": said["ground"],
            "limit": seconds, "seconds": round(said["seconds"], 1)}
        print(*question, said["verdict"], said["by"], answers[question]["seconds"], flush=True)
        text = "".join(json.dumps(answers[one]) + "\n" for one in questions() if one in answers)
        ANSWERS.write_text(text, encoding="utf-8")


def cell(one):
    return {"equivalent": "innocuous", "different": "**not**", "unknown": "open"}[one["verdict"]]


def grouped(pairs):
    """The seconds of pairs by their firsts, both in the order in which they come."""
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def summary(answers):
    """Formats with the same answers share their lines, and so do formats through which these go."""
    text = "| format | through | mul | add | fma | mul, then add |\n|---|---|---|---|---|---|\n"
    by_format = [(tuple((cells, tuple(wide)) for cells, wide in grouped(
        (" | ".join(cell(answers[narrow, wide, operation]) for operation in OPERATIONS), wide) for wide in all_wide).items()), narrow)
        for narrow, all_wide in WIDER.items()]
    for lines, narrow in grouped(by_format).items():
        text += "".join(f"| {', '.join(narrow)} | {', '.join(wide)} | {cells} |\n" for cells, wide in lines)
    return text


def grounds(answers):
    """How many answers there are of each kind."""
    verdicts = [one["verdict"] for one in answers.values()]
    by = [one["ground"] for one in answers.values() if one["verdict"] == "equivalent"]
    said = [f"{by.count(ground)} by {words}" for ground, words in
            [("structure", "one notation"), ("terms", "folding both to one term"), ("solver", "a solver")] if ground in by]
    return (f"Of {len(verdicts)} questions, {verdicts.count('equivalent')} are proved ({', '.join(said)}), "
            f"{verdicts.count('different')} are refuted by a vector, and {verdicts.count('unknown')} are open.\n")


def with_tables(text, answers):
    for name, made in [("grounds", grounds), ("summary", summary)]:
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        if begin not in text or end not in text:
            raise SystemExit(f"{PAGE.name} has no place for the table {name}: {begin.strip()} … {end}")
        before, rest = text.split(begin, 1)
        text = before + begin + "\n" + made(answers) + "\n" + end + rest.split(end, 1)[1]
    return text


def patterns_of(vector):
    """The words for `eval`."""
    words = ["--a", vector["a"][0], "--b", vector["b"][0]]
    return words + (["--c", vector["c"]] if "c" in vector else [])


def result(discern, unit, vector):
    return evaluated(discern, unit, *patterns_of(vector))


@functools.cache
def evaluated(discern, unit, *patterns):
    ran = subprocess.run([discern, "eval", unit, *patterns, "--json"], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)["d"]


def check(discern, answers, text, seconds):
    """What is wrong, as sentences."""
    wrong = []
    for question in questions():
        if question not in answers:
            wrong.append(f"{question} was not asked")
            continue
        one, (once, twice, _) = answers[question], units(*question)
        if one["verdict"] == "different":
            results = [result(discern, unit, one["vector"]) for unit in (once, twice)]
            if results != one["vector"]["d"] or results[0] == results[1]:
                wrong.append(f"{question}: the vector gives {results}, not {one['vector']['d']}")
        elif one["verdict"] == "equivalent" and one["seconds"] <= seconds:
            again = prove(discern, question, 60)["verdict"]
            if again == "different":
                wrong.append(f"{question}: said to be innocuous, and is not")
            elif again == "unknown":
                print(f"{question}: not proved again within 60 s, where {one['seconds']} s were enough")
    if len(answers) == len(questions()) and with_tables(text, answers) != text:
        wrong.append(f"{PAGE.name} does not say what {ANSWERS.name} has: script/wider-formats writes it again")
    return wrong + claims(discern, text)


def check_can_fail(discern, answers, text):
    """Answers and pages that are wrong, and what is then said of them."""

    def changed(question, **values):
        return {**answers, question: {**answers[question], **values}}

    fma = "e5m2", "f16", "fma"
    wrong = [
        (changed(fma, verdict="equivalent"), text, "said to be innocuous, and is not"),
        (changed(fma, vector={**answers[fma]["vector"], "a": ["00"]}), text, "the vector gives"),
        ({question: one for question, one in answers.items() if question != fma}, text, "was not asked"),
        (answers, text.replace("| **not** |", "| innocuous |", 1), "does not say what"),
        (answers, text.replace("c=9359: 3c4f once", "c=9359: 3c50 once"), "gives ['3c4f', '3c50']"),
    ]
    for all_answers, page, complaint in wrong:
        said = check(discern, all_answers, page, 0.1)
        if not any(complaint in sentence for sentence in said):
            yield f"not noticed: {complaint}; but: {said}"


def claims(discern, text):
    """The vectors of the text: lines `FORMAT through FORMAT, OPERATION: a=… b=… c=… gives …, rounded once …`."""
    pattern = re.compile(r"`(\w+) through (\w+), ([a-z, ]+): a=(\w+) b=(\w+) c=(\w+): (\w+) once, (\w+) twice`")
    found, wrong = pattern.findall(text), []
    if len(found) < 4:
        wrong.append(f"{PAGE.name} has only {len(found)} vectors of threads")
    for narrow, wide, operation, a, b, c, once, twice in found:
        vector = {"a": [a], "b": [b], "c": c}
        results = [result(discern, unit, vector) for unit in units(narrow, wide, operation)[:2]]
        if results != [once, twice]:
            wrong.append(f"{PAGE.name}: {narrow} through {wide}, {operation}, a={a} b={b} c={c} gives {results}")
    return wrong


def main():
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument("discern")
    line.add_argument("action", choices=["ask", "page", "check"])
    line.add_argument("--seconds", type=float, help="of one question (300); of the proofs that are made again (0.2)")
    options = line.parse_args()
    if options.action == "ask":
        ask(options.discern, options.seconds or 300)
    elif options.action == "page":
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")
    else:
        answers, text = read(), PAGE.read_text(encoding="utf-8")
        wrong = check(options.discern, answers, text, options.seconds or 0.2)
        wrong = wrong or list(check_can_fail(options.discern, answers, text))
        sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
