"""Every sample of every op on CuPy: the results, first and second gradients of NumPy's kernels."""

from __future__ import annotations

import numpy as np
import pytest

import paddlite.ops  # noqa: F401 - fills the registry
from paddlite.autograd.backward import grad
from paddlite.backend import device
from paddlite.backend.dtypes import INEXACT
from paddlite.backend.place import CUDAPlace
from paddlite.core.mode import switched
from paddlite.core.tensor import Tensor
from tests.ops.harness import (
    call,
    close,
    differentiable,
    directions,
    first_gradients,
    second_weights,
    tensors,
    weighted,
)
from tests.ops.samples import SAMPLES

GPU = CUDAPlace(0)


def floating(sample):
    return any(isinstance(a, np.ndarray) and a.dtype in INEXACT for a in sample.arrays())


def dtypes(sample):
    if not floating(sample):
        return ("float32",)
    return ("float32", "float16", "bfloat16") if sample.half else ("float32",)


RUN = [pytest.param(s, dtype, id=f"{s.id}-{dtype}") for s in SAMPLES if s.cupy is True for dtype in dtypes(s)]
TWICE = [s for s in SAMPLES if s.cupy is True and s.second and differentiable(s)]


def on_gpu(inputs, wanted):
    """The same tensors on the GPU."""
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
def test_cupy_gives_the_results_and_gradients_of_numpy(sample, dtype, ran_on_cupy):
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
    ran_on_cupy(sample.op, dtype, "results")
    if not wanted:
        return
    weights = directions(want, 5)
    with switched(place=GPU):
        got = first_gradients(sample, there, wanted, weights, create_graph=False)
    want = first_gradients(sample, here, wanted, weights, create_graph=False)
    for a, b in zip(got, want, strict=True):
        agree(a, b, dtype, 4 * sample.tolerance)
    ran_on_cupy(sample.op, dtype, "gradients")


def second_gradients(sample, inputs, wanted):
    """The gradients of a weighted sum of the first gradients; None where nothing flows."""
    weights = directions(call(sample, inputs), 5)
    grads = first_gradients(sample, inputs, wanted, weights, create_graph=True)
    chosen = second_weights(sample, wanted)
    pairs = [(g, chosen[i]) for i, g in zip(wanted, grads) if g is not None and not g.stop_gradient]
    if not pairs:
        return [None] * len(wanted)
    loss = weighted(tuple(g for g, _ in pairs), [w for _, w in pairs])
    return grad(loss, [inputs[i] for i in wanted], allow_unused=True)


@pytest.mark.parametrize("sample", TWICE, ids=lambda s: s.id)
def test_cupy_gives_the_second_gradients_of_numpy(sample, ran_on_cupy):
    wanted = differentiable(sample)
    with switched(place=GPU):
        got = second_gradients(sample, on_gpu(tensors(sample, "float32"), wanted), wanted)
    want = second_gradients(sample, tensors(sample, "float32", wanted), wanted)
    for a, b in zip(got, want, strict=True):
        agree(a, b, "float32", 20 * sample.tolerance)
    ran_on_cupy(sample.op, "float32", "second gradients")
