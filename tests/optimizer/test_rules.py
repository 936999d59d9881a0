"""Each optimizer takes the steps of its paper's formula, on tensors of many sizes at once."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.tensor import Parameter, Tensor
from paddlite.ops.update import blocks
from tests.optimizer import models

optim = paddle.optimizer
CASES = {
    "SGD": (optim.SGD, models.sgd),
    "Momentum": (optim.Momentum, models.momentum),
    "Momentum nesterov": (
        partial(optim.Momentum, momentum=0.8, use_nesterov=True),
        partial(models.momentum, mu=0.8, nesterov=True),
    ),
    "Adam": (optim.Adam, models.adam),
    "Adam options": (
        partial(optim.Adam, beta1=0.5, beta2=0.9, epsilon=1e-2),
        partial(models.adam, beta1=0.5, beta2=0.9, epsilon=1e-2),
    ),
    "Adam amsgrad": (partial(optim.Adam, amsgrad=True, beta2=0.5), partial(models.adam, amsgrad=True, beta2=0.5)),
    "AdamW": (optim.AdamW, models.adamw),
    "AdamW amsgrad": (
        partial(optim.AdamW, weight_decay=0.3, amsgrad=True, beta2=0.5),
        partial(models.adamw, decay=0.3, amsgrad=True, beta2=0.5),
    ),
    "Adamax": (partial(optim.Adamax, epsilon=1e-2), partial(models.adamax, epsilon=1e-2)),
    "NAdam": (partial(optim.NAdam, momentum_decay=0.5), partial(models.nadam, decay=0.5)),
    "RAdam": (optim.RAdam, models.radam),
    "Adagrad": (partial(optim.Adagrad, initial_accumulator_value=0.3), partial(models.adagrad, first=0.3)),
    "Adadelta": (partial(optim.Adadelta, rho=0.8, epsilon=1e-2), partial(models.adadelta, rho=0.8, epsilon=1e-2)),
    "RMSProp": (optim.RMSProp, models.rmsprop),
    "RMSProp centered": (
        partial(optim.RMSProp, momentum=0.5, centered=True, rho=0.7),
        partial(models.rmsprop, mu=0.5, centered=True, rho=0.7),
    ),
    "Lamb": (partial(optim.Lamb, lamb_weight_decay=0.1), partial(models.lamb, decay=0.1)),
    "Lamb without decay": (partial(optim.Lamb, lamb_weight_decay=0.0), partial(models.lamb, decay=0.0)),
    "Lamb always": (
        partial(optim.Lamb, lamb_weight_decay=0.0, always_adapt=True),
        partial(models.lamb, decay=0.0, adapt=True),
    ),
    "ASGD": (optim.ASGD, models.asgd),
    "ASGD of 3": (partial(optim.ASGD, batch_num=3), partial(models.asgd, n=3)),
    "Rprop": (partial(optim.Rprop, learning_rate_range=(0.04, 0.07)), partial(models.rprop, low=0.04, high=0.07)),
}
SHAPES = ((3, 4), (5,), (), (0, 2), (40, 50), (7,), (2, 3, 4))
STEPS = 8  # RAdam's mean square counts from the sixth step on


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks so small that parameters are cut and gathered."""
    monkeypatch.setattr(blocks, "BLOCK", 300)
    monkeypatch.setattr("paddlite.optimizer.cohort.BLOCK", 30)
    monkeypatch.setattr("paddlite.optimizer.cohort.SMALL", 25)


def steps(make, shapes, dtype, rng):
    """The parameters, the optimizer, and the gradients of each step."""
    params = [Parameter(rng.standard_normal(s).astype(dtype), name=f"w{i}") for i, s in enumerate(shapes)]
    optimizer = make(learning_rate=0.05, parameters=params)
    gradients = [[rng.standard_normal(s).astype(dtype) for s in shapes] for _ in range(STEPS)]
    return params, optimizer, gradients


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 3e-6)])
@pytest.mark.parametrize("name", CASES)
def test_steps_follow_the_formula(name, dtype, tolerance):
    make, model = CASES[name]
    params, optimizer, gradients = steps(make, SHAPES, dtype, np.random.default_rng(3))
    wanted = [p.numpy().astype("float64") for p in params]
    states = [{} for _ in params]
    for t, step in enumerate(gradients, 1):
        for p, g in zip(params, step):
            p.grad = Tensor(g)
        optimizer.step()
        wanted = [model(w, g.astype("float64"), 0.05, s, t) for w, g, s in zip(wanted, step, states)]
        for p, w, g in zip(params, wanted, step):
            np.testing.assert_allclose(p.numpy(), w, rtol=tolerance, atol=tolerance)
            assert p.dtype == dtype
            np.testing.assert_array_equal(p.grad.numpy(), g)
    saved = optimizer.state_dict()
    for p, s in zip(params, states):
        for what, value in s.items():
            if what != "seen":
                np.testing.assert_allclose(
                    saved[f"{p.name}_{what}_0"].numpy(), value, rtol=tolerance * 4, atol=tolerance
                )


