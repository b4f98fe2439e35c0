"""Forty small models: every product that a mode sees which only counts is emulated or listed, in all ways of running them."""

from __future__ import annotations

import copy
import warnings
from collections import Counter

import pytest

import discern

torch = pytest.importorskip("torch", reason="torch is not installed")
import discern.torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch_models import models  # noqa: E402

COARSE = "A100/f16{F=2}"
emulate = discern.torch.emulate


@pytest.fixture(autouse=True)
def same_numbers():
    torch.manual_seed(7)


class Counting(TorchDispatchMode):
    """Only counts what reaches torch's dispatcher."""

    NAMES = ("mm", "bmm", "mv", "dot", "addmm", "baddbmm", "addmv", "convolution", "_convolution", "mkldnn_rnn_layer", "_trilinear",
             "_transformer_encoder_layer_fwd")  # fmt: skip

    def __init__(self):
        super().__init__()
        self.seen = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        if name in self.NAMES or "attention" in name:
            self.seen[name] += 1
        return func(*args, **(kwargs or {}))


MODELS = models()


def ways(name, make, x):
    """The model and what is called: in eval and in training mode, by autocast, compiled, traced."""
    yield "eval", make().eval(), lambda model: model(x)
    yield "train", make().train(), lambda model: model(x)

    def cast(model):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(x)

    yield "autocast", make().eval(), cast
    if hasattr(torch, "compiler"):
        torch.compiler.reset()
        yield "compiled", make().eval(), lambda model: torch.compile(model, backend="eager")(x)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        model = make().eval()
        for parameter in model.parameters():
            parameter.requires_grad_(False)  # which a trace of the fast path of attention cannot keep
        try:
            traced = torch.jit.trace(model, x, check_trace=False)
            traced(x), traced(x)  # some traces that torch optimises within any mode of the dispatcher fail (torch 2.15)
        except RuntimeError:  # torch cannot
            return
    yield "traced", traced, lambda model: traced(x)


def test_there_are_40_models():
    assert len(MODELS) == 40


@pytest.mark.parametrize("name", MODELS)
def test_every_product_of_a_model_is_emulated_or_listed(name):
    make, x = MODELS[name]
    try:
        make()(x)
    except AttributeError as error:
        pytest.skip(f"torch {torch.__version__}: {error}")
    for way, model, call in ways(name, make, x):
        plain = Counting()
        torch.manual_seed(2)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with discern.emulated.mode.AsCalled(), plain:
                native = call(copy.deepcopy(model) if way == "train" else model)
            torch.manual_seed(2)
            with emulate(model if way != "compiled" else COARSE, None if way == "compiled" else COARSE) as report:
                y = call(model)
        done = report.emulated + report.native
        assert sum(plain.seen.values()) > 0 and all(done[product] >= count for product, count in plain.seen.items()), (way, plain.seen, report)
        assert y.shape == native.shape and y.dtype == native.dtype, way
        assert not report.native and (y != native).double().mean() > 0.3, (way, report)
