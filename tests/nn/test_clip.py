"""Gradient clipping, as optimizers and as training loops use it."""

import math

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.amp.policy import Casts
from paddlite.core.mode import switched
from paddlite.core.program import Program, recording


def pair(gradient, dtype="float32", need_clip=True):
    parameter = paddle.create_parameter(list(np.shape(gradient)), "float32")
    parameter.need_clip = need_clip
    return parameter, paddle.to_tensor(gradient, dtype=dtype)


def clipped(clip, *pairs):
    return [gradient.numpy().astype("float64") for _, gradient in clip(list(pairs))]


def holding(*gradients):
    made = [paddle.create_parameter(list(np.shape(g)), "float32") for g in gradients]
    for parameter, gradient in zip(made, gradients):
        parameter.grad = paddle.to_tensor(gradient, dtype="float32")
    return made


NORM = math.sqrt(9 + 16 + 0.01 + 0.81)


@pytest.mark.parametrize(
    ("clip", "want"),
    [
        (nn.ClipGradByValue(1.0), [[1.0, 1.0], [0.1, -0.9]]),
        (nn.ClipGradByValue(1.0, -0.5), [[1.0, 1.0], [0.1, -0.5]]),
        (nn.ClipGradByNorm(1.0), [[0.6, 0.8], [0.1, -0.9]]),
        (nn.ClipGradByGlobalNorm(1.0), [[3 / NORM, 4 / NORM], [0.1 / NORM, -0.9 / NORM]]),
        (nn.ClipGradByGlobalNorm(50.0), [[3.0, 4.0], [0.1, -0.9]]),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_gradients_are_clipped(clip, want, dtype):
    got = clipped(clip, pair([3.0, 4.0], dtype), pair([0.1, -0.9], dtype))
    np.testing.assert_allclose(got, want, rtol={"float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}[dtype])


@pytest.mark.parametrize("clip", [nn.ClipGradByValue(1.0), nn.ClipGradByNorm(1.0), nn.ClipGradByGlobalNorm(1.0)])
def test_what_is_left_out(clip):
    free, none = pair([7.0], need_clip=False), (pair([1.0])[0], None)
    got = clip([pair([3.0, 4.0]), none, free])
    assert [p is q for (p, _), (q, _) in zip(got[1:], [free])] == [True]
    assert got[1][1].tolist() == [7.0] and len(got) == 2
    np.testing.assert_allclose(np.abs(got[0][1].numpy()).max(), 1.0 if type(clip) is nn.ClipGradByValue else 0.8)
    assert clip([]) == [] and clip([none]) == []


def test_global_norm_of_mixed_dtypes_does_not_overflow():
    got = clipped(nn.ClipGradByGlobalNorm(1.0), pair([300.0, 400.0], "float16"), pair([0.0], "float64"))
    np.testing.assert_allclose(got[0], [0.6, 0.8], rtol=1e-3)


def test_infinite_gradients_show():
    got = clipped(nn.ClipGradByGlobalNorm(1.0), pair([math.inf, 1.0]), pair([1.0]))
    assert np.isnan(got[0][0])
    got = clipped(nn.ClipGradByGlobalNorm(1.0), pair([math.nan]), pair([1.0]))
    assert np.isnan(got[1]).all()


def test_global_norm_changes_gradients_in_place_and_the_others_do_not():
    parameter, gradient = pair([3.0, 4.0])
    assert nn.ClipGradByGlobalNorm(1.0)([(parameter, gradient)])[0][1] is gradient
    assert gradient.inplace_version == 1
    assert nn.ClipGradByNorm(0.1)([(parameter, gradient)])[0][1] is not gradient


def test_parts_of_other_processes_can_be_added():
    clip = nn.ClipGradByGlobalNorm(1.0)
    clip.reduce = lambda squared: squared + 144.0
    np.testing.assert_allclose(clipped(clip, pair([3.0, 4.0])), [[3 / 13, 4 / 13]], rtol=1e-6)


def test_clipping_runs_outside_of_amp_and_gradients():
    with switched(amp=Casts("O2", np.dtype("float16"))):
        got = clipped(nn.ClipGradByGlobalNorm(1e-3), pair([3e-3, 4e-3]))
    np.testing.assert_allclose(got, [[6e-4, 8e-4]], rtol=1e-6)
    parameter, gradient = pair([3.0])
    gradient.stop_gradient = False
    assert nn.ClipGradByNorm(1.0)([(parameter, gradient)])[0][1].stop_gradient


@pytest.mark.parametrize("clip", [nn.ClipGradByValue(1.0), nn.ClipGradByNorm(1.0), nn.ClipGradByGlobalNorm(1.0)])
def test_clipping_records(clip):
    program = Program()
    with recording(program):
        gradient = program.data("g", [2], "float32")
        found = clip([(pair([0.0, 0.0])[0], gradient)])
    assert found[0][1].shape == [2] and len(program.global_block().ops) > 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.ClipGradByValue(-1.0),
        lambda: nn.ClipGradByValue(1.0, 2.0),
        lambda: nn.ClipGradByNorm(0.0),
        lambda: nn.ClipGradByGlobalNorm(-1),
        lambda: nn.ClipGradByGlobalNorm("a"),
        lambda: nn.utils.clip_grad_norm_([], 1.0, -1.0),
        lambda: nn.utils.clip_grad_value_([], -1.0),
    ],
)
def test_bad_limits_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_printing():
    assert str(nn.ClipGradByValue(1.0)) == "Clip Gradient By Value, min = -1.000000, max=1.000000"
    assert str(nn.ClipGradByGlobalNorm(2.0)) == "Gradient Clip By GlobalNorm, global_norm=2.000000"


@pytest.mark.parametrize(
    ("norm_type", "total"), [(2.0, 13.0), (math.inf, 12.0), (1, 19.0), (0, 2.0), (3, (27 + 64 + 12**3) ** (1 / 3))]
)
def test_clip_grad_norm(norm_type, total):
    held = holding([3.0, 4.0], [12.0])
    empty = paddle.create_parameter([1], "float32")
    assert nn.utils.clip_grad_norm_([*held, empty], 1.0, norm_type).item() == pytest.approx(total, rel=1e-6)
    np.testing.assert_allclose(held[0].grad.numpy(), np.array([3.0, 4.0]) / total, rtol=1e-5)
    np.testing.assert_allclose(held[1].grad.numpy(), [12.0 / total], rtol=1e-5)


def test_clip_grad_norm_leaves_small_and_refuses_endless_ones():
    held = holding([3.0, 4.0])
    nn.utils.clip_grad_norm_(held[0], 10.0)
    assert held[0].grad.tolist() == [3.0, 4.0]
    assert nn.utils.clip_grad_norm_([], 1.0).item() == 0.0
    held = holding([math.nan, 1.0])
    with pytest.raises(RuntimeError, match="nan"):
        nn.utils.clip_grad_norm_(held, 1.0, error_if_nonfinite=True)
    assert held[0].grad.tolist()[1] == 1.0


def test_clip_grad_value():
    held = holding([3.0, -4.0, 0.25])
    nn.utils.clip_grad_value_(held, 1)
    assert held[0].grad.tolist() == [1.0, -1.0, 0.25]
