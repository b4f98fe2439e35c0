"""What `discern coverage` counts on all inputs of a small unit, against fractions: a program that shares nothing with it.

    counts.py DISCERN
"""

import collections
import json
import subprocess
import sys
from fractions import Fraction

# d = round to e3m2 (IEEE, to nearest even) of a*b + c, both terms truncated after F = 3 digits below the larger exponent.
UNIT = "e2m1ieee*e2m1ieee+e3m2ieee->e3m2ieee K=1 : round[e3m2ieee rne](fuse[F=3](p*, c))"
F = 3


def read(pattern, e, m):
    """(value or "inf" or "nan", sign, exponent of the fields)."""
    sign = -1 if pattern >> (e + m) else 1
    field, fraction, bias = pattern >> m & (1 << e) - 1, pattern & (1 << m) - 1, (1 << (e - 1)) - 1
    if field == (1 << e) - 1:
        return ("nan" if fraction else "inf"), sign, None
    exponent = max(field, 1) - bias
    return sign * Fraction(fraction + (1 << m if field else 0), 1 << m) * Fraction(2) ** exponent, sign, exponent


def top(x):
    """floor(log2 |x|)"""
    x, n = abs(x), 0
    while x >= 2:
        x, n = x / 2, n + 1
    while x < 1:
        x, n = x * 2, n - 1
    return n


def truncated(x, lsb):
    unit = Fraction(2) ** lsb
    return (abs(x) // unit) * unit * (1 if x >= 0 else -1)


def events(a, b, c):
    (va, sa, ea), (vb, sb, eb), (vc, sc, ec) = read(a, 2, 1), read(b, 2, 1), read(c, 3, 2)
    special = {"inf", "nan"}
    if va in special or vb in special:
        p = "nan" if "nan" in (va, vb) or 0 in (va, vb) else "inf"
    else:
        p = va * vb
    terms = {"p0": (p, sa * sb, None if p in special else ea + eb), "c": (vc, sc, ec)}
    for name, (value, _, _) in terms.items():
        if value == 0:
            yield f"sum.{name}.zero"
        if value in special:
            yield f"sum.{name}.{'nan' if value == 'nan' else 'infinite'}"
    values = [value for value, _, _ in terms.values()]
    if any(value in special for value in values):
        signs = {sign for value, sign, _ in terms.values() if value == "inf"}
        if "nan" in values or len(signs) == 2:
            yield "d.operand-nan"
            if "nan" not in values:
                yield "d.opposite"
        else:
            yield "d.plus-infinity" if signs == {1} else "d.minus-infinity"
        return
    exponents = {name: exponent for name, (value, _, exponent) in terms.items() if value != 0}
    kept = {name: Fraction(0) for name in terms}
    for name in exponents:
        E = max(exponents.values())
        kept[name] = truncated(terms[name][0], E - F)
        if kept[name] != terms[name][0]:
            yield f"sum.{name}.cut"
        if kept[name] == 0:
            yield f"sum.{name}.gone"
        if exponents[name] == E:
            yield f"sum.{name}.largest"
    if not exponents:
        yield "sum.all-zero"
    total, some = sum(kept.values()), [x for x in kept.values() if x != 0]
    if some and total == 0:
        yield "sum.cancelled"
    if some and total != 0 and top(total) != max(map(top, some)):
        yield "sum.carry" if top(total) > max(map(top, some)) else "sum.cancel"
    if total == 0:
        minus = not some and all(sign < 0 for _, sign, _ in terms.values())
        yield "d.minus-zero" if minus else "d.plus-zero"
        return
    emin, emax, m = -2, 3, 2
    exponent = max(top(total), emin)
    unit = Fraction(2) ** (exponent - m)
    whole, rest = divmod(abs(total), unit)
    half = unit / 2
    yield "d." + ("exact" if rest == 0 else "below-half" if rest < half else "above-half" if rest > half else
                  "tie-odd" if whole % 2 else "tie-even")  # fmt: skip
    rounded = (whole + (rest > half or (rest == half and whole % 2 == 1))) * unit
    if rounded == Fraction(2) ** (exponent + 1) and abs(total) < rounded:
        yield "d.next-binade"
    if abs(total) < Fraction(2) ** emin:
        if rounded == Fraction(2) ** emin:
            yield "d.to-normal"
        elif rounded != 0:
            yield "d.subnormal"
    if rounded == 0:
        yield "d.underflow"
    if rounded >= Fraction(2) ** (emax + 1):
        yield "d.overflow"


counts, first, lines = collections.Counter(), {}, []
for a in range(16):
    for b in range(16):
        for c in range(64):
            lines.append(f"{a:x} {b:x} {c:02x} 00\n")
            for event in events(a, b, c):
                counts[event] += 1
                first.setdefault(event, len(lines))
ran = subprocess.run([sys.argv[1], "coverage", UNIT, "-", "--json"], input="".join(lines), capture_output=True, text=True)
assert ran.returncode == 0, ran.stderr
answer = json.loads(ran.stdout)
assert answer["vectors"] == len(lines) == 16384
told = {one["bin"]: one["count"] for one in answer["bins"] if one["count"]}
assert told == counts, {key: (told.get(key), counts[key]) for key in told.keys() | counts.keys() if told.get(key) != counts[key]}
assert {one["bin"]: one["first"] for one in answer["bins"] if one["count"]} == first
assert len(counts) > 25 and answer["hit"] == len(counts), len(counts)
print(f"{len(counts)} bins, {sum(counts.values())} events of {len(lines)} vectors: the same")
