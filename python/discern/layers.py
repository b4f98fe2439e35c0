"""Where two machines part: a model's forward under two profiles, layer by layer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Callable

import torch

from .emulation import emulate
from .errors import ArrayError, InputError


@dataclass(frozen=True)
class LayerDifference:
    """What a module gives on two machines, each with what its own layers before gave."""

    layer: str  #: the module's name in the model; "" is the model
    kind: str
    elements: int
    different: int  #: whose bits differ; two NaN are the same
    largest: float  #: of the differences, as a part of the largest magnitude of the layer

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Differences(list):
    """One LayerDifference a layer, in the order of computation; printed as a table."""

    def __str__(self) -> str:
        width = max([5, *(len(one.layer or "(all)") for one in self)])
        rows = [f"{'layer':{width}}  differ       of  largest"]
        rows += [f"{one.layer or '(all)':{width}}  {one.different:6}  {one.elements:7}  {one.largest:.3g}" for one in self]
        return "\n".join(rows)


def differences(model: Any, inputs: Any, first: str, second: str, *, split: Any = None, threads: int = 1, progress: Any = None) -> Differences:
    """Where two machines part: a model's forward under two profiles, layer by layer.

        print(discern.torch.differences(model, x, "h100-pcie", "a100", split=1))

    inputs: a tensor, or a tuple of the arguments of forward. The rest as of emulate().
    Layers are the modules without children, each time they compute a tensor, and the model itself.
    Raises ArrayError for what is no module; InputError where the two take different ways through the model.
    """
    if not isinstance(model, torch.nn.Module):
        raise ArrayError(f"{type(model).__name__} is no torch.nn.Module")
    arguments = inputs if isinstance(inputs, tuple) else (inputs,)
    runs = [_layers(model, arguments, profile, split, threads, progress) for profile in (first, second)]
    if [(name, kind, y.shape) for name, kind, y in runs[0]] != [(name, kind, y.shape) for name, kind, y in runs[1]]:
        raise InputError(f"under {first} and under {second} the model computes other layers, so there is nothing to compare")
    return Differences(_difference(name, kind, x, y) for (name, kind, x), (_, _, y) in zip(*runs))


def _layers(model: Any, arguments: tuple[Any, ...], profile: str, split: Any, threads: int, progress: Any) -> list[tuple[str, str, Any]]:
    outputs: list[tuple[str, str, Any]] = []
    handles = []

    def keep(name: str) -> Callable[..., None]:
        def hook(module: Any, _: Any, y: Any) -> None:
            if isinstance(y, torch.Tensor):
                outputs.append((name, type(module).__name__, y.detach().cpu().clone()))

        return hook

    try:
        for name, module in model.named_modules():
            if name == "" or not any(True for _ in module.children()):
                handles.append(module.register_forward_hook(keep(name)))
        with emulate(model, profile=profile, split=split, threads=threads, progress=progress):
            model(*arguments)
    finally:
        for handle in handles:
            handle.remove()
    return outputs


def _difference(name: str, kind: str, x: Any, y: Any) -> LayerDifference:
    u, v = x.double(), y.double()
    differ = ~((u == v) & (u.signbit() == v.signbit()) | (u.isnan() & v.isnan()))
    gaps = (u - v)[differ].abs().nan_to_num(nan=float("inf"))
    most = float(u.abs().nan_to_num(nan=0.0, posinf=0.0).max()) if u.numel() else 0.0
    largest = float(gaps.max()) / (most or 1.0) if gaps.numel() else 0.0
    return LayerDifference(name, kind, x.numel(), int(differ.sum()), largest)
