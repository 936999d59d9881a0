"""Applying an update rule on the host: in blocks that fit the cache, with no memory allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.core.errors import InvalidArgument
from paddlite.ops.update.native import Native, address
from paddlite.ops.update.rule import Penalty, Rule

EXTRA = 3  # arrays of `Run` itself: the gathered parameter and gradient, and the gradient with its penalty
LONG = 1 << 18  # elements of a block that C takes in one go; scratch must hold what is cast for it
BLOCK = 1 << 16  # elements: a handful of float32 arrays of it stay in a core's caches; less costs more calls


class Block:
    """A stretch of elements that one call of a rule updates.

    Args:
        p: the elements themselves, where the rule can change them in place; None where they are gathered.
        slots: the stretch of each slot.
        index, start, stop: the gradient of these elements is `[start:stop]` of gradient `index`.
        pieces: where gradients (and, with no `p`, parameters) are gathered or cast: (index, array of the parameter,
            start, stop within the stretch).
        targets: arrays that the new values are written to, rounded: (array, start, stop within the stretch).
        size: the number of elements.
    """

    __slots__ = ("addresses", "index", "p", "pieces", "size", "slots", "start", "stop", "targets")

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
        self.addresses: tuple | None = None  # of the slots, for C


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


class Run:
    """Applies a rule to blocks.

    Args:
        coefficients: see `Rule.prepare`.
        scratch: `rule.scratch + EXTRA` arrays (or more) as long as the longest block (or longer).
        penalty: weight decay that is added to the gradient.
        compiled: the rule in C, which does the work of NumPy's calls in one.
    """

    __slots__ = ("apply", "coefficients", "compiled", "numbers", "penalty", "scratch", "temporaries")

    def __init__(
        self, rule: Rule, coefficients: tuple, scratch: tuple, penalty: Penalty | None, compiled: Native | None = None
    ):
        self.apply, self.coefficients, self.penalty, self.compiled = rule.apply, coefficients, penalty, compiled
        self.temporaries, self.scratch = scratch[: rule.scratch], scratch[rule.scratch : rule.scratch + EXTRA]
        self.numbers = None if compiled is None else compiled.numbers(rule, coefficients, penalty)

    def __call__(self, blocks: Sequence[Block], gradients: Sequence[Any]) -> None:
        """Update the blocks; `gradients` are flat arrays, by index."""
        update = self._in_numpy if self.compiled is None else self._compiled
        gathered = self.scratch[1]
        for block in blocks:
            p = block.p
            if block.pieces:
                g = gathered[: block.size]
                p = self._gather(block, gradients, g)
            else:
                g = gradients[block.index]
                if block.start or block.stop != len(g):
                    g = g[block.start : block.stop]
                if g.dtype is not p.dtype and g.dtype != p.dtype:
                    gathered[: block.size] = g
                    g = gathered[: block.size]
            update(block, p, g)
            for array, start, stop in block.targets:
                array[...] = p[start:stop] if array.ndim == 1 else p[start:stop].reshape(array.shape)

    def _gather(self, block: Block, gradients: Sequence[Any], g: Any) -> Any:
        if block.p is not None:
            for index, _, start, stop in block.pieces:
                g[start:stop] = gradients[index]
            return block.p
        p = self.scratch[0][: block.size]
        if block.stop:  # a part of one parameter
            p[...] = block.pieces[0][1]
            g[...] = gradients[block.index][block.start : block.stop]
            return p
        for index, array, start, stop in block.pieces:
            p[start:stop] = array if array.ndim == 1 else array.reshape(-1)
            g[start:stop] = gradients[index]
        return p

    def _in_numpy(self, block: Block, p: Any, g: Any) -> None:
        n, t = block.size, self.temporaries
        if not t or n != len(t[0]):
            t = [s[:n] for s in t]
        if self.penalty is not None:
            out = self.scratch[2][:n]
            self.penalty.add(np, p, g, out)
            g = out
        self.apply(np, p, g, *block.slots, *t, *self.coefficients)

    def _compiled(self, block: Block, p: Any, g: Any) -> None:
        slots = block.addresses
        if slots is None:
            slots = block.addresses = tuple([address(s) for s in block.slots if s is not None])
        self.compiled.update(block.size, address(p), address(g), *slots, address(self.numbers))


def blocks_of(p: Any, slots: tuple, index: int, target: Any = None, length: int = BLOCK) -> list[Block]:
    """The blocks of one parameter.

    Args:
        p: its array, of the dtype in which it is updated or of a half type; the master weight where there is one.
        slots: flat arrays, None for an absent one.
        target: the parameter itself, where `p` is its master weight.
        length: about how many elements a block has.
    """
    size = p.size
    if not contiguous(p):
        return [Block(size, None, slots, pieces=((index, p, 0, size),), targets=((p, 0, size),))]
    p = p.reshape(-1)
    if target is not None:
        if not contiguous(target):
            return [Block(size, p, slots, index, 0, size, targets=((target, 0, size),))]
        target = target.reshape(-1)
    count = max(1, round(size / length))
    step = max(1, -(-size // count))
    return [_stretch(p, slots, index, target, start, min(start + step, size)) for start in range(0, size, step)]


def _stretch(p: Any, slots: tuple, index: int, target: Any, start: int, stop: int) -> Block:
    n, p = stop - start, p[start:stop]
    parts = tuple([None if s is None else s[start:stop] for s in slots])
    if p.dtype in HALF:
        return Block(n, None, parts, index, start, stop, ((index, p, 0, n),), ((p, 0, n),))
    targets = () if target is None else ((target[start:stop], 0, n),)
    return Block(n, p, parts, index, start, stop, targets=targets)


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
