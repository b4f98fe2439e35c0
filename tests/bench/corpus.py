"""A corpus of hard bit-vector questions with known answers, as SMT-LIB 2, and what several solvers need for them.

Usage: python3 tests/bench/corpus.py make PROGRAM FOLDER [--most N] [--seed N]
       python3 tests/bench/corpus.py ask PROGRAM FOLDER [--seconds S] [--every N] [--first I] [--ways A,B,…] [--minutes M]
       python3 tests/bench/corpus.py table FOLDER

make   writes up to N (500) questions as FOLDER/NNN-FAMILY.smt2, in turn from the families of candidates.py, and FOLDER/index.jsonl. A question is hard if both sides are no one
       term and random vectors, those that `prove --solver random` tries, tell no difference. The status of all is unknown.
ask    asks every N-th question, from the I-th (0) on, in each way that is there, one after the other, S (20) seconds of processor time each: `portfolio`, the program's own way, `sat`, CaDiCaL alone,
       `z3` and `cvc5`, as they are linked, and `bitwuzla`, if its Python package is there. What was asked before is not asked again. Then it sets the status of the files: `sat`
       where a vector was shown, with which the file has a solution, says z3 or boolector as a program; `unsat` where two of CaDiCaL (alone or in the portfolio), z3, cvc5
       and bitwuzla say so, or a certificate is accepted; else unknown. After M minutes no other question is begun.
table  prints PAR-2 scores: the sum of seconds, where no answer in time counts as twice the limit; and in brackets how many were answered.

Exit status: 0, or 1 if two ways contradict each other.
"""

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

import candidates

HERE = pathlib.Path(__file__).parent
VERDICTS = {0: "unsat", 1: "sat"}
# Those that share a solver confirm each other in nothing.
INDEPENDENT = {"portfolio": "cadical", "sat": "cadical"}


def words_of(program, row, folder):
    """What both `prove` and `smt2` are asked."""
    second = f"rtl:{folder / row['design']}" if row["design"] else row["second"]
    return [program, row["first"], second, *row["limits"], *(["--top", "discern_unit"] if row["design"] else [])]


def run(program, command, row, folder, *more, seconds=None):
    """(finished process, seconds of processor time of it and all that it started)"""
    program, *words = words_of(program, row, folder)

    def limited():
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, command, *words, *more], capture_output=True, check=False, text=True, preexec_fn=limited)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# ---- make


def with_infos(script, source, status):
    """The script as SMT-LIB's library wants its files."""
    script = "".join(line for line in script.splitlines(True) if not line.startswith(";"))
    infos = ["(set-info :smt-lib-version 2.6)", "(set-logic QF_BV)", f"(set-info :source |\n{source}\n|)",
             '(set-info :license "https://www.apache.org/licenses/LICENSE-2.0")', '(set-info :category "crafted")', f"(set-info :status {status})"]
    return script.replace("(set-logic QF_BV)", "\n".join(infos), 1)


def with_status(text, status):
    return re.sub(r"\(set-info :status \w+\)", f"(set-info :status {status})", text, count=1)


def source(row):
    sides = [row["first"], f"the export of {row['second']} as SystemVerilog, as yosys reads it" if row["design"] else row["second"]]
    return "\n".join(["Do these two units of matrix multiplication differ on some input? Written by discern smt2.", *sides, " ".join(row["limits"])]).rstrip()


def is_hard(program, row, folder):
    more = ["--timeout", "20"] if row["design"] else ["--threads", "1"]
    done, _ = run(program, "prove", row, folder, "--solver", "random", *more, "--json")
    return done.returncode == 3


def make(options):
    folder = options.folder
    (folder / "designs").mkdir(parents=True, exist_ok=True)
    lists = [iter(family) for family in candidates.families(options.seed)]
    count = 0
    with (folder / "index.jsonl").open("w") as index:
        while lists and count < options.most:
            for family in list(lists):
                if count == options.most:
                    break
                row = next_hard(options.program, family, folder, count)
                if row is None:
                    lists.remove(family)
                    continue
                count += 1
                index.write(json.dumps(row) + "\n")
                index.flush()
    print(f"{count} questions in {folder}")


def next_hard(program, family, folder, number):
    for one in family:
        name = f"{number:03}-{re.sub('[^a-z]+', '-', one.family)}"
        row = {"name": name, "family": one.family, "first": one.first, "second": one.design or one.second, "limits": list(one.limits), "design": ""}
        if one.design:
            row["design"] = f"designs/{name}.sv"
            exported = subprocess.run([program, "export", "--as", "sv", one.design, "-o", folder / row["design"]], capture_output=True, check=False)
            if exported.returncode != 0:
                continue
        written, _ = run(program, "smt2", row, folder) if is_hard(program, row, folder) else (None, 0)
        if written is None or written.returncode != 0:
            if one.design:
                (folder / row["design"]).unlink()
            continue
        text = with_infos(written.stdout, source(row), "unknown")
        (folder / f"{name}.smt2").write_text(text)
        return row | {"definitions": text.count("(let (("), "status": "unknown"}
    return None


# ---- ask


def ways(wanted):
    own = {"portfolio": "portfolio", "sat": "sat", "z3": "z3", "cvc5": "cvc5"}
    if importlib.util.find_spec("bitwuzla"):
        own["bitwuzla"] = shlex.join([sys.executable, str(HERE / "bitwuzla_program.py")])
    return {name: solver for name, solver in own.items() if not wanted or name in wanted}


