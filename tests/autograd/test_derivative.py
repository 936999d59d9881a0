"""`jacobian`, `hessian`, `vjp`, `jvp` against closed formulas."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.autograd import derivative, hessian, jacobian
from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, InvalidArgument, ShapeMismatch

functional = paddle.incubate.autograd


def leaf(array):
    return paddle.to_tensor(np.asarray(array, "float64"), stop_gradient=False)


A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = np.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize(
    "index",
    [
        slice(None), 0, -1, (slice(None), 1), (1, 2), (slice(0, 2), slice(1, None)), slice(None, None, -1), (..., 0),
        slice(1, 1),
    ],
    ids=str,
)  # fmt: skip
def test_a_jacobian_is_indexed_like_its_matrix(index):
    x = leaf(V)
    found = jacobian(paddle.to_tensor(A) @ (x * x), x)[index]
    np.testing.assert_allclose(found.numpy(), (A * 2 * V)[index])


def test_rows_are_computed_when_they_are_asked_for_and_once(monkeypatch):
    calls = []
    real = derivative.grad
    monkeypatch.setattr(derivative, "grad", lambda *a, **k: calls.append(1) or real(*a, **k))
    x = leaf(V)
    rows = jacobian(x * x, x)
    assert not calls
    rows[1], rows[0:2], rows[1, 0]
    assert len(calls) == 2


def test_shapes_of_jacobians():
    x, n = leaf(V), leaf(2.0)
    assert jacobian(x.sum(), x).shape == [3]
    assert jacobian(n * x, n).shape == [3]
    assert jacobian(n * n, n)[:].item() == 4
    b = leaf(A)
    assert jacobian(b * b, b, batch_axis=0).shape == [2, 3, 3]
    assert jacobian((b * b).sum(axis=1), b, batch_axis=0)[:].shape == [2, 3]


def test_a_batch_has_a_matrix_a_case():
    x = leaf(A)
    found = jacobian(x * x.sum(axis=1, keepdim=True), x, batch_axis=0)
    want = np.stack([np.eye(3) * row.sum() + row[:, None] for row in A])
    np.testing.assert_allclose(found[:].numpy(), want)
    np.testing.assert_allclose(found[:, 1].numpy(), want[:, 1])
    np.testing.assert_allclose(found[0, 1:, 2].numpy(), want[0, 1:, 2])


def test_sequences_give_tuples():
    x, y = leaf(V), leaf(V)
    found = jacobian((x * y, x + y), [x, y])
    assert [[type(j) for j in row] for row in found] == [[derivative.Jacobian] * 2] * 2
    np.testing.assert_allclose(found[0][1][:].numpy(), np.diag(V))


def test_what_does_not_depend_gives_zeros():
    x, y = leaf(V), leaf(V[:2])
    np.testing.assert_array_equal(jacobian(x * 2, y)[:].numpy(), np.zeros((3, 2)))


def test_a_jacobian_takes_part_in_arithmetic_and_can_be_differentiated():
    x = leaf(V)
    found = jacobian(x**3, x)
    np.testing.assert_allclose((found + 1).numpy(), np.diag(3 * V**2) + 1)
    np.testing.assert_allclose((2 * found).numpy(), np.diag(6 * V**2))
    np.testing.assert_allclose((found @ found).numpy(), np.diag(9 * V**4))
    np.testing.assert_allclose((-found).numpy(), np.diag(-3 * V**2))
    assert found.sum().item() == pytest.approx((3 * V**2).sum())
    [again] = paddle.grad(found[:].sum(), x)
    np.testing.assert_allclose(again.numpy(), 6 * V)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        found.nonsense


def test_a_hessian_is_the_matrix_of_second_derivatives():
    x, y = leaf(V), leaf(V[:2])
    value = (x * x).sum() * y.sum() + (y**3).sum()
    found = hessian(value, (x, y))
    assert type(found[0][0]) is derivative.Hessian
    total = V[:2].sum()
    np.testing.assert_allclose(found[0][0][:].numpy(), 2 * total * np.eye(3))
    np.testing.assert_allclose(found[0][1][:].numpy(), np.repeat(2 * V[:, None], 2, 1))
    np.testing.assert_allclose(found[1][0][:].numpy(), np.repeat(2 * V[None], 2, 0))
    np.testing.assert_allclose(found[1][1][:].numpy(), np.diag(6 * V[:2]))
    single = hessian((x**3).sum(axis=0, keepdim=True), x)
    np.testing.assert_allclose(single[1].numpy(), [0, 6 * V[1], 0])


@pytest.mark.parametrize("keepdim", [True, False])
def test_a_hessian_of_a_batch(keepdim):
    x = leaf(A)
    found = hessian((x**3).sum(axis=1, keepdim=keepdim), x, batch_axis=0)
    np.testing.assert_allclose(found[:].numpy(), np.stack([np.diag(6 * row) for row in A]))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: jacobian(x * x, x), ShapeMismatch),
        (lambda x: jacobian(x * x, x, batch_axis=1), InvalidArgument),
        (lambda x: jacobian(x[0], 3.0), DTypeMismatch),
        (lambda x: hessian(x[0], x[0]), InvalidArgument),
        (lambda x: hessian(x, x, batch_axis=0), InvalidArgument),
        (lambda x: jacobian(x, x, batch_axis=0)[:, 5], IndexOutOfRange),
        (lambda x: jacobian(x, x, batch_axis=0)[0, 0, 0, 0], IndexOutOfRange),
        (lambda x: jacobian(x, x, batch_axis=0)[[0, 1]], DTypeMismatch),
    ],
)
def test_wrong_calls_are_refused(call, error):
    with pytest.raises(error):
        call(leaf(A))


def test_vjp_and_jvp():
    x, y = paddle.to_tensor(V), paddle.to_tensor(A)

    def function(x, y):
        return y @ (x * x), x * 2

    v = (np.array([1.0, -2.0]), np.array([3.0, 0.0, 1.0]))
    outputs, pulled = functional.vjp(function, (x, y), [paddle.to_tensor(part) for part in v])
    np.testing.assert_allclose(outputs[0].numpy(), A @ V**2)
    np.testing.assert_allclose(pulled[0].numpy(), (v[0] @ A) * 2 * V + 2 * v[1])
    np.testing.assert_allclose(pulled[1].numpy(), np.outer(v[0], V**2))
    along = (np.array([1.0, 0.0, -1.0]), np.ones((2, 3)))
    _, pushed = functional.jvp(function, (x, y), [paddle.to_tensor(part) for part in along])
    np.testing.assert_allclose(pushed[0].numpy(), A @ (2 * V * along[0]) + along[1] @ V**2)
    np.testing.assert_allclose(pushed[1].numpy(), 2 * along[0])
    assert x.stop_gradient


def test_without_v_ones_are_taken():
    x = paddle.to_tensor(V)
    np.testing.assert_allclose(functional.vjp(paddle.exp, x)[1].numpy(), np.exp(V))
    np.testing.assert_allclose(functional.jvp(lambda x: x.sum(), x)[1].numpy(), 3)
    np.testing.assert_allclose(functional.vjp(lambda x: paddle.to_tensor([1.0, 1.0]), x)[1].numpy(), 0)
    with pytest.raises(ShapeMismatch):
        functional.vjp(paddle.exp, x, paddle.to_tensor([1.0]))


def test_matrices_of_functions_lay_tensors_end_to_end():
    x, y = paddle.to_tensor(A), paddle.to_tensor(V)
    found = functional.Jacobian(lambda x, y: (x * y, y.sum()), [x, y])
    assert found.shape == [7, 9]
    want = np.zeros((7, 9))
    want[:6, :6] = np.diag(np.tile(V, 2))
    want[:6, 6:] = np.concatenate([np.diag(A[0]), np.diag(A[1])])
    want[6, 6:] = 1
    np.testing.assert_allclose(found[:].numpy(), want)
    bent = functional.Hessian(lambda x, y: (x * x * y).sum(), [x, y])
    np.testing.assert_allclose(bent[:6, :6].numpy(), np.diag(2 * np.tile(V, 2)))
    np.testing.assert_allclose(bent[6:, 6:].numpy(), 0)
    cases = functional.Jacobian(lambda x: x * x, x, is_batched=True)
    np.testing.assert_allclose(cases[:].numpy(), np.stack([np.diag(2 * row) for row in A]))
    cubes = functional.Hessian(lambda x: (x**3).sum(axis=1, keepdim=True), x, is_batched=True)
    np.testing.assert_allclose(cubes[:].numpy(), np.stack([np.diag(6 * row) for row in A]))
