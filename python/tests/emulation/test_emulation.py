"""Emulation at the level at which torch has products: whatever calls them, in whatever form, is computed or listed.

A unit with F=2 changes every product, so that what is not emulated shows.
"""

from __future__ import annotations

import copy
import io
import threading
import warnings

import pytest

import discern

torch = pytest.importorskip("torch", reason="torch is not installed")
import discern.torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

COARSE, COARSER = "A100/f16{F=4}", "A100/f16{F=2}"
emulate = discern.torch.emulate


def natively(call, *args):
    """What torch itself computes; the test is skipped where it has no such function."""
    try:
        return call(*args)
    except AttributeError as error:
        pytest.skip(f"torch {torch.__version__}: {error}")


@pytest.fixture(autouse=True)
def same_numbers():
    torch.manual_seed(7)


def same(x, y):
    return x.shape == y.shape and x.dtype == y.dtype and bool(torch.equal(x.nan_to_num(nan=7e7), y.nan_to_num(nan=7e7)))


# ---- whatever calls a product

A, B, C = torch.randn(5, 24), torch.randn(24, 6), torch.randn(5, 6)
P, Q, R = torch.randn(3, 5, 24), torch.randn(3, 24, 6), torch.randn(3, 5, 6)
HEADS, LSTM = torch.randn(2, 4, 16, 8), nn.LSTM(24, 6)
CALLS = {
    "@": lambda: A @ B,
    "rmatmul": lambda: torch.Tensor.__rmatmul__(B, A),
    "matmul by keywords": lambda: torch.matmul(input=A, other=B),
    "mm by keyword": lambda: torch.mm(A, mat2=B),
    "mm out": lambda: torch.mm(A, B, out=torch.empty(5, 6)),
    "matmul out": lambda: torch.matmul(A, B, out=torch.empty(0)),
    "bmm out": lambda: torch.bmm(P, Q, out=torch.empty(3, 5, 6)),
    "addmm by keywords": lambda: torch.addmm(C, mat1=A, mat2=B),
    "addmm out": lambda: torch.addmm(C, A, B, out=torch.empty(5, 6)),
    "addmm_": lambda: C.clone().addmm_(A, B),
    "baddbmm": lambda: torch.baddbmm(R, batch1=P, batch2=Q),
    "Tensor.baddbmm": lambda: R.baddbmm(P, Q),
    "baddbmm_": lambda: R.clone().baddbmm_(P, Q),
    "addbmm": lambda: torch.addbmm(C, P, Q),
    "addmv": lambda: torch.addmv(C[0], B.t(), A[0]),
    "addmv_": lambda: C[0].clone().addmv_(B.t(), A[0]),
    "mv": lambda: B.t().mv(A[0]),
    "dot": lambda: A[0] @ A[1],
    "einsum": lambda: torch.einsum("ik,kj->ij", A, B),
    "einsum of batches": lambda: torch.einsum("bik,bkj->bij", P, Q),
    "inner": lambda: torch.inner(A, A),
    "tensordot": lambda: torch.tensordot(P, B, dims=1),
    "multi_dot": lambda: torch.linalg.multi_dot([A, B, C.t()]),
    "matrix_power": lambda: torch.linalg.matrix_power(A[:, :5], 2),
    "linear": lambda: F.linear(A, B.t(), C[0]),
    "linear of three axes": lambda: F.linear(P, B.t(), C[0]),
    "linear of a view": lambda: F.linear(P.transpose(0, 1), B.t(), C[0]),
    "bilinear": lambda: F.bilinear(A, A, torch.randn(3, 24, 24)),
    "conv1d": lambda: F.conv1d(P.transpose(1, 2), torch.randn(4, 24, 3)),
    "attention": lambda: F.scaled_dot_product_attention(HEADS, HEADS, HEADS),
    "causal attention": lambda: F.scaled_dot_product_attention(HEADS, HEADS, HEADS, is_causal=True),
    "masked attention": lambda: F.scaled_dot_product_attention(HEADS, HEADS, HEADS, attn_mask=torch.zeros(16, 16)),
    "attention with dropout": lambda: F.scaled_dot_product_attention(HEADS, HEADS, HEADS, dropout_p=0.1),
    "fast path of attention": lambda: torch._native_multi_head_attention(
        P, P, P, 24, 4, torch.ones(72, 24), torch.ones(72), torch.randn(24, 24), torch.ones(24)
    )[0],
    "lstm's layer": lambda: LSTM(P)[0],
    "vmap": lambda: torch.func.vmap(lambda row: row @ B)(A),
}


