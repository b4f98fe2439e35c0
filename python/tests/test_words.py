"""What answers and errors say: every line of the command, numbers that can be read, what would be right."""

from __future__ import annotations

import pickle
import subprocess

import numpy as np
import pytest

import discern
from conftest import HOPPER, ROOT

LOOP = "bf16*bf16+f32->f32 K=4 L=4 nan=any : round[f32 rne](fuse[exact](p*, c))"


def patterns_target(nan_of_many=0xFFC00000, wrong=False):
    """A sum in one rounding; its NaN has other bits for one vector than for many. wrong: so has every ninth number."""
    u = discern.unit(LOOP)
    asked = [0]

    def target(a, b, c):
        d = np.asarray(u(a, b, c)).view(np.uint32).copy()
        number = d.view(np.float32)
        d[np.isnan(number)] = nan_of_many if len(a) > 1 else 0x7FC00000
        if wrong:
            asked[0] += 1
            d[(asked[0] % 9 == 0) & ~np.isnan(number)] ^= 1
        return d

    return target


def test_a_nan_of_unsteady_bits_is_any_nan():
    found = discern.identify(patterns_target(), formats="bf16,bf16,f32,f32", K=4, arrays="patterns", timeout=30, validate=20_000)
    assert found.settled and "nan=any" in found.tree
    vector, answers = found.to_dict()["unsteady_nan"]["vector"], found.to_dict()["unsteady_nan"]["answers"]
    assert {*answers} == {"7fc00000", "ffc00000"} and "a" in vector
    assert any(f"any: for one vector it gave {answers[0]} and then {answers[1]}" in note for note in found.notes) and answers[0] in repr(found)


def test_an_unexplained_target_says_why():
    found = discern.identify(patterns_target(wrong=True), formats="bf16,bf16,f32,f32", K=4, arrays="patterns", timeout=20, validate=20_000)
    assert found.verdict == "unexplained"
    first, second = found.to_dict()["unsteady"]["answers"]
    assert f"for one vector it gave {first} and then {second}" in repr(found) and '"a"' in " ".join(found.notes)


def test_a_loop_over_numpy_is_identified():
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

    def loop(a, b, c):
        with np.errstate(all="ignore"):
            for k in range(a.shape[1]):
                c = c + a[:, k].astype(np.float32) * b[:, k].astype(np.float32)
            return c

    assert discern.identify(loop, formats=("bf16", "bf16", "f32", "f32"), K=4, timeout=40, validate=20_000).settled


def test_which_has_the_lines_of_the_command(tmp_path):
    u = discern.unit(HOPPER)
    vectors = discern.generate(u, n=50, results=True)
    path = tmp_path / "observed.jsonl"
    discern.write(path, vectors)
    program = ROOT / "build" / "discern"
    for what in (vectors, str(path)):
        found = discern.which(what)
        if program.exists():
            printed = subprocess.run([program, "which", path], capture_output=True, text=True).stdout.splitlines()
            assert found.notes == printed
        assert found.consistent and "notes" not in repr(found)
    a, b = np.ones((2, 9, 16), np.float16)
    assert "assumed: c is +0" in discern.which(a, b, None, np.ones(9, np.float32), formats="f16,f16,-,f32").notes
    none = discern.which(a, b, None, np.ones(9, np.float64), formats="f16,f16,-,f64")
    assert not none.consistent and ("no unit of the catalogue has these formats" in none.notes) and "no unit of the catalogue" in repr(none)


def test_numbers_in_errors_can_be_read():
    for numbers, said in [([1e-10], "element 0: 1e-10 is no number"), ([1.0, 1e300], "element 1: 1e+300 is"), ([0.1], "element 0: 0.1 is no")]:
        with pytest.raises(discern.InputError) as error:
            discern.patterns("f16", numbers, rounding="exact")
        assert said in str(error.value) and len(str(error.value)) < 100
    with pytest.raises(discern.InputError, match=r"alpha is 0.1, which is not a number of f32, the format of d; np.float32\(0.1\) is one"):
        discern.unit(HOPPER).gemm(np.ones((2, 16), np.float16), np.ones((16, 2), np.float16), alpha=0.1)
    tenth = discern.unit(HOPPER).gemm(np.ones((2, 16), np.float16), np.ones((16, 2), np.float16), alpha=np.float32(0.1))
    assert (tenth == np.float32(0.1) * np.float32(16)).all()


def test_integers_beyond_float64_are_refused():
    for numbers in ([2**53 + 1], [[1, 2**53 + 1]], np.array([2**60 + 1])):
        with pytest.raises(discern.InputError, match="is no number of float64"):
            discern.patterns("f64", numbers, rounding="exact")
    if np.finfo(np.longdouble).nmant > 52:
        with pytest.raises(discern.InputError, match="is no number of float64"):
            discern.patterns("f64", np.array([1], np.longdouble) + np.finfo(np.longdouble).eps, rounding="exact")
    u = discern.unit("A100/f64")
    with pytest.raises(discern.InputError, match="a: element 0: 9007199254740993 is no number"):
        u([2**53 + 1, 0, 0, 0], [1, 0, 0, 0], [0])
    assert list(discern.patterns("f64", [2**53, 2**60], rounding="exact")) == [0x4340000000000000, 0x43B0000000000000]


def test_masked_arrays_are_refused():
    x = np.ma.masked_array(np.ones(16, np.float16), mask=[1] + [0] * 15)
    with pytest.raises(discern.ArrayError, match=r"a has a mask, of which units know nothing; .data or .filled\(0\) is right"):
        discern.unit(HOPPER)(x, np.ones(16, np.float16), np.float32(0))


def test_what_is_packed_can_be_pickled():
    u, a, b = discern.unit(HOPPER), np.random.default_rng(1).standard_normal((3, 40)).astype(np.float16), np.ones((40, 9), np.float16)
    for matrix in (b, np.asfortranarray(b)):
        again = pickle.loads(pickle.dumps(discern.packed(matrix)))
        assert again.shape == (40, 9) and again.format == "f16" and np.array_equal(u.gemm(a, again), u.gemm(a, b))


def test_the_command_of_an_explanation_names_no_file_that_is_gone():
    u = discern.unit(HOPPER)
    a = np.ones(16, np.float16)
    assert "--svg" not in discern.explain(u, a=a, b=a, c=np.float32(0)).to_dict()["command"]
