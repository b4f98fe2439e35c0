"""The wheel, in an environment that has nothing but it and numpy: no sources, no compiler on the path."""

from __future__ import annotations

import subprocess
import sys
import venv

import pytest

from conftest import ROOT

#: The first lines of docs/python.md.
def example() -> str:
    lines = (ROOT / "docs" / "python.md").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("    import numpy"))
    last = next(i for i in range(first, len(lines)) if lines[i] and not lines[i].startswith("    "))
    return "\n".join(line[4:] for line in lines[first:last])


def run(*words, **options):
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-4000:]
    return ended.stdout


def test_the_example_runs():
    said = run(sys.executable, "-c", example())
    assert "of 1000 differ on an A100" in said and "\ndifferent\n" in said
    assert said.count("hopper/wgmma.m64n8k16.f32.f16.f16") == 2


@pytest.mark.slow
def test_the_wheel_runs_without_the_sources(tmp_path):
    """That of script/wheels, for this interpreter."""
    if subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", tmp_path, "scikit-build-core>=0.10"],
                      capture_output=True).returncode != 0:  # fmt: skip
        pytest.skip("no package index can be reached")
    run(ROOT / "script" / "wheels", "--no-page", "--python", sys.executable, tmp_path / "dist", timeout=5400)
    (wheel,) = (tmp_path / "dist").glob("discern_mma-*manylinux*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", wheel)
    said = run(python, "-I", "-c", example(), cwd=tmp_path, env={"PATH": str(python.parent)})
    assert "of 1000 differ on an A100" in said
    checked = "import discern; v = 'volta/mma.m8n8k4.f32.f16.f16.f32'; print(discern.prove(v, v, checked=True).ground)"
    assert run(python, "-I", "-c", checked, cwd=tmp_path, env={"PATH": str(python.parent)}) == "certificate\n"
    files = run(python, "-m", "pip", "show", "-f", "discern-mma")
    assert "discern/_core.pyi" in files and "discern/py.typed" in files and "cli/" not in files