def answer(options, row, solver):
    done, seconds = run(options.program, "prove", row, options.folder, "--solver", solver, "--timeout", str(30 * options.seconds), "--json", seconds=options.seconds)
    result = {"answer": VERDICTS.get(done.returncode, "unknown"), "seconds": round(seconds, 3)}
    if seconds > options.seconds:
        result["answer"] = "unknown"
    if done.returncode in VERDICTS:
        result["by"] = json.loads(done.stdout)["by"]
    if result["answer"] == "sat":
        result["vector"] = json.loads(done.stdout)["vectors"][0]
    return result


def has_solution(folder, row, vector):
    """Whether a program that is not discern says that the file has a solution with these values: its name, or nothing."""
    text = (folder / f"{row['name']}.smt2").read_text()
    values = {f"{key}{i}": x for key in ("a", "b", "sa", "sb") for i, x in enumerate(vector.get(key, []))}
    if "c" in vector:
        values["c"] = vector["c"]
    asserts = ""
    for name, width in re.findall(r"\(declare-fun (\w+) \(\) \(_ BitVec (\d+)\)\)", text):
        if name in values:
            asserts += f"(assert (= {name} #b{int(values[name], 16):0{width}b}))\n"
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as script:
        script.write(text.replace("(check-sat)", asserts + "(check-sat)"))
        script.flush()
        for command in (["z3"], ["boolector"], [sys.executable, str(HERE / "bitwuzla_program.py")]):
            try:
                with open(script.name) as file:
                    done = subprocess.run([*command, *([script.name] if len(command) == 1 else [])], stdin=file, capture_output=True, check=False, text=True)
            except FileNotFoundError:
                continue
            said = done.stdout.split()[:1]
            if said == ["unsat"]:
                raise SystemExit(f"{row['name']}: {command[0]} says that the vector {vector} is no solution of the file")
            if said == ["sat"]:
                return pathlib.Path(command[-1]).name
    return None


def has_certificate(options, row):
    if row["design"]:
        return False
    done, _ = run(options.program, "prove", row, options.folder, "--checked", "--timeout", str(10 * options.seconds), "--json", seconds=options.seconds)
    return done.returncode == 0


def status(options, row, answers):
    """(status, who says so)"""
    said = {way: given["answer"] for way, given in answers.items()}
    if {"sat", "unsat"} <= set(said.values()):
        raise SystemExit(f"{row['name']}: the ways contradict each other: {said}")
    for given in answers.values():
        if given["answer"] == "sat":
            by = has_solution(options.folder, row, given["vector"])
            return ("sat", f"a vector, and {by}") if by else ("unknown", "")
    unsat = sorted({INDEPENDENT.get(way, way) for way, given in said.items() if given == "unsat"})
    if len(unsat) > 1:
        return "unsat", ", ".join(unsat)
    if unsat and has_certificate(options, row):
        return "unsat", f"{unsat[0]}, a certificate"
    return "unknown", ""


def ask(options):
    folder, all_ways = options.folder, ways(options.ways.split(",") if options.ways else [])
    rows = read(folder / "index.jsonl")
    asked = {row["name"]: row for row in read(folder / "answers.jsonl")}
    end = time.monotonic() + 60 * options.minutes
    with (folder / "answers.jsonl").open("a") as out:
        for row in rows[options.first :: options.every]:
            if row["name"] in asked or time.monotonic() > end:
                continue
            answers = {way: answer(options, row, solver) for way, solver in all_ways.items()}
            found, by = status(options, row, answers)
            out.write(json.dumps(row | {"status": found, "confirmed": by, "limit": options.seconds, "ways": answers}) + "\n")
            out.flush()
            file = folder / f"{row['name']}.smt2"
            file.write_text(with_status(file.read_text(), found))
            print(f"{row['name']:<34} {found:<8}", *(f"{way} {given['answer']} {given['seconds']:.1f}" for way, given in answers.items()), flush=True)


# ---- table


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def par2(row, way):
    given = row["ways"][way]
    return given["seconds"] if given["answer"] != "unknown" else 2 * row["limit"]


def table(options):
    rows = read(options.folder / "answers.jsonl")
    names = list(rows[0]["ways"])
    groups = collections.defaultdict(list)
    for row in rows:
        for group in (row["family"], f"all, {row['status']}", "all"):
            groups[group].append(row)
    print("| questions | number |", " | ".join(names), "|")
    print("|---|---|" + "---|" * len(names))
    for group in sorted(groups, key=lambda g: (g.startswith("all"), g)):
        of = groups[group]
        cells = [f"{sum(par2(r, way) for r in of):.0f} ({sum(r['ways'][way]['answer'] != 'unknown' for r in of)})" for way in names]
        print(f"| {group} | {len(of)} |", " | ".join(cells), "|")
    first = collections.Counter(min(names, key=lambda way: par2(r, way)) for r in rows if any(g["answer"] != "unknown" for g in r["ways"].values()))
    print("first:", ", ".join(f"{way} {first[way]}" for way in names))
    alone = [(r["name"], way) for r in rows for way in names if [w for w in names if r["ways"][w]["answer"] != "unknown"] == [way]]
    print("answered in one way alone:", ", ".join(f"{name} by {way}" for name, way in alone) or "none")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    for name in ("make", "ask", "table"):
        one = actions.add_parser(name)
        if name != "table":
            one.add_argument("program", type=os.path.abspath)
        one.add_argument("folder", type=pathlib.Path)
        if name == "make":
            one.add_argument("--most", type=int, default=500)
            one.add_argument("--seed", type=int, default=1)
        if name == "ask":
            one.add_argument("--seconds", type=float, default=20)
            one.add_argument("--every", type=int, default=1)
            one.add_argument("--first", type=int, default=0)
            one.add_argument("--ways", default="")
            one.add_argument("--minutes", type=float, default=1e6)
    options = parser.parse_args()
    {"make": make, "ask": ask, "table": table}[options.action](options)


if __name__ == "__main__":
    main()
