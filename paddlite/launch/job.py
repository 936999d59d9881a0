"""Starting the ranks of a run, watching them, and saying how it ended."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from paddlite.launch import mpi, outcome, processes, records
from paddlite.launch.console import Forward, say
from paddlite.launch.guard import Guard
from paddlite.launch.stall import StallWatch
from paddlite.recipe import codes, stacks
from paddlite.recipe.watchdog import this_system

_TO_FOLLOW = 5.0  # seconds for mpiexec to end the other ranks once one has failed
TREE = Path(__file__).resolve().parent.parent.parent


class Job(NamedTuple):
    """What is to be started."""

    nproc: int
    run: Path
    worker: list[str]  # arguments of paddlite.launch.worker
    mpiexec: str
    hosts: dict[str, int] = {}  # processes by host; none for this one
    devices: str | None = None
    start_timeout: float = 60.0
    stall_timeout: float = 0.0
    exit_grace: float = 10.0
    stop_grace: float = 120.0
    show: str = "0"
    verbose: bool = False

    @property
    def logs(self) -> Path:
        return self.run / "logs"


def environment(job: Job) -> dict[str, str]:
    """The environment of the ranks."""
    env = dict(os.environ)
    env["PADDLITE_WORLD_SIZE"] = str(job.nproc)
    env["PADDLITE_EXIT_GRACE"] = str(job.exit_grace)
    env["PADDLITE_CONSOLE"] = "tty" if sys.stderr.isatty() else "plain"
    env["PADDLITE_WATCHED_BY"] = this_system()
    env["PADDLITE_SHOW"] = job.show
    env["PADDLITE_STALL_TIMEOUT"] = str(job.stall_timeout)
    if str(TREE) not in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):  # not installed: a source tree
        env["PYTHONPATH"] = os.pathsep.join([str(TREE), *filter(None, [env.get("PYTHONPATH")])])
    if job.devices is not None:
        env["PADDLITE_DEVICES"] = job.devices
    return env


class Supervisor:
    """One start of a job, from the first process to the last."""

    def __init__(self, job: Job):
        self.job = job
        self.requested: int | None = None  # the signal by which the user asked to stop
        self._times_requested = 0
        self._deadline: float | None = None
        self._passed_on: set[int] = set()
        self._system = this_system()
        self._guard: Guard | None = None
        self._starts, self._exits = records.Seen(job.logs, "start"), records.Seen(job.logs, "exit")

    def run(self) -> outcome.Outcome:
        """Start the ranks and wait for their end."""
        job = self.job
        worker = [sys.executable, "-u", "-m", "paddlite.launch.worker", *job.worker]
        command = mpi.command(job.mpiexec, job.nproc, worker, job.hosts)
        if job.verbose:
            say(" ".join(command))
        processes.adopt_orphans()
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        with (job.logs / "launch.log").open("ab", buffering=0) as log, self._signals():
            try:
                guard = self._guard = Guard(command, environment(job), out_write, err_write)
                os.close(out_write)
                os.close(err_write)
                streams = [Forward(out_read, sys.stdout.buffer, log), Forward(err_read, sys.stderr.buffer, log)]
                for stream in streams:
                    stream.start()
                self._wait(guard)
                for stream in streams:
                    stream.join(5.0)
            finally:
                processes.kill_descendants(os.getpid())
        stacks.clear(job.logs, empty_only=True)
        complaints = "".join(stream.text() for stream in streams)
        return outcome.judge(job.logs, job.nproc, guard.code or 0, complaints, self.requested)

    # ------------------------------------------------------------------ signals
    @contextmanager
    def _signals(self) -> Iterator[None]:
        """While entered, signals to the launcher are for the run."""
        before = {s: signal.signal(s, self._on_signal) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)}
        for number, handler in ((signal.SIGHUP, self._on_signal), (signal.SIGTSTP, self._on_suspend)):
            if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP: then it is not for us
                before[number] = signal.signal(number, handler)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: object) -> None:
        self._times_requested += 1
        if self.requested is None or number == signal.SIGINT:
            self.requested = number

    def _on_suspend(self, number: int, frame: object) -> None:
        """Ctrl-Z: the ranks, in a session of their own, stand still and go on with the launcher."""
        below = processes.descendants(self._guard.pid) if self._guard is not None else []
        for pid in below:
            processes.send(pid, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        for pid in below:
            processes.send(pid, signal.SIGCONT)

    # ------------------------------------------------------------------ watching
    def _wait(self, guard: Guard) -> None:
        job, begun = self.job, time.monotonic()
        all_up, ending, stall = False, None, None
        while not guard.wait(0.05):
            now = time.monotonic()
            if self.requested is not None:
                self._pass_on(guard, now)
            if not all_up:
                all_up = len(self._starts.look()) == job.nproc
                if all_up:
                    stall = StallWatch(job.logs, job.nproc, job.stall_timeout)
                elif job.start_timeout and now - begun > job.start_timeout:
                    self._give_up_starting(guard)
            if ending is None and self._has_failed(guard):
                ending = now
            if ending is None and stall is not None and self.requested is None and stall.look():
                stall.explain()
                guard.tell(b"k")
            if ending is not None and now - ending > _TO_FOLLOW:
                guard.tell(b"k")  # a rank has failed, and mpiexec does not end the others

    def _has_failed(self, guard: Guard) -> bool:
        """True where a rank has ended badly, or all have ended: mpiexec is to follow soon.

        What the dead left behind is killed: mpiexec would wait for the pipes that it holds.
        """
        exits, starts = self._exits.look(), self._starts.look()
        if any(r["code"] for r in exits.values()):
            return True
        dead = [
            r for r, start in starts.items() if start["system"] == self._system and not processes.alive(start["pid"])
        ]
        if len(dead) == self.job.nproc or any(rank not in exits for rank in dead):
            guard.tell(b"o")
            return True
        return False

    def _give_up_starting(self, guard: Guard) -> None:
        missing = sorted(set(range(self.job.nproc)) - set(self._starts.look()))
        who = f"rank{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing))}"
        text = f"{who} did not come up within {self.job.start_timeout:g} s (--start-timeout)"
        records.write_exit(self.job.logs, missing[0], "start timeout", codes.LOST, text)
        guard.tell(b"k")

    def _pass_on(self, guard: Guard, now: float) -> None:
        """Ask the ranks to stop; kill them where they do not, or where the user insists."""
        if self._times_requested > 1 and self.requested == signal.SIGINT:
            guard.tell(b"k")
            return
        if self._deadline is None:
            self._deadline = now + (self.job.stop_grace if self.requested != signal.SIGINT else 10.0)
            say("stopping; once more to kill at once")
        number = signal.SIGTERM if self.requested == signal.SIGHUP else self.requested or signal.SIGTERM
        for rank, start in self._starts.look().items():
            if rank not in self._passed_on:
                self._passed_on.add(rank)
                if start["system"] == self._system:
                    processes.send(start["pid"], number)
                else:
                    guard.tell(b"t")  # mpiexec passes it on to the other hosts
        if now > self._deadline or not self._passed_on:
            guard.tell(b"k")
