"""torch: tensors, products as targets, and models as another machine runs them. Skipped without torch."""

from __future__ import annotations

import numpy as np
import pytest

import discern
from conftest import BF16, HOPPER, ROOT

torch = pytest.importorskip("torch", reason="torch is not installed")
import discern.torch  # noqa: E402
from eight_bits import fp8, needs_fp8  # noqa: E402


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


# ---- products as a library computes them

@needs_fp8
def test_scaled_mm_takes_the_arguments_of_torch(rng):
    x, a = fp8(rng, 5, 160)
    w, b = fp8(rng, 32, 160, dtype="float8_e5m2")
    sa, sb = torch.tensor(0.01), torch.tensor([[0.5]])
    for out, word in ((torch.bfloat16, torch.int16), (torch.float32, torch.int32), (torch.float8_e4m3fn, torch.uint8), (None, torch.uint8)):
        for fast in (False, True):
            for profile, split in (("h100-pcie", 1), ("h100-pcie", (2, "contiguous")), ("rtx4060", (3, "pairwise"))):
                d = discern.torch.scaled_mm(x, w.t(), sa, sb, out_dtype=out, use_fast_accum=fast, profile=profile, split=split)
                want = discern.scaled_mm(
                    a, b.T, np.float32(0.01), np.float32(0.5), out_dtype=out or torch.float8_e4m3fn, use_fast_accum=fast, profile=profile,
                    split=split, formats="e4m3,e5m2",
                )  # fmt: skip
                assert d.dtype == (out or torch.float8_e4m3fn) and d.shape == (5, 32)
                assert (d.view(word).numpy() == want.view(d.view(word).numpy().dtype)).all()
    with pytest.warns(discern.NotMeasured):
        with_bias = discern.torch.scaled_mm(x, w.t(), sa, sb, torch.ones(32, dtype=torch.bfloat16), None, torch.bfloat16, split=1)
    assert with_bias.dtype == torch.bfloat16


@needs_fp8
def test_recorded_products_through_torch():
    from test_scaled import PROFILE, RECORDED

    if not RECORDED.exists():
        pytest.skip("../shared/scaled-mm is not here")
    import json

    dtypes = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
    with np.load(RECORDED) as data:
        for i, said in enumerate(json.loads(bytes(data["meta"]))):
            x, w = (torch.from_numpy(data[f"{name}{i}"]).view(dtypes[said[name]]) for name in "ab")
            scales = (torch.from_numpy(np.array(int(said[key], 16), np.uint32).view(np.float32)) for key in ("scale_a", "scale_b"))
            d = discern.torch.scaled_mm(
                x, w.t(), *scales, out_dtype=dtypes[said["out"]], use_fast_accum=said["fast"], profile=PROFILE[said["profile"]],
                split=1 if said["S"] == 1 else (said["S"], said["scheme"]),
            )  # fmt: skip
            bits = d.view({4: torch.int32, 2: torch.int16, 1: torch.uint8}[d.element_size()]).numpy()
            assert (bits.view(data[f"d{i}"].dtype) == data[f"d{i}"]).all(), (i, said)


@needs_fp8
def test_bad_products_with_scales_are_one_sentence(rng):
    x, _ = fp8(rng, 5, 160)
    w, _ = fp8(rng, 32, 160)
    one = torch.tensor(1.0)
    for bad, said in [
        (lambda: discern.torch.scaled_mm(x, w.t().contiguous(), one, one, split=1), "its columns must lie one after another"),
        (lambda: discern.torch.scaled_mm(x.t().contiguous().t(), w.t(), one, one, split=1), "its rows must lie one after another"),
        (lambda: discern.torch.scaled_mm(x, w.t(), 1.0, one, split=1), "scale_a must be a tensor, not float"),
        (lambda: discern.torch.scaled_mm(x, w.t(), one.double(), one, split=1), "scale_a has elements of type float64"),
        (lambda: discern.torch.scaled_mm(x, w.t(), one, one), "is not known"),
        (lambda: discern.torch.scaled_mm(x.float(), w.t(), one, one, split=1), "input has elements of type float32|a has elements of type float32"),
        (lambda: discern.torch.scaled_mm(x.float().requires_grad_().to(x.dtype), w.t(), one, one, split=1), "requires grad"),
        (lambda: discern.torch.scaled_mm(x, w.t(), one, one, split=1, M=3), "M= is for targets"),
    ]:
        with pytest.raises(discern.Error, match=said) as error:
            bad()
        assert "\n" not in str(error.value)


