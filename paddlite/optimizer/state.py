"""What an optimizer remembers of parameters.

It lies in one flat array for many parameters, so that small neighbours can be updated in one go; the parameters
themselves stay where they are, so that views, captured addresses and shared memory hold.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.core.errors import ShapeMismatch
from paddlite.core.tensor import Tensor
from paddlite.ops.update.rule import Rule, wide


class Numbers:
    """What is remembered of a parameter as a whole, one-element arrays; shared by those that always step together."""

    __slots__ = ("arrays", "sharers")

    def __init__(self, arrays: tuple):
        self.arrays = arrays
        self.sharers = 0

    def copy(self) -> Numbers:
        return Numbers(tuple([a.copy() for a in self.arrays]))


class Chunk:
    """Flat memory that the states of several parameters are cut from, one array a slot."""

    __slots__ = ("master", "slots")

    def __init__(self, slots: tuple, master: Any):
        self.slots, self.master = slots, master


class State:
    """What is remembered of one parameter.

    Args:
        slots: an array for each slot of the rule, None for an absent one; flat, but of its own shape where the rule
            takes whole parameters.
        master: the parameter in float32, flat, where it is of a half type and `multi_precision` is on.
        chunk, offset: the memory that these are cut from, and where; neighbours can be updated in one go.
    """

    __slots__ = ("chunk", "held", "master", "numbers", "offset", "seen", "shape", "size", "slots")

    def __init__(self, shape: tuple, slots: tuple, master: Any, chunk: Chunk | None, offset: int):
        self.shape, self.slots, self.master = shape, slots, master
        self.size = int(np.prod(shape, dtype=np.int64))
        self.chunk, self.offset = chunk, offset
        self.numbers: Numbers = None  # type: ignore[assignment]
        self.held = False  # a Program reads and writes this memory, so it must stay
        self.seen = -1  # the parameter's version when the master weight was last in step with it

    def share(self, numbers: Numbers) -> None:
        """Step together with the others that share `numbers`."""
        if self.numbers is not None:
            self.numbers.sharers -= 1
        self.numbers = numbers
        numbers.sharers += 1

    def hold(self) -> None:
        """Keep this memory, and have numbers that no other parameter shares."""
        if self.numbers.sharers > 1:
            self.share(self.numbers.copy())
        self.held = True

    def __getstate__(self) -> dict[str, Any]:
        # a copy's arrays lie apart, so no flat memory joins them
        return {**{name: getattr(self, name) for name in self.__slots__}, "chunk": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


def place_of(array: Any) -> Any:
    """A context in which new arrays lie where `array` lies."""
    return contextlib.nullcontext() if isinstance(array, np.ndarray) else array.device


def new_states(
    params: Sequence[Tensor],
    rule: Rule,
    absent: frozenset[str],
    fills: dict[str, float],
    shape_of: Callable[[str, tuple], tuple],
    with_master: bool,
) -> list[State]:
    """Fresh states for parameters of one dtype and place, without numbers.

    Args:
        absent: optional slots that are not used.
        fills: what slots start with, where not zero.
        shape_of: the shape of a slot, by its name and that of the parameter.
    """
    first = params[0]._data
    xp, dtype = device.module_of(first), wide(first.dtype)
    sizes = [p._data.size for p in params]
    with place_of(first):
        master = xp.empty(sum(sizes), dtype) if with_master and dtype != first.dtype else None
        if rule.whole:
            own = [
                tuple([_filled(xp, shape_of(s, p._shape), fills.get(s, 0.0), dtype) for s in rule.slots])
                for p in params
            ]
            chunk = None
        else:
            full = [None if s in absent else _filled(xp, sum(sizes), fills.get(s, 0.0), dtype) for s in rule.slots]
            chunk = Chunk(tuple(full), master)
        states, start = [], 0
        for i, p in enumerate(params):
            stop = start + sizes[i]
            slots = own[i] if chunk is None else tuple([None if a is None else a[start:stop] for a in chunk.slots])
            state = State(p._shape, slots, None if master is None else master[start:stop], chunk, start)
            if master is not None:
                state.master[...] = p._data.reshape(-1)
                state.seen = p._version[0]
            states.append(state)
            start = stop
    return states


def _filled(xp: Any, shape: Any, value: float, dtype: np.dtype) -> Any:
    return xp.full(shape, value, dtype) if value else xp.zeros(shape, dtype)


def numbers_like(xp: Any, values: tuple, dtype: Any) -> tuple:
    """One-element arrays: Python floats in `dtype`, NumPy scalars in their own."""
    return tuple([xp.full((1,), v, v.dtype if isinstance(v, np.generic) else dtype) for v in values])


def fits(state: State | None, p: Tensor, with_master: bool) -> bool:
    """True where `state` can serve `p` as it is now."""
    if state is None:
        return False
    if state.shape != p._shape:
        raise ShapeMismatch(
            f"parameter '{p.name}' had shape {list(state.shape)} when the optimizer first saw it, and has "
            f"{list(p._shape)} now; make a new optimizer"
        )
    arrays = [a for a in (*state.slots, state.master) if a is not None]
    same_memory = all(a.dtype == wide(p._dtype) and device.place_of(a) == p.place for a in arrays)
    return same_memory and (state.master is not None) == with_master


def carry_over(before: State, state: State, p: Tensor) -> None:
    """What was remembered of a parameter that now has another dtype or place."""
    for old, new in zip(before.slots, state.slots):
        if old is not None and new is not None:
            new[...] = device.to_place(old, p.place)
    if before.master is not None and state.master is not None:
        state.master[...] = device.to_place(before.master, p.place)
    arrays = [device.to_place(a, p.place) for a in before.numbers.arrays]
    before.numbers.sharers -= 1
    state.share(Numbers(tuple([a.copy() for a in arrays])))
