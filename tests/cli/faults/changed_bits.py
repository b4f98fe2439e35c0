#!/usr/bin/env python3
"""Stores in which one bit was changed where it matters: in the units, limits, classes, verdicts, vectors and checksums of
rows, and in indices that lead to them. The suite of such a store is refused or right; it is never another one with
status 0. Where the bit makes other limits of those in the file, the question with these limits is asked.

Usage: changed_bits.py DISCERN [BITS] [SEED]
"""
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

VOLTA = "volta/mma.m8n8k4.f32.f16.f16.f32"
HOPPER = "hopper/wgmma.m64n8k16.f32.f16.f16"
RANGES = ["a:-10..5,b:-10..5,c:-10..5", "a:-8..3,b:-9..4,c:-10..1"]
# Two units that are the same as long as the exponents of their operands are not small, and one that never is; the same as a
# space, of which a store also has the first cells; and a space with a cell that vectors divide. The limits of each.
CASES = [
    ([VOLTA + "{K=1}", VOLTA + "{K=1,floor=-20}", VOLTA + "{K=1,F=20}"], RANGES),
    (["--space", VOLTA + "{K=1,floor={none|-20},F={20|23}}"], RANGES),
    (["--space", HOPPER + "{F={24..26},zero={ignore|emin},floor={none|-133|-140}}"], [""]),
]
CHECKSUM_BYTES = 8


class Asking:
    def __init__(self, discern, folder):
        self.discern, self.folder, self.truth = discern, folder, {}

    def suite(self, units, limits, store=None):
        words = [self.discern, "suite", *units, *(["--range", limits] if limits else []), "--json", "--threads", "1", "--question", "300"]
        ran = subprocess.run(words + (["--store", store] if store else []), capture_output=True, text=True, cwd=self.folder)
        classes = None
        if ran.returncode in (0, 3):
            classes = sorted(sorted(one) for one in json.loads(ran.stdout)["classes"])
        return ran.returncode, classes, ran.stderr

    def right(self, units, limits):
        key = (*units, limits)
        if key not in self.truth:
            self.truth[key] = self.suite(units, limits)
        return self.truth[key]


def places(path):
    """Of each kind of content its places in the file, as (first byte, number of bytes)."""
    data = open(path, "rb").read()
    found = {}
    connection = sqlite3.connect(path)
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
        rows = connection.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in rows.description]
        for row in rows.fetchall():
            for name, value in zip(names, row):
                text = value.encode() if isinstance(value, str) else None
                if name == "checksum":
                    text = value.to_bytes(CHECKSUM_BYTES, "big", signed=True)
                if not text:
                    continue
                at = data.find(text)
                while at >= 0:
                    found.setdefault(f"{table}.{name}", set()).add((at, len(text)))
                    at = data.find(text, at + 1)
    connection.close()
    return data, {kind: sorted(spots) for kind, spots in sorted(found.items())}


def limits_made(data, spot):
    """The --range that the text of limits in the file now stands for, or None."""
    text = data[spot[0]:spot[0] + spot[1]].decode("latin-1")
    if not re.fullmatch(r"( [abc]:-?\d+\.\.-?\d+)+", text):
        return None
    return ",".join(text.split())


def main():
    discern = os.path.abspath(sys.argv[1])
    bits = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 66)
    wrong, refused, answered, asked_otherwise = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        asking = Asking(discern, folder)
        whole = os.path.join(folder, "whole")
        cases = CASES if bits >= 100 else CASES[:2]  # the last one takes as long as the others
        for units, ranges in cases:
            for limits in ranges:
                status, classes, said = asking.suite(units, limits, whole)
                if status != 0 or classes != asking.right(units, limits)[1]:
                    print(f"without a changed bit: {units}, {limits}: {status}: {classes}, and without a store {asking.right(units, limits)}: {said}")
                    return 1
        data, kinds = places(whole)
        for number in range(bits):
            kind = draw.choice(list(kinds))
            spot = draw.choice(kinds[kind])
            units, ranges = draw.choice(cases)
            limits = draw.choice(ranges)
            for _ in range(50):  # of limits, a bit that makes others of them, if one can be found
                changed = bytearray(data)
                at, bit = spot[0] + draw.randrange(spot[1]), draw.randrange(8)
                changed[at] ^= 1 << bit
                made = limits_made(changed, spot) if kind.endswith(".limits") else None
                if made or not kind.endswith(".limits"):
                    break
            path = os.path.join(folder, "changed")
            open(path, "wb").write(changed)
            if made and limits:
                limits, asked_otherwise = made, asked_otherwise + 1
            right_status, right, _ = asking.right(units, limits)
            status, classes, said = asking.suite(units, limits, path)
            for suffix in ("", "-wal", "-shm", "-journal"):
                if os.path.exists(path + suffix):
                    os.remove(path + suffix)
            refused, answered = refused + (status == 2), answered + (status == 0)
            place = f"bit {bit} of byte {at} ({kind}), --range {limits}"
            if status == 0 and right_status == 0 and classes != right:
                wrong.append(f"{place}: {classes}, and {right} is right")
            elif status not in (0, 2, 3) or (status == 2 and "internal error" in said):
                wrong.append(f"{place}: status {status}: {said}")
    print(f"{bits} changed bits in {', '.join(kinds)}: {refused} refused, {answered} answered, {asked_otherwise} asked with other limits, {len(wrong)} wrong")
    print("\n".join(wrong))
    return 1 if wrong or answered == 0 or refused == 0 or asked_otherwise == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
