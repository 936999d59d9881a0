"""The text of the fused kernels computes what the blocks compute, bit for bit; NumPy reads it here in CuPy's place."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from paddlite.ops import update
from paddlite.ops.update import fused
from paddlite.ops.update.blocks import EXTRA, Run, Scratch, blocks_of
from paddlite.ops.update.rule import Penalty

RULES = [getattr(update, name) for name in update.__all__ if not getattr(update, name).whole]
ATTRS = {
    "momentum": [{"use_nesterov": True}, {"rescale_grad": 0.5}],
    "adamw": [{"coeff": 0.3}, {"coeff": 0.0}],
    "rmsprop": [{"centered": True}],
}
CASES = [(rule, attrs) for rule in RULES for attrs in ({}, *ATTRS.get(rule.name, ()))]


class Kernel:
    """What `cupy.ElementwiseKernel` does, for bodies of plain assignments, on NumPy's arrays."""

    def __init__(self, inputs, outputs, body, name, preamble, options):
        assert "--fmad=false" in options
        self.inputs = [i.split()[1] for i in inputs.split(", ")]
        self.outputs = [o.split()[1] for o in outputs.split(", ")]
        body = re.sub(r"\bT (?=\w+ =)", "", body).replace("pick<T>", "pick")
        self.lines = [line.strip() for line in body.split(";") if line.strip()]

    def __call__(self, *arrays):
        number = np.float32
        known = dict(zip([*self.inputs, *self.outputs], arrays))
        known.update(
            T=lambda a: np.asarray(a, number), P=lambda a: a, H=lambda a: a, pick=lambda c, a, b: np.where(c, a, b),
            sqrt=np.sqrt, maximum=np.maximum, minimum=np.minimum, absolute=np.abs, sign=np.sign,
        )  # fmt: skip
        for line in self.lines:
            exec(line, known)
        for name, array in zip(self.outputs, arrays[len(self.inputs) :]):
            array[...] = known[name]


@pytest.mark.parametrize("penalty", [None, Penalty(np.float32(0.1), False), Penalty(np.float32(0.1), True)])
@pytest.mark.parametrize(("rule", "attrs"), CASES, ids=lambda v: getattr(v, "name", None) or "-".join(v) or "plain")
@pytest.mark.parametrize("with_optional", [False, True])
@np.errstate(invalid="ignore")
def test_the_kernels_text_gives_the_bits_of_the_blocks(rule, attrs, penalty, with_optional, monkeypatch):
    monkeypatch.setattr(rule, "kernels", {})
    rng = np.random.default_rng(0)
    make = lambda: rng.standard_normal(50).astype("float32")
    p, g = make(), make()
    slots = [np.abs(make()) if s not in rule.optional or with_optional else None for s in rule.slots]
    numbers = [np.float32(0.7) for _ in rule.numbers]
    coefficients = rule.prepare(np, 0.1, numbers, {**rule.attrs, **attrs}, np.dtype("float32"))
    ours, theirs = ([a if a is None else a.copy() for a in (p, *slots)] for _ in range(2))
    scratch = Scratch().take(np, rule.scratch + EXTRA, p.size, np.dtype("float32"))
    Run(rule, coefficients, scratch, penalty)(blocks_of(ours[0], tuple(ours[1:]), 0), [g])
    half = np.empty(50, "float16")
    xp = SimpleNamespace(ElementwiseKernel=Kernel)
    fused.update(xp, rule, theirs[0], g, tuple(theirs[1:]), coefficients, penalty, half)
    for a, b in zip(ours, theirs):
        if a is not None:
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(half, theirs[0].astype("float16"))
    assert not np.array_equal(ours[0], p)
    assert len(rule.kernels) == 1
    fused.update(xp, rule, theirs[0], g, tuple(theirs[1:]), coefficients, penalty, half)
    assert len(rule.kernels) == 1
