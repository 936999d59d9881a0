"""Arithmetic, elementary functions and logic: what is not plain NumPy behaviour."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument

NAN, INF = float("nan"), float("inf")


def tensor(values, dtype=None, grad=False):
    return paddle.to_tensor(values, dtype=dtype, stop_gradient=not grad)


def gradients(function, *values):
    inputs = [tensor(v, "float32", True) for v in values]
    function(*inputs).sum().backward()
    return [x.grad.tolist() for x in inputs]


@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "rsqrt", "tanh", "reciprocal", "expm1", "atan", "log2"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_functions_that_leave_the_integers_give_float32(name, dtype):
    out = getattr(paddle, name)(tensor([1, 2], dtype))
    assert out.dtype == paddle.float32


@pytest.mark.parametrize("name", ["abs", "ceil", "floor", "round", "sign", "square", "trunc", "neg"])
@pytest.mark.parametrize("dtype", ["int32", "float16", "bfloat16", "float64"])
def test_functions_that_stay_keep_the_dtype(name, dtype):
    assert getattr(paddle, name)(tensor([1, 2], dtype)).dtype == dtype


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_equal_elements_share_the_gradient(name):
    x, y = gradients(getattr(paddle, name), [1.0, 2.0, NAN], [1.0, 3.0, 1.0])
    larger = [0.5, 0.0, 0.0], [0.5, 1.0, 0.0]
    assert (x, y) == (larger if name == "maximum" else ([0.5, 1.0, 0.0], [0.5, 0.0, 0.0]))


def test_fmax_passes_the_gradient_of_equal_elements_to_the_first():
    assert gradients(paddle.fmax, [1.0, 2.0, NAN, 3.0], [1.0, 3.0, 1.0, NAN]) == [
        [1.0, 0.0, 0.0, 1.0],
        [0.0, 1.0, 1.0, 0.0],
    ]


@pytest.mark.parametrize(
    ("function", "values", "slope"),
    [
        (paddle.abs, [-1.0, 0.0, 2.0], [-1.0, 0.0, 1.0]),
        (lambda x: paddle.clip(x, 0.0, 1.0), [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0, 1.0, 1.0, 1.0, 0.0]),
        (lambda x: paddle.pow(x, 0), [0.0, 1.0], [0.0, 0.0]),
        (lambda x: paddle.pow(x, 2), [0.0, 3.0], [0.0, 6.0]),
        (paddle.prod, [1.0, 0.0, 3.0], [0.0, 3.0, 0.0]),
        (paddle.prod, [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
        (paddle.logsumexp, [-INF, -INF], [0.0, 0.0]),
        (paddle.max, [1.0, 1.0, 0.0], [0.5, 0.5, 0.0]),
        (paddle.amin, [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]),
        (paddle.frac, [1.5, -0.5], [1.0, 1.0]),
        (lambda x: paddle.hypot(x, x), [0.0], [0.0]),
        (lambda x: paddle.nan_to_num(x), [NAN, 1.0], [0.0, 1.0]),
    ],
)
def test_gradients_at_kinks_and_poles(function, values, slope):
    assert gradients(function, values) == [slope]


def test_division_of_integers():
    x, y = tensor([-7, 7]), tensor([2, -2])
    assert paddle.divide(x, y).dtype == paddle.float32
    assert paddle.floor_divide(x, y).tolist() == [-4, -4]
    assert paddle.divide(x, y, rounding_mode="trunc").tolist() == [-3, -3]
    assert paddle.divide(tensor([-7.0]), tensor([2.0]), rounding_mode="trunc").tolist() == [-3.0]
    assert paddle.mod(tensor([-7.0, 7.0]), tensor([2.0, -2.0])).tolist() == [1.0, -1.0]
    with pytest.raises(ValueError, match="rounding_mode"):
        paddle.divide(x, y, rounding_mode="up")


@pytest.mark.parametrize("name", ["floor_divide", "mod"])
def test_an_integer_divisor_of_0_is_refused(name):
    with pytest.raises(InvalidArgument, match="divisor is 0"):
        getattr(paddle, name)(tensor([1, 2]), tensor([1, 0]))
    assert paddle.floor_divide(tensor([1.0, 0.0]), tensor([0.0, 0.0])).tolist()[0] == INF


def test_numbers_follow_the_tensor():
    assert (tensor([1, 2], "bfloat16") * 2.5).dtype == paddle.bfloat16
    assert paddle.pow(tensor([2, 3]), 2).dtype == paddle.int64
    assert paddle.pow(tensor([4, 9]), 0.5).tolist() == [2.0, 3.0]
    assert paddle.clip(tensor([1, 2, 3]), 1.5, 2.5).tolist() == [1.5, 2.0, 2.5]
    assert paddle.add(tensor([1.0]), tensor([2.0]), alpha=3).tolist() == [7.0]
    assert paddle.subtract(tensor([1]), tensor([2]), alpha=3).tolist() == [-5]


def test_numbers_on_either_side_and_beyond_the_dtype():
    x = tensor([1.0, 2.0], "float64", grad=True)
    (3 - x * 0.1 + 2 / x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [-2.1, -0.6])
    assert (tensor([1], "uint8") + 300).tolist() == [45]
    assert (tensor([True, False]) + 1).dtype == paddle.int64
    assert (tensor([1, 2]) * 0.5).dtype == paddle.float32
    assert (2**40 * tensor([1])).tolist() == [2**40]


def test_atan2_of_integers_is_float64():
    assert paddle.atan2(tensor([1]), tensor([1])).dtype == paddle.float64


def test_clip_takes_bounds_of_any_kind():
    x = tensor([1.0, 2.0, 3.0])
    assert paddle.clip(x, tensor([1.5]), tensor(2.5)).tolist() == [1.5, 2.0, 2.5]
    assert paddle.clip(x, max=tensor([3.0, 1.0, 0.0])).tolist() == [1.0, 1.0, 0.0]
    assert paddle.clip(x).tolist() == x.tolist()
    with pytest.raises(InvalidArgument, match="must not be above"):
        paddle.clip(x, 2.5, 1.5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_nan_to_num_knows_the_limits_of_each_dtype(dtype):
    out = paddle.nan_to_num(tensor([NAN, INF, -INF]).astype(dtype))
    assert out.dtype == dtype
    low, high = {
        "float16": (-65504.0, 65504.0),
        "bfloat16": (-3.3895313892515355e38, 3.3895313892515355e38),
        "float32": (-3.4028234663852886e38, 3.4028234663852886e38),
        "float64": (-1.7976931348623157e308, 1.7976931348623157e308),
    }[dtype]
    assert out.astype("float64").tolist() == [0.0, high, low]


@pytest.mark.parametrize(
    ("x", "decimals", "rounded"),
    [([0.5, 1.5, 2.5, -0.5], 0, [0.0, 2.0, 2.0, -0.0]), ([14.0, 25.0], -1, [10.0, 20.0]), ([1.26], 1, [1.3])],
)
def test_round(x, decimals, rounded):
    np.testing.assert_allclose(paddle.round(tensor(x), decimals).numpy(), np.float32(rounded))


def test_complex_numbers():
    z = tensor([3 + 4j, 0j])
    assert paddle.abs(z).tolist() == [5.0, 0.0]
    np.testing.assert_allclose(paddle.sgn(z).numpy(), np.complex64([0.6 + 0.8j, 0]))
    assert paddle.conj(z).tolist() == [3 - 4j, 0j]
    assert paddle.isreal(z).tolist() == [False, True]


def test_increment_changes_its_argument():
    x = tensor([1.0])
    assert paddle.increment(x, 2.0) is x
    assert x.tolist() == [3.0]
    with pytest.raises(InvalidArgument, match="one element"):
        paddle.increment(tensor([1.0, 2.0]))


def test_scale_may_end_in_an_activation():
    assert paddle.scale(tensor([-1.0, 2.0]), 2.0, 1.0, act="relu").tolist() == [0.0, 5.0]
    assert paddle.scale(tensor([1.0]), tensor([2.0]), 1.0, bias_after_scale=False).tolist() == [4.0]
    with pytest.raises(InvalidArgument, match="no activation 'nothing'"):
        paddle.scale(tensor([1.0]), act="nothing")


@pytest.mark.parametrize("name", ["neg", "positive", "negative"])
def test_a_bool_tensor_has_no_sign(name):
    with pytest.raises(DTypeMismatch):
        getattr(paddle, name)(tensor([True]))


def test_add_n_refuses_what_does_not_fit():
    assert paddle.add_n(tensor([1.0])).tolist() == [1.0]
    with pytest.raises(DTypeMismatch, match="must be a list"):
        paddle.add_n(3.0)
    with pytest.raises(InvalidArgument, match="empty"):
        paddle.add_n([])


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        (lambda x: x.exp_(), np.exp),
        (lambda x: x.sqrt_(), np.sqrt),
        (lambda x: x.clip_(0.5, 1.5), lambda x: np.clip(x, 0.5, 1.5)),
        (lambda x: x.scale_(2.0, 1.0), lambda x: 2 * x + 1),
        (lambda x: paddle.tanh_(x), np.tanh),
        (lambda x: x.subtract_(x), lambda x: x - x),
    ],
)
def test_in_place_forms(call, changed):
    x = tensor([1.0, 2.0])
    before = x.numpy()
    assert call(x) is x
    np.testing.assert_allclose(x.numpy(), changed(before), rtol=1e-6)


def test_comparisons_know_nan_and_other_dtypes():
    x = tensor([1.0, NAN])
    assert paddle.equal(x, x).tolist() == [True, False]
    assert paddle.equal(tensor([1, 2]), tensor([1.0, 2.5])).tolist() == [True, False]
    assert paddle.isclose(x, x, equal_nan=True).tolist() == [True, True]
    assert paddle.isclose(tensor([1.0, INF]), tensor([INF, INF])).tolist() == [False, True]
    assert paddle.allclose(tensor([1.0]), tensor([1.0 + 1e-7])).item() is True
    assert paddle.equal_all(tensor([1]), tensor([1, 1])).shape == []
    assert paddle.isposinf(tensor([INF, -INF])).tolist() == [True, False]
    assert paddle.isneginf(tensor([INF, -INF])).tolist() == [False, True]
    assert paddle.is_empty(tensor([])).item() is True


def test_bits():
    x, y = tensor([-8], "int32"), tensor([1], "int32")
    assert paddle.bitwise_right_shift(x, y).tolist() == [-4]
    assert paddle.bitwise_right_shift(x, y, is_arithmetic=False).tolist() == [2**31 - 4]
    assert (x & 12).tolist() == [8]
    assert paddle.bitwise_not(tensor([True])).tolist() == [False]
    with pytest.raises(DTypeMismatch, match="integers or bools"):
        paddle.bitwise_and(tensor([1.0]), tensor([2.0]))
