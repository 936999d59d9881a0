"""Running a Program: a list of steps over numbered slots, each slot freed at its last use."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend import device
from paddlite.backend.place import Place
from paddlite.backend.random import Generator, Stream
from paddlite.core.dispatch import constants
from paddlite.core.errors import InvalidArgument, ProgramError
from paddlite.core.kernel import run_kernel
from paddlite.core.mode import current
from paddlite.core.op import Op
from paddlite.core.program import Program, RandomSlot, Value


class Step(NamedTuple):
    """One kernel call: where its inputs are, where its outputs go, and which slots are free after it."""

    op: Op
    inputs: tuple
    constants: dict[int, Any]
    attrs: dict[str, Any]
    outputs: tuple[int, ...]
    frees: tuple[int, ...]


class Plan:
    """What it takes to compute `fetches` from the feeds and state of a Program."""

    def __init__(self, program: Program, fetches: Sequence[Value]):
        self.program = program
        self.slots: dict[Value, int] = {}
        nodes = self._needed(program, fetches)
        for value in (*program.feeds.values(), *[slot.value for slot in program.state.values()]):
            self.slots[value] = len(self.slots)
        for node in nodes:
            for value in node.outputs:
                self.slots[value] = len(self.slots)
        last_use = self._last_uses(nodes)
        kept = {self.slots[v] for v in fetches if v in self.slots}
        self.steps = [self._step(node, i, last_use, kept) for i, node in enumerate(nodes)]
        self.fetches = [self._slot(v) for v in fetches]
        self.written = _written(program, nodes)
        self.feeds = {v.name: v for v in program.feeds.values()}

    @staticmethod
    def _needed(program: Program, fetches: Sequence[Value]) -> list:
        """The calls that the fetches depend on, and those that write state, in order."""
        live = set(fetches)
        needed = []
        for node in reversed(program.global_block().nodes):
            if node.op.writes or any(v in live for v in node.outputs):
                needed.append(node)
                live.update(v for v in node.inputs if isinstance(v, Value))
        return needed[::-1]

    def _slot(self, value: Value) -> int:
        if value not in self.slots:
            raise ProgramError(f"variable '{value.name}' is not computed by this Program")
        return self.slots[value]

    def _last_uses(self, nodes: list) -> dict[int, int]:
        last: dict[int, int] = {}
        for i, node in enumerate(nodes):
            for value in (*node.inputs, *node.outputs):
                if isinstance(value, Value):
                    last[self._slot(value)] = i
        return last

    def _step(self, node: Any, number: int, last_use: dict[int, int], kept: set[int]) -> Step:
        slots = tuple([self._slot(v) if isinstance(v, Value) else None for v in node.inputs])
        used = {s for s in (*slots, *[self.slots[v] for v in node.outputs]) if s is not None}
        frees = tuple(s for s in used if last_use[s] == number and s not in kept)
        return Step(
            node.op,
            slots,
            constants(node.op, node.inputs),
            node.attrs,
            tuple([self.slots[v] for v in node.outputs]),
            frees,
        )

    def run(
        self, feeds: dict[str, Any], scope: dict[str, Any], generator: Generator, place: Place = device.CPU
    ) -> list:
        """The fetched arrays.

        Args:
            place: where ops without inputs make their arrays; NumPy arrays that are fed go there.

        Raises:
            InvalidArgument: a feed is missing or does not fit its variable.
            ProgramError: state has no value yet.
        """
        slots: list = [None] * len(self.slots)
        self._fill(slots, feeds, scope, place)
        fallback, watch = device.module_for(place), current().watch
        base = generator.take(self.program.random_slots) if self.program.random_slots else None
        for step in self.steps:
            arrays = [slots[s] if s is not None else step.constants.get(i) for i, s in enumerate(step.inputs)]
            attrs = step.attrs
            if step.op.random:
                attrs = {**attrs, "stream": self._stream(attrs["stream"], base)}
            given = (device.module_of(a) for a in arrays if a is not None and not isinstance(a, np.generic))
            module = next(given, fallback)
            out = run_kernel(module, step.op, arrays, attrs)
            arrays = out if type(out) is tuple else (out,)
            for slot, array in zip(step.outputs, arrays):
                slots[slot] = array
            if watch is not None:
                watch(step.op.name, [a for a in arrays if a is not None])
            for slot in step.frees:
                slots[slot] = None
        for tensor in self.written:
            tensor._version[0] += 1
        return [slots[s] for s in self.fetches]

    @staticmethod
    def _stream(slot: Any, base: Stream | None) -> Stream:
        if isinstance(slot, RandomSlot):
            assert base is not None
            return Stream(base.seed, base.slot + slot.index)
        return slot

    def _fill(self, slots: list, feeds: dict[str, Any], scope: dict[str, Any], place: Place) -> None:
        for name in feeds:
            if name not in self.feeds:
                warnings.warn(
                    f"feed '{name}' is no input of this Program and is left out; it has {sorted(self.feeds)}",
                    stacklevel=4,
                )
        for name, value in self.feeds.items():
            if name not in feeds:
                if any(self.slots[value] in step.inputs for step in self.steps) or self.slots[value] in self.fetches:
                    raise InvalidArgument(f"feed '{name}' ({value!r}) is missing")
                continue
            array = _fitting(name, feeds[name], value)
            slots[self.slots[value]] = array if place.kind != "gpu" else device.to_place(array, place)
        for name, slot in self.program.state.items():
            array = scope.get(name)
            if array is None and slot.tensor is not None:
                array = slot.tensor._data
            if array is None:
                raise ProgramError(f"variable '{name}' has no value yet: run the startup program first")
            slots[self.slots[slot.value]] = array


def _written(program: Program, nodes: list) -> list:
    """The captured tensors whose memory a run changes."""
    values = {node.inputs[i] for node in nodes for i in node.op.writes if isinstance(node.inputs[i], Value)}
    return [slot.tensor for slot in program.state.values() if slot.value in values and slot.tensor is not None]


def _fitting(name: str, given: Any, value: Value) -> Any:
    array = getattr(given, "_data", given)
    if not hasattr(array, "dtype"):
        try:
            array = np.asarray(array, value.dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgument(f"feed '{name}' holds no numbers of dtype {value.dtype}: {error}") from error
    if array.dtype != value.dtype:
        raise InvalidArgument(f"feed '{name}' has dtype {array.dtype}, but the Program wants {value.dtype}")
    fits = len(array.shape) == len(value.shape) and all(v in (-1, a) for a, v in zip(array.shape, value.shape))
    if not fits:
        raise InvalidArgument(f"feed '{name}' has shape {list(array.shape)}, but the Program wants {list(value.shape)}")
    return array
