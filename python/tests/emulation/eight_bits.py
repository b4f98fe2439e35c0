"""Tensors of fp8 for tests, where torch has them."""

import numpy as np
import pytest
import torch

needs_fp8 = pytest.mark.skipif(not hasattr(torch, "float8_e4m3fn"), reason=f"torch {torch.__version__} has no float8")


def fp8(rng, *shape, dtype="float8_e4m3fn"):
    codes = rng.integers(0, 0x70, shape, np.uint8) | rng.integers(0, 2, shape, np.uint8) << 7
    return torch.from_numpy(codes).view(getattr(torch, dtype)), codes
