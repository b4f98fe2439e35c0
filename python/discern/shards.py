"""A suite in shards, each computed by whatever an executor has: processes, machines of a cluster.

An executor is anything with `submit(function, *arguments)` whose answer has `result()`: those of `concurrent.futures`,
`mpi4py.futures.MPIPoolExecutor`, the `Client` of dask.distributed; or the module `ray`. What its answers have of `done()` is asked, so that
one that never comes is not waited for without end. The caller finds the cells. A shard is one function of texts,
numbers and the bytes of a store that has the cells, and gives the bytes of its own, so workers share no file with each
other or with the caller; they need this package.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

from .errors import Error, InputError
from .running import run

#: How often a shard is tried elsewhere before its error is raised.
ATTEMPTS = 3
#: Seconds that a shard has, unless `timeout` says so, as `discern suite` has it.
TIMEOUT = 600.0
#: Seconds beyond its time in which one of the shards has to end; then none of them is waited for any more.
SLACK = 60.0
#: Bytes of an argument beyond which a pool of processes, which share the caller's files, is told where they are: Python's
#: never ends if one of its processes is killed while more than a pipe holds is on its way to it (python/cpython 94777).
MOST_BYTES = 32768
#: Seconds after which what has come is merged into the caller's store.
KEEP_EVERY = 10.0
#: Seconds between two looks at what has ended.
PAUSE = 0.02


def find_cells(store: str, words: list[str], options: dict[str, Any]) -> bytes:
    """A store with the cells of all shards, compressed. This runs at the caller, once."""
    run("suite", *words, json=True, cells=True, store=store, **options)
    with open(store, "rb") as file:
        return zlib.compress(file.read())


def settle(
    index: int, count: int, attempt: int, words: list[str], space: str | None, cells: bytes | str, options: dict[str, Any]
) -> bytes:
    """The store of one shard. This runs at a worker.

    space: the text of a file of spaces, or None. cells: a store that has them, compressed, or where it is.
    attempt: only makes calls differ, since dask takes equal ones for one.
    """
    with tempfile.TemporaryDirectory() as folder:
        store, found = os.path.join(folder, "store"), os.path.join(folder, "cells")
        if isinstance(cells, str):
            found = cells
        else:
            with open(found, "wb") as file:
                file.write(zlib.decompress(cells))
        if space is not None:
            path = os.path.join(folder, "space")
            with open(path, "w", encoding="utf-8") as file:
                file.write(space)
            options = {**options, "space": "@" + path}
        run("suite", *words, json=True, shard=f"{index}/{count}", store=store, **{"from": found}, **options)
        with open(store, "rb") as file:
            return file.read()


def ended(futures: list[tuple[int, Any]], patience: float) -> Iterator[tuple[int, Any]]:
    """Those that have ended, as they end, until none does for that many seconds. One without `done` is waited for."""
    pending = list(futures)
    last = time.monotonic()
    while pending:
        done = [(index, future) for index, future in pending if not hasattr(future, "done") or future.done()]
        yield from done
        if done:
            last = time.monotonic()
            pending = [one for one in pending if one not in done]
        elif time.monotonic() - last > patience:
            return
        else:
            time.sleep(PAUSE)


class Ray:
    """The module `ray` as an executor."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray

    def submit(self, function: Any, *arguments: Any) -> Any:
        return self.ray.remote(function).remote(*arguments).future()


def settle_all(
    executor: Any, shards: int, folder: str, words: list[str], options: dict[str, Any], kept: str | None = None
) -> tuple[list[str], list[str]]:
    """The files of the stores of the cells and of all shards, and what has to be said of lost workers.

    A shard whose worker is lost is submitted again. If the executor takes no more work after that, as a pool of processes
    does, or nothing comes from it for as long as a shard may take, what is left is computed here. kept: a store into which what comes
    is merged now and then, so that a call that is killed loses little; it is begun with.
    """
    if not hasattr(executor, "submit") and hasattr(executor, "remote") and hasattr(executor, "ObjectRef"):
        executor = Ray(executor)
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
    found = os.path.join(folder, "cells") if kept is None else kept
    cells: bytes | str = find_cells(found, words, {**options, "threads": None})
    if len(cells) > MOST_BYTES and isinstance(executor, ProcessPoolExecutor):
        cells = os.path.join(folder, "cells")
        if kept is not None:  # which changes meanwhile
            shutil.copy(kept, cells)
    if text is not None:
        options = {**options, "space": None}

    def arguments(index: int, attempt: int) -> tuple[Any, ...]:
        return index, shards, attempt, words, text, cells, options

    files: dict[int, str] = {}
    unmerged: list[str] = []
    merged = [time.monotonic()]
    notes: list[str] = []
    patience = float(options.get("timeout") or TIMEOUT) + SLACK

    def keep(index: int, store: bytes) -> None:
        files[index] = os.path.join(folder, f"store.{index}")
        with open(files[index], "wb") as file:
            file.write(store)
        unmerged.append(files[index])
        if kept is not None and time.monotonic() - merged[-1] >= KEEP_EVERY:
            run("store", "merge", kept, *unmerged)
            unmerged.clear()
            merged.append(time.monotonic())

    def compute_here(why: str, left: list[int], attempt: int) -> tuple[list[str], list[str]]:
        notes.append(f"the executor {why}; {len(left)} of {shards} shards are computed here")
        for index in left:
            keep(index, settle(*arguments(index, attempt)))
        return in_order(), notes

    def in_order() -> list[str]:
        return ([found] if kept is None else []) + [files[index] for index in sorted(files)]

    waiting = list(range(1, shards + 1))
    for attempt in range(ATTEMPTS):
        futures: list[tuple[int, Any]] = []
        lost: list[tuple[int, BaseException]] = []
        for index in waiting:
            try:
                futures.append((index, executor.submit(settle, *arguments(index, attempt))))
            except Exception as why:  # whatever an executor says that is broken or closed
                lost.append((index, why))
        broken = not futures
        try:
            for index, future in ended(futures, patience):
                try:
                    keep(index, future.result())
                except Error:
                    raise  # the call is wrong, and would be at any worker
                except (Exception, asyncio.CancelledError) as why:  # whatever an executor makes of a lost worker
                    lost.append((index, why))
        except BaseException:
            for _, future in futures:
                future.cancel()
            raise
        seen = set(files) | {index for index, _ in lost}
        stuck = [index for index, _ in futures if index not in seen]
        if stuck:
            for _, future in futures:
                if isinstance(future, Future):  # others may wait for what does not answer
                    future.cancel()
            why = f"ended no shard within {patience:.0f} s"
            return compute_here(why, sorted(stuck + [index for index, _ in lost]), attempt)
        if not lost:
            return in_order(), notes
        waiting = [index for index, _ in lost]
        if broken:
            return compute_here(f"takes no more work ({lost[0][1]})", waiting, attempt)
        notes.append(f"{len(lost)} of {shards} shards were lost ({lost[0][1]}) and are computed again")
    raise Error(f"shard {waiting[0]} of {shards} was lost {ATTEMPTS} times") from lost[0][1]
