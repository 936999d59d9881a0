"""`PyLayer`: functions with a backward of one's own."""

import gc
import weakref

import numpy as np
import pytest

import paddlite as paddle
from paddlite.autograd import PyLayer
from paddlite.autograd.program import append_gradients
from paddlite.autograd.py_layer import once_differentiable
from paddlite.backend.random import Generator
from paddlite.core.errors import (
    DTypeMismatch,
    GraphFreed,
    InplaceOnLeaf,
    InvalidArgument,
    SavedValueChanged,
    ShapeMismatch,
)
from paddlite.core.program import Program, recording
from paddlite.core.verify import verify
from paddlite.static.executor import Plan


def leaf(*values):
    return paddle.to_tensor(list(values), dtype="float64", stop_gradient=False)


def layer(forward, backward):
    """A PyLayer of two functions."""
    return type("Made", (PyLayer,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


class Cube(PyLayer):
    @staticmethod
    def forward(ctx, x):
        assert not paddle.is_grad_enabled()
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        return grad * 3 * x * x


class Exp(PyLayer):
    """Saves its output."""

    @staticmethod
    def forward(ctx, x):
        y = paddle.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensor()
        return grad * y


@pytest.mark.parametrize("function", [Cube, Exp])
def test_derivatives_of_any_order_go_through_the_users_backward(function):
    x = leaf(0.5, -2.0)
    value = np.array([0.5, -2.0])
    want = [3 * value**2, 6 * value, np.full(2, 6.0)] if function is Cube else [np.exp(value)] * 3
    current = function.apply(x)
    for expected in want:
        [current] = paddle.grad(current, x, create_graph=True)
        np.testing.assert_allclose(current.numpy(), expected)


def test_arguments_that_are_no_tensors_pass_through_and_get_no_gradient():
    def forward(ctx, x, power, y, *, scale):
        ctx.power, ctx.scale = power, scale
        ctx.save_for_backward(x, y)
        return x**power * y * scale, "text", None

    def backward(ctx, grad):
        x, y = ctx.saved_tensor()
        base = grad * ctx.scale
        return base * ctx.power * x ** (ctx.power - 1) * y, base * x**ctx.power

    x, y = leaf(2.0), leaf(5.0)
    out, text, nothing = layer(forward, backward).apply(x, 3, y, scale=10.0)
    assert (text, nothing) == ("text", None)
    out.backward()
    assert (x.grad.item(), y.grad.item()) == (10 * 3 * 4 * 5, 10 * 8)


def test_lists_of_tensors_count_one_by_one():
    made = layer(lambda ctx, xs: [x * 2 for x in xs], lambda ctx, *grads: [g * 10 for g in grads])
    a, b = leaf(1.0), leaf(2.0)
    outs = made.apply([a, b])
    assert type(outs) is list
    (outs[0] + outs[1] * 3).backward()
    assert (a.grad.item(), b.grad.item()) == (10, 30)


@pytest.mark.parametrize("materialize", [True, False])
def test_an_output_without_gradient_gets_zeros_or_none(materialize):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 2, x * 3, x.astype("int64")

    def backward(ctx, *grads):
        seen.extend(g if g is None else g.tolist() for g in grads)
        return grads[0] * 2

    x = leaf(1.0, 2.0)
    used, _, whole = layer(forward, backward).apply(x)
    assert whole.stop_gradient
    used.backward()
    assert seen == [[1, 1], [0, 0], [0, 0]] if materialize else [[1, 1], None, None]
    assert x.grad.tolist() == [2, 2]


def test_an_output_marked_non_differentiable_stops_gradients():
    def forward(ctx, x):
        fixed = x * 3
        ctx.mark_non_differentiable(fixed)
        return x * 2, fixed

    out, fixed = layer(forward, lambda ctx, g, _: g * 2).apply(leaf(1.0))
    assert fixed.stop_gradient and not out.stop_gradient


def test_none_means_no_gradient():
    a, b = leaf(1.0), leaf(2.0)
    layer(lambda ctx, a, b: a * b, lambda ctx, g: (None, g * 7)).apply(a, b).backward()
    assert a.grad is None
    assert b.grad.item() == 7


@pytest.mark.parametrize("given", [lambda g: g, lambda g: (g,), lambda g: (g, g)])
def test_an_input_that_wants_no_gradient_needs_none(given):
    a, b = leaf(1.0), paddle.to_tensor([2.0], dtype="float64")
    layer(lambda ctx, a, b: a * b, lambda ctx, g: given(g)).apply(a, b).backward()
    assert a.grad.item() == 1
    assert b.grad is None


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (lambda g: g, InvalidArgument, "for each of the 2 tensors that forward was given, got 1"),
        (lambda g: (g, g, g), InvalidArgument, "got 3"),
        (lambda g: (g, 3.0), DTypeMismatch, "float for input 1"),
        (lambda g: (g.sum(), g), ShapeMismatch, r"gave shape \[\] for the gradient of input 0, which has shape \[2\]"),
    ],
)
def test_what_backward_gives_is_checked(given, error, text):
    out = layer(lambda ctx, a, b: a * b, lambda ctx, g: given(g)).apply(leaf(1.0, 2.0), leaf(1.0, 2.0))
    with pytest.raises(error, match=text):
        out.backward()


def test_gradients_come_in_the_dtype_of_the_input():
    x = leaf(1.0)
    layer(lambda ctx, x: x.astype("float32"), lambda ctx, g: g).apply(x).backward()
    assert x.grad.dtype == "float64"


