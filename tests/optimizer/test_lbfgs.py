"""L-BFGS: iterations, line search, memory."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.tensor import Parameter
from paddlite.ops.reduce import reduce_sum


def rosenbrock(line_search, lr=1.0, max_iter=4, dtype="float64", **options):
    """The optimizer, its parameters, the closure, and the count of its calls."""
    a, b = Parameter(np.array([-1.2, 1.0], dtype)), Parameter(np.array([0.5], dtype))
    lbfgs = paddle.optimizer.LBFGS(lr, max_iter, line_search_fn=line_search, parameters=[a, b], **options)
    calls = [0]

    def closure():
        calls[0] += 1
        lbfgs.clear_grad()
        x, y = a[0], a[1]
        loss = (1.0 - x) ** 2 + 100.0 * (y - x**2) ** 2 + reduce_sum(b**2)
        loss.backward()
        return loss

    return lbfgs, (a, b), closure, calls


@pytest.mark.parametrize(
    ("line_search", "lr", "losses", "calls", "found"),
    [
        (None, 0.1, (24.450005, 8.0292482, 6.0283060), 12, ([-1.0656928, 1.0582480], [0.49536055])),
        ("strong_wolfe", 1.0, (24.450005, 4.3681974, 4.0773606), 15, ([-0.51626611, 0.22386461], [-0.16004378])),
    ],
)
def test_iterations_agree_with_the_reference(line_search, lr, losses, calls, found):
    lbfgs, params, closure, counted = rosenbrock(line_search, lr, dtype="float32")
    assert [lbfgs.step(closure).item() for _ in range(3)] == pytest.approx(losses, rel=1e-5)
    assert counted[0] == calls == lbfgs.state_dict()["state"]["func_evals"]
    for p, values in zip(params, found):
        np.testing.assert_allclose(p.numpy(), values, rtol=1e-4)


def test_the_minimum_is_found():
    lbfgs, (a, b), closure, _ = rosenbrock("strong_wolfe", max_iter=100)
    lbfgs.step(closure)
    np.testing.assert_allclose(a.numpy(), [1, 1], atol=1e-4)
    np.testing.assert_allclose(b.numpy(), [0], atol=1e-4)


def test_a_quadratic_takes_one_newton_step_once_the_curvature_is_known():
    w = Parameter(np.array([4.0]))
    lbfgs = paddle.optimizer.LBFGS(1.0, max_iter=3, parameters=[w])

    def closure():
        lbfgs.clear_grad()
        loss = reduce_sum(w**2) * 5.0
        loss.backward()
        return loss

    lbfgs.step(closure)
    assert w.item() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_a_resumed_run_gives_the_bits_of_an_uninterrupted_one(line_search):
    lbfgs, params, closure, _ = rosenbrock(line_search, 0.5)
    for _ in range(2):
        lbfgs.step(closure)
    state, values = copy.deepcopy(lbfgs.state_dict()), [p.numpy() for p in params]
    lbfgs.step(closure)
    other, again, resume, _ = rosenbrock(line_search, 0.5)
    for p, value in zip(again, values):
        p.set_value(value)
    other.set_state_dict(state)
    other.step(resume)
    for p, q in zip(params, again):
        np.testing.assert_array_equal(p.numpy(), q.numpy())


def test_limits_are_kept():
    lbfgs, _, closure, calls = rosenbrock("strong_wolfe", max_iter=50, max_eval=7)
    lbfgs.step(closure)
    assert calls[0] <= 7 + 25
    lbfgs, params, closure, calls = rosenbrock(None, max_iter=0)
    assert lbfgs.step(closure).item() == pytest.approx(24.45)
    assert calls[0] == 1 and params[0].tolist() == [-1.2, 1.0]
    lbfgs, _, closure, _ = rosenbrock("strong_wolfe", max_iter=10, history_size=2)
    lbfgs.step(closure)
    assert len(lbfgs.state_dict()["state"]["old_yk"]) == 2
    lbfgs, _, closure, _ = rosenbrock(None, max_iter=10, tolerance_grad=1e9)
    lbfgs.step(closure)
    assert "n_iter" not in lbfgs.state_dict()["state"]


def test_parameters_without_gradient_and_frozen_ones_stay():
    w, unused = Parameter(np.array([4.0])), Parameter(np.array([1.0]))
    frozen = Parameter(np.array([2.0]), trainable=False)
    lbfgs = paddle.optimizer.LBFGS(parameters=[w, unused, frozen])

    def closure():
        lbfgs.clear_grad()
        loss = reduce_sum((w - frozen) ** 2)
        loss.backward()
        return loss

    lbfgs.step(closure)
    assert [w.item(), unused.item(), frozen.item()] == pytest.approx([2.0, 1.0, 2.0])
    version = w.inplace_version
    lbfgs.step(closure)
    assert w.inplace_version == version  # nothing is left to do


def test_what_is_not_supported_is_refused():
    w = Parameter(np.array([4.0]))
    for options, text in (
        ({"weight_decay": 0.1}, "weight_decay is not supported"),
        ({"grad_clip": paddle.nn.ClipGradByValue(1.0)}, "grad_clip is not supported"),
        ({"line_search_fn": "armijo"}, "line_search_fn must be None or 'strong_wolfe'"),
    ):
        with pytest.raises(ValueError, match=text):
            paddle.optimizer.LBFGS(parameters=[w], **options)
    lbfgs = paddle.optimizer.LBFGS(parameters=[w])
    with pytest.raises(NotImplementedError, match=r"step\(closure\)"):
        lbfgs.minimize(w)
    with pytest.raises(ValueError, match="'state' is missing"):
        lbfgs.set_state_dict({})
    with pytest.raises(TypeError, match="closure"):
        lbfgs.step()
