"""Parameters that are updated together.

Large parameters are updated in blocks that fit the cache; small neighbours are gathered into one block, since a call
costs more than their arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import FLOATING, HALF
from paddlite.core.errors import DTypeMismatch
from paddlite.core.kernel import quiet_run
from paddlite.core.tensor import Tensor
from paddlite.ops.update import fused
from paddlite.ops.update.blocks import BLOCK, EXTRA, LONG, Block, Run, Scratch, blocks_of, contiguous, update_whole
from paddlite.ops.update.native import LEAST, Native, native
from paddlite.ops.update.rule import Penalty, Rule, wide
from paddlite.optimizer.state import Numbers, State, carry_over, fits, new_states, numbers_like, place_of
from paddlite.regularizer import L1Decay

SMALL = BLOCK // 8  # parameters up to this size may share a block


class Cohort:
    """Parameters that one call of a rule updates: same dtype, place, attributes, rate and numbers.

    Args:
        members: (position among the gradients, parameter, state), in the order of their memory.
        scale: the rate of these parameters is the optimizer's times this.
        penalty: weight decay that is added to the gradient.
    """

    __slots__ = (
        "attrs", "blocks", "compiled", "datas", "dtype", "longest", "members", "numbers", "penalty", "rule", "scale",
        "scratch", "xp",
    )  # fmt: skip

    def __init__(
        self,
        rule: Rule,
        attrs: dict[str, Any],
        scale: float,
        penalty: Penalty | None,
        members: list[tuple[int, Tensor, State]],
        scratch: dict[Any, Scratch],
    ):
        self.rule, self.attrs, self.scale, self.penalty, self.members = rule, attrs, scale, penalty, members
        first = members[0][1]._data
        self.xp, self.dtype = device.module_of(first), wide(first.dtype)
        self.datas = [p._data for _, p, _ in members]
        self.numbers = members[0][2].numbers
        self.blocks: list[Block] | None = None  # made at the first step, which knows what can be compiled
        self.compiled: Native | None = None
        self.longest = 0
        place = None if self.xp is np else first.device.id
        self.scratch = scratch.setdefault((self.dtype, place), Scratch())

    def stale(self) -> bool:
        """True where a parameter has been given another array since, or counts its steps by itself."""
        counted = bool(self.rule.numbers)
        for (_, p, state), data in zip(self.members, self.datas):
            if p._data is not data or (counted and state.numbers is not self.numbers):
                return True
        return False

    def step(self, rate: float, gradients: list) -> None:
        """Update the parameters with the gradients (tensors, of which each member has its position)."""
        for _, p, state in self.members:
            if state.master is not None and state.seen != p._version[0]:
                adopt(self.xp, p, state)
        with place_of(self.datas[0]):
            quiet_run()(self._step, rate, gradients)
        for _, p, state in self.members:
            p._version[0] += 1
            state.seen = p._version[0]

    def _step(self, rate: float, gradients: list) -> None:
        rule, xp = self.rule, self.xp
        numbers = [a.reshape(()) for a in self.numbers.arrays]
        coefficients = rule.prepare(xp, rate * self.scale, numbers, self.attrs, self.dtype)
        if rule.whole:
            for i, p, state in self.members:
                self._whole(p, state, gradients[i]._data, coefficients)
        elif xp is not np:
            for i, p, state in self.members:
                self._fused(p, state, gradients[i]._data, coefficients)
        else:
            if self.blocks is None:
                self._plan(coefficients)
            flat: list = [None] * len(gradients)
            for i, _, _ in self.members:
                flat[i] = gradients[i]._data.reshape(-1)
            scratch = self.scratch.take(xp, rule.scratch + EXTRA, self.longest, self.dtype)
            Run(rule, coefficients, scratch, self.penalty, self.compiled)(self.blocks, flat)
        if rule.advance is not None:
            rule.advance(xp, *numbers, **self.attrs)

    def _plan(self, coefficients: tuple) -> None:
        if sum(state.size for _, _, state in self.members) >= LEAST:
            self.compiled = native(self.rule, self.members[0][2].slots, coefficients, self.penalty, self.dtype)
        self.blocks = list(plan(self.members, BLOCK if self.compiled is None else LONG))
        self.longest = max([block.size for block in self.blocks], default=0)

    def _fused(self, p: Tensor, state: State, gradient: Any, coefficients: tuple) -> None:
        array, half = (p._data, None) if state.master is None else (state.master.reshape(p._shape), p._data)
        slots = tuple([None if s is None else s.reshape(p._shape) for s in state.slots])
        fused.update(self.xp, self.rule, array, gradient, slots, coefficients, self.penalty, half)

    def _whole(self, p: Tensor, state: State, gradient: Any, coefficients: tuple) -> None:
        array = p._data if state.master is None else state.master.reshape(p._shape)
        if self.penalty is not None:
            full = array.astype(self.dtype, copy=False)
            out = self.xp.empty(full.shape, self.dtype)
            self.penalty.add(self.xp, full, gradient.astype(self.dtype, copy=False), out)
            gradient = out
        update_whole(self.xp, self.rule, array, gradient, state.slots, coefficients)
        if state.master is not None:
            p._data[...] = array


def adopt(xp: Any, p: Tensor, state: State) -> None:
    """Take over what was written to a half-type parameter from outside; elsewhere the master keeps its finer value."""
    array = p._data.reshape(-1)
    kept = state.master.astype(array.dtype) == array
    state.master[...] = xp.where(kept, state.master, array.astype(state.master.dtype))


def plan(members: list[tuple[int, Tensor, State]], length: int) -> Iterator[Block]:
    """The blocks of the members: small neighbours together, large ones cut to about `length` elements."""
    waiting: list[tuple[int, Tensor, State]] = []
    for member in members:
        _, p, state = member
        if state.size == 0:
            continue
        joins = state.size <= SMALL and (p._data.dtype == wide(p._data.dtype) or state.master is not None)
        if waiting and not (joins and _adjoining(waiting, state)):
            yield from _gathered(waiting, length)
            waiting = []
        if joins:
            waiting.append(member)
        else:
            yield from _alone(member, length)
    if waiting:
        yield from _gathered(waiting, length)


def _adjoining(waiting: list, state: State) -> bool:
    first, last = waiting[0][2], waiting[-1][2]
    follows = last.chunk is not None and last.chunk is state.chunk and last.offset + last.size == state.offset
    return follows and state.offset + state.size - first.offset <= BLOCK


def _alone(member: tuple[int, Tensor, State], length: int) -> list[Block]:
    index, p, state = member
    if state.master is None:
        return blocks_of(p._data, state.slots, index, None, length)
    return blocks_of(state.master, state.slots, index, p._data, length)


def _gathered(members: list[tuple[int, Tensor, State]], length: int) -> list[Block]:
    if len(members) == 1:
        return _alone(members[0], length)
    chunk, start = members[0][2].chunk, members[0][2].offset
    stop = members[-1][2].offset + members[-1][2].size
    slots = tuple([None if a is None else a[start:stop] for a in chunk.slots])  # type: ignore[union-attr]
    master = None if chunk.master is None else chunk.master[start:stop]  # type: ignore[union-attr]
    pieces = tuple([(i, _line(p._data), s.offset - start, s.offset + s.size - start) for i, p, s in members])
    targets = tuple([piece[1:] for piece in pieces])
    return [Block(stop - start, master, slots, pieces=pieces, targets=targets)]


def _line(array: Any) -> Any:
    return array.reshape(-1) if contiguous(array) else array


class Treatment(NamedTuple):
    """All that parameters must have in common to be updated by one call."""

    attrs: tuple
    scale: float
    penalty: tuple | None
    absent: frozenset
    dtype: Any
    master: bool
    place: str


def cohorts_of(optimizer: Any, active: list[tuple[Tensor, dict[str, Any]]]) -> list[Cohort]:
    """The cohorts of parameters with a gradient: (parameter, group) pairs in the order of the gradients."""
    by_treatment: dict[Treatment, list[tuple[int, Tensor]]] = {}
    seen = set()
    for i, (p, group) in enumerate(active):
        if id(p) not in seen:
            seen.add(id(p))
            if p._dtype not in FLOATING:
                raise DTypeMismatch(f"parameter '{p.name}' has dtype {p._dtype}; optimizers train floating-point ones")
            if not device.writable(p._data):
                p._data = p._data.copy()
            by_treatment.setdefault(treatment_of(optimizer, p, group), []).append((i, p))
    found = []
    for treatment, listed in by_treatment.items():
        provide_states(optimizer, treatment, [p for _, p in listed])
        together: dict[int, list] = {}
        for i, p in listed:
            state = optimizer._states[id(p)]
            together.setdefault(id(state.numbers) if optimizer._rule.numbers else 0, []).append((i, p, state))
        for members in together.values():
            found.append(_cohort(optimizer, treatment, members))
    return found


def treatment_of(optimizer: Any, p: Tensor, group: dict[str, Any]) -> Treatment:
    """How `p`, which belongs to `group`, is updated."""
    return Treatment(
        tuple(optimizer._attrs(p, group).items()),
        float(optimizer._scale(p, group) * optimizer._ratio(p)),
        optimizer._penalty(p, group),
        optimizer._absent(p, group),
        p._dtype,
        optimizer._multi_precision and p._dtype in HALF,
        str(p.place),
    )


def _cohort(optimizer: Any, treatment: Treatment, members: list[tuple[int, Tensor, State]]) -> Cohort:
    numbers = members[0][2].numbers
    if optimizer._rule.numbers and numbers.sharers != len(members):  # the others do not step now
        numbers = numbers.copy()
        for _, _, state in members:
            state.share(numbers)
    chunks: dict[int, int] = {}
    members.sort(key=lambda m: (chunks.setdefault(id(m[2].chunk), len(chunks)), m[2].offset))
    penalty = None
    if treatment.penalty is not None:
        kind, coefficient = treatment.penalty
        number = wide(treatment.dtype).type(coefficient)
        on_host = isinstance(members[0][1]._data, np.ndarray)  # NumPy takes a 0-D array faster, CuPy takes scalars
        penalty = Penalty(np.asarray(number) if on_host else number, issubclass(kind, L1Decay))
    return Cohort(optimizer._rule, dict(treatment.attrs), treatment.scale, penalty, members, optimizer._scratch)


def provide_states(optimizer: Any, treatment: Treatment, params: list[Tensor]) -> None:
    """Make states for parameters that have none, or whose state does not fit them any more."""
    states = optimizer._states
    new = [p for p in params if not fits(states.get(id(p)), p, treatment.master)]
    if not new:
        return
    new.sort(key=lambda p: p._data.size > SMALL)  # small ones side by side, in their order
    rule, attrs = optimizer._rule, dict(treatment.attrs)
    made = new_states(
        new,
        rule,
        treatment.absent,
        optimizer._fills(),
        lambda slot, shape: optimizer._slot_shape(slot, shape, attrs),
        treatment.master,
    )
    first = new[0]._data
    with place_of(first):
        shared = Numbers(numbers_like(device.module_of(first), optimizer._first_numbers(attrs), wide(first.dtype)))
    for p, state in zip(new, made):
        before = states.get(id(p))
        if before is None:
            state.share(shared)
        else:
            carry_over(before, state, p)
        states[id(p)] = state
