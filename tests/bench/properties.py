"""The table of docs/properties.md: every property of units of the catalogue, each different arithmetic once.

Usage: tests/bench/properties.py BUILD FILE [--seconds S] [--minutes M] [--only WORD] [--name PROPERTY] [--part I/N]
                           [--check] [--second SOLVER] [--table]

Asks about one property at a time, for at most S seconds (60), and appends each answer to FILE, a line an answer. What FILE
has is not asked again, unless it is unknown and was given less time than now: so a table can be made in parts, quick ones
first. M ends it (after the property that is being asked). WORD leaves the units whose name has it; of N parts that run at
once, each with its own I from 1, one unit is in one. --check asks about one in ten of the proofs again, without theorems
and with a second solver for every unsat (auto: any other one; none: without); error-of-terms is left out, of which solvers are not
asked; what stayed unknown with one SOLVER is asked again with another. --table asks nothing and prints the page.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import time

COLUMNS = {
    "negation": "neg", "swap": "swap", "order-in-block": "in", "order-across-blocks": "across", "monotonic": "mono",
    "faithful": "faith", "exact-region": "exact", "no-false-overflow": "ovf", "specials": "spec", "zero-neutral": "zero",
    "split": "split", "max-error": "error", "error-of-terms": "of terms",
}
# Those that the tree or a vector mostly settles at once come first, those that take time last.
ORDER = ["negation", "swap", "order-in-block", "zero-neutral", "split", "specials", "no-false-overflow", "faithful",
         "error-of-terms", "order-across-blocks", "max-error", "exact-region", "monotonic"]
FEW = 30  # rows of a column that are not as the others, of which the page has no column
SIGNS = {"proved": "yes", "refuted": "no", "unknown": "?"}


def cell(one):
    """What the table says of an answer; nothing is known of a property that was not asked about."""
    if one is None:
        return ""
    if "why" in one:
        return "–"
    text = SIGNS[one["verdict"]]
    value, shown = one["value"], one.get("shown")
    if one["name"] == "exact-region" and one["verdict"] == "proved":
        return f"{value:g}" + ("…" if shown is not None and shown > value + 1 else "")
    if one["name"] == "exact-region" and one["verdict"] == "unknown" and shown is not None:
        return f"? < {shown:g}"
    if one["name"] == "error-of-terms" and one["verdict"] == "proved":
        return f"{value:.3g}"
    if one["name"] == "error-of-terms" and shown is not None:
        return f"? ≥ {shown:.3g}"
    if one["name"] == "max-error" and one["verdict"] == "proved":
        return f"{value:g}"
    if one["name"] == "max-error" and one["verdict"] == "unknown" and shown is not None:
        return f"? ≥ {shown:g}"
    return text


def arithmetics(program, only):
    """A unit of each arithmetic, with the number of instructions that have it."""
    units, by_hash = {}, {}
    for unit in json.loads(subprocess.run([program, "units", "--json"], capture_output=True, check=True).stdout):
        first = by_hash.setdefault(unit["hash"], unit["unit"])
        units[first] = units.get(first, 0) + 1
    return {unit: count for unit, count in units.items() if only in unit}


def read(path):
    """The last answer to each question, as it was asked first and as a check."""
    answers = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            answers[one["unit"], one["name"], one.get("check", False)] = one
    return answers


def ask(program, unit, name, options):
    words = [program, "property", unit, name, "--json", "--timeout", str(options.seconds)]
    if options.check:
        words += ["--no-theorems"] + (["--cross-check", options.second] if options.second != "none" else [])
    start = time.monotonic()
    ran = subprocess.run(words, capture_output=True, text=True)
    if ran.returncode == 0 and not json.loads(ran.stdout)["properties"]:
        one = {"name": name, "why": json.loads(ran.stdout)["not_asked"][0]["why"]}
    elif ran.returncode == 2:
        one = {"name": name, "why": ran.stderr.strip(), "trouble": True}
    elif ran.stdout:
        one = json.loads(ran.stdout)["properties"][0]
    elif ran.returncode == 3:  # what could not be stopped in time was ended
        one = {"name": name, "verdict": "unknown", "value": None, "vector": None, "by": ""}
    else:
        raise SystemExit(f"{unit} {name}: {ran.returncode}, {ran.stderr}")
    return {"unit": unit, "limit": options.seconds, "took": round(time.monotonic() - start, 2),
            **({"check": True, "second": options.second} if options.check else {}), **one}


def by_solver(one):
    """Whether an answer is a proof that rests on a solver, and not on terms or the tree alone."""
    return one.get("verdict") == "proved" and not one["by"].startswith(("terms", "the tree", "a product"))


def questions(units, answers, options):
    """What is still to be asked: all units get their quick properties before any gets a long one."""
    if options.check:
        proofs = sorted(key[:2] for key, one in answers.items()
                        if not key[2] and one.get("verdict") == "proved" and key[1] != "error-of-terms")

        def is_open(unit, name):
            one = answers.get((unit, name, True))
            return one is None or (one.get("verdict") == "unknown" and
                                   (one["limit"] < options.seconds or one.get("second", "auto") != options.second))

        sample = {key[:2] for key in answers if key[2]}  # what was drawn stays
        if len(sample) < len(proofs[::10]):
            sample |= set(proofs[::10])
        return [(unit, name) for unit, name in sorted(sample)
                if unit in units and options.name in ("", name) and is_open(unit, name)]
    wanted = []
    for name in ORDER if not options.name else [options.name]:
        for unit in units:
            one = answers.get((unit, name, False))
            if one is None or (one.get("verdict") == "unknown" and one["limit"] < options.seconds):
                wanted.append((unit, name))
    return wanted


INTRODUCTION = """# What each unit of the catalogue can and cannot do

