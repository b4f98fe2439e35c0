#!/usr/bin/env python3
"""What a suite costs in parts, and what so many workers would take by these parts.

    scale.py measure DISCERN OUT.json [--parts 1000] [--space SPACE] [--every N --one SECONDS]
        one process; the cells by one thread and by 16; each part; merging; the suite from the merged store. The results are
        compared. Seconds are of processor time, so that other programs on the machine matter little. With --every only each
        N-th part is measured, as one of N, and nothing is compared; one process took so many seconds before.
    scale.py table OUT.json [--workers 1 2 8 32 1000] [--cores 32]
        what so many workers take, in seconds by the clock if each has a core of its own
    scale.py killed DISCERN [--space SPACE] [--after 0.3 0.6]
        a run that is killed twice, at these shares of its time, and resumed: whether its answer is that of one process

How the table is computed: the cells are found on one machine of `--cores`, whose threads share what 16 threads shared; alone
the first thread does what it did beyond the mean of the others. The parts are given in their order to whichever worker is
free. "All" adds merging and the suite from the merged store, which one process makes.
"""
import argparse
import heapq
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

SPACE = (
    "hopper/wgmma.m64n8k16.f32.f16.f16{F={1..48},align={rz|rd|ru|rne|rna},round={f32:rz|f32:rne|f32:rd},L={4|8|16},"
    "c={early|late},zero={ignore|emin},floor={none|-133|-132|-131},product={raw|carry|full}}"
)
THREADS = 16
OWN = {"seconds", "stored", "questions"}  # of an answer, what says how it came about


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_first_thread(pid):
    """Seconds of processor time of the first thread of a process, as far as it is."""
    try:
        with open(f"/proc/{pid}/task/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Suite:
    def __init__(self, discern, space, folder):
        self.discern, self.space, self.folder = discern, space, folder

    def words(self, *more):
        return [self.discern, "suite", "--space", self.space, "--timeout", "36000", *more]

    def run(self, words):
        """Seconds of processor time, those of the first thread, and the answer."""
        before, first = processor_seconds(), 0.0
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen(words, stdout=out, cwd=self.folder)
            while process.poll() is None:
                first = max(first, of_first_thread(process.pid))
                time.sleep(0.01)
            if process.returncode != 0:
                sys.exit(f"status {process.returncode}: {' '.join(words)}")
            out.seek(0)
            return processor_seconds() - before, first, json.load(out)


def without_own(answer):
    return {key: value for key, value in answer.items() if key not in OWN}


def measure(arguments):
    result = {"space": arguments.space, "parts": []}
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(os.path.abspath(arguments.discern), arguments.space, folder)
        if arguments.every == 1:
            result["one"], _, alone = suite.run(suite.words("--threads", "1", "--json"))
            result["units"], result["classes"] = len(alone["units"]), len(alone["classes"])
        result["cells"], _, found = suite.run(suite.words("--threads", "1", "--json", "--cells", "--store", "cells"))
        total, first, _ = suite.run(suite.words("--threads", str(THREADS), "--json", "--cells", "--store", "again"))
        result["cells_of_threads"] = {"threads": THREADS, "all": total, "first": first}
        result["number_of_cells"] = found["cells"]
        stores = []
        for part in range(1, arguments.parts + 1, arguments.every):
            stores.append(f"part.{part}")
            shard = ["--shard", f"{part}/{arguments.parts}", "--store", stores[-1], "--from", "cells"]
            seconds, _, report = suite.run(suite.words("--threads", "1", "--json", *shard))
            assert report["found"] and report["open"] == 0
            result["parts"] += [round(seconds, 4)] * arguments.every
        if arguments.every > 1:
            return write(arguments.out, result | {"one": arguments.one, "units": report["units"], "every": arguments.every})
        result["merge"] = suite.run([suite.discern, "store", "merge", "cells", *stores, "--json"])[0]
        result["suite"], _, merged = suite.run(suite.words("--threads", "1", "--json", "--store", "cells"))
        result["same"] = without_own(merged) == without_own(alone)
    return write(arguments.out, result)


def write(path, result):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return 0 if result.get("same", True) else 1


def clock_of(parts, workers):
    """When the last part ends, if each is begun by the first worker that is free."""
    free = [0.0] * workers
    for seconds in parts:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def table(arguments):
    with open(arguments.out, encoding="utf-8") as file:
        measured = json.load(file)
    many = measured["cells_of_threads"]
    alone = max(0.0, many["first"] - (many["all"] - many["first"]) / (many["threads"] - 1))
    shared = many["all"] - alone
    print(f"{measured['units']} units, {measured['number_of_cells']} cells; one process: {measured['one']:.1f} s")
    print(f"cells: {measured['cells']:.1f} s, of which one thread has to do {alone:.1f} s; {len(measured['parts'])} parts: "
          f"{sum(measured['parts']):.1f} s, the longest {max(measured['parts']):.2f} s")
    if "every" in measured:
        print(f"of these each {measured['every']}th was measured, and nothing was merged or compared\nworkers  cells  parts  settled  speed-up")
        for workers in arguments.workers:
            cells, parts = alone + shared / min(workers, arguments.cores), clock_of(measured["parts"], workers)
            print(f"{workers:7d} {cells:6.1f} {parts:6.1f} {cells + parts:8.1f} {measured['one'] / (cells + parts):9.1f}")
        return 0
    print(f"{measured['classes']} classes; merging: {measured['merge']:.1f} s; the suite: {measured['suite']:.1f} s")
    together = measured["cells"] + sum(measured["parts"]) + measured["merge"]
    print(f"together without the suite: {together / measured['one']:.2f} times one process, with it {(together + measured['suite']) / measured['one']:.2f}")
    print("workers  cells  parts  settled  speed-up  all  speed-up")
    for workers in arguments.workers:
        cells = alone + shared / min(workers, arguments.cores)
        parts = clock_of(measured["parts"], workers)
        settled, everything = cells + parts, cells + parts + measured["merge"] + measured["suite"]
        print(f"{workers:7d} {cells:6.1f} {parts:6.1f} {settled:8.1f} {measured['one'] / settled:9.1f} {everything:6.1f} {measured['one'] / everything:8.1f}")
    return 0


def killed(arguments):
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(os.path.abspath(arguments.discern), arguments.space, folder)
        seconds, _, alone = suite.run(suite.words("--threads", "2", "--json"))
        lost = 0.0
        for share in arguments.after:
            before = processor_seconds()
            process = subprocess.Popen(suite.words("--threads", "2", "--json", "--store", "store"), stdout=subprocess.DEVNULL, cwd=folder)
            while process.poll() is None:
                with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                if (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > share * seconds:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                time.sleep(0.02)
            lost += processor_seconds() - before
            assert process.returncode == -signal.SIGKILL, process.returncode
        last, _, resumed = suite.run(suite.words("--threads", "2", "--json", "--store", "store", "--resume"))
        same = without_own(resumed) == without_own(alone)
        print(f"{len(alone['units'])} units: one process {seconds:.1f} s; killed {len(arguments.after)} times after {lost:.1f} s in all, and resumed for "
              f"{last:.1f} s: {(lost + last) / seconds:.2f} times; {'the same answer' if same else 'ANOTHER ANSWER'}")
        return 0 if same else 1


def main():
    parser = argparse.ArgumentParser()
    actions = parser.add_subparsers(required=True)
    for name, action in (("measure", measure), ("table", table), ("killed", killed)):
        one = actions.add_parser(name)
        one.set_defaults(action=action)
        if action is not table:
            one.add_argument("discern")
            one.add_argument("--space", default=SPACE)
        if action is not killed:
            one.add_argument("out")
        if action is measure:
            one.add_argument("--parts", type=int, default=1000)
            one.add_argument("--every", type=int, default=1)
            one.add_argument("--one", type=float)
        if action is table:
            one.add_argument("--workers", type=int, nargs="+", default=[1, 2, 8, 32, 1000])
            one.add_argument("--cores", type=int, default=32)
        if action is killed:
            one.add_argument("--after", type=float, nargs="+", default=[0.3, 0.6])
    arguments = parser.parse_args()
    if getattr(arguments, "every", 1) > 1 and arguments.one is None:
        parser.error("--every leaves out the one process; --one SECONDS says how long it took")
    return arguments.action(arguments)


if __name__ == "__main__":
    sys.exit(main())
