"""Activations: what their samples do not say of arguments, special values and errors."""

import numpy as np
import pytest

import paddlite as paddle

F = paddle.nn.functional
INF, NAN = float("inf"), float("nan")


def values_and_slopes(function, points):
    x = paddle.to_tensor(points, stop_gradient=False)
    y = function(x)
    (slopes,) = paddle.grad([y], [x], [paddle.to_tensor([1.0] * len(points))])
    return y.tolist(), slopes.tolist()


@pytest.mark.parametrize(
    ("name", "points", "values", "slopes"),
    [
        ("relu", [0.0, -0.0, INF], [0, 0, INF], [0, 0, 1]),
        ("relu6", [0.0, 6.0, INF, -INF], [0, 6, 6, 0], [0, 0, 0, 0]),
        ("leaky_relu", [0.0, INF, -INF], [0, INF, -INF], [1, 1, 0.01]),
        ("hardtanh", [-1.0, 1.0, INF], [-1, 1, 1], [0, 0, 0]),
        ("hardshrink", [-0.5, 0.5, 0.75], [0, 0, 0.75], [0, 0, 1]),
        ("softshrink", [-0.5, 0.5, INF], [0, 0, INF], [0, 0, 1]),
        ("hardsigmoid", [-3.0, 3.5], [0, 1], [0, 0]),
        ("hardswish", [-3.0, 3.0, INF], [0, 3, INF], [0, 1, INF]),
        ("thresholded_relu", [1.0, -INF, 2.0], [0, 0, 2], [0, 0, 1]),
        ("softplus", [-1e3, 1e3, -INF], [0, 1e3, 0], [0, 1, 0]),
        ("log_sigmoid", [-1e3, 1e3], [-1e3, 0], [1, 0]),
        ("silu", [-100.0, 100.0], [0, 100], [0, 1]),
        ("mish", [-100.0, 100.0], [0, 100], [0, 1]),
        ("gelu", [-100.0, 0.0, 100.0], [0, 0, 100], [0, 0.5, 1]),
        ("sigmoid", [-1e3, 1e3], [0, 1], [0, 0]),
        ("elu", [-INF, 0.0], [-1, 0], [0, 1]),
        ("softsign", [0.0, -1.0], [0, -0.5], [1, 0.25]),
        ("tanhshrink", [30.0], [29], [1]),
    ],
)
def test_kinks_and_far_values(name, points, values, slopes):
    found = values_and_slopes(getattr(F, name), points)
    if INF in slopes:  # the value alone is defined there
        found, slopes = (found[0], found[1][:-1]), slopes[:-1]
    np.testing.assert_allclose(found[0], values, atol=1e-6)
    np.testing.assert_allclose(found[1], slopes, atol=1e-6)


@pytest.mark.parametrize("name", [n for n in F.activation.__all__ if n not in ("prelu", "maxout", "glu", "swiglu")])
def test_nan_stays_nan(name):
    assert np.isnan(getattr(F, name)(paddle.to_tensor([[NAN, NAN]])).numpy()).all()


def test_prelu_takes_a_slope_per_channel():
    x = paddle.to_tensor(-np.ones((2, 3, 4), "float32"))
    weight = paddle.to_tensor([0.1, 0.2, 0.3])
    np.testing.assert_allclose(F.prelu(x, weight).numpy()[1, :, 2], [-0.1, -0.2, -0.3])
    np.testing.assert_allclose(
        F.prelu(paddle.to_tensor(-np.ones((2, 4, 3), "float32")), weight, "NLC").numpy()[1, 2], [-0.1, -0.2, -0.3]
    )
    np.testing.assert_allclose(F.prelu(x, paddle.to_tensor([0.5])).numpy(), np.full((2, 3, 4), -0.5))
    np.testing.assert_allclose(F.prelu(paddle.to_tensor(-2.0), paddle.to_tensor([0.5])).numpy(), -1.0)


@pytest.mark.parametrize("axis", [1, -1, 0])
def test_maxout_takes_the_largest_of_each_group(axis):
    x = np.random.default_rng(0).standard_normal((4, 6, 8)).astype("float32")
    moved = np.moveaxis(x, axis, -1)
    want = np.moveaxis(moved.reshape(*moved.shape[:-1], -1, 2).max(-1), -1, axis)
    np.testing.assert_array_equal(F.maxout(paddle.to_tensor(x), 2, axis).numpy(), want)


