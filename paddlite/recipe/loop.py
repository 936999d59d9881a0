"""The training loop."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paddlite.backend.random import Generator
from paddlite.backend.world import WORLD
from paddlite.core.mode import switch
from paddlite.io import DataLoader
from paddlite.recipe import buffers, randomness
from paddlite.recipe.batches import PartSampler
from paddlite.recipe.build import Parts, auto_cast
from paddlite.recipe.checkpoint import Checkpoint, Store
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.evaluate import evaluate
from paddlite.recipe.metrics import METRICS, SPEED, Events, Table
from paddlite.recipe.progress import Progress
from paddlite.recipe.resume import check_same_recipe
from paddlite.recipe.schema import Recipe
from paddlite.recipe.stop import StopRequest
from paddlite.recipe.watchdog import Watchdog
from paddlite.recipe.weights import set_state

TIME_IS_UP = -1


class Loop:
    """A training run on this rank: from where it stands to its end, or to where it is stopped."""

    def __init__(self, recipe: Recipe, parts: Parts, run: Path, dog: Watchdog, request: StopRequest):
        self.recipe, self.parts, self.run = recipe, parts, run
        self.dog, self.request = dog, request
        self.store = Store(run, recipe.checkpoint.keep)
        self.per_epoch = parts.batches.steps
        whole = recipe.train.steps or (recipe.train.epochs or 0) * self.per_epoch
        self.total = min(whole, recipe.train.max_steps or whole)
        self._eval_every = (recipe.train.eval_every or self.per_epoch) if parts.eval_set is not None else None
        self.step = 0
        self.skipped = 0
        self.best: float | None = None
        self.best_step: int | None = None
        self.last_eval: dict[str, float] = {}
        self.main = WORLD.rank == 0
        self._first_part = WORLD.rank * parts.batches.parts
        self._guard = auto_cast(recipe)
        self._start_random = randomness.start if _of_the_user(recipe) else randomness.start_own
        self._tables: _Tables | None = None
        self._saved_at = -1

    # ------------------------------------------------------------------ resuming
    def restore(self, checkpoint: Checkpoint, allowed: Sequence[str] = ()) -> None:
        """Take up the state of a checkpoint.

        Args:
            allowed: keys of the recipe that may differ from the saved one.

        Raises:
            RecipeError: it is of another recipe.
        """
        state, parts = checkpoint.state, self.parts
        check_same_recipe(state["recipe"], self.recipe, allowed)
        set_state(parts.model, checkpoint.model)
        parts.optimizer.set_state_dict(checkpoint.optimizer)  # the schedule too
        if state["ranks"] == WORLD.size and checkpoint.buffers:
            buffers.restore(parts.model, checkpoint.buffers[WORLD.rank])
        if state["scaler"]:
            parts.scaler.load_state_dict(state["scaler"])
        self.step, self.skipped, self.last_eval = state["step"], state["skipped"], state["last_eval"]
        self.best, self.best_step = state["best"], state["best_step"]
        self._saved_at = self.step
        if self.main and self.best_step is not None:
            self.store.point("best", self.best_step)  # a kill may have come before the link
        now = parts.batches.parts * WORLD.size
        if self.main and state["parts"] != now:
            print(
                f"warning: the checkpoint was written with batches in {state['parts']} parts and the run goes on with "
                f"{now}: the same samples in each step, but sums and dropout differ",
                flush=True,
            )

    @property
    def complete(self) -> bool:
        """True where nothing is left to do."""
        return self.step >= self.total and not self._evaluation_due()

    # ------------------------------------------------------------------ running
    def train(self) -> int:
        """Run to the end; gives the number of the signal that stopped it, 0 where it is complete."""
        recipe = self.recipe
        tables = _Tables(self.run, self.step, self.last_eval.get("step", 0), recipe) if self.main else None
        self._tables = tables
        progress = Progress(self.main, self.total, self.step)
        began = time.monotonic()
        switch(generator=Generator(recipe.seed))  # the run's own, started anew at each step
        try:
            if self.step and self._evaluation_due():
                self._evaluate(progress, tables)  # where it was given up for a stop
            stopped = self._agreed_stop(False)
            while self.step < self.total and not stopped:
                stopped = self._epoch(self.step // self.per_epoch, progress, tables, began)
            if stopped <= 0 or recipe.checkpoint.on_signal:
                self._save()
        finally:
            progress.close()
            if tables is not None:
                tables.close()
        return max(stopped, 0)

    def _epoch(self, epoch: int, progress: Progress, tables: _Tables | None, began: float) -> int:
        """The rest of an epoch; gives what stopped it, 0 where nothing did."""
        recipe, parts = self.recipe, self.parts
        first = self.step - epoch * self.per_epoch
        data = parts.train_set
        sampler = PartSampler(parts.batches, data, epoch, first)
        loader = DataLoader(randomness.seeding(data), batch_sampler=sampler, num_workers=recipe.data.workers)
        shares, count = sampler.shares, parts.batches.parts
        items = iter(loader)
        parts.network.train()
        for index in range(self.per_epoch - first):
            start = time.perf_counter()
            batches = [next(items) for _ in range(count)]
            reading = time.perf_counter() - start
            self.step += 1
            logged = self.step % recipe.train.log_every == 0 or self.step == self.total
            loss = self._one_step(batches, shares[index * count : (index + 1) * count], logged)
            self.dog.beat()
            progress.step()
            if logged:
                self._log(loss, epoch, time.perf_counter() - start, reading, progress, tables)
            if self._evaluation_due():
                self._evaluate(progress, tables)
            if recipe.checkpoint.every and self.step % recipe.checkpoint.every == 0:
                self._save()
            limit = recipe.train.max_seconds
            late = limit is not None and time.monotonic() - began > limit
            stopped = self._agreed_stop(late)
            if stopped or self.step >= self.total:
                return stopped
        return 0

    def _agreed_stop(self, late: bool) -> int:
        found = self.request.agreed(WORLD.communicator, 1000 if late else 0)
        return TIME_IS_UP if found == 1000 else found

    def _one_step(self, batches: list, shares: list[float], logged: bool) -> float | None:
        """Forward, backward and update; gives the loss over all ranks where it is logged."""
        parts, recipe = self.parts, self.recipe
        total = 0.0
        for i, (batch, share) in enumerate(zip(batches, shares)):
            self._start_random(randomness.mixed(recipe.seed, self.step, self._first_part + i))
            with self._guard:
                loss = parts.task.loss(parts.network, batch)
            # Weighted by its share of the samples, so that the mean over ranks and parts is the mean over samples;
            # divided by the parts afterwards, so that float16 sees the same numbers however many there are.
            weight = share * WORLD.size * len(batches)
            weighted = parts.scaler.scale(loss if weight == 1.0 else loss * weight)
            if i + 1 < len(batches) and WORLD.size > 1:
                with parts.network.no_sync():
                    weighted.backward()
            else:
                weighted.backward()
            if logged:
                total += float(loss) * share
        if len(batches) > 1:
            _divide_gradients(parts.model, len(batches))
        parts.scaler.step(parts.optimizer)
        parts.scaler.update()
        if parts.scaler.is_enable() and parts.scaler.last_step_skipped(parts.optimizer):
            self.skipped += 1
        parts.optimizer.clear_grad(set_to_zero=False)
        if parts.scheduler is not None:
            parts.scheduler.step()
        if not logged:
            return None
        if WORLD.size > 1:
            total = float(WORLD.communicator.all_reduce(np.array([total]), "sum")[0])
        return total

    # ------------------------------------------------------------------ telling
    def _log(
        self, loss: float | None, epoch: int, seconds: float, reading: float, progress: Progress, tables: _Tables | None
    ) -> None:
        if not self.main or tables is None:
            return
        scaler = self.parts.scaler
        row = {
            "step": self.step,
            "epoch": epoch,
            "loss": loss,
            "lr": self.parts.optimizer.get_lr(),
            "loss_scale": float(scaler.get_loss_scaling()) if scaler.is_enable() else 1.0,
            "skipped_steps": self.skipped,
        }
        rate = self.recipe.data.global_batch_size / max(seconds, 1e-9)
        tables.add(row, {"step": self.step, "seconds": f"{seconds:.6f}", "samples_per_second": f"{rate:.1f}",
                         "reader_seconds": f"{reading:.6f}", "memory_mb": f"{_memory():.1f}"})  # fmt: skip
        shown = {
            "loss": f"{loss:.4f}",
            "lr": f"{row['lr']:.3g}",
            "samples/s": f"{rate:.0f}",
            "reader": f"{reading * 1e3:.1f}ms",
        }
        if scaler.is_enable():
            shown["scale"] = f"{row['loss_scale']:g}"
        progress.numbers(self.step, epoch, shown)

    def _evaluation_due(self) -> bool:
        every = self._eval_every
        due = every is not None and (self.step % every == 0 or self.step >= self.total)
        return due and self.last_eval.get("step") != self.step

    def _evaluate(self, progress: Progress, tables: _Tables | None) -> None:
        parts, recipe = self.parts, self.recipe
        found = evaluate(recipe, parts.task, parts.model, parts.eval_set, self._go_on)
        if found is None:
            return  # a stop was asked for: the resumed run evaluates again
        self.last_eval = {"step": self.step, **found}
        self._saved_at = -1  # what is saved of this step, if anything, does not know of it
        if tables is not None:
            tables.evaluation(self.step, found)
        progress.line(f"evaluation at step {self.step}: " + "  ".join(f"{k} {v:.4f}" for k, v in found.items()))
        self._keep_if_best(found)

    def _go_on(self) -> bool:
        self.dog.beat()
        return not self._agreed_stop(False)

    def _keep_if_best(self, found: dict[str, float]) -> None:
        wanted = self.recipe.checkpoint.best
        if wanted is None:
            return
        if wanted not in found:
            raise RecipeError(f"checkpoint.best: there is no metric '{wanted}'; this task measures {', '.join(found)}")
        value, sign = found[wanted], 1 if self.recipe.checkpoint.mode == "max" else -1
        if value == value and (self.best is None or sign * value > sign * self.best):  # NaN is never best
            self.best, self.best_step = value, self.step
            self._save(best=True)

    def _save(self, best: bool = False) -> None:
        if self._saved_at == self.step and not best:
            return
        self._saved_at = self.step
        parts = self.parts
        others = buffers.gather(parts.model, WORLD.communicator)
        if self.main:
            state = {
                "step": self.step,
                "skipped": self.skipped,
                "best": self.best,
                "best_step": self.best_step,
                "last_eval": self.last_eval,
                "parts": parts.batches.parts * WORLD.size,
                "ranks": WORLD.size,
                "scaler": parts.scaler.state_dict(),
                "recipe": self.recipe.model_dump(mode="json"),
            }
            if self._tables is not None:
                self._tables.sync()
            self.store.write(self.step, parts.model.state_dict(), parts.optimizer.state_dict(), state, best, others)
        # Where that fails, rank 0 tells it and ends the others, which wait here.
        WORLD.communicator.barrier()
        self.dog.beat()


class _Tables:
    """The files of numbers that rank 0 writes."""

    def __init__(self, run: Path, step: int, evaluated: int, recipe: Recipe):
        from paddlite.recipe.tasks import TASKS

        names = TASKS[recipe.recipe].metrics
        self.metrics = Table(run / "metrics.csv", METRICS, step)
        self.speed = Table(run / "speed.csv", SPEED, step)
        self.eval = Table(run / "eval.csv", ("step", *names), evaluated)
        self.events = Events(run, recipe.metrics.tensorboard, recipe.metrics.visualdl)

    def add(self, row: dict[str, Any], speed: dict[str, Any]) -> None:
        self.metrics.add(**row)
        self.speed.add(**speed)
        if self.events:
            told = {f"train/{k}": float(row[k]) for k in ("loss", "lr", "loss_scale", "skipped_steps")}
            self.events.add(row["step"], {**told, "train/samples_per_second": float(speed["samples_per_second"])})

    def evaluation(self, step: int, found: dict[str, float]) -> None:
        self.eval.add(step=step, **found)
        self.events.add(step, {f"eval/{k}": v for k, v in found.items()})

    def sync(self) -> None:
        """Have the numbers on the disk before a checkpoint that stands behind them."""
        for file in (self.metrics, self.eval):
            file.sync()

    def close(self) -> None:
        for file in (self.metrics, self.speed, self.eval, self.events):
            file.close()


def _of_the_user(recipe: Recipe) -> bool:
    """True where a step runs code that is not ours, which may draw from Python's or NumPy's random numbers."""
    parts = (recipe.model, recipe.loss, recipe.optimizer, recipe.optimizer.schedule)
    return any(":" in part.name for part in parts if part is not None)


def _divide_gradients(model: Any, parts: int) -> None:
    for parameter in model.parameters():
        gradient = parameter.grad
        if gradient is not None:
            gradient._data *= gradient._data.dtype.type(1.0 / parts)
            gradient._version[0] += 1


def _memory() -> float:
    """Peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
