"""Starting the ranks of a run, watching them, and saying how it ended."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import NamedTuple

from paddlite.launch import codes, mpi, outcome, processes, records
from paddlite.launch.console import Forward
from paddlite.launch.guard import Guard

TREE = Path(__file__).resolve().parent.parent.parent


class Job(NamedTuple):
    """What is to be started."""

    nproc: int
    run: Path
    worker: list[str]  # arguments of paddlite.launch.worker
    mpiexec: str
    hosts: str | None = None
    hostfile: str | None = None
    devices: str | None = None
    start_timeout: float = 60.0
    exit_grace: float = 10.0
    stop_grace: float = 120.0
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
    env["PYTHONPATH"] = os.pathsep.join([str(TREE), *filter(None, [env.get("PYTHONPATH")])])
    if job.devices is not None:
        env["PADDLITE_DEVICES"] = job.devices
    if "OMP_NUM_THREADS" not in env:  # ranks on one host share its cores
        threads = max(1, (os.cpu_count() or 1) // job.nproc) if job.hosts is None and job.hostfile is None else 1
        env.update(OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    return env


class Supervisor:
    """One start of a job, from the first process to the last."""

    def __init__(self, job: Job):
        self.job = job
        self.requested: int | None = None  # the signal by which the user asked to stop
        self._times_requested = 0
        self._deadline: float | None = None
        self._passed_on: set[int] = set()

    def run(self) -> outcome.Outcome:
        """Start the ranks and wait for their end."""
        job = self.job
        worker = [sys.executable, "-u", "-m", "paddlite.launch.worker", *job.worker]
        command = mpi.command(job.mpiexec, job.nproc, worker, job.hosts, job.hostfile)
        if job.verbose:
            print(f"paddlite.launch: {' '.join(command)}", file=sys.stderr, flush=True)
        processes.adopt_orphans()
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        before = {s: signal.signal(s, self._on_signal) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)}
        with (job.logs / "launch.log").open("ab", buffering=0) as log:
            try:
                guard = Guard(command, environment(job), out_write, err_write)
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
                for number, handler in before.items():
                    signal.signal(number, handler)
        complaints = "".join(stream.text() for stream in streams)
        return outcome.judge(job.logs, job.nproc, guard.code or 0, complaints, self.requested)

    def _on_signal(self, number: int, frame: object) -> None:
        self._times_requested += 1
        if self.requested is None or number == signal.SIGINT:
            self.requested = number

    def _wait(self, guard: Guard) -> None:
        begun, all_up, first_end = time.monotonic(), False, None
        while not guard.wait(0.05):
            now = time.monotonic()
            if self.requested is not None:
                self._pass_on(guard, now)
            if not all_up:
                all_up = len(records.read(self.job.logs, "start")) == self.job.nproc
                if not all_up and self.job.start_timeout and now - begun > self.job.start_timeout:
                    self._give_up_starting(guard)
            if first_end is None and any(r["code"] for r in records.read(self.job.logs, "exit").values()):
                first_end = now
            if first_end is not None and now - first_end > 2.0:
                guard.tell(b"k")  # a rank has failed, and mpiexec does not end the others

    def _give_up_starting(self, guard: Guard) -> None:
        missing = sorted(set(range(self.job.nproc)) - set(records.read(self.job.logs, "start")))
        for rank in missing:
            text = f"rank {rank} did not come up within {self.job.start_timeout:g} s (--start-timeout)"
            records.write_exit(self.job.logs, rank, "start timeout", codes.LOST, text)
        guard.tell(b"k")

    def _pass_on(self, guard: Guard, now: float) -> None:
        """Ask the ranks to stop; kill them where they do not, or where the user insists."""
        if self._times_requested > 1 and self.requested == signal.SIGINT:
            guard.tell(b"k")
            return
        if self._deadline is None:
            self._deadline = now + (self.job.stop_grace if self.requested != signal.SIGINT else 10.0)
            print("\npaddlite.launch: stopping; once more to kill at once", file=sys.stderr, flush=True)
        local = os.uname().nodename
        for rank, start in records.read(self.job.logs, "start").items():
            if rank not in self._passed_on:
                self._passed_on.add(rank)
                if start["host"] == local:
                    processes.send(start["pid"], self.requested or signal.SIGTERM)
                else:
                    guard.tell(b"t")  # mpiexec passes it on to the other hosts
        if now > self._deadline or not self._passed_on:
            guard.tell(b"k")
