"""Axes, shapes and numbers that may be given as tensors."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ProgramError, ShapeMismatch
from paddlite.core.program import Program
from paddlite.tensor.arguments import axis_argument, int_argument, shape_argument


def tensor(values):
    return paddle.to_tensor(values)


@pytest.mark.parametrize(
    ("given", "axis"),
    [
        (None, None),
        (-1, -1),
        ([0, 1], (0, 1)),
        ((), ()),
        (np.int64(2), 2),
        (tensor(1), 1),
        (tensor([0, 2]), (0, 2)),
        ([tensor(0), 1, tensor([2])], (0, 1, 2)),
    ],
)
def test_axis_may_be_an_int_a_list_or_a_tensor(given, axis):
    assert axis_argument(given, "sum") == axis


@pytest.mark.parametrize(
    ("given", "shape"), [(3, (3,)), ([2, tensor(4)], (2, 4)), (tensor([2, -1]), (2, -1)), (np.array([5]), (5,))]
)
def test_shape_may_hold_tensors(given, shape):
    assert shape_argument(given, "reshape") == shape


@pytest.mark.parametrize("given", ["1", 1.5, True, [0, 1.0], tensor(1.0), tensor([True, False]).astype("float32")])
def test_an_axis_that_is_no_integer_is_refused(given):
    with pytest.raises(DTypeMismatch, match="sum: axis must"):
        axis_argument(given, "sum")


def test_one_number_is_wanted():
    with pytest.raises(InvalidArgument, match="topk: k must be one number"):
        int_argument(tensor([1, 2]), "topk", "k")


def test_a_variable_has_no_value_to_read():
    axis = Program().data("axis", [1], "int64")
    with pytest.raises(ProgramError, match="axis must be known while a Program is recorded"):
        axis_argument(axis, "sum")


@pytest.mark.parametrize(
    ("call", "like"),
    [
        (lambda x, out: paddle.exp(x, out=out), lambda x: paddle.exp(x)),
        (lambda x, out: paddle.add(x, x, alpha=2, out=out), lambda x: x * 3),
        (lambda x, out: paddle.divide(x, x, rounding_mode="floor", out=out), lambda x: x // x),
        (lambda x, out: paddle.cumsum(x, 0, out=out), lambda x: x.cumsum(0)),
        (lambda x, out: paddle.clip(x, 0.0, 1.5, out=out), lambda x: x.clip(0.0, 1.5)),
        (lambda x, out: paddle.where(x > 1, x, 0.0, out=out), lambda x: x * (x > 1).astype("float32")),
    ],
)
def test_out_takes_the_result(call, like):
    x, out = paddle.to_tensor([1.0, 2.0], stop_gradient=False), paddle.to_tensor([0.0, 0.0])
    assert call(x, out) is out
    assert out.tolist() == like(x).tolist()
    assert out.stop_gradient == like(x).stop_gradient


def test_out_of_several_results():
    values, places = paddle.to_tensor([0.0, 0.0]), paddle.to_tensor([0, 0])
    paddle.topk(paddle.to_tensor([1.0, 3.0, 2.0]), 2, out=(values, places))
    assert (values.tolist(), places.tolist()) == ([3.0, 2.0], [1, 2])
    with pytest.raises(ShapeMismatch):
        paddle.exp(paddle.to_tensor([1.0]), out=values)
