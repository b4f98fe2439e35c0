"""How long it takes to prove exports equal to their units, beside another version of the program.

Usage: tests/bench/exports.py FILE NAME=PROGRAM… [--every N] [--seconds S] [--rounds R] [--only WORD] [--without WORD]
       tests/bench/exports.py FILE --table

Each PROGRAM (build/discern, and that of an older version) proves the export of a unit of each N-th arithmetic of the
catalogue (whose name has the one word, and not the other), by turns, in at most S seconds (300) each; of R times (1) the least counts. FILE gets a line an answer; what it
has is not asked again. Times are processor seconds of the program and all that it starts, yosys and simulators too, so
that other work on the machine matters little. --table asks nothing and prints the sums, the ratios and the
slowest: of those that all programs have proved.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

VERDICTS = {0: "proved", 1: "different", 2: "trouble", 3: "unknown"}


def arithmetics(program):
    """A unit of each arithmetic, in the catalogue's order."""
    units = {}
    for unit in json.loads(subprocess.run([program, "units", "--json"], capture_output=True, check=True).stdout):
        units.setdefault(unit["hash"], unit["unit"])
    return list(units.values())


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prove(program, unit, design, seconds):
    before = processor_seconds()
    command = [program, "prove", unit, f"rtl:{design}", "--top", "discern_unit", "--timeout", str(seconds), "--json"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    answer = {"verdict": VERDICTS.get(done.returncode, "trouble"), "seconds": round(processor_seconds() - before, 3)}
    try:
        answer["by"] = json.loads(done.stdout)["by"]
    except (ValueError, KeyError):
        answer["by"] = done.stderr.strip()[:200]
    return answer


def read(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def ask(options, programs):
    known = {(row["unit"], row["program"]) for row in read(options.file)}
    first = next(iter(programs.values()))
    with tempfile.TemporaryDirectory() as folder, options.file.open("a") as out:
        design = f"{folder}/unit.sv"
        for unit in arithmetics(first)[:: options.every]:
            if options.only not in unit or (options.without and options.without in unit) or all((unit, name) in known for name in programs):
                continue
            subprocess.run([first, "export", "--as", "sv", unit, "-o", design], check=True)
            best = {}
            for _ in range(options.rounds):
                for name, program in programs.items():
                    answer = prove(program, unit, design, options.seconds)
                    if name not in best or answer["seconds"] < best[name]["seconds"]:
                        best[name] = answer
            for name, answer in best.items():
                out.write(json.dumps({"unit": unit, "program": name} | answer) + "\n")
            out.flush()
            print(unit, *(f"{name} {a['seconds']:.2f} s {a['verdict']}" for name, a in best.items()), flush=True)


def table(rows):
    units = {}
    for row in rows:
        units.setdefault(row["unit"], {})[row["program"]] = row
    names = list(dict.fromkeys(row["program"] for row in rows))
    both = {unit: [of[name]["seconds"] for name in names] for unit, of in units.items()
            if all(name in of and of[name]["verdict"] == "proved" for name in names)}
    for name in names:
        verdicts = [of[name]["verdict"] for of in units.values() if name in of]
        counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in sorted(set(verdicts)))
        print(f"{name}: {counts}")
    sums = [sum(times) for times in zip(*both.values())]
    print(f"{len(both)} proved by all:", *(f"{name} {total:.1f} s" for name, total in zip(names, sums)))
    if len(names) == 2 and both:
        ratios = sorted(((times[0] / times[1], unit) for unit, times in both.items()), reverse=True)
        print(f"{names[0]} / {names[1]}: {sums[0] / sums[1]:.2f} of the sums, "
              f"{ratios[len(ratios) // 2][0]:.2f} in the middle; the largest:")
        for ratio, unit in ratios[:8]:
            print(f"  {ratio:.2f}  {both[unit][0]:.2f} s  {both[unit][1]:.2f} s  {unit}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", metavar="NAME=PROGRAM")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--without")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    programs = dict(program.split("=", 1) for program in options.programs)
    if programs and not options.table:
        ask(options, programs)
    table(read(options.file))


if __name__ == "__main__":
    main()
