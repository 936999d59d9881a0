"""`saved_tensors_hooks`: what the tape keeps passes through the user's hands."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.autograd import PyLayer, saved_tensors_hooks
from paddlite.core.errors import DTypeMismatch, ShapeMismatch


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


def test_pack_and_unpack_are_called_for_what_backward_needs():
    calls = []

    def pack(x):
        calls.append(("pack", x.tolist()))
        return x.numpy()

    def unpack(array):
        calls.append(("unpack", array.tolist()))
        return paddle.to_tensor(array)

    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    with saved_tensors_hooks(pack, unpack):
        y = a * b
        z = a + b  # needs nothing
    assert calls == [("pack", [1.0, 2.0]), ("pack", [3.0, 4.0])]
    (y + z).backward()
    assert sorted(calls) == sorted([(k, v) for k in ("pack", "unpack") for v in ([1.0, 2.0], [3.0, 4.0])])
    assert a.grad.tolist() == [4, 5]


def test_what_unpack_gives_is_what_backward_uses():
    a = leaf(1.0)
    with saved_tensors_hooks(lambda x: x, lambda x: x * 10):
        y = a * a
    y.backward()
    assert a.grad.item() == 20


def test_the_innermost_pair_counts_and_leaving_restores():
    seen = []
    a = leaf(1.0)

    def hooks(name):
        return saved_tensors_hooks(lambda x: seen.append(name) or x, lambda x: x)

    with hooks("outer"):
        a.exp()
        with pytest.raises(ValueError), hooks("inner"):
            a.exp()
            raise ValueError
        a.exp()
    a.exp()
    assert seen == ["outer", "inner", "outer"]


def test_gradients_of_gradients_go_through_hooks():
    a = leaf(2.0)
    with saved_tensors_hooks(lambda x: x.numpy(), paddle.to_tensor):
        y = a * a * a
        [slope] = paddle.grad(y, a, create_graph=True)
        [bend] = paddle.grad(slope, a)
    assert bend.item() == 12


def test_in_place_results_are_packed_as_they_are_written():
    a = leaf(1.0)
    y = a * 1
    packed = []
    with saved_tensors_hooks(lambda x: packed.append(x.numpy()) or packed[-1], paddle.to_tensor):
        y.exp_()
    y.backward()
    np.testing.assert_allclose(packed, [np.exp([1.0])], rtol=1e-6)
    np.testing.assert_allclose(a.grad.numpy(), np.exp([1.0]), rtol=1e-6)


def test_a_py_layers_saved_tensors_count():
    class Square(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensor()[0]

    a = leaf(3.0)
    with saved_tensors_hooks(lambda x: x, lambda x: x * 10):
        y = Square.apply(a)
    y.backward()
    assert a.grad.item() == 60


@pytest.mark.parametrize(("unpack", "error"), [(lambda x: x.numpy(), DTypeMismatch), (lambda x: x[0], ShapeMismatch)])
def test_unpack_must_give_the_tensor_back(unpack, error):
    with saved_tensors_hooks(lambda x: x, unpack):
        y = leaf(1.0, 2.0).exp()
    with pytest.raises(error, match="unpack_hook"):
        y.backward()
