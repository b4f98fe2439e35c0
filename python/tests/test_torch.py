"""torch: tensors, products as targets, and models as another machine runs them. Skipped without torch."""

from __future__ import annotations

import numpy as np
import pytest

import discern
from conftest import BF16, HOPPER

torch = pytest.importorskip("torch", reason="torch is not installed")
import discern.torch  # noqa: E402


def test_tensors_in_tensors_out(batch):
    a, b, c = map(torch.from_numpy, batch)
    u = discern.unit(HOPPER)
    d = u(a, b, c)
    assert d.dtype == torch.float32 and np.array_equal(d.numpy(), u(*batch))
    assert np.array_equal(u.gemm(a, b.t(), c[:, None].expand(100, 100)).numpy().diagonal(), d.numpy())
    assert u(a.view(torch.int16), b, c).dtype == torch.int32
    x = torch.randn(5, 16, dtype=torch.bfloat16, requires_grad=True)
    assert discern.unit(BF16)(x, x).dtype == torch.float32
    with pytest.raises(discern.ArrayError, match="bfloat16"):
        u(x, x)


def test_products_place_each_vector_elsewhere():
    seen = []

    def multiply(A, B, C):
        seen.append((A, B))
        return A @ B

    product = discern.torch.Product(multiply, K=4, M=6, N=5, dtype="float64", out_dtype=None, device="cpu", has_c=False)
    a, b = torch.randn(2, 12, 4, dtype=torch.float64)
    assert torch.allclose(product(a, b), (a * b).sum(1))
    assert len(seen) == 3 and (product.formats, product.K) == ("f64,f64,-,f64", 4)
    places = [next(i for i in range(6) if torch.equal(A[i], a[5 * n])) for n, (A, _) in enumerate(seen)]
    assert seen[0][0].shape == (6, 4) and seen[0][1].shape == (4, 5) and len(set(places)) > 1


def test_products_with_c():
    product = discern.torch.addmm(K=4, M=8, N=3)
    a, b = torch.randn(2, 10, 4)
    c = torch.randn(10)
    assert torch.allclose(product(a, b, c), (a * b).sum(1) + c, atol=1e-6)
    for make in (discern.torch.matmul, discern.torch.linear, discern.torch.mv):
        assert torch.allclose(make(K=4, M=8)(a, b), (a * b).sum(1), atol=1e-6)


def test_a_product_is_identified_without_further_words():
    """By a product that a unit computes: what this machine's own computes is another matter."""
    u = discern.unit("f32*f32->f32 K=2 L=2 nan=any : round[f32 rne](fuse[exact](p*))")
    product = discern.torch.Product(
        lambda A, B, C: u.gemm(A, B), K=2, M=8, N=8, dtype="float32", out_dtype=None, device="cpu", has_c=False
    )
    assert discern.check(product, u, n=500).mismatches == 0
    assert discern.check(product, u.with_(round="rz"), n=500).mismatches > 0
    found = discern.which(product, space=u.tree)
    assert found.consistent


def test_a_model_as_a_unit_runs_it():
    u = discern.unit(HOPPER)
    model = torch.nn.Sequential(torch.nn.Linear(40, 24), torch.nn.ReLU(), torch.nn.Linear(24, 3, bias=False))
    x = torch.randn(7, 40)
    with discern.torch.emulate(model, u):
        y = model(x)
        z = x @ x.t()  # not the model's
    h = u.gemm(x.half(), model[0].weight.detach().half().t()) + model[0].bias.detach()
    want = u.gemm(h.relu().half(), model[2].weight.detach().half().t())
    assert torch.equal(y, want) and not y.requires_grad
    assert torch.equal(z, x @ x.t())
    assert not torch.equal(y, model(x)) and torch.allclose(y, model(x), atol=1e-2)


def test_all_products_are_emulated():
    u = discern.unit(HOPPER)
    a, b = torch.randn(2, 3, 5, 20)
    one = u.gemm(a[0].half(), b[0].t().half())
    with discern.torch.emulate(u):
        for d in (torch.matmul(a, b.transpose(1, 2)), a @ b.transpose(1, 2), torch.bmm(a, b.transpose(1, 2))):
            assert torch.equal(d[0], one) and d.shape == (3, 5, 5)
        assert torch.equal(torch.mv(a[0], b[0, 0]), one[:, 0]) and torch.equal(a[0] @ b[0, 0], one[:, 0])
        assert torch.equal(torch.mm(a[0], b[0].t()), one)
        assert torch.equal(torch.addmm(torch.ones(5, 5), a[0], b[0].t()), 1 + one)
    assert not torch.equal(a[0] @ b[0].t(), one)


def test_what_cannot_be_emulated_is_one_sentence():
    for make, said in [
        (lambda: discern.torch.emulate(3, HOPPER).__enter__(), "no torch.nn.Module"),
        (lambda: discern.torch.emulate("blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3").__enter__(), "scales"),
        (lambda: discern.torch.matmul(K=0), "K=0"),
        (lambda: discern.torch.matmul(K=4, dtype="float17"), "float17"),
    ]:
        with pytest.raises(discern.Error) as error:
            make()
        assert said in str(error.value)
