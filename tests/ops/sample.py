"""What a sample of an op is, and how its inputs are made.

A sample says: the op, its inputs, its attributes, and an independent reference.  `test_samples.py` runs every check on
every sample; an op without a sample fails the suite.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Spec:
    """How one input array is made: `make(rng)` gives it, floats as float64."""

    make: Callable[[np.random.Generator], np.ndarray]


def normal(*shape: int, scale: float = 1.0) -> Spec:
    """Standard normal numbers."""
    return Spec(lambda rng: rng.standard_normal(shape) * scale)


def positive(*shape: int, low: float = 0.5, high: float = 2.0) -> Spec:
    """Uniform numbers of [low, high)."""
    return Spec(lambda rng: rng.uniform(low, high, shape))


def uniform(*shape: int, low: float = -1.0, high: float = 1.0) -> Spec:
    """Uniform numbers of [low, high)."""
    return Spec(lambda rng: rng.uniform(low, high, shape))


def apart(*shape: int, step: float = 0.37) -> Spec:
    """Distinct numbers at least `step` apart, none near 0: for ops with kinks (max, sort, abs, relu)."""

    def make(rng: np.random.Generator) -> np.ndarray:
        count = int(np.prod(shape))
        values = (np.arange(count) - count // 2 + 0.5) * step
        return rng.permutation(values).reshape(shape)

    return Spec(make)


def integers(high: int, *shape: int, low: int = 0, dtype: str = "int64") -> Spec:
    """Whole numbers of [low, high)."""
    return Spec(lambda rng: rng.integers(low, high, shape).astype(dtype))


def bools(*shape: int) -> Spec:
    """Random truth values."""
    return Spec(lambda rng: rng.integers(0, 2, shape).astype(bool))


def complexes(*shape: int) -> Spec:
    """Complex numbers with normal parts, complex128."""
    return Spec(lambda rng: rng.standard_normal(shape) + 1j * rng.standard_normal(shape))


def exactly(value: Any, dtype: str | None = None) -> Spec:
    """This very array."""
    return Spec(lambda rng: np.array(value, dtype))


@dataclass(frozen=True)
class Sample:
    """One call of an op.

    Args:
        op: the op's name.
        inputs: `Spec`s, Python numbers or None, in the op's order.
        attrs: attributes.
        reference: `reference(*arrays, **attrs)` in NumPy or SciPy, given float64 (or integer, bool, complex) arrays;
            gives an array or a tuple of arrays.  Must not call the framework.
        check: in place of `reference` for random ops: `check(outputs, inputs)` asserts what must hold.
        gradient: inputs whose gradient is checked, by position; None: all floating ones that have a rule.
        second: check the gradient of the gradient too.
        batch: inputs whose first size is unknown in the recorded Program, by position.
        half: check float16 and bfloat16 as well.
        tolerance: multiplies the tolerances of the dtype.
        outputs: which outputs the reference gives (or NumPy and CuPy agree on), where not all.
        bad: (inputs, attrs, error type) that must be refused, eagerly and while recording alike.
        cupy: run on (emulated) CuPy; a reason string skips it.
        note: tells samples of one op apart.
    """

    op: str
    inputs: tuple
    attrs: dict[str, Any] = field(default_factory=dict)
    reference: Callable | None = None
    check: Callable | None = None
    gradient: tuple[int, ...] | None = None
    second: bool = True
    batch: tuple[int, ...] = (0,)
    half: bool = True
    tolerance: float = 1.0
    outputs: tuple[int, ...] | None = None
    bad: tuple = ()
    cupy: bool | str = True
    note: str = ""

    @property
    def id(self) -> str:
        return f"{self.op}-{self.note}" if self.note else self.op

    def arrays(self, salt: int = 0) -> list:
        """The inputs, the same at every call."""
        rng = np.random.default_rng(zlib.crc32(self.id.encode()) + salt)
        return [np.asarray(value.make(rng)) if isinstance(value, Spec) else value for value in self.inputs]


def sample(op: str, *inputs: Any, reference: Callable | None = None, note: str = "", **options: Any) -> Sample:
    """A `Sample`; keyword arguments that are none of its fields are attributes of the op."""
    known = {name for name in Sample.__dataclass_fields__ if name in options}
    fields = {name: options.pop(name) for name in known}
    attrs = {**fields.pop("attrs", {}), **options}
    return Sample(op, inputs, attrs, reference, note=note, **fields)