@pytest.mark.parametrize("way", ["no_grad", "inference_mode", "enable_grad"])
@pytest.mark.parametrize("name", CALLS)
def test_whatever_calls_a_product_is_emulated(name, way):
    torch.manual_seed(1)
    with getattr(torch, way)():
        native = natively(CALLS[name])
    results = []
    for unit in (COARSER, "A100/f16"):
        torch.manual_seed(1)
        with emulate(unit) as report, getattr(torch, way)():
            results.append(CALLS[name]())
        assert report.emulated and not report.native
    coarse, fine = results
    assert coarse.shape == native.shape and coarse.dtype == native.dtype
    assert (coarse != native).double().mean() > 0.9
    assert torch.allclose(fine, native, atol=0.02 * float(native.abs().max()) + 1e-3)


def test_autocast_says_which_unit_computes():
    lin, x = nn.Linear(64, 16), torch.randn(8, 64)
    u = discern.unit("A100/bf16")
    want = (u.gemm(x.bfloat16(), lin.weight.detach().bfloat16().t()) + lin.bias.detach().bfloat16().float()).bfloat16()
    for how in ({"profile": "a100", "split": 1}, {"profile": "A100", "split": 1}):
        with torch.autocast("cpu", dtype=torch.bfloat16), emulate(lin, **how):
            inside = lin(x)
        with emulate(lin, **how), torch.autocast("cpu", dtype=torch.bfloat16):
            assert same(lin(x), inside)
        assert same(inside, want)


def test_threads_and_traces_and_compiled_models_are_emulated():
    model, x = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 4)), torch.randn(5, 24)
    with emulate(model, COARSE):
        want = model(x)
    got = {}

    def run(name):
        got[name] = model(x).detach()

    with emulate(COARSE):
        thread = threading.Thread(target=run, args=("thread",))
        thread.start()
        thread.join()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got["compiled"] = torch.compile(model, backend="eager")(x) if hasattr(torch, "compile") else model(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(model, x)
    with emulate(traced, COARSE) as report:
        got["traced"] = traced(x)
    assert all(same(y, want) for y in got.values()) and dict(report.emulated) == {"addmm": 2}
    assert not same(model(x).detach(), want)
    assert threading.Thread.start.__module__ == "threading"


def test_the_threads_of_a_model_are_its_own():
    class Parallel(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(24, 4)

        def forward(self, x):
            got = {}
            with_grad = torch.is_grad_enabled()

            def run(i):
                with torch.set_grad_enabled(with_grad):
                    got[i] = self.part(x[i])

            threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return torch.stack([got[0], got[1]])

    model, x, other = Parallel(), torch.randn(2, 5, 24), {}
    with emulate(model, COARSE) as report:
        y = model(x)
        thread = threading.Thread(target=lambda: other.update(y=model.part(x[0]).detach()))  # outside of its forward
        thread.start()
        thread.join()
    with emulate(COARSE):
        assert same(y, model(x))
    assert dict(report.emulated) == {"addmm": 2} and same(other["y"], model.part(x[0]).detach())


def test_two_threads_emulate_one_model():
    model, x = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 4)), torch.randn(9, 24)
    want, wrong = {}, []
    for unit in (COARSE, COARSER):
        with emulate(model, unit):
            want[unit] = model(x)

    def run(unit):
        for _ in range(20):
            with emulate(model, unit):
                if not same(model(x), want[unit]):
                    wrong.append(unit)

    threads = [threading.Thread(target=run, args=(unit,)) for unit in want]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and "forward" not in vars(model) and not same(want[COARSE], want[COARSER])


