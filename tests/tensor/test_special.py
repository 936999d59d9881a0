"""Special functions: digits, arguments, integers."""

import numpy as np
import pytest
from scipy import special

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument


def tensor(values, dtype=None):
    return paddle.to_tensor(values, dtype=dtype)


@pytest.mark.parametrize(
    ("name", "function", "low", "high", "digits"),
    [
        ("erf", special.erf, -6, 6, 5e-15),
        ("erfinv", special.erfinv, -0.999999, 0.999999, 1e-13),
        ("i0", special.i0, -30, 30, 1e-13),
        ("i1e", special.i1e, -30, 30, 1e-13),
        ("lgamma", special.gammaln, 3, 300, 1e-14),
        ("digamma", special.digamma, 2, 300, 1e-14),
    ],
)
def test_double_precision_is_used(name, function, low, high, digits):
    x = np.linspace(low, high, 4001)
    np.testing.assert_allclose(getattr(paddle, name)(tensor(x)).numpy(), function(x), rtol=digits, atol=1e-16)


def test_erf_in_single_precision_keeps_small_and_large_arguments():
    x = np.concatenate([np.geomspace(1e-30, 10, 5001), [np.inf]]).astype("float32")
    out = paddle.erf(tensor(x)).numpy()
    np.testing.assert_allclose(out, special.erf(x.astype("f8")), rtol=8e-7)
    assert out.max() == 1.0


@pytest.mark.parametrize("name", ["erf", "lgamma", "digamma", "i0", "logit"])
def test_integers_become_float32(name):
    assert getattr(paddle, name)(tensor([1, 2])).dtype == paddle.float32


def test_polygamma_of_order_0_is_digamma():
    x = tensor([0.5, 3.0])
    assert paddle.polygamma(x, 0).tolist() == paddle.digamma(x).tolist()
    with pytest.raises(InvalidArgument, match="must not be negative"):
        paddle.polygamma(x, -1)
    with pytest.raises(DTypeMismatch, match="must be an int"):
        paddle.polygamma(x, 1.5)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_multigammaln_agrees_with_scipy(p):
    x = np.array([2.5, 4.0, 9.0])
    want = [special.multigammaln(v, p) for v in x]
    np.testing.assert_allclose(paddle.multigammaln(tensor(x), p).numpy(), want)


def test_logit_without_eps_is_nan_outside():
    out = paddle.logit(tensor([0.0, 0.5, 1.0, 2.0])).numpy()
    np.testing.assert_array_equal(out, np.float32([-np.inf, 0.0, np.inf, np.nan]))


def test_gradient_of_i1_at_0():
    x = paddle.to_tensor([0.0], stop_gradient=False)
    paddle.i1(x).backward()
    assert x.grad.tolist() == [0.5]
