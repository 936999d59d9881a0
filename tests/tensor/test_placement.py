"""Moving tensors between devices and dtypes, and what a tensor says of its memory."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.backend import device
from paddlite.core.errors import InvalidArgument, NoGradient, SavedValueChanged
from paddlite.core.program import Program

CPU = paddle.CPUPlace()


@pytest.fixture
def x():
    return paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("args", "kwargs", "dtype"),
    [
        (("float64",), {}, "float64"),
        ((paddle.int32,), {}, "int32"),
        ((np.float64,), {}, "float64"),
        ((np.dtype("int8"),), {}, "int8"),
        (("cpu",), {}, None),
        ((CPU,), {}, None),
        (("cpu", "float64"), {}, "float64"),
        (("cpu", None, True), {}, None),
        (("float64", True), {}, "float64"),
        ((), {"dtype": "float16"}, "float16"),
        ((), {"device": "cpu", "dtype": paddle.float64}, "float64"),
        ((), {"device": "cpu", "blocking": False}, None),
        ((paddle.to_tensor([1]),), {}, "int64"),
        ((), {"other": paddle.to_tensor([1])}, "int64"),
        ((paddle.CUDAPinnedPlace(),), {}, None),
    ],
)
def test_to(x, args, kwargs, dtype):
    moved = x.to(*args, **kwargs)
    assert moved.dtype == (dtype or "float32")
    assert (moved is x) == (dtype is None)
    np.testing.assert_array_equal(moved.astype("float64").numpy(), x.numpy())


@pytest.mark.parametrize(("args", "kwargs"), [(("cpu",), {"copy": True}), (("cpu", None, None, True), {})])
def test_to_can_be_told_to_copy(x, args, kwargs):
    copied = x.to(*args, **kwargs)
    assert not np.shares_memory(copied._data, x._data)


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "text"),
    [
        ((), {}, TypeError, "want"),
        (("cpu",), {"colour": 1}, TypeError, "colour"),
        (("nowhere",), {}, ValueError, "nowhere"),
        ((3,), {}, ValueError, "3"),
        (("gpu:99",), {}, ValueError, "gpu:99"),
    ],
)
def test_to_refuses_what_it_does_not_know(x, args, kwargs, error, text):
    with pytest.raises(error, match=text):
        x.to(*args, **kwargs)


def test_gradients_come_back_in_the_dtype_of_the_source():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x.to("float64") * 3).to("cpu", copy=True).backward()
    assert x.grad.dtype == "float32"
    assert x.grad.tolist() == [3, 3]


def test_a_variable_has_no_place_but_a_dtype():
    variable = Program().data("x", [2], "float32")
    assert variable.to("cpu") is variable
    assert variable.to("float64").dtype == "float64"


def test_the_host_is_where_tensors_are_already(x):
    assert x.cpu() is x
    assert x.pin_memory() is x
    assert (x.device, x.get_device(), x.is_cuda, x.place) == ("cpu", -1, False, CPU)


def test_a_gpu_that_is_not_there_is_refused_with_the_cure(x):
    with pytest.raises(ValueError, match="gpu:99"):
        x.cuda(99)


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: paddle.set_device("gpu"),
        lambda x: x.cuda(),
        lambda x: x.to(paddle.CUDAPlace(0)),
        lambda x: paddle.to_tensor([1.0], place="gpu:0"),
        lambda x: paddle.nn.Linear(2, 2).to("gpu"),
        lambda x: paddle.static.Executor(paddle.CUDAPlace(0)),
    ],
    ids=["set_device", "cuda", "to", "to_tensor", "Layer.to", "Executor"],
)
def test_a_gpu_asked_for_where_there_is_none(x, ask, monkeypatch):
    monkeypatch.setattr(device, "gpu_count", lambda: (0, "no driver"))
    with pytest.raises(ValueError, match=r"'gpu:0' was asked for, but no GPU .*no driver.*paddlite\[gpu\]"):
        ask(x)


def test_a_gpu_beyond_those_there_is_refused_with_their_names(x, monkeypatch):
    monkeypatch.setattr(device, "gpu_count", lambda: (2, ""))
    with pytest.raises(ValueError, match="'gpu:2' was asked for, but only 'gpu:0' to 'gpu:1' are here"):
        paddle.set_device("gpu:2")


def test_without_cupy_there_is_no_gpu(monkeypatch):
    def none():
        raise ImportError("No module named 'cupy'")

    monkeypatch.setattr(device, "cupy", none)
    count, why = device.gpu_count.__wrapped__()
    assert count == 0
    assert "CuPy cannot be imported" in why and "cupy" in why


def test_addresses(x):
    row = x[1]
    assert row.data_ptr() - x.data_ptr() == 8
    assert (x.offset, row.offset, row[1:].offset) == (0, 8, 12)
    assert x._is_shared_buffer_with(row)
    assert (x.nbytes, row.nbytes) == (16, 8)
    assert not x._is_shared_buffer_with(x.clone())


def test_data_shares_memory_but_no_gradient():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    x.data[0] = 9.0
    assert x.tolist() == [9, 2]
    assert x.data.stop_gradient and not x.stop_gradient
    x.data = paddle.to_tensor([5.0, 6.0, 7.0])
    assert x.tolist() == [5, 6, 7]
    (x * 2).backward()
    assert x.grad.tolist() == [2, 2, 2]
    with pytest.raises(InvalidArgument, match="list"):
        x.data = [1.0]


def test_detach_in_place():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2
    early = y * 3
    assert y.detach_() is y
    assert y.stop_gradient and y.is_leaf and y.grad_fn is None
    early.backward()
    assert x.grad.tolist() == [6, 6]
    view = (x * 2)[0:1].detach_()
    assert view.stop_gradient


def test_the_recorded_call_of_a_tensor():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert x.grad_fn is None
    assert (x * 2).grad_fn.name == "elementwise_mul"
    assert paddle.unbind(x)[1].grad_fn.name == "unbind"


def test_functions_applied_to_a_tensor(x):
    doubled = x.apply(lambda t: t * 2)
    assert doubled.tolist() == [[2, 4], [6, 8]]
    assert x.apply_(lambda t: t * 3) is x
    assert x.tolist() == [[3, 6], [9, 12]]
    with pytest.raises(NoGradient, match="detach"):
        paddle.to_tensor([1.0], stop_gradient=False).apply(lambda t: t)


def test_changes_that_the_framework_did_not_see_can_be_announced():
    x = paddle.to_tensor([1.0], stop_gradient=False) * 1
    y = x * x
    x._bump_inplace_version()
    assert x._inplace_version() == x.inplace_version == 1
    with pytest.raises(SavedValueChanged):
        y.backward()


def test_a_hook_after_the_gradient_is_stored():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    seen = []
    handle = x._register_backward_hook(lambda: seen.append(x.grad.item()))
    (x * 3).backward()
    handle.remove()
    (x * 3).backward()
    assert seen == [3]
    with pytest.raises(NoGradient):
        (x * 2)._register_backward_hook(print)


def test_kinds(x):
    assert x.is_dense()
    assert not any((x.is_sparse(), x.is_sparse_coo(), x.is_sparse_csr(), x.is_selected_rows(), x.is_dist()))
    assert str(x.type) == "VarType.DENSE_TENSOR"
    assert x.value() is x
    assert (x._numel(), x._is_initialized(), x._grad_ivar()) == (4, True, None)
