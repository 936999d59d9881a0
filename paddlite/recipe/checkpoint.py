"""Checkpoints: written whole or not at all, checked when read, the newest good one used.

A checkpoint is a folder `checkpoints/step00000200`.  It is written under a hidden name, synced to disk and renamed, so
that a crash at any moment leaves either the old state or the new.  `manifest.json` holds size and CRC-32 of each file.
`last` and `best` are links for people; what is best stands in the state itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import paddlite as paddle
from paddlite.recipe.errors import StorageError

_PREFIXES = ("writing", "old", "removing")  # of hidden folders: on the way in, and on the way out
_FILES = ("model.pdparams", "optimizer.pdopt", "state.json")
_BUFFERS = "buffers.pdparams"  # where there is something to hold
FORMAT = 1  # of checkpoints; another is refused


class Checkpoint(NamedTuple):
    """What a run needs to go on."""

    path: Path
    model: dict[str, Any]
    optimizer: dict[str, Any]
    state: dict[str, Any]
    buffers: list[dict[str, Any]] = []  # of each rank, what `model` does not hold


class Store:
    """The checkpoints of one run.  One process writes them; hidden names are its work in progress."""

    def __init__(self, run: Path, keep: int):
        self.folder = run / "checkpoints"
        self.keep = keep

    def write(
        self, step: int, model: dict, optimizer: dict, state: dict, best: bool = False, buffers: Sequence[dict] = ()
    ) -> Path:
        """Write the checkpoint of `step`, point `last` (and `best`) to it, and remove what is no longer kept.

        Args:
            model, optimizer: their `state_dict()`.
            state: everything else, in what JSON can say.
            buffers: for each rank, what `model` does not hold of its network.

        Raises:
            StorageError: the disk is full or the folder cannot be written to.
        """
        final = self.path(step)
        part = self.folder / f".writing-{final.name}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hidden("writing", final).mkdir()
            manifest = {
                "model.pdparams": _written(part / "model.pdparams", lambda file: paddle.save(model, file)),
                "optimizer.pdopt": _written(part / "optimizer.pdopt", lambda file: paddle.save(optimizer, file)),
                "state.json": _written(
                    part / "state.json", lambda file: file.write(_json({"format": FORMAT, **state}))
                ),
            }
            if buffers:
                manifest[_BUFFERS] = _written(part / _BUFFERS, lambda file: paddle.save(list(buffers), file))
            _written(part / "manifest.json", lambda file: file.write(_json(manifest)))
            _sync_folder(part)
            if final.exists():  # damaged, or written before the evaluation of its step
                os.rename(final, self._hidden("old", final))
            os.rename(part, final)
            _sync_folder(self.folder)
            self.point("last", step)
            if best:
                self.point("best", step)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise StorageError(
                f"the checkpoint of step {step} cannot be written to {self.folder}: {error.strerror or error}. "
                "Earlier checkpoints are intact; free some space (or fix the permissions) and run again with --resume."
            ) from error
        self._prune(step)
        return final

    def path(self, step: int) -> Path:
        """The folder of the checkpoint of `step`."""
        return self.folder / f"step{step:08d}"

    def all(self) -> list[Path]:
        """Folders of checkpoints, oldest first; one that a file system or a person damaged is among them."""
        found = {_step(path): path for path in self.folder.glob("step*") if _step(path) >= 0}
        return [found[step] for step in sorted(found)]

    def newest(self, tell: Callable[[str], None] = print) -> Path | None:
        """The newest checkpoint that is whole, as `newest_of` says."""
        return newest_of(self.all(), damaged, tell)

    def best(self) -> Path | None:
        """The folder of the best checkpoint."""
        link = self.folder / "best"
        found = self.folder / (os.readlink(link) if link.is_symlink() else link.read_text() if link.exists() else "?")
        return found if found.is_dir() else None

    def point(self, name: str, step: int) -> None:
        """Let the link `name` ("last", "best") point to the checkpoint of `step`."""
        target, part = self.path(step).name, self.folder / f".{name}"
        part.unlink(missing_ok=True)
        try:
            part.symlink_to(target)
        except (OSError, NotImplementedError):  # a file system without links
            part.write_text(target)
        os.replace(part, self.folder / name)

    def tidy(self) -> None:
        """Remove what a writer that was killed has left.  Nobody else may be writing."""
        for path in self.folder.glob(".old-*"):
            whole = self.folder / path.name.removeprefix(".old-")
            if not whole.exists():
                os.rename(path, whole)  # killed between the two renames
        for prefix in (*_PREFIXES, "last", "best"):
            for path in self.folder.glob(f".{prefix}*"):
                _remove(path)

    def _hidden(self, prefix: str, path: Path) -> Path:
        """A hidden name beside `path` that nothing has."""
        hidden = self.folder / f".{prefix}-{path.name}"
        _remove(hidden)
        return hidden

    def _prune(self, step: int) -> None:
        """Remove all but the newest `keep` and the best; and what lies ahead of `step`, which was damaged."""
        best, found = self.best(), self.all()
        past = [p for p in found if _step(p) <= step and p != best]
        ahead = [p for p in found if _step(p) > step]
        with contextlib.suppress(OSError):  # what is left harms nobody and goes the next time
            for path in [*past[: -self.keep], *ahead]:
                os.rename(path, self._hidden("removing", path))  # so that a kill leaves no half of one in sight
            for prefix in ("removing", "old"):
                for path in self.folder.glob(f".{prefix}-*"):
                    _remove(path)


def newest_of(
    paths: Sequence[Path], damage_of: Callable[[Path], str | None], tell: Callable[[str], None] = print
) -> Path | None:
    """The last of `paths` that can be used; None where there are none.

    Args:
        damage_of: what is wrong with one, or None.
        tell: is given a line for each damaged one that is passed over.

    Raises:
        StorageError: none can be used.
    """
    told: list[str] = []
    for path in reversed(paths):
        damage = damage_of(path)
        if damage is None:
            for text in told:
                tell(f"warning: {text}; {path.name} before it is used")
            return path
        told.append(f"checkpoint {path} is damaged ({damage})")
    if told:
        raise StorageError("\n".join(["no checkpoint can be used:", *told, "Start anew without --resume."]))
    return None


def read(path: Path) -> Checkpoint:
    """The checkpoint in the folder `path`, whose sums have been checked (see `damaged`).

    Raises:
        StorageError: it cannot be read, or is of another format.
    """
    try:
        state = json.loads((path / "state.json").read_text())
        found = state.pop("format", None) if isinstance(state, dict) else None
        if found != FORMAT:
            raise StorageError(f"it is of format {found}, and this version of paddlite reads format {FORMAT}")
        buffers = paddle.load(str(path / _BUFFERS)) if (path / _BUFFERS).exists() else []
        model, optimizer = (paddle.load(str(path / name)) for name in _FILES[:2])
        return Checkpoint(path, model, optimizer, state, buffers)
    except (OSError, ValueError, StorageError) as error:
        raise StorageError(f"checkpoint {path} cannot be read: {error}") from error


def damaged(path: Path) -> str | None:
    """What is wrong with the checkpoint in `path`; None where it is whole."""
    try:
        manifest = json.loads((path / "manifest.json").read_text())
    except (OSError, ValueError):
        return "manifest.json is missing or unreadable"
    for name in {**dict.fromkeys(_FILES), **(manifest if isinstance(manifest, dict) else {})}:
        if not isinstance(manifest, dict) or name not in manifest:
            return f"manifest.json does not list {name}"
        try:
            found = _fingerprint(path / name)
        except OSError as error:
            return f"{name}: {error.strerror}"
        if found != manifest[name]:
            return f"{name} is not what was written"
    return None


def _step(path: Path) -> int:
    found = re.fullmatch(r"step(\d+)", path.name)
    return int(found[1]) if found else -1


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode()


class _Summing:
    """A file that is written to, with the size and CRC-32 of what went in."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self.size = self.crc = 0

    def write(self, data: Any) -> int:
        self.size += memoryview(data).nbytes
        self.crc = zlib.crc32(data, self.crc)
        return self._file.write(data)


def _written(path: Path, write: Callable[[Any], Any]) -> list[int]:
    """Write a file through to the disk; gives its size and CRC-32."""
    with path.open("wb") as file:
        summing = _Summing(file)
        write(summing)
        file.flush()
        os.fsync(file.fileno())
    return [summing.size, summing.crc]


def _fingerprint(path: Path) -> list[int]:
    size = crc = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            size += len(chunk)
            crc = zlib.crc32(chunk, crc)
    return [size, crc]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