def test_an_input_changed_in_place_moves_on():
    made = layer(lambda ctx, x: x.add_(paddle.to_tensor([1.0], dtype="float64")), lambda ctx, g: g * 10)
    a = leaf(1.0)
    base = a * 1
    view = base[0:1]
    out = made.apply(view)
    assert out is view
    base.backward()
    assert base.item() == 2
    assert a.grad.item() == 10


def test_a_leaf_cannot_be_given_back_unless_it_was_not_changed():
    with pytest.raises(InplaceOnLeaf, match="mark_not_inplace"):
        layer(lambda ctx, x: x, lambda ctx, g: g).apply(leaf(1.0))

    def forward(ctx, x):
        ctx.mark_not_inplace(x)
        return x

    x = leaf(1.0)
    out = layer(forward, lambda ctx, g: g * 5).apply(x)
    assert out is not x
    assert np.shares_memory(out._data, x._data)
    out.backward()
    assert x.grad.item() == 5


def test_no_graph_where_no_gradient_is_wanted():
    x = leaf(1.0)
    with paddle.no_grad():
        assert Cube.apply(x).stop_gradient
    assert Cube.apply(x.detach()).stop_gradient


def test_saved_tensors_are_checked_and_let_go_of():
    x = leaf(1.0) * 1
    out = Cube.apply(x)
    x.add_(paddle.to_tensor([1.0], dtype="float64"))
    with pytest.raises(SavedValueChanged, match="Cube"):
        out.backward()
    out = Cube.apply(leaf(2.0))
    out.backward()
    with pytest.raises(GraphFreed):
        out.backward()


def test_backward_can_run_twice_with_retain_graph():
    x = leaf(2.0)
    out = Cube.apply(x)
    out.backward(retain_graph=True)
    out.backward()
    assert x.grad.item() == 24


def test_a_graph_that_saves_its_output_is_freed_without_a_garbage_collection():
    gc.disable()
    try:
        out = Exp.apply(leaf(1.0))
        gone = weakref.ref(out._edge.node)
        del out
        assert gone() is None
    finally:
        gc.enable()


def test_save_for_backward_takes_other_things_too():
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x, None, 3, (1, 2, 3), x * 2)
        assert ctx.saved_tensor()[2] == 3
        return x * 1

    def backward(ctx, g):
        seen.extend(ctx.saved_tensor())
        return g

    layer(forward, backward).apply(leaf(1.0)).backward()
    assert seen[1:4] == [None, 3, (1, 2, 3)]
    assert not seen[0].stop_gradient
    assert seen[4].stop_gradient and seen[4].item() == 2


def test_once_differentiable_gives_constants():
    made = layer(lambda ctx, x: (ctx.save_for_backward(x), x * x)[1], None)
    made.backward = staticmethod(once_differentiable(lambda ctx, g: g * 2 * ctx.saved_tensor()[0]))
    x = leaf(3.0)
    [slope] = paddle.grad(made.apply(x), x, create_graph=True)
    assert slope.item() == 6
    assert slope.stop_gradient


def test_a_gradient_that_the_user_keeps_is_not_changed_later():
    kept = []
    made = layer(lambda ctx, x: x * 2, lambda ctx, g: kept.append(g * 2) or kept[-1])
    x = leaf(1.0)
    made.apply(x).backward()
    made.apply(x).backward()
    assert x.grad.item() == 4
    assert [k.item() for k in kept] == [2, 2]


def test_hooks_see_the_outputs():
    seen = []
    x = leaf(1.0)
    out = Cube.apply(x)
    out.register_hook(lambda g: seen.append(g.item()) or g * 2)
    (out * 5).backward()
    assert seen == [5]
    assert x.grad.item() == 30


def test_forward_must_give_a_tensor_and_both_methods_must_be_written():
    with pytest.raises(InvalidArgument, match="at least one Tensor"):
        layer(lambda ctx, x: 3.0, None).apply(leaf(1.0))
    with pytest.raises(NotImplementedError, match="forward"):
        PyLayer.apply(leaf(1.0))

    class Half(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match="backward"):
        Half.apply(leaf(1.0)).backward()


class Scaled(PyLayer):
    """Two inputs, two outputs, one of them saved; the gradient is not that of the function."""

    @staticmethod
    def forward(ctx, x, y, factor):
        product = x * y
        ctx.factor = factor
        ctx.save_for_backward(x, y, product)
        return product, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y, product = ctx.saved_tensor()
        return g * y * ctx.factor + h * product, g * x * product + h


@pytest.mark.parametrize("batch", [2, -1])
def test_a_recorded_layer_gives_the_bits_of_eager(batch):
    values = [np.array([1.5, -2.0]), np.array([0.3, 4.0])]

    def loss(x, y):
        p, s = Scaled.apply(x * 2, y, 3.0)
        return p * p + s

    x, y = (paddle.to_tensor(v, stop_gradient=False) for v in values)
    first = paddle.grad(loss(x, y), [x, y], create_graph=True)
    second = paddle.grad(first[0] * first[1], [x, y])

    program = Program()
    variables = [program.data(name, [batch], "float64") for name in "xy"]
    for v in variables:
        v.stop_gradient = False
    with recording(program):
        out = loss(*variables)
    found = append_gradients([out], variables)
    grads = [found[v._value] for v in variables]
    again = append_gradients([grads[0] * grads[1]], variables)
    verify(program)
    fetches = [g._value for g in (*grads, *[again[v._value] for v in variables])]
    arrays = Plan(program, fetches).run(dict(zip("xy", values)), {}, Generator(0))
    for got, want in zip(arrays, (*first, *second), strict=True):
        np.testing.assert_array_equal(got, want.numpy())
