"""Killing training runs at random moments and going on: the end must be that of a run that nobody killed.

`python -m tests.recipe.kills [KILLS]` does it at length; `test_resume.py` does it shortly.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from paddlite.backend.world import WORLD
from paddlite.core import mode
from paddlite.launch import processes, records
from paddlite.recipe import check
from paddlite.recipe.run import run_recipe

ROOT = Path(__file__).resolve().parent.parent.parent
RECIPE = ROOT / "tests/recipe/data/noisy.yaml"
LIMIT = 120.0  # seconds; a hang is what is looked for
STOP, STOPS = "asked to stop", 0.25  # how often it is SIGTERM and no SIGKILL
STOPPED = (75, 143, -15)  # after a checkpoint, or before it was up


class Scenario(NamedTuple):
    """A recipe with changes, on a number of processes."""

    nproc: int
    overrides: tuple[str, ...] = ()


SCENARIOS = {
    "plain": Scenario(1, ("optimizer.schedule={name: CosineAnnealingDecay, args: {T_max: 24}}",)),
    "float16, steps skipped": Scenario(1, ("amp=O1", "amp.init_loss_scaling=1e9", "amp.incr_every_n_steps=3")),
    "float16, all of it": Scenario(1, ("amp=O2", "amp.init_loss_scaling=1e7", "amp.incr_every_n_steps=3")),
    "bfloat16, accumulated": Scenario(1, ("amp=O1", "amp.dtype=bfloat16", "train.accumulate_steps=2")),
    "workers": Scenario(1, ("data.workers=2",)),
    "momentum, warm-up": Scenario(
        1,
        (
            "optimizer.name=Momentum",
            "optimizer.schedule={name: LinearWarmup, args: {warmup_steps: 9, start_lr: 0.0, end_lr: 0.01}}",
        ),
    ),
    "buffers of its own": Scenario(1, ("model.args.centred=true",)),
    "2 ranks": Scenario(
        2,
        (
            "model.args.centred=true",
            "optimizer.schedule={name: ExponentialDecay, args: {gamma: 0.9}}",
        ),
    ),
    "2 ranks, float16, accumulated, workers": Scenario(
        2, ("amp=O1", "amp.init_loss_scaling=1e9", "train.accumulate_steps=2", "data.workers=1")
    ),
}


def results(run: Path) -> dict[str, str]:
    """What must be equal bit for bit."""
    return {name: (run / name).read_text() for name in ("metrics.csv", "eval.csv")}


# -- one process: forked from this one, which has everything loaded ---------------------------------------------------


def fork(work, output: Path) -> int:
    """Run `work()` in a child whose exit code is what it gives; the child's process id."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        sys.stdout = sys.stderr = log = output.open("a")
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        warnings.simplefilter("default")  # tests turn them into errors
        with mode.fresh():
            code = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def wait(pid: int) -> int:
    """The exit code of a child, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def train(run: Path, overrides: tuple[str, ...] = (), resume: bool = True, **options) -> int:
    """Train the recipe in this process, as the launcher would."""
    (run / "logs").mkdir(parents=True, exist_ok=True)
    return run_recipe(check.load(RECIPE, overrides).recipe, run, resume, stall_timeout=60.0, **options)


def load_all(folder: Path) -> None:
    """Have in this process what training needs, so that children begin at once."""
    train(folder / "warm", ("train.epochs=null", "train.steps=1"))
    WORLD.leave()


class Forked:
    """A run in a child."""

    def __init__(self, run: Path, scenario: Scenario):
        self.pid = fork(lambda: train(run, scenario.overrides), run.with_suffix(".txt"))

    def until_training(self) -> None:
        """Nothing is to be waited for: it trains within milliseconds."""

    def end(self, seconds: float) -> int | None:
        """The exit code, or None where it is still running after `seconds`."""
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > end:
                return None
            time.sleep(0.0005)

    def kill(self, choose: random.Random) -> tuple[str, int]:
        """Kill the process, or ask it to stop; gives what was done, and the exit code."""
        stop = choose.random() < STOPS
        os.kill(self.pid, signal.SIGTERM if stop else signal.SIGKILL)
        return STOP if stop else "the process", wait(self.pid)


class Launched:
    """A run through the launcher."""

    def __init__(self, run: Path, scenario: Scenario):
        words = ["--nproc", str(scenario.nproc), "--run-dir", str(run), *(["--resume", "auto"] if run.exists() else [])]
        command = [sys.executable, "-m", "paddlite.launch", *words, str(RECIPE), "-o", *scenario.overrides, "seed=42"]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        self.run, self.output = run, run.with_suffix(".txt")
        self._from = self.output.stat().st_size if self.output.exists() else 0
        with self.output.open("a") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)

    def until_training(self) -> None:
        end = time.monotonic() + LIMIT
        while self.process.poll() is None and time.monotonic() < end:
            if "run " in self.output.read_text()[self._from :]:
                return
            time.sleep(0.005)

    def end(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(seconds)
        return None

    def kill(self, choose: random.Random) -> tuple[str, int]:
        """Kill the launcher, a rank, or all processes of the run; or ask the launcher or a rank to stop."""
        ranks = [start["pid"] for start in records.read(self.run / "logs", "start").values()]
        one = choose.choice(ranks or [self.process.pid])
        if choose.random() < STOPS:
            processes.send(choose.choice([self.process.pid, one]), signal.SIGTERM)
            return STOP, self.process.wait(LIMIT)
        what = choose.choice(["the launcher", "a rank", "everything"])
        everything = [self.process.pid, *processes.descendants(self.process.pid)]
        for pid in {"the launcher": [self.process.pid], "a rank": [one], "everything": everything}[what]:
            processes.send(pid, signal.SIGKILL)
        return what, self.process.wait(LIMIT)


class End(NamedTuple):
    """How a run ended that was killed and went on."""

    kills: list[str]  # what was killed, each time, or that it was asked to stop
    problem: str  # how it differs from the run that nobody killed, or ""


def ends(folder: Path, name: str, kills: int, seed: int = 0) -> Iterator[End]:
    """Runs that are killed at random moments, `kills` times in all, each until it has reached its end."""
    scenario, choose = SCENARIOS[name], random.Random(seed)
    start = Forked if scenario.nproc == 1 else Launched
    reference = folder / "reference"
    first = start(reference, scenario)
    first.until_training()
    begun = time.monotonic()
    if first.end(LIMIT) != 0:
        raise RuntimeError(reference.with_suffix(".txt").read_text())
    duration = time.monotonic() - begun
    left, number = kills, 0
    while left:
        number += 1
        run, code, killed = folder / f"run{number}", None, []
        while code is None and left:
            going = start(run, scenario)
            going.until_training()
            code = going.end(choose.uniform(0.0, 0.8) * duration)
            if code is None:
                what, ended = going.kill(choose)
                killed.append(what)
                left -= 1
                if what == STOP and ended not in STOPPED:
                    code = ended  # done anyway, or wrong
        if code is None:
            code = start(run, scenario).end(LIMIT)
        yield End(killed, _problem(run, reference, code))


def _problem(run: Path, reference: Path, code: int | None) -> str:
    if code != 0:
        return f"exit code {code}\n{run.with_suffix('.txt').read_text()}"
    wanted, found = results(reference), results(run)
    different = [name for name in wanted if found[name] != wanted[name]]
    if different:
        return f"{run}: {', '.join(different)} differ from those of {reference}"
    left = [path.name for path in (run / "checkpoints").glob(".*")]
    return f"{run}: {', '.join(left)} are left" if left else ""


def main(kills: int) -> int:
    with tempfile.TemporaryDirectory() as folder, mode.fresh():
        load_all(Path(folder))
    each, done = -(-kills // len(SCENARIOS)), []
    for seed, name in enumerate(SCENARIOS):
        with tempfile.TemporaryDirectory() as folder:
            begun, here = time.monotonic(), []
            for end in ends(Path(folder), name, each, seed):
                here.append(end)
                if end.problem:
                    print(f"{name}: {end.problem}", flush=True)
            done += here
            print(f"{name}: {_summary(here)}, {time.monotonic() - begun:.0f} s", flush=True)
    print(_summary(done))
    return 1 if any(end.problem for end in done) else 0


def _summary(done: list[End]) -> str:
    killed = Counter(what for end in done for what in end.kills)
    stops = killed.pop(STOP, 0)
    same = sum(not end.problem for end in done)
    return (
        f"{killed.total()} kills ({', '.join(f'{what} {count}' for what, count in killed.items())}), "
        f"{stops} requests to stop, {same} of {len(done)} ends identical"
    )


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
