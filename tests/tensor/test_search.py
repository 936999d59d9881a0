"""Sorting, finding and choosing through the public functions."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.program import Program, recording

NAN = float("nan")


def tensor(values, dtype=None, grad=False):
    return paddle.to_tensor(values, dtype=dtype, stop_gradient=not grad)


def test_equal_elements_keep_their_order():
    x = tensor([1.0, 3.0, 1.0, 2.0, 3.0])
    assert paddle.argsort(x).tolist() == [0, 2, 3, 1, 4]
    assert paddle.argsort(x, descending=True).tolist() == [1, 4, 3, 0, 2]
    assert paddle.topk(x, 3)[1].tolist() == [1, 4, 3]
    assert paddle.kthvalue(x, 2)[1].item() == 2
    assert paddle.argmax(x).item() == 1


def test_nan_is_the_largest():
    x = tensor([1.0, NAN, 3.0])
    assert paddle.argsort(x).tolist() == [0, 2, 1]
    assert paddle.argmax(x).item() == 1
    assert paddle.topk(x, 1)[1].tolist() == [1]
    assert paddle.searchsorted(tensor([1.0, 2.0]), x).tolist() == [0, 2, 2]


@pytest.mark.parametrize("name", ["sort", "argsort", "argmax", "argmin", "mode"])
def test_a_0d_tensor_has_one_element(name):
    out = getattr(paddle, name)(tensor(3.0))
    assert all(o.shape == [] for o in (out if isinstance(out, tuple) else (out,)))


def test_gradients_go_to_the_elements_that_were_picked():
    x = tensor([[1.0, 4.0, 2.0], [6.0, 5.0, 3.0]], grad=True)
    values, indices = paddle.topk(x, 2)
    assert indices.stop_gradient and not values.stop_gradient
    (values * tensor([1.0, 10.0])).sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 10.0], [1.0, 10.0, 0.0]]
    x.clear_grad()
    (paddle.sort(x, axis=0, descending=True) * tensor([[1.0], [10.0]])).sum().backward()
    assert x.grad.tolist() == [[10.0, 10.0, 10.0], [1.0, 1.0, 1.0]]


def test_argmax_forms():
    x = tensor([[1.0, 5.0], [7.0, 2.0]])
    assert paddle.argmax(x).item() == 2
    assert paddle.argmax(x, keepdim=True).shape == [1, 1]
    assert paddle.argmax(x, axis=1, dtype="int32").dtype == paddle.int32
    assert paddle.argmin(x, axis=tensor(0)).tolist() == [0, 1]
    with pytest.raises(InvalidArgument, match="must be int32 or int64"):
        paddle.argmax(x, dtype="float32")
    with pytest.raises(InvalidArgument, match="no element to choose"):
        paddle.argmax(tensor(np.zeros((0, 3), "float32")))
    with pytest.raises(InvalidArgument, match="out of range"):
        paddle.argmax(x, axis=2)


def test_topk_takes_k_as_a_tensor_and_refuses_too_many():
    x = tensor([3.0, 1.0, 2.0])
    assert paddle.topk(x, tensor(2), largest=False)[0].tolist() == [1.0, 2.0]
    with pytest.raises(InvalidArgument, match=r"k must lie in \[1, 3\]"):
        paddle.topk(x, 4)


def test_nothing_to_sort():
    empty = tensor(np.zeros((0, 3), "float32"))
    assert paddle.sort(empty, axis=0).shape == [0, 3]
    assert paddle.topk(empty, 1)[0].shape == [0, 1]


@pytest.mark.parametrize(
    ("values", "rows"),
    [([[1.0, 0.0], [0.0, 2.0]], [[0, 0], [1, 1]]), ([0, 0], np.zeros((0, 1))), ([True, False], [[0]])],
)
def test_nonzero(values, rows):
    np.testing.assert_array_equal(paddle.nonzero(tensor(values)).numpy(), rows)
    columns = paddle.nonzero(tensor(values), as_tuple=True)
    assert [c.shape for c in columns] == [[len(rows)]] * np.ndim(values)
    np.testing.assert_array_equal(np.stack([c.numpy() for c in columns], 1), rows)


def test_where():
    condition = tensor([True, False])
    assert paddle.where(condition, 1.0, 2.0).dtype == paddle.float32
    assert paddle.where(condition, 1, 2).dtype == paddle.int64
    assert paddle.where(condition, tensor([1, 2]), 2.5).tolist() == [1.0, 2.5]
    assert [c.tolist() for c in paddle.where(condition)] == [[0]]
    x = tensor([1.0, 2.0], grad=True)
    paddle.where(condition, x, x * 3).sum().backward()
    assert x.grad.tolist() == [1.0, 3.0]
    with pytest.raises(DTypeMismatch, match="condition must be a bool tensor"):
        paddle.where(tensor([1, 0]), x, x)
    with pytest.raises(InvalidArgument, match="both x and y"):
        paddle.where(condition, x)


def test_where_in_place_changes_x():
    x = tensor([1.0, 2.0])
    assert paddle.where_(x > 1.5, x, tensor([7.0, 8.0])) is x
    assert x.tolist() == [7.0, 2.0]


def test_searchsorted_and_bucketize():
    edges = tensor([1.0, 3.0, 5.0])
    assert paddle.searchsorted(edges, 4.0).item() == 2
    assert paddle.searchsorted(edges, tensor([3.0]), side="right").tolist() == [2]
    assert paddle.searchsorted(tensor([3.0, 1.0]), tensor([2.0]), sorter=tensor([1, 0])).tolist() == [1]
    assert paddle.bucketize(tensor([[3.0]]), edges, out_int32=True).dtype == paddle.int32
    with pytest.raises(InvalidArgument, match="side must be"):
        paddle.searchsorted(edges, edges, right=True, side="left")
    with pytest.raises(InvalidArgument, match="1-D"):
        paddle.bucketize(edges, tensor([[1.0]]))


def test_masked_select_in_a_program_has_a_size_known_at_run_time():
    program = Program()
    with recording(program):
        x = program.data("x", [2, 3], np.dtype("float32"))
        assert paddle.masked_select(x, x > 0).shape == [-1]
        assert paddle.nonzero(x).shape == [-1, 2]
        assert paddle.topk(x, 2)[0].shape == [2, 2]
