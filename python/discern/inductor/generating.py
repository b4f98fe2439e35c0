"""The code that Inductor generates for a model on a GPU, where there is none.

The model and its inputs become fake tensors of a GPU, which have shapes and no numbers; torch.compile traces them as ever, and its
backend here lets Inductor generate the code of each graph and stops where that code would be loaded. What Inductor asks of the
driver on its way, the properties of the GPU, is answered from a table.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import pathlib
import re
import types
import warnings
from collections.abc import Iterator, Sequence
from typing import Any
from unittest import mock

from ..errors import ArrayError, InputError
from .compiling import TRIED, modules, torch_errors

__all__ = ["generated"]

# By target: multiprocessors, threads of one, and KiB of shared memory of one and of a block, of the usual GPU (NVIDIA's CUDA C++ Programming Guide,
# "Technical Specifications per Compute Capability", and what is published of A100, RTX 4090, H100, B200 and RTX 5090).
_GPUS = {"sm_80": (108, 2048, 164, 163), "sm_86": (84, 1536, 100, 99), "sm_89": (128, 1536, 100, 99), "sm_90": (132, 2048, 228, 227),
         "sm_100": (148, 2048, 228, 227), "sm_120": (170, 1536, 100, 99)}  # fmt: skip


class _Generated(BaseException):
    """The code of a graph. No Exception, since torch would wrap it."""


def generated(model: Any, inputs: Sequence[Any], target: str, folder: pathlib.Path) -> None:
    """Writes the generated code of each graph of model(*inputs) to a file of a folder."""
    if target not in _GPUS:
        raise ArrayError(f"target {target!r}: Inductor generates code here for {', '.join(_GPUS)}")
    modules()
    torch = importlib.import_module("torch")
    found: list[str] = []
    with torch_errors("the model"), _gpu(torch, target), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mode = importlib.import_module("torch._subclasses.fake_tensor").FakeTensorMode(allow_non_fake_inputs=True)
        torch._dynamo.reset()
        on_gpu = _moved(torch, model, mode)
        tree = importlib.import_module("torch.utils._pytree")
        given = tree.tree_map_only(torch.Tensor, lambda one: _fake(torch, one, mode), (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs))
        with torch.no_grad(), mode:
            torch.compile(on_gpu, backend=_backend(torch, found))(*given)
    if not found:
        raise InputError("torch.compile found no graph in the model: nothing of it computes with tensors")
    for number, text in enumerate(found):
        (folder / f"graph-{number}.py").write_text(re.sub(r"(# kernel path: )\S*/(\w+)\.py", r"\1\2", text))


def _backend(torch: Any, found: list[str]) -> Any:
    compile_fx = importlib.import_module("torch._inductor.compile_fx")
    lowering = importlib.import_module("torch._inductor.graph").GraphLowering

    def stopped(graph: Any) -> None:
        code = graph.codegen()[0]
        found.append(getattr(code, "value", code))
        raise _Generated

    def inner(graph: Any, inputs: Any, **options: Any) -> Any:
        with mock.patch.object(lowering, "compile_to_module", stopped):
            try:
                compile_fx.compile_fx_inner(graph, inputs, **options)
            except _Generated:
                pass

        def run(arguments: Any) -> Any:  # on fake tensors, so that what comes after the graph is traced too
            given = list(arguments)
            arguments.clear()
            return graph(*given)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    def compiled(graph: Any, inputs: Any) -> Any:
        # Some releases trace copies, of a mode of their own.
        context = importlib.import_module("torch._guards").TracingContext.try_get()
        mode = context and context.fake_mode
        own = [_fake(torch, one, mode) if mode and isinstance(one, torch.Tensor) and getattr(one, "fake_mode", mode) is not mode else one for one in inputs]
        return compile_fx.compile_fx(graph, own, inner_compile=inner)

    return compiled


def _fake(torch: Any, tensor: Any, mode: Any) -> Any:
    with mode:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cuda")


def _moved(torch: Any, model: Any, mode: Any) -> Any:
    """A copy of the model whose tensors are fake ones of a GPU."""
    if not isinstance(model, torch.nn.Module):
        return model
    moved: dict[int, Any] = {}

    def of(tensor: Any) -> Any:
        if id(tensor) not in moved:
            fake = _fake(torch, tensor.detach(), mode)
            moved[id(tensor)] = torch.nn.Parameter(fake, requires_grad=False) if isinstance(tensor, torch.nn.Parameter) else fake
        return moved[id(tensor)]

    memo = {id(one): of(one) for one in [*model.parameters(), *model.buffers()]}
    return copy.deepcopy(model, memo)


@contextlib.contextmanager
def _gpu(torch: Any, target: str) -> Iterator[None]:
    """What torch asks of a GPU's driver, answered for the target."""
    try:
        interface = importlib.import_module("torch._dynamo.device_interface")
        folding = importlib.import_module("torch._inductor.fx_passes.joint_graph").UniformValueConstantFolder
        scheduler = importlib.import_module("torch._inductor.scheduler")
        config = importlib.import_module("torch._inductor.config")
        hints = importlib.import_module("torch._inductor.runtime.hints")
        driver = importlib.import_module("triton.runtime.driver").driver
        gpu_target = importlib.import_module("triton.backends.compiler").GPUTarget
        cuda = interface.CudaInterface
    except (ImportError, AttributeError) as error:
        raise InputError(f"torch {torch.__version__} generates code otherwise ({error}); {TRIED}, and kernels(FOLDER) reads what it keeps") from None
    number = int(target[3:])
    multiprocessors, threads, shared, of_block = _GPUS[target]
    gpu = types.SimpleNamespace(
        name=target, major=number // 10, minor=number % 10, multi_processor_count=multiprocessors, regs_per_multiprocessor=65536,
        max_threads_per_multi_processor=threads, max_threads_per_block=1024, warp_size=32, total_memory=80 << 30, L2_cache_size=50 << 20, gcnArchName="",
        shared_memory_per_block=48 << 10, shared_memory_per_block_optin=of_block << 10, shared_memory_per_multiprocessor=shared << 10,
    )  # fmt: skip
    answers = {
        "get_device_properties": lambda *_, **__: gpu, "get_device_capability": lambda *_, **__: (gpu.major, gpu.minor), "device_count": lambda: 1,
        "current_device": lambda: 0, "get_device_name": lambda *_: target, "is_bf16_supported": lambda *_, **__: True,
    }  # fmt: skip
    hints.DeviceProperties.create.cache_clear()
    with contextlib.ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, answer))
            if hasattr(cuda, name):
                stack.enter_context(mock.patch.object(cuda, name, staticmethod(answer)))
        stack.enter_context(mock.patch.dict(interface.caching_worker_device_properties, {"cuda": [gpu]}))
        stack.enter_context(mock.patch.object(scheduler, "has_triton", lambda *_: True))
        active = types.SimpleNamespace(get_current_target=lambda: gpu_target("cuda", number, 32))
        stack.enter_context(mock.patch.object(driver, "_active" if hasattr(driver, "_active") else "active", active))
        stack.enter_context(mock.patch.object(torch.nn.functional, "scaled_dot_product_attention", _attention(torch)))
        stack.enter_context(mock.patch.object(folding, "run", _on_cpu(folding.run)))
        stack.enter_context(config.patch(force_disable_caches=True, compile_threads=1))
        try:
            yield
        finally:
            hints.DeviceProperties.create.cache_clear()


