"""The folder of a run: never one that was used before, unless it is resumed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from paddlite.recipe import lock
from paddlite.recipe.errors import RecipeError


def create(output: Path, name: str) -> Path:
    """A new folder `output/name/NNNN`; `output/name/latest` points to it.

    Raises:
        RecipeError: it cannot be made.
    """
    parent = output / name
    try:
        parent.mkdir(parents=True, exist_ok=True)
        number = max((int(p.name) for p in numbered(parent)), default=0) + 1
        while True:
            run = parent / f"{number:04d}"
            try:
                run.mkdir()
                break
            except FileExistsError:  # another job took it just now
                number += 1
        (run / "logs").mkdir()
    except OSError as error:
        raise RecipeError(f"cannot make a folder for the run in {parent}: {error.strerror}") from None
    _point(parent / "latest", run.name)
    return run


def given(path: Path, resume: bool) -> Path:
    """The folder at `path`, as the user named it.

    Raises:
        RecipeError: it holds a run already and is not resumed, or cannot be made.
        StorageError: a run in it is still going.
    """
    if not resume and (path / "logs").exists():
        raise RecipeError(f"{path} holds a run already; give another --run-dir, or --resume {path}")
    try:
        (path / "logs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecipeError(f"cannot make the folder {path}: {error.strerror}") from None
    if resume:
        lock.wait_until_free(path)
    return path


def numbered(parent: Path) -> list[Path]:
    """The runs in `parent`, oldest first."""
    if not parent.is_dir():
        return []
    return sorted(p for p in parent.iterdir() if re.fullmatch(r"\d{4,}", p.name) and p.is_dir())


def _point(link: Path, target: str) -> None:
    part = link.with_name(f".{link.name}.{os.getpid()}")
    try:
        part.symlink_to(target)
        os.replace(part, link)
    except OSError:
        pass  # a file system without links: the number says which is newest


def clear_records(run: Path) -> None:
    """Remove what an earlier start of the same run wrote about its ranks, so that only this one's word counts."""
    for pattern in ("rank*.json", "rank*.alive", "rank*.stacks.txt"):
        for path in (run / "logs").glob(pattern):
            path.unlink(missing_ok=True)
