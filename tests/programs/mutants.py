#!/usr/bin/env python3
"""Constants of programs/matrix and programs/machine that are other ones: does a test notice each?

Usage: mutants.py ROOT [-n N] [--seed S]      in a copy of the repository, ROOT, whose build/ has programs_tests
   -n N       how many constants (40), drawn at random
   --seed S   of the draw (1)

One after the other a number in the code is one more, or has a bit that is another one; programs_tests is built and run, a
minute at most. A line for each, and a count. A mutant that does not compile is drawn anew. What no test notices is
printed with both lines, to be shown harmless by a person, or to have a test. The exit status is 1 if there is one.
"""

import argparse
import pathlib
import random
import re
import subprocess

NUMBER = re.compile(r"(?<![\w.'\"])(0x[0-9a-fA-F]+|\d+)(?![\w.'\"])")


def places(root):
    """(file, line number, first column, last column) of numbers in code."""
    for folder in ("matrix", "machine"):
        for file in sorted((root / "programs" / folder).glob("*.?pp")):
            for number, line in enumerate(file.read_text().split("\n")):
                code = line.split("//")[0]
                if code.lstrip().startswith("#") or "Error(" in code or '"' in code:
                    continue
                for match in NUMBER.finditer(code):
                    yield file, number, match.start(1), match.end(1)


def mutant(line, first, last, draw):
    value = int(line[first:last], 0)
    other = value + 1 if draw.random() < 0.5 else value ^ (1 << draw.randrange(max(value.bit_length(), 1)))
    return line[:first] + str(other) + line[last:]


def run(command, root, seconds):
    try:
        return subprocess.run(command, cwd=root, timeout=seconds, capture_output=True).returncode
    except subprocess.TimeoutExpired:
        return -1


def main():
    line = argparse.ArgumentParser(description="Mutated constants of the machine that runs PTX.")
    line.add_argument("root", type=pathlib.Path)
    line.add_argument("-n", type=int, default=40)
    line.add_argument("--seed", type=int, default=1)
    asked = line.parse_args()
    draw = random.Random(asked.seed)
    root = asked.root.resolve()
    all_places = list(places(root))
    draw.shuffle(all_places)
    build = ["cmake", "--build", "build", "-j2", "--target", "programs_tests"]
    noticed = unnoticed = 0
    for file, number, first, last in all_places:
        if noticed + unnoticed == asked.n:
            break
        text = file.read_text()
        lines = text.split("\n")
        before, lines[number] = lines[number], mutant(lines[number], first, last, draw)
        try:
            file.write_text("\n".join(lines))
            if run(build, root, 300) != 0:
                continue
            is_noticed = run(["build/tests/programs_tests", "--gtest_brief=1"], root, 60) != 0
        finally:
            file.write_text(text)
        noticed, unnoticed = noticed + is_noticed, unnoticed + (not is_noticed)
        place = f"{file.relative_to(root)}:{number + 1}"
        print(f"noticed    {place}" if is_noticed else f"unnoticed  {place}: {before.strip()} | {lines[number].strip()}", flush=True)
    run(build, root, 300)
    print(f"{noticed} of {noticed + unnoticed} constants of {len(all_places)} are noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    raise SystemExit(main())
