#!/usr/bin/env python3
"""Every call that may fail does, one after the other: in each run of a command the n-th allocation, write, fsync, open or
thread fails (fail_nth.c), for n = 1, 2, … until the command no longer gets so far, or for a sample of these.

Whatever fails: the program does not crash and does not hang, says a sentence with status 2 or gives the answer that it
gives else, leaves nothing beside its files, and a store that was there still has what it had, or that and more.

Usage: fail_nth.py DISCERN LIBRARY [--most N]
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

VOLTA = "volta/mma.m8n8k4.f32.f16.f16.f32"
SPACE = VOLTA + "{F={22..24},carry={2|3}}"
KINDS = ("thread", "fsync", "open", "write", "malloc")
LONGEST = 120  # seconds
MOST_QUICK = 10


class Command:
    """A command line, the files that it writes, and what has to be as before if it fails."""

    def __init__(self, name, words, writes=(), store=None, statuses=(0,)):
        self.name, self.words, self.writes, self.store, self.statuses = name, words, writes, store, statuses


COMMANDS = [
    Command("prove", ["prove", VOLTA, VOLTA + "{carry=3}"]),
    Command("suite", ["suite", "--space", SPACE, "--store", "new", "--threads", "2", "--json"], store="new"),
    Command("again", ["suite", "--space", SPACE, "--store", "all", "--json"], store="all"),
    Command("identify", ["identify", "model:" + VOLTA, "-o", "identified.jsonl"], writes=("identified.jsonl",)),
    Command("merge", ["store", "merge", "all", "one", "two"], store="all"),
    Command("check", ["store", "check", "all", "-n", "10"], store="all"),
]


def prepared(discern, folder):
    """Two stores, of which the first is also the one that is merged into and checked."""
    for name, part in (("one", "{F={22..24},carry={2|3}}"), ("two", "{F={19..21},carry={2|3}}")):
        subprocess.run([discern, "suite", "--space", VOLTA + part, "--store", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(os.path.join(folder, "one"), os.path.join(folder, "all"))
    with open(os.path.join(folder, "identified.jsonl"), "w") as file:
        file.write("as it was\n")
    return sorted(os.listdir(folder))


def answer_of(text):
    """What of an answer does not depend on time and on which of several proofs came first."""
    if not text.startswith("{"):
        return text.split("; ")[0].split(" in ")[0]
    answer = json.loads(text)
    return json.dumps(sorted(sorted(one) for one in answer["classes"])) if "classes" in answer else text


def counts(discern, store):
    said = subprocess.run([discern, "store", "check", store, "-n", "0", "--json"], capture_output=True, text=True)
    if said.returncode != 0:
        return None
    return json.loads(said.stdout)["counts"]


class Trial:
    def __init__(self, discern, library, command, template, right):
        self.discern, self.library, self.command, self.template, self.right = discern, library, command, template, right

    def run(self, kind, n):
        """Whether the call was reached, and what is wrong, or ""."""
        with tempfile.TemporaryDirectory() as folder:
            place, temporary = os.path.join(folder, "place"), os.path.join(folder, "tmp")
            shutil.copytree(self.template, place)
            os.mkdir(temporary)
            reached = os.path.join(folder, "reached")
            environment = {**os.environ, "LD_PRELOAD": self.library, "FAIL_NTH": f"{kind} {n}", "FAIL_NTH_REACHED": reached, "TMPDIR": temporary}
            try:
                ran = subprocess.run([self.discern] + self.command.words, cwd=place, env=environment, capture_output=True, text=True, timeout=LONGEST)
            except subprocess.TimeoutExpired:
                return True, "hangs"
            return os.path.exists(reached), self.complaint(ran, place, temporary)

    def complaint(self, ran, place, temporary):
        command = self.command
        if ran.returncode not in (*command.statuses, 2, 3):
            return f"status {ran.returncode}: {ran.stderr[:200]}"
        if "internal error" in ran.stderr and "std::bad_alloc" not in ran.stderr:
            return ran.stderr[:200]
        if ran.returncode == 2 and not ran.stderr.startswith("discern: "):
            return f"no sentence: {ran.stderr[:200]!r}"
        if ran.returncode in command.statuses and answer_of(ran.stdout) != self.right:
            return f"another answer: {ran.stdout[:200]}"
        if os.listdir(temporary):
            return f"leaves {os.listdir(temporary)}"
        allowed = set(os.listdir(self.template)) | set(command.writes)
        if command.store:
            # What SQLite has beside a store, also beside one that is merged from, the next run takes away.
            allowed |= {store + suffix for store in (command.store, "one", "two") for suffix in ("", "-wal", "-shm", "-journal")}
        if extra := set(os.listdir(place)) - allowed:
            return f"leaves {sorted(extra)}"
        for name in command.writes:
            old, new = os.path.join(self.template, name), os.path.join(place, name)
            if ran.returncode == 2 and os.path.exists(old) and open(new).read() not in (open(old).read(),) and not new_is_whole(new):
                return f"{name} is neither as it was nor whole"
        if command.store and (before := counts(self.discern, os.path.join(self.template, command.store))) is not None:
            after = counts(self.discern, os.path.join(place, command.store))
            if after is None or any(after[key] < before[key] for key in before):
                return f"the store had {before}, and has {after}"
            if command.name == "merge" and ran.returncode == 2 and after != before and "has all of it" not in ran.stderr:
                return f"merged a part: {before}, {after}: {ran.stderr[:200]}"
        return ""


def new_is_whole(path):
    """A file of lines of JSON, each of them whole."""
    text = open(path).read()
    try:
        return text.endswith("\n") and all(isinstance(json.loads(line), dict) for line in text.splitlines())
    except ValueError:
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("discern")
    parser.add_argument("library")
    parser.add_argument("--most", type=int, default=40, help="calls of a kind, spread over all that there are")
    arguments = parser.parse_args()
    discern, library = os.path.abspath(arguments.discern), os.path.abspath(arguments.library)
    wrong, runs = [], 0
    with tempfile.TemporaryDirectory() as template:
        prepared(discern, template)
        for command in COMMANDS:
            with tempfile.TemporaryDirectory() as folder:
                place = os.path.join(folder, "place")
                shutil.copytree(template, place)
                first = subprocess.run([discern] + command.words, cwd=place, capture_output=True, text=True)
                if first.returncode not in command.statuses:
                    wrong.append(f"{command.name}: status {first.returncode} without a fault: {first.stderr}")
                    continue
            trial = Trial(discern, library, command, template, answer_of(first.stdout))
            for kind in KINDS:
                if kind == "malloc" and arguments.most < MOST_QUICK and command.name not in ("prove", "merge", "check"):
                    continue  # millions, of which finding the last takes minutes
                last = calls(trial, kind)
                step = max(1, last // arguments.most)
                for n in range(1, last + 1, step):
                    reached, complaint = trial.run(kind, n)
                    runs += 1
                    if complaint:
                        wrong.append(f"{command.name}, {kind} {n} of {last}{'' if reached else ' (not reached)'}: {complaint}")
                print(f"{command.name}: {kind}: {last} calls, every {step}.", flush=True)
    print(f"{runs} runs with a fault, {len(wrong)} wrong")
    print("\n".join(wrong))
    return 1 if wrong else 0


def calls(trial, kind):
    """How many calls of this kind there are, by halving: a later one than the last is not reached."""
    if not trial.run(kind, 1)[0]:
        return 0
    low, high = 1, 2
    while trial.run(kind, high)[0]:
        low, high = high, 2 * high
    while high - low > max(1, low // 16):
        middle = (low + high) // 2
        low, high = (middle, high) if trial.run(kind, middle)[0] else (low, middle)
    return low


if __name__ == "__main__":
    sys.exit(main())
