"""Tensors on the GPU: where they are, how they are moved, printed, saved and given to other libraries."""

import copy
import pickle

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.core.errors import DeviceMismatch
from paddlite.core.op import OPS

CPU, GPU = paddle.CPUPlace(), paddle.CUDAPlace(0)


@pytest.fixture
def x():
    paddle.set_device("gpu:0")
    return paddle.to_tensor([1.5, 2.5])


def test_new_tensors_are_made_there(x):
    assert paddle.get_device() == "gpu:0"
    assert paddle.is_compiled_with_cuda()
    made = (x, paddle.zeros([2]), paddle.arange(3), paddle.rand([2]), paddle.eye(2), nn.BatchNorm2D(2)._mean, x * 2)
    assert {t.place for t in made} == {GPU}
    assert (x.is_cuda, x.device, x.get_device()) == (True, "gpu:0", 0)
    assert paddle.to_tensor([1.0], place=CPU).place == CPU


def test_moves(x):
    host = x.cpu()
    assert (host.place, host.is_cuda, host.tolist()) == (CPU, False, [1.5, 2.5])
    assert x.cuda() is x
    assert [t.place for t in (host.cuda(), host.cuda(0), host.to("gpu"), host.to(GPU), host.to(x))] == [GPU] * 5
    assert nn.Linear(2, 2).to("cpu").weight.place == CPU


def test_a_move_passes_gradients_back(x):
    x = x.cpu()
    x.stop_gradient = False
    (x.cuda() * 3).sum().backward()
    assert (x.grad.place, x.grad.tolist()) == (CPU, [3, 3])


def test_the_op_of_a_move(x):
    there = OPS["memcpy"].call(x.cpu(), place=GPU, source=CPU)
    assert there.place == GPU
    assert OPS["memcpy"].call(there, place=CPU, source=GPU).tolist() == [1.5, 2.5]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64", "bool", "complex64"])
def test_print_shows_what_the_host_shows(x, dtype):
    x = x.astype(dtype)
    assert "place=Place(gpu:0)" in str(x)
    assert str(x).replace("gpu:0", "cpu") == str(x.cpu())


def test_values_come_to_the_host(x):
    assert (x[0].item(), float(x[1]), int(x[1]), bool(x[0] > 1), x.tolist()) == (1.5, 2.5, 2, True, [1.5, 2.5])
    assert (f"{x.sum():.2f}", [float(v) for v in x]) == ("4.00", [1.5, 2.5])
    np.testing.assert_array_equal(np.asarray(x), [1.5, 2.5])


def test_arrays_of_numpy_follow_the_tensors(x):
    assert ((x * np.ones(2, "float32")).place, (np.ones(2, "float32") * x).place) == (GPU, GPU)
    assert x[np.array([1, 0])].tolist() == [2.5, 1.5]
    x[np.array([0])] = np.array([7.0], "float32")
    assert x.tolist() == [7.0, 2.5]


def test_tensors_of_two_places_are_refused(x):
    with pytest.raises(DeviceMismatch, match=r"x on Place\(gpu:0\), y on Place\(cpu\); move them"):
        x + x.cpu()


@pytest.mark.parametrize("ask", [lambda x: paddle.set_device("gpu:1"), lambda x: x.cuda(1), lambda x: x.to("gpu:3")])
def test_a_gpu_too_many_is_refused_with_the_names_of_those_there(x, ask):
    with pytest.raises(ValueError, match="only 'gpu:0' is here"):
        ask(x)


def test_memory_is_shared_with_cupy(x):
    import cupy

    array = cupy.from_dlpack(x)
    array[0] = 9
    back = paddle.from_dlpack(paddle.utils.dlpack.to_dlpack(x))
    assert (back.place, back.tolist()) == (GPU, [9.0, 2.5])
    assert paddle.to_tensor(array).place == GPU


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_state_is_saved_from_one_place_and_loaded_at_another(x, device, tmp_path):
    net = nn.Linear(2, 3)
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    net(x).sum().backward()
    optimizer.step()
    paddle.save(net.state_dict(), str(tmp_path / "net.pdparams"))
    paddle.save(optimizer.state_dict(), str(tmp_path / "net.pdopt"))
    paddle.set_device(device)
    other = nn.Linear(2, 3)
    others = paddle.optimizer.Adam(parameters=other.parameters())
    other.set_state_dict(paddle.load(str(tmp_path / "net.pdparams")))
    others.set_state_dict(paddle.load(str(tmp_path / "net.pdopt")))
    assert other.weight.place == (GPU if device == "gpu" else CPU)
    np.testing.assert_array_equal(other.weight.numpy(), net.weight.numpy())
    for layer, rule in ((net, optimizer), (other, others)):
        rule.clear_grad()
        layer(paddle.to_tensor([[1.5, 2.5]], place=layer.weight.place)).sum().backward()
        rule.step()
    np.testing.assert_allclose(other.weight.numpy(), net.weight.numpy(), rtol=1e-6)


def test_copies(x):
    assert copy.deepcopy(x).place == GPU
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.5, 2.5]
