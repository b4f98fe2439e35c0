"""Arrays in, arrays out: kinds, layouts, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import discern
from conftest import BF16, E4M3, HOPPER, NVFP4
from discern.arrays import to_words


def test_numbers_in_numbers_out(batch):
    a, b, c = batch
    d = discern.unit(HOPPER)(a, b, c)
    assert d.dtype == np.float32 and d.shape == (100,)
    assert np.allclose(d, np.einsum("nk,nk->n", a.astype(float), b.astype(float)) + c, rtol=1e-3, atol=1e-3)


def test_patterns_in_patterns_out(batch):
    a, b, c = batch
    u = discern.unit(HOPPER)
    d = u(a.view(np.uint16), b.view(np.uint16), c.view(np.uint32))
    assert d.dtype == np.uint32
    assert np.array_equal(d, u(a, b, c).view(np.uint32))


def test_one_vector_gives_a_number(batch):
    a, b, c = batch
    u = discern.unit(HOPPER)
    d = u(a[0], b[0], c[0])
    assert isinstance(d, np.float32) and d == u(a, b, c)[0]
    assert u([1.0] * 16, [0.5] * 16, 1.0) == 9
    assert u([1.0] * 16, [0.5] * 16) == 8


def test_batches_are_broadcast(batch):
    a, b, c = batch
    u = discern.unit(HOPPER)
    d = u(a[:, None, :], b[None, :7, :], c[:, None])
    assert d.shape == (100, 7)
    assert np.array_equal(np.diag(d[:7]), u(a[:7], b[:7], c[:7]))
    assert np.array_equal(u(a, b, np.float32(0)), u(a, b))


def test_layouts_do_not_matter(batch):
    a, b, c = batch
    u = discern.unit(HOPPER)
    want = u(a, b, c)
    assert np.array_equal(u(np.asfortranarray(a), b[:, ::-1][:, ::-1], c), want)
    wide = np.zeros((200, 32), np.float16)
    wide[::2, ::2] = a
    assert np.array_equal(u(wide[::2, ::2], b, c), want)
    a.setflags(write=False)
    assert np.array_equal(u(a, b, c), want)
    assert np.array_equal(u(a.astype(">f2"), b, c), want)


def test_nothing_is_copied_that_lies_right(batch):
    a, _, _ = batch
    words, _ = to_words(a, "f16", "a")
    assert np.shares_memory(words, a)
    part = a[10:20]
    assert np.shares_memory(to_words(part, "f16", "a")[0], a)


def test_empty_batches_are_empty():
    u = discern.unit(HOPPER)
    d = u(np.empty((0, 16), np.float16), np.empty((0, 16), np.float16), np.empty(0, np.float32))
    assert d.shape == (0,) and d.dtype == np.float32
    assert u.gemm(np.empty((0, 16), np.float16), np.empty((16, 5), np.float16)).shape == (0, 5)


def test_other_objects_with_an_interface(batch):
    a, b, c = batch
    u = discern.unit(HOPPER)
    want = u(a, b, c)

    class Interface:
        def __init__(self, x):
            self.x, self.__array_interface__ = x, x.__array_interface__

    class Dlpack:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **options):
            return self.x.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    assert np.array_equal(u(Interface(a), b, c), want)
    assert np.array_equal(u(Dlpack(a), Dlpack(b), Dlpack(c)), want)
    assert np.array_equal(u(memoryview(a.view(np.uint16)), b, c), want.view(np.uint32))


def test_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    a = np.linspace(-2, 2, 32).reshape(2, 16).astype(ml_dtypes.bfloat16)
    u = discern.unit(BF16)
    assert np.array_equal(u(a, a).view(np.uint32), u(a.view(np.uint16), a.view(np.uint16)))
    x = np.ones((3, 32), ml_dtypes.float8_e4m3fn)
    assert np.array_equal(discern.unit(E4M3)(x, x), np.full(3, 32, np.float32))


def test_fp4_one_a_byte_or_packed(rng):
    u = discern.unit(NVFP4)
    a, b = rng.integers(0, 16, (2, 50, 64), np.uint8)
    sa, sb = rng.integers(0x30, 0x40, (2, 50, 4), np.uint8)
    c = rng.standard_normal(50).astype(np.float32).view(np.uint32)
    want = u(a, b, c, sa=sa, sb=sb)
    pack = lambda x: x[:, 0::2] | x[:, 1::2] << 4  # noqa: E731
    assert np.array_equal(u(pack(a), pack(b), c, sa=sa, sb=sb, packed=True), want)
    assert len(np.unique(want)) > 40


def test_patterns_and_numbers():
    assert discern.patterns("f16", [1, -2, 0.1]).tolist() == [0x3C00, 0xC000, 0x2E66]
    assert discern.patterns("e2m1", [6.0]).tolist() == [7]
    assert discern.patterns("f16", 0.1, rounding="ru") == 0x2E67
    assert discern.numbers("e4m3", np.uint8([0x38, 0x7E])).tolist() == [1.0, 448.0]
    assert np.isnan(discern.numbers("e4m3", np.uint8([0x7F])))[0]
    x = np.arange(1 << 16, dtype=np.uint16)
    same = np.array_equal(discern.numbers("f16", x), x.view(np.float16).astype(float), equal_nan=True)
    assert same
    with pytest.raises(discern.InputError, match="element 1"):
        discern.patterns("f16", [1, 0.1], rounding="exact")


A, B, C = np.ones((2, 16), np.float16), np.ones((2, 16), np.float16), np.ones(2, np.float32)


@pytest.mark.parametrize(
    "arguments, keywords, error, said",
    [
        ((A.astype(np.float32), B, C), {}, discern.ArrayError, "a has elements of type float32; f16 needs float16"),
        ((A.view(np.int16), B, C), {}, discern.ArrayError, "int16"),
        ((A, B, C.astype(float)), {}, discern.ArrayError, "c has elements of type float64"),
        ((A.astype(bool), B, C), {}, discern.ArrayError, "bool"),
        ((A.astype(complex), B, C), {}, discern.ArrayError, "complex"),
        ((A.astype(object), B, C), {}, discern.ArrayError, "object"),
        ((np.full((2, 16), "x"), B, C), {}, discern.ArrayError, "str"),
        ((None, B, C), {}, discern.InputError, "a is missing"),
        ((object(), B, C), {}, discern.ArrayError, "a is object; an array is needed"),
        ((A[:, :8], B, C), {}, discern.InputError, "last axis must have 16"),
        ((np.float16(1), B, C), {}, discern.InputError, "last axis must have 16"),
        ((A, B[:, :0], C), {}, discern.InputError, "last axis must have 16"),
        ((A, np.ones((3, 16), np.float16), C), {}, discern.InputError, "do not fit"),
        ((A, B, np.ones(3, np.float32)), {}, discern.InputError, "do not fit"),
        ((A, B, C), {"sa": A}, discern.InputError, "has no scales"),
        ((A, B, C), {"packed": True}, discern.InputError, "4 bits"),
        ((A, B, C), {"threads": 0}, discern.InputError, "threads"),
        ((A, B, C), {"threads": "two"}, discern.ArrayError, "threads"),
        (([0.1] * 16, B, C), {}, discern.InputError, "a: element 0"),
        (([[1.0], [1.0, 2.0]], B, C), {}, discern.InputError, "different length"),
        ((["one"] * 16, B, C), {}, discern.ArrayError, "numbers are needed"),
    ],
)
def test_bad_arrays_are_one_sentence(arguments, keywords, error, said):
    with pytest.raises(error) as raised:
        discern.unit(HOPPER)(*arguments, **keywords)
    assert said in str(raised.value) and "\n" not in str(raised.value)
    assert isinstance(raised.value, discern.Error) and isinstance(raised.value, (ValueError, TypeError))


def test_patterns_beyond_the_format_are_refused():
    u = discern.unit(NVFP4)
    a, s = np.full((1, 64), 0x1F, np.uint8), np.full((1, 4), 0x38, np.uint8)
    with pytest.raises(discern.InputError, match="element 0 is no pattern of e2m1"):
        u(a, a, sa=s, sb=s)
    with pytest.raises(discern.InputError, match="no pattern of e2m1"):
        u.exact(a, a, sa=s, sb=s)
    with pytest.raises(discern.InputError, match="no pattern of e2m1"):
        u.gemm(a, a.T, sa=s, sb=s.T)


def test_a_unit_without_c_refuses_one():
    u = discern.unit("x86/dpps")
    x = np.ones((2, 4), np.float32)
    assert u(x, x).tolist() == [4, 4]
    with pytest.raises(discern.InputError, match="no accumulator"):
        u(x, x, x[:, 0])
