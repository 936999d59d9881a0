"""Unique names in the reference's style: `linear_0`, `generated_tensor_3`."""

from __future__ import annotations

from collections import Counter


class Names:
    """Counts how often each stem was used."""

    __slots__ = ("_used", "prefix")

    def __init__(self, prefix: str = ""):
        self._used: Counter[str] = Counter()
        self.prefix = prefix

    def new(self, stem: str) -> str:
        stem = self.prefix + stem
        number = self._used[stem]
        self._used[stem] = number + 1
        return f"{stem}_{number}"
