#!/usr/bin/env python3
"""A target for `discern run exec:…` in Python: a dot product of f16 numbers as a tensor core computes it.

The sum is truncated (T-FDPA, Xie et al.): all products and c are aligned at the largest exponent, at least FLOOR, cut
toward zero to F bits below it, added exactly, and the sum is cut toward zero to f32. It is written for reading, in
Python's unbounded integers. What a target must do is in main(); docs/targets.md describes it.

    discern check 'exec:python3 target.py' hopper/wgmma.m64n8k16.f32.f16.f16
    discern check 'exec:python3 target.py -F 24' 'ampere/mma.m16n8k8.f32.f16.f16.f32{floor=-133}'
"""

import argparse
import json
import sys

F16 = (5, 10, 15)  # exponent bits, mantissa bits, bias
F32 = (8, 23, 127)
NAN, INFINITY = 0x7FFFFFFF, 0x7F800000


class Special(Exception):
    """The result is this NaN or infinity, whatever the other terms are."""


def decode(bits, number_format):
    """(sign, significand, exponent): sign * significand * 2^(exponent - mantissa bits); significand None: infinite."""
    exponent_bits, mantissa_bits, bias = number_format
    sign = -1 if bits >> (exponent_bits + mantissa_bits) else 1
    field = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    if field == (1 << exponent_bits) - 1:
        if mantissa:
            raise Special(NAN)
        return sign, None, 0
    hidden = 1 << mantissa_bits if field else 0
    return sign, hidden | mantissa, max(field, 1) - bias


def product(a, b):
    """An exact product as (sign, significand, exponent, fraction bits)."""
    (sign_a, significand_a, exponent_a), (sign_b, significand_b, exponent_b) = decode(a, F16), decode(b, F16)
    sign = sign_a * sign_b
    if significand_a is None or significand_b is None:
        if 0 in (significand_a, significand_b):
            raise Special(NAN)
        return sign, None, 0, 0
    return sign, significand_a * significand_b, exponent_a + exponent_b, 20


def dot(a, b, c, fraction_bits, floor):
    sign, significand, exponent = decode(c, F32)
    terms = [product(x, y) for x, y in zip(a, b)] + [(sign, significand, exponent, 23)]

    infinite = {sign for sign, significand, _, _ in terms if significand is None}
    if infinite:
        raise Special(NAN if len(infinite) == 2 else INFINITY | (0x80000000 if infinite == {-1} else 0))
    largest = max([exponent for _, significand, exponent, _ in terms if significand != 0], default=floor)
    last_place = max(largest, floor) - fraction_bits

    total = 0
    for sign, significand, exponent, bits in terms:
        shift = exponent - bits - last_place
        total += sign * (significand << shift if shift >= 0 else significand >> -shift)
    return to_f32(total, last_place)


def to_f32(integer, exponent):
    """integer * 2^exponent cut toward zero; a result that is zero is +0."""
    magnitude = abs(integer)
    quantum = max(magnitude.bit_length() - 1 + exponent, -126) - 23
    shift = exponent - quantum
    significand = magnitude << shift if shift >= 0 else magnitude >> -shift
    if significand == 0:
        return 0
    sign = 0x80000000 if integer < 0 else 0
    # The hidden bit adds one to the exponent field; a subnormal has none and the field stays 0.
    bits = significand + (quantum + 149 << 23)
    return sign | min(bits, INFINITY)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-F", type=int, default=25, help="bits kept below the largest exponent (25)")
    parser.add_argument("--floor", type=int, default=-133, help="the least exponent to align at (-133)")
    options = parser.parse_args()

    header = json.loads(sys.stdin.readline())
    if [header.get(key) for key in "abcd"] != ["f16", "f16", "f32", "f32"]:
        sys.exit("target.py computes f16*f16+f32->f32 only")

    for line in sys.stdin:
        vector = json.loads(line)
        a, b = ([int(pattern, 16) for pattern in vector[key]] for key in "ab")
        try:
            d = dot(a, b, int(vector["c"], 16), options.F, options.floor)
        except Special as special:
            d = special.args[0]
        print(json.dumps({"d": f"{d:08x}"}), flush=True)  # at once: discern may wait for it


if __name__ == "__main__":
    main()
