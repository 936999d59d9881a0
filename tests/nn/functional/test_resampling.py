"""`interpolate`: forms of sizes, modes, and what it refuses.  Written-out numbers are by hand or from the reference."""

import numpy as np
import pytest

import paddlite as paddle
import paddlite.nn.functional as F
from paddlite.core.errors import InvalidArgument
from paddlite.core.program import Program, recording

ROW = paddle.to_tensor([[[[0.0, 4.0, 8.0]]]], dtype="float64")


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({"mode": "nearest"}, [0, 0, 4, 4, 8, 8]),
        ({"mode": "bilinear"}, [0, 1, 3, 5, 7, 8]),
        ({"mode": "BILINEAR", "align_mode": 1}, [0, 2, 4, 6, 8, 8]),
        ({"mode": "bilinear", "align_corners": True}, [0, 1.6, 3.2, 4.8, 6.4, 8]),
        ({"mode": "area"}, [0, 0, 4, 4, 8, 8]),
    ],
)
def test_a_row_made_twice_as_long(options, want):
    for sizes in ({"size": [1, 6]}, {"scale_factor": [1, 2]}):
        np.testing.assert_allclose(F.interpolate(ROW, **sizes, **options).numpy()[0, 0, 0], want, atol=1e-12)


def test_cubic_goes_through_the_ends_with_aligned_corners():
    got = F.interpolate(ROW, size=[1, 5], mode="bicubic", align_corners=True).numpy()[0, 0, 0]
    np.testing.assert_allclose(got[[0, 2, 4]], [0, 4, 8], atol=1e-12)


def test_a_smaller_image_without_ripples():
    stripes = paddle.to_tensor(np.tile([0.0, 1.0], 8).reshape(1, 1, 1, 16))
    for mode in ("bilinear", "bicubic"):
        got = F.interpolate(stripes, size=[1, 4], mode=mode, antialias=True).numpy()
        np.testing.assert_allclose(got, 0.5, atol=0.05)


@pytest.mark.parametrize(
    "sizes",
    [
        {"size": [8, 10]},
        {"size": (np.int64(8), 10)},
        {"size": paddle.to_tensor([8, 10])},
        {"size": [paddle.to_tensor(8), 10]},
        {"scale_factor": 2},
        {"scale_factor": (2.0, 2)},
        {"scale_factor": paddle.to_tensor(2.0)},
        {"scale_factor": paddle.to_tensor([2.0, 2.0])},
    ],
)
def test_sizes_may_be_given_in_every_form(sizes):
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal((1, 2, 4, 5)))
    want = F.interpolate(x, size=[8, 10], mode="bilinear").numpy()
    np.testing.assert_allclose(F.interpolate(x, mode="bilinear", **sizes).numpy(), want, rtol=1e-12)
    np.testing.assert_array_equal(F.upsample(x, mode="bilinear", **sizes).numpy(), want)


def test_one_and_three_axes():
    line = paddle.to_tensor([[[0.0, 4.0]]])
    assert F.interpolate(line, size=4).tolist() == [[[0, 0, 4, 4]]]
    assert F.interpolate(line, size=[4], mode="linear").tolist() == [[[0, 1, 3, 4]]]
    assert F.interpolate(line, size=[1], mode="area").tolist() == [[[2]]]
    column = paddle.to_tensor([[[0.0], [4.0]]])
    for form in ("NWC", "NLC"):
        assert F.interpolate(column, scale_factor=2, mode="linear", data_format=form).tolist() == [[[0], [1], [3], [4]]]
        assert F.interpolate(column, scale_factor=2, data_format=form).tolist() == [[[0], [0], [4], [4]]]
    cube = paddle.to_tensor(np.zeros((1, 2, 3, 4, 5)))
    assert F.interpolate(cube, size=[5, 6, 7]).shape == [1, 2, 5, 6, 7]
    assert F.interpolate(cube, scale_factor=0.5, mode="trilinear").shape == [1, 2, 1, 2, 2]
    assert F.interpolate(cube, size=[2, 2, 2], mode="area").shape == [1, 2, 2, 2, 2]


def test_area_and_channels_last():
    values = np.random.default_rng(0).standard_normal((1, 4, 6, 3))
    x = paddle.to_tensor(values)
    want = values.reshape(1, 2, 2, 3, 2, 3).mean((2, 4))
    got = F.interpolate(x, scale_factor=0.5, mode="area", data_format="NHWC")
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)


def test_whole_numbers_and_halves():
    x = paddle.to_tensor([[[[1, 2]]]])
    out = F.interpolate(x, size=[2, 4])
    assert str(out.dtype) == "paddle.int64"
    assert out.tolist() == [[[[1, 1, 2, 2]] * 2]]
    half = F.interpolate(ROW.astype("float16"), size=[1, 6], mode="bilinear")
    assert str(half.dtype) == "paddle.float16"
    assert half.numpy()[0, 0, 0].tolist() == [0, 1, 3, 5, 7, 8]


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "nearest"])
def test_large_images_are_resampled_in_bands(mode, batch):
    values = np.random.default_rng(0).standard_normal((batch, 1, 2, 300))
    x = paddle.to_tensor(values, stop_gradient=False)
    out = F.interpolate(x, size=[2, 470], mode=mode)
    parts = [F.interpolate(paddle.to_tensor(values[..., :60]), size=[2, 94], mode=mode).numpy()]
    np.testing.assert_allclose(out.numpy()[..., :90], parts[0][..., :90], atol=1e-12)  # 300 / 470 = 60 / 94
    g = np.random.default_rng(1).standard_normal(out.shape)
    out.backward(paddle.to_tensor(g))
    d = np.random.default_rng(2).standard_normal(values.shape)
    slope = np.sum(F.interpolate(paddle.to_tensor(d), size=[2, 470], mode=mode).numpy() * g)
    assert np.sum(x.grad.numpy() * d) == pytest.approx(slope, rel=1e-10)


def test_sizes_unknown_in_a_program():
    program = Program()
    x = program.data("x", [-1, 3, 8, -1], np.dtype("float32"))
    with recording(program):
        assert F.interpolate(x, scale_factor=2, mode="bilinear").shape == [-1, 3, 16, -1]
        assert F.interpolate(x, size=[4, 4]).shape == [-1, 3, 4, 4]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "size or scale_factor"),
        ({"size": [8, 10], "scale_factor": 2}, "not both"),
        ({"size": [8, 10, 3]}, "2 entries"),
        ({"size": [0, 3]}, "at least 1"),
        ({"size": [2.5, 3]}, "ints"),
        ({"scale_factor": 0}, "positive"),
        ({"size": [8, 10], "mode": "cubic"}, "mode must be"),
        ({"size": [8, 10], "mode": "linear"}, "for 1 spatial axes"),
        ({"size": [8, 10], "align_corners": True}, "not for mode 'nearest'"),
        ({"size": [8, 10], "mode": "bilinear", "align_mode": 2}, "align_mode"),
        ({"size": [8, 10], "mode": "nearest", "antialias": True}, "antialias"),
        ({"size": [8, 10], "data_format": "NCL"}, "data_format"),
    ],
)
def test_wrong_options_are_named(options, text):
    with pytest.raises(InvalidArgument, match=text):
        F.interpolate(paddle.to_tensor(np.zeros((1, 2, 4, 5))), **options)


def test_axes_that_cannot_be():
    with pytest.raises(InvalidArgument, match="3 to 5 axes"):
        F.interpolate(paddle.to_tensor(np.zeros((4, 5))), size=[8, 10])
