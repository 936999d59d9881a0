"""What an optimizer remembers survives a checkpoint, bit for bit."""

from __future__ import annotations

import copy
from functools import partial

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.tensor import Parameter, Tensor
from paddlite.optimizer.lr import CosineAnnealingDecay, LambdaDecay, LinearWarmup, StepDecay
from tests.optimizer.test_rules import CASES

optim = paddle.optimizer
SHAPES = ((3, 4), (5,), (), (20, 30))


def build(make, names="w", dtype="float32", seed=0, lr=0.05, mp=False, shapes=SHAPES):
    rng = np.random.default_rng(seed)
    params = [Parameter(rng.standard_normal(s).astype(dtype), name=f"{names}_{i}") for i, s in enumerate(shapes)]
    optimizer = make(learning_rate=lr, parameters=params)
    optimizer._multi_precision = mp
    return params, optimizer


def train(params, optimizer, steps, start=0, some=False):
    for t in range(start, start + steps):
        rng = np.random.default_rng(100 + t)
        for i, p in enumerate(params):
            g = rng.standard_normal(p.shape).astype(p._dtype)
            p.grad = None if some and t == 1 and i == 1 else Tensor(g)
        optimizer.step()
        if hasattr(optimizer._learning_rate, "step"):
            optimizer._learning_rate.step()


def frozen(state):
    """A copy as `paddle.save` and `paddle.load` would make it."""
    return copy.deepcopy(state)


def same(a, b):
    assert list(a) == list(b)
    for key in a:
        if isinstance(a[key], dict):
            same(a[key], b[key])
        elif isinstance(a[key], Tensor):
            assert a[key].dtype == b[key].dtype and a[key].shape == b[key].shape
            np.testing.assert_array_equal(a[key].numpy(), b[key].numpy())
        else:
            assert a[key] == b[key]


@pytest.mark.parametrize("names", ["w", "other"], ids=["by name", "by position"])
@pytest.mark.parametrize("case", CASES)
def test_resuming_gives_the_bits_of_an_uninterrupted_run(case, names):
    make, _ = CASES[case]
    params, optimizer = build(make)
    train(params, optimizer, 3, some=True)
    state, values = frozen(optimizer.state_dict()), [p.numpy() for p in params]
    train(params, optimizer, 3, start=3)

    again, resumed = build(make, names, seed=1)
    for p, value in zip(again, values):
        p.set_value(value)
    resumed.set_state_dict(state)
    if names == "w":
        same(state, resumed.state_dict())
    assert len(resumed.state_dict()) == len(state)
    train(again, resumed, 3, start=3)
    for p, q in zip(params, again):
        np.testing.assert_array_equal(p.numpy(), q.numpy())
    for value, other in zip(optimizer.state_dict().values(), resumed.state_dict().values()):
        np.testing.assert_array_equal(value.numpy(), other.numpy())


@pytest.mark.parametrize("order", ["parameters first", "optimizer first"])
@pytest.mark.parametrize("case", ["AdamW", "Lamb", "SGD"])
def test_resuming_with_master_weights(case, order):
    make, _ = CASES[case]
    params, optimizer = build(make, dtype="float16", mp=True)
    train(params, optimizer, 3)
    state, values = frozen(optimizer.state_dict()), [p.numpy() for p in params]
    assert sorted(state["master_weights"]) == sorted(p.name for p in params)
    train(params, optimizer, 3, start=3)
    again, resumed = build(make, dtype="float16", mp=True, seed=1)
    if order == "optimizer first":
        resumed.set_state_dict(state)
    for p, value in zip(again, values):
        p.set_value(value)
    if order == "parameters first":
        resumed.set_state_dict(state)
    train(again, resumed, 3, start=3)
    for p, q in zip(params, again):
        np.testing.assert_array_equal(p.numpy(), q.numpy())
    same(optimizer.state_dict(), resumed.state_dict())


def test_master_weights_follow_what_is_written_to_the_parameter():
    params, optimizer = build(partial(optim.SGD, multi_precision=True), dtype="float16", mp=True)
    train(params, optimizer, 1)
    before = optimizer.state_dict()["master_weights"]["w_0"].numpy()
    written = params[0].numpy()
    written[0, 0] = 7.0
    params[0].set_value(written)
    params[0].grad = Tensor(np.zeros((3, 4), "float16"))
    for p in params[1:]:
        p.grad = None
    optimizer.step()
    found = optimizer.state_dict()["master_weights"]["w_0"].numpy()
    assert found[0, 0] == 7.0
    np.testing.assert_array_equal(found.ravel()[1:], before.ravel()[1:])  # finer than float16


def test_keys_are_the_references():
    params, optimizer = build(optim.Adam, shapes=((2,), (3,)))
    assert optimizer.state_dict() == {}
    train(params, optimizer, 1)
    kinds = ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")
    wanted = [f"w_{i}_{kind}_0" for kind in kinds for i in range(2)]
    saved = optimizer.state_dict()
    assert list(saved) == wanted == optimizer.get_opti_var_name_list()
    assert [saved[k].name for k in wanted] == wanted
    assert saved["w_1_moment1_0"].shape == [3] and saved["w_1_beta1_pow_acc_0"].shape == [1]
    params, optimizer = build(optim.NAdam, lr=StepDecay(0.1, 2), shapes=((2,),))
    train(params, optimizer, 1)
    assert list(optimizer.state_dict()) == [
        "w_0_momentum_decay_pow_0",
        "w_0_beta2_pow_0",
        "w_0_mu_product_0",
        "w_0_moment1_0",
        "w_0_moment2_0",
        "LR_Scheduler",
    ]


