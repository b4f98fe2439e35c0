#!/usr/bin/env python3
"""What the commonest questions cost: the start of the program, every pair of twelve GPUs in four formats, and `which` of 300
rows. Seconds are of processor time, the median of several runs for the start and for `which`.

Usage: first_answers.py DISCERN
"""
import itertools
import resource
import statistics
import subprocess
import sys

GPUS = ["V100", "T4", "A100", "L40S", "H100", "B200", "MI250X", "MI300X", "MI355X", "RX 7900", "RTX 4090", "RTX 5090"]
FORMATS = ["f16", "bf16", "tf32", "e4m3"]
OBSERVED = {"f16": "H100/f16", "bf16": "A100/bf16", "e4m3": "H100/e4m3"}


def seconds(words, text=None):
    """Processor time of a command, its status and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ran.returncode, ran.stdout


def main():
    discern = sys.argv[1]
    print(f"start: {statistics.median(seconds([discern, '--version'])[0] for _ in range(21)):.4f} s")
    asked, unanswered = [], 0
    for (a, b), form in itertools.product(itertools.combinations(GPUS, 2), FORMATS):
        spent, status, _ = seconds([discern, "prove", f"{a}/{form}", f"{b}/{form}", "--timeout", "20"])
        if status in (0, 1):
            asked.append((spent, f"{a}/{form} {b}/{form}"))
        elif status == 3:
            unanswered += 1
    asked.sort()
    print(f"{len(asked)} pairs answered, {unanswered} open: median {asked[len(asked) // 2][0]:.4f} s, longest {asked[-1][0]:.4f} s ({asked[-1][1]})")
    for form, unit in OBSERVED.items():
        _, _, rows = seconds([discern, "generate", unit, "-n", "300", "--results", "--seed", "1"])
        which = [seconds([discern, "which", "-"], rows) for _ in range(5)]
        print(f"which of {len(rows.splitlines()) - 1} rows of {form}: {statistics.median(w[0] for w in which):.4f} s, status {which[0][1]}, {which[0][2].splitlines()[0]}")
    return 1 if unanswered else 0


if __name__ == "__main__":
    sys.exit(main())
