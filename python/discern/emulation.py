"""Models run as another machine would run them: every product of matrices by a unit, or as a GPU's library has it."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any, Iterator

import torch

from .emulated.arithmetic import ByProfile, ByUnit, dtype_of
from .emulated.attention import form_of
from .emulated.mode import Report, emulating
from .errors import ArrayError, InputError
from .profiles import NotEmulated
from .units import Unit


@contextlib.contextmanager
def emulate(
    model: Any = None, unit: Any = None, *, profile: Any = None, split: Any = None, threads: int = 1, attention: Any = None,
    gradients: bool = False, progress: Any = None,
) -> Iterator[Report]:  # fmt: skip
    """Within it, matrix products are computed as the unit would compute them, whatever calls them.

        with discern.torch.emulate(model, unit): y = model(x)      only what the model's forward does
        with discern.torch.emulate(unit): …                        everything
        with discern.torch.emulate(model, profile="h100-pcie"): …  each product as that GPU's library computes it

    A product is what reaches torch's dispatcher as mm, bmm, mv, dot, addmm, baddbmm, addmv, addbmm, convolution, a fused form
    of scaled_dot_product_attention, _scaled_mm, an LSTM's layer, nn.Bilinear or the fast path of nn.MultiheadAttention: called by a
    layer, an einsum, a trace, under torch.autocast, in place, or in a thread that is started within. `as report` has what was
    emulated and what was not (`report.emulated`, `report.native`, counts by name); where something was not, one warning
    (NotEmulated) says so at the end.

    With a profile ("h100-pcie", "rtx4060", "b200", "a100") or a product ("A100", "MI300X"), the element type of a product says which
    instruction computes it, f32 by tf32 where torch's settings allow that, and torch._scaled_mm is routed too, with split= as
    discern.scaled_mm has it. Products of f16, bf16 and f32 go over k in one chain, which is what the library does with most
    shapes and not with all: a warning says so, and split=1 takes it for granted.

    Operands are rounded to the unit's formats (to nearest, by torch), the chain starts from +0, and alpha times the sum is
    rounded to the operands' element type; beta times what is added, a bias too, is added after that, as an addition of torch. With
    a profile it is added before, in f32. alpha = 0 and beta = 0 leave out what they multiply, as torch has it.
    attention: of fused forms: "flash", in blocks of keys as FlashAttention 2 has them; a number, the keys of a block; "math", by
    two products and torch's softmax.
    gradients: whether they are kept; without it this is torch.no_grad(), in which torch.enable_grad() has the same effect. Those of
    an emulated product are torch's formulas; their products are emulated too, but for those of one model, which are listed as native.
    A weight of nn.Linear stays packed from its second product with few rows on. It is packed again when an operation of torch changes
    it; a change through .data or numpy is not seen.
    progress: of each product that takes long: True, False, or a callable; see discern.progress. An exception, Ctrl-C
    among them, leaves torch and the model as they were.
    Raises InputError if torch has no elements of the unit's formats, or the unit has scales.
    """
    if profile is None and unit is None:
        model, unit = None, model
    by = computing(unit, profile, split, threads, progress)
    if model is not None and not isinstance(model, torch.nn.Module):
        raise ArrayError(f"{type(model).__name__} is no torch.nn.Module")
    form = None if attention is None else form_of(attention)
    with contextlib.nullcontext() if gradients else torch.no_grad(), emulating(by, model, form) as report:
        yield report
    if report.native:
        many = ", ".join(f"{count} {name}" for name, count in report.native.items())
        warnings.warn(f"torch computed these products itself: {many}", NotEmulated, stacklevel=3)


def computing(unit: Any, profile: Any, split: Any, threads: int, progress: Any) -> ByUnit:
    """What computes: by a unit, or by a profile."""
    if profile is not None:
        if unit is not None:
            raise InputError("a unit and a profile were given, and one of them computes")
        return ByProfile(profile, split, threads, progress)
    if split is not None:
        raise InputError("split= says how a profile's library divides k, and there is no profile")
    u = unit if isinstance(unit, Unit) else Unit(unit)
    if u.shape.scale:
        raise InputError(f"{u.text} has scales, of which a model says nothing; a unit without can be emulated")
    for name in (u.shape.a, u.shape.b, u.shape.d):
        dtype_of(name)
    return ByUnit(u, threads, progress)
