"""Tests of IEEE 754 arithmetic in the forms of others, from exact fractions: an oracle that shares nothing with discern.

Usage: python3 arithmetic_tests.py, in this folder. It writes testfloat.txt, in which "== f16_mulAdd rz" begins the lines
that testfloat_gen would print for it, and arithmetic.fptest, in the form of IBM's FPgen suite. Flags are those with
tininess after rounding.
"""
import math
import random
from fractions import Fraction

FORMATS = {"f16": (16, 10), "f32": (32, 23), "f64": (64, 52)}
MODES = ["rne", "rz", "rd", "ru", "rna"]
INVALID, OVERFLOW, UNDERFLOW, INEXACT = 16, 4, 2, 1


class Format:
    def __init__(self, name):
        self.name = name
        self.width, self.fraction = FORMATS[name]
        self.exponent_bits = self.width - 1 - self.fraction
        self.bias = (1 << (self.exponent_bits - 1)) - 1
        self.emin = 1 - self.bias
        self.infinity = ((1 << self.exponent_bits) - 1) << self.fraction
        self.sign = 1 << (self.width - 1)
        self.quiet = self.infinity | 1 << (self.fraction - 1)

    def is_nan(self, bits):
        return bits & ~self.sign > self.infinity

    def is_signalling(self, bits):
        return self.is_nan(bits) and not bits & 1 << (self.fraction - 1)

    def is_infinite(self, bits):
        return bits & ~self.sign == self.infinity

    def value(self, bits):
        field, fraction = (bits & ~self.sign) >> self.fraction, bits & (1 << self.fraction) - 1
        whole = fraction | (1 << self.fraction if field else 0)
        number = whole * Fraction(2) ** (max(field, 1) - self.bias - self.fraction)
        return -number if bits & self.sign else number


def rounded(magnitude, negative, unit, mode):
    """The whole number of units, and whether it is not exact."""
    quotient = magnitude / unit
    whole = math.floor(quotient)
    rest = quotient - whole
    half = Fraction(1, 2)
    up = {"rz": False, "rd": negative and rest > 0, "ru": not negative and rest > 0, "rna": rest >= half,
          "rne": rest > half or (rest == half and whole % 2 == 1)}[mode]
    return whole + up, rest > 0


def result_of(form, number, mode):
    """Pattern and flags of a number other than zero."""
    negative, magnitude = number < 0, abs(number)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, form.emin) - form.fraction)
    whole, inexact = rounded(magnitude, negative, unit, mode)
    free, _ = rounded(magnitude, negative, Fraction(2) ** (exponent - form.fraction), mode)
    tiny = free * Fraction(2) ** (exponent - form.fraction) < Fraction(2) ** form.emin
    flags = (INEXACT if inexact else 0) | (UNDERFLOW if inexact and tiny else 0)
    # A significand that rounds up to the next power of two carries into the exponent's field.
    bits = (max(exponent, form.emin) - form.emin << form.fraction) + whole
    if bits >= form.infinity:
        away = mode in ("rne", "rna") or mode == ("rd" if negative else "ru")
        bits, flags = form.infinity - (0 if away else 1), OVERFLOW | INEXACT
    return bits | (form.sign if negative else 0), flags


def multiply_add(form, operation, mode, operands):
    """Pattern and flags of the operation, with the rules of zeros, infinities and NaN of IEEE 754, section 6."""
    invalid = any(form.is_signalling(x) for x in operands)
    if operation == "mulAdd":
        (a, b), added = operands[:2], operands[2]
    elif operation == "mul":
        (a, b), added = operands, None
    else:
        a, b = operands[0], form.bias << form.fraction  # times 1
        added = operands[1] ^ (form.sign if operation == "sub" else 0)
    sign = (a ^ b) & form.sign
    if {form.is_infinite(a) and b & ~form.sign == 0, form.is_infinite(b) and a & ~form.sign == 0} & {True}:
        return form.quiet, INVALID
    if any(form.is_nan(x) for x in operands):
        return form.quiet, INVALID if invalid else 0
    if form.is_infinite(a) or form.is_infinite(b):
        if added is not None and form.is_infinite(added) and added & form.sign != sign:
            return form.quiet, INVALID
        return form.infinity | sign, 0
    if added is not None and form.is_infinite(added):
        return added, 0
    product = form.value(a) * form.value(b)
    if added is None:
        return (sign, 0) if product == 0 else result_of(form, product, mode)
    total = product + form.value(added)
    if total != 0:
        return result_of(form, total, mode)
    if product == 0 and form.value(added) == 0 and sign == added & form.sign:
        return sign, 0
    return form.sign if mode == "rd" else 0, 0


