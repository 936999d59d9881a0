"""The worker processes of a DataLoader as its training process sees them."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import selectors
import signal
import threading
import time
import warnings
import weakref
from typing import Any, NamedTuple, NoReturn

from paddlite.core.errors import WorkerFailed
from paddlite.io.dataloader.exchange import Slots, Writer
from paddlite.io.dataloader.worker import ANSWER, DROPPED, NO_EPOCH, SIGNALS, STOP, TASK, Plan, Worker

_LOANS = 4  # batches whose memory the training loop may hold; further ones are copied
_GRACE = 1.0  # seconds that a worker has to finish the sample at hand when the loop is left
_CHECK = 1.0  # seconds between looks at the processes themselves, should a pipe not tell


class Answer(NamedTuple):
    """What a worker has made of a task: `status` DONE, FAILED or ENDED, and where its slot says more."""

    worker: int
    slot: int
    status: int
    start: int
    length: int


class WorkerTraceback(Exception):
    """Shown as the cause of an error that a worker has sent: where it was raised there."""

    def __str__(self) -> str:
        return f"in {self.args[0]}:\n\n{self.args[1].rstrip()}"


class Pool:
    """Forked workers, their pipes, and the slots of shared memory between them and the training process.

    Tasks have numbers and belong to an epoch, between `begin` and `end`; after that, what is left of them is dropped.
    `submit` gives a task to a worker; `wait` gives the answer for a task, in whatever order they arrive.
    """

    def __init__(self, plan: Plan, prefetch: int):
        self.workers, self.epoch, self.busy, self.closed = plan.workers, 0, False, False
        self._seed = 0
        self._answers: dict[int, Answer] = {}
        self._loans: dict[int, weakref.ref] = {}
        count = plan.workers * prefetch + _LOANS
        self._slots = Slots(count)
        self._free = list(range(count))  # the one let go last is taken first: its memory is warm
        self._clock = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("q")
        self._selector = selectors.PollSelector()  # unlike epoll's, its state is not shared with children
        self._tasks: list[int] = []
        self._answer_ends: list[int] = []
        self._processes: list[Any] = []
        try:
            with _signals_held():
                for number in range(plan.workers):
                    self._start(plan, number)
        except BaseException:
            self.close()
            raise

    def _start(self, plan: Plan, number: int) -> None:
        task_end, tasks = os.pipe()
        answers, answer_end = os.pipe()
        # Linux ties a child to the thread that forked it; a thread that ends must not take the workers along.
        bound = threading.current_thread() is threading.main_thread()
        process = multiprocessing.get_context("fork").Process(
            target=self._become_worker,
            args=(plan, number, task_end, answer_end, os.getpid(), bound),
            name=f"paddlite-loader-{number}",
        )
        self._tasks.append(tasks)
        self._answer_ends.append(answers)
        try:
            with warnings.catch_warnings():
                # Python 3.12 warns of every fork beside threads, and BLAS has some.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
        finally:
            os.close(task_end)
            os.close(answer_end)
        self._processes.append(process)
        self._selector.register(answers, selectors.EVENT_READ, number)

    def _become_worker(self, plan: Plan, number: int, tasks: int, answers: int, parent: int, bound: bool) -> None:
        for end in (*self._tasks, *self._answer_ends):
            os.close(end)
        Worker(plan, number, self._slots, self._clock, tasks, answers).run(parent, bound)

    def begin(self, seed: int) -> None:
        """Start an epoch whose workers draw their seeds from `seed`."""
        self.epoch += 1
        self._seed, self.busy = seed, True
        self._clock[0] = self.epoch

    def end(self) -> None:
        """End the epoch; the workers stay."""
        self.busy = False
        if not self.closed:
            self._clock[0] = NO_EPOCH
            self._free.extend(answer.slot for answer in self._answers.values())
            self._answers.clear()

    def submit(self, worker: int, number: int, payload: Any) -> None:
        """Give task `number` of the current epoch to `worker`."""
        while not self._free:  # slots of dropped tasks are on their way back
            self._receive(_CHECK)
        slot = self._free.pop()
        where = Writer(self._slots, slot).write(payload)
        with contextlib.suppress(BrokenPipeError):  # a dead worker is reported by `wait`
            os.write(self._tasks[worker], TASK.pack(self.epoch, self._seed, number, slot, *where))

    def wait(self, number: int, timeout: float) -> Answer:
        """The answer for task `number`.

        Raises:
            WorkerFailed: a worker died, or `timeout` seconds (0: no limit) went by.
        """
        deadline = time.monotonic() + timeout
        while number not in self._answers:
            left = deadline - time.monotonic() if timeout else _CHECK
            if left <= 0:
                raise WorkerFailed(
                    f"DataLoader: no batch came within timeout={timeout:g} s. Look for a sample that takes very long "
                    "(num_workers=0 shows it in a debugger), or raise timeout (0: wait for ever)."
                )
            self._receive(min(left, _CHECK))
        return self._answers.pop(number)

    def _receive(self, timeout: float) -> None:
        events = self._selector.select(timeout)
        for key, _ in events:
            records = os.read(key.fd, ANSWER.size * 64)
            if not records:
                self._report_death(key.data)
            for epoch, number, slot, status, start, length in ANSWER.iter_unpack(records):
                if epoch == self.epoch and status != DROPPED:
                    self._answers[number] = Answer(key.data, slot, status, start, length)
                else:
                    self._free.append(slot)
        if not events:
            for number, process in enumerate(self._processes):
                if not process.is_alive():
                    self._report_death(number)

    def _report_death(self, number: int) -> NoReturn:
        process = self._processes[number]
        process.join(_GRACE)
        raise WorkerFailed(
            f"DataLoader worker {number} (pid {process.pid}) {_how(process.exitcode)} before its work was done. "
            "If the system ran out of memory, lower num_workers, prefetch_factor or batch_size; num_workers=0 runs the "
            "data set in this process, where its own error shows."
        )

    def take(self, answer: Answer) -> Any:
        """What a DONE or FAILED answer says.  Its arrays lie in the slot, which is free once they are let go."""
        value, memory = self._slots.read(answer.slot, answer.start, answer.length, len(self._loans) >= _LOANS)
        loans, free, slot = self._loans, self._free, answer.slot

        def back(_: Any) -> None:
            loans.pop(slot, None)
            free.append(slot)

        loans[slot] = weakref.ref(memory, back)
        return value

    def release(self, answer: Answer) -> None:
        """Let go of an answer that says nothing more than its status."""
        self._free.append(answer.slot)

    def name_of(self, worker: int) -> str:
        """How messages speak of a worker."""
        return f"DataLoader worker {worker} (pid {self._processes[worker].pid})"

    def close(self) -> None:
        """End the workers: at once where they wait, else after the sample at hand, else by force."""
        if self.closed:
            return
        self.closed = True
        self._clock[0] = STOP
        for end in self._tasks:
            with contextlib.suppress(BrokenPipeError):
                os.write(end, TASK.pack(STOP, 0, 0, 0, 0, 0))
            os.close(end)
        deadline = time.monotonic() + _GRACE
        for process in self._processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
            with contextlib.suppress(ValueError):  # somebody else has waited for it, so that its end is not known here
                process.close()
        self._selector.close()
        for end in self._answer_ends:
            os.close(end)
        if self._loans:  # batches that are still held keep the mapping, but not the memory of all slots
            self._slots.keep_only(self._loans)


@contextlib.contextmanager
def _signals_held() -> Any:
    """Signals wait until the workers can deal with them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _how(code: int | None) -> str:
    if code is None:
        return "closed its pipe"
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
