"""Applying an update rule on the host: in blocks that fit the cache, with no memory allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.core.errors import InvalidArgument
from paddlite.ops.update.rule import Penalty, Rule

EXTRA = 3  # arrays of `run` itself: the gathered parameter and gradient, and the gradient with its penalty
BLOCK = 1 << 16  # elements: a handful of float32 arrays of it stay in a core's caches; less costs more calls


class Block:
    """A stretch of elements that one call of a rule updates.

    Args:
        p: the elements themselves, where the rule can change them in place; None where they are gathered.
        slots: the stretch of each slot.
        index, start, stop: the gradient of these elements is `[start:stop]` of gradient `index`.
        pieces: where gradients (and, with no `p`, parameters) are gathered: (index, array of the parameter, start, stop
            within the stretch).
        targets: arrays that the new values are written to, rounded: (array, start, stop within the stretch).
        size: the number of elements.
    """

    __slots__ = ("index", "p", "pieces", "size", "slots", "start", "stop", "targets")

    def __init__(
        self,
        size: int,
        p: Any,
        slots: tuple,
        index: int = -1,
        start: int = 0,
        stop: int = 0,
        pieces: tuple = (),
        targets: tuple = (),
    ):
        self.size, self.p, self.slots = size, p, slots
        self.index, self.start, self.stop = index, start, stop
        self.pieces, self.targets = pieces, targets


class Scratch:
    """Memory for intermediate results of one dtype, kept from step to step."""

    __slots__ = ("arrays", "size")

    def __init__(self) -> None:
        self.size = -1
        self.arrays: tuple = ()

    def take(self, xp: Any, count: int, size: int, dtype: np.dtype) -> tuple:
        """`count` arrays of `size` elements; the same ones as before where they are large enough."""
        if size > self.size or count > len(self.arrays):
            self.size = max(size, self.size)
            count = max(count, len(self.arrays))
            self.arrays = tuple([xp.empty(self.size, dtype) for _ in range(count)])
        return self.arrays


def run(
    xp: Any,
    rule: Rule,
    blocks: Sequence[Block],
    gradients: Sequence[Any],
    coefficients: tuple,
    scratch: tuple,
    penalty: Penalty | None,
) -> None:
    """Apply `rule` to `blocks`.

    Args:
        gradients: flat arrays, by index.
        scratch: `rule.scratch + EXTRA` arrays (or more) as long as the longest block (or longer).
        penalty: weight decay that is added to the gradient.
    """
    apply, count = rule.apply, rule.scratch
    parameter, gathered, penalised = scratch[count : count + EXTRA]
    full = len(parameter)
    temporaries = scratch[:count]
    for block in blocks:
        n = block.size
        t = temporaries if n == full else [s[:n] for s in temporaries]
        p = block.p
        if block.pieces:
            g = gathered[:n]
            if p is None:
                p = parameter[:n]
                for index, array, start, stop in block.pieces:
                    p[start:stop] = array if array.ndim == 1 else array.reshape(-1)
                    g[start:stop] = gradients[index]
            else:
                for index, _, start, stop in block.pieces:
                    g[start:stop] = gradients[index]
        else:
            g = gradients[block.index]
            if block.start or block.stop != len(g):
                g = g[block.start : block.stop]
            if g.dtype is not p.dtype and g.dtype != p.dtype:
                gathered[:n] = g
                g = gathered[:n]
        if penalty is not None:
            out = penalised[:n]
            penalty.add(xp, p, g, out)
            g = out
        apply(xp, p, g, *block.slots, *t, *coefficients)
        for array, start, stop in block.targets:
            array[...] = p[start:stop] if array.ndim == 1 else p[start:stop].reshape(array.shape)


def blocks_of(p: Any, slots: tuple, index: int, target: Any = None) -> list[Block]:
    """The blocks of one parameter.

    Args:
        p: its array, of the dtype in which it is updated or of a half type; the master weight where there is one.
        slots: flat arrays, None for an absent one.
        target: the parameter itself, where `p` is its master weight.
    """
    size = p.size
    if p.dtype in HALF or not contiguous(p):
        p = p.reshape(-1) if contiguous(p) else p
        return [Block(size, None, slots, pieces=((index, p, 0, size),), targets=((p, 0, size),))]
    if target is not None and not contiguous(target):
        return [Block(size, p.reshape(-1), slots, index, 0, size, targets=((target, 0, size),))]
    p, target = p.reshape(-1), None if target is None else target.reshape(-1)
    count = round(size / BLOCK)
    if count <= 1:
        return [Block(size, p, slots, index, 0, size, targets=() if target is None else ((target, 0, size),))]
    blocks, step = [], -(-size // count)
    for start in range(0, size, step):
        stop = min(start + step, size)
        parts = tuple([None if s is None else s[start:stop] for s in slots])
        targets = () if target is None else ((target[start:stop], 0, stop - start),)
        blocks.append(Block(stop - start, p[start:stop], parts, index, start, stop, targets=targets))
    return blocks


def contiguous(array: Any) -> bool:
    """True where the flat array is a view."""
    return array.flags.c_contiguous


def flat(array: Any) -> Any:
    """The flat view of an array that is written in place; None as it is."""
    if array is None:
        return None
    if not contiguous(array):
        raise InvalidArgument("an update rule writes its state in place, so the state must lie in one piece of memory")
    return array.reshape(-1)


def update_whole(xp: Any, rule: Rule, p: Any, g: Any, slots: Sequence[Any], coefficients: tuple) -> None:
    """Apply a rule that needs the whole parameter; half types are computed in float32."""
    if p.ndim == 0:
        p, g, slots = p.reshape(1), g.reshape(1), [s.reshape(*s.shape, 1) for s in slots]
    if p.dtype not in HALF:
        rule.apply(xp, p, g if g.dtype == p.dtype else g.astype(p.dtype), *slots, *coefficients)
        return
    full = p.astype(F32)
    rule.apply(xp, full, g.astype(F32), *slots, *coefficients)
    p[...] = full
