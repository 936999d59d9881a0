"""What a run measures, in files: `metrics.csv`, `eval.csv` and `speed.csv`, and event files where they are wanted.

`metrics.csv` and `eval.csv` hold nothing that depends on the clock: a resumed run's are equal to an uninterrupted
run's, bit for bit.  Times are in `speed.csv`.
"""

from __future__ import annotations

import contextlib
import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paddlite.recipe.errors import StorageError

METRICS = ("step", "epoch", "loss", "lr", "loss_scale", "skipped_steps")
SPEED = ("step", "seconds", "samples_per_second", "reader_seconds", "memory_mb")


class Table:
    """A CSV file to which rows are added, each on disk at once."""

    def __init__(self, path: Path, columns: tuple[str, ...], after_step: int = 0):
        self.path, self.columns = path, columns
        with _telling(path):
            if path.exists():
                self._cut(after_step)
            else:
                path.write_text(",".join(columns) + "\n")
            self._file = path.open("a", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")

    def _cut(self, step: int) -> None:
        """Drop the rows beyond `step`, which a resumed run writes again, and a last line cut short by a crash."""
        kept = []
        for line in self.path.read_text().splitlines(keepends=True)[1:]:
            number = line.split(",", 1)[0]
            if line.endswith("\n") and number.isdigit() and int(number) <= step:
                kept.append(line)
        part = self.path.with_suffix(".part")
        part.write_text(",".join(self.columns) + "\n" + "".join(kept))
        os.replace(part, self.path)

    def add(self, **values: Any) -> None:
        """Append a row.

        Raises:
            StorageError: the disk is full.
        """
        with _telling(self.path):
            self._writer.writerow([values[name] for name in self.columns])
            self._file.flush()

    def sync(self) -> None:
        """Have all rows on the disk."""
        with _telling(self.path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what could not be written has been told
            self._file.close()


@contextlib.contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror or error}. Checkpoints are intact; free some space (or fix the "
            "permissions) and run again with --resume."
        ) from error


def read_table(path: Path) -> dict[str, list[float]]:
    """The columns of a table."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in (rows[0] if rows else {})}


class Events:
    """TensorBoard's and VisualDL's event files, where asked for and installed."""

    def __init__(self, run: Path, tensorboard: bool, visualdl: bool):
        self._writers = []
        if tensorboard:
            self._add("tensorboardX", "SummaryWriter", run / "tensorboard", "pip install tensorboardX")
        if visualdl:
            self._add("visualdl", "LogWriter", run / "visualdl", "pip install visualdl")

    def _add(self, module: str, name: str, folder: Path, cure: str) -> None:
        from importlib import import_module

        try:
            self._writers.append(getattr(import_module(module), name)(logdir=str(folder)))
        except ImportError:
            text = f"warning: metrics.{folder.name}: {module} is not installed ({cure}); no events are written"
            print(text, file=sys.stderr, flush=True)

    def __bool__(self) -> bool:
        return bool(self._writers)

    def add(self, step: int, values: dict[str, float]) -> None:
        """Write numbers by name."""
        for writer in self._writers:
            for name, value in values.items():
                writer.add_scalar(name, value, step)

    def close(self) -> None:
        for writer in self._writers:
            writer.close()
