"""Gradient hooks, retained gradients, and what happens to them."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.autograd.backward import add_ready_hook
from paddlite.core.errors import DTypeMismatch, NoGradient, ShapeMismatch


def leaf(*values):
    return paddle.to_tensor(list(values), dtype="float64", stop_gradient=False)


def test_hooks_run_in_order_and_change_the_gradient():
    seen = []
    x = leaf(1.0)
    x.register_hook(lambda g: seen.append(g.item()) or g * 2)
    x.register_hook(lambda g: seen.append(g.item()))
    (x * 3).backward()
    assert seen == [3, 6]
    assert x.grad.item() == 6


def test_a_hook_sees_the_whole_gradient_once_a_backward():
    seen = []
    x = leaf(1.0)
    y = x * 2
    for t in (x, y):
        t.register_hook(lambda g: seen.append(g.item()))
    (y * 3 + y * 4).backward()
    assert seen == [7, 14]


def test_a_hook_can_be_removed_once():
    x = leaf(1.0)
    handle = x.register_hook(lambda g: g * 100)
    assert handle.remove()
    assert not handle.remove()
    (x * 2).backward()
    assert x.grad.item() == 2


def test_a_hook_may_remove_itself():
    x = leaf(1.0)
    calls = []
    handle = x.register_hook(lambda g: calls.append(handle.remove()))
    for _ in range(2):
        (x * 2).backward()
    assert calls == [True]


def test_hooks_of_one_of_several_outputs():
    seen = []
    x = leaf(1.0, 2.0)
    first, second = paddle.unbind(x * 2)
    first.register_hook(lambda g: seen.append("first"))
    second.register_hook(lambda g: seen.append("second") or g * 10)
    (second * 3).backward()
    assert seen == ["second"]
    assert x.grad.tolist() == [0, 60]


def test_a_hook_may_call_backward():
    x, w = leaf(1.0), leaf(5.0)
    y = x * 2
    y.register_hook(lambda g: (w * w).backward())
    (y * 3).backward()
    assert (w.grad.item(), x.grad.item()) == (10, 6)


def test_hooks_run_with_gradients_on():
    modes = []
    x = leaf(2.0)
    y = x * x
    y.register_hook(lambda g: modes.append(paddle.is_grad_enabled()) or g * x)
    (y * 1).backward(retain_graph=True)
    assert x.grad.stop_gradient is False and x.grad.is_leaf
    assert x.grad.item() == 8
    [slope] = paddle.grad(y * 1, x, create_graph=True)  # 2 x^2, the hook's factor counts
    [bend] = paddle.grad(slope, x)
    assert bend.item() == 8
    assert modes == [True, True]


def test_a_hook_on_a_tensor_that_stops_gradients_is_refused():
    with pytest.raises(NoGradient, match="stop_gradient"):
        paddle.to_tensor([1.0]).register_hook(lambda g: g)


@pytest.mark.parametrize(("value", "error"), [(5, DTypeMismatch), (paddle.to_tensor([1.0, 2.0]), ShapeMismatch)])
@pytest.mark.parametrize("inner", [False, True])
def test_what_a_hook_gives_is_checked(value, error, inner):
    x = leaf(1.0)
    y = x * 2
    (y if inner else x).register_hook(lambda g: value)
    with pytest.raises(error, match="hook"):
        y.backward()


def test_an_error_in_a_hook_leaves_the_mode_as_it_was():
    x = leaf(1.0)
    x.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (x * 2).backward()
    assert paddle.is_grad_enabled()


def test_hooks_of_a_value_stay_with_it_when_the_tensor_moves_on():
    seen = []
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g: seen.append(g.item()))
    y.multiply_(paddle.to_tensor([3.0], dtype="float64"))
    y.register_hook(lambda g: seen.append(g.item() * 100))
    y.backward()
    assert seen == [100, 3]


def test_retained_gradients():
    x = leaf(1.0)
    y = x * 2
    y.retain_grads()
    x.retain_grads()
    for _ in range(2):
        (y * 3).backward(retain_graph=True)
        assert y.grad.item() == 3
    assert x.grad.item() == 12
    stopped = paddle.to_tensor([1.0])
    stopped.retain_grads()
    assert stopped.grad is None


def test_retained_gradients_of_a_view_that_was_taken_anew():
    x = leaf(1.0, 2.0)
    y = x * 1
    view = y[0:1]
    y.multiply_(paddle.to_tensor([3.0, 3.0], dtype="float64"))
    view.retain_grads()
    (view * 5).backward()
    assert view.grad.item() == 5
    assert x.grad.tolist() == [15, 0]


def test_a_retained_gradient_can_be_differentiated_with_create_graph():
    x = leaf(2.0)
    y = x * x
    y.retain_grads()
    paddle.grad(y * y, x, create_graph=True)
    [bend] = paddle.grad(y.grad, x)
    assert bend.item() == 8  # d/dx 2 x^2


def test_ready_hooks_run_at_the_last_use_of_a_leaf():
    order = []
    a, b = leaf(1.0), leaf(2.0)
    handles = [
        add_ready_hook(t, lambda tensor, name=name: order.append((name, tensor.grad.item())))
        for t, name in ((a, "a"), (b, "b"))
    ]
    y = a * 2
    y.register_hook(lambda g: order.append("inner"))
    (y + b * 3).backward()
    assert order == [("b", 3.0), "inner", ("a", 2.0)] or order == ["inner", ("b", 3.0), ("a", 2.0)]
    for handle in handles:
        handle.remove()
    (a * 2).backward()
    assert len(order) == 3
    np.testing.assert_allclose(a.grad.numpy(), [4])