POWER = {"beta1_pow_acc": 0.65609992}
# three steps of the reference from [1, 2, 3] with the gradients below, and what it remembers then
PRINTED = {
    "Adam": (optim.Adam, {"epsilon": 1e-3}, [0.78394943, 2.1327012, 2.9841814], POWER),
    "AdamW": (optim.AdamW, {"weight_decay": 0.1}, [0.75563884, 2.0711138, 2.8214858], {"beta2_pow_acc": 0.99600607}),
    "Adamax": (optim.Adamax, {"epsilon": 1e-2}, [0.81358743, 2.1249955, 2.9751089], POWER),
    "NAdam": (optim.NAdam, {"epsilon": 1e-3}, [0.84719449, 2.0424323, 2.9590049], {"mu_product": [0.09121428] * 3}),
    "RAdam": (optim.RAdam, {"epsilon": 1e-3}, [0.96390176, 2.2502234, 2.9266107], {"beta1_pow": [0.72899991] * 3}),
    "RMSProp": (
        optim.RMSProp,
        {"epsilon": 1e-2, "centered": True, "momentum": 0.5},
        [0.61139834, 2.3814385, 2.5601645],
        {},
    ),
    "Adadelta": (optim.Adadelta, {"epsilon": 1e-2}, [0.98318338, 2.0005631, 2.9568439], {}),
    "Lamb": (optim.Lamb, {}, [0.35992518, 2.3061678, 2.6424878], {"beta2_pow_acc": 0.99600607}),
    "ASGD": (optim.ASGD, {"batch_num": 2}, [0.965, 2.175, 2.900485], {"m": 3}),
    "Rprop": (optim.Rprop, {"learning_rate_range": (0.09, 0.11)}, [0.78999996, 2.01, 2.81], {}),
    "Momentum": (optim.Momentum, {}, [0.93590003, 2.302, 2.8009229], {}),
    "Adagrad": (
        optim.Adagrad,
        {"epsilon": 1e-2, "initial_accumulator_value": 0.3},
        [0.96536386, 2.0316021, 2.9048932],
        {},
    ),
}
GRADIENTS = ([0.1, -2.0, 1e-4], [0.3, 1.0, -5e-3], [-0.2, 0.5, 2.0])


@pytest.mark.parametrize("name", PRINTED)
def test_steps_agree_with_the_reference(name):
    make, options, after, numbers = PRINTED[name]
    w = Parameter(np.array([1, 2, 3], "float32"), name="w")
    optimizer = make(learning_rate=0.1, parameters=[w], **options)
    for g in GRADIENTS:
        w.grad = paddle.to_tensor(g)
        optimizer.step()
    np.testing.assert_allclose(w.numpy(), after, rtol=2e-6)
    saved = optimizer.state_dict()
    for what, value in numbers.items():
        found = saved[f"w_{what}_0"]
        np.testing.assert_allclose(found.numpy(), np.broadcast_to(value, found.shape), rtol=1e-6)
        assert found.shape == ([3] if isinstance(value, list) else [1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["SGD", "Momentum", "AdamW", "Lamb", "ASGD", "Rprop", "RMSProp"])
@pytest.mark.usefixtures("small_blocks")
def test_master_weights_take_the_float32_steps(name, dtype):
    make, _ = CASES[name]
    halves, optimizer, gradients = steps(make, SHAPES, "float32", np.random.default_rng(5))
    halves = [Parameter(p.astype(dtype)._data, name=p.name) for p in halves]
    full = [Parameter(p.astype("float32")._data, name=p.name) for p in halves]
    optimizer, plain = make(learning_rate=0.05, parameters=halves), make(learning_rate=0.05, parameters=full)
    optimizer._multi_precision = True
    for step in gradients:
        for p, q, g in zip(halves, full, step):
            p.grad = Tensor(g).astype(dtype)
            q.grad = p.grad.astype("float32")
        optimizer.step()
        plain.step()
    saved = optimizer.state_dict()
    for p, q in zip(halves, full):
        np.testing.assert_array_equal(saved["master_weights"][p.name].numpy(), q.numpy())
        np.testing.assert_array_equal(p._data, q._data.astype(p._dtype))
        assert saved["master_weights"][p.name].name == f"{p.name}_fp32_master_0"
    for key, value in plain.state_dict().items():
        name, what = key.split("_", 1)
        np.testing.assert_array_equal(saved[f"{name}_fp32_master_0_{what}"].numpy(), value.numpy())


@pytest.mark.parametrize("name", CASES)
def test_half_parameters_without_master_weights_are_updated_in_float32_and_rounded(name):
    make, _ = CASES[name]
    rng = np.random.default_rng(1)
    array = rng.standard_normal(40).astype("float16")
    half, full = Parameter(array.copy()), Parameter(array.astype("float32"))
    half.grad = Tensor(rng.standard_normal(40).astype("float16"))
    full.grad = half.grad.astype("float32")
    for p in (half, full):
        make(learning_rate=0.05, parameters=[p]).step()
    np.testing.assert_array_equal(half._data, full._data.astype("float16"))
