"""How far a long call has come: a bar of tqdm where that is installed, else a line that is written over.

By itself (progress=None) a call shows it only where somebody looks: standard error is a terminal, or this is a notebook;
and only if the call takes longer than a second. When the call ends nothing of it is left.
"""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import sys
import time
from typing import Any, Callable, Iterator, Optional

from .errors import ArrayError

SILENT = 1.0  #: seconds at the beginning of a call, in which nothing is shown

#: What the extension calls, at most ten times a second: with what is being done, and how far it is.
Report = Optional[Callable[[str, Any], object]]


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _somebody_looks() -> bool:
    try:
        return sys.stderr.isatty() or _in_notebook()
    except (AttributeError, ValueError):  # there is no standard error, or it is closed
        return False


class _Line:
    """Text that is written over itself; 32 % where there is a total."""

    def __init__(self, total: Any) -> None:
        self.total, self.width = total, 0

    def show(self, text: str, done: Any) -> None:
        if self.total is not None:
            text += f": {100 * min(1, done / max(1, self.total)):.0f} %"
        text = text[: shutil.get_terminal_size().columns - 1]
        self._write(text)

    def close(self) -> None:
        self._write("")
        sys.stderr.write("\r")
        sys.stderr.flush()

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)


class _Bar:
    """A bar of tqdm."""

    def __init__(self, tqdm: Any, total: Any, started: float) -> None:
        fields = "{desc}: {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}]" if total is not None else "{desc} [{elapsed}]"
        self.bar = tqdm(total=total, leave=False, bar_format=fields)
        self.bar.start_t = started

    def show(self, text: str, done: Any) -> None:
        self.bar.set_description_str(text, refresh=False)
        self.bar.n = done
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


def _tqdm() -> Any:
    try:
        if _in_notebook() and importlib.util.find_spec("ipywidgets") is not None:
            from tqdm.notebook import tqdm
        else:
            from tqdm import tqdm
    except ImportError:
        return None
    return tqdm


class _Display:
    """What the extension calls."""

    def __init__(self, name: str, total: Any) -> None:
        self.name, self.total, self.started = name, total, time.time()
        self.on: _Line | _Bar | None = None

    def __call__(self, stage: str, done: Any) -> None:
        if self.on is None:
            if time.time() - self.started < SILENT:
                return
            tqdm = _tqdm()
            self.on = _Line(self.total) if tqdm is None else _Bar(tqdm, self.total, self.started)
        self.on.show(_text(self.name, stage, done, self.total), done)

    def close(self) -> None:
        if self.on is not None:
            self.on.close()


def _text(name: str, stage: str, done: Any, total: Any) -> str:
    """The command, how many vectors it has asked where the number to come is not known, and what it does."""
    if total is not None:
        return name
    asked = [f"{done} vectors asked"] if done else []
    stage = stage.removesuffix(" …")
    return ": ".join([name, "; ".join(asked + [stage] if stage else asked)]).removesuffix(": ")


@contextlib.contextmanager
def showing(name: str, wanted: Any, total: Any = None) -> Iterator[Report]:
    """What the extension is to call during a long call; None: nothing.

    wanted: the argument `progress` of the call. None: by itself; True, False: always, never; a callable: is called
    with a text, how far it is, and how far it will go (None where that is not known), and nothing is shown.
    total: of what the extension tells; None where that is not known.
    Raises ArrayError for any other `wanted`.
    """
    if wanted is not None and not isinstance(wanted, bool):
        if not callable(wanted):
            raise ArrayError(f"progress={wanted!r} is neither True, False nor a callable")
        yield lambda stage, done: wanted(_text(name, stage, 0, total), done, total)
        return
    if wanted is False or (wanted is None and not _somebody_looks()):
        yield None
        return
    display = _Display(name, total)
    try:
        yield display
    finally:
        display.close()
