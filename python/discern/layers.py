"""Where two machines part: a model's forward on each of them, layer by layer."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Iterator

import torch

from .emulation import emulate
from .errors import ArrayError, InputError
from .profiles import NotEmulated, is_machine
from .units import unit_text


@dataclass(frozen=True)
class LayerDifference:
    """What a module, or a product in a module, gives on two machines, each with what its own layers before gave."""

    layer: str  #: the module's name in the model; "" is the model
    kind: str  #: its class; of a product that a module with parts computes itself, torch's name of the operation
    elements: int
    different: int  #: whose bits differ; two NaN are the same
    largest: float  #: of the differences, as a part of the largest magnitude of the layer
    native: dict[str, int] = field(default_factory=dict)  #: its products that were not emulated, so that 0 says nothing of them

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Differences(list[LayerDifference]):
    """One LayerDifference a layer, in the order of computation; printed as a table."""

    @property
    def first(self) -> LayerDifference | None:
        """The first that differs; None: none does."""
        return next((one for one in self if one.different), None)

    def __str__(self) -> str:
        def name(one: LayerDifference) -> str:
            is_product = one.kind[:1].islower()  # classes of torch are not
            return (one.layer or "(all)") + (f": {one.kind}" if is_product else "")

        width = max([5, *(len(name(one)) for one in self)])
        rows = [f"{'layer':{width}}  differ       of  largest"]
        for one in self:
            differ = "native" if one.native and one.different == 0 else str(one.different)
            many = ", ".join(f"{count} {product}" for product, count in one.native.items())
            rows.append(f"{name(one):{width}}  {differ:>6}  {one.elements:7}  {one.largest:.3g}" + (f"  not emulated: {many}" if many else ""))
        return "\n".join(rows)


def differences(
    model: Any, inputs: Any, first: Any, second: Any, *, split: Any = None, threads: int = 1, attention: Any = None, progress: Any = None,
) -> Differences:  # fmt: skip
    """Where two machines part: a model's forward on two of them, layer by layer.

        print(discern.torch.differences(model, x, "h100-pcie", "a100", split=1))
        discern.torch.differences(model, x, "A100/bf16", "H100/bf16").first

    inputs: a tensor, or a tuple of the arguments of forward. first, second: profiles, products or units. The rest as of emulate();
    split= is of profiles and products.
    Layers are the modules without parts, those with parts that compute products themselves, with each such product before them,
    and the model itself; each time they are computed. Of a module that returns several tensors the first is looked at.
    Both runs draw the same random numbers; statistics that the model keeps, as BatchNorm does, and torch's generator are
    afterwards what they were. A model in training mode is warned about.
    Raises ArrayError for what is no module; InputError where the two take different ways through the model.
    """
    if not isinstance(model, torch.nn.Module):
        raise ArrayError(f"{type(model).__name__} is no torch.nn.Module")
    if any(module.training and isinstance(module, _OTHERWISE) for module in model.modules()):
        said = "layers draw random numbers, or use the statistics of this batch; model.eval() is what is used later"
        warnings.warn(f"the model is in training mode: {said}", stacklevel=2)
    arguments = inputs if isinstance(inputs, tuple) else (inputs,)
    random = torch.get_rng_state()
    runs = []
    for machine in (first, second):
        torch.set_rng_state(random)
        how = {"threads": threads, "attention": attention, "progress": progress, **_machine(machine, split)}
        try:
            runs.append(_layers(model, arguments, how))
        finally:
            torch.set_rng_state(random)
    if [(one.name, one.kind, one.y.shape) for one in runs[0]] != [(one.name, one.kind, one.y.shape) for one in runs[1]]:
        raise InputError(f"under {first} and under {second} the model computes other layers, so there is nothing to compare")
    found = Differences(_difference(x, y) for x, y in zip(*runs))
    native = sum((Counter(one.native) for one in found), Counter())
    if native:
        many = ", ".join(f"{count} {name}" for name, count in native.items())
        warnings.warn(f"torch computed these products itself: {many}; rows with them say 'native' instead of 0", NotEmulated, stacklevel=2)
    return found


#: modules that compute otherwise in training mode
_OTHERWISE = (
    torch.nn.modules.dropout._DropoutNd, torch.nn.modules.batchnorm._NormBase, torch.nn.MultiheadAttention, torch.nn.RNNBase,
)  # fmt: skip


def _machine(what: Any, split: Any) -> dict[str, Any]:
    """As arguments of emulate()."""
    if is_machine(what):
        return {"profile": what, "split": split}
    return {"unit": unit_text(what)}


@dataclass
class _Layer:
    name: str
    kind: str
    y: Any
    native: Counter[str]


def _layers(model: Any, arguments: tuple[Any, ...], how: dict[str, Any]) -> list[_Layer]:
    found: list[_Layer] = []
    running: list[tuple[Any, str, Counter[str], list[str]]] = []  # modules, with their products
    with_parts = {module for module in model.modules() if any(True for _ in module.children())}

    def watch(product: str, y: Any) -> None:
        if not running:
            return
        module, name, native, emulated = running[-1]
        y = next((one for one in (y if isinstance(y, tuple) else (y,)) if isinstance(one, torch.Tensor)), None)
        if y is None:
            native[product] += 1
            return
        emulated.append(product)
        if module in with_parts:
            found.append(_Layer(name, _plainly(product), y.detach().cpu().clone(), Counter()))

    def begin(name: str) -> Any:
        return lambda module, _: running.append((module, name, Counter(), []))

    def end(name: str) -> Any:
        def hook(module: Any, _: Any, y: Any) -> None:
            _, _, native, emulated = running.pop()
            y = next(_tensors(y), None)
            if y is not None and (name == "" or module not in with_parts or native or emulated):
                found.append(_Layer(name, type(module).__name__, y.detach().cpu().clone(), native))

        return hook

    handles = []
    kept = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    try:
        for name, module in model.named_modules():
            handles += [module.register_forward_pre_hook(begin(name)), module.register_forward_hook(end(name))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotEmulated)
            unit = how.pop("unit", None)
            with emulate(model, unit, **how) as report:
                report.watch = watch
                model(*arguments)
    finally:
        for handle in handles:
            handle.remove()
        with torch.no_grad():
            for buffer, before in kept:
                if not torch.equal(buffer, before):
                    buffer.copy_(before)
    return found


def _tensors(y: Any) -> Iterator[Any]:
    """Those that a module returned, in order."""
    if isinstance(y, torch.Tensor):
        yield y
    elif isinstance(y, (tuple, list)) or hasattr(y, "values"):
        for one in y.values() if hasattr(y, "values") else y:
            yield from _tensors(one)


def _plainly(product: str) -> str:
    """torch.nn.functional's name, where torch has private ones for the forms that it takes."""
    return "scaled_dot_product_attention" if product.startswith("_scaled_dot_product") else product


def _difference(first: _Layer, second: _Layer) -> LayerDifference:
    x, y = first.y, second.y
    u, v = x.double(), y.double()
    differ = ~((u == v) & (u.signbit() == v.signbit()) | (u.isnan() & v.isnan()))
    gaps = (u - v)[differ].abs().nan_to_num(nan=float("inf"))
    most = float(u.abs().nan_to_num(nan=0.0, posinf=0.0).max()) if u.numel() else 0.0
    largest = float(gaps.max()) / (most or 1.0) if gaps.numel() else 0.0
    native = dict(first.native | second.native)
    return LayerDifference(first.name, first.kind, x.numel(), int(differ.sum()), largest, native)