def operand(form, draw):
    special = [0, 1, (1 << form.fraction) - 1, 1 << form.fraction, form.bias << form.fraction, form.infinity - 1,
               form.infinity, form.quiet, form.infinity | 1]
    kind = draw.randrange(10)
    if kind < 3:
        bits = draw.choice(special)
    elif kind < 7:  # near 1, where sums cancel and products are halfway
        field = form.bias + draw.randrange(-form.fraction // 2 - 1, form.fraction // 2 + 2)
        bits = field << form.fraction | draw.getrandbits(form.fraction) >> draw.choice([0, form.fraction // 2]) << draw.choice(
            [0, form.fraction // 2])
        bits &= form.sign - 1
    else:
        bits = draw.getrandbits(form.width - 1)
    return bits | (form.sign if draw.randrange(2) else 0)


def draws(form, operation, count, draw):
    """Operands of 30 tests, of which the first are halfway between two numbers, of both signs."""
    one, tie = form.bias << form.fraction, form.bias - form.fraction - 1 << form.fraction
    directed = {"add": [one, tie], "sub": [one, tie | form.sign], "mul": [one | 1 << (form.fraction - 1), one | 3],
                "mulAdd": [one, one, tie]}[operation]
    negative = [directed[0] | form.sign] + directed[1:]
    if operation != "mul":
        negative[-1] ^= form.sign
    return [directed, negative] + [[operand(form, draw) for _ in range(count)] for _ in range(28)]


def hexadecimal(form, bits):
    return f"{bits:0{form.width // 4}X}"


def in_fptest(form, bits):
    sign = "-" if bits & form.sign else "+"
    magnitude = bits & ~form.sign
    if form.is_nan(bits):
        return "S" if form.is_signalling(bits) else "Q"
    if magnitude in (0, form.infinity):
        return sign + ("Inf" if magnitude else "Zero")
    field, fraction = magnitude >> form.fraction, magnitude & (1 << form.fraction) - 1
    digits = f"{fraction:0{(form.fraction + 3) // 4}X}"
    return f"{sign}{1 if field else 0}.{digits}P{max(field, 1) - form.bias}"


def main():
    draw = random.Random(754)
    counts = {"add": 2, "sub": 2, "mul": 2, "mulAdd": 3}
    with open("testfloat.txt", "w") as out:
        for name in FORMATS:
            form = Format(name)
            for operation, count in counts.items():
                for mode in MODES:
                    print(f"== {name}_{operation} {mode}", file=out)
                    for operands in draws(form, operation, count, draw):
                        bits, flags = multiply_add(form, operation, mode, operands)
                        words = [hexadecimal(form, x) for x in operands + [bits]]
                        print(*words, f"{flags:02X}", file=out)
    symbols = {"add": "+", "sub": "-", "mul": "*", "mulAdd": "*+"}
    letters = {INEXACT: "x", UNDERFLOW: "uvw", OVERFLOW: "o", INVALID: "i"}
    modes = {"rne": "=0", "rz": "0", "rd": "<", "ru": ">", "rna": "=^"}
    with open("arithmetic.fptest", "w") as out:
        print("Floating point tests: made from exact fractions\n", file=out)
        form = Format("f32")
        for operation, count in counts.items():
            for mode in MODES:
                for operands in draws(form, operation, count, draw):
                    bits, flags = multiply_add(form, operation, mode, operands)
                    raised = "".join(letters[flag] for flag in letters if flags & flag)
                    print(f"b32{symbols[operation]} {modes[mode]}", *[in_fptest(form, x) for x in operands], "->",
                          in_fptest(form, bits), raised, file=out)


main()
