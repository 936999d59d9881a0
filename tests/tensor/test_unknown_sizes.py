"""Sizes that only a run knows: they look like -1, and arithmetic with them is recorded."""

import copy
import math

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.program import Program, recording
from paddlite.static.executor import Plan


def outcome(build, *batches):
    """What `build(x)` gives for x of shape [batch, 4, 3], recorded once with an unknown batch."""
    program = Program()
    x = program.data("x", [-1, 4, 3], "float32")
    with recording(program):
        y = build(x)
    arrays = [np.random.default_rng(b).standard_normal((b, 4, 3)).astype("f4") for b in batches]
    found = [Plan(program, [y._value]).run({"x": a}, {}, paddle.seed(0))[0] for a in arrays]
    return list(zip(arrays, found)), program


@pytest.mark.parametrize(
    ("build", "want"),
    [
        (lambda x: x.reshape([x.shape[0], -1]), lambda a: a.reshape(len(a), -1)),
        (lambda x: x.reshape([x.shape[0] * x.shape[1], x.shape[2]]), lambda a: a.reshape(-1, 3)),
        (lambda x: x.reshape([x.shape[0] // 2, 2, -1]), lambda a: a.reshape(len(a) // 2, 2, -1)),
        (lambda x: paddle.zeros([x.shape[0], 2]), lambda a: np.zeros((len(a), 2))),
        (lambda x: paddle.full([2 * x.shape[0]], 7), lambda a: np.full(2 * len(a), 7.0)),
        (lambda x: paddle.arange(x.shape[0] + 1), lambda a: np.arange(len(a) + 1)),
        (lambda x: x.sum(0).unsqueeze(0).expand([x.shape[0], -1, -1]), lambda a: np.stack([a.sum(0)] * len(a))),
        (lambda x: paddle.tile(x[0], [x.shape[0], 1]), lambda a: np.tile(a[0], (len(a), 1))),
        (lambda x: x[: x.shape[0] - 1], lambda a: a[:-1]),
        (lambda x: x / x.shape[0], lambda a: a / len(a)),
        (lambda x: x * (1.0 / math.prod(x.shape)), lambda a: a / a.size),
        (lambda x: paddle.slice(x, [0], [0], [x.shape[0] - 1]), lambda a: a[:-1]),
        (lambda x: paddle.linspace(0, 1, x.shape[0]), lambda a: np.linspace(0, 1, len(a))),
    ],
)
def test_a_program_recorded_once_is_right_for_every_batch(build, want):
    runs, _ = outcome(build, 2, 6)
    for array, found in runs:
        np.testing.assert_allclose(found, want(array), rtol=1e-5)


def test_an_unknown_size_is_minus_one_to_look_at():
    x = Program().data("x", [-1, 4], "float32")
    size = x.shape[0]
    assert size == -1 and isinstance(size, int) and str(x.shape) == "paddle.Size([-1, 4])" and x.shape == [-1, 4]
    assert copy.deepcopy(size) == -1 and [int(s) for s in x.shape] == [-1, 4]


def test_a_size_that_stays_at_its_place_needs_no_arithmetic():
    _, program = outcome(lambda x: x.reshape([x.shape[0], 2, 6]), 2)
    assert [node.name for node in program.global_block().nodes] == ["reshape2"]


def test_a_random_tensor_of_unknown_size():
    runs, _ = outcome(lambda x: paddle.rand([x.shape[0], 2]), 3, 5)
    assert [found.shape for _, found in runs] == [(3, 2), (5, 2)]