class FP8Linear(torch.nn.Module):
    """y = x · wᵀ by torch._scaled_mm, with both operands scaled into fp8."""

    def __init__(self, inner, outer):
        super().__init__()
        w = torch.randn(outer, inner)
        self.scale = w.abs().max() / 448
        self.w = (w / self.scale).to(torch.float8_e4m3fn)

    def forward(self, x):
        scale = x.float().abs().max() / 448
        return torch._scaled_mm((x / scale).to(torch.float8_e4m3fn), self.w.t(), scale, self.scale, out_dtype=torch.bfloat16)


@needs_fp8
def test_a_model_of_three_layers_on_two_machines():
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 96, dtype=torch.bfloat16), torch.nn.ReLU(), FP8Linear(96, 48), torch.nn.ReLU(),
        torch.nn.Linear(48, 16, dtype=torch.bfloat16),
    )  # fmt: skip
    x = torch.randn(33, 64, dtype=torch.bfloat16)
    outputs = {}
    for profile in ("h100-pcie", "rtx4060", "a100"):
        with discern.torch.emulate(model, profile=profile, split=1):
            if profile == "a100":
                with pytest.warns(discern.NotMeasured, match="a100 has no instruction for fp8"):
                    outputs[profile] = model(x)
            else:
                outputs[profile] = model(x)
        assert outputs[profile].dtype == torch.bfloat16 and not outputs[profile].requires_grad
    assert not torch.equal(outputs["h100-pcie"], outputs["a100"])
    # The first layer by hand: one chain in f32, the bias, one rounding.
    first = model[0]
    with discern.torch.emulate(first, profile="h100-pcie", split=1):
        y = first(x)
    sums = discern.unit("hopper/wgmma.m64n8k16.f32.bf16.bf16").gemm(x, first.weight.detach().t())
    assert torch.equal(y, (sums + first.bias.detach().float()).to(torch.bfloat16))
    with discern.torch.emulate(profile="h100-pcie", split=1):
        z = model[2](y.relu())
    h = y.relu()
    scale = h.float().abs().max() / 448
    want = discern.torch.scaled_mm((h / scale).to(torch.float8_e4m3fn), model[2].w.t(), scale, model[2].scale, out_dtype=torch.bfloat16, split=1)
    assert torch.equal(z, want)


def test_profiles_compute_by_element_type():
    a, b = torch.randn(2, 5, 20)
    f16 = discern.unit("ampere/mma.m16n8k16.f32.f16.f16.f32").gemm(a.half(), b.half().t())
    with pytest.warns(discern.NotMeasured, match="products of f16 on a100 are taken for one chain over k"):
        with discern.torch.emulate(profile="a100"):
            assert torch.equal(a.half() @ b.half().t(), f16.half())
    with discern.torch.emulate(profile="a100", split=1):
        assert torch.equal(torch.bmm(a.half()[None], b.half().t()[None])[0], f16.half())
        assert torch.equal(torch.addmm(torch.ones(5, 5).half(), a.half(), b.half().t()), (f16 + 1).half())
        chain = np.zeros((5, 5), np.float32)
        for k in range(20):  # exact in float64, but for the second rounding: sums of few bits do not show it
            chain = (chain + a[:, k : k + 1].numpy().astype(np.float64) * b[:, k].numpy()).astype(np.float32)
        assert np.mean((a @ b.t()).numpy() == chain) > 0.95


def test_bad_profiles_are_one_sentence_and_leave_torch_as_it_was():
    a = torch.randn(4, 4)
    want = a @ a
    for use, said in [
        (lambda: discern.torch.emulate(profile="b3000").__enter__(), "profile='b3000' is not known"),
        (lambda: discern.torch.emulate(None, HOPPER, profile="a100").__enter__(), "a unit and a profile were given"),
        (lambda: discern.torch.emulate(HOPPER, split=1).__enter__(), "there is no profile"),
    ]:
        with pytest.raises(discern.Error, match=said):
            use()
    with pytest.raises(discern.InputError, match="no rule for products of f64"):
        with discern.torch.emulate(profile="a100"):
            a.double() @ a.double()
    with pytest.raises(KeyboardInterrupt):
        with discern.torch.emulate(profile="a100", split=1):
            raise KeyboardInterrupt
    assert torch.equal(a @ a, want)


