"""Arm's instructions that no emulator at hand has, step by step in exact fractions: an exec target without discern's code.

Usage: exact_steps.py RN|RZ|RM|RP keep|flush        FPCR.RMode, and FPCR.FZ

The steps are those of the Arm manual's pseudo-code. Pairs (BFDOT, BFMMLA and BFMOPA with FPCR.EBF = 1; FDOT and FMOPA
of f16): the two products are added exactly and rounded to d's format, that is added to the sum and rounded again; but
FMMLA of f16 adds its two pairs to each other first. A
single product (FMOPA, BFMOPA of one format) and c are added exactly and rounded once, and so are all products of FP8,
as the manual's words have it. With flush, subnormals are zeros
where a number is read, and where it is to be rounded; those of f16 have a bit of their own, FZ16, which is 0.
"""

import json
import sys
from fractions import Fraction

WIDTHS = {"e4m3": (4, 3), "e5m2": (5, 2), "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}  # of exponent and fraction
MODE, FLUSH = sys.argv[1], sys.argv[2] == "flush"
assert MODE in ("RN", "RZ", "RM", "RP") and sys.argv[2] in ("keep", "flush")


def infinity(name):
    exponent_bits, fraction_bits = WIDTHS[name]
    return ((1 << exponent_bits) - 1) << fraction_bits


def default_nan(name):
    return infinity(name) | 1 << (WIDTHS[name][1] - 1)


def unpack(pattern, name):
    """What kind of number a pattern is, its sign, and its value."""
    exponent_bits, fraction_bits = WIDTHS[name]
    sign = pattern >> (exponent_bits + fraction_bits)
    field = (pattern >> fraction_bits) & ((1 << exponent_bits) - 1)
    fraction = pattern & ((1 << fraction_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if name == "e4m3" and field == 15 and fraction == 7:
        return "nan", sign, None
    if name != "e4m3" and field == (1 << exponent_bits) - 1:
        return ("nan" if fraction else "infinity"), sign, None
    if field == 0 and (fraction == 0 or (FLUSH and name != "f16")):
        return "zero", sign, Fraction(0)
    significand = fraction + (1 << fraction_bits if field else 0)
    value = significand * Fraction(2) ** (max(field, 1) - bias - fraction_bits)
    return "finite", sign, -value if sign else value


def rounded(value, name):
    """A number that is not zero as a pattern."""
    exponent_bits, fraction_bits = WIDTHS[name]
    least = 2 - (1 << (exponent_bits - 1))
    sign, size = (1, -value) if value < 0 else (0, value)
    top = sign << (exponent_bits + fraction_bits)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    while Fraction(2) ** exponent > size:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= size:
        exponent += 1
    if FLUSH and name != "f16" and exponent < least:
        return top
    in_units = size / Fraction(2) ** (max(exponent, least) - fraction_bits)
    significand = int(in_units)
    error = in_units - significand
    half = Fraction(1, 2)
    goes_up = {
        "RN": error > half or (error == half and significand % 2 == 1),
        "RZ": False,
        "RM": error > 0 and sign == 1,
        "RP": error > 0 and sign == 0,
    }[MODE]
    # A carry of the significand goes into the exponent, whose field is 0 for subnormal numbers.
    pattern = ((max(exponent, least) - least) << fraction_bits) + significand + (1 if goes_up else 0)
    if pattern >= infinity(name):
        is_infinite = {"RN": True, "RZ": False, "RM": sign == 1, "RP": sign == 0}[MODE]
        pattern = infinity(name) - (0 if is_infinite else 1)
    return top | pattern


def summed(terms, name):
    """The exact sum of terms (kind, sign, value), rounded once."""
    top = sum(WIDTHS[name])
    if any(kind == "nan" for kind, _, _ in terms):
        return default_nan(name)
    infinite = {sign for kind, sign, _ in terms if kind == "infinity"}
    if infinite:
        return default_nan(name) if len(infinite) == 2 else infinite.pop() << top | infinity(name)
    signs = {sign for _, sign, _ in terms}
    if all(kind == "zero" for kind, _, _ in terms) and len(signs) == 1:
        return signs.pop() << top
    value = sum(value for _, _, value in terms)
    if value == 0:
        return (1 if MODE == "RM" else 0) << top
    return rounded(value, name)


def product(a, b):
    (kind_a, sign_a, value_a), (kind_b, sign_b, value_b) = a, b
    kinds = {kind_a, kind_b}
    if "nan" in kinds or kinds == {"infinity", "zero"}:
        return "nan", 0, None
    if "infinity" in kinds:
        return "infinity", sign_a ^ sign_b, None
    return ("zero" if "zero" in kinds else "finite"), sign_a ^ sign_b, value_a * value_b


header = json.loads(sys.stdin.readline())
d_name = header["d"]
for line in sys.stdin:
    vector = json.loads(line)
    products = [
        product(unpack(int(a, 16), header["a"]), unpack(int(b, 16), header["b"]))
        for a, b in zip(vector["a"], vector["b"])
    ]
    d = int(vector["c"], 16)
    if len(products) == 1 or header["a"] in ("e4m3", "e5m2"):
        d = summed([unpack(d, d_name)] + products, d_name)
    elif header["a"] == "f16" and len(products) == 4:  # FMMLA
        pairs = [unpack(summed(products[first : first + 2], d_name), d_name) for first in (0, 2)]
        d = summed([unpack(d, d_name), unpack(summed(pairs, d_name), d_name)], d_name)
    else:
        for first in range(0, len(products), 2):
            pair = summed(products[first : first + 2], d_name)
            d = summed([unpack(d, d_name), unpack(pair, d_name)], d_name)
    print(json.dumps({"d": f"{d:0{(sum(WIDTHS[d_name]) + 1) // 4}x}"}), flush=True)
