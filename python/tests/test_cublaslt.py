"""The heuristic of a loaded cuBLASLt: asked of a library that checks what it is told."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

import discern
from discern import cublaslt

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


def built(folder, version):
    to = folder / f"libfake{version}.so"
    source = Path(__file__).parent / "fake_cublaslt" / "fake.c"
    subprocess.run([COMPILER, "-shared", "-fPIC", f"-DFAKE_VERSION={version}", "-o", to, source], check=True)
    return str(to)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """The path of a fake library of version 12.8.3 on an H100 PCIe; no package with tables."""
    path = built(tmp_path, 120803)
    for name in cublaslt.LIBRARIES:
        monkeypatch.setitem(cublaslt.LIBRARIES, name, path)
    monkeypatch.setattr("discern.split_tables._folder", lambda: None)
    return path


def decided(**how):
    return discern.library_kernel(how.pop("M", 16), how.pop("N", 64), how.pop("K", 2048), **how)


def test_the_library_decides(fake):
    assert cublaslt.version() == "12.8.3" and cublaslt.gpu() == (9, 0, 114)
    found = decided()
    assert (found.split, found.source) == ((4, "contiguous"), "library") and "12.8.3 on this machine" in found.note
    assert "split=512+512+512+512" in found.kernel
    assert decided(use_fast_accum=True).split == (1, "none")
    assert decided(K=1024).split == (2, "contiguous") and decided(K=8192).split == (4, "contiguous")
    assert decided(K=8192, profile="h100-pcie-te").split == (16, "contiguous")  # which gives it more memory
    for out in ("f32", "f16", "e4m3"):
        assert decided(out_dtype=out).split == (4, "contiguous")
    assert decided(split=1).source == "split"
    assert ctypes.CDLL(fake).fake_alive() == 0  # all that was made was destroyed


def test_what_the_library_does_not_say(fake, tmp_path, monkeypatch):
    for how, said in [
        (dict(out_dtype="e5m2"), "the heuristic of the loaded library has no algorithm for it \\(status 15\\)"),
        (dict(b="e5m2"), "its algorithm has the custom option 9, of which no order of parts was measured"),
        (dict(profile="rtx4060"), "the GPU of this machine has compute capability 9.0 and 114 SMs"),
        (dict(profile="b200"), "nothing is recorded of it, and no rule of its cuBLASLt was measured"),
    ]:
        with pytest.raises(discern.InputError, match=said) as error:
            decided(**how)
        assert "split=1" in str(error.value) and "\n" not in str(error.value)
    monkeypatch.setitem(cublaslt.LIBRARIES, "cublasLt", built(tmp_path, 130001))
    with pytest.raises(discern.InputError, match="the cuBLASLt of this machine is 13.0.1, of which no rule was measured"):
        decided()
    monkeypatch.setitem(cublaslt.LIBRARIES, "cublasLt", "libcublasLt.so.nothing")
    with pytest.raises(discern.InputError, match="not installed, and libcublasLt.so.nothing is not on this machine; split=1 or split="):
        decided()


def test_the_real_library(monkeypatch):
    """On a machine with one of the GPUs and its cuBLASLt, the heuristic says what the tables recorded."""
    try:
        gpu, found = cublaslt.gpu(), cublaslt.version()
    except cublaslt.Unavailable as unavailable:
        pytest.skip(str(unavailable))
    of_gpu = [profile for profile in discern.profiles() if profile.device == gpu and profile.library.startswith(f"cuBLASLt {found}")]
    if not of_gpu:
        pytest.skip(f"no profile has this GPU, {gpu}, and cuBLASLt {found}")
    for M, N, K in ((1, 4096, 4096), (64, 1920, 4096), (4096, 4096, 4096)):
        q = discern.split_tables.Question(M, N, K, "e4m3", "e4m3", "bf16", False)
        parts, _ = discern.split_tables.by_library(of_gpu[0], q)
        assert parts >= 1
        if discern.split_tables._folder() is not None:
            kernel, source, _ = discern.split_tables.decide(of_gpu[0], q)
            assert source == "library" or kernel[0] == parts
