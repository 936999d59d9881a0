"""Initializers: formulae, fans, limits, defaults."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats

import paddlite as paddle
from paddlite import nn
from paddlite.nn.initializer.base import fans
from paddlite.nn.initializer.quantile import normal_quantile

Init = nn.initializer


def values(initializer, shape, dtype="float32"):
    made = paddle.create_parameter(shape, dtype, default_initializer=initializer)
    return made.numpy().astype("float64")


@pytest.mark.parametrize(
    ("shape", "want"),
    [((), (1, 1)), ((5,), (5, 5)), ((4, 2), (4, 2)), ((30, 20, 7), (140, 210)), ((30, 20, 5, 5), (500, 750))],
)
def test_fans(shape, want):
    assert fans(shape) == want


@pytest.mark.parametrize(
    ("initializer", "limit"),
    [
        (Init.Uniform(-0.5, 0.5), 0.5),
        (Init.XavierUniform(), math.sqrt(6 / 600)),
        (Init.XavierUniform(gain=2.0), 2 * math.sqrt(6 / 600)),
        (Init.XavierUniform(fan_in=10.0), math.sqrt(6 / 210)),
        (Init.XavierUniform(fan_out=10.0), math.sqrt(6 / 410)),
        (Init.KaimingUniform(), math.sqrt(6 / 400)),
        (Init.KaimingUniform(mode="fan_out"), math.sqrt(6 / 200)),
        (Init.KaimingUniform(fan_in=10), math.sqrt(6 / 10)),
        (Init.KaimingUniform(negative_slope=0.5), math.sqrt(6 / 400)),
        (Init.KaimingUniform(None, 0.5, "leaky_relu"), math.sqrt(6 / 1.25 / 400)),
        (Init.KaimingUniform(nonlinearity="tanh"), 5 / 3 * math.sqrt(3 / 400)),
    ],
)
def test_uniform_ones_fill_their_range(initializer, limit):
    found = values(initializer, [400, 200])
    assert -limit <= found.min() < -0.99 * limit and 0.99 * limit < found.max() <= limit
    assert abs(found.std() / (limit / math.sqrt(3)) - 1) < 0.02
    assert abs(found.mean()) < 0.02 * limit


@pytest.mark.parametrize(
    ("initializer", "mean", "std"),
    [
        (Init.Normal(2.0, 0.1), 2.0, 0.1),
        (Init.XavierNormal(), 0, math.sqrt(2 / 600)),
        (Init.XavierNormal(gain=3.0), 0, 3 * math.sqrt(2 / 600)),
        (Init.KaimingNormal(), 0, math.sqrt(2 / 400)),
        (Init.KaimingNormal(mode="fan_out", nonlinearity="linear"), 0, math.sqrt(1 / 200)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_normal_ones_have_their_moments(initializer, mean, std, dtype):
    found = values(initializer, [400, 200], dtype)
    assert abs(found.mean() - mean) < 0.02 * std
    assert abs(found.std() / std - 1) < 0.02
    assert scipy.stats.kstest((found.ravel()[:5000] - mean) / std, "norm").pvalue > 1e-4


@pytest.mark.parametrize(
    ("mean", "std", "a", "b"), [(0.0, 1.0, -2.0, 2.0), (0.0, 2.0, -2.0, 2.0), (1.0, 2.0, -2.0, 3.0), (5.0, 1.0, -2, 2)]
)
def test_truncated_normal_is_cut_at_values(mean, std, a, b):
    found = values(Init.TruncatedNormal(mean, std, a, b), [200, 200])
    assert a <= found.min() and found.max() <= b
    law = scipy.stats.truncnorm((a - mean) / std, (b - mean) / std, mean, std)
    assert scipy.stats.kstest(found.ravel()[:5000], law.cdf).pvalue > 1e-4


def test_normal_quantile_agrees_with_scipy():
    p = np.concatenate([np.linspace(1e-6, 1 - 1e-6, 2001), np.logspace(-300, -6, 50), 1 - np.logspace(-15, -6, 50)])
    np.testing.assert_allclose(normal_quantile(np, p), scipy.special.ndtri(p), rtol=1e-13, atol=1e-13)
    assert np.isfinite(normal_quantile(np, np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize(
    ("name", "param", "want"),
    [
        ("sigmoid", None, 1),
        ("conv2d_transpose", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
        ("leaky_relu", 1.0, 1.0),
        ("selu", None, 0.75),
    ],
)
def test_gains(name, param, want):
    assert Init.calculate_gain(name, param) == pytest.approx(want)


@pytest.mark.parametrize("shape", [[3, 5], [5, 3], [3, 2, 2], [4, 4]])
def test_orthogonal_rows_or_columns(shape):
    found = values(Init.Orthogonal(gain=2.0), shape, "float64").reshape(shape[0], -1)
    product = found @ found.T if found.shape[0] <= found.shape[1] else found.T @ found
    np.testing.assert_allclose(product, 4 * np.eye(min(found.shape)), atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "groups", "ones"),
    [
        ([4, 2, 3], 1, [[0, 0, 1], [1, 1, 1]]),
        ([4, 2, 3], 2, [[0, 0, 1], [1, 1, 1], [2, 0, 1], [3, 1, 1]]),
        ([2, 4, 4], 1, [[0, 0, 2], [1, 1, 2]]),
        ([4, 3, 2, 2], 2, [[0, 0, 1, 1], [1, 1, 1, 1], [2, 0, 1, 1], [3, 1, 1, 1]]),
        ([2, 2, 3, 3, 3], 1, [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]),
    ],
)
def test_dirac(shape, groups, ones):
    found = values(Init.Dirac(groups), shape)
    assert np.argwhere(found).tolist() == ones and set(found.ravel()) == {0.0, 1.0}


@pytest.mark.parametrize(("size", "line"), [(3, [0.5, 1, 0.5]), (4, [0.25, 0.75, 0.75, 0.25]), (2, [0.5, 0.5])])
def test_bilinear(size, line):
    found = values(Init.Bilinear(), [2, 1, size, size])
    np.testing.assert_allclose(found, np.broadcast_to(np.outer(line, line), found.shape))


@pytest.mark.parametrize("given", [np.arange(4.0).reshape(2, 2), [[0, 1], [2, 3]], "tensor"])
def test_assign(given):
    given = paddle.to_tensor([[0.0, 1.0], [2.0, 3.0]]) if isinstance(given, str) else given
    assert values(Init.Assign(given), [2, 2], "float16").tolist() == [[0, 1], [2, 3]]


def test_assign_of_another_shape_warns():
    with pytest.warns(UserWarning, match="takes the shape"):
        assert values(Init.Assign(np.array([2, 3])), [2, 2]).tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("make", "shape", "error"),
    [
        (lambda: Init.Uniform(3.0, 1.0), None, ValueError),
        (lambda: Init.Uniform("a"), None, TypeError),
        (lambda: Init.Constant("a"), None, ValueError),
        (lambda: Init.Constant(None), None, ValueError),
        (lambda: Init.KaimingNormal(mode="x"), None, ValueError),
        (lambda: Init.KaimingNormal(nonlinearity="x"), None, ValueError),
        (lambda: Init.KaimingNormal(fan_in=0), None, ValueError),
        (lambda: Init.TruncatedNormal(a=2.0), [2], ValueError),
        (lambda: Init.Normal(std="a"), [2], TypeError),
        (lambda: Init.Dirac(0), None, ValueError),
        (lambda: Init.Assign(5), None, TypeError),
        (lambda: Init.set_global_initializer(5), None, TypeError),
        (lambda: Init.Dirac(2), [3, 2, 3], ValueError),
        (lambda: Init.Dirac(), [3, 2], ValueError),
        (lambda: Init.Bilinear(), [1, 1, 3, 5], ValueError),
        (lambda: Init.Bilinear(), [3, 3], ValueError),
        (lambda: Init.Orthogonal(), [3], ValueError),
        (lambda: Init.Initializer(), [3], NotImplementedError),
    ],
)
def test_bad_ones_are_refused(make, shape, error):
    with pytest.raises(error):
        values(make(), shape)


def test_random_values_are_for_floating_parameters():
    with pytest.raises(TypeError, match="int32"):
        values(Init.Uniform(), [2], "int32")


@pytest.mark.parametrize(
    "initializer", [Init.Uniform(), Init.Normal(), Init.TruncatedNormal(), Init.Orthogonal(), Init.KaimingNormal()]
)
def test_seeds_decide(initializer):
    paddle.seed(5)
    first, second = values(initializer, [4, 4]), values(initializer, [4, 4])
    paddle.seed(5)
    np.testing.assert_array_equal(values(initializer, [4, 4]), first)
    assert not np.array_equal(first, second)


def test_called_on_a_tensor_it_overwrites_in_place():
    x = paddle.to_tensor([1.0, 2.0])
    alias = x.detach()
    before = x.inplace_version
    Init.Constant(3.0)(x)
    assert alias.tolist() == [3.0, 3.0] and x.inplace_version > before


def test_functions_and_subclasses_serve_as_initializers():
    class Mine(Init.Initializer):
        def forward(self, param, block=None):
            fan_in, fan_out = self._compute_fans(param)
            param.set_value(np.full(param.shape, fan_in / fan_out, "float32"))

    assert values(Mine(), [4, 2]).tolist() == [[2.0, 2.0]] * 4
    assert values(lambda param, block=None: Init.Constant(7.0)(param), [1]).tolist() == [7.0]


def test_global_initializer_comes_after_the_attr_and_before_the_default():
    Init.set_global_initializer(Init.Constant(2.0), Init.Constant(9.0))
    layer = nn.Linear(1, 1, weight_attr=Init.Constant(4.0))
    assert (layer.weight.item(), layer.bias.item(), nn.Linear(1, 1).weight.item()) == (4.0, 9.0, 2.0)
    Init.set_global_initializer(None)
    assert nn.Linear(1, 1).bias.item() == 0.0
