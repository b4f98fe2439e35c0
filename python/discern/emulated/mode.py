"""What sees every product of torch, however it was called: a mode of the dispatcher, in the threads of a model too."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
from collections import Counter
from types import FrameType
from typing import Any, Callable, Iterator

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import products


class Report:
    """What was computed within an emulation: `emulated` and `native` are counts by names of torch's operations.

    native has the products that torch computed itself, as far as their names say that they are products. Those of gradients
    have "backward" behind their name, where the emulation is of a model alone.
    """

    def __init__(self) -> None:
        self.emulated: Counter[str] = Counter()
        self.native: Counter[str] = Counter()
        self.watch: Callable[[str, Any], None] | None = None  #: is told each name and the result; None as the result of what is native
        self._lock = threading.Lock()

    def count(self, where: Counter[str], name: str, result: Any = None) -> None:
        with self._lock:
            where[name] += 1
        if self.watch is not None:
            self.watch(name, result)

    def to_dict(self) -> dict[str, dict[str, int]]:
        return {"emulated": dict(self.emulated), "native": dict(self.native)}

    def __repr__(self) -> str:
        return f"Report(emulated={dict(self.emulated)}, native={dict(self.native)})"


class Mode(TorchDispatchMode):
    """Every product of matrices by what computes; everything else as it is."""

    supports_higher_order_operators = True

    def __init__(self, by: Any, model: Any, attention: Any, report: Report, is_open: Callable[[], bool], inside: bool = False) -> None:
        super().__init__()
        self.by, self.model, self.attention, self.report, self.is_open = by, model, attention, report, is_open
        self.inside = inside or model is None  # whatever is called
        self.within = 0  # operations that are written out in others

    def again(self) -> Mode:
        """For a thread that is started now."""
        return Mode(self.by, self.model, self.attention, self.report, self.is_open, self.inside or runs(self.model))

    def __enter__(self) -> Mode:
        self.within += 1
        return super().__enter__()

    def __exit__(self, *what: Any) -> Any:
        self.within -= 1
        return super().__exit__(*what)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        product, is_product, is_composite = _kind(func)
        if not (is_product or is_composite) or not self.is_open() or not _is_real(args):
            return func(*args, **kwargs)
        if any(t not in (torch.Tensor, torch.nn.Parameter) for t in types):
            return NotImplemented  # the tensors' own class says what it is made of
        backward = is_product and not self.inside and _is_backward()
        if self.within < 2 and not self.inside and not backward and not runs(self.model):
            return func(*args, **kwargs)
        if is_composite:
            with self:  # torch's own kernel: what is written in Python beside some takes other products
                return func._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, *args, **kwargs)
        y = NotImplemented if product is None or backward else products.computed(product, self, func, args, kwargs)
        name = products.name_of(func)
        if y is NotImplemented:
            self.report.count(self.report.native, f"{name} backward" if backward else name)
            return func(*args, **kwargs)
        self.report.count(self.report.emulated, name, y)
        return y


class AsCalled(TorchFunctionMode):
    """Changes nothing. Where it is on, torch does not take the fast paths of attention, whose nested tensors hide products."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@functools.lru_cache(maxsize=None)
def _kind(func: Any) -> tuple[Any, bool, bool]:
    """Of an operation: how it is emulated, whether it is a product, and whether it is only made of others."""
    product = products.product_of(func)
    is_composite = False
    if product is None and isinstance(func, torch._ops.OpOverload):
        is_composite = torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")
    return product, product is not None or (not is_composite and products.is_product(func)), is_composite


def _is_real(args: Any) -> bool:
    """Whether there is something to compute with: compilers call operations with tensors that have no elements."""
    return not any(isinstance(x, torch.Tensor) and x.device.type == "meta" for x in args)


def _is_backward() -> bool:
    return getattr(torch._C, "_current_graph_task_id", lambda: -1)() != -1  # which torch 1 does not have


_CALLS = {getattr(torch.nn.Module, name).__code__ for name in ("_call_impl", "_wrapped_call_impl") if hasattr(torch.nn.Module, name)}


def runs(model: Any) -> bool:
    """Whether this thread is in the forward of the model. It is read off the stack, so that nothing is attached to the model."""
    forward = getattr(inspect.getattr_static(type(model), "forward", None), "__code__", None)
    place = None if forward is None else (forward.co_filename, forward.co_firstlineno)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code, caller = frame.f_code, frame.f_back
        if code in _CALLS:
            if frame.f_locals.get("self") is model:
                return True
        elif (code.co_filename, code.co_firstlineno) == place and code.co_argcount and (caller is None or caller.f_code not in _CALLS):
            if frame.f_locals.get(code.co_varnames[0]) is model:  # forward itself was called
                return True
        frame = caller
    return False


class _Threads:
    """Threads that are started within an emulation go on with it: while one is open, Thread.start is ours."""

    def __init__(self) -> None:
        self.lock, self.open, self.start = threading.Lock(), 0, threading.Thread.start

    @contextlib.contextmanager
    def follow(self) -> Iterator[None]:
        with self.lock:
            self.open += 1
            if self.open == 1:
                self.start = threading.Thread.start
                threading.Thread.start = _start  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            with self.lock:
                self.open -= 1
                if self.open == 0 and threading.Thread.start is _start:
                    threading.Thread.start = self.start  # type: ignore[method-assign]


_THREADS = _Threads()


def _start(thread: threading.Thread) -> None:
    modes = [mode.again() for mode in torch.utils._python_dispatch._get_current_dispatch_mode_stack() if isinstance(mode, Mode)]
    if modes:
        thread.run = functools.partial(_run, thread.run, modes)  # type: ignore[method-assign]
    _THREADS.start(thread)


def _run(run: Callable[[], None], modes: list[Mode]) -> None:
    with contextlib.ExitStack() as stack:
        stack.enter_context(AsCalled())
        for mode in modes:
            stack.enter_context(mode)
        run()


@contextlib.contextmanager
def emulating(by: Any, model: Any, attention: Any) -> Iterator[Report]:
    """Within it, products are computed by `by`; of a model, those of its forward."""
    is_open = [True]
    report = Report()
    try:
        with _THREADS.follow(), AsCalled(), Mode(by, model, attention, report, lambda: is_open[0]):
            yield report
    finally:
        is_open[0] = False
