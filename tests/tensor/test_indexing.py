"""Index expressions, read and assigned, are NumPy's; gradients go to the places that were read."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import ShapeMismatch
from paddlite.core.program import Program, recording
from paddlite.static.executor import Plan

X = np.arange(60, dtype="f8").reshape(3, 4, 5)
t = paddle.to_tensor
NEW, ALL = None, slice(None)
MASK3 = np.array([True, False, True])
MASK34 = np.arange(12).reshape(3, 4) % 3 == 0
GRID = np.array([[0, 2], [1, 0]])

BASIC = [
    0, -1, (1, 2), (1, 2, 3), ALL, slice(1, None), slice(None, None, 2), slice(None, None, -1), slice(2, 0, -1),
    slice(5, 9), slice(-2, None), slice(-9, 9), (ALL, 1), (ALL, slice(None, None, -2), slice(1, 4)), ..., (..., 0),
    (0, ...), (0, ..., 0), (1, 2, 3, ...), NEW, (NEW, ALL, NEW), (..., NEW), (0, NEW, slice(1, 3)), (),
    (slice(0, 0),), (NEW, 1, NEW, 2, NEW, 3), np.int32(2),
]  # fmt: skip
ADVANCED = [
    [0, 2], [[0, 1], [2, 0]], [], [-1, 0], np.array([1, 1]), GRID, np.array(2), range(2), ([0, 2], [1, 3]),
    ([0, 2], 1), (1, [0, 2]), (ALL, [3, 0]), (ALL, ALL, [4, 0, 4]), (..., [1, 2]), ([0, 1], ..., [1, 2]),
    ([0, 1], ALL, 2), (0, ALL, [1, 2]), (ALL, 0, [1, 2]), (GRID, [0, 1]), (GRID, ALL, GRID), (ALL, GRID, [[1], [2]]),
    (NEW, [0, 1]), ([0, 1], NEW), ([0, 1], NEW, [1, 2]), (slice(0, 2), [1, 2]),
    (slice(None, None, -1), [0, 0], slice(1, 3)), MASK3, MASK34, X > 30, np.zeros_like(X, bool), [True, False, True],
    (MASK3, 0), (0, MASK34[0]), (ALL, MASK34[1]), (MASK34, 2), (MASK34, slice(1, 3)), (MASK3, ..., [1, 0]),
    (..., np.array([True, False, True, True, False])), True, False, (True, 1), (NEW, MASK3), (MASK3, [1, 3]),
    (slice(1, None), MASK34[0], 0), np.uint8([0, 1]), (np.array([], "i8"),), (ALL, []),
]  # fmt: skip


def numpy_form(index):
    """Ranges and lists as NumPy takes them."""
    if isinstance(index, tuple):
        return tuple(numpy_form(item) for item in index)
    if isinstance(index, (list, range)):
        array = np.array(index)
        return array.astype("i8") if not array.size else array
    return index


def tensors(index):
    """The same index with its arrays as tensors."""
    if isinstance(index, tuple):
        return tuple(tensors(item) for item in index)
    return t(numpy_form(index)) if isinstance(index, (list, np.ndarray)) else index


def name(index):
    return str(index).replace("\n", "")


EVERY = pytest.mark.parametrize("index", BASIC + ADVANCED, ids=name)
basic = pytest.mark.parametrize("index", BASIC, ids=name)
advanced = pytest.mark.parametrize("index", ADVANCED, ids=name)


@EVERY
@pytest.mark.parametrize("form", [lambda i: i, tensors], ids=["plain", "tensors"])
def test_reading_gives_what_numpy_gives(index, form):
    x = t(X, stop_gradient=False)
    got, want = x[form(index)], X[numpy_form(index)]
    assert got.shape == list(want.shape)
    np.testing.assert_array_equal(got.numpy(), want)
    weight = np.random.default_rng(0).standard_normal(want.shape)
    (got * t(weight)).sum().backward()
    sums = np.zeros_like(X)
    np.add.at(sums, numpy_form(index), weight)
    np.testing.assert_allclose(x.grad.numpy(), sums, atol=1e-12)


@EVERY
@pytest.mark.parametrize("value", ["number", "broadcast", "full"])
def test_assigning_does_what_numpy_does(index, value):
    place = X[numpy_form(index)].shape
    rng = np.random.default_rng(1)
    array = {
        "number": np.array(7.0),
        "broadcast": rng.standard_normal(place[-1:] if place and place[-1] else ()),
        "full": rng.standard_normal(place),
    }[value]
    want = X.copy()
    want[numpy_form(index)] = array
    base, given = t(X, stop_gradient=False), t(array, stop_gradient=False)
    x = base * 1
    x[index] = given
    np.testing.assert_array_equal(x.numpy(), want)
    weight = rng.standard_normal(X.shape)
    (x * t(weight)).sum().backward()
    kept = np.ones_like(X)
    kept[numpy_form(index)] = 0
    np.testing.assert_array_equal(base.grad.numpy(), weight * kept)


@basic
def test_ints_and_slices_give_views(index):
    x = paddle.to_tensor(X)
    y = x[index]
    assert y.size == 0 or np.shares_memory(x._data, y._data)
    y.fill_(-1.0)
    want = X.copy()
    want[index] = -1
    np.testing.assert_array_equal(x.numpy(), want)


@advanced
def test_index_tensors_and_masks_give_copies(index):
    x = paddle.to_tensor(X)
    assert not np.shares_memory(x._data, x[index]._data)


def test_a_0d_integer_tensor_gives_a_view():
    x = paddle.to_tensor(X)
    x[t(1)].zero_()
    assert not x.numpy()[1].any() and x.numpy()[2].any()


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("value", [1, 0.0, True, np.float64(1), [1, 0, 1], np.ones(3)])
def test_a_value_is_cast_to_the_dtype_of_the_tensor(dtype, value):
    x = paddle.zeros([2, 3], dtype)
    x[1] = value
    assert x.dtype == dtype
    want = np.zeros((2, 3))
    want[1] = value
    np.testing.assert_array_equal(x.astype("float32").numpy(), want)


def test_gradients_reach_the_value_that_was_assigned():
    x, value = paddle.zeros([3, 2]) * 1, paddle.ones([2])
    value.stop_gradient = False
    x[[0, 2]] = value
    x[1:2] = value * 3
    (x * t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).sum().backward()
    assert value.grad.tolist() == [1 + 5 + 9, 2 + 6 + 12]


def test_a_long_index_with_repetitions_sums_gradients():
    rng = np.random.default_rng(0)
    for shape, axis in (((50, 40), 0), ((50, 3), 0), ((7, 50, 6), 1), ((50,), 0)):
        ids = rng.zipf(1.4, 900) % 50
        x = t(rng.standard_normal(shape), stop_gradient=False)
        index = (ALL,) * axis + (t(ids),)
        weight = rng.standard_normal(np.take(x.numpy(), ids, axis).shape)
        (x[index] * t(weight)).sum().backward()
        want = np.zeros(shape)
        np.add.at(want, (ALL,) * axis + (ids,), weight)
        np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("index", "error"),
    [
        (3, IndexError),
        ((0, 4), IndexError),
        ((0, 0, 0, 0), IndexError),
        ([3], IndexError),
        ((ALL, [0, -5]), IndexError),
        (np.array([1.5]), TypeError),
        ("text", TypeError),
        (slice(None, None, 0), IndexError),
        (np.ones((2, 4), bool), ShapeMismatch),
        (([0, 1], [0, 1, 2]), ShapeMismatch),
        (slice(1.5), TypeError),
    ],
    ids=str,
)
def test_bad_indices_are_refused_in_reading_and_writing(index, error):
    x = t(X)
    with pytest.raises(error):
        x[index]
    with pytest.raises(error):
        x[index] = 0.0
    np.testing.assert_array_equal(x.numpy(), X)


def test_a_value_that_does_not_fit_is_refused():
    x = t(X)
    with pytest.raises(ShapeMismatch, match="does not fit"):
        x[0] = paddle.ones([3])
    np.testing.assert_array_equal(x.numpy(), X)


def test_iteration_gives_views_and_one_gradient():
    x = t(X, stop_gradient=False)
    total = sum((row * k).sum() for k, row in enumerate(x))
    total.backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.broadcast_to(np.arange(3.0)[:, None, None], X.shape))
    with pytest.raises(TypeError, match="0-D"):
        iter(t(1.0))


def test_bounds_that_only_a_run_knows():
    program = Program()
    x, n = program.data("x", [-1, 4], "float64"), program.data("n", [], "int64")
    x.stop_gradient = False
    with recording(program):
        y = x[n:, 1:n]
        z = x * 1
        z[:n] = 0.0
        k = x[n]
    assert y.shape == [-1, -1] and k.shape == [4]
    data = np.arange(20.0).reshape(5, 4)
    feeds = {"x": data, "n": np.array(3)}
    found = Plan(program, [v._value for v in (y, z, k)]).run(feeds, {}, paddle.seed(0))
    np.testing.assert_array_equal(found[0], data[3:, 1:3])
    np.testing.assert_array_equal(found[1], np.where(np.arange(5)[:, None] < 3, 0, data))
    np.testing.assert_array_equal(found[2], data[3])


@EVERY
def test_recorded_reading_is_the_same(index):
    program = Program()
    x = program.data("x", [-1, 4, 5], "float64")
    with recording(program):
        y = x[index]
    found = Plan(program, [y._value]).run({"x": X}, {}, paddle.seed(0))
    np.testing.assert_array_equal(found[0], X[numpy_form(index)])
