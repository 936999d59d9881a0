"""Every sample of every op on CuPy: the results and first gradients of NumPy's kernels."""

from __future__ import annotations

import numpy as np
import pytest

import paddlite.ops  # noqa: F401 - fills the registry
from paddlite.backend import device
from paddlite.backend.dtypes import INEXACT
from paddlite.backend.place import CUDAPlace
from paddlite.core.mode import switched
from paddlite.core.tensor import Tensor
from tests.ops.harness import call, close, differentiable, directions, first_gradients, tensors
from tests.ops.samples import SAMPLES

GPU = CUDAPlace(0)


def floating(sample):
    return any(isinstance(a, np.ndarray) and a.dtype in INEXACT for a in sample.arrays())


def dtypes(sample):
    if not floating(sample):
        return ("float32",)
    return ("float32", "float16", "bfloat16") if sample.half else ("float32",)


RUN = [pytest.param(s, dtype, id=f"{s.id}-{dtype}") for s in SAMPLES if s.cupy is True for dtype in dtypes(s)]


def on_gpu(inputs, wanted):
    """The same tensors on the GPU; arrays in lists too."""
    return [
        Tensor(device.to_place(x._data, GPU), i not in wanted) if isinstance(x, Tensor) else x
        for i, x in enumerate(inputs)
    ]


def agree(got, want, dtype, factor):
    """Assert that a result on the GPU is that of the host: the same dtype, and values within the tolerance."""
    if want is None:
        assert got is None
        return
    assert device.place_of(got._data) == GPU, "the result is not on the GPU"
    assert got._dtype == want._dtype
    close(device.to_host(got._data), want._data, dtype, factor)


@pytest.mark.parametrize(("sample", "dtype"), RUN)
def test_cupy_gives_the_results_and_gradients_of_numpy(sample, dtype):
    wanted = differentiable(sample)
    with switched(place=GPU):
        there = on_gpu(tensors(sample, dtype), wanted)
        got = call(sample, there)
    here = tensors(sample, dtype, wanted)
    want = call(sample, here)
    for i, (a, b) in enumerate(zip(got, want, strict=True)):
        if sample.outputs is None or i in sample.outputs:  # others are for the gradient: one of several right answers
            agree(a, b, dtype, sample.tolerance)
    for a, b in zip(there, here, strict=True):  # what the op writes
        if isinstance(a, Tensor):
            agree(a, b, dtype, sample.tolerance)
    if not wanted:
        return
    weights = directions(want, 5)
    with switched(place=GPU):
        got = first_gradients(sample, there, wanted, weights, create_graph=False)
    want = first_gradients(sample, here, wanted, weights, create_graph=False)
    for a, b in zip(got, want, strict=True):
        agree(a, b, dtype, 4 * sample.tolerance)
