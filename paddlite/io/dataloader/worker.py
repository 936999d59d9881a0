"""A worker process of a DataLoader: takes tasks, puts batches into shared memory, and leaves no trace."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import random
import select
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend import fork
from paddlite.backend.device import CPU
from paddlite.backend.random import Generator
from paddlite.backend.world import WORLD
from paddlite.core.mode import current, switch
from paddlite.io.dataloader.exchange import Slots, Writer
from paddlite.io.dataloader.fetch import END, fetch

# Records of fixed size, written at once, so that a pipe never holds half of one; what is large lies in the slots.
TASK = struct.Struct("=6q")  # epoch, seed of the epoch, number, slot, start, length
ANSWER = struct.Struct("=6q")  # epoch, number, slot, status, start, length
DONE, FAILED, ENDED, DROPPED = range(4)
SIGNALS = (signal.SIGINT, signal.SIGTERM)  # what a terminal or launcher sends to all processes of a job
NO_EPOCH, STOP = 0, -1  # epochs begin at 1; the last one ends a worker
_PARENT_CHECK = 2000  # milliseconds
_PR_SET_PDEATHSIG = 1


class WorkerInfo(NamedTuple):
    """What `get_worker_info` gives in a worker: its number among `num_workers`, the data set, and its seed."""

    id: int
    num_workers: int
    dataset: Any
    seed: int


def get_worker_info() -> WorkerInfo | None:
    """`WorkerInfo` (id, num_workers, dataset, seed) in a worker process of a DataLoader, None in any other process.

    An IterableDataset uses it to give each worker its share.

    >>> import paddlite as paddle
    >>> class Stream(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         info = paddle.io.get_worker_info()
    ...         yield from range(info.id, 6, info.num_workers)
    >>> loader = paddle.io.DataLoader(Stream(), batch_size=3, num_workers=2)
    >>> [batch.tolist() for batch in loader]
    [[0, 2, 4], [1, 3, 5]]
    """
    return WORLD.worker


class Plan(NamedTuple):
    """What workers are told before they are forked."""

    workers: int
    dataset: Any
    open_fetcher: Callable[[], Any]  # called at the start of each epoch
    init: Callable[[int], Any] | None


class Abandoned(BaseException):
    """The epoch of the task at hand is over; no error of the data set, so nothing there should catch it."""


class Worker:
    """The worker's side.  `clock[0]` is the epoch that counts, set by the parent."""

    def __init__(self, plan: Plan, number: int, slots: Slots, clock: memoryview, tasks: int, answers: int):
        self.plan, self.number, self.slots, self.clock = plan, number, slots, clock
        self.tasks, self.answers = tasks, answers
        self.epoch = NO_EPOCH
        self.fetcher: Any = None
        self.trouble: BaseException | None = None  # of init or of opening the data set; answers every task

    def run(self, parent: int, bound_to_thread: bool) -> None:
        """Serve until the parent stops, closes its pipe or dies; never returns."""
        code = 1
        try:
            _settle(parent, bound_to_thread)
            self._serve(parent)
            code = 0
        except BrokenPipeError:
            code = 0  # nobody waits for the answer
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _serve(self, parent: int) -> None:
        ready = select.poll()
        ready.register(self.tasks, select.POLLIN)
        while True:
            if not ready.poll(_PARENT_CHECK):
                if os.getppid() != parent or self.clock[0] == STOP:
                    return
                continue
            record = os.read(self.tasks, TASK.size)
            if not record:
                return
            epoch, seed, number, slot, *where = TASK.unpack(record)
            if epoch == STOP:
                return
            status, *where = self._answer(epoch, seed, slot, where)
            os.write(self.answers, ANSWER.pack(epoch, number, slot, status, *where))

    def _answer(self, epoch: int, seed: int, slot: int, where: list[int]) -> tuple[int, int, int]:
        if epoch != self.clock[0]:
            return DROPPED, 0, 0
        try:
            task, _ = self.slots.read(slot, *where, copy=True)
            if epoch != self.epoch:
                self._begin(epoch, seed)
            if self.trouble is not None:
                raise self.trouble
            writer = Writer(self.slots, slot)
            batch = fetch(self.fetcher, task, writer.new, self._check)
            return (ENDED, 0, 0) if batch is END else (DONE, *writer.write(batch))
        except Abandoned:
            return DROPPED, 0, 0
        except BaseException as error:
            return (FAILED, *Writer(self.slots, slot).write(_portable(error)))

    def _check(self) -> None:
        if self.clock[0] != self.epoch:
            raise Abandoned

    def _begin(self, epoch: int, seed: int) -> None:
        first, self.epoch = self.epoch == NO_EPOCH, epoch
        plan, own = self.plan, _seed_everything(seed, self.number)
        WORLD.worker = WorkerInfo(self.number, plan.workers, plan.dataset, own)
        try:
            if first and plan.init is not None:
                plan.init(self.number)
            self.fetcher, self.trouble = plan.open_fetcher(), None
        except Exception as error:
            self.trouble = error


def _settle(parent: int, bound_to_thread: bool) -> None:
    """Live and die with the parent, and keep away from what belongs to it alone."""
    if bound_to_thread:
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    signal.set_wakeup_fd(-1)
    for number in SIGNALS:
        # The parent ends its workers.  A handler, not SIG_IGN, which programs started by the data set would inherit.
        signal.signal(number, lambda *_: None)
    gc.freeze()  # the parent's objects: collecting them would copy their pages
    fork.forbid()
    switch(amp=None, block=None, saved_hooks=None, place=CPU, grad=True, generator=Generator())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _seed_everything(seed: int, worker: int) -> int:
    """Seed NumPy, `random` and Paddle from the epoch's seed and the worker's number; gives the worker's own seed."""
    words = np.random.SeedSequence(seed, spawn_key=(worker,)).generate_state(4, np.uint32)
    np.random.seed(words)
    own = int.from_bytes(words[:2].tobytes(), "little") >> 1
    random.seed(own)
    current().generator.manual_seed(own)
    return own


def _portable(error: BaseException) -> tuple[BaseException | None, str, str]:
    """The error, where it survives pickling, else None; its last line; and its traceback."""
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    try:
        stripped = pickle.loads(pickle.dumps(error))
        same = type(stripped) is type(error) and str(stripped) == str(error)
    except BaseException:
        same = False
    return (stripped if same else None), lines[-1].strip(), "".join(lines)