def test_a_copy_made_inside_is_a_model_of_its_own():
    model, x = nn.Linear(8, 2), torch.randn(3, 8)
    with emulate(model, COARSE):
        copied = copy.deepcopy(model)
        torch.save(model, io.BytesIO())
        by_forward = model.forward(x)
        assert same(by_forward, model(x)) and not same(copied(x), by_forward)
    with torch.no_grad():
        copied.weight.zero_()
        copied.bias.fill_(7)
        assert bool((copied(x) == 7).all())


# ---- what is rounded when


def test_alpha_is_taken_before_the_rounding_and_zero_leaves_out():
    a, b, c = torch.full((2, 40), 400.0).half(), torch.full((40, 3), 40.0).half(), torch.ones(2, 3).half()
    none = torch.full((2, 3), float("nan")).half()
    most = torch.full((2, 40), 65504.0).half()
    for how in ({"unit": "A100/f16"}, {"profile": "a100", "split": 1}):
        with emulate(**how):
            assert same(torch.addmm(c * 0, a, b, alpha=0.01), torch.full((2, 3), 6400.0).half())
            assert same(torch.baddbmm(c[None] * 0, a[None], b[None], alpha=0.125)[0], torch.full((2, 3), float("inf")).half())
            assert same(torch.baddbmm(c[None] * 0, a[None], b[None], alpha=0.0625)[0], torch.full((2, 3), 40000.0).half())
            assert same(torch.addmm(none, a, b, beta=0, alpha=0.01), torch.full((2, 3), 6400.0).half())
            assert same(torch.baddbmm(none[None], a[None], b[None], beta=0, alpha=0.0625)[0], torch.full((2, 3), 40000.0).half())
            assert same(torch.addmm(c, most, b, alpha=0), c)
    x, y = torch.randn(4, 24).half(), torch.randn(24, 6).half()
    sums, added = discern.unit("A100/f16").gemm(x, y), torch.randn(4, 6).half()
    with emulate("A100/f16"):
        assert same(torch.addmm(added, x, y, beta=0.3, alpha=0.7), (0.7 * sums).half() + 0.3 * added)
        assert same(torch.addmm(added, x, y), sums.half() + added)
    with emulate(profile="a100", split=1):
        assert same(torch.addmm(added, x, y, beta=0.3, alpha=0.7), (0.7 * sums + 0.3 * added.float()).half())


def test_settings_of_tf32_are_followed():
    a, b = torch.randn(33, 64), torch.randn(64, 17)
    tf32 = discern.unit("ampere/mma.m16n8k8.f32.tf32.tf32.f32").gemm(a, b)
    before = torch.get_float32_matmul_precision()
    try:
        with emulate(profile="a100", split=1):
            exact = a @ b
            torch.set_float32_matmul_precision("high")
            assert same(a @ b, tf32) and not same(exact, tf32)
            torch.set_float32_matmul_precision("highest")
            torch.backends.cuda.matmul.allow_tf32 = True
            assert same(a @ b, tf32)
    finally:
        torch.set_float32_matmul_precision(before)
    said = "torch lets it add such parts in bf16" if torch.__version__ >= "2" else "products of bf16 on a100"
    with pytest.warns(discern.NotMeasured, match=said):
        with emulate(profile="a100"):
            a.bfloat16() @ b.bfloat16()


def test_integers_and_complex_numbers_are_refused():
    for x in (torch.full((4, 16), 100000), torch.ones(4, 16, dtype=torch.complex64)):
        for how in ({"unit": "A100/f16"}, {"profile": "a100", "split": 1}):
            with emulate(**how), pytest.raises(discern.InputError) as error:
                x @ x.t()
            assert "floating-point" in str(error.value) and "\n" not in str(error.value)


