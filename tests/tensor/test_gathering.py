"""Gathering and scattering by Paddle's functions: forms of the index, reductions, in place, errors.

Values, gradients and dtypes of the ops below are checked by the samples in `tests/ops`.
"""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch

t = paddle.to_tensor
X = np.arange(12, dtype="f4").reshape(3, 4)


@pytest.mark.parametrize("index", [[2, 0, 2], [[2], [0], [2]], [-1, -3, 2]])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_gather_takes_an_index_of_rows_in_either_form(index, dtype):
    at = t(index, dtype=dtype)
    np.testing.assert_array_equal(paddle.gather(t(X), at).numpy(), X[[2, 0, 2]])
    np.testing.assert_array_equal(t(X).T.gather(at, axis=t(1)).numpy(), X.T[:, [2, 0, 2]])
    np.testing.assert_array_equal(t(X).index_select(at).numpy(), X[[2, 0, 2]])


def test_a_0d_index_takes_the_axis_away():
    assert paddle.gather(t(X), t(1)).tolist() == X[1].tolist() and paddle.gather(t(X), t(1), axis=1).shape == [3]


def test_take_along_axis_broadcasts_both():
    assert paddle.take_along_axis(t(X), t([[0, 3]]), 1).tolist() == X[:, [0, 3]].tolist()
    assert paddle.take_along_axis(t(X[:1]), t([[0], [1]]), 1).tolist() == [[0.0], [1.0]]
    assert paddle.take_along_axis(t(X), t([[0, 3]]), 1, broadcast=False).tolist() == [[0.0, 3.0]]
    assert paddle.take_along_dim(t(X), t([[-1]]), -1).tolist() == X[:, 3:].tolist()


@pytest.mark.parametrize(("mode", "want"), [("raise", [0, 11, 11]), ("wrap", [0, 11, 11]), ("clip", [0, 11, 0])])
def test_take_counts_through_all_elements(mode, want):
    assert paddle.take(t(X), t([0, 11, -1]), mode).tolist() == want
    if mode != "raise":
        assert paddle.take(t(X), t([13]), mode).tolist() == [{"wrap": 1, "clip": 11}[mode]]


def test_multiplex_chooses_rows_and_passes_gradients():
    a, b = paddle.ones([3, 2]), paddle.zeros([3, 2])
    a.stop_gradient = b.stop_gradient = False
    out = paddle.multiplex([a, b], t([[1], [0], [1]], dtype="int32"))
    assert out.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    out.sum().backward()
    assert a.grad.numpy()[:, 0].tolist() == [0.0, 1.0, 0.0] and b.grad.numpy()[:, 0].tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("reduce", "numpy_at"),
    [("add", np.add), ("mul", np.multiply), ("multiply", np.multiply), ("amin", np.minimum), ("amax", np.maximum)],
)  # fmt: skip
def test_reductions_of_put_along_axis_are_those_of_numpy(reduce, numpy_at):
    index, value = np.array([[0, 0, 1], [3, 3, 3], [2, 1, 2]]), np.arange(9.0, dtype="f4").reshape(3, 3) - 3
    want = X.copy()
    numpy_at.at(want, (np.arange(3)[:, None], index), value)
    np.testing.assert_array_equal(paddle.put_along_axis(t(X), t(index), t(value), 1, reduce).numpy(), want)


def test_scatter_relatives_agree_with_put_along_axis():
    index, value = t([[0, 1], [2, 2]]), t([[1.0, 2.0], [3.0, 4.0]])
    added = paddle.scatter_add(t(X), 1, index, value)
    assert added.tolist() == paddle.scatter_reduce(t(X), 1, index, value, "sum").tolist()
    assert added.numpy()[1].tolist() == [4.0, 5.0, 13.0, 7.0] and added.numpy()[2].tolist() == X[2].tolist()
    mean = paddle.scatter_reduce(t(X), 1, index, value, "mean", include_self=False)
    assert mean.numpy()[:2].tolist() == [[1.0, 2.0, 2.0, 3.0], [4.0, 5.0, 3.5, 7.0]]