@needs_fp8
def test_tensors_elsewhere_are_refused(rng):
    x, _ = fp8(rng, 5, 160)
    w, _ = fp8(rng, 32, 160)
    one = torch.tensor(1.0)
    with pytest.raises(discern.Error, match="is on meta; units compute on the CPU"):
        discern.torch.scaled_mm(x.to("meta"), w.to("meta").t(), one, one, split=1)


def test_a_weight_of_linear_stays_packed():
    model = torch.nn.Linear(40, 24).half()
    x, y = torch.randn(2, 3, 40).half()
    u = discern.unit(HOPPER)
    weights = discern.emulated.arithmetic.Weights()
    assert weights.of(model.weight, u) is None
    kept = weights.of(model.weight, u)
    assert kept is weights.of(model.weight, u) and kept.words.base is not None  # nothing was copied but into the kept form
    with torch.no_grad():
        model.weight.mul_(2)
    assert weights.of(model.weight, u) is None
    with discern.torch.emulate(model, u):
        first = [model(x), model(y), model(x[:1]), model(x[0])]
    want = [u.gemm(z.reshape(-1, 40), model.weight.detach().t()).half() + model.bias for z in (x, y, x[:1], x[0])]
    assert all(torch.equal(a.reshape(b.shape), b) for a, b in zip(first, want))
    with discern.torch.emulate(model, u):
        model(x), model(x)
        with torch.no_grad():
            model.weight.neg_()
        changed = model(x)
    assert torch.equal(changed, u.gemm(x, model.weight.detach().t()).half() + model.bias)


def test_differences_are_reported_layer_by_layer():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 48)).to(torch.bfloat16)
    x = torch.randn(33, 64, dtype=torch.bfloat16)
    found = discern.torch.differences(model, x, "h100-pcie", "a100", split=1)
    assert [(one.layer, one.kind, one.elements) for one in found] == [
        ("0", "Linear", 33 * 96), ("1", "ReLU", 33 * 96), ("2", "Linear", 33 * 48), ("", "Sequential", 33 * 48),
    ]  # fmt: skip
    outputs = {}
    for profile in ("h100-pcie", "a100"):
        with discern.torch.emulate(model, profile=profile, split=1):
            outputs[profile] = model(x)
    different = int((outputs["h100-pcie"] != outputs["a100"]).sum())
    assert found[-1].different == different and (different > 0) == (found[-1].largest > 0)
    assert str(found).splitlines()[0].startswith("layer") and len(str(found).splitlines()) == 5
    assert all(one.different == 0 for one in discern.torch.differences(model, x, "a100", "a100", split=1))
    assert not model._forward_hooks and not model[0]._forward_hooks
    with pytest.raises(discern.ArrayError, match="is no torch.nn.Module"):
        discern.torch.differences(3, x, "h100-pcie", "a100")


def test_ctrl_c_leaves_torch_and_the_model_as_they_were():
    import signal

    model = torch.nn.Linear(4096, 4096, bias=False, dtype=torch.bfloat16)
    x = torch.randn(4096, 4096, dtype=torch.bfloat16)
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    told = []
    with pytest.raises(KeyboardInterrupt):
        with discern.torch.emulate(model, profile="h100-pcie", split=1, progress=lambda *said: told.append(said)):
            model(x)
    assert "forward" not in vars(model) and not model._forward_hooks and not model._forward_pre_hooks
    a = torch.randn(8, 8)
    assert torch.equal(a @ a, torch.mm(a, a)) and a.requires_grad is False and torch.is_grad_enabled()
    assert all(0 <= done <= 1 for _, done, _ in told) and told


def test_a_model_that_fails_inside_goes_on_as_itself():
    model = torch.nn.Linear(8, 8)
    x = torch.randn(3, 8)
    want, u = x @ x.t(), discern.unit(HOPPER)
    with discern.torch.emulate(model, u):
        with pytest.raises(discern.InputError, match="as many columns as B has rows"):
            model(torch.randn(2, 9))
        assert torch.equal(x @ x.t(), want)  # not the model's


