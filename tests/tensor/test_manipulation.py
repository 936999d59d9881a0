"""Shapes: every form of argument, which results are views, gradients through them, 0-D and empty tensors."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument, ShapeMismatch

X = np.arange(24, dtype="f4").reshape(2, 3, 4)


def tensor(array=X):
    return paddle.to_tensor(array, stop_gradient=False)


VIEWS = {
    "reshape": (lambda x: x.reshape([4, -1]), lambda a: a.reshape(4, -1)),
    "reshape by 0": (lambda x: x.reshape([0, -1]), lambda a: a.reshape(2, -1)),
    "reshape one by one": (lambda x: x.reshape(3, 8), lambda a: a.reshape(3, 8)),
    "reshape by a tensor": (lambda x: x.reshape(paddle.to_tensor([6, 4])), lambda a: a.reshape(6, 4)),
    "reshape by a list of tensors": (lambda x: x.reshape([paddle.to_tensor(6), 4]), lambda a: a.reshape(6, 4)),
    "view": (lambda x: x.view([24]), lambda a: a.reshape(24)),
    "view_as": (lambda x: x.view_as(paddle.zeros([8, 3])), lambda a: a.reshape(8, 3)),
    "transpose": (lambda x: x.transpose([2, 0, 1]), lambda a: a.transpose(2, 0, 1)),
    "transpose two": (lambda x: x.transpose(0, 1), lambda a: a.swapaxes(0, 1)),
    "permute": (lambda x: x.permute(1, 0, 2), lambda a: a.transpose(1, 0, 2)),
    "T": (lambda x: x.T, lambda a: a.T),
    "mT": (lambda x: x.mT, lambda a: a.swapaxes(1, 2)),
    "moveaxis": (lambda x: paddle.moveaxis(x, [0, 1], [-1, 0]), lambda a: np.moveaxis(a, [0, 1], [-1, 0])),
    "swapaxes": (lambda x: x.swapaxes(0, -1), lambda a: a.swapaxes(0, -1)),
    "unsqueeze": (lambda x: x.unsqueeze(-1), lambda a: a[..., None]),
    "unsqueeze several": (lambda x: x.unsqueeze([0, -1]), lambda a: a[None, ..., None]),
    "squeeze": (lambda x: x.unsqueeze([0, 2]).squeeze(), lambda a: a),
    "squeeze some": (lambda x: x.unsqueeze([0, 2]).squeeze([0, 1]), lambda a: a[:, None]),
    "flatten": (lambda x: x.flatten(1), lambda a: a.reshape(2, 12)),
    "ravel": (lambda x: x.ravel(), lambda a: a.ravel()),
    "unflatten": (lambda x: x.unflatten(-1, [2, -1]), lambda a: a.reshape(2, 3, 2, 2)),
    "slice": (lambda x: x[:, 1:, ::-2], lambda a: a[:, 1:, ::-2]),
    "diagonal": (lambda x: x.diagonal(1, 1, 2), lambda a: np.diagonal(a, 1, 1, 2)),
    "unfold": (lambda x: x.unfold(2, 2, 2), lambda a: np.stack([a[..., :2], a[..., 2:]], 2)),
    "as_strided": (lambda x: x.as_strided([2, 3], [12, 1], 4), lambda a: np.stack([a.ravel()[1:4], a.ravel()[13:16]])),
    "unbind": (lambda x: x.unbind(1)[2], lambda a: a[:, 2]),
    "atleast_3d": (lambda x: paddle.atleast_3d(x[0]), lambda a: a[0][:, :, None]),
    "atleast_2d": (lambda x: paddle.atleast_2d(x[0, 0]), lambda a: a[0, :1]),
    "detach": (lambda x: x.detach(), lambda a: a),
}
COPIES = {
    "expand": (lambda x: x.unsqueeze(0).expand([2, -1, 3, 4]), lambda a: np.stack([a, a])),
    "expand to the same shape": (lambda x: x.expand([2, 3, 4]), lambda a: a),
    "expand_as": (lambda x: x[:1].expand_as(paddle.zeros([2, 3, 4])), lambda a: np.stack([a[0], a[0]])),
    "split": (lambda x: x.split([1, -1], 1)[1], lambda a: a[:, 1:]),
    "chunk": (lambda x: x.chunk(2, -1)[0], lambda a: a[..., :2]),
    "tensor_split": (lambda x: x.tensor_split([1], 2)[1], lambda a: a[..., 1:]),
    "unstack": (lambda x: x.unstack(1)[2], lambda a: a[:, 2]),
    "flip": (lambda x: x.flip([0, -1]), lambda a: a[::-1, :, ::-1]),
    "flip nothing": (lambda x: x.flip([]), lambda a: a),
    "clone": (lambda x: x.clone(), lambda a: a),
    "assign": (lambda x: paddle.assign(x), lambda a: a),
    "concat of one": (lambda x: paddle.concat([x]), lambda a: a),
    "concat": (lambda x: paddle.concat([x, x], -1), lambda a: np.concatenate([a, a], -1)),
    "stack": (lambda x: paddle.stack([x, x], 1), lambda a: np.stack([a, a], 1)),
    "roll": (lambda x: x.roll([1, -1], [0, 2]), lambda a: np.roll(a, [1, -1], [0, 2])),
    "rot90": (lambda x: paddle.rot90(x, 1, [1, 2]), lambda a: np.rot90(a, 1, (1, 2))),
    "rot90 thrice": (lambda x: paddle.rot90(x, -1, [0, 2]), lambda a: np.rot90(a, -1, (0, 2))),
    "rot90 twice": (lambda x: paddle.rot90(x, 2, [0, 1]), lambda a: np.rot90(a, 2)),
    "tile": (lambda x: x.tile([2, 1]), lambda a: np.tile(a, [2, 1])),
    "repeat": (lambda x: x.repeat(2, 1, 1, 1), lambda a: np.tile(a, [2, 1, 1, 1])),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, 1), lambda a: np.repeat(a, 2, 1)),
    "repeat_interleave flat": (lambda x: x.repeat_interleave(2), lambda a: np.repeat(a, 2)),
    "repeat_interleave by a tensor": (
        lambda x: x.repeat_interleave(paddle.to_tensor([2, 0, 1]), 1),
        lambda a: np.repeat(a, [2, 0, 1], 1),
    ),
    "bool index": (lambda x: x[paddle.to_tensor([True, True])], lambda a: a),
    "list index": (lambda x: x[[1, 0]], lambda a: a[[1, 0]]),
    "hstack": (lambda x: paddle.hstack([x, x]), lambda a: np.hstack([a, a])),
    "vstack": (lambda x: paddle.vstack([x, x]), lambda a: np.vstack([a, a])),
    "dstack": (lambda x: paddle.dstack([x, x]), lambda a: np.dstack([a, a])),
    "column_stack": (lambda x: paddle.column_stack([x[0, 0], x[0, 1]]), lambda a: np.column_stack([a[0, 0], a[0, 1]])),
    "to another dtype": (lambda x: x.astype("float64").astype("float32"), lambda a: a),
}
CASES = [pytest.param(*pair, True, id=name) for name, pair in VIEWS.items()]
CASES += [pytest.param(*pair, False, id=name) for name, pair in COPIES.items()]


@pytest.mark.parametrize(("function", "reference", "view"), CASES)
def test_values_memory_and_gradients(function, reference, view):
    x = tensor()
    y = function(x)
    np.testing.assert_array_equal(y.numpy(), reference(X))
    assert np.shares_memory(y._data, x._data) == view
    if y.stop_gradient:
        return
    weight = np.random.default_rng(0).standard_normal(y.shape).astype("f4")
    (y * paddle.to_tensor(weight)).sum().backward()
    places = reference(np.arange(24).reshape(2, 3, 4)).ravel()
    want = np.bincount(places, weight.ravel(), 24).reshape(X.shape)
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-6)


@pytest.mark.parametrize(("function", "reference", "view"), CASES)
def test_a_change_in_place_reaches_what_a_view_shows_and_nothing_else(function, reference, view):
    x = paddle.to_tensor(X)
    y = function(x)
    y.zero_()
    want = X.copy()
    if view:
        want.reshape(-1)[np.unique(reference(np.arange(24).reshape(2, 3, 4)))] = 0
    np.testing.assert_array_equal(x.numpy(), want)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: x.reshape([5, -1]), ShapeMismatch),
        (lambda x: x.reshape([-1, -1]), InvalidArgument),
        (lambda x: x.reshape([2.0, 12]), TypeError),
        (lambda x: x.transpose([0, 1]), ShapeMismatch),
        (lambda x: x.transpose([0, 0, 1]), InvalidArgument),
        (lambda x: x.squeeze(3), InvalidArgument),
        (lambda x: x.unsqueeze(5), InvalidArgument),
        (lambda x: x.t(), ShapeMismatch),
        (lambda x: x[0, 0].mT, ShapeMismatch),
        (lambda x: paddle.moveaxis(x, [0, 0], [1, 2]), InvalidArgument),
        (lambda x: paddle.rot90(x, 1, [1, 1]), InvalidArgument),
        (lambda x: x.as_strided([5, 5], [5, 1]), InvalidArgument),
        (lambda x: x.as_strided([2], [1], 3), InvalidArgument),
        (lambda x: x.split(2, 1), InvalidArgument),
        (lambda x: x.split([1, 1], 1), InvalidArgument),
        (lambda x: x.tensor_split(0), InvalidArgument),
        (lambda x: x.tensor_split([2, 1]), InvalidArgument),
        (lambda x: x[0, 0].vsplit(2), InvalidArgument),
        (lambda x: x.unstack(1, num=2), InvalidArgument),
        (lambda x: x.expand([2, 3, 5]), ShapeMismatch),
        (lambda x: x.expand([3]), ShapeMismatch),
        (lambda x: x.flip(3), InvalidArgument),
        (lambda x: x.roll([1, 2], 0), InvalidArgument),
        (lambda x: x.repeat_interleave(paddle.to_tensor([1, 2]), 1), InvalidArgument),
        (lambda x: paddle.concat([x, x[0]]), ShapeMismatch),
        (lambda x: paddle.concat([x, x.astype("int64")]), InvalidArgument),
        (lambda x: paddle.concat(x), TypeError),
        (lambda x: paddle.stack([x, x[:1]]), ShapeMismatch),
        (lambda x: paddle.hstack([]), InvalidArgument),
        (lambda x: paddle.meshgrid(x), ShapeMismatch),
        (lambda x: paddle.meshgrid(x[0, 0], indexing="yx"), InvalidArgument),
        (lambda x: x.unflatten(2, [3, -1]), ShapeMismatch),
        (lambda x: x.flatten(2, 1), InvalidArgument),
        (lambda x: x.unfold(2, 5, 1), InvalidArgument),
        (lambda x: x.diagonal(0, 1, 1), InvalidArgument),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error):
        call(tensor())


def test_shapes_of_0d_and_empty_tensors():
    scalar, empty = paddle.to_tensor(3.0), paddle.zeros([0, 3])
    assert scalar.reshape([1, 1]).shape == [1, 1] and scalar.flatten().shape == [1] and scalar.t().shape == []
    assert scalar.unsqueeze(0).squeeze().shape == [] and paddle.atleast_1d(scalar).shape == [1]
    assert [t.shape for t in paddle.atleast_3d(scalar, paddle.ones([2]))] == [[1, 1, 1], [1, 2, 1]]
    assert empty.reshape([-1, 3]).shape == empty.reshape([0, -1]).shape == [0, 3] and empty.reshape([5, -1]).shape == [
        5,
        0,
    ]
    assert paddle.zeros([0, 3, 4]).reshape([0, -1]).shape == [0, 12]
    assert paddle.concat([empty, paddle.ones([2, 3])]).shape == [2, 3] and empty.T.shape == [3, 0]
    assert empty.unbind(0) == [] and [t.shape for t in empty.unbind(1)] == [[0]] * 3
    assert paddle.stack([scalar, scalar]).shape == [2] and scalar.expand([2, 2]).shape == [2, 2]
    assert paddle.flip(scalar, []).item() == 3.0 and empty.tile([2, 2]).shape == [0, 6]


def test_forms_in_place_change_the_shape_of_the_tensor_itself():
    x = paddle.to_tensor(X)
    before = x
    assert x.reshape_([6, 4]) is before and x.shape == [6, 4]
    assert x.unsqueeze_(0).shape == [1, 6, 4] and x.squeeze_(0).shape == [6, 4] and x.t_().shape == [4, 6]
    assert x.flatten_().shape == [24] and x.transpose_([0]).shape == [24] and x.cast_("int64").dtype == "int64"
    y = tensor() * 1
    y.reshape_([24])[3:5].zero_()
    y.sum().backward()
    with pytest.raises(ValueError, match="leaf"):
        tensor().reshape_([24])


def test_a_tensor_reshaped_in_place_keeps_its_gradient():
    x = tensor()
    y = x * 2
    y.reshape_([24])
    (y * paddle.arange(24, dtype="float32")).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * X)


def test_overlapping_views_add_their_gradients():
    x = paddle.ones([5])
    x.stop_gradient = False
    x.unfold(0, 3, 1).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 3.0, 2.0, 1.0]
    y = paddle.ones([3])
    y.stop_gradient = False
    y.as_strided([2, 2], [1, 1]).sum().backward()
    assert y.grad.tolist() == [1.0, 2.0, 1.0]


def test_bits_read_as_another_dtype():
    x = paddle.to_tensor([[1.0, 2.0]])
    assert x.view("int32").tolist() == [[0x3F800000, 0x40000000]] and x.view("uint8").shape == [1, 8]
    x.view("int32")[0, 0] = 0
    assert x.tolist() == [[0.0, 2.0]]


def test_lists_of_tensors():
    x, y = paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4, 5]), indexing="xy")
    assert x.tolist() == [[1, 2]] * 3 and y.tolist() == [[3, 3], [4, 4], [5, 5]]
    assert [t.shape for t in paddle.broadcast_tensors([paddle.ones([2, 1]), paddle.ones([3])])] == [[2, 3]] * 2
    assert paddle.broadcast_shape([2, 1], [3]) == [2, 3]
    assert paddle.cartesian_prod([paddle.to_tensor([1, 2]), paddle.to_tensor([3])]).tolist() == [[1, 3], [2, 3]]
    assert paddle.combinations(paddle.to_tensor([1, 2]), with_replacement=True).tolist() == [[1, 1], [1, 2], [2, 2]]
    assert paddle.block_diag([paddle.ones([1, 2]), paddle.to_tensor(2.0)]).tolist() == [
        [1.0, 1.0, 0.0],
        [0.0, 0.0, 2.0],
    ]


def test_attributes():
    x = paddle.to_tensor(X)
    assert (x.size, x.dim(), x.ndimension(), x.element_size(), x.itemsize, x.strides) == (24, 3, 3, 4, 4, [12, 4, 1])
    assert x.is_contiguous() and not x.T.is_contiguous() and x.T.contiguous().is_contiguous() and x.contiguous() is x
    assert paddle.numel(x).item() == 24 and paddle.shape(x).tolist() == [2, 3, 4] and paddle.rank(x).item() == 3
    assert paddle.is_empty(paddle.zeros([0])).item() and not paddle.is_empty(x).item()
    assert (
        x.long().dtype == "int64"
        and x.half().dtype == "float16"
        and x.type_as(paddle.ones([1], "float64")).dtype == "float64"
    )
    assert not x.requires_grad and x.requires_grad_().requires_grad and x.grad is None
    with pytest.raises(TypeError, match="complex"):
        paddle.real(x)


def test_complex_parts():
    z = paddle.to_tensor([1 + 2j, 3 - 1j])
    assert paddle.as_real(z).tolist() == [[1.0, 2.0], [3.0, -1.0]] and paddle.real(z).tolist() == [1.0, 3.0]
    assert paddle.as_complex(paddle.as_real(z)).tolist() == z.tolist() and paddle.imag(z).tolist() == [2.0, -1.0]
