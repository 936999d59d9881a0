"""What is wrong with a recipe, told by file and line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from paddlite.recipe import codes


class RecipeError(ValueError):
    """A recipe (or an override of it) that cannot be used.  `problems` has one line each."""

    exit_code = codes.USAGE

    def __init__(self, problems: str | Sequence[str]):
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class StorageError(RuntimeError):
    """A file of the run cannot be written, or a checkpoint cannot be read; the text gives the cure."""

    exit_code = codes.STORAGE


@contextlib.contextmanager
def writing_to(run: Path) -> Iterator[None]:
    """While entered, an error of the system is one of writing to the folder `run`.

    Raises:
        StorageError: it says so.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(f"the run cannot write to its folder {run}: {error.strerror or error}") from error


def suggestion(name: object, known: Sequence[str], prefix: str = "") -> str:
    """ "; did you mean 'prefix.near'?", or "" where nothing known is near."""
    by_lower = {str(k).lower(): str(k) for k in known}
    near = get_close_matches(str(name).lower(), list(by_lower), 1, 0.6)
    return f"; did you mean '{prefix}{by_lower[near[0]]}'?" if near else ""
