"""The rule of scaled_mm once more, in fractions and in Python's own numbers: what the tests of scaled_mm compare with."""

from __future__ import annotations

from fractions import Fraction as F
from math import inf, isnan, nan

import numpy as np

FIELDS = {"e4m3": (4, 3), "e5m2": (5, 2), "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23)}
NAN = {"f32": 0x7FFFFFFF, "bf16": 0x7FFF, "f16": 0x7FFF, "e4m3": 0x7F, "e5m2": 0x7F}


def decoded(code, format):
    """The number, and the exponent of its fields."""
    e, m = FIELDS[format]
    sign, field, fraction = code >> 7, code >> m & (1 << e) - 1, code & (1 << m) - 1
    bias = (1 << e - 1) - 1
    if format == "e4m3" and code & 0x7F == 0x7F:
        return nan, 0
    if format == "e5m2" and field == 31:
        return (nan if fraction else -inf if sign else inf), 0
    exponent = max(field, 1) - bias
    return (-1) ** sign * F(fraction + ((field > 0) << m)) * F(2) ** (exponent - m), exponent


def exponent_of(x):
    x = abs(x)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if F(2) ** e <= x else e - 1


def cut(x, exponent):
    """Towards zero, to a multiple of that power of two."""
    n = x / F(2) ** exponent
    return (abs(n.numerator) // n.denominator) * (1 if n > 0 else -1) * F(2) ** exponent


def nearest(x, format):
    """To nearest even; beyond the largest number it is infinite."""
    if isinstance(x, float) or x == 0:
        return x
    e, m = FIELDS[format]
    bias = (1 << e - 1) - 1
    step = F(2) ** (max(exponent_of(x), 1 - bias) - m)
    r = round(x / step) * step
    top = bias + (2 if format == "e4m3" else 1)  # e4m3 has numbers where others have infinity
    return r if abs(r) < F(2) ** top else inf if x > 0 else -inf


def chain(products, block):
    """From +0: each block's products and the sum before it, aligned and cut to 13 bits below the largest exponent."""
    c = F(0)
    for first in range(0, len(products), block):
        terms = [(p, e) for p, e in products[first : first + block] if p != 0]
        if c != 0:
            terms.append((c, exponent_of(c)))
        if not terms:
            continue
        top = max(e for _, e in terms)
        c = sum(cut(p, top - 13) for p, _ in terms)
        if c != 0:
            c = cut(c, exponent_of(c) - 13)
    return c


def in_order(sums):
    total = F(0)
    for one in sums:
        total = nearest(total + one, "f32")
    return total


def summed(products, profile, fast, split):
    block, tile = (32, 128) if profile == "h100-pcie" else (16, 64)
    parts, scheme = (1, "none") if split == 1 else split
    tiles = [products[first : first + tile] for first in range(0, len(products), tile)]
    if scheme == "contiguous":
        each = -(-len(tiles) // parts)
        owned = [tiles[s * each : (s + 1) * each] for s in range(parts)]
    else:
        owned = [tiles[s::parts] for s in range(parts)]
    group = 128 // tile

    def part(of):
        if fast:
            return chain(sum(of, []), block)
        return in_order(chain(sum(of[i : i + group], []), block) for i in range(0, len(of), group))

    p = [part(of) for of in owned]
    if scheme != "pairwise":
        return in_order(p)
    half = (parts + 1) // 2
    slots = [nearest(p[i] + p[i + half], "f32") if i + half < parts - 1 else p[i] for i in range(half)]
    return in_order([p[-1], *slots])


def ieee(pairs):
    """What IEEE 754 says of a sum that is not finite; None: it is."""
    terms = [float(x) * float(y) for x, y in pairs]
    return None if all(map(np.isfinite, terms)) else sum(t for t in terms if not np.isfinite(t))


def finished(acc, sa, sb, scale_result, out):
    alpha = nearest(F(float(sa)) * F(float(sb)), "f32")
    negative = acc < 0 if not isinstance(acc, float) else acc == -inf
    if isinstance(acc, float):
        y = acc * float(alpha)
    else:
        y = nearest(acc * alpha, "f32")
        negative = acc * alpha < 0
    if isinstance(y, float) and isnan(y):
        return NAN[out]
    if out in ("e4m3", "e5m2"):
        if scale_result is not None:
            y = y * float(scale_result) if isinstance(y, float) else nearest(y * F(float(scale_result)), "f32")
        most = {"e4m3": F(448), "e5m2": F(57344)}[out]
        y = (most if y > 0 else -most) if isinstance(y, float) or abs(y) > most else y
    y = nearest(y, out)
    e, m = FIELDS[out]
    sign = int(negative) << e + m
    if isinstance(y, float):
        return sign | ((1 << e) - 1) << m
    if y == 0:
        return sign
    bias = (1 << e - 1) - 1
    exponent = max(exponent_of(y), 1 - bias)
    return sign | ((exponent + bias - 1) << m) + int(abs(y) / F(2) ** (exponent - m))
