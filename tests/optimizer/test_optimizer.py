"""Groups, decay, clipping, rates, and which parameters move."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.tensor import Parameter, Tensor
from paddlite.optimizer.lr import StepDecay
from paddlite.regularizer import L1Decay, L2Decay

optim = paddle.optimizer
ALL = {
    name: getattr(optim, name) for name in optim.__all__ if name not in ("Optimizer", "LBFGS")
}  # every one that steps without a closure


def parameter(values=(1.0, 2.0), gradient=(1.0, 1.0), **attributes) -> Parameter:
    p = Parameter(np.array(values, "float32"))
    p.grad = paddle.to_tensor(list(gradient)) if gradient is not None else None
    for name, value in attributes.items():
        setattr(p, name, value)
    return p


def after(optimizer, *params):
    optimizer.step()
    return [p.numpy().tolist() for p in params]


def near(values):
    return [pytest.approx(v, rel=1e-6) for v in values]


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_parameters_that_are_frozen_or_without_gradient_never_move(make):
    moving, frozen, unused = parameter(), parameter(stop_gradient=True), parameter(gradient=None)
    options = {} if make is optim.Rprop or make is optim.Lamb else {"weight_decay": 0.1}
    optimizer = make(learning_rate=0.1, parameters=[frozen, moving, unused], **options)
    for _ in range(3):
        optimizer.step()
    assert frozen.tolist() == unused.tolist() == [1.0, 2.0]
    assert not np.any(moving.numpy() == [1.0, 2.0])
    assert frozen.inplace_version == unused.inplace_version == 0
    assert moving.inplace_version == 3


def test_a_parameter_that_pauses_keeps_its_own_count_of_steps():
    rng = np.random.default_rng(0)
    together = [parameter() for _ in range(3)]
    alone = [parameter() for _ in range(3)]
    joint = optim.Adam(0.1, parameters=together)
    own = [optim.Adam(0.1, parameters=[p]) for p in alone]
    for active in ((0, 1, 2), (0, 2), (1,), (0, 1, 2), (2,), (0, 1, 2)):
        gradients = [rng.standard_normal(2).astype("float32") for _ in range(3)]
        for i in range(3):
            for p in (together[i], alone[i]):
                p.grad = Tensor(gradients[i]) if i in active else None
        joint.step()
        for optimizer in own:
            optimizer.step()
    for p, q in zip(together, alone):
        np.testing.assert_array_equal(p.numpy(), q.numpy())


@pytest.mark.parametrize(("make", "together"), [(optim.SGD, 1), (optim.Momentum, 1), (optim.Adam, 2)])
def test_pauses_part_only_parameters_whose_rule_counts_steps(make, together):
    params = [parameter() for _ in range(3)]
    optimizer = make(0.1, parameters=params)
    for active in ((0, 1, 2), (0, 1), (0, 1, 2), (0, 1, 2)):
        for i, p in enumerate(params):
            p.grad = paddle.to_tensor([1.0, 1.0]) if i in active else None
        optimizer.step()
    assert len(list(optimizer._patterns.values())[-1]) == together


def test_groups_have_their_own_rate_decay_clip_and_arguments():
    a, b, c = parameter(), parameter(), parameter()
    groups = [
        {"params": [a]},
        {"params": b, "learning_rate": 0.5, "weight_decay": 0.1},
        {"params": [c], "grad_clip": paddle.nn.ClipGradByValue(0.5), "weight_decay": L1Decay(0.3)},
    ]
    sgd = optim.SGD(0.1, parameters=groups, weight_decay=0.2)
    assert after(sgd, a, b, c) == [near([0.88, 1.86]), near([0.945, 1.94]), near([0.92, 1.92])]
    p, q = parameter(), parameter()
    momentum = optim.Momentum(0.1, parameters=[{"params": [p], "momentum": 0.1}, {"params": [q]}])
    momentum.step()
    assert after(momentum, p, q) == [near([0.79, 1.79]), near([0.71, 1.71])]
    p = parameter(gradient=(0.1, 0.1))
    adam = optim.Adam(0.1, parameters=[{"params": [p], "beta1": 0.5, "beta2": 0.9, "epsilon": 1e-2}])
    adam.step()
    assert after(adam, p) == [near([0.8181819, 1.8181818])]  # the reference's numbers


def test_options_of_groups_count_from_the_next_step_on():
    a = parameter()
    sgd = optim.SGD(1.0, parameters=[{"params": [a]}])
    sgd.step()
    sgd._param_groups[0]["learning_rate"] = 0.5
    assert after(sgd, a) == [near([-0.5, 0.5])]
    sgd._param_groups[0]["weight_decay"] = 1.0
    assert after(sgd, a) == [near([-0.75, -0.25])]
    for coefficient, wanted in ((0.0, [-1.25, -0.75]), (2.0, [-0.5, -0.5])):  # objects that may take each other's place
        sgd._param_groups[0]["weight_decay"] = L2Decay(coefficient)
        assert after(sgd, a) == [near(wanted)]


def test_clipping_comes_before_decay_and_leaves_gradients_alone():
    p = parameter()
    sgd = optim.SGD(0.1, parameters=[p], weight_decay=1.0, grad_clip=paddle.nn.ClipGradByValue(0.5))
    assert after(sgd, p) == [near([0.85, 1.75])]
    assert p.grad.tolist() == [1.0, 1.0]


def test_each_group_is_clipped_by_itself():
    a, b = parameter((0.0,), (3.0,)), parameter((0.0,), (4.0,))
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    assert after(optim.SGD(1.0, parameters=[{"params": [a]}, {"params": [b]}], grad_clip=clip), a, b) == [
        [-1.0],
        [-1.0],
    ]
    a, b = parameter((0.0,), (3.0,)), parameter((0.0,), (4.0,))
    assert after(optim.SGD(1.0, parameters=[a, b], grad_clip=clip), a, b) == [near([-0.6]), near([-0.8])]


@pytest.mark.parametrize(
    ("make", "options", "wanted"),
    [
        (optim.SGD, {"weight_decay": 0.1}, [0.89, 1.88]),
        (optim.SGD, {"weight_decay": 1}, [0.8, 1.7]),
        (optim.SGD, {"weight_decay": L2Decay(0.1)}, [0.89, 1.88]),
        (optim.SGD, {"weight_decay": L1Decay(0.1)}, [0.89, 1.89]),
        (optim.Momentum, {"weight_decay": 0.1}, [0.89, 1.88]),
        (optim.Momentum, {"rescale_grad": 0.5, "weight_decay": 0.1}, [0.94, 1.93]),
        (optim.AdamW, {"weight_decay": 0.2}, [0.88, 1.86]),
        (optim.AdamW, {"weight_decay": 0.2, "apply_decay_param_fun": lambda name: False}, [0.9, 1.9]),
        (optim.AdamW, {"weight_decay": 0.2, "lr_ratio": lambda p: 0.5}, [0.94, 1.93]),
    ],
)
def test_weight_decay(make, options, wanted):
    p = parameter()
    assert after(make(0.1, parameters=[p], **options), p) == [near(wanted)]


def test_the_parameters_own_rate_and_regularizer_count():
    attributes = {"optimize_attr": {"learning_rate": 0.5}, "regularizer": L2Decay(1.0)}
    for make, wanted in ((optim.SGD, [0.9, 1.85]), (optim.Momentum, [0.9, 1.85]), (optim.AdamW, [0.94, 1.93])):
        p = parameter(**attributes)
        assert after(make(0.1, parameters=[p], weight_decay=0.2), p) == [near(wanted)]
    p = parameter()
    sgd = optim.SGD(1.0, parameters=[p])
    sgd.step()
    p.optimize_attr["learning_rate"] = 0.0
    assert after(sgd, p) == [[0.0, 1.0]]


def test_lamb_leaves_out_the_decay_of_excluded_parameters():
    a, b = parameter(), parameter()
    lamb = optim.Lamb(0.1, 0.5, parameters=[a, b], exclude_from_weight_decay_fn=lambda p: p is b)
    lamb.step()
    assert not np.allclose(a.numpy(), [0.9, 1.9])
    np.testing.assert_allclose(b.numpy(), [0.9, 1.9], rtol=1e-5)


def test_a_parameter_listed_twice_is_updated_once():
    p = parameter()
    assert after(optim.SGD(0.1, parameters=[p, p]), p) == [near([0.9, 1.9])]


def test_parameters_may_be_added():
    a, b, c = parameter(), parameter(), parameter()
    sgd = optim.SGD(0.1, parameters=[a])
    sgd._parameter_list.append(b)
    sgd._add_param_group({"params": [c], "learning_rate": 2.0})
    assert after(sgd, a, b, c) == [near([0.9, 1.9]), near([0.9, 1.9]), near([0.8, 1.8])]
    with pytest.raises(ValueError, match="more than one parameter group"):
        sgd._add_param_group({"params": [a]})


def test_a_plain_tensor_and_a_generator_of_parameters_can_be_trained():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    x.grad = paddle.to_tensor([1.0, 1.0])
    assert after(optim.Adam(0.1, parameters=(t for t in [x])), x) == [near([0.9, 1.9])]


def test_views_and_other_tensors_over_the_parameters_memory_see_the_step():
    p = parameter()
    same = p.detach()
    address = p._data.__array_interface__["data"][0]
    optim.Adam(0.1, parameters=[p, parameter()]).step()
    assert same.tolist() == p.tolist() == near([0.9, 1.9])
    assert p._data.__array_interface__["data"][0] == address


def test_a_step_is_noticed_by_backward():
    p = parameter()
    y = p * p
    optim.SGD(0.1, parameters=[p]).step()
    with pytest.raises(RuntimeError, match="changed in place"):
        paddle.grad(y, p, grad_outputs=paddle.to_tensor([1.0, 1.0]))


def test_set_value_and_a_new_array_are_taken_up():
    p, q = parameter(), parameter()
    momentum = optim.Momentum(0.1, parameters=[p, q])
    momentum.step()
    p.set_value(np.array([5.0, 6.0], "float32"))
    q._data = np.array([7.0, 8.0], "float32")
    assert after(momentum, p, q) == [near([4.81, 5.81]), near([6.81, 7.81])]


@pytest.mark.parametrize("make", [lambda a: a.T, lambda a: np.asfortranarray(a), lambda a: a[:, ::2]])
def test_arrays_that_do_not_lie_in_one_piece(make):
    rng = np.random.default_rng(0)
    array = make(rng.standard_normal((4, 6)).astype("float32"))
    gradient = rng.standard_normal(array.shape).astype("float32")
    odd, plain, small = Parameter(array), Parameter(np.ascontiguousarray(array)), parameter()
    for p in (odd, plain):
        p.grad = Tensor(np.asfortranarray(gradient))
    optim.AdamW(0.1, parameters=[small, odd]).step()
    optim.AdamW(0.1, parameters=[plain]).step()
    np.testing.assert_array_equal(odd.numpy(), plain.numpy())
    assert odd._data is array


def test_an_array_that_must_not_be_written_is_copied():
    array = np.ones(20000, "float32")
    array.flags.writeable = False
    p = Parameter(array)
    p.grad = Tensor(np.ones(20000, "float32"))
    optim.SGD(0.5, parameters=[p]).step()
    assert p[0].item() == 0.5 and array[0] == 1.0


def test_a_gradient_of_another_dtype_is_cast():
    p = parameter((1.0, 2.0), None)
    p._grad = paddle.to_tensor([1.0, 1.0], dtype="float64")
    assert after(optim.SGD(0.1, parameters=[p]), p) == [near([0.9, 1.9])]


def test_a_parameter_may_change_its_dtype():
    p = parameter()
    adam = optim.Adam(0.1, parameters=[p])
    adam.step()
    p._data = p._data.astype("float64")
    p.grad = p.grad.astype("float64")
    adam.step()
    np.testing.assert_allclose(p.numpy(), [0.8, 1.8], rtol=1e-5)  # beta2^t comes from float32
    assert adam.state_dict()[f"{p.name}_moment1_0"].dtype == "float64"
    p._data = np.zeros(3)
    p._grad = None
    p.grad = Tensor(np.zeros(3))
    with pytest.raises(ValueError, match="make a new optimizer"):
        adam.step()


def test_an_optimizer_can_be_copied_with_its_parameters():
    params = [parameter(), parameter((3.0,), (1.0,))]
    adam = optim.Adam(StepDecay(0.1, 1), parameters=params)
    adam.step()
    twins, copied = copy.deepcopy((params, adam))
    for p, q in zip(params, twins):
        q.grad = p.grad
    adam.step()
    copied.step()
    for p, q in zip(params, twins):
        np.testing.assert_array_equal(p.numpy(), q.numpy())
        assert p is not q


def test_minimize_uses_the_gradients_that_backward_left():
    p, q = parameter((1.0, 2.0), None), parameter((1.0, 2.0), None)
    sgd = optim.SGD(0.1, parameters=[p, q])
    loss = (p * q * 2.0)[0]
    assert sgd.minimize(loss) == ([], [])
    loss.backward()
    ops, pairs = sgd.minimize(loss, parameters=[p])
    assert ops == [] and [x.name for x, _ in pairs] == [p.name]
    assert p.tolist() == near([0.8, 2.0]) and q.tolist() == [1.0, 2.0]
    sgd.minimize(loss, no_grad_set={p.name})
    assert q.tolist() == near([0.8, 2.0])
    assert sgd.apply_gradients(sgd.backward(loss)) == []
    assert p.tolist() == near([0.6, 2.0])


def test_clear_grad_leaves_zeros_or_nothing():
    p = parameter()
    adamw = optim.SGD(0.1, parameters=[p], weight_decay=0.5)
    adamw.clear_grad()
    assert p.grad.tolist() == [0.0, 0.0]
    assert after(adamw, p) == [near([0.95, 1.9])]  # a gradient of zeros is one: the parameter decays
    (p * 2.0)[0].backward()
    assert p.grad.tolist() == [2.0, 0.0]
    adamw.clear_grad(set_to_zero=False)
    assert p.grad is None
    assert adamw.zero_grad.__func__ is adamw.clear_gradients.__func__ is optim.Optimizer.clear_grad


def test_steps_with_no_gradient_at_all_do_nothing():
    p = parameter(gradient=None)
    optim.Adam(0.1, parameters=[p]).step()
    optim.Adam(0.1, parameters=[]).step()
    assert p.tolist() == [1.0, 2.0]


def test_an_overflow_that_a_scaler_found_makes_the_step_do_nothing():
    p = parameter()
    adam = optim.Adam(0.1, parameters=[p])
    adam._found_inf = paddle.to_tensor(True)
    adam.step()
    assert p.tolist() == [1.0, 2.0] and p.inplace_version == 0 and adam.state_dict() == {}
    adam._found_inf = paddle.to_tensor(False)
    assert after(adam, p) == [near([0.9, 1.9])]


def test_only_floating_point_parameters_can_be_trained():
    p = Parameter(np.zeros(2, "complex64"), name="z")
    p.grad = Tensor(np.ones(2, "complex64"))
    with pytest.raises(TypeError, match="'z' has dtype complex64"):
        optim.SGD(0.1, parameters=[p]).step()


def test_infinity_and_nan_pass_in_silence():
    p = parameter(gradient=(np.inf, np.nan))
    optim.Adam(0.1, parameters=[p]).step()
    assert np.isnan(p.numpy()).all()


def test_learning_rate():
    p = parameter()
    sgd = optim.SGD(1, parameters=[p])
    assert sgd.get_lr() == 1.0
    sgd.set_lr(0.25)
    assert after(sgd, p) == [[0.75, 1.75]]
    scheduler = StepDecay(0.5, 1, 0.5)
    sgd.set_lr_scheduler(scheduler)
    assert sgd.get_lr() == 0.5
    scheduler.step()
    assert after(sgd, p) == [[0.5, 1.5]]
    with pytest.raises(RuntimeError, match="set_lr_scheduler"):
        sgd.set_lr(0.1)
    with pytest.raises(TypeError, match="LRScheduler"):
        sgd.set_lr_scheduler(0.1)
    with pytest.raises(TypeError, match="number"):
        optim.SGD(0.1, parameters=[p]).set_lr("0.1")


def test_a_group_may_have_a_schedule_as_its_factor():
    p, scheduler = parameter(), StepDecay(1.0, 1, 0.5)
    sgd = optim.SGD(0.5, parameters=[{"params": [p], "learning_rate": scheduler}])
    sgd.step()
    scheduler.step()
    assert after(sgd, p) == [[0.25, 1.25]]


BAD = [
    (AttributeError, "parameters must be given", lambda p: optim.SGD(0.1)),
    (TypeError, "list of Tensors", lambda p: optim.SGD(0.1, parameters=p)),
    (TypeError, "must be Tensors, got float", lambda p: optim.SGD(0.1, parameters=[1.0])),
    (TypeError, "number or an LRScheduler", lambda p: optim.SGD("0.1", parameters=[p])),
    (TypeError, "number or an LRScheduler", lambda p: optim.Adam(None, parameters=[p])),
    (TypeError, "weight_decay", lambda p: optim.SGD(0.1, parameters=[p], weight_decay="0.1")),
    (TypeError, "weight_decay", lambda p: optim.AdamW(0.1, parameters=[p], weight_decay=L2Decay(0.1))),
    (TypeError, "weight_decay", lambda p: optim.AdamW(0.1, parameters=[p], weight_decay=None)),
    (TypeError, "weight_decay", lambda p: optim.AdamW(0.1, parameters=[{"params": [p], "weight_decay": L2Decay(0.1)}])),
    (TypeError, "weight_decay", lambda p: optim.SGD(0.1, parameters=[{"params": [p], "weight_decay": "0.1"}])),
    (TypeError, "grad_clip must be a clip", lambda p: optim.SGD(0.1, parameters=[p], grad_clip=1.0)),
    (TypeError, "grad_clip must be a clip", lambda p: optim.SGD(0.1, parameters=[{"params": [p], "grad_clip": 1.0}])),
    (ValueError, "needs the key 'params'", lambda p: optim.SGD(0.1, parameters=[{"weights": [p]}])),
    (ValueError, "more than one", lambda p: optim.SGD(0.1, parameters=[{"params": [p]}, {"params": [p]}])),
    (ValueError, r"beta1 must lie in \[0, 1\)", lambda p: optim.Adam(0.1, beta1=1.0, parameters=[p])),
    (ValueError, "beta2", lambda p: optim.AdamW(0.1, beta2=-0.1, parameters=[p])),
    (ValueError, "epsilon", lambda p: optim.Adamax(0.1, epsilon=-1.0, parameters=[p])),
    (TypeError, "beta1 must be a number", lambda p: optim.NAdam(0.1, beta1=None, parameters=[p])),
    (ValueError, "momentum_decay", lambda p: optim.NAdam(0.1, momentum_decay=-1.0, parameters=[p])),
    (ValueError, "rho must be given", lambda p: optim.Adadelta(0.1, rho=None, parameters=[p])),
    (ValueError, "momentum must not be negative", lambda p: optim.RMSProp(0.1, momentum=-1.0, parameters=[p])),
    (TypeError, "momentum must be a number", lambda p: optim.Momentum(0.1, "x", parameters=[p])),
    (ValueError, "batch_num", lambda p: optim.ASGD(0.1, batch_num=0, parameters=[p])),
    (ValueError, "learning_rate_range", lambda p: optim.Rprop(1.0, learning_rate_range=(0.1, 0.5), parameters=[p])),
    (ValueError, "etas", lambda p: optim.Rprop(0.1, etas=(1.5, 1.2), parameters=[p])),
    (TypeError, "beta1 of a parameter group", lambda p: optim.Adam(0.1, parameters=[{"params": [p], "beta1": "x"}])),
    (NotImplementedError, "subclass", lambda p: optim.Optimizer(0.1, parameters=[p]).step()),
    (TypeError, "coeff", lambda p: L2Decay("0.1")),
]  # fmt: skip


@pytest.mark.parametrize(("error", "text", "call"), BAD, ids=[f"{i}-{b[1]}" for i, b in enumerate(BAD)])
def test_bad_arguments_are_refused(error, text, call):
    with pytest.raises(error, match=text):
        call(parameter())


def test_one_element_tensors_are_numbers():
    p = parameter()
    adam = optim.Adam(paddle.to_tensor(0.1), beta1=paddle.to_tensor(0.5), beta2=paddle.to_tensor([0.9]), parameters=[p])
    assert adam._defaults == {"beta1": 0.5, "beta2": pytest.approx(0.9), "epsilon": 1e-8}
    assert optim.AdamW(0.1, weight_decay=paddle.to_tensor(0.5), parameters=[p]).regularization == 0.5
