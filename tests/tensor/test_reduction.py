"""Reductions: axes in every form, dtypes, nothing to reduce, errors."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument

X = np.arange(24, dtype="float32").reshape(2, 3, 4)
NAN = float("nan")


def tensor(values, dtype=None):
    return paddle.to_tensor(values, dtype=dtype)


AXES = [(None, None), (1, 1), (-1, -1), ([0, 2], (0, 2)), ([], None), ((), None), ("tensor", 1), ("list", (0, 1))]
NUMPY = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "amax": np.max, "amin": np.min, "prod": np.prod}


@pytest.mark.parametrize("name", [*NUMPY, "all", "any", "logsumexp", "count_nonzero", "nansum", "nanmean"])
@pytest.mark.parametrize(("axis", "plain"), AXES)
@pytest.mark.parametrize("keepdim", [False, True])
def test_axis_takes_every_form(name, axis, plain, keepdim):
    axis = {"tensor": tensor(1), "list": [tensor(0), 1]}.get(axis, axis) if isinstance(axis, str) else axis
    want = {
        **NUMPY,
        "all": np.all,
        "any": np.any,
        "nansum": np.sum,
        "nanmean": np.mean,
        "count_nonzero": np.count_nonzero,
        "logsumexp": lambda x, axis, keepdims: np.log(np.exp(x.astype("f8")).sum(axis=axis, keepdims=keepdims)),
    }[name](X, axis=plain, keepdims=keepdim)
    out = getattr(paddle, name)(tensor(X), axis=axis, keepdim=keepdim)
    assert out.shape == list(np.shape(want))
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "dtype", "result"),
    [
        ("sum", "bool", "int64"),
        ("sum", "int32", "int64"),
        ("sum", "uint8", "int64"),
        ("sum", "float16", "float16"),
        ("sum", "bfloat16", "bfloat16"),
        ("mean", "int64", "float32"),
        ("mean", "float64", "float64"),
        ("max", "int32", "int32"),
        ("prod", "int32", "int32"),
        ("logsumexp", "int32", "float32"),
        ("nanmean", "int32", "float32"),
        ("count_nonzero", "float32", "int64"),
        ("all", "float32", "bool"),
    ],
)
def test_dtype_of_the_result(name, dtype, result):
    assert getattr(paddle, name)(tensor([1, 1]).astype(dtype)).dtype == result


def test_dtype_argument():
    x = tensor([1, 2], "int32")
    assert paddle.sum(x, dtype="int32").dtype == paddle.int32
    assert paddle.sum(tensor([True, True]), dtype="float32").item() == 2.0
    assert paddle.prod(x, dtype="float64").dtype == paddle.float64
    assert paddle.mean(tensor([1.0]), dtype="float64").dtype == paddle.float64


def test_nothing_to_reduce():
    empty = tensor(np.zeros((2, 0, 4), "float32"))
    assert paddle.sum(empty).item() == 0.0
    assert paddle.prod(empty).item() == 1.0
    assert np.isnan(paddle.mean(empty, axis=1).numpy()).all()
    assert paddle.mean(empty, axis=-1).shape == [2, 0]
    assert paddle.logsumexp(empty).item() == -np.inf
    assert paddle.all(empty).item() is True
    assert paddle.any(empty).item() is False
    assert paddle.max(empty, axis=0).shape == [0, 4]
    for name in ("max", "min", "amax", "amin"):
        with pytest.raises(InvalidArgument, match="no element to choose"):
            getattr(paddle, name)(empty)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "prod", "logsumexp", "any", "amin"])
@pytest.mark.parametrize("axis", [2, -3, [0, 0], [0, 5]])
def test_an_axis_that_is_not_there_is_refused(name, axis):
    with pytest.raises(InvalidArgument, match=r"axis.*(out of range|twice)"):
        getattr(paddle, name)(tensor([[1.0, 2.0]]), axis=axis)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "prod", "logsumexp", "all"])
def test_a_0d_tensor_is_its_own_reduction(name):
    for axis in (None, 0, -1):
        assert getattr(paddle, name)(tensor(3.0), axis=axis).shape == []


def test_nan():
    x = tensor([[1.0, NAN], [NAN, NAN]])
    assert np.isnan(paddle.max(tensor([1.0, NAN, 3.0])).item())
    assert paddle.nansum(x, axis=1).tolist() == [1.0, 0.0]
    mean = paddle.nanmean(x, axis=1).tolist()
    assert mean[0] == 1.0 and np.isnan(mean[1])


def test_logsumexp_of_infinities():
    assert paddle.logsumexp(tensor([-np.inf, -np.inf])).item() == -np.inf
    assert paddle.logsumexp(tensor([np.inf, 1.0])).item() == np.inf


def test_gradient_of_nanmean_skips_nan():
    x = paddle.to_tensor([1.0, NAN, 3.0], stop_gradient=False)
    paddle.nanmean(x).backward()
    assert x.grad.tolist() == [0.5, 0.0, 0.5]
