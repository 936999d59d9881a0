"""Products of vectors and matrices, and functions made of them."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import ShapeMismatch

A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(2, 2, 3)


def tensor(values, dtype=None, grad=False):
    return paddle.to_tensor(values, dtype=dtype, stop_gradient=not grad)


@pytest.mark.parametrize(("x", "y"), [(A, A), (A, A[0]), (B, A), (A, B), (B, B), (A, np.array(2.0)), (A[0], A[0])])
def test_inner_agrees_with_numpy(x, y):
    np.testing.assert_allclose(paddle.inner(tensor(x), tensor(y)).numpy(), np.inner(x, y))


def test_outer_and_dot():
    np.testing.assert_allclose(paddle.outer(tensor(A), tensor(A[0])).numpy(), np.outer(A, A[0]))
    np.testing.assert_allclose(paddle.dot(tensor(A), tensor(A)).numpy(), (A * A).sum(1))
    assert paddle.dot(tensor([1, 2]), tensor([3, 4])).item() == 11
    with pytest.raises(ShapeMismatch, match="of one shape"):
        paddle.dot(tensor(A), tensor(A[0]))
    with pytest.raises(ShapeMismatch, match="must agree"):
        paddle.dot(tensor([1.0]), tensor([1.0, 2.0]))


def test_addmm_and_baddbmm():
    out = paddle.addmm(tensor(np.ones((2, 2))), tensor(A), tensor(A.T), beta=0.5, alpha=2.0)
    np.testing.assert_allclose(out.numpy(), 0.5 + 2 * A @ A.T)
    nothing = tensor(np.full((2, 2, 2), np.nan))
    out = paddle.baddbmm(nothing, tensor(B), tensor(B.swapaxes(1, 2)), beta=0.0)
    np.testing.assert_allclose(out.numpy(), B @ B.swapaxes(1, 2))
    with pytest.raises(ShapeMismatch, match="must have 2 axes"):
        paddle.addmm(nothing, tensor(B), tensor(A))


@pytest.mark.parametrize(("offset", "axes"), [(0, (0, 1)), (1, (0, 2)), (-1, (1, 2))])
def test_trace_agrees_with_numpy(offset, axes):
    np.testing.assert_allclose(paddle.trace(tensor(B), offset, *axes).numpy(), np.trace(B, offset, *axes))


def test_renorm():
    x = tensor([[3.0, 4.0], [0.0, 0.0], [0.3, 0.4]], grad=True)
    out = paddle.renorm(x, 2.0, 0, 1.0)
    np.testing.assert_allclose(out.numpy(), [[0.6, 0.8], [0, 0], [0.3, 0.4]], rtol=1e-6)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[1:], 1.0)
    np.testing.assert_allclose(x.grad.numpy()[0], [0.2 - 0.6 * 0.28, 0.2 - 0.8 * 0.28], rtol=1e-4)


def test_shapes_that_broadcast():
    assert paddle.broadcast_shapes([2, 1], [3], [1, 1, 1]) == [1, 2, 3]
    with pytest.raises(ShapeMismatch, match="do not broadcast"):
        paddle.broadcast_shapes([2], [3])
