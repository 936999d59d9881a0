"""Our own kernels compile for GPUs: NVRTC, with which CuPy compiles, needs no GPU.

The emulator's g++ takes what NVRTC refuses, such as a function of the host.  What is compiled here is the text that
CuPy makes of our kernels: Philox, and the update rules of the optimizers.
"""

import functools
import re

import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.core import mode
from paddlite.ops import update
from paddlite.ops.update.rule import Rule
from tests.cupy.test_ops import dtypes, on_gpu
from tests.ops.harness import call, tensors
from tests.ops.samples import SAMPLES

ARCHITECTURES = (75, 80, 90, 100)
OURS = re.compile(r"__global__ void (?:__launch_bounds__\(\d+\) )?(philox_words|\w+_update)\b")
RULES = {rule.name for rule in vars(update).values() if isinstance(rule, Rule) and not rule.whole}


@functools.cache
def nvrtc():
    """NVRTC's binding and the folder of CUDA's headers; why not, as text, where one is missing."""
    from cuda import pathfinder
    from cupy_backends.cuda.libs import nvrtc

    try:
        nvrtc.getVersion()
        headers = pathfinder.locate_nvidia_header_directory("cudart")
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    return "no headers of CUDA" if headers is None else (nvrtc, headers.abs_path)


def compiled(source, options, architecture, include):
    """The cubin of a source.

    Raises:
        NVRTCError: the source is wrong; the log is its note.
    """
    binding, headers = nvrtc()
    program = binding.createProgram(source, "kernel.cu", (), ())
    try:
        binding.compileProgram(
            program, (*options, f"-arch=sm_{architecture}", f"-I{include}", f"-I{headers}", "-ftz=true")
        )
        return binding.getCUBIN(program)
    except Exception:
        raise AssertionError(binding.getProgramLog(program)[:2000]) from None
    finally:
        binding.destroyProgram(program)


@pytest.fixture(scope="module")
def kernels(cupy_emulator):
    """Our kernels by name: sources with their options, as CuPy makes them."""
    if isinstance(reason := nvrtc(), str):
        pytest.skip(f"NVRTC is needed: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime ({reason})")
    with mode.fresh():
        paddle.set_device("gpu")
        _use_all()
    found = {}
    for source, options in cupy_emulator.compiler.sources:
        if match := OURS.search(source):
            found.setdefault(match[1], []).append((source, options))
    return found


def _use_all():
    """Launch each of our kernels, in all dtypes."""
    paddle.rand([3])
    for sample in SAMPLES:
        if sample.op in RULES:
            for dtype in dtypes(sample):
                call(sample, on_gpu(tensors(sample, dtype), ()))
    for decay in (paddle.regularizer.L1Decay(0.1), paddle.regularizer.L2Decay(0.1)):
        net = nn.Linear(2, 2)
        net(paddle.ones([1, 2])).sum().backward()
        paddle.optimizer.SGD(0.1, parameters=net.parameters(), weight_decay=decay).step()


def test_all_of_our_kernels_have_been_seen(kernels):
    assert {f"{name}_update" for name in RULES} | {"philox_words"} == set(kernels)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_our_kernels_compile(kernels, architecture, cupy_emulator):
    for sources in kernels.values():
        for source, options in sources:
            assert compiled(source, options, architecture, cupy_emulator.compiler.include)[:4] == b"\x7fELF"


def test_what_the_emulator_takes_and_a_gpu_does_not_is_found(kernels, cupy_emulator):
    ((source, options), *_) = kernels["philox_words"]
    with pytest.raises(AssertionError, match="undefined"):
        compiled(source.replace("__umul64hi(", "memmem("), options, 90, cupy_emulator.compiler.include)