@pytest.mark.parametrize("axis", [-1, 0])
def test_glu_is_one_half_times_the_sigmoid_of_the_other(axis):
    x = np.random.default_rng(0).standard_normal((4, 6)).astype("float32")
    value, gate = np.split(x, 2, axis)
    np.testing.assert_allclose(F.glu(paddle.to_tensor(x), axis).numpy(), value / (1 + np.exp(-gate)), rtol=1e-5)


def test_softmax_casts_first_and_works_on_whole_numbers():
    x = paddle.to_tensor([[1, 2]])
    assert F.softmax(x).dtype == paddle.float32
    assert x.softmax(dtype="float64").dtype == paddle.float64
    assert F.log_softmax(x, dtype="float64").dtype == paddle.float64
    half = paddle.to_tensor(np.array([[6e4, 5e4]], "float16"))
    np.testing.assert_array_equal(F.softmax(half).numpy(), [[1, 0]])


def test_a_masked_row_gives_zero_weight_and_zero_gradient():
    x = paddle.to_tensor([[0.0, -INF, 0.0]], stop_gradient=False)
    (g,) = paddle.grad([F.softmax(x) * paddle.to_tensor([[1.0, 2.0, 3.0]])], [x])
    np.testing.assert_allclose(g.numpy(), [[-0.5, 0, 0.5]])


def test_gumbel_softmax_samples_the_distribution():
    paddle.seed(3)
    weights = np.array([0.2, 0.5, 0.3], "float32")
    logits = paddle.to_tensor(np.log(np.tile(weights, (20000, 1))), stop_gradient=False)
    hard = F.gumbel_softmax(logits, temperature=0.5, hard=True)
    np.testing.assert_allclose(hard.numpy().mean(0), weights, atol=0.015)
    np.testing.assert_array_equal(np.sort(hard.numpy(), -1), np.tile([0, 0, 1], (20000, 1)))
    (g,) = paddle.grad([hard * paddle.to_tensor([1.0, 2.0, 3.0])], [logits])
    assert np.abs(g.numpy()).max() > 0.1
    np.testing.assert_allclose(g.numpy().sum(-1), 0, atol=1e-5)  # as of any softmax


@pytest.mark.parametrize("name", ["relu_", "elu_", "hardtanh_", "leaky_relu_", "softmax_", "thresholded_relu_"])
def test_in_place_forms_change_their_argument(name):
    values = np.array([[-2.0, 0.5, 3.0]], "float32")
    x = paddle.to_tensor(values)
    want = getattr(F, name.removesuffix("_"))(paddle.to_tensor(values)).numpy()
    assert getattr(F, name)(x) is x
    np.testing.assert_array_equal(x.numpy(), want)


def test_silu_in_place():
    x = paddle.to_tensor([1.0])
    assert F.silu(x, inplace=True) is x
    np.testing.assert_allclose(x.numpy(), [1 / (1 + np.exp(-1))], rtol=1e-6)


def test_rrelu_takes_the_mean_slope_in_evaluation():
    x = paddle.to_tensor([-4.0, 1.0], stop_gradient=False)
    y = F.rrelu(x, 0.25, 0.75, training=False)
    assert y.tolist() == [-2.0, 1.0]
    (g,) = paddle.grad([y], [x], [paddle.to_tensor([1.0, 1.0])])
    assert g.tolist() == [0.5, 1.0]


X = paddle.to_tensor([[1.0, -2.0, 3.0]])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.softmax(X, axis=2), ValueError, "axis 2 is out of range"),
        (lambda: F.prelu(X, paddle.to_tensor([0.1, 0.2])), ValueError, "weight has 2 slopes"),
        (lambda: F.prelu(X, paddle.to_tensor([[0.1]])), ValueError, "weight must have shape"),
        (lambda: F.maxout(X, 2), ValueError, "3 channels do not divide"),
        (lambda: F.glu(X), ValueError, "must be even, got 3"),
        (lambda: F.swiglu(X), ValueError, "must be even, got 3"),
        (lambda: F.celu(X, 0), ZeroDivisionError, "alpha must not be 0"),
        (lambda: F.selu(X, 0.5), ValueError, "scale must be greater than 1"),
        (lambda: F.selu(X, 2.0, -1.0), ValueError, "alpha must be >= 0"),
        (lambda: F.softshrink(X, -1), ValueError, "threshold must be >= 0"),
        (lambda: F.rrelu(X, 0.5, 0.2), ValueError, "lower 0.5 and upper 0.2"),
        (lambda: F.gelu(X, "erf"), ValueError, "approximate must be"),
        (lambda: F.gumbel_softmax(X, 0.0), ValueError, "temperature must be > 0"),
    ],
)
def test_bad_arguments_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
