"""Where two machines part: the first layer of small models, as docs/python.md shows it, and what is not said to be 0."""

from __future__ import annotations

import copy
import re
import warnings

import pytest

import discern
from conftest import ROOT

torch = pytest.importorskip("torch", reason="torch is not installed")
import discern.torch  # noqa: E402

if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
    pytest.skip(f"torch {torch.__version__} has no scaled_dot_product_attention", allow_module_level=True)
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch_models import GPT, First, models  # noqa: E402

differences = discern.torch.differences
CALM = {"split": 1, "attention": "flash"}


@pytest.fixture(autouse=True)
def same_numbers():
    torch.manual_seed(7)


class Cast(nn.Module):
    """A model under autocast to bf16."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.model(*inputs)


def wide():
    """Models whose sums are long enough for two GPUs to part, with inputs."""
    encoder = nn.TransformerEncoderLayer(256, 4, 512, batch_first=True)
    cnn = nn.Sequential(nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.Flatten(), nn.Linear(32 * 64, 10))
    return {
        "mlp": (nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512)), torch.randn(64, 512)),
        "encoder": (encoder, torch.randn(4, 32, 256)),
        "gpt": (GPT(100, 256, 4, 1), torch.randint(0, 100, (4, 40))),
        "cnn": (cnn, torch.randn(4, 16, 12, 12)),
        "lstm": (First(nn.LSTM(512, 512, batch_first=True)), torch.randn(16, 24, 512)),
    }


@pytest.mark.parametrize("name", ["mlp", "encoder", "gpt", "cnn", "lstm"])
def test_the_first_layer_that_parts_is_the_same_by_autocast_and_by_dtype(name):
    model, x = wide()[name]
    model = model.eval()
    x = x.bfloat16() if x.is_floating_point() else x
    by_dtype = differences(copy.deepcopy(model).bfloat16(), x, "A100", "H100", **CALM)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.bfloat16())
    by_autocast = differences(Cast(model), x, "A100", "H100", **CALM)
    one, other = by_dtype.first, by_autocast.first
    assert one is not None and other is not None and other.layer.removeprefix("model.") == one.layer
    assert other.elements == one.elements
    if name != "gpt":  # whose norm before it autocast computes in f32
        assert other.different == one.different


@pytest.mark.parametrize("name", models())
def test_a_machine_does_not_part_from_itself_and_others_do(name):
    make, x = models()[name]
    for model in (make().eval(), make().train()):
        state = {key: value.clone() for key, value in model.state_dict().items()}
        random = torch.get_rng_state()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alike = differences(model, x, "A100/f16", "A100/f16")
            apart = differences(model, x, "A100/f16{F=2}", "A100/f16{F=4}")
        assert all(one.different == 0 and not one.native for one in alike) and alike.first is None
        assert apart.first is not None and apart[-1].layer == "" and apart[-1].different > 0
        assert all(torch.equal(value, state[key]) for key, value in model.state_dict().items())
        assert torch.equal(random, torch.get_rng_state())
        assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_products_of_modules_with_parts_have_rows():
    mha = nn.MultiheadAttention(64, 4, batch_first=True).eval()
    found = differences(First(mha, 3, need_weights=False), torch.randn(2, 8, 64), "A100/f16{F=2}", "A100/f16")
    assert [(one.layer, one.kind) for one in found] == [
        ("module", "mm"), ("module", "scaled_dot_product_attention"), ("module", "addmm"), ("module", "MultiheadAttention"), ("", "First"),
    ]  # fmt: skip
    assert all(one.different > 0 for one in found)


def test_what_ran_natively_is_never_0():
    class Solves(nn.Module):
        def forward(self, x):
            return torch.linalg.solve(torch.eye(x.shape[1]), x.t())

    model = nn.Sequential(Solves(), nn.Flatten())
    with pytest.warns(discern.NotEmulated, match="2 _linalg_solve_ex|1 _linalg_solve_ex"):
        found = differences(model, torch.randn(4, 4), "A100/f16", "H100/f16")
    assert found[0].native == {"_linalg_solve_ex": 1} and found[0].different == 0
    assert re.search(r"^0 +native +16  0  not emulated: 1 _linalg_solve_ex$", str(found), re.M)


def test_training_mode_is_said_and_machines_are_checked():
    model = nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.5))
    with pytest.warns(UserWarning, match="the model is in training mode"):
        assert differences(model, torch.randn(4, 16), "h100-pcie", "h100-pcie", split=1).first is None
    x = torch.randn(4, 16)
    for machines, said in [(("A100", "H1000"), "H1000"), (("A100", 3), "3 is no unit")]:
        with pytest.raises(discern.Error, match=said):
            differences(model.eval(), x, *machines, split=1)


def test_the_page_shows_where_a_transformer_parts():
    """docs/python.md has the program and what it prints."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    found = re.search(r"### Where two GPUs part\n.*?\n\n((?:    [^\n]*\n|\n)+)\nprints\n\n((?:    [^\n]*\n)+)", text, re.S)
    assert found
    program = re.sub(r"^    ", "", found[1], flags=re.M)
    printed = []
    exec(compile(program, "docs/python.md", "exec"), {"print": lambda *what: printed.append(" ".join(map(str, what)))})
    assert "\n".join(printed) + "\n" == re.sub(r"^    ", "", found[2], flags=re.M)
