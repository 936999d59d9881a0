"""Weight norm, spectral norm, parameters as a vector."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

U = nn.utils


def ones(*shape):
    return paddle.to_tensor(np.ones(shape, "float32"))


def names(layer):
    return [(name, p.shape) for name, p in layer.named_parameters()]


@pytest.mark.parametrize(("dim", "lengths"), [(0, [3]), (1, [2]), (None, []), (-1, [])])
def test_weight_norm_splits_and_joins(dim, lengths):
    layer = nn.Linear(3, 2)
    before = layer.weight.numpy()
    assert U.weight_norm(layer, dim=dim) is layer
    assert names(layer) == [("bias", [2]), ("weight_v", [3, 2]), ("weight_g", lengths)]
    assert list(layer.state_dict()) == ["bias", "weight_v", "weight_g"]
    np.testing.assert_allclose(layer.weight.numpy(), before, rtol=1e-6)
    axes = tuple(a for a in (0, 1) if a != dim or dim == -1)
    np.testing.assert_allclose(layer.weight_g.numpy(), np.sqrt((before**2).sum(axis=axes)), rtol=1e-6)
    layer.weight_g.set_value(2 * layer.weight_g.numpy())
    layer(ones(1, 3)).sum().backward() if hasattr(paddle.Tensor, "sum") else layer(ones(1, 3)).backward()
    np.testing.assert_allclose(layer.weight.numpy(), 2 * before, rtol=1e-6)
    assert layer.weight_g.grad is not None and layer.weight_v.grad is not None
    assert U.remove_weight_norm(layer) is layer
    assert names(layer) == [("bias", [2]), ("weight", [3, 2])]
    np.testing.assert_allclose(layer.weight.numpy(), 2 * before, rtol=1e-6)
    assert layer(ones(1, 3)).shape == [1, 2] and not layer._forward_pre_hooks


def test_weight_norm_of_a_vector():
    layer = nn.Linear(3, 2)
    before = layer.bias.numpy() + 1
    layer.bias.set_value(before)
    U.weight_norm(layer, "bias")
    np.testing.assert_allclose(layer.bias.numpy(), before)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: U.weight_norm(U.weight_norm(nn.Linear(2, 2))), RuntimeError),
        (lambda: U.weight_norm(nn.Identity()), KeyError),
        (lambda: U.weight_norm(nn.Linear(2, 2), dim=5), ValueError),
        (lambda: U.remove_weight_norm(nn.Linear(2, 2)), ValueError),
        (lambda: U.spectral_norm(U.spectral_norm(nn.Linear(2, 2))), RuntimeError),
        (lambda: U.spectral_norm(nn.Identity()), KeyError),
        (lambda: U.spectral_norm(nn.Linear(2, 2), n_power_iterations=0), ValueError),
        (lambda: U.parameters_to_vector([]), ValueError),
        (lambda: U.vector_to_parameters(ones(5), nn.Linear(2, 3).parameters()), ValueError),
    ],
)
def test_bad_calls_are_refused(call, error):
    with pytest.raises(error):
        call()


def test_spectral_norm_divides_by_the_largest_singular_value():
    layer = nn.Linear(3, 2)
    before = layer.weight.numpy()
    U.spectral_norm(layer, n_power_iterations=30)
    assert names(layer) == [("bias", [2]), ("weight_orig", [3, 2])]
    assert list(layer.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    assert (layer.weight_u.shape, layer.weight_v.shape) == ([2], [3])
    layer(ones(1, 3)).backward(ones(1, 2))
    np.testing.assert_allclose(layer.weight.numpy(), before / np.linalg.svd(before)[1][0], rtol=1e-5)
    # d sum(x W) / dW of W / (u' W v) with u, v held fixed
    u, v, sigma = layer.weight_u.numpy(), layer.weight_v.numpy(), np.linalg.svd(before)[1][0]
    want = 1 / sigma - before.sum() / sigma**2 * np.outer(v, u)
    np.testing.assert_allclose(layer.weight_orig.grad.numpy(), want, rtol=1e-4, atol=1e-5)


def test_spectral_norm_iterates_in_training_only():
    layer = U.spectral_norm(nn.Linear(3, 2))
    start = layer.weight_u.numpy()
    assert np.linalg.norm(start) == pytest.approx(1.0, rel=1e-6)
    layer(ones(1, 3))
    moved = layer.weight_u.numpy()
    assert not np.allclose(start, moved)
    layer.eval()
    layer(ones(1, 3))
    np.testing.assert_array_equal(layer.weight_u.numpy(), moved)


def test_parameters_as_a_vector():
    layer, other = nn.Linear(2, 3), nn.Linear(2, 3)
    vector = U.parameters_to_vector(layer.parameters())
    want = np.concatenate([layer.weight.numpy().ravel(), layer.bias.numpy()])
    np.testing.assert_array_equal(vector.numpy(), want)
    assert not vector.stop_gradient
    U.vector_to_parameters(vector, other.parameters())
    np.testing.assert_array_equal(other.weight.numpy(), layer.weight.numpy())
    U.vector_to_parameters(ones(20), other.parameters())
    assert other.bias.tolist() == [1.0, 1.0, 1.0]
