"""Stopping a run on request: every rank leaves at the same step."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)


class StopRequest:
    """Set by a signal; the ranks agree on it at the end of each step."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, number: int, frame: object) -> None:
        if self.number and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.number = number

    def agreed(self, communicator: Any, also: int = 0) -> int:
        """The largest signal number that any rank was sent (or `also`, where greater); 0 for none.

        All ranks call it at the same step and get the same answer.
        """
        mine = max(self.number, also)
        if communicator.size == 1:
            return mine
        return int(communicator.all_reduce(np.array([mine], np.int64), "max")[0])


@contextmanager
def watching() -> Iterator[StopRequest]:
    """While entered, the signals of `SIGNALS` set the request instead of ending the process."""
    request = StopRequest()
    try:
        before = {number: signal.signal(number, request) for number in SIGNALS}
    except ValueError:  # not the main thread: leave signals alone
        before = {}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
