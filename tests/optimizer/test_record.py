"""`minimize` in a Program takes the very steps that the optimizer takes eagerly."""

from __future__ import annotations

import numpy as np
import pytest

import paddlite as paddle
from paddlite.backend.random import Generator
from paddlite.core.program import Program, recording
from paddlite.core.tensor import Parameter, Tensor
from paddlite.core.verify import verify
from paddlite.ops.arithmetic import cast
from paddlite.ops.matmul import matmul
from paddlite.ops.reduce import reduce_mean
from paddlite.optimizer.lr import StepDecay
from paddlite.regularizer import L1Decay, L2Decay
from paddlite.static.executor import Plan
from tests.optimizer.test_rules import CASES

DATA = np.random.default_rng(7).standard_normal((5, 6, 4)).astype("float32")


def weights(dtype="float32"):
    rng = np.random.default_rng(2)
    shapes = {"w": (4, 3), "b": (3,), "v": (3, 1)}
    return [Parameter(rng.standard_normal(s).astype(dtype), name=n) for n, s in shapes.items()]


def loss_of(x, w, b, v):
    wide = [cast(p, dtype=np.dtype("float32")) for p in (w, b, v)]
    hidden = paddle.nn.functional.relu(matmul(x, wide[0]) + wide[1])
    return reduce_mean(matmul(hidden, wide[2]) ** 2)


def eager(optimizer, params, scheduler):
    losses = []
    for batch in DATA:
        loss = loss_of(Tensor(batch), *params)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
        if scheduler is not None:
            scheduler.step()
    return losses


def recorded(optimizer, params, scheduler):
    program = Program()
    with recording(program):
        loss = loss_of(program.data("x", [-1, 4], "float32"), *params)
        calls, pairs = optimizer.minimize(loss)
    assert {c.role for c in calls} == {"optimize"} and len(pairs) == len(params)
    verify(program)
    plan, losses = Plan(program, [loss._value]), []
    for batch in DATA:
        losses.append(plan.run({"x": batch}, {}, Generator(0))[0].item())
        if scheduler is not None:
            scheduler.step()
    return losses


def both(make, dtype="float32", schedule=False, master=False, touch=lambda params: None):
    results = []
    for way in (eager, recorded):
        params = weights(dtype)
        touch(params)
        scheduler = StepDecay(0.05, 2, 0.5) if schedule else None
        optimizer = make(learning_rate=scheduler or 0.05, parameters=params)
        optimizer._multi_precision = master
        losses = way(optimizer, params, scheduler)
        results.append((losses, params, optimizer.state_dict()))
    (losses, params, state), (losses2, params2, state2) = results
    assert losses == losses2
    assert losses[-1] != losses[0]
    for p, q in zip(params, params2):
        np.testing.assert_array_equal(p.numpy(), q.numpy())
        assert p.inplace_version == q.inplace_version == len(DATA)
    assert list(state) == list(state2)
    for key in state:
        if isinstance(state[key], Tensor):
            np.testing.assert_array_equal(state[key].numpy(), state2[key].numpy())


@pytest.mark.parametrize("name", CASES)
def test_a_program_takes_the_steps_of_eager_bit_for_bit(name):
    both(CASES[name][0])


def test_schedule_clip_decay_and_own_rates():
    def touch(params):
        params[0].optimize_attr["learning_rate"] = 0.3
        params[1].regularizer = L1Decay(0.05)

    clip = paddle.nn.ClipGradByGlobalNorm(0.5)
    make = lambda **k: paddle.optimizer.Momentum(weight_decay=L2Decay(0.1), grad_clip=clip, **k)
    both(make, schedule=True, touch=touch)


@pytest.mark.parametrize("master", [False, True])
def test_half_parameters(master):
    both(lambda **k: paddle.optimizer.Adam(weight_decay=0.1, **k), "float16", master=master)


def test_set_lr_and_a_new_schedule_reach_the_program():
    (w, b, v), program = weights(), Program()
    sgd = paddle.optimizer.SGD(0.0, parameters=[w, b, v])
    with recording(program):
        loss = loss_of(program.data("x", [-1, 4], "float32"), w, b, v)
    sgd.minimize(loss, parameters=[w])
    plan, before = Plan(program, [loss._value]), w.numpy()
    plan.run({"x": DATA[0]}, {}, Generator(0))
    np.testing.assert_array_equal(w.numpy(), before)
    sgd.set_lr(0.1)
    plan.run({"x": DATA[0]}, {}, Generator(0))
    step = before - w.numpy()
    assert step.any()
    w.set_value(before)
    scheduler = StepDecay(0.2, 1, 0.1)
    sgd.set_lr_scheduler(scheduler)
    plan.run({"x": DATA[0]}, {}, Generator(0))
    np.testing.assert_allclose(before - w.numpy(), 2 * step, rtol=1e-5, atol=1e-7)
    assert b.inplace_version == v.inplace_version == 0


def test_state_can_be_loaded_into_a_recorded_optimizer_and_eager_steps_go_on_from_it():
    params, other = weights(), weights()
    adam = paddle.optimizer.Adam(0.1, parameters=params)
    twin = paddle.optimizer.Adam(0.1, parameters=other)
    eager(twin, other, None)
    state, values = twin.state_dict(), [p.numpy() for p in other]
    program = Program()
    with recording(program):
        loss = loss_of(program.data("x", [-1, 4], "float32"), *params)
    adam.minimize(loss)
    adam.set_state_dict(state)
    for p, value in zip(params, values):
        p.set_value(value)
    plan = Plan(program, [loss._value])
    for batch in DATA[:2]:
        plan.run({"x": batch}, {}, Generator(0))
    loss_of(Tensor(DATA[2]), *params).backward()
    adam.step()
    for batch in DATA[:3]:
        loss_of(Tensor(batch), *other).backward()
        twin.step()
        twin.clear_grad()
    for p, q in zip(params, other):
        np.testing.assert_array_equal(p.numpy(), q.numpy())


def test_without_a_list_the_programs_parameters_are_trained():
    params, program = weights(), Program()
    with recording(program):
        sgd = paddle.optimizer.SGD(0.1)
        loss = loss_of(program.data("x", [-1, 4], "float32"), *params)
        _, pairs = sgd.minimize(loss)
    assert [p.name for p, _ in pairs] == ["w", "b", "v"]
    with pytest.raises(RuntimeError, match="minimize"), recording(program):
        sgd.step()
    with pytest.raises(ValueError, match="none of the parameters"):
        paddle.optimizer.SGD(0.1, parameters=[Parameter(np.zeros(2, "float32"))]).minimize(loss)
