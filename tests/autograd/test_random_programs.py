"""Views, in-place writes and ops in any order: values and gradients are those of an independent model."""

from __future__ import annotations

import numpy as np
import pytest

from paddlite.autograd.backward import grad
from paddlite.autograd.program import append_gradients
from paddlite.backend.random import Generator
from paddlite.core.errors import SavedValueChanged
from paddlite.core.program import Program, recording
from paddlite.core.tensor import Tensor
from paddlite.core.verify import verify
from paddlite.ops.arithmetic import elementwise_add, elementwise_mul
from paddlite.ops.reduce import reduce_sum
from paddlite.static.executor import Plan
from tests.autograd.programs import Model, Player, Writer

SHAPES = [(3, 4), (4, 3), (4,), (2, 3, 2), (12,), ()]
LENGTH = 14
COUNT = 400


class Case:
    """A random program, what the model says of it, and how it is played otherwise."""

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        shapes = [SHAPES[i] for i in rng.integers(len(SHAPES), size=3)]
        self.leaves = [rng.standard_normal(s) for s in shapes]
        self.directions = [rng.standard_normal(s) for s in shapes]
        self.model = Model(self.leaves, self.directions)
        self.steps = Writer(rng, self.model).write(LENGTH)
        self.weights = [rng.standard_normal(t.value.shape) for t in self.model.tensors]
        self.values = [t.value for t in self.model.tensors]
        self.slope = sum(float(np.sum(w * t.tangent)) for w, t in zip(self.weights, self.model.tensors))

    def loss(self, tensors: list):
        total = None
        for weight, t in zip(self.weights, tensors):
            term = reduce_sum(elementwise_mul(t, Tensor(weight)))
            total = term if total is None else elementwise_add(total, term)
        return total

    def eager(self):
        """Values, and gradients of the leaves or None where backward refuses."""
        leaves = [Tensor(a.copy(), False) for a in self.leaves]
        player = Player(leaves)
        for step in self.steps:
            player.play(step)
        loss = self.loss(player.tensors)
        values = [t.numpy() for t in player.tensors]
        try:
            return values, [g.numpy() for g in grad(loss, leaves)]
        except SavedValueChanged:
            return values, None

    def static(self):
        """Values and gradients of the recorded program."""
        program = Program()
        variables = []
        for i, a in enumerate(self.leaves):
            variables.append(program.data(f"x{i}", a.shape, a.dtype))
            variables[i].stop_gradient = False
        with recording(program):
            player = Player(variables)
            sources = [v._value for v in variables]
            for step in self.steps:
                player.play(step)
            loss = self.loss(player.tensors)
        found = append_gradients([loss], sources)
        verify(program)
        fetches = [self.settled(t) for t in player.tensors] + [found[s]._value for s in sources]
        run = Plan(program, fetches).run({f"x{i}": a for i, a in enumerate(self.leaves)}, {}, Generator(0))
        return run[: len(player.tensors)], run[len(player.tensors) :]

    @staticmethod
    def settled(variable):
        assert variable.stop_gradient in (True, False)  # brings a view up to date
        return variable._value

    def slope_of(self, gradients: list) -> float:
        return sum(float(np.sum(g * d)) for g, d in zip(gradients, self.directions))


@pytest.mark.parametrize("batch", range(10))
def test_eager_and_recorded_programs_agree_with_the_model(batch):
    refused = 0
    for seed in range(batch * COUNT // 10, (batch + 1) * COUNT // 10):
        case = Case(seed)
        values, gradients = case.eager()
        for got, want in zip(values, case.values, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12, err_msg=f"eager, seed {seed}")
        scale = max(1.0, abs(case.slope))
        refused += gradients is None
        if gradients is not None:
            assert case.slope_of(gradients) == pytest.approx(case.slope, abs=1e-9 * scale), f"eager, seed {seed}"
        if case.model.layout_matters:
            continue
        recorded, recorded_gradients = case.static()
        # a product's last bits depend on the layout of its operands, which in-place changes keep in eager only
        rtol = 1e-12 if any(step.kind == "matmul" for step in case.steps) else 0
        for got, want in zip(recorded, values, strict=True):
            np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol, err_msg=f"static, seed {seed}")
        assert case.slope_of(recorded_gradients) == pytest.approx(case.slope, abs=1e-9 * scale), f"static, seed {seed}"
        if gradients is not None:
            for got, want in zip(recorded_gradients, gradients, strict=True):
                np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol, err_msg=f"static, seed {seed}")
    assert refused < COUNT // 20, "most programs must come to a gradient"
