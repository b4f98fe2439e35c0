"""Pairs of units, and of a unit and a design, of which some are hard questions: what corpus.py asks about.

A family is a list of candidates in an order that a seed gives. Whether two candidates are the same is not known here; both happen in each family, since values are taken on both
sides of where a parameter begins to show.
"""

import dataclasses
import itertools
import random


@dataclasses.dataclass(frozen=True)
class Candidate:
    family: str
    first: str
    second: str
    limits: tuple = ()  # options of the command line
    design: str = ""  # a unit whose export takes the place of the second


NARROW = ("e2m1", "e3m2", "e2m3", "e4m3", "e5m2")
# Units whose sums are aligned, short names of K products: what changes of parameters are drawn for.
ALIGNED = {
    "volta/mma.m8n8k4.f32.f16.f16.f32": (1, 2, 4),
    "ampere/mma.m16n8k8.f32.f16.f16.f32": (2, 4, 8),
    "hopper/wgmma.m64n8k16.f32.f16.f16": (1, 2, 4, 8, 16),
    "hopper/wgmma.m64n8k16.f32.bf16.bf16": (1, 2, 4, 8, 16),
    "hopper/wgmma.m64n8k32.f16.e5m2.e5m2": (2, 4, 8),
    "hopper/wgmma.m64n8k32.f32.e4m3.e4m3": (2, 4, 8, 16),
    "cdna3/v_mfma_f32_16x16x32_fp8_fp8": (4, 8),
}
CHANGES = {
    "carry": ("wide", "1", "2", "3", "4", "5"),
    "floor": ("none", "-124", "-126", "-133", "-149", "-252", "-265", "-266"),
    "zero": ("ignore", "emin", "-126", "-133", "-140"),
    "F": ("13", "20", "22", "24", "25", "26", "28", "exact"),
    "align": ("rz", "rd", "rne", "odd"),
    "product": ("raw", "carry", "full"),
    "round": ("f32:rz", "f32:rne", "f16:rne"),
    "ftz": ("none", "in", "c", "out"),
    "less": ("0", "1"),
    "sticky": ("no", "yes"),
}
LIMITS = (
    ("--finite",),
    ("--no-subnormals",),
    ("--range", "a:-14..15,b:-14..15"),
    ("--range", "a:-2..2,b:-2..2,c:-10..10"),
    ("--finite", "--no-subnormals"),
    ("--values", "a:-1..1,b:-1..1"),
)


def stages(_):
    """One exact sum, or the same terms added one after the other or in pairs."""
    for f, d, mode, K in itertools.product(NARROW, ("f16", "bf16", "f32"), ("rne", "rz"), (3, 4, 6, 8)):
        terms = [f"p{i}" for i in range(K)]
        chain = terms[0]
        for term in terms[1:]:
            chain = f"round[{d} {mode}](fuse[exact]({chain}, {term}))"
        middle = K // 2
        halves = ", ".join(f"round[{d} {mode}](fuse[exact]({', '.join(half)}))" for half in (terms[:middle], terms[middle:]) if len(half) > 1)
        of = f"{f}*{f}->{d} K={K} : "
        flat = f"{of}round[{d} {mode}](fuse[exact](p*))"
        yield Candidate("sums in stages", flat, of + chain)
        if K > 3:
            yield Candidate("sums in stages", flat, f"{of}round[{d} {mode}](fuse[exact]({halves}))")


def roundings(_):
    """A result that is rounded once, or to a wider format first."""
    for f, d, inner, mode, K in itertools.product(NARROW + ("f16", "bf16"), ("f16", "bf16", "f32"), ("f16", "bf16", "f32", "f64"), ("rne", "rz", "odd"), (1, 2, 4)):
        if d == inner:
            continue
        for c in ("", d):
            of = f"{f}*{f}{'+' + c if c else ''}->{d} K={K} : "
            total = f"fuse[exact](p*{', c' if c else ''})"
            yield Candidate("roundings", f"{of}round[{d} rne]({total})", f"{of}round[{d} rne](round[{inner} {mode}]({total}))")


def kept_bits(_):
    """An exact sum, or one whose terms are aligned with n fraction bits, near the n that is enough."""
    for f, (c, d), K in itertools.product(NARROW + ("f16", "bf16"), (("f16", "f16"), ("f32", "f32"), ("bf16", "f32"), ("", "f32"), ("", "f16")), (1, 2)):
        of = f"{f}*{f}{'+' + c if c else ''}->{d} K={K} : "
        terms = f"(p*{', c' if c else ''})"
        for F, (align, mode) in itertools.product((10, 12, 14, 18, 23, 25, 27, 32, 40, 50, 64), (("odd", "rne"), ("odd", "rz"), ("ru", "ru"), ("rz", "rz"))):
            yield Candidate("kept bits", f"{of}round[{d} {mode}](fuse[exact]{terms})", f"{of}round[{d} {mode}](fuse[F={F} {align}]{terms})")


def products(_):
    """Products that are normalised as they are multiplied, or by a rounding."""
    for f, K, F, inner, mode in itertools.product(("f16", "bf16", "e4m3", "e5m2", "e3m2"), (1, 2, 3, 4), (15, 23, 25), ("f32", "f16", "bf16"), ("rne", "rz")):
        of = f"{f}*{f}+f32->f32 K={K} : "
        normal = ", ".join(f"p{i}[full]" for i in range(K))
        rounded = ", ".join(f"round[{inner} {mode} zsign=pos](p{i})@[zero=ignore]" for i in range(K))
        yield Candidate("products", f"{of}round[f32 rz zsign=pos usign=pos](fuse[F={F} rz zero=ignore]({normal}, c))", f"{of}round[f32 rz zsign=pos usign=pos](fuse[F={F} rz zero=ignore]({rounded}, c))")


def drawn(draw):
    """A unit's name with a length, and two lists of settings that differ in one or two keys."""
    name = draw.choice(list(ALIGNED))
    K = draw.choice(ALIGNED[name])
    common = {key: draw.choice(CHANGES[key]) for key in draw.sample(list(CHANGES), draw.randint(0, 1))}
    one, other = dict(common), dict(common)
    for key in draw.sample(list(CHANGES), draw.choice((1, 1, 2))):
        one[key], other[key] = draw.sample(CHANGES[key], 2)

    def unit(settings):
        return name + "{" + ",".join([f"K={K},L={K}"] + [f"{key}={value}" for key, value in settings.items()]) + "}"

    return unit(one), unit(other)


def parameters(draw):
    """Units of the catalogue with other parameters."""
    for _ in range(4000):
        yield Candidate("parameters", *drawn(draw))


def within_limits(draw):
    """The same, where only some inputs count."""
    for _ in range(4000):
        yield Candidate("parameters, within limits", *drawn(draw), limits=draw.choice(LIMITS))


def designs(draw):
    """A unit and an exported unit, which is the same one or has other parameters."""
    for _ in range(2000):
        one, other = drawn(draw)
        yield Candidate("designs", one, "", design=draw.choice((one, one, other)))


FAMILIES = (stages, roundings, kept_bits, products, parameters, within_limits, designs)


def families(seed):
    """A list of candidates each."""
    result = []
    for number, family in enumerate(FAMILIES):
        draw = random.Random(seed * 1000 + number)
        candidates = list(dict.fromkeys(family(draw)))
        draw.shuffle(candidates)
        result.append(candidates)
    return result
