"""No op waits for the GPU, copies to the host or from it, where it needn't.

A wait lets the GPU run out of work, and nothing that waits or copies can be captured in a graph.  Each sample runs
twice, so that constants that are kept are there; the second run must not move anything.
"""

from __future__ import annotations

import numpy as np
import pytest

import paddlite.ops  # noqa: F401 - fills the registry
from paddlite.core.mode import switched
from paddlite.core.tensor import Tensor
from tests.cupy.test_ops import GPU, on_gpu
from tests.ops.harness import call, differentiable, directions, first_gradients, tensors
from tests.ops.samples import SAMPLES

SIZE = "the size of the result, or of its gradient, depends on values"
BOUND = "sizes or bounds are values of tensors"
FACTOR = "CuPy reads from cuSOLVER whether it succeeded"
HOST = "computed on the host: CuPy has no such function"
KNOWN = "small whole numbers that the host knows are copied to the GPU"

WAITS = {  # by op, or by sample where other samples of the op must not
    **dict.fromkeys(("masked_select", "masked_select_grad", "unique", "unique_consecutive", "where_index"), SIZE),
    **dict.fromkeys(("class_center_sample", "repeat_numbers", "bincount", "sequence_mask-longest"), SIZE),
    **dict.fromkeys(("index_get-mask", "index_get-full mask", "set_value-mask"), SIZE),
    **dict.fromkeys([f"{op}-by a tensor" for op in ("fill_constant", "range", "expand_v2", "tile")], BOUND),
    **dict.fromkeys([f"{op}-bounds" for op in ("index_get", "index_get_grad", "set_value")], BOUND),
    **dict.fromkeys(("reshape_by", "linspace-one"), BOUND),
    **dict.fromkeys(("inverse", "determinant", "slogdeterminant", "solve", "triangular_solve", "pinv"), FACTOR),
    **dict.fromkeys(("matrix_exp", "cholesky", "lu", "qr", "svd", "svdvals", "eigh"), FACTOR),
    **dict.fromkeys(("eig", "eigvals", "poisson", "standard_gamma", "binomial"), HOST),
    **dict.fromkeys(("shape", "triangle_indices"), KNOWN),
}
RUN = [s for s in SAMPLES if s.cupy is True]


def reason(sample):
    """Why the sample may wait, or None."""
    return WAITS.get(sample.op) or WAITS.get(sample.id)


def moves(sample, emulator):
    """What the second run of the sample and of its gradients moves."""
    wanted = differentiable(sample)
    with switched(place=GPU):
        for _ in range(2):
            inputs = on_gpu(tensors(sample, "float32"), wanted)
            before = emulator.transfers
            out = call(sample, inputs)
            with emulator.uncounted():
                weights = [w if w is None else Tensor(_there(w, o)) for w, o in zip(directions(out, 5), out)]
            if wanted:
                first_gradients(sample, inputs, wanted, weights, create_graph=False)
            found = emulator.transfers.since(before)
    return found


def _there(array, out):
    import cupy

    return cupy.asarray(np.conj(array).astype(out._dtype))


@pytest.mark.parametrize("sample", [s for s in RUN if reason(s) is None], ids=lambda s: s.id)
def test_an_op_leaves_the_host_free(sample, cupy_emulator):
    assert moves(sample, cupy_emulator) == (0, 0, 0)


def test_what_may_wait_does(cupy_emulator):
    waiting = [s for s in RUN if reason(s) is not None and any(moves(s, cupy_emulator))]
    idle = set(WAITS) - {s.op for s in waiting} - {s.id for s in waiting}
    assert not idle, f"these no longer wait; take them off the list: {idle}"