def test_sums_of_nothing_are_as_torch_has_them():
    cases = [
        (lambda: torch.ones(3, 0) @ torch.ones(0, 2)), (lambda: torch.ones(0, 4) @ torch.ones(4, 2)),
        (lambda: torch.bmm(torch.ones(0, 3, 4), torch.ones(0, 4, 2))), (lambda: torch.ones(2, 3, 0) @ torch.ones(2, 0, 5)),
        (lambda: torch.addmm(C, torch.ones(5, 0), torch.ones(0, 6), beta=2)), (lambda: torch.mv(torch.ones(3, 0), torch.ones(0))),
        (lambda: F.linear(torch.ones(0, 4), torch.ones(2, 4), torch.ones(2))), (lambda: torch.ones(0) @ torch.ones(0)),
    ]  # fmt: skip
    for call in cases:
        with emulate("A100/f16"):
            y = call()
        assert same(y, call())


def test_shapes_that_do_not_fit_are_errors_of_torch_too():
    for call in (
        lambda: torch.mm(A, A), lambda: torch.mm(P, Q), lambda: torch.bmm(A, B), lambda: torch.mv(A, B), lambda: torch.bmm(P, Q[:2]),
        lambda: torch.addmm(torch.ones(4, 4), A, B), lambda: F.conv1d(P, torch.ones(2, 3, 3)), lambda: F.linear(A, torch.ones(3, 5)),
    ):  # fmt: skip
        with emulate(COARSE), pytest.raises(RuntimeError):
            call()


def test_weights_made_in_inference_mode():
    with torch.inference_mode():
        model, x = nn.Linear(24, 4), torch.randn(3, 24)
        with emulate(model, COARSE):
            assert same(model(x), model(x))


# ---- gradients


def test_gradients_are_kept_or_said():
    model, x = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 4)), torch.randn(5, 24)
    model(x).sum().backward()
    native = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    with emulate("A100/f16", gradients=True) as report:
        model(x).sum().backward()
    assert dict(report.emulated) == {"addmm": 2, "mm": 3} and not report.native
    assert all(torch.allclose(p.grad, g, atol=1e-2) for p, g in zip(model.parameters(), native))
    assert not all(torch.equal(p.grad, g) for p, g in zip(model.parameters(), native))
    model.zero_grad()
    if not hasattr(torch._C, "_current_graph_task_id"):
        pytest.skip(f"torch {torch.__version__} does not say that it computes a gradient")
    with pytest.warns(discern.NotEmulated, match="3 mm backward"):
        with emulate(model, "A100/f16"), torch.enable_grad():
            model(x).sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    with emulate(model, "A100/f16"):
        assert not model(x).requires_grad


# ---- what is not emulated


def test_what_is_not_emulated_is_listed_and_said_once():
    with pytest.warns(discern.NotEmulated, match="1 _linalg_solve_ex, 2 _cdist_forward") as said:
        with emulate(COARSE) as report:
            torch.linalg.solve(torch.eye(3), torch.ones(3))
            torch.cdist(A, A)
            torch.cdist(A, A)
            A @ B
    assert len(said) == 1 and report.to_dict() == {"emulated": {"mm": 1}, "native": {"_linalg_solve_ex": 1, "_cdist_forward": 2}}


# ---- what is emulated is gemm


