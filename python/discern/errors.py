"""What can go wrong. Every exception of the package derives from `Error`, and says in one sentence what was wrong,
where, and what would be right."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """All errors of this package."""


class InputError(Error, ValueError):
    """A value that cannot be: a unit that there is not, a key, a line of a file, an array of the wrong shape."""


class ArrayError(Error, TypeError):
    """Something of the wrong type: an array whose elements are no numbers of the format, or what is no array at all."""


class ShapeError(InputError, RuntimeError):
    """Tensors of shapes that do not fit each other: RuntimeError is what torch raises for them."""


class CallableError(Error, ValueError):
    """A callable that raised, or returned what cannot be the results. `__cause__` is what it raised."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a long call. `result` is what was known then."""

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted; .result is what is known")
        self.result = result
