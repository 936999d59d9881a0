"""Update rules: how one optimizer step changes a parameter and what is remembered of it, in place.

A rule is written for flat arrays:

* `coefficients(xp, rate, *numbers, **attrs)` computes the 0-D arrays that the step needs, once for many parameters.
  The rate and the numbers that vary from step to step (powers of beta) are 0-D arrays in every mode.
* `apply(xp, p, g, *slots, *scratch, *coefficients)` changes `p` and the slots in place, with `out=` throughout.
* `advance(xp, *numbers, **attrs)` moves the numbers on.
* `expr(given)` is `apply` for one element, from which a GPU's kernel is made.

`blocks.py` applies a rule to blocks that fit the cache, `fused.py` in one kernel on a GPU; `define` (`op.py`) makes the
op for one parameter, so that an optimizer's step and a Program compute the same bits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF


class Rule:
    """One update rule.

    Args:
        name: Paddle's op type.
        apply: see the module.
        slots: names of what is remembered for each element; those in `optional` may be absent (None).
        numbers: names of what is remembered for a parameter as a whole.
        coefficients: see the module; left out, the rate alone.
        advance: see the module; left out, the numbers never change.
        scratch: how many arrays like `p` the rule needs for intermediate results.
        whole: `apply` needs the whole parameter, not a block of it, and gets arrays of its shape.
        optional: slots that may be absent.
        expr: `expr(given)` is the same for one element, as assignments in the names of `apply`, where `given` holds the
            slots and coefficients that are not None; see `fused.py`.
    """

    __slots__ = (
        "advance", "apply", "attrs", "coefficients", "expr", "kernels", "name", "numbers", "optional", "scratch",
        "slots", "whole",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        apply: Callable,
        *,
        slots: tuple[str, ...] = (),
        numbers: tuple[str, ...] = (),
        coefficients: Callable | None = None,
        advance: Callable | None = None,
        scratch: int = 1,
        whole: bool = False,
        optional: tuple[str, ...] = (),
        expr: Callable[[Container[str]], list[str]] | None = None,
    ):
        self.expr = expr
        self.kernels: dict[Any, Any] = {}  # compiled, by what is given
        self.name, self.apply, self.slots, self.numbers = name, apply, slots, numbers
        self.coefficients = coefficients if coefficients is not None else _rate_alone
        self.advance = advance
        self.scratch, self.whole, self.optional = scratch, whole, optional
        self.attrs = {
            p.name: p.default
            for p in inspect.signature(self.coefficients).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        }

    def __repr__(self) -> str:
        return f"<update rule {self.name}>"

    def prepare(self, xp: Any, rate: Any, numbers: Sequence[Any], attrs: dict[str, Any], dtype: np.dtype) -> tuple:
        """The coefficients of one step in `dtype`; whole numbers and absent ones (None) as they are."""
        found = self.coefficients(xp, xp.asarray(rate, dtype).reshape(()), *numbers, **attrs)
        if xp is not np:
            return tuple([c.astype(dtype) if hasattr(c, "dtype") and c.dtype.kind == "f" else c for c in found])
        # NumPy takes a 0-D array faster than a scalar
        return tuple([np.asarray(c, dtype) if isinstance(c, (float, np.floating, np.ndarray)) else c for c in found])


def _rate_alone(xp: Any, rate: Any) -> tuple:
    return (rate,)


class Penalty:
    """Weight decay: adds `coefficient * p` to the gradient, or `coefficient * sign(p)`."""

    __slots__ = ("coefficient", "expr", "signs")

    def __init__(self, coefficient: Any, signs: bool):
        self.coefficient, self.signs = coefficient, signs
        self.expr = "g = sign(p) * decay + g" if signs else "g = p * decay + g"

    def add(self, xp: Any, p: Any, g: Any, out: Any) -> None:
        """Write the gradient with the decay to `out`."""
        if self.signs:
            xp.sign(p, out=out)
            xp.multiply(out, self.coefficient, out=out)
        else:
            xp.multiply(p, self.coefficient, out=out)
        xp.add(out, g, out=out)


def wide(dtype: np.dtype) -> np.dtype:
    """The dtype in which values of `dtype` are updated: float32 for half types."""
    return F32 if dtype in HALF else dtype
