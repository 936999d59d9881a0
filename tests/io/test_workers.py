"""Worker processes: what they share, draw and survive, and that none is left."""

import gc
import multiprocessing
import os
import random
import resource
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import paddlite as paddle
from paddlite import io
from paddlite.backend import device
from paddlite.core.errors import WorkerFailed
from paddlite.io.dataloader import exchange
from tests.io.data import Numbers, Stream, is_running, rows


@pytest.fixture(autouse=True)
def no_worker_is_left():
    yield
    assert not multiprocessing.active_children()


def pids(loader):
    return [batch.tolist()[0] for batch in loader]


def worker_pid(index):
    return np.array(os.getpid())


def drawn(index):
    """One number of each source of random numbers."""
    return np.array([np.random.randint(2**31), random.randrange(2**31), paddle.rand([1]).item() * 2**31])


def test_worker_info():
    assert io.get_worker_info() is None
    data = Numbers(4, lambda i: np.array(io.get_worker_info()[:2]))
    assert rows(io.DataLoader(data, num_workers=2)) == [[[0, 2]], [[1, 2]], [[0, 2]], [[1, 2]]]
    data = Numbers(1, lambda i: np.array(io.get_worker_info().dataset is data))
    assert rows(io.DataLoader(data, num_workers=1)) == [[True]]
    assert io.get_worker_info() is None


@pytest.mark.parametrize("persistent", [False, True])
def test_random_numbers_differ_and_repeat(persistent):
    def run():
        paddle.seed(7)
        loader = io.DataLoader(Numbers(4, drawn), num_workers=2, persistent_workers=persistent)
        return np.concatenate([batch.numpy() for _ in range(2) for batch in loader])

    numbers = run()
    assert [len(np.unique(column)) for column in numbers.T] == [8, 8, 8]
    np.testing.assert_array_equal(run(), numbers)


def test_random_numbers_follow_numpy_seed():
    def run():
        np.random.seed(7)
        return rows(io.DataLoader(Numbers(2, drawn), num_workers=2))

    assert run() == run()


def test_init_runs_in_each_worker_with_its_seed_set():
    def init(number):
        np.random.seed(100 + number)

    data = Numbers(2, lambda i: np.array(np.random.randint(1000)))
    expected = [[np.random.RandomState(100 + n).randint(1000)] for n in range(2)]
    assert rows(io.DataLoader(data, num_workers=2, worker_init_fn=init)) == expected


def test_kept_batches_stay_as_they_are():
    loader = io.DataLoader(Numbers(40, lambda i: np.full(1000, i)), batch_size=2, num_workers=2)
    batches = list(loader)
    batches[0][...] = -1
    for i, batch in enumerate(batches[1:], 1):
        assert (batch.numpy() == [[2 * i], [2 * i + 1]]).all()


def test_batches_may_grow():
    data = Numbers(6, lambda i: np.full(10 ** (i + 1), i))
    sizes = [(len(batch), set(batch.tolist())) for batch in io.DataLoader(data, batch_size=None, num_workers=2)]
    assert sizes == [(10 ** (i + 1), {i}) for i in range(6)]


def test_shared_memory_has_no_name():
    def maps(index):
        with open("/proc/self/maps") as lines:
            return "".join(line for line in lines if "shm" in line or "loader" in line)

    (seen,) = (batch for batch in io.DataLoader(Numbers(1, maps), batch_size=None, num_workers=1))
    assert "paddlite-loader (deleted)" in seen
    assert all(line.endswith("(deleted)") for line in seen.splitlines())


def test_without_memfd_a_nameless_file_is_used(monkeypatch):
    monkeypatch.delattr(os, "memfd_create")
    data = Numbers(4, lambda i: np.full(1000, i))
    assert [int(b[0, 0]) for b in io.DataLoader(data, num_workers=2)] == [0, 1, 2, 3]