def test_of_several_values_for_one_place_only_the_last_has_a_gradient():
    value = paddle.ones([1, 3])
    value.stop_gradient = False
    paddle.put_along_axis(paddle.zeros([1, 2]), t([[0, 0, 1]]), value, 1).sum().backward()
    assert value.grad.tolist() == [[0.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    ("call", "want"),
    [
        (lambda x: x.scatter_(t([1]), paddle.zeros([1, 4])), lambda a: a.__setitem__(1, 0)),
        (lambda x: x.index_add_(t([0, 0]), 0, paddle.ones([2, 4])), lambda a: a.__setitem__(0, a[0] + 2)),
        (lambda x: x.index_fill_(t([0]), 1, 5.0), lambda a: a.__setitem__((slice(None), 0), 5)),
        (lambda x: x.index_put_((t([2]), t([3])), t(9.0)), lambda a: a.__setitem__((2, 3), 9)),
        (lambda x: x.put_along_axis_(t([[0]]), 7.0, 1), lambda a: a.__setitem__((slice(None), 0), 7)),
        (lambda x: x.masked_fill_(x > 5, -1.0), lambda a: a.__setitem__(a > 5, -1)),
        (lambda x: x.masked_scatter_(x > 9, t([1.0, 2.0, 3.0])), lambda a: a.__setitem__(a > 9, [1, 2])),
        (lambda x: x.tril_(), lambda a: a.__setitem__(..., np.tril(a))),
    ],
)
def test_forms_in_place_change_the_tensor_and_keep_gradients(call, want):
    base = t(X, stop_gradient=False)
    x = base * 1
    assert call(x) is x
    changed = X.copy()
    want(changed)
    np.testing.assert_array_equal(x.numpy(), changed)
    x.sum().backward()
    assert base.grad.shape == [3, 4]


def test_index_add_scales_and_index_put_accumulates():
    assert paddle.index_add(paddle.zeros([2]), t([1, 1]), 0, paddle.ones([2]), alpha=3).tolist() == [0.0, 6.0]
    at = (t([0, 0]), t([1, 1]))
    assert paddle.index_put(paddle.zeros([1, 2]), at, t([1.0, 2.0]), True).tolist() == [[0.0, 3.0]]
    assert paddle.index_put(t(X), (t(X > 10),), t(0.0)).numpy().max() == 10


def test_values_are_cast_to_the_dtype_of_the_target():
    x = t([[1, 2]])
    assert paddle.put_along_axis(x, t([[0]]), 7.9, 1).tolist() == [[7, 2]]
    assert paddle.index_fill(x, t([1]), 1, t(3.0)).tolist() == [[1, 3]]
    assert paddle.masked_fill(x, x > 1, -1.5).tolist() == [[1, -1]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: paddle.gather(x, t([3])), IndexError),
        (lambda x: paddle.gather(x, t([-4])), IndexError),
        (lambda x: paddle.gather(x, t([[0, 1]])), ShapeMismatch),
        (lambda x: paddle.gather(x, t([0.5])), DTypeMismatch),
        (lambda x: paddle.gather_nd(x, t([[0, 4]])), IndexError),
        (lambda x: paddle.gather_nd(x, t([[0, 0, 0]])), ShapeMismatch),
        (lambda x: paddle.take_along_axis(x, t([[4]]), 1), IndexError),
        (lambda x: paddle.take_along_axis(x, t([0]), 1), ShapeMismatch),
        (lambda x: paddle.put_along_axis(x, t([[4]]), 1.0, 1), IndexError),
        (lambda x: paddle.put_along_axis(x, t([[0]]), 1.0, 1, "median"), InvalidArgument),
        (lambda x: paddle.scatter(x, t([3]), paddle.ones([1, 4])), IndexError),
        (lambda x: paddle.scatter(x, t([0]), paddle.ones([4])), ShapeMismatch),
        (lambda x: paddle.scatter_nd_add(x, t([[3]]), paddle.ones([1, 4])), IndexError),
        (lambda x: paddle.index_add(x, t([0]), 2, x), InvalidArgument),
        (lambda x: paddle.index_sample(x, t([[0]])), ShapeMismatch),
        (lambda x: paddle.take(x, t([0]), "none"), InvalidArgument),
        (lambda x: paddle.take(x, t([12])), IndexError),
        (lambda x: paddle.masked_select(x, t([1, 0, 1, 0])), DTypeMismatch),
        (lambda x: paddle.masked_scatter(x, x > 0, t([1.0])), InvalidArgument),
        (lambda x: paddle.crop(x, [2, 2], [2, 0]), InvalidArgument),
        (lambda x: paddle.crop(x, [2]), InvalidArgument),
        (lambda x: paddle.slice(x, [0, 1], [0], [1]), InvalidArgument),
        (lambda x: paddle.slice(x, [2], [0], [1]), InvalidArgument),
        (lambda x: paddle.narrow(x, 0, 2, 2), InvalidArgument),
        (lambda x: paddle.select_scatter(x, paddle.ones([1, 4]), 0, 0), ShapeMismatch),
        (lambda x: paddle.shard_index(t([1]), 20, 2, 2), InvalidArgument),
        (lambda x: paddle.complex(t([1]), t([2])), DTypeMismatch),
        (lambda x: paddle.vander(x), InvalidArgument),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error):
        call(t(X))


