"""discern.pytest: what passes, what fails, and what the message has."""

import re
import shutil
from pathlib import Path

import discern
import numpy as np
import pytest
from conftest import DATA
from discern.kernel_classes import SameBits, classes_of, reason, vector_text
from discern.pytest import assert_same_bits

KERNELS = DATA / "kernels"
ROWS = [f"ptx:{KERNELS / f'e4m3_rows{rows}_sm90.ptx'}" for rows in (64, 16)]
PLAIN = "ampere/mma.m16n8k16.f32.f16.f16.f32"


def test_kernels_in_files_and_schedules_of_one_arithmetic_pass():
    found = assert_same_bits(KERNELS / "mm_f16_sm80.ptx", f"ptx:{KERNELS}/mm_f16_sm80.ptx", "ampere/mma.m16n8k8.f32.f16.f16.f32@[d=f16:rne]")
    assert list(found) == [[0, 1, 2]]
    assert list(assert_same_bits(f"{PLAIN}@[]", "ampere/mma.m16n8k8.f32.f16.f16.f32@[]", K=32)) == [[0, 1]]


def test_a_failure_says_classes_reason_and_a_vector_that_the_program_confirms():
    with pytest.raises(AssertionError) as failure:
        assert_same_bits(*ROWS, Path(ROWS[0].removeprefix("ptx:")))
    lines = str(failure.value).splitlines()
    assert lines[0] == "2 classes of bits among 3 kernels:"
    assert lines[1] == "  0, 2: hopper/wgmma.m64n8k32.f32.e4m3.e4m3@[K=128]" and lines[2:4] == [f"      {ROWS[0]}"] * 2
    assert lines[4].startswith("  1: t0 = hopper/mma.m16n8k16.f32.f16.f16.f32@[k=0..1 4..5 8..9") and lines[5] == f"      {ROWS[1]}"
    assert lines[7] == "      products by hopper/wgmma.m64n8k32.f32.e4m3.e4m3 beside hopper/mma.m16n8k16.f32.f16.f16.f32 after conversions"
    # The vector again, by the unit of the first kernel: its result is what the message says.
    first, second = re.match(r"  0 and 1 differ: D\[\d+,\d+\] is (\w+) beside (\w+) for ", lines[6]).groups()
    operands = {name: np.zeros(128, np.uint8) for name in "AB"}
    for name, k, bits in re.findall(r"([AB])\[\w,(\d+)\] = (\w+)", lines[6]):
        operands[name][int(k)] = int(bits, 16)
    unit, total = discern.unit("hopper/wgmma.m64n8k32.f32.e4m3.e4m3"), np.zeros(1, np.float32)
    for k in range(0, 128, 32):
        total = unit(operands["A"][None, k : k + 32], operands["B"][None, k : k + 32], total)
    assert first != second and f"{total.view(np.uint32)[0]:08x}" == first


def test_a_vector_of_schedules_names_what_is_not_zero():
    with pytest.raises(AssertionError, match=r"0 and 1 differ: d is \w+ beside \w+ for a\[\d+\] = .*, the others \+0\n +the same instruction takes \[split=2\]"):
        assert_same_bits("x86/fma.f32@[split=2]", "x86/fma.f32@[]", K=64)
    assert vector_text({"a": ["00", "3c"], "b": ["00", "40"], "c": "00", "d": ["1", "2"]}) == "d is 1 beside 2 for a[1] = 3c, b[1] = 40, the others +0"


def test_what_is_not_known_fails_and_says_why(tmp_path):
    # Without an assembly beside it nothing says which products and sums are fused, not even beside the kernel itself.
    for kind in ("llir", "launch.json"):
        shutil.copy(KERNELS / f"squares_gfx942.{kind}", tmp_path / f"squares.{kind}")
    for other in (f"llir:{KERNELS}/squares_gfx942.llir", tmp_path / "squares.llir"):
        with pytest.raises(AssertionError, match="2 classes of bits among 2 kernels, of which some may be one:") as failure:
            assert_same_bits(tmp_path / "squares.llir", other)
        assert "  0 and 1 may be the same: " in str(failure.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((ROWS[0],), "assert_same_bits needs two kernels or more, of which one is compared with the others; there is 1"),
        ((Path("a.cubin"), ROWS[0]), r"a\.cubin is no kernel: the name of one ends in \.ptx, \.llir, \.ll"),
        ((ROWS[0], "ptx:/absent.ptx"), r"/absent\.ptx cannot be read: there is no such file"),
    ],
)
def test_what_is_wrong_is_said(given, says):
    with pytest.raises(discern.Error, match=says):
        assert_same_bits(*given)


def test_a_text_is_one_class_only_if_it_has_the_bits_of_itself():
    asked = []

    def ask(one, other, verdict="unknown"):
        asked.append((one, other))
        return SameBits(verdict, None, "the order of atomic sums is not the kernel's")

    assert list(classes_of([("u/a@[]", "text")] * 3, ask)) == [[0], [1], [2]] and len(asked) == 4
    asked.clear()
    assert list(classes_of([("u/a@[]", "text")] * 3, lambda one, other: ask(one, other, "same"))) == [[0, 1, 2]] and len(asked) == 1


def test_reasons():
    chain = "t0 = u/a@[{}](A[m,k], B[n,k], +0)"
    assert reason(["u/a@[K=8]"], ["u/b@[K=8]"]) == "products by u/a beside u/b"
    assert reason([chain.format("k=0..7")], [chain.format("k=0..3"), chain.format("k=4..7")]) == "1 chains of products are begun beside 2"
    assert reason([chain.format("k=0..7")], [chain.format("k=0 2..7 1")]) == "the same instruction takes [k=0..7] beside [k=0 2..7 1]"
    assert reason(["t0 = fma.rn.f32(a, b, c)"], ["t0 = add.f32(mul.f32(a, b), c)"]) == "0 add.f32 beside 1, 1 fma.rn.f32 beside 0 and 0 mul.f32 beside 1"
    parts = ["t0 = u/a@[k=0..7](A[m,k], B[n,k], +0)", "t1 = u/a@[k=8..15](A[m,k], B[n,k], +0)"]  # the same, listed in another order
    assert reason([*parts, "t2 = add.f32(t0, t1)"], [*parts[::-1], "t2 = fma.rn.f32(t0, t1)"]) == "1 add.f32 beside 0 and 0 fma.rn.f32 beside 1"
    said = reason(["t0 = add.f32(add.f32(x, y), z)"], ["t0 = add.f32(x, add.f32(y, z))"])
    assert said == "the operands of a sum are in another order: …add.f32(add.f32(x, y), z) beside …add.f32(x, add.f32(y, z))"
