"""Suites in shards: the classes are those of one process, whatever computes the shards, and if a worker is killed."""

import concurrent.futures
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import discern
from discern import shards

SPACE = "volta/mma.m8n8k4.f32.f16.f16.f32{F={21..24},carry={2|3|wide},floor={none|-140|-133},zero={ignore|emin},align={rz|rne}}"


@pytest.fixture(scope="module")
def alone():
    return discern.suite(space=SPACE)


def classes(answer):
    assert answer.open == []
    return sorted(sorted(one) for one in answer.classes)


class Losing(concurrent.futures.ThreadPoolExecutor):
    """Loses the first so many of what is submitted."""

    def __init__(self, lost):
        super().__init__(2)
        self.lost, self.submitted = lost, 0

    def submit(self, function, *arguments):
        self.submitted += 1
        if self.submitted <= self.lost:
            return super().submit(self.lose)
        return super().submit(function, *arguments)

    @staticmethod
    def lose():
        raise OSError("the machine is gone")


def test_threads_and_a_lost_shard(alone, tmp_path):
    with Losing(2) as executor:
        answer = discern.suite(space=SPACE, executor=executor, shards=3, store=tmp_path / "answers")
    assert classes(answer) == classes(alone) and executor.submitted == 5
    assert answer.notes[0] == "2 of 3 shards were lost (the machine is gone) and are computed again"
    again = discern.suite(space=SPACE, store=tmp_path / "answers", resume=True)  # without a question
    assert classes(again) == classes(alone) and again.to_dict()["questions"] == 0


def test_always_lost():
    with Losing(1000) as executor, pytest.raises(discern.Error, match="shard 1 of 2 was lost 3 times") as error:
        discern.suite(space=SPACE, executor=executor, shards=2)
    assert isinstance(error.value.__cause__, OSError)


def test_what_is_wrong_is_said_at_once(tmp_path):
    with Losing(0) as executor:
        with pytest.raises(discern.InputError, match="one unit only"):
            discern.suite(["x86/fma.f32"], executor=executor, shards=2)
        assert executor.submitted == 0  # since the caller notices, who finds the cells
        for wrong, said in (({"shards": 0}, "number of parts"), ({"space": f"@{tmp_path}/none"}, "No such file")):
            with pytest.raises(discern.InputError, match=said):
                discern.suite(executor=executor, **{"space": SPACE, **wrong})
    with pytest.raises(discern.InputError, match="int is no executor"):
        discern.suite(space=SPACE, executor=3)


def test_a_file_of_spaces_is_sent(tmp_path):
    (tmp_path / "spaces").write_text(SPACE + "\n")
    file = f"@{tmp_path}/spaces"
    with Losing(0) as executor:
        assert classes(discern.suite(space=file, executor=executor, shards=2)) == classes(discern.suite(space=file))


def slow(seconds, function, *arguments):
    time.sleep(seconds)
    return function(*arguments)


def test_a_killed_process(alone):
    """A pool of processes is broken by it, and takes no more work."""
    pool = concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    with pool:
        pids = {pool.submit(os.getpid).result() for _ in range(8)}

        class Later:
            def submit(self, *arguments):
                return pool.submit(slow, 1, *arguments)

        killer = threading.Timer(0.5, os.kill, (pids.pop(), signal.SIGKILL))
        killer.start()
        answer = discern.suite(space=SPACE, executor=Later(), shards=4)
        killer.join()
    assert classes(answer) == classes(alone)
    assert any("takes no more work" in note for note in answer.notes)


def test_an_executor_that_never_answers(alone, monkeypatch):
    """One shard is settled; of the others nothing is ever heard, as of a cluster whose scheduler is gone."""
    monkeypatch.setattr(shards, "SLACK", 0.2)
    monkeypatch.setattr(shards, "TIMEOUT", 1.0)

    class Gone:
        def __init__(self):
            self.submitted = 0

        def submit(self, function, *arguments):
            self.submitted += 1
            future = concurrent.futures.Future()
            if self.submitted == 2:
                future.set_result(function(*arguments))
            return future

    executor = Gone()
    answer = discern.suite(space=SPACE, executor=executor, shards=3)
    assert classes(answer) == classes(alone) and executor.submitted == 3
    assert list(answer.notes) == [
        "the executor ended no shard within 1 s; 2 of 3 shards are computed here"
    ]


