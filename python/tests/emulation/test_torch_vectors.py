"""torch: the matrices of a product, saved or at hand, as vectors. Skipped without torch."""

from __future__ import annotations

import numpy as np
import pytest

import discern

torch = pytest.importorskip("torch", reason="torch is not installed")
import discern.torch  # noqa: E402
from eight_bits import fp8, needs_fp8  # noqa: E402


def test_matrices_that_torch_saved_are_vectors(tmp_path):
    """The product is an A100's, bit by bit, made by the package itself."""
    generator = torch.Generator().manual_seed(3)
    a = torch.randn(20, 16, generator=generator).to(torch.float16)
    b = torch.randn(16, 30, generator=generator).to(torch.float16)
    c = torch.randn(20, 30, generator=generator)
    unit = discern.unit("A100/f16")
    d = torch.from_numpy(np.asarray(unit.gemm(a.numpy(), b.numpy(), c.numpy())))
    for name, tensors in {"kn": {"A": a, "B": b, "C": c, "D": d}, "nk": {"a": a, "b": b.t().contiguous(), "c": c, "d": d}}.items():
        torch.save(tensors, tmp_path / f"{name}.pt")
        vectors = discern.torch.load(tmp_path / f"{name}.pt")
        assert len(vectors) == 600
        found = discern.which(vectors)
        assert len(found.consistent) == 1 and "ampere/mma.m16n8k16.f32.f16.f16.f32" in found.consistent[0]
    torch.save({"A": a, "B": b}, tmp_path / "none.pt")
    torch.save([a], tmp_path / "list.pt")
    (tmp_path / "text.pt").write_text("no tensors")
    for name in ("none.pt", "list.pt", "text.pt", "missing.pt"):
        with pytest.raises(discern.InputError, match=name):
            discern.torch.load(tmp_path / name)
    with pytest.raises(discern.ArrayError, match="16 x 31"):
        discern.torch.vectors_of_product(a, torch.zeros(16, 31).to(torch.float16), d)


@needs_fp8
def test_products_of_fp8_are_vectors(rng, tmp_path):
    a, _ = fp8(rng, 20, 32)
    b, _ = fp8(rng, 16, 32)
    d = discern.unit("H100/e4m3").gemm(a, b.t().contiguous())
    torch.save({"A": a, "B": b, "D": d}, tmp_path / "fp8.pt")
    found = discern.which(discern.torch.load(tmp_path / "fp8.pt"))
    assert any("hopper/wgmma.m64n8k32.f32.e4m3.e4m3" in names for names in found.consistent)


def test_a_square_weight_is_tried_both_ways():
    a, w = torch.randn(24, 16).half(), torch.randn(16, 16).half()
    u = discern.unit("A100/f16")
    as_weight = discern.torch.vectors_of_product(a, w, u.gemm(a, w.t()))
    as_matrix = discern.torch.vectors_of_product(a, w, u.gemm(a, w))
    assert as_weight.mismatches(u).size == as_matrix.mismatches(u).size == 0
    assert as_matrix.notes == [] and "b is square, and is taken as N x K" in as_weight.notes[0]
    found = discern.which(as_weight)
    assert found.consistent and found.notes[0] == as_weight.notes[0]


def test_a_bias_is_c_and_what_is_no_product_is_one_sentence(tmp_path):
    a, b, bias = torch.randn(5, 16).half(), torch.randn(16, 7).half(), torch.randn(7)
    u = discern.unit("A100/f16")
    d = u.gemm(a, b, bias.expand(5, 7))
    for c in (bias, bias[None]):
        assert discern.torch.vectors_of_product(a, b, d, c).mismatches(u).size == 0
    torch.save({"A": a, "a": a, "B": b, "D": d}, tmp_path / "twice.pt")
    torch.save(torch.nn.Linear(2, 2), tmp_path / "model.pt")
    for name, said in [("twice.pt", "differ in case only"), ("model.pt", "more than tensors")]:
        with pytest.raises(discern.InputError, match=said) as error:
            discern.torch.load(tmp_path / name)
        assert "\n" not in str(error.value) and "\x1b" not in str(error.value)
    with pytest.raises(discern.ArrayError, match="there is no element to look at"):
        discern.torch.vectors_of_product(a[:, :0], b[:0], d)
