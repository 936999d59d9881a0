"""Creation: shapes in every form, dtypes by default and by choice, bounds that are tensors."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.program import Program, recording
from paddlite.static.executor import Plan


def run(program, feeds, *variables):
    """The values of `variables`, which the program computes from `feeds`."""
    return Plan(program, [v._value for v in variables]).run(feeds, {}, paddle.seed(1))


@pytest.mark.parametrize(
    "shape",
    [
        [2, 3],
        (2, 3),
        np.array([2, 3]),
        [np.int64(2), 3],
        [paddle.to_tensor(2), 3],
        paddle.to_tensor([2, 3]),
        [paddle.to_tensor([2]), paddle.to_tensor(3)],
    ],
)
def test_a_shape_may_be_given_in_many_forms(shape):
    for make in (paddle.zeros, paddle.ones, paddle.empty, lambda s: paddle.full(s, 2.5), paddle.rand):
        assert make(shape).shape == [2, 3]


def test_sizes_may_be_given_one_by_one():
    assert paddle.zeros(2, 3).shape == paddle.ones(2, 3).shape == paddle.rand(2, 3).shape == [2, 3]
    assert paddle.zeros(2).shape == [2] and paddle.zeros([]).shape == [] and paddle.zeros([2, 0]).shape == [2, 0]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1, "float32"), (1.5, "float32"), (True, "bool"), (1j, "complex128"), (np.float64(2), "float32")],
)
def test_full_takes_the_default_dtype_for_numbers(value, dtype):
    made = paddle.full([2], value)
    assert made.dtype == dtype and made.tolist() == [value, value]


def test_full_cuts_numbers_to_whole_ones_and_keeps_signs():
    assert paddle.full([1], 2.7, "int32").tolist() == [2]
    assert np.signbit(paddle.full([1], -0.0).numpy()[0])
    with pytest.raises(DTypeMismatch, match="complex"):
        paddle.full([1], 1j, "float32")


def test_gradients_flow_into_the_number_that_full_repeats():
    x = paddle.to_tensor(2.0, stop_gradient=False)
    paddle.full([3, 2], x).sum().backward()
    assert x.grad.item() == 6.0
    with pytest.raises(InvalidArgument, match="one number"):
        paddle.full([2], paddle.zeros([2]))


def test_likes_take_shape_and_dtype_unless_told():
    x = paddle.to_tensor([[1, 2, 3]])
    for made, value in ((paddle.zeros_like(x), 0), (paddle.ones_like(x), 1), (paddle.full_like(x, 2.9), 2)):
        assert made.dtype == "int64" and made.tolist() == [[value] * 3]
    assert paddle.ones_like(x, dtype="float16").dtype == "float16"


def test_negative_sizes_are_refused():
    with pytest.raises(ValueError, match=r"sizes must be >= 0"):
        paddle.zeros([-1, 2])
    with pytest.raises(TypeError, match="whole numbers"):
        paddle.zeros([1.5])


def test_defaults_follow_set_default_dtype():
    paddle.set_default_dtype("float64")
    assert paddle.zeros([1]).dtype == paddle.linspace(0, 1, 2).dtype == paddle.arange(1.0).dtype == "float64"


def test_keywords_of_creation():
    x = paddle.ones([2], requires_grad=True)
    assert not x.stop_gradient and paddle.ones([2], device="cpu").place.kind == "cpu"
    out = paddle.zeros([2])
    assert paddle.full([2], 3.0, out=out) is out and out.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((3,), "int64"),
        ((1, 7, 2), "int64"),
        ((5, 1, -2), "int64"),
        ((5, 1), "int64"),
        ((0, 1, 0.25), "float32"),
        ((3.0,), "float32"),
    ],
)
def test_arange_is_that_of_numpy(arguments, dtype):
    made = paddle.arange(*arguments)
    assert made.dtype == dtype
    np.testing.assert_array_equal(made.numpy(), np.arange(*arguments).astype(dtype))


def test_arange_takes_tensors_and_their_dtype():
    assert paddle.arange(paddle.to_tensor(3)).tolist() == [0, 1, 2]
    assert paddle.arange(paddle.to_tensor(1, dtype="int32"), paddle.to_tensor(3)).dtype == "int32"
    assert paddle.arange(0, 3, dtype="bfloat16").dtype == "bfloat16"
    with pytest.raises(InvalidArgument, match="step"):
        paddle.arange(0, 5, 0)


def test_arange_hits_every_number_of_a_decimal_grid():
    np.testing.assert_array_equal(paddle.arange(0, 1, 0.1, dtype="float64").numpy(), np.arange(10) * 0.1)
    assert paddle.arange(0, 1, 0.1).shape == [10]


@pytest.mark.parametrize(("start", "stop", "num"), [(0, 10, 5), (-1.0, 1.0, 6), (3, 3, 2), (5, -5, 11), (0, 1, 1)])
def test_linspace_is_that_of_numpy(start, stop, num):
    np.testing.assert_array_equal(paddle.linspace(start, stop, num).numpy(), np.linspace(start, stop, num).astype("f4"))


def test_linspace_of_integers_cuts():
    assert paddle.linspace(0, 10, 5, "int32").tolist() == [0, 2, 5, 7, 10]


def test_triangles_and_identity():
    assert paddle.tril_indices(3, 2, -1).tolist() == [[1, 2, 2], [0, 0, 1]]
    assert paddle.triu_indices(2).tolist() == [[0, 0, 1], [0, 1, 1]]
    np.testing.assert_array_equal(paddle.eye(2, 3).numpy(), np.eye(2, 3))


def test_assign_copies_and_overwrites():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.assign(x)
    (y * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    out = paddle.zeros([2])
    assert paddle.assign(x.detach(), out) is out and out.tolist() == [1.0, 2.0]
    grown = paddle.assign([[1, 2]], paddle.create_tensor("int64"))
    assert grown.shape == [1, 2]
    assert paddle.assign(3.5).shape == [1] and paddle.assign(np.array([1.5])).dtype == "float64"


def test_filling_in_place():
    x = paddle.zeros([2, 2])
    assert x.fill_(3).tolist() == [[3.0, 3.0]] * 2 and x.zero_().tolist() == [[0.0, 0.0]] * 2
    assert x.fill_diagonal_(1.0).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    tall = np.zeros((7, 3), "f4")
    np.fill_diagonal(tall, 1, wrap=True)
    np.testing.assert_array_equal(paddle.zeros([7, 3]).fill_diagonal_(1.0, wrap=True).numpy(), tall)
    assert x.resize_([3]).tolist() == [1.0, 0.0, 0.0] and x.resize_([4], fill_zero=True).shape == [4]
    y = paddle.to_tensor([1.0, 2.0])
    assert x.set_(y) is x and x.tolist() == [1.0, 2.0]
    y[0] = 5.0
    assert x.tolist() == [5.0, 2.0]


def test_diagonal_scatter_has_gradients_for_both():
    x, y = paddle.ones([2, 3]), paddle.ones([2])
    x.stop_gradient = y.stop_gradient = False
    weight = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    (paddle.diagonal_scatter(x, y) * weight).sum().backward()
    assert x.grad.tolist() == [[0.0, 2.0, 3.0], [4.0, 0.0, 6.0]] and y.grad.tolist() == [1.0, 5.0]


def test_sizes_that_only_a_run_knows():
    program = Program()
    x = program.data("x", [-1, 4], "float32")
    with recording(program):
        rows = paddle.shape(x)[0]
        results = [
            paddle.zeros([rows, 2]),
            paddle.arange(rows),
            paddle.ones_like(x),
            x.reshape([rows * 2, -1]),
            x.reshape([rows, 2, 2]),
            paddle.tile(x[0], [rows]),
            x[0].expand([rows, 4]),
            paddle.numel(x),
        ]
    assert [list(r._shape) for r in results] == [[-1, 2], [-1], [-1, 4], [-1, -1], [-1, 2, 2], [-1], [-1, 4], []]
    values = run(program, {"x": np.arange(12, dtype="f4").reshape(3, 4)}, *results)
    assert [v.shape for v in values] == [(3, 2), (3,), (3, 4), (6, 2), (3, 2, 2), (12,), (3, 4), ()]
    assert values[-1] == 12