def test_dask(alone):
    """Two workers, of which one is killed while it computes."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        assert len(pids) == 2

        class Later:
            def submit(self, *arguments):
                return client.submit(slow, 1, *arguments)

        killed = threading.Timer(1.5, os.kill, (pids[0], signal.SIGKILL))
        killed.start()
        answer = discern.suite(space=SPACE, executor=Later(), shards=6)
        killed.join()
        assert pids[0] not in client.run(os.getpid).values()
        assert classes(answer) == classes(alone)
        assert classes(discern.suite(space=SPACE, executor=client, shards=2)) == classes(alone)


def test_settle_is_a_function_of_its_own_arguments(tmp_path):
    """What a worker gets and gives is text, numbers and bytes."""
    cells = shards.find_cells(str(tmp_path / "cells"), [], {"space": SPACE})
    store = shards.settle(1, 1, 0, [], None, cells, {"space": SPACE})
    assert store.startswith(b"SQLite format 3")
    assert shards.settle(1, 1, 0, [], None, str(tmp_path / "cells"), {"space": SPACE}).startswith(b"SQLite format 3")


@pytest.mark.parametrize("what", ["closed", "restarted"])
def test_a_scheduler_that_is_gone(alone, monkeypatch, what):
    """Nothing is waited for without end, and the classes are the same."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr(shards, "SLACK", 5.0)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    client = distributed.Client(cluster)

    class Later:
        def submit(self, *arguments):
            return client.submit(slow, 1, *arguments)

    def end():
        try:
            client.restart(wait_for_workers=False) if what == "restarted" else cluster.close(timeout=2)
        except Exception:  # what dask makes of it is its own
            pass

    ending = threading.Timer(1.5, end)
    ending.start()
    answer = discern.suite(space=SPACE, executor=Later(), shards=6, timeout=5)
    ending.join()
    assert classes(answer) == classes(alone)
    assert any("computed" in note for note in answer.notes)
    for one in (client, cluster):
        try:
            one.close(timeout=2)
        except Exception:
            pass


def test_what_came_before_a_call_was_killed_is_kept(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "KEEP_EVERY", 0.0)

    class Killed(BaseException):
        pass

    class Last:
        """The third has no answer but the end."""

        def submit(self, function, *arguments):
            future = concurrent.futures.Future()
            if arguments[0] == 3:
                future.set_exception(Killed())
            else:
                future.set_result(function(*arguments))
            return future

    store = tmp_path / "answers"
    with pytest.raises(Killed):
        discern.suite(space=SPACE, executor=Last(), shards=3, store=store)
    again = discern.suite(space=SPACE, store=store, resume=True)
    assert classes(again) == classes(alone) and again.to_dict()["stored"] > 0
    with pytest.raises(discern.InputError, match="nothing to resume"):
        discern.suite(space=SPACE, executor=Last(), store=tmp_path / "none", resume=True)


def test_ray(alone, tmp_path):
    """Tasks of which two kill their workers once."""
    ray = pytest.importorskip("ray", reason="ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        answer = discern.suite(space=SPACE, executor=ray, shards=3)
        assert classes(answer) == classes(alone) and not answer.notes

        def dying(folder, function, index, *arguments):
            """Ends its process at the first call of two of the shards."""
            mark = os.path.join(folder, str(index))
            if index <= 2 and not os.path.exists(mark):
                open(mark, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            return function(index, *arguments)

        class Deadly(shards.Ray):
            def submit(self, function, *arguments):
                return self.ray.remote(max_retries=0)(dying).remote(str(tmp_path), function, *arguments).future()

        answer = discern.suite(space=SPACE, executor=Deadly(ray), shards=4)
        assert classes(answer) == classes(alone)
        assert any("were lost" in note for note in answer.notes)
        assert {one.name for one in tmp_path.iterdir()} == {"1", "2"}
    finally:
        ray.shutdown()


MPI = """
import json, os, sys
from mpi4py.futures import MPIPoolExecutor
import discern
from discern import shards

def settle(folder, index, *arguments):
    mark = os.path.join(folder, "killed")
    if index == 4 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), 9)
    return shards.settle(index, *arguments)

class Deadly:
    def __init__(self, pool):
        self.pool = pool
    def submit(self, function, *arguments):
        return self.pool.submit(settle, sys.argv[1], *arguments)

if __name__ == "__main__":
    shards.KEEP_EVERY = 0.0
    with MPIPoolExecutor() as pool:
        answer = discern.suite(space=sys.argv[2], executor=Deadly(pool), shards=4, store=os.path.join(sys.argv[1], "answers"))
    print(json.dumps([answer.classes, answer.open]))
"""


def test_mpi(alone, tmp_path):
    """MPI ends all of a job of which one process is killed; the same job again gives the answer."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    start = shutil.which("mpiexec", path=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    if start is None:
        pytest.skip("there is no mpiexec")
    (tmp_path / "job.py").write_text(MPI)
    job = [start, "-n", "2", sys.executable, "-m", "mpi4py.futures", str(tmp_path / "job.py"), str(tmp_path), SPACE]
    first = subprocess.run(job, capture_output=True, text=True, timeout=200)
    if not (tmp_path / "killed").exists():
        pytest.skip(f"MPI cannot be started here: {first.stderr[-300:]}")
    assert first.returncode != 0 and (tmp_path / "answers").exists()
    again = subprocess.run(job, capture_output=True, text=True, timeout=200)
    assert again.returncode == 0, again.stderr
    found, left_open = json.loads(again.stdout)
    assert left_open == [] and sorted(sorted(one) for one in found) == classes(alone)
