"""Stopping a run on request: every rank leaves at the same step."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP)


class StopRequest:
    """Set by a signal; the ranks agree on it at the end of each step, and of each batch of an evaluation."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, number: int, frame: object) -> None:
        if self.number and number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            raise KeyboardInterrupt
        self.number = number

    def agreed(self, communicator: Any, also: int = 0) -> int:
        """The largest signal number that any rank was sent (or `also`, where greater); 0 for none.

        All ranks call it at the same step and get the same answer.
        """
        mine = max(self.number, also)
        if communicator.size == 1:
            return mine
        import numpy as np

        return int(communicator.all_reduce(np.array([mine], np.int64), "max")[0])


def listen() -> StopRequest:
    """From now on the signals of `SIGNALS` set a request instead of ending the process.

    A rank calls it before anything that takes time, so that a request that comes early is not lost: `watching` takes
    it over.  What is ignored (SIGHUP under nohup) stays so.
    """
    request = StopRequest()
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, request)
    return request


@contextmanager
def watching() -> Iterator[StopRequest]:
    """While entered, signals set the request; it is the one of `listen`, where that was called."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    heard = next((handler for handler in before.values() if isinstance(handler, StopRequest)), None)
    if heard is not None:
        yield heard
        return
    try:
        request = listen()
    except ValueError:  # not the main thread: leave signals alone
        yield StopRequest()
        return
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
