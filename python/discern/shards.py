"""A suite in shards, each computed by whatever an executor has: processes, machines of a cluster.

An executor is anything with `submit(function, *arguments)` whose answer has `result()`: those of `concurrent.futures`,
`mpi4py.futures.MPIPoolExecutor`, the `Client` of dask.distributed. A shard is one function of texts and numbers that
gives the bytes of its store, so workers share no file with each other or with the caller; they need this package.
"""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import BrokenExecutor
from typing import Any

from .errors import Error, InputError
from .running import run

#: How often a shard is tried elsewhere before its error is raised.
ATTEMPTS = 3


def settle(index: int, count: int, attempt: int, words: list[str], space: str | None, options: dict[str, Any]) -> bytes:
    """The store of one shard. This runs at a worker.

    space: the text of a file of spaces, or None. attempt: only makes calls differ, since dask takes equal ones for one.
    """
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        if space is not None:
            path = os.path.join(folder, "space")
            with open(path, "w", encoding="utf-8") as file:
                file.write(space)
            options = {**options, "space": "@" + path}
        run("suite", *words, json=True, shard=f"{index}/{count}", store=store, **options)
        with open(store, "rb") as file:
            return file.read()


def settle_all(executor: Any, shards: int, folder: str, words: list[str], options: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The files of the stores of all shards, and what has to be said of lost workers.

    A shard whose worker is lost is submitted again. If the executor takes no more work after that, as a pool of processes
    does, what is left is computed here.
    """
    if not callable(getattr(executor, "submit", None)):
        raise InputError(f"{type(executor).__name__} is no executor; something with submit(function, *arguments) is needed")
    if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
        raise InputError(f"shards={shards!r} is no number of parts; 1 or more is right")
    space = options.get("space")
    text = None
    if isinstance(space, str) and space.startswith("@"):
        try:
            with open(space[1:], encoding="utf-8") as file:
                text = file.read()
        except OSError as why:
            raise InputError(f"space={space!r}: {why.strerror}") from None
        options = {**options, "space": None}

    def arguments(index: int, attempt: int) -> tuple[Any, ...]:
        return index, shards, attempt, words, text, options

    files: list[str] = []
    notes: list[str] = []

    def keep(index: int, store: bytes) -> None:
        files.append(os.path.join(folder, f"store.{index}"))
        with open(files[-1], "wb") as file:
            file.write(store)

    waiting = list(range(1, shards + 1))
    for attempt in range(ATTEMPTS):
        futures: list[tuple[int, Any]] = []
        lost: list[tuple[int, BaseException]] = []
        for index in waiting:
            try:
                futures.append((index, executor.submit(settle, *arguments(index, attempt))))
            except (BrokenExecutor, RuntimeError) as why:
                lost.append((index, why))
        broken = not futures
        try:
            for index, future in futures:
                try:
                    keep(index, future.result())
                except Error:
                    raise  # the call is wrong, and would be at any worker
                except Exception as why:  # whatever an executor makes of a lost worker
                    lost.append((index, why))
        except BaseException:
            for _, future in futures:
                future.cancel()
            raise
        if not lost:
            return files, notes
        waiting = [index for index, _ in lost]
        if broken:
            notes.append(f"the executor takes no more work ({lost[0][1]}); {len(waiting)} of {shards} shards are computed here")
            for index in waiting:
                keep(index, settle(*arguments(index, attempt)))
            return files, notes
        notes.append(f"{len(lost)} of {shards} shards were lost ({lost[0][1]}) and are computed again")
    raise Error(f"shard {waiting[0]} of {shards} was lost {ATTEMPTS} times") from lost[0][1]