def test_little_address_space_is_enough():
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), before[1]))
    try:
        assert rows(io.DataLoader(Numbers(4), num_workers=2)) == [[0], [1], [2], [3]]
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("batch_size", [1, None])
def test_a_batch_that_is_too_large_is_refused(monkeypatch, batch_size):
    monkeypatch.setattr(exchange, "_SLOT", 1 << 16)
    loader = io.DataLoader(Numbers(6, lambda i: np.zeros(10**i)), batch_size=batch_size, num_workers=2)
    with pytest.raises(WorkerFailed, match="more than the 65536 bytes"):
        list(loader)  # up to 10^5 numbers of 8 bytes


def test_a_batch_kept_does_not_keep_the_memory_of_all():
    gc.collect()  # what other tests have left in cycles
    size = 8 * 10**6
    loader = io.DataLoader(Numbers(8, lambda i: np.full(size // 8, i)), num_workers=2)
    passing = iter(loader)
    kept = [next(passing), next(passing)]
    del passing
    (file,) = (fd for fd in Path("/proc/self/fd").iterdir() if "paddlite-loader" in os.path.realpath(fd))
    assert 2 * size <= os.stat(file).st_blocks * 512 < 2.5 * size
    assert [int(batch[0, -1]) for batch in kept] == [0, 1]


def test_leaving_early_leaves_nothing():
    for batch in io.DataLoader(Numbers(1000, worker_pid), num_workers=2):
        pid = int(batch)
        break
    assert not is_running(pid)


def test_file_descriptors_are_given_back():
    def run():
        for _ in io.DataLoader(Numbers(3), num_workers=2):
            break
        rows(io.DataLoader(Numbers(3), num_workers=2, persistent_workers=True))

    run()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        run()
    assert len(os.listdir("/proc/self/fd")) == before


def test_two_passes_at_once():
    loader = io.DataLoader(Numbers(4), num_workers=2)
    assert [(int(a), int(b)) for a in loader for b in loader] == [(a, b) for a in range(4) for b in range(4)]
    assert [(int(a), int(b)) for a, b in zip(loader, loader)] == [(i, i) for i in range(4)]


def test_persistent_workers_stay():
    loader = io.DataLoader(Numbers(4, worker_pid), num_workers=2, persistent_workers=True)
    first = pids(loader)
    assert pids(loader) == first
    for _ in loader:  # left early: what the workers had made is dropped
        break
    assert pids(loader) == first
    kept = io.DataLoader(Numbers(6), num_workers=2, persistent_workers=True)
    assert [(int(a), int(b)) for a, b in zip(kept, kept)] == [(i, i) for i in range(6)]
    assert rows(kept) == [[0], [1], [2], [3], [4], [5]]
    del loader
    assert not any(map(is_running, first))


def test_persistent_workers_reopen_streams():
    loader = io.DataLoader(Stream(3, sharded=True), num_workers=2, persistent_workers=True)
    assert rows(loader) == rows(loader) == [[0], [1], [2]]


def test_persistent_workers_are_replaced_after_an_error():
    broken = threading.Event()

    def make(index):
        if broken.is_set() and index == 1:
            raise ValueError("broken")
        return np.array(index)

    loader = io.DataLoader(Numbers(3, make), num_workers=1, persistent_workers=True)
    assert rows(loader) == [[0], [1], [2]]
    del loader
    broken.set()
    loader = io.DataLoader(Numbers(3, make), num_workers=1, persistent_workers=True)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            rows(loader)


def test_workers_outlive_the_thread_that_started_them():
    loader = io.DataLoader(Numbers(6), num_workers=2)
    passes = []
    thread = threading.Thread(target=lambda: passes.append(iter(loader)))
    thread.start()
    thread.join()
    assert rows(passes[0]) == [[0], [1], [2], [3], [4], [5]]


def test_workers_ignore_the_signals_of_a_terminal_and_launcher():
    def make(index):
        os.kill(os.getpid(), (signal.SIGINT, signal.SIGTERM)[index])
        return np.array(index)

    assert rows(io.DataLoader(Numbers(2, make), num_workers=1)) == [[0], [1]]


class Odd(Exception):
    """Cannot be pickled: its arguments are not those of its constructor."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


@pytest.mark.parametrize(
    ("error", "kind"),
    [(KeyError("bad sample"), KeyError), (Odd("bad", "sample"), WorkerFailed), (SystemExit(3), SystemExit)],
)
def test_an_error_keeps_its_type_and_shows_the_worker(error, kind):
    def make(index):
        if index == 3:
            raise error
        return np.array(index)

    seen = []
    with pytest.raises(kind) as caught:
        for batch in io.DataLoader(Numbers(8, make), num_workers=2):
            seen.append(int(batch))
    assert seen == [0, 1, 2]
    if kind is not WorkerFailed:
        assert caught.value.args == error.args
    assert str(error) in str(caught.value)
    cause = str(caught.value.__cause__)
    assert "DataLoader worker 1 (pid" in cause
    assert "batch 3" in cause
    assert "in make\n    raise error" in cause


def fails(_):
    raise ValueError("no good")


@pytest.mark.parametrize(
    "options",
    [
        {"worker_init_fn": fails},
        {"collate_fn": fails},
        {"dataset": type("Broken", (io.IterableDataset,), {"__iter__": fails})()},
    ],
    ids=lambda options: next(iter(options)),
)
def test_errors_of_init_collate_and_opening_reach_the_loop(options):
    with pytest.raises(ValueError, match="no good"):
        list(io.DataLoader(**{"dataset": Numbers(3), "num_workers": 2, **options}))


def test_what_cannot_be_sent_is_an_error():
    with pytest.raises(WorkerFailed, match="num_workers=0"):
        list(io.DataLoader(Numbers(3, lambda i: lambda: i), batch_size=None, num_workers=1))


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "was killed by SIGKILL"),
        (lambda: os._exit(3), "exited with code 3"),
        (lambda: os._exit(0), "exited with code 0"),
    ],
)
@pytest.mark.parametrize("persistent", [False, True])
def test_a_worker_that_dies_is_reported(end, text, persistent):
    def make(index):
        if index == 5:
            end()
        return np.array(index)

    with pytest.raises(WorkerFailed, match=rf"worker 1 \(pid \d+\) {text}.*num_workers"):
        list(io.DataLoader(Numbers(8, make), num_workers=2, persistent_workers=persistent))


def test_a_worker_that_dies_is_noticed_though_its_child_holds_the_pipe():
    children, mine = os.pipe()  # the child lives until this is closed

    def make(index):
        if index == 1:
            if os.fork() == 0:
                os.close(mine)
                os.read(children, 1)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        return np.array(index)

    try:
        with pytest.raises(WorkerFailed, match="killed by SIGKILL"):
            list(io.DataLoader(Numbers(4, make), num_workers=1))
    finally:
        os.close(mine)
        os.close(children)


def test_timeout_ends_the_wait():
    never, mine = os.pipe()
    try:
        loader = io.DataLoader(Numbers(4, lambda i: os.read(never, 1)), num_workers=1, timeout=0.2)
        with pytest.raises(WorkerFailed, match=r"timeout=0\.2"):
            next(iter(loader))
    finally:
        os.close(mine)
        os.close(never)


def attempt(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "allowed"


def import_mpi():
    sys.modules.pop("mpi4py", None)
    import mpi4py  # noqa: F401


def test_workers_may_touch_neither_gpu_nor_mpi():
    actions = [device.cupy, import_mpi, lambda: paddle.set_device("gpu")]
    data = Numbers(3, lambda i: attempt(actions[i]))
    gpu, mpi, place = io.DataLoader(data, batch_size=None, num_workers=1)
    assert gpu.startswith("RuntimeError: the GPU cannot be used in DataLoader worker 0")
    assert mpi.startswith("ImportError: MPI cannot be used in DataLoader worker 0")
    assert place.startswith("ValueError")


def test_a_worker_can_have_workers():
    inner = io.DataLoader(Numbers(3), num_workers=1)
    data = Numbers(2, lambda i: np.array(rows(inner)) + 10 * i)
    assert rows(io.DataLoader(data, num_workers=1)) == [[[[0], [1], [2]]], [[[10], [11], [12]]]]