[Properties](property.md) of each different arithmetic of the catalogue; of several units that share one, the first is named. Arithmetics with the same answers
share a row, and names that differ in one place share that: x.{a,b} is x.a and x.b. This page is written by

    tests/bench/properties.py build docs/properties.jsonl --table

from [the answers](properties.jsonl): each has its vector, which was replayed on both evaluators, or what proved it. yes: proved, no: refuted by a vector,
?: unknown after 60 s, –: does not apply. exact-region has its n, as far as proved (… if the vector found is of a larger one than the next); max-error
its k; "of terms" the k that is proved of error-of-terms, in last places of d's format. A column in which at most FEW rows are not alike is no column, but a
row of the second table.
"""


def sort_of_proof(one):
    """What an answer rests on."""
    return "solver" if by_solver(one) else "terms" if one["by"].startswith("terms") else "tree"


def print_counts(table):
    """How many cells of each column are what."""
    kinds = ["tree", "terms", "solver", "refuted", "unknown", "does not apply", "not asked"]
    print("| property | column | proved by the tree | by terms | by a solver | refuted | unknown | does not apply |")
    print("|---" * 8 + "|")
    totals = dict.fromkeys(kinds, 0)
    for name, column in COLUMNS.items():
        counts = dict.fromkeys(kinds, 0)
        for row in table.values():
            one = row[name]
            kind = ("not asked" if one is None else "does not apply" if "why" in one
                    else sort_of_proof(one) if one["verdict"] == "proved" else one["verdict"])
            counts[kind] += 1
            totals[kind] += 1
        print(f"| {name} | {column} | " + " | ".join(str(counts[kind]) for kind in kinds[:-1]) + " |")
    print("| all | | " + " | ".join(str(totals[kind]) for kind in kinds[:-1]) + " |")
    asked = sum(totals[kind] for kind in kinds[:5])
    print()
    print(f"Of {asked} cells to which a property applies {100 * totals['unknown'] / max(asked, 1):.1f} % are unknown.")
    if totals["not asked"]:
        print(f"{totals['not asked']} were not asked about.")


def joined(names):
    """The names, of which those that differ in one part between dots are one, with all of these parts in braces."""
    patterns = [[{part} for part in name.split(".")] for name in names]
    merged = True
    while merged:
        merged = False
        for i, one in enumerate(patterns):
            for other in patterns[i + 1:]:
                apart = [place for place, (x, y) in enumerate(zip(one, other)) if x != y]
                if len(one) == len(other) and len(apart) == 1:
                    one[apart[0]] |= other[apart[0]]
                    patterns.remove(other)
                    merged = True
                    break
            if merged:
                break
    return [", ".join(sorted(pattern[0])) if len(pattern) == 1 else
            ".".join(min(part) if len(part) == 1 else "{" + ",".join(sorted(part)) + "}" for part in pattern) for pattern in patterns]


def print_exceptions(rows):
    """The columns that are nearly alike, each with what is not; returns the others, as numbers of columns."""
    columns = list(COLUMNS)
    usual = [collections.Counter(cells[i] for _, _, cells in rows).most_common(1)[0] for i in range(len(columns))]
    nearly = [i for i in range(len(columns)) if len(rows) - usual[i][1] <= FEW]
    print("\n| property | all units, but | these |\n|---|---|---|")
    for i in nearly:
        others, values = {}, {}
        for (architecture, _, cells) in rows:
            values.setdefault(architecture, set()).add(cells[i])
        for (architecture, more, cells), alike in rows.items():
            if cells[i] != usual[i][0]:
                names = others.setdefault(cells[i], [])
                name = f"all of {architecture}" if len(values[architecture]) == 1 else ", ".join(joined(alike)) + more
                if name not in names:
                    names.append(name)
        said = "; ".join(f"{value}: {', '.join(names)}" for value, names in others.items())
        print(f"| {columns[i]} | {usual[i][0]} | {said} |")
    return [i for i in range(len(columns)) if i not in nearly]


def print_table(units, answers):
    later = len(units)
    units = {unit: count for unit, count in units.items() if any((unit, name, False) in answers for name in COLUMNS)}
    later -= len(units)
    table = {unit: {name: answers.get((unit, name, False)) for name in COLUMNS} for unit in units}
    print(INTRODUCTION.replace("FEW", str(FEW)))
    if later:
        print(f"{later} arithmetics that joined the catalogue later were not asked about.\n")
    print_counts(table)
    checked = [one for key, one in answers.items() if key[2]]
    if checked:
        def count(verdict):
            return sum(one.get("verdict") == verdict for one in checked)

        alone = sum(one.get("verdict") == "proved" and one.get("second") == "none" for one in checked)
        print(f"\n{len(checked)} of the proofs, every tenth one, were asked about again with `--no-theorems`: "
              f"{count('proved') - alone} were proved by terms and solvers and confirmed by a second solver, {alone} by one alone, "
              f"{count('refuted')} refuted, and {count('unknown')} not settled in {checked[0]['limit']:g} s.")
    rows = {}
    for unit, count in units.items():
        more = f" and {count - 1} more" if count > 1 else ""
        cells = tuple(cell(one) for one in table[unit].values())
        rows.setdefault((unit.split("/")[0], more, cells), []).append(unit)
    shown = print_exceptions(rows)
    print("\n| unit | " + " | ".join(list(COLUMNS.values())[i] for i in shown) + " |")
    print("|---" * (len(shown) + 1) + "|")
    lines = {}
    for (architecture, more, cells), alike in rows.items():
        lines.setdefault((architecture, more, tuple(cells[i] for i in shown)), []).extend(alike)
    for (_, more, cells), alike in lines.items():
        each = " each" if more and len(alike) > 1 else ""
        print(f"| {', '.join(joined(alike))}{more}{each} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--only", default="")
    parser.add_argument("--name", default="", choices=["", *ORDER])
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--second", default="auto", metavar="SOLVER")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    program = f"{options.build}/discern"
    units, answers = arithmetics(program, options.only), read(options.file)
    if options.table:
        print_table(units, answers)
        return
    part, parts = (int(number) for number in options.part.split("/"))
    units = {unit: count for number, (unit, count) in enumerate(units.items()) if number % parts == part - 1}
    end = time.monotonic() + 60 * options.minutes
    wanted = questions(units, answers, options)
    with open(options.file, "a", encoding="utf-8") as kept:
        for number, (unit, name) in enumerate(wanted):
            if time.monotonic() > end:
                print(f"{len(wanted) - number} of {len(wanted)} are left", file=sys.stderr)
                break
            one = ask(program, unit, name, options)
            kept.write(json.dumps(one, ensure_ascii=False) + "\n")
            kept.flush()
            print(f"{number + 1} of {len(wanted)}: {unit} {name} {one.get('verdict', '–')}, {one['took']:g} s",
                  file=sys.stderr, flush=True)


main()
