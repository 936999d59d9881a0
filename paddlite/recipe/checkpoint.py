"""Checkpoints: written whole or not at all, checked when read, the newest good one used.

A checkpoint is a folder `checkpoints/step00000200`.  It is written under another name, synced to disk and renamed, so
that a crash at any moment leaves either the old state or the new.  `manifest.json` holds size and CRC-32 of each file.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import paddlite as paddle
from paddlite.recipe.errors import RecipeError

_FILES = ("model.pdparams", "optimizer.pdopt", "state.json")


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be written; those before it are intact."""


class Checkpoint(NamedTuple):
    """What a run needs to go on."""

    path: Path
    model: dict[str, Any]
    optimizer: dict[str, Any]
    state: dict[str, Any]


class Store:
    """The checkpoints of one run."""

    def __init__(self, run: Path, keep: int):
        self.folder = run / "checkpoints"
        self.keep = keep

    def write(self, step: int, model: dict, optimizer: dict, state: dict[str, Any], best: bool = False) -> Path:
        """Write the checkpoint of `step`, point `last` (and `best`) to it, and remove what is no longer kept.

        Raises:
            CheckpointError: the disk is full or the folder cannot be written to.
        """
        final = self.folder / f"step{step:08d}"
        part = self.folder / f".writing-step{step:08d}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            paddle.save(model, str(part / "model.pdparams"))
            paddle.save(optimizer, str(part / "optimizer.pdopt"))
            (part / "state.json").write_text(json.dumps(state))
            manifest = {name: _fingerprint(part / name) for name in _FILES}
            (part / "manifest.json").write_text(json.dumps(manifest))
            _sync(part)
            if final.exists():
                shutil.rmtree(final)
            os.rename(part, final)
            _sync_folder(self.folder)
            self._point("last", final.name)
            if best:
                self._point("best", final.name)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise CheckpointError(
                f"the checkpoint of step {step} cannot be written to {self.folder}: {error.strerror or error}. "
                "Earlier checkpoints are intact; free some space (or fix the permissions) and run again with --resume."
            ) from error
        self._prune()
        return final

    def all(self) -> list[Path]:
        """Folders of complete checkpoints, oldest first."""
        return sorted(self.folder.glob("step*"))

    def read_last(self) -> Checkpoint | None:
        """The newest checkpoint that is whole; None where there is none.  Damaged ones are named in a warning."""
        for path in reversed(self.all()):
            damage = damaged(path)
            if damage is None:
                return read(path)
            warnings.warn(
                f"checkpoint {path} is damaged ({damage}); the one before it is used", RuntimeWarning, stacklevel=2
            )
        return None

    def best(self) -> Path | None:
        """The folder of the best checkpoint."""
        link = self.folder / "best"
        return link.resolve() if link.exists() else None

    def _point(self, name: str, target: str) -> None:
        part = self.folder / f".{name}-{os.getpid()}"
        part.unlink(missing_ok=True)
        part.symlink_to(target)
        os.replace(part, self.folder / name)

    def _prune(self) -> None:
        best = self.best()
        kept = [p for p in self.all() if best is None or p.resolve() != best]
        for path in kept[: -self.keep]:
            shutil.rmtree(path, ignore_errors=True)


def read(path: Path) -> Checkpoint:
    """The checkpoint in the folder `path`.

    Raises:
        RecipeError: it is damaged.
    """
    damage = damaged(path)
    if damage is not None:
        raise RecipeError(f"checkpoint {path} is damaged: {damage}")
    state = json.loads((path / "state.json").read_text())
    model = paddle.load(str(path / "model.pdparams"))
    return Checkpoint(path, model, paddle.load(str(path / "optimizer.pdopt")), state)


def damaged(path: Path) -> str | None:
    """What is wrong with the checkpoint in `path`; None where it is whole."""
    try:
        manifest = json.loads((path / "manifest.json").read_text())
    except (OSError, ValueError):
        return "manifest.json is missing or unreadable"
    for name in _FILES:
        if name not in manifest:
            return f"manifest.json does not list {name}"
        try:
            found = _fingerprint(path / name)
        except OSError:
            return f"{name} is missing"
        if found != manifest[name]:
            return f"{name} is not what was written"
    return None


def _fingerprint(path: Path) -> list[int]:
    size = crc = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            size += len(chunk)
            crc = zlib.crc32(chunk, crc)
    return [size, crc]


def _sync(folder: Path) -> None:
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
