"""The op of an update rule."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.update import fused
from paddlite.ops.update.blocks import BLOCK, EXTRA, LONG, Run, Scratch, blocks_of, flat, update_whole
from paddlite.ops.update.native import LEAST, native
from paddlite.ops.update.rule import Rule, wide


def define(name: str, apply: Callable, **facts: Any) -> Rule:
    """An update rule (see `Rule` for the facts), and the op `name` that takes one step of it on one parameter."""
    rule = Rule(name, apply, **facts)
    _define_op(rule)
    return rule


def _define_op(rule: Rule) -> None:
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
            update_one(xp, rule, p, grad, slot_arrays, coefficients, None if master is None else param)
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
    defop(rule.name, infer=infer, amp="never", native_half=True, writes=writes, outputs=("param_out",), check=True)(
        kernel
    )


def update_one(xp: Any, rule: Rule, p: Any, grad: Any, slots: tuple, coefficients: tuple, target: Any) -> None:
    """Update one parameter; `target` is the parameter itself where `p` is its master weight."""
    if xp is not np:
        fused.update(xp, rule, p, grad, slots, coefficients, None, target)
        return
    flat_slots = tuple([flat(slot) for slot in slots])
    dtype = wide(p.dtype)
    compiled = native(rule, slots, coefficients, None, dtype) if p.size >= LEAST else None
    blocks = blocks_of(p, flat_slots, 0, target, BLOCK if compiled is None else LONG)
    longest = max([block.size for block in blocks], default=0)
    scratch = Scratch().take(np, rule.scratch + EXTRA, longest, dtype)
    Run(rule, coefficients, scratch, None, compiled)(blocks, (grad.reshape(-1),))
