"""What the tests have in common: where the data are, and where they may be missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
#: beside the repository, where there is a checkout of them; not part of it
SHARED = ROOT.parent / "shared"

HOPPER = "hopper/wgmma.m64n8k16.f32.f16.f16"
AMPERE = "ampere/mma.m16n8k16.f32.f16.f16.f32"
BF16 = "hopper/wgmma.m64n8k16.f32.bf16.bf16"
E4M3 = "hopper/wgmma.m64n8k32.f32.e4m3.e4m3"
NVFP4 = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240611)


@pytest.fixture
def batch(rng: np.random.Generator):
    """100 vectors of a unit of f16, K = 16, with c of f32."""
    a = rng.standard_normal((100, 16)).astype(np.float16)
    b = rng.standard_normal((100, 16)).astype(np.float16)
    return a, b, rng.standard_normal(100).astype(np.float32)
