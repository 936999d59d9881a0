"""How tensors print: every expected text is PaddlePaddle 3.3.1's."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Parameter

NAN, INF = float("nan"), float("inf")


def body(x):
    """The text of the elements, without head, indentation of the first line and the last bracket."""
    text = str(x)
    assert text.startswith("Tensor(shape=")
    return text.split(",\n", 1)[1].removesuffix(")")[7:]


def test_the_head_names_shape_dtype_place_and_gradient():
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    assert (
        str(x)
        == repr(x)
        == ("Tensor(shape=[1, 2], dtype=float32, place=Place(cpu), stop_gradient=False,\n       [[1., 2.]])")
    )
    assert str(Parameter(np.ones(1, "float32"))).startswith("Parameter containing:\nTensor(shape=[1], ")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1.0, 2.0], "[1., 2.]"),
        ([1.5, 2.0], "[1.50000000, 2.        ]"),
        ([-1.5, 2.25], "[-1.50000000,  2.25000000]"),
        ([[1.0, -2.0], [3.0, 4.0]], "[[ 1., -2.],\n        [ 3.,  4.]]"),
        ([1e-9, 1.0], "[0.00000000, 1.        ]"),
        ([1e8, 1.5], "[100000000., 1.50000000]"),
        ([NAN, 1.5], "[nan       , 1.50000000]"),
        ([INF, 1.0], "[inf., 1.  ]"),
        ([-INF, 1.5], "[-inf.     , 1.50000000]"),
        ([INF, -1.5], "[ inf.      , -1.50000000]"),
        ([1, -22, 333], "[ 1 , -22, 333]"),
        ([True, False], "[True , False]"),
        (3.5, "3.50000000"),
        (-5, "-5"),
        (NAN, "nan"),
        ([1 + 2j], "[(1.00000000+2.00000000j)]"),
        ([1.5 - 2j, -1 + 0j], "[ (1.50000000-2.00000000j), (-1.00000000+0.00000000j)]"),
        ([1 + 2j, 100 + 2j], "[(1.00000000+2.00000000j)  , (100.00000000+2.00000000j)]"),
        (np.zeros((0, 3)), "[]"),
        (np.zeros((2, 0, 3)), "[[],\n\n        []]"),
        (np.zeros((3, 0)), "[[],\n        [],\n        []]"),
    ],
    ids=str,
)
def test_elements(value, text):
    assert body(paddle.to_tensor(value)) == text


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_print_as_floats(dtype):
    assert body(paddle.to_tensor([1.5, -2.0]).astype(dtype)) == "[1.50000000, -2.       ]"


def test_long_rows_are_wrapped():
    assert body(paddle.to_tensor(np.arange(20))) == (
        "[0 , 1 , 2 , 3 , 4 , 5 , 6 , 7 , 8 , 9 , 10, 11, 12, 13, 14, 15, 16, 17,\n        18, 19]"
    )


def test_many_elements_are_abbreviated():
    x = paddle.to_tensor((np.arange(7000) - 3500).reshape(7, 1000).astype("float32"))
    assert body(x) == (
        "[[-3500., -3499., -3498., ..., -2503., -2502., -2501.],\n"
        "        [-2500., -2499., -2498., ..., -1503., -1502., -1501.],\n"
        "        [-1500., -1499., -1498., ..., -503. , -502. , -501. ],\n"
        "        ...,\n"
        "        [ 500. ,  501. ,  502. , ...,  1497.,  1498.,  1499.],\n"
        "        [ 1500.,  1501.,  1502., ...,  2497.,  2498.,  2499.],\n"
        "        [ 2500.,  2501.,  2502., ...,  3497.,  3498.,  3499.]]"
    )


@pytest.mark.parametrize(
    ("options", "value", "text"),
    [
        ({"precision": 2}, np.arange(3) / 7 - 1, "[-1.  , -0.86, -0.71]"),
        ({"sci_mode": True, "precision": 3}, [NAN, 1e-10], "[nan      , 1.000e-10]"),
        ({"sci_mode": True, "precision": 3}, [1 + 2j], "[(1.000e+00+2.000e+00j)]"),
        (
            {"threshold": 5, "edgeitems": 1},
            np.arange(24.0).reshape(4, 6) * 1e5 / 3,
            "[[0.             , ..., 166666.66666667],\n        ...,\n        [600000.        , ..., 766666.66666667]]",
        ),
        (
            {"linewidth": 40},
            np.arange(20),
            "[0 , 1 , 2 , 3 , 4 , 5 , 6 , 7 ,\n        8 , 9 , 10, 11, 12, 13, 14, 15,\n        16, 17, 18, 19]",
        ),
    ],
    ids=str,
)
def test_options(options, value, text):
    paddle.set_printoptions(**options)
    assert body(paddle.to_tensor(value)) == text


def test_options_are_checked():
    with pytest.raises(InvalidArgument, match="edgeitems"):
        paddle.set_printoptions(edgeitems=-1)
