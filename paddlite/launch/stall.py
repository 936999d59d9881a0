"""Noticing from outside that ranks stand still, and finding out where.

Each rank that is watched has a file that it touches while its steps end.  What is counted is the time in which this
launcher itself was running and saw no change: so neither clocks of other hosts nor a suspended job matter.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path

from paddlite.launch import processes, records
from paddlite.launch.console import say
from paddlite.recipe import codes, stacks
from paddlite.recipe.watchdog import alive_path, this_system, warn_after

_FOR_STACKS = 5.0  # seconds in which the ranks have written their stacks


class StallWatch:
    """The launcher's view of the steps of all ranks; a `timeout` of 0 is never over."""

    def __init__(self, logs: Path, ranks: int, timeout: float):
        self._logs, self._ranks, self.timeout = logs, ranks, timeout
        self._pause = min(0.5, timeout / 20)
        self._last = time.monotonic()
        self._seen: dict[int, int] = {}
        self._silent: dict[int, float] = {}
        self._warned = False

    def look(self) -> bool:
        """Note what has changed; True where a rank has been silent for too long."""
        now = time.monotonic()
        passed = now - self._last
        if not self.timeout or passed < self._pause:
            return False
        self._last = now
        for rank in range(self._ranks):
            self._count(rank, min(passed, 4 * self._pause))
        longest = max(self._silent.values(), default=0.0)
        if longest <= warn_after(self.timeout):
            self._warned = False
        elif not self._warned:
            self._warned = True
            say(f"no step has ended for {longest:.0f} s on {self._who()}; at {self.timeout:g} s the run is stopped")
        return longest > self.timeout

    def _count(self, rank: int, passed: float) -> None:
        try:
            changed = alive_path(self._logs, rank).stat().st_mtime_ns
        except OSError:  # not watched yet, or not any more
            self._silent.pop(rank, None)
            return
        if self._seen.get(rank) == changed:
            self._silent[rank] = self._silent.get(rank, 0.0) + passed
        else:
            self._seen[rank], self._silent[rank] = changed, 0.0

    def _who(self) -> str:
        ranks = [rank for rank, silent in self._silent.items() if silent > warn_after(self.timeout)]
        return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"

    def explain(self) -> None:
        """Show where each rank is, and note which one the others wait for."""
        stopped = self._ask_for_stacks()
        end = time.monotonic() + _FOR_STACKS
        while time.monotonic() < end and not all(stacks.written(self._logs, rank) for rank in range(self._ranks)):
            time.sleep(0.02)
        time.sleep(0.1)  # a file with something in it may lack the rest
        lines, to_blame = stacks.told(self._logs, self._ranks, stopped)
        say("\n".join([f"no step has ended for {self.timeout:g} s (stall_timeout); where each rank is:", *lines]))
        rank = (to_blame or sorted(self._silent))[0]
        text = f"no step ended for {self.timeout:g} s; the stacks of all threads are in {self._logs}"
        records.write_exit(self._logs, rank, "stalled", codes.LOST, text)

    def _ask_for_stacks(self) -> frozenset[int]:
        """Send every rank on this host the signal; gives the ranks whose process had been stopped."""
        here, stopped = this_system(), set()
        for rank, start in records.read(self._logs, "start").items():
            if start["system"] == here:
                if processes.state(start["pid"]) == "T":
                    stopped.add(rank)
                processes.send_to_main_thread(start["pid"], signal.SIGUSR2)
        for rank in stopped:
            processes.send(records.read(self._logs, "start")[rank]["pid"], signal.SIGCONT)
        return frozenset(stopped)
