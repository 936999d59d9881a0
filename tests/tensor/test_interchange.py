"""Tensors among NumPy's arrays and functions, and memory shared through DLPack."""

import operator

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.program import Program
from paddlite.utils.dlpack import from_dlpack, to_dlpack

A = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")


@pytest.fixture
def x():
    return paddle.to_tensor(A)


class TestNumPy:
    def test_arrays_are_copies(self, x):
        for array in (np.asarray(x), np.array(x), x.numpy(), np.asarray(x, dtype="float64")):
            assert not np.shares_memory(array, x._data)
            np.testing.assert_array_equal(array, A)
        assert np.asarray(x, dtype="float64").dtype == "float64"

    def test_without_a_copy_the_memory_is_shared_or_an_error_says_so(self, x):
        assert np.shares_memory(np.asarray(x, copy=False), x._data)
        with pytest.raises(ValueError, match="copy"):
            np.asarray(x, copy=False, dtype="float64")

    def test_lists_of_tensors(self, x):
        np.testing.assert_array_equal(np.array([x, x]), [A, A])
        assert np.array([paddle.to_tensor(1.5), paddle.to_tensor(2.5)]).tolist() == [1.5, 2.5]

    @pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "amax", "amin", "any", "all"])
    def test_reductions_give_tensors(self, x, name):
        function = getattr(np, name)
        for kwargs in ({}, {"axis": 0}, {"axis": (0, 1)}, {"axis": -1, "keepdims": True}):
            got = function(x, **kwargs)
            assert isinstance(got, paddle.Tensor)
            np.testing.assert_allclose(got.numpy(), function(A, **kwargs))

    def test_gradients_flow_through_them(self):
        x = paddle.to_tensor(A, stop_gradient=False)
        np.sum(x * x, axis=0).backward()
        np.testing.assert_array_equal(x.grad.numpy(), 2 * A)

    @pytest.mark.parametrize(
        "call",
        [
            lambda x: np.std(x),
            lambda x: np.var(x, axis=0, ddof=1),
            lambda x: np.sum(x, dtype="float64"),
            lambda x: np.concatenate([x, x], axis=1),
            lambda x: np.stack((x, x)),
            lambda x: np.where(x > 2, x, 0),
            lambda x: np.reshape(x, (4,)),
            lambda x: np.dot(x, x),
            lambda x: np.argsort(x, axis=0),
            lambda x: np.linalg.norm(x),
            lambda x: np.clip(x, 2, 3),
            lambda x: np.allclose(x, A),
        ],
    )
    def test_other_functions_give_what_they_give_for_arrays(self, x, call):
        got, want = call(x), call(A)
        assert type(got) is type(want)
        np.testing.assert_array_equal(got, want)

    def test_shapes_need_no_values(self):
        variable = Program().data("x", [2, 3], "float32")
        assert (np.shape(variable), np.ndim(variable)) == ((2, 3), 2)
        with pytest.raises(InvalidArgument, match="no value while a Program"):
            np.std(variable)

    def test_operators_between_arrays_and_tensors_give_tensors(self, x):
        for got in (A + x, x + A, A * x, np.float32(2) * x, np.float64(2) * x, np.array(2) * x, x - np.float32(1)):
            assert isinstance(got, paddle.Tensor)
        assert (np.float64(2) * x).dtype == "float32"
        np.testing.assert_array_equal((A - x).numpy(), 0)
        np.testing.assert_array_equal((A == x).numpy(), True)  # noqa: SIM300
        np.testing.assert_array_equal(operator.gt(np.float32(2), x).numpy(), A < 2)

    def test_universal_functions_are_refused(self, x):
        with pytest.raises(TypeError, match="does not support ufuncs"):
            np.exp(x)

    def test_saving_and_testing(self, x, tmp_path):
        np.save(tmp_path / "x.npy", x)
        np.testing.assert_allclose(np.load(tmp_path / "x.npy"), x)


class TestDLPack:
    @pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"])
    @pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0, 3)])
    def test_round_trip(self, dtype, shape):
        x = paddle.to_tensor(np.ones(shape)).astype(dtype)
        back = from_dlpack(to_dlpack(x))
        assert (back.dtype, back.shape, back.tolist()) == (x.dtype, x.shape, x.tolist())
        assert back.stop_gradient

    @pytest.mark.parametrize("make", [lambda x: x, to_dlpack, lambda x: x.__dlpack__()])
    def test_memory_is_shared(self, x, make):
        back = from_dlpack(make(x))
        back[0, 0] = 9.0
        assert x[0, 0].item() == 9

    def test_with_numpy(self, x):
        assert x.__dlpack_device__() == (1, 0)
        assert np.shares_memory(np.from_dlpack(x), x._data)
        array = np.zeros(3)
        paddle.from_dlpack(array).add_(paddle.to_tensor(1.0, dtype="float64"))
        assert array.tolist() == [1, 1, 1]

    def test_strides_stay(self, x):
        np.testing.assert_array_equal(np.from_dlpack(x.transpose([1, 0])), A.T)

    def test_a_capsule_can_be_taken_once(self, x):
        capsule = to_dlpack(x)
        from_dlpack(capsule)
        with pytest.raises(DTypeMismatch, match="cannot be taken"):
            from_dlpack(capsule)

    def test_read_only_memory_is_not_written_to(self):
        array = np.zeros(2)
        array.flags.writeable = False
        tensor = from_dlpack(array)
        tensor[0] = 1.0
        assert tensor.tolist() == [1, 0]
        assert array.tolist() == [0, 0]

    @pytest.mark.parametrize("call", [to_dlpack, from_dlpack])
    def test_other_things_are_refused(self, call):
        with pytest.raises(DTypeMismatch, match="int"):
            call(3)

    def test_what_cannot_be_given_is_refused(self):
        with pytest.raises(BufferError, match="detach"):
            np.from_dlpack(paddle.to_tensor([1.0], stop_gradient=False))
        with pytest.raises(BufferError, match="bfloat16"):
            to_dlpack(paddle.to_tensor([1.0]).astype("bfloat16"))
        with pytest.raises(InvalidArgument, match="no memory"):
            np.from_dlpack(Program().data("x", [1], "float32"))

    def test_there_is_no_cuda_interface_on_the_host(self, x):
        assert not hasattr(x, "__cuda_array_interface__")