def _attention(torch: Any) -> Any:
    """torch's attention with the kernel that it takes on a GPU by default, which it asks the driver about: FlashAttention for f16 and
    bf16 without a mask, else the memory-efficient one."""
    aten = torch.ops.aten
    narrow = (torch.float16, torch.bfloat16)

    def scaled_dot_product_attention(
        query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False
    ) -> Any:
        if enable_gqa:
            key, value = (one.repeat_interleave(query.size(-3) // one.size(-3), -3) for one in (key, value))
        if attn_mask is None and query.dtype in narrow:
            return aten._scaled_dot_product_flash_attention.default(query, key, value, dropout_p, is_causal, False, scale=scale)[0]
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.where(attn_mask, 0.0, float("-inf")).to(query.dtype)
            attn_mask = attn_mask.expand(*query.shape[:-1], key.size(-2))
        return aten._scaled_dot_product_efficient_attention.default(query, key, value, attn_mask, False, dropout_p, is_causal, scale=scale)[0]

    return scaled_dot_product_attention


def _on_cpu(run: Any) -> Any:
    """Constants of the graph are folded by computing them: on the processor, where there is no GPU."""
    torch = importlib.import_module("torch")
    mode = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode

    class OnCpu(mode):  # type: ignore[misc, valid-type]
        def __torch_dispatch__(self, function: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
            named = {key: torch.device("cpu") if re.match("cuda", str(value)) else value for key, value in (kwargs or {}).items()}
            return function(*args, **named)

    def folded(*args: Any, **kwargs: Any) -> Any:
        with OnCpu():
            return run(*args, **kwargs)

    return folded