def test_a_million_elements_are_those_of_gemm():
    """Of a linear layer, a batch and a convolution; the last against rows that torch's own unfold writes out."""
    count = 0
    for name, dtype in (("A100/f16", torch.float16), ("H100/bf16", torch.bfloat16)):
        u = discern.unit(name)
        lin, x = nn.Linear(48, 500, dtype=dtype), torch.randn(1000, 48).to(dtype)
        with emulate(u):
            y = lin(x)
        assert same(y, u.gemm(x, lin.weight.detach().t()).to(dtype) + lin.bias.detach())
        p, q = torch.randn(4, 100, 30).to(dtype), torch.randn(4, 30, 150).to(dtype)
        with emulate(u):
            z = torch.bmm(p, q)
        assert same(z, torch.stack([u.gemm(*each) for each in zip(p, q)]).to(dtype))
        conv, image = nn.Conv2d(6, 16, 3, stride=2, padding=1, groups=2, dtype=dtype), torch.randn(2, 6, 31, 33).to(dtype)
        with emulate(u):
            d = conv(image)
        rows = F.unfold(image.float(), 3, stride=2, padding=1).to(dtype).unflatten(1, (2, 3, 9))  # batch, groups, channels, places, …
        for g in range(2):
            w = conv.weight.detach()[8 * g : 8 * g + 8].permute(0, 2, 3, 1).flatten(1)
            for n in range(2):
                a = rows[n, g].permute(2, 1, 0).flatten(1)
                want = u.gemm(a, w.t()).to(dtype) + conv.bias.detach()[8 * g : 8 * g + 8]
                assert same(d[n, 8 * g : 8 * g + 8].flatten(1).t().contiguous(), want)
        count += y.numel() + z.numel() + d.numel()
    assert count > 1_000_000


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_convolutions_are_torchs(dims):
    """In f64, whose rounding hides the order of k: all settings, transposed ones too."""
    u = "f64*f64+f64->f64 K=1 nan=any : round[f64 rne](fuse[exact](p*, c))"
    function = [F.conv1d, F.conv2d, F.conv3d][dims - 1]
    transposed = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][dims - 1]
    for stride, padding, dilation, groups, more in [(1, 0, 1, 1, 0), (2, 1, 1, 2, 1), (3, 2, 2, 1, 2), (1, 1, 2, 2, 0)]:
        x = torch.randn(2, 4, *[9, 8, 7][:dims], dtype=torch.float64)
        w, bias = torch.randn(6, 4 // groups, *[3, 2, 3][:dims], dtype=torch.float64), torch.randn(6, dtype=torch.float64)
        t = torch.randn(4, 3, *[3, 2, 3][:dims], dtype=torch.float64)
        how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        for call in (
            lambda: function(x, w, bias, **how), lambda: function(x[0], w, None, **how),
            lambda: transposed(x, t, None, output_padding=min(more, max(stride, dilation) - 1), **how),
            lambda: function(x.contiguous(memory_format=torch.channels_last) if dims == 2 else x, w, bias, **how),
        ):  # fmt: skip
            with emulate(u):
                y = call()
            assert y.shape == call().shape and y.stride() == call().stride() and torch.allclose(y, call(), atol=1e-12)


def test_other_tensors_are_left_to_torch():
    sparse = torch.eye(5).to_sparse()
    meta = torch.ones(3, 4, device="meta")
    with pytest.warns(discern.NotEmulated, match="1 mm"):
        with emulate(COARSE) as report:
            assert same(torch.mm(sparse, C), C)
            assert (meta @ meta.t()).shape == (3, 3)
    assert dict(report.native) == {"mm": 1}
    layer = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2).eval()
    x, mask = torch.randn(2, 6, 32), torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with emulate(layer, COARSER) as report:
            y = layer(x, src_key_padding_mask=mask)
        assert not report.native and not same(y, layer(x, src_key_padding_mask=mask).detach())


def test_operands_beyond_the_units_format_are_said():
    big = torch.full((4, 16), 1e6).bfloat16()
    with pytest.warns(RuntimeWarning, match="operands of torch.bfloat16 have numbers beyond torch.float16"):
        with emulate("A100/f16"):
            big @ big.t()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with emulate("A100/f16"):
            assert bool(((big * torch.inf) @ big.t().abs().clamp(max=1)).isinf().all())


@pytest.mark.skipif(not hasattr(F, "scaled_mm"), reason=f"torch {torch.__version__} has no functional.scaled_mm")
def test_scaled_mm_of_torchs_functions():
    one, recipe = torch.tensor(0.5), F.ScalingType.TensorWise
    x, w = torch.randn(16, 32).to(torch.float8_e4m3fn), torch.randn(16, 32).to(torch.float8_e4m3fn)
    with emulate(profile="h100-pcie", split=1) as report:
        d = F.scaled_mm(x, w.t(), one, recipe, one, recipe, output_dtype=torch.bfloat16)
    assert same(d, discern.torch.scaled_mm(x, w.t(), one, one, out_dtype=torch.bfloat16, split=1)) and dict(report.emulated) == {"_scaled_mm_v2": 1}
