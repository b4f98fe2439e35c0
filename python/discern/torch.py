"""torch: its matrix products as targets, and models run as another machine would run them.

    import discern, discern.torch
    discern.identify(discern.torch.matmul(K=16, dtype="bfloat16"), timeout=60)      # what does *my* matmul compute?

    with discern.torch.emulate(model, "cdna3/v_mfma_f32_16x16x16_bf16"):            # … and what would an MI300 do?
        y = model(x)
"""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError("discern.torch needs torch, which is not installed; 'pip install torch' installs it") from error

from .emulated.mode import Report
from .emulation import emulate
from .layers import Differences, LayerDifference, differences
from .torch_products import Product, addmm, linear, load, matmul, mv, scaled_mm, vectors_of_product

__all__ = [
    "Differences", "LayerDifference", "Product", "Report", "addmm", "differences", "emulate", "linear", "load", "matmul", "mv", "scaled_mm",
    "vectors_of_product",
]  # fmt: skip