@pytest.mark.parametrize(
    ("call", "want"),
    [
        (lambda x: paddle.slice(x, [0, 1], [0, -2], [1, 100]), X[0:1, -2:]),
        (lambda x: x.slice([1], t([1]), [t(3)]), X[:, 1:3]),
        (lambda x: paddle.strided_slice(x, [1], [3], [-100], [-2]), X[:, ::-2]),
        (lambda x: x.narrow(1, -3, 2), X[:, 1:3]),
    ],
)
def test_slices_are_views(call, want):
    x = t(X)
    y = call(x)
    np.testing.assert_array_equal(y.numpy(), want)
    assert np.shares_memory(x._data, y._data)


def test_crop_copies():
    x = t(X)
    for y, want in ((paddle.crop(x, [-1, 2], [1, 1]), X[1:, 1:3]), (paddle.crop(x), X)):
        np.testing.assert_array_equal(y.numpy(), want)
        assert not np.shares_memory(x._data, y._data)


def test_parts_are_replaced_in_copies():
    x, ones = t(X), paddle.ones([3, 2], "float64")
    out = paddle.slice_scatter(x, ones, [1], [0], [4], [3])
    assert out.dtype == "float32" and out.numpy()[:, [0, 3]].min() == 1 == out.numpy()[:, [0, 3]].max()
    np.testing.assert_array_equal(out.numpy()[:, 1:3], X[:, 1:3])
    assert paddle.select_scatter(x, paddle.ones([3]), -1, -1).numpy()[:, 3].tolist() == [1.0] * 3


def test_unique_gives_what_is_asked_for():
    x = t([[3, 1], [3, 1], [2, 5]])
    values, index, inverse, counts = paddle.unique(x, True, True, True, dtype="int32")
    assert (values.tolist(), index.tolist(), inverse.tolist()) == ([1, 2, 3, 5], [1, 4, 0, 5], [2, 0, 2, 0, 1, 3])
    assert counts.dtype == "int32" and counts.tolist() == [2, 1, 2, 1]
    assert paddle.unique(x, axis=0).tolist() == [[2, 5], [3, 1]]
    assert [r.tolist() for r in paddle.unique_consecutive(x, True, True, axis=0)] == [
        [[3, 1], [2, 5]],
        [0, 0, 1],
        [2, 1],
    ]


def test_diagonals_and_triangles():
    np.testing.assert_array_equal(paddle.triu(t(X), 1).numpy(), np.triu(X, 1))
    np.testing.assert_array_equal(paddle.diag(t(X), 1).numpy(), np.diag(X, 1))
    np.testing.assert_array_equal(paddle.diagflat(t(X[:2, :2]), -1).numpy(), np.diagflat(X[:2, :2], -1))
    assert paddle.diag(t(3.0)).tolist() == [[3.0]] and paddle.diag(t([1, 2]), padding_value=9).tolist() == [
        [1, 9],
        [9, 2],
    ]
    for increasing in (False, True):
        np.testing.assert_array_equal(paddle.vander(t(X[1]), 3, increasing).numpy(), np.vander(X[1], 3, increasing))


def test_complex_numbers_from_polar_form():
    z = paddle.polar(t([2.0], dtype="float64"), t([np.pi / 2], dtype="float64"))
    np.testing.assert_allclose(z.numpy(), [2j], atol=1e-15)
