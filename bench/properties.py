"""The table of docs/property.md: every property of units of the catalogue, each different arithmetic once.

Usage: bench/properties.py BUILD [--seconds S] [--only WORD] [--vectors FILE]

Prints Markdown. S is the time of one property (60). WORD leaves the units whose name has it. FILE gets the answers, an
object of `discern property --json` a line. A line on standard error a unit says how far it is.
"""

import argparse
import json
import subprocess
import sys
import time

COLUMNS = {
    "negation": "neg", "swap": "swap", "order-in-block": "in", "order-across-blocks": "across", "monotonic": "mono",
    "faithful": "faith", "exact-region": "exact", "no-false-overflow": "ovf", "specials": "spec", "zero-neutral": "zero",
    "split": "split", "max-error": "error",
}
SIGNS = {"proved": "yes", "refuted": "no", "unknown": "?"}


def cell(one):
    text = SIGNS[one["verdict"]]
    value, shown = one["value"], one.get("shown")
    if one["name"] == "exact-region" and one["verdict"] == "proved":
        return f"{value:g}" + ("…" if shown is not None and shown > value + 1 else "")
    if one["name"] == "exact-region" and one["verdict"] == "unknown" and shown is not None:
        return f"? < {shown:g}"
    if one["name"] == "max-error" and one["verdict"] == "proved":
        return f"{value:g}"
    if one["name"] == "max-error" and one["verdict"] == "unknown" and shown is not None:
        return f"? ≥ {shown:g}"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--vectors")
    options = parser.parse_args()
    program = f"{options.build}/discern"
    units, seen = [], set()
    for unit in json.loads(subprocess.run([program, "units", "--json"], capture_output=True, check=True).stdout):
        if unit["hash"] not in seen and options.only in unit["unit"]:
            seen.add(unit["hash"])
            units.append(unit["unit"])
    kept = open(options.vectors, "a", encoding="utf-8") if options.vectors else None
    print("| unit | " + " | ".join(COLUMNS.values()) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    counts = {"proved": 0, "refuted": 0, "unknown": 0}
    for number, unit in enumerate(units):
        start = time.monotonic()
        ran = subprocess.run([program, "property", unit, "--json", "--timeout", str(options.seconds * len(COLUMNS))],
                             capture_output=True, text=True)
        if ran.returncode == 2:
            raise SystemExit(f"{unit}: {ran.stderr}")
        answer = json.loads(ran.stdout)
        if kept:
            kept.write(ran.stdout)
            kept.flush()
        found = {one["name"]: one for one in answer["properties"]}
        for one in found.values():
            counts[one["verdict"]] += 1
        row = [cell(found[name]) if name in found else "–" for name in COLUMNS]
        print(f"| {unit} | " + " | ".join(row) + " |", flush=True)
        print(f"{number + 1} of {len(units)}: {unit}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    print()
    print(f"{counts['proved']} proved, {counts['refuted']} refuted, {counts['unknown']} unknown.")


main()
