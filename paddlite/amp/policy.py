"""Which dtype an op runs in under AMP: one pure function, and the guard's state that applies it.

Eager calls `Casts.cast` in `dispatch`; the Program pass replays recorded calls through `dispatch` with the same guard
on, so the two cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.core.dispatch import cast_to
from paddlite.core.mode import current
from paddlite.core.op import Op
from paddlite.core.program import Variable
from paddlite.core.promote import NUMBERS
from paddlite.core.tensor import Parameter

LEVELS = ("O0", "OD", "O1", "O2")


def target_dtype(
    op: Op,
    level: str,
    low: np.dtype,
    dtypes: Iterable[np.dtype],
    white: frozenset[str] = frozenset(),
    black: frozenset[str] = frozenset(),
    promote: bool = True,
) -> np.dtype | None:
    """The dtype that the float32 and half inputs of `op` are brought to; None where they stay as they are.

    Args:
        level: "O1" runs `low` ops in the low precision, `keep32_o1` and `keep32` ones in float32, and lets the rest
            follow their widest input; "O2" lets `keep32_o1` ops follow too; "OD" runs all but `low` ops in float32.
        low: float16 or bfloat16.
        dtypes: of the inputs that take part.
        white: ops moved to the low precision by the user.
        black: ops kept in float32 by the user.
        promote: False makes ops that would follow their inputs run in the low precision at "O2".
    """
    ours = [d for d in dtypes if d == F32 or d in HALF]
    if level == "O0" or op.amp == "never" or not ours:
        return None
    if op.name in black:
        return F32
    if op.name in white or op.amp == "low":
        return low
    if op.amp == "keep32" or (op.amp == "keep32_o1" and level != "O2"):
        return F32
    if level == "O2" and not promote:
        return low
    if level == "OD":
        return F32
    return F32 if F32 in ours or len(set(ours)) > 1 else None  # follow the widest


class Casts:
    """The state of one AMP guard: what was asked for, and the casts of parameters made so far."""

    __slots__ = ("_cache", "black", "dtype", "level", "promote", "white")

    def __init__(
        self, level: str, dtype: np.dtype, white: Iterable[str] = (), black: Iterable[str] = (), promote: bool = True
    ):
        self.level, self.dtype, self.promote = level, dtype, promote
        self.white, self.black = frozenset(white), frozenset(black)
        self._cache: dict[tuple, tuple[Any, Any]] = {}

    def cast(self, op: Op, inputs: tuple) -> tuple:
        """`inputs` with the casts that the policy asks for, made by the `cast` op."""
        taking_part = [i for i in range(len(inputs)) if self._takes_part(op, i, inputs[i])]
        dtypes = [inputs[i]._dtype for i in taking_part]
        target = target_dtype(op, self.level, self.dtype, dtypes, self.white, self.black, self.promote)
        if target is None:
            return inputs
        result = list(inputs)
        for i in taking_part:
            dtype = inputs[i]._dtype
            if dtype != target and (dtype == F32 or dtype in HALF):
                result[i] = self._cast(inputs[i], target)
        return tuple(result)

    @staticmethod
    def _takes_part(op: Op, i: int, x: Any) -> bool:
        if x is None or isinstance(x, NUMBERS) or not hasattr(x, "_dtype") or i in op.shape_only:
            return False
        return op.amp_inputs is None or i in op.amp_inputs

    def _cast(self, x: Any, dtype: np.dtype) -> Any:
        mode = current()
        if isinstance(x, Variable):
            if x._value.node is not None or x._value.name in x._block.program.feeds:
                return cast_to(x, dtype)
            key = (id(x._value), 0, dtype, mode.grad)  # a value of a Program never changes
        elif isinstance(x, Parameter):
            key = (id(x), x._version[0], dtype, mode.grad, id(mode.block))
        else:
            return cast_to(x, dtype)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = (x, cast_to(x, dtype))  # holding x keeps its id from being used again
        return found[1]