@needs_fp8
def test_scales_a_row_and_a_block_through_torch(rng):
    x, a = fp8(rng, 5, 64)
    w, b = fp8(rng, 32, 64)
    sa, sb = torch.rand(5, 1) + 0.5, torch.rand(1, 32) + 0.5
    with pytest.warns(discern.NotMeasured, match="RowwiseScaledMM"):
        d = discern.torch.scaled_mm(x, w.t(), sa, sb, out_dtype=torch.bfloat16)
        want = discern.scaled_mm(a, b.T, sa.numpy(), sb.numpy())
    assert (d.view(torch.int16).numpy() == want.view(np.int16)).all()
    try:
        ours = torch._scaled_mm(x, w.t(), sa, sb, out_dtype=torch.bfloat16)  # the same product by this CPU
    except (NotImplementedError, RuntimeError) as error:
        pytest.skip(f"torch {torch.__version__} has no scales a row on this CPU: {str(error).splitlines()[0][:80]}")
    assert torch.allclose(d.float(), ours.float(), rtol=1e-2, atol=float(ours.float().abs().max()) * 1e-2)
    if not hasattr(torch, "float8_e8m0fnu"):
        pytest.skip(f"torch {torch.__version__} has no float8_e8m0fnu")
    blocks = torch.full((512,), 127, dtype=torch.uint8).view(torch.float8_e8m0fnu)
    with pytest.warns(discern.NotMeasured, match="scales a block"):
        d = discern.torch.scaled_mm(x, w.t(), blocks, blocks, out_dtype=torch.bfloat16, profile="b200")
    plain = discern.unit("blackwell/tcgen05.mma.m64n8k32.f32.e4m3.e4m3").gemm(x, w.t())
    assert d.dtype == torch.bfloat16 and torch.allclose(d.float(), plain, rtol=1e-2)
    if hasattr(torch, "float4_e2m1fn_x2"):
        p, q = (torch.from_numpy(rng.integers(0, 256, (lines, 32), np.uint8)) for lines in (5, 32))
        ones = torch.full((512,), 0x38, dtype=torch.uint8).view(torch.float8_e4m3fn)
        fp4 = torch.float4_e2m1fn_x2
        with pytest.warns(discern.NotMeasured, match="scales a block"):
            d = discern.torch.scaled_mm(p.view(fp4), q.view(fp4).t(), ones, ones, out_dtype=torch.float32, profile="b200")
        by_hand = [discern.numbers("e2m1", np.stack([z.numpy() & 15, z.numpy() >> 4], -1).reshape(z.shape[0], -1)) for z in (p, q)]
        assert (d.numpy() == by_hand[0] @ by_hand[1].T).all()


@pytest.mark.slow
@needs_fp8
def test_memory_of_a_model_is_at_most_twice_its_operands():
    """Weights and what goes through them, of three layers of 4096, one of fp8; whatever is packed included."""
    import os
    import subprocess
    import sys

    code = """
import sys, warnings, torch, discern.torch
sys.path[:0] = sys.argv[1], sys.argv[1] + "/emulation"
from test_torch import FP8Linear
def of(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field)) * 1024
D, lines = 4096, int(sys.argv[2])
model = torch.nn.Sequential(torch.nn.Linear(D, D, dtype=torch.bfloat16), FP8Linear(D, D), torch.nn.Linear(D, D, dtype=torch.bfloat16))
x = torch.randn(lines, D, dtype=torch.bfloat16)
operands = 5 * D * D + 4 * x.numel() * 2
warnings.simplefilter("ignore")
for profile in ("h100-pcie", "a100"):
    open("/proc/self/clear_refs", "w").write("5")  # the peak from here on
    before = of("VmRSS")
    with discern.torch.emulate(model, profile=profile, split=1):
        for _ in range(3):
            model(x)
    print((operands + of("VmHWM") - before) / operands)
"""
    returned = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20)}  # what is freed is no longer resident
    for lines in (16, 256):
        ran = subprocess.run(
            [sys.executable, "-c", code, str(ROOT / "python" / "tests"), str(lines)], capture_output=True, text=True, check=True, env=returned,
        )  # fmt: skip
        ratios = [float(line) for line in ran.stdout.split()]
        assert len(ratios) == 2 and max(ratios) <= 2, ratios