def test_layers_give_the_references_names():
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 1))
    adam = optim.Adam(0.1, parameters=net.parameters())
    net(paddle.to_tensor([[1.0, 2.0, 3.0]])).backward()
    adam.step()
    names = ("linear_0.w_0", "linear_0.b_0", "linear_1.w_0", "linear_1.b_0")
    assert adam.get_opti_var_name_list()[:4] == [f"{name}_moment1_0" for name in names]


def test_the_state_is_live_and_what_is_loaded_is_copied():
    params, optimizer = build(optim.Momentum, shapes=((2,),))
    train(params, optimizer, 1)
    state = optimizer.state_dict()
    velocity = state["w_0_velocity_0"]
    before = velocity.numpy()
    train(params, optimizer, 1, start=1)
    assert not np.array_equal(velocity.numpy(), before)
    given = {"w_0_velocity_0": np.array([1.0, 2.0], "float32")}
    optimizer.set_state_dict(given)
    train(params, optimizer, 1, start=2)
    assert given["w_0_velocity_0"].tolist() == [1.0, 2.0]


def test_parameters_of_one_name_are_kept_apart():
    twins = [Parameter(np.zeros(2, "float32"), name="w") for _ in range(2)]
    optimizer = optim.Momentum(0.1, parameters=twins)
    train(twins, optimizer, 1)
    state = frozen(optimizer.state_dict())
    assert list(state) == ["w_velocity_0", "w@1_velocity_0"]
    optimizer.set_state_dict(state)
    same(state, optimizer.state_dict())


def test_a_state_of_some_of_the_parameters_or_of_more():
    params, optimizer = build(optim.Adam, shapes=((2,), (3,)))
    train(params, optimizer, 2)
    state = frozen(optimizer.state_dict())
    fewer = optim.Adam(0.1, parameters=params[:1])
    fewer.set_state_dict(state)
    assert len(fewer.state_dict()) == 4
    more = optim.Adam(0.1, parameters=[*params, Parameter(np.zeros(4, "float32"), name="new")])
    more.set_state_dict(state)
    assert len(more.state_dict()) == 8
    train(more._parameter_list, more, 1)
    assert more.state_dict()["new_beta1_pow_acc_0"].item() == pytest.approx(0.81)
    assert more.state_dict()["w_0_beta1_pow_acc_0"].item() == pytest.approx(0.9**4)


def test_a_running_number_of_the_reference_does_not_matter():
    _, optimizer = build(optim.Momentum, shapes=((2,),))
    optimizer.set_state_dict({"w_0_velocity_3": np.array([1.0, 2.0], "float32"), "global_step": np.array([5])})
    assert optimizer.state_dict()["w_0_velocity_0"].tolist() == [1.0, 2.0]


def test_bfloat16_comes_as_its_bits():
    _, optimizer = build(optim.Momentum, shapes=((2,),))
    optimizer.set_state_dict({"w_0_velocity_0": np.array([0x3F80, 0xC000], "uint16")})
    assert optimizer.state_dict()["w_0_velocity_0"].tolist() == [1.0, -2.0]


def test_what_does_not_fit_is_refused_and_nothing_is_changed():
    params, optimizer = build(optim.Adam, shapes=((2,), (3,)))
    train(params, optimizer, 1)
    state = frozen(optimizer.state_dict())
    before = frozen(state)
    wrong = [
        ({**state, "w_1_moment1_0": np.zeros(4)}, r"moment1 of 'w_1' has shape \[4\].*wants \[3\]"),
        ({k: v for k, v in state.items() if k != "w_1_moment2_0"}, r"\['moment2'\] of parameter 'w_1' is missing"),
        ({"w_0_velocity_0": np.zeros(2)}, "nothing belongs to this optimizer"),
        ({k.replace("w_1", "v_1"): v for k, v in state.items() if "w_0" not in k}, "1 parameters, v_1; .* 2, w_0, w_1"),
    ]
    for given, text in wrong:
        with pytest.raises(ValueError, match=text):
            optimizer.set_state_dict(given)
        same(before, optimizer.state_dict())


def test_the_schedule_comes_with_the_state():
    make = lambda: LinearWarmup(CosineAnnealingDecay(1.0, 10), 3, 0.0, 1.0)
    params, optimizer = build(optim.SGD, lr=make())
    train(params, optimizer, 5)
    state = frozen(optimizer.state_dict())
    assert list(state) == ["LR_Scheduler"]
    _, other = build(optim.SGD, lr=make())
    other.set_state_dict(state)
    assert other.get_lr() == optimizer.get_lr()
    with pytest.raises(ValueError, match="no 'LR_Scheduler'"):
        other.set_state_dict({})
    _, free = build(optim.SGD, lr=LambdaDecay(0.1, lambda t: 1.0))
    free.set_state_dict({})
    _, constant = build(optim.SGD, lr=0.1)
    constant.set_state_dict(state)
    assert constant.get_lr() == 0.1


def test_small_parameters_still_step_together_after_loading(monkeypatch):
    params, optimizer = build(optim.Adam, shapes=((2,), (3,), (4,)))
    train(params, optimizer, 1)
    _, other = build(optim.Adam, shapes=((2,), (3,), (4,)))
    other.set_state_dict(optimizer.state_dict())
    train(other._parameter_list, other, 1)
    (cohorts,) = other._patterns.values()
    assert len(cohorts) == 1 and len(cohorts[0].blocks) == 1
