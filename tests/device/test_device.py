"""Choosing, counting and asking devices; what needs a GPU says so in words where there is none."""

import pytest

import paddlite as paddle

cuda = paddle.device.cuda
no_gpu = pytest.mark.skipif(paddle.device.device_count() > 0, reason="there is a GPU")


def test_device_set_here_is_the_one_of_the_top_level():
    before = paddle.get_device()
    paddle.device.set_device("cpu")
    assert paddle.get_device() == paddle.device.get_device() == "cpu"
    paddle.set_device(before)


def test_devices_are_listed():
    found = paddle.device.get_available_device()
    assert found[0] == "cpu"
    assert len(found) == 1 + cuda.device_count()
    assert ("gpu" in paddle.device.get_all_device_type()) == paddle.is_compiled_with_cuda()


def test_waiting_for_the_cpu_and_emptying_caches_always_work():
    paddle.device.synchronize()
    paddle.device.synchronize("cpu")
    cuda.empty_cache()


@no_gpu
@pytest.mark.parametrize("ask", [cuda.synchronize, cuda.memory_allocated, cuda.memory_reserved, cuda.get_device_name])
@pytest.mark.parametrize("device", [None, 0, "gpu:0", paddle.CUDAPlace(0)])
def test_a_missing_gpu_is_named_with_the_cure(ask, device):
    with pytest.raises(ValueError, match=r"no GPU can be used here.*pip install"):
        ask(device)


def test_the_cpu_has_no_gpu_memory():
    with pytest.raises(ValueError, match="must be a GPU"):
        cuda.memory_allocated("cpu")
