"""Inductor: every kernel of a model that torch.compile compiles, with what it computes, without a GPU.

    import discern.inductor
    print(discern.inductor.kernels(model, (x,)))                  # compiled here, for a GPU that need not be there
    print(discern.inductor.kernels("torch_compile_debug/run_…"))  # or the code that Inductor has kept in a folder

Inductor writes a graph as Python: kernels of Triton, and calls of libraries' kernels between them. A kernel of Triton is
compiled in each configuration that Inductor would try on the GPU, is read (docs/kernel-files.md), and has its classes: which
of these give the same bits, so whether the bits hang on what was fastest on that day. Kernels of libraries, as aten.addmm, have
no code there: they are listed as native.
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

from ..errors import ArrayError
from .listing import Kernel, Kernels, listed

__all__ = ["Kernel", "Kernels", "kernels"]


def kernels(model: Any, inputs: Sequence[Any] | None = None, *, target: str | None = None) -> Kernels:
    """Every kernel of a model that Inductor compiles, in the order in which they are called.

    model: a torch.nn.Module or a function of tensors, with its `inputs`, of which only shapes, strides and formats matter; or a file
    or folder of code that Inductor has generated: output_code.py, a folder of TORCH_COMPILE_DEBUG=1, or TORCHINDUCTOR_CACHE_DIR.
    target: "sm_80" … "sm_120"; without it "sm_90" for a model, and for a folder the GPU that it was generated for.

    The Python of a folder is run, as Inductor runs it. Raises InputError where torch or Triton is missing or does not fit, and for
    what is no such folder; of a kernel that is not read `refused` says why.
    """
    if isinstance(model, (str, os.PathLike)):
        if inputs is not None:
            raise ArrayError("a folder of generated code has no inputs: kernels(FOLDER, target='sm_90')")
        return listed(pathlib.Path(model), target)
    if not callable(model) or inputs is None:
        raise ArrayError("kernels(model, inputs) needs a model of torch and the tensors it is called with, or a file or folder of generated code")
    from .generating import generated  # noqa: PLC0415, which needs torch

    with tempfile.TemporaryDirectory() as place:
        generated(model, inputs, target or "sm_90", pathlib.Path(place))
        return listed(pathlib.Path(place), target or "sm_90")
