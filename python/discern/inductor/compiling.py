"""Sources of Inductor's kernels, compiled by Triton for a target without a GPU, in each configuration that Inductor tries on one.

Which options, constants and divisible sizes a configuration has, and its grid, torch says: its own code is asked, up to the
call of triton.compile.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import json
import pathlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from unittest import mock

from ..errors import InputError

__all__ = ["Compiled", "Tuner", "modules", "versions"]

TRIED = "torch 2.8 and 2.15 were tried, with the Triton that they need"


def modules() -> tuple[Any, Any]:
    """torch's heuristics for kernels, and triton; what is missing is one sentence."""
    found = []
    for name, package in (("torch._inductor.runtime.triton_heuristics", "torch"), ("triton.compiler", "triton")):
        try:
            found.append(importlib.import_module(name))
        except ImportError as error:
            is_absent = importlib.util.find_spec(package) is None
            why = f"needs {package}, which is not installed" if is_absent else f"does not find {name} in the {package} that is installed ({error})"
            raise InputError(f"discern.inductor {why}; {TRIED}: 'pip install torch' installs both") from None
    if not hasattr(found[0], "GridExpr"):
        raise InputError(f"torch {importlib.import_module('torch').__version__} is too old for discern.inductor; {TRIED}")
    return found[0], importlib.import_module("triton")


def versions() -> str:
    """Which torch and Triton compile here."""
    modules()
    return f"torch {importlib.import_module('torch').__version__}, Triton {importlib.import_module('triton').__version__}"


@dataclass(frozen=True)
class Compiled:
    """A kernel in one configuration."""

    options: dict[str, Any]  #: XBLOCK, num_warps, …
    types: dict[str, str]  #: of each parameter that is left in the code
    grid: tuple[int, int, int]
    shared: int
    ptx: str


class _Made(BaseException):
    """What triton.compile was asked, so that torch's code after it, which loads the result, does not run. No Exception, since torch logs these."""

    def __init__(self, source: Any, target: Any, options: Mapping[str, Any]):
        super().__init__("made")
        self.source, self.target, self.options = source, target, options


class Tuner:
    """A kernel's source: the configurations that Inductor would try, and their code."""

    def __init__(self, name: str, source: str, target: str | None, folder: pathlib.Path):
        self.name, self.heuristics, self.triton = name, *modules()
        if target:
            source = re.sub(r"DeviceProperties\(.*?\)", lambda said: _of_target(said[0], target), source)
        file = folder / f"{name}.py"
        file.write_text(source)
        with self._without_a_driver(), torch_errors(name):
            spec: Any = importlib.util.spec_from_file_location(name, file)
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module  # where Triton looks for what the function names
            try:
                spec.loader.exec_module(module)
            finally:
                del sys.modules[name]
            self.made = getattr(module, name)
            self.configs = list(self.made.configs)

    def options_of(self, config: Any) -> dict[str, Any]:
        """A configuration in words."""
        return {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}

    def tuned(self, file: pathlib.Path) -> Any:
        """The configuration that a .best_config of Inductor's cache names."""
        said = json.loads(file.read_text())
        for config in self.configs:
            if all(said.get(name) == value for name, value in self.options_of(config).items()):
                return config
        known = {name: said[name] for config in self.configs[:1] for name in config.kwargs if name in said}
        return type(self.configs[0])(known, num_warps=said["num_warps"], num_stages=said["num_stages"])

    def compiled(self, config: Any, numbers: Mapping[str, int]) -> Compiled:
        """One configuration. numbers: of each parameter that is one."""
        with self._without_a_driver(), torch_errors(self.name):
            source, target, options = self._asked(config)
            compiled = self.triton.compile(source, target=target, options=options)
            x, y, z = self.heuristics.GridExpr.from_meta(self.made.inductor_meta, config).eval_slow({**numbers, **self.options_of(config)})
        constants = {source.fn.arg_names[key[0]] if isinstance(key, tuple) else key for key in source.constants}
        types = {name: kind for name, kind in source.signature.items() if name not in constants and kind != "constexpr"}
        if "ptx" not in compiled.asm:
            raise InputError(f"{self.name} is compiled for no GPU of NVIDIA's, and other targets of Inductor's kernels are not read")
        return Compiled(self.options_of(config), types, (x, y, z), int(compiled.metadata.shared), compiled.asm["ptx"])

    def _asked(self, config: Any) -> tuple[Any, Any, Any]:
        """What torch asks triton.compile for a configuration."""
        asked = self.made._precompile_config
        others = [False for one in list(inspect.signature(asked).parameters.values())[1:] if one.default is one.empty]
        with mock.patch.object(self.heuristics.triton, "compile", self._record):
            try:
                asked(config, *others)
            except _Made as made:
                return made.source, made.target, made.options
        raise InputError(f"{self.name}: torch compiles kernels of Triton otherwise than by triton.compile ({TRIED})")

    @staticmethod
    def _record(source: Any, target: Any = None, options: Any = None, **_: Any) -> Any:
        raise _Made(source, target, options or {})

    @contextlib.contextmanager
    def _without_a_driver(self) -> Iterator[None]:
        helpers = importlib.import_module("torch._inductor.runtime.triton_helpers")
        with mock.patch.object(helpers, "set_driver_to_gpu", lambda: None):
            yield


@contextlib.contextmanager
def torch_errors(name: str) -> Iterator[None]:
    """What torch or Triton raises, as one sentence about the kernel."""
    try:
        yield
    except (InputError, _Made):
        raise
    except Exception as error:  # of many kinds, by what went wrong
        lines = [line.strip() for line in str(error).partition("\n\nfrom user code")[0].splitlines() if line.strip(" ^") and not line.startswith("Set TORCH")]
        last = lines[-1] if lines else ""
        said = last if len(last) < 300 else f"{last[:120]} … {last[-170:]}"
        raise InputError(f"{name} is not compiled: {type(error).__name__}: {said} ({TRIED})") from error


def _of_target(said: str, target: str) -> str:
    """The properties of a device in a source, for another GPU."""
    if not re.fullmatch(r"sm_\d+", target):
        raise InputError(f"target {target!r}: kernels of Inductor are compiled for sm_80 to sm_120")
    cc = int(target[3:])
    return re.sub(r"\bmajor=\d+", f"major={cc // 10}", re.sub(r"\bcc=\d+", f"cc={cc}", said))
