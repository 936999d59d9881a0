"""One pass over a DataLoader: in the training process, or with workers that run ahead of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from multiprocessing.util import Finalize
from typing import Any, NoReturn

import numpy as np

from paddlite.backend.world import WORLD
from paddlite.core.errors import WorkerFailed
from paddlite.core.mode import current, switched
from paddlite.io.dataloader.fetch import END, fetch
from paddlite.io.dataloader.pool import Answer, Pool, WorkerTraceback
from paddlite.io.dataloader.worker import ENDED, FAILED


def _nothing() -> None:
    pass


class Pass:
    """Base of both: an iterator with the length of its loader."""

    def __init__(self, tasks: Iterator[Any], finish: Callable[[Any], Any], length: Callable[[], int]):
        self._tasks, self._finish, self._length = tasks, finish, length

    def __iter__(self) -> Pass:
        return self

    def __len__(self) -> int:
        return self._length()


class PassHere(Pass):
    """Batches made when they are asked for; an error of the data set comes out as it is."""

    def __init__(self, fetcher: Any, *rest: Any):
        super().__init__(*rest)
        self._fetcher = fetcher

    def __next__(self) -> Any:
        task = next(self._tasks)
        if current().hooked:  # a Program is being recorded, or AMP is on: neither concerns the data set
            with switched(block=None, amp=None):
                batch = fetch(self._fetcher, task, np.empty, _nothing)
        else:
            batch = fetch(self._fetcher, task, np.empty, _nothing)
        if batch is END:
            raise StopIteration
        WORLD.beats += 1
        return self._finish(batch)


class PassByWorkers(Pass):
    """Batches made ahead by workers, which take turns, and given out in the order of the tasks."""

    def __init__(self, pool: Pool, seed: int, prefetch: int, timeout: float, end: Callable[[], None], *rest: Any):
        super().__init__(*rest)
        self._pool, self._timeout = pool, timeout
        self._sent = self._next = 0
        pool.begin(seed)
        self._end = Finalize(self, end, exitpriority=10)  # at exit, before multiprocessing waits for its children
        with self._closing_on_error():
            for _ in range(prefetch):
                for worker in range(pool.workers):
                    self._submit(worker)

    @contextlib.contextmanager
    def _closing_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:  # Ctrl-C too
            self._end()
            self._pool.close()
            raise

    def _submit(self, worker: int) -> None:
        for task in self._tasks:
            self._pool.submit(worker, self._sent, task)
            self._sent += 1
            return

    def __next__(self) -> Any:
        if self._end.still_active():
            with self._closing_on_error():
                while self._next < self._sent:
                    answer = self._pool.wait(self._next, self._timeout)
                    self._next += 1
                    WORLD.beats += 1
                    if answer.status != ENDED:
                        return self._finish(self._open(answer))
                    self._pool.release(answer)
            self._end()
        raise StopIteration

    def _open(self, answer: Answer) -> Any:
        content = self._pool.take(answer)
        if answer.status == FAILED:
            self._raise(answer.worker, *content)
        self._submit(answer.worker)  # each worker always has the same number of tasks before it
        return content

    def _raise(self, worker: int, error: BaseException | None, line: str, trace: str) -> NoReturn:
        where = f"{self._pool.name_of(worker)}, batch {self._next - 1}"
        if error is None or isinstance(error, StopIteration):
            error = WorkerFailed(f"{where}: {line}")
        raise error from WorkerTraceback(where, trace)
