"""What rank 0 shows: a progress bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from typing import Any


def on_terminal() -> bool:
    """True where the user looks at a terminal: this process's, or that of the launcher that started it."""
    said = os.environ.get("PADDLITE_CONSOLE")
    return said == "tty" if said is not None else sys.stderr.isatty()


class Progress:
    """Shows steps and the numbers that come with them; silent on other ranks."""

    def __init__(self, shown: bool, total: int, first: int):
        self._bar: Any = None
        self._shown = shown
        self._total = total
        if shown and on_terminal():
            from tqdm import tqdm

            self._bar = tqdm(total=total, initial=first, unit="step", file=sys.stderr, dynamic_ncols=True, leave=True)

    def step(self) -> None:
        """One step is done."""
        if self._bar is not None:
            self._bar.update()

    def numbers(self, step: int, epoch: int, values: dict[str, str]) -> None:
        """Numbers of a step."""
        if self._bar is not None:
            self._bar.set_postfix(values, refresh=False)
        elif self._shown:
            text = "  ".join(f"{name} {value}" for name, value in values.items())
            print(f"step {step}/{self._total}  epoch {epoch}  {text}", flush=True)

    def line(self, text: str) -> None:
        """A line that stays."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stdout)
            sys.stdout.flush()
        elif self._shown:
            print(text, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
