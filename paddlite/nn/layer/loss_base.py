"""What all losses have in common."""

from __future__ import annotations

from paddlite.core.errors import InvalidArgument
from paddlite.nn.layer.layers import Layer


class Loss(Layer):
    """Base of losses: `reduction` says what becomes of the single values."""

    _reductions: tuple[str, ...] = ("mean", "sum", "none")

    def __init__(self, reduction: str, name: str | None = None):
        super().__init__()
        if reduction not in self._reductions:
            raise InvalidArgument(
                f"{type(self).__name__}: reduction must be one of {self._reductions}, got {reduction!r}"
            )
        self.reduction, self.name = reduction, name
