"""Limits of data types, constants and other names."""

import math

import ml_dtypes
import numpy as np
import pytest

import paddlite as paddle


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_limits_of_floating_types(name):
    ours, theirs = paddle.finfo(name), ml_dtypes.finfo(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    assert (ours.min, ours.max, ours.eps, ours.bits) == tuple(
        float(v) for v in (theirs.min, theirs.max, theirs.eps, theirs.bits)
    )
    assert ours.tiny == ours.smallest_normal == float(theirs.tiny) and ours.dtype == name
    assert ours.resolution == {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-15}[name]
    assert paddle.finfo("complex64").bits == 32


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "int64"])
def test_limits_of_integer_types(name):
    ours, theirs = paddle.iinfo(name), np.iinfo(name)
    assert (ours.min, ours.max, ours.bits, ours.dtype) == (theirs.min, theirs.max, theirs.bits, name)


def test_limits_want_the_right_kind_of_type():
    with pytest.raises(ValueError, match="iinfo"):
        paddle.finfo("int32")
    with pytest.raises(ValueError, match="finfo"):
        paddle.iinfo(paddle.float32)


def test_constants_and_names():
    assert (paddle.pi, paddle.e, paddle.inf, paddle.newaxis) == (math.pi, math.e, math.inf, None) and math.isnan(
        paddle.nan
    )
    assert (paddle.half, paddle.float, paddle.double, paddle.long) == ("float16", "float32", "float64", "int64")
    assert paddle.Size([2, 3]).numel() == 6 and paddle.manual_seed(3).initial_seed() == 3


@pytest.mark.parametrize(
    ("name", "dtype"), [("Float", "float32"), ("Long", "int64"), ("Bool", "bool"), ("Half", "float16")]
)
def test_tensors_by_the_name_of_their_type(name, dtype):
    make = getattr(paddle, f"{name}Tensor")
    assert make(2, 3).shape == [2, 3] and make().shape == [0]
    assert make([0, 1]).dtype == dtype and make([0, 1]).astype("int64").tolist() == [0, 1]
    with pytest.raises(TypeError, match="one by one"):
        make([1], [2])
