"""Update rules: how one optimizer step changes a parameter and what is remembered of it, in place.

A rule is written once, for flat arrays:

* `coefficients(xp, rate, *numbers, **attrs)` computes the 0-D arrays that the step needs, once for many parameters.
  The rate and the numbers that vary from step to step (powers of beta) are 0-D arrays in every mode.
* `apply(xp, p, g, *slots, *scratch, *coefficients)` changes `p` and the slots in place, with `out=` throughout.
* `advance(xp, *numbers, **attrs)` moves the numbers on.

`run` applies a rule to blocks that fit the cache; `define` makes the op of the same name for one parameter, so that
an optimizer's step and a Program compute the same bits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop

EXTRA = 3  # arrays of `run` itself: the gathered parameter and gradient, and the gradient with its penalty
BLOCK = 1 << 16  # elements: a handful of float32 arrays of it stay in a core's caches; less costs more calls


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
    """

    __slots__ = (
        "advance", "apply", "attrs", "coefficients", "name", "numbers", "op", "optional", "scratch", "slots", "whole",
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
    ):
        self.name, self.apply, self.slots, self.numbers = name, apply, slots, numbers
        self.coefficients = coefficients if coefficients is not None else _rate_alone
        self.advance = advance
        self.scratch, self.whole, self.optional = scratch, whole, optional
        self.attrs = {
            p.name: p.default
            for p in inspect.signature(self.coefficients).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        }
        self.op = _make_op(self)

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
    penalty: Callable | None,
) -> None:
    """Apply `rule` to `blocks`.

    Args:
        gradients: flat arrays, by index.
        scratch: `rule.scratch + EXTRA` arrays (or more) as long as the longest block (or longer).
        penalty: `penalty(xp, p, g, out)` writes the gradient with weight decay added to `out`.
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
            penalty(xp, p, g, out)
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
    count = round(size / BLOCK) if isinstance(p, np.ndarray) else 1  # on a GPU, fewer launches count for more
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


def l2_penalty(coefficient: Any) -> Callable:
    """Adds the gradient of `0.5 * coefficient * p^2`."""

    def add(xp: Any, p: Any, g: Any, out: Any) -> None:
        xp.multiply(p, coefficient, out=out)
        xp.add(out, g, out=out)

    return add


def l1_penalty(coefficient: Any) -> Callable:
    """Adds the gradient of `coefficient * |p|`."""

    def add(xp: Any, p: Any, g: Any, out: Any) -> None:
        xp.sign(p, out=out)
        xp.multiply(out, coefficient, out=out)
        xp.add(out, g, out=out)

    return add


def wide(dtype: np.dtype) -> np.dtype:
    """The dtype in which values of `dtype` are updated: float32 for half types."""
    return F32 if dtype in HALF else dtype


def _make_op(rule: Rule) -> Callable:
    """The op `rule.name` that updates one parameter; gives the parameter."""
    slots, numbers = rule.slots, rule.numbers
    inputs = ("param", "grad", "learning_rate", *slots, *numbers, "master_param")
    first, last = 3, 3 + len(slots)

    def infer(param: Meta, grad: Meta, rate: Meta, *rest: Meta, **_: Any) -> Meta:
        for name, meta in (("grad", grad), *zip(slots, rest), ("master_param", rest[-1])):
            if meta is None or rule.whole or -1 in (*meta.shape, *param.shape):
                continue
            if meta.shape != param.shape:
                raise ShapeMismatch(
                    f"{rule.name}: {name} must have the shape of the parameter, {list(param.shape)}, "
                    f"got {list(meta.shape)}"
                )
        return Meta(param.shape, param.dtype)

    def kernel(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        attrs = {**rule.attrs, **attrs}
        param, grad, rate = arrays[:first]
        master = arrays[-1]
        p = param if master is None else master
        dtype = wide(p.dtype)
        values = [a.reshape(()) for a in arrays[last:-1]]
        coefficients = rule.prepare(xp, rate, values, attrs, dtype)
        slot_arrays = arrays[first:last]
        if rule.whole:
            update_whole(xp, rule, p, grad, slot_arrays, coefficients)
            if master is not None:
                param[...] = p
        else:
            target = None if master is None else param
            blocks = blocks_of(p, tuple([flat(a) for a in slot_arrays]), 0, target)
            longest = max(b.size for b in blocks)
            scratch = Scratch().take(xp, rule.scratch + EXTRA, longest, dtype)
            run(xp, rule, blocks, (grad.reshape(-1),), coefficients, scratch, None)
        if rule.advance is not None:
            rule.advance(xp, *values, **attrs)
        return param

    kernel.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("xp", *inputs)]
        + [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d) for n, d in rule.attrs.items()]
    )
    kernel.__name__ = kernel.__qualname__ = rule.name
    kernel.__doc__ = f"One step of `{rule.name}` on one parameter, in place; gives the parameter."
    writes = ("param", *slots, *numbers, "master_param")
    return defop(
        rule.name, infer=infer, amp="never", native_half=True, writes=writes, outputs=("param_out",), check=True
    )(kernel)


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
