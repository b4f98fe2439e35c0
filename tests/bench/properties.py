"""The tables of docs/properties.md and docs/properties.csv: every property of units of the catalogue, each different arithmetic once.

Usage: tests/bench/properties.py BUILD FILE [--seconds S] [--minutes M] [--only WORD] [--name PROPERTY] [--part I/N]
                           [--check] [--second SOLVER] [--table]

Asks about one property at a time, for at most S seconds (60), and appends each answer to FILE, a line an answer. What FILE
has is not asked again, unless it is unknown and was given less time than now: so a table can be made in parts, quick ones
first. M ends it (after the property that is being asked). WORD leaves the units whose name has it; of N parts that run at
once, each with its own I from 1, one unit is in one. --check asks about one in ten of the proofs again, without theorems
and with a second solver for every unsat (auto: any other one; none: without); error-of-terms is left out, of which solvers are not
asked; what stayed unknown with one SOLVER is asked again with another. --table asks nothing, prints the page, and writes the table
beside FILE, as .csv.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import time

COLUMNS = [
    "negation", "swap", "order-in-block", "order-across-blocks", "monotonic", "faithful", "exact-region", "no-false-overflow", "specials",
    "zero-neutral", "split", "max-error", "error-of-terms",
]
# Those that the tree or a vector mostly settles at once come first, those that take time last.
ORDER = ["negation", "swap", "order-in-block", "zero-neutral", "split", "specials", "no-false-overflow", "faithful",
         "error-of-terms", "order-across-blocks", "max-error", "exact-region", "monotonic"]
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

[properties.csv](properties.csv) has all [properties](property.md) of each different arithmetic of the catalogue, a line for each, under the first of its names; `units` counts
the instructions that share it. `discern property UNIT` asks again. [The answers](properties.jsonl) each have their vector, which was replayed on both evaluators, or what proved
it.

| cell | meaning |
|---|---|
| `yes`, `no`, `?` | proved, refuted by a vector, unknown after 60 s |
| `–` | the property does not apply |
| a number | of exact-region the n that is proved (`…`: the vector found is of a larger one than the next), of max-error the k, of error-of-terms the k in last places of d's format |
| `? < n`, `? ≥ k` | how large n can be at most, k at least, by a vector |

    python3 tests/bench/properties.py build docs/properties.jsonl --table

writes that table and this page.
"""


def sort_of_proof(one):
    """What an answer rests on."""
    return "solver" if by_solver(one) else "terms" if one["by"].startswith("terms") else "tree"


def print_counts(table):
    """How many cells of each column are what."""
    kinds = ["tree", "terms", "solver", "refuted", "unknown", "does not apply", "not asked"]
    print("| property | proved by the tree | by terms | by a solver | refuted | unknown | does not apply |")
    print("|---" * 7 + "|")
    totals = dict.fromkeys(kinds, 0)
    for name in COLUMNS:
        counts = dict.fromkeys(kinds, 0)
        for row in table.values():
            one = row[name]
            kind = ("not asked" if one is None else "does not apply" if "why" in one
                    else sort_of_proof(one) if one["verdict"] == "proved" else one["verdict"])
            counts[kind] += 1
            totals[kind] += 1
        print(f"| {name} | " + " | ".join(str(counts[kind]) for kind in kinds[:-1]) + " |")
    print("| all | " + " | ".join(str(totals[kind]) for kind in kinds[:-1]) + " |")
    asked = sum(totals[kind] for kind in kinds[:5])
    print()
    print(f"Of {asked} cells to which a property applies {100 * totals['unknown'] / max(asked, 1):.1f} % are unknown.")
    if totals["not asked"]:
        print(f"{totals['not asked']} were not asked about.")


def print_table(units, answers, beside):
    later = len(units)
    units = {unit: count for unit, count in units.items() if any((unit, name, False) in answers for name in COLUMNS)}
    later -= len(units)
    table = {unit: {name: answers.get((unit, name, False)) for name in COLUMNS} for unit in units}
    print(INTRODUCTION)
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
    with open(beside, "w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["unit", "units", *COLUMNS])
        lines.writerows([unit, count, *(cell(one) for one in table[unit].values())] for unit, count in units.items())


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
        print_table(units, answers, options.file.with_suffix(".csv"))
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
