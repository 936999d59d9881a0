"""Axes, shapes and numbers that may be given as tensors."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ProgramError
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
