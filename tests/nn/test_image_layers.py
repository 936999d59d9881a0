"""Padding, resizing, windows and rearranging of images."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

F = nn.functional
RNG = np.random.default_rng(0)


def noise(*shape):
    return paddle.to_tensor(RNG.standard_normal(shape).astype("float32"))


def same(got, want):
    np.testing.assert_array_equal(got.numpy(), want.numpy() if hasattr(want, "numpy") else want)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "mode", "arguments"),
    [
        ("Pad", "reflect", {"mode": "reflect"}),
        ("ConstantPad", "constant", {"value": 2.5}),
        ("ZeroPad", "constant", {}),
        ("ReflectionPad", "reflect", {}),
        ("ReplicationPad", "replicate", {}),
        ("CircularPad", "circular", {}),
    ],
)
def test_padding(rank, kind, mode, arguments):
    x = noise(2, 3, *[4] * rank)
    layer = getattr(nn, f"{kind}{rank}D")
    for padding in (1, [1, 2] * rank):
        widths = [padding] * 2 * rank if isinstance(padding, int) else padding
        data_format = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[rank]
        want = F.pad(x, widths, mode, arguments.get("value", 0.0), data_format)
        same(layer(padding, **arguments)(x), want)


def test_padding_prints():
    want = "Pad2D(padding=[1, 2, 3, 4], mode=reflect, value=0.0, data_format=NCHW)"
    assert repr(nn.Pad2D([1, 2, 3, 4], mode="reflect")) == want


@pytest.mark.parametrize(
    ("layer", "settings"),
    [
        (nn.Upsample([6, 4]), {"size": [6, 4]}),
        (nn.Upsample(scale_factor=2, mode="BILINEAR"), {"scale_factor": 2, "mode": "bilinear"}),
        (nn.UpsamplingNearest2D(scale_factor=2), {"scale_factor": 2}),
        (nn.UpsamplingBilinear2D([5, 7]), {"size": [5, 7], "mode": "bilinear", "align_corners": True}),
    ],
)
def test_resizing(layer, settings):
    x = noise(2, 3, 4, 4)
    same(layer(x), F.interpolate(x, **settings))


def test_resizing_prints():
    want = "Upsample(scale_factor=2, mode=bilinear, align_corners=False, align_mode=0, data_format=None)"
    assert repr(nn.Upsample(scale_factor=2, mode="bilinear")) == want
    assert repr(nn.UpsamplingNearest2D([2, 2])) == "UpsamplingNearest2D(size=[2, 2], data_format=NCHW)"


def test_windows_and_back():
    x = noise(2, 3, 5, 4)
    columns = nn.Unfold(2, strides=1)(x)
    same(columns, F.unfold(x, 2))
    same(nn.Fold([5, 4], 2)(columns), F.fold(columns, [5, 4], 2))
    assert repr(nn.Unfold(2)) == "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)"


def test_pixels_and_channels():
    x = noise(2, 8, 3, 4)
    larger = nn.PixelShuffle(2)(x)
    assert larger.shape == [2, 2, 6, 8]
    same(nn.PixelUnshuffle(2)(larger), x)
    same(nn.ChannelShuffle(2)(x), x.numpy()[:, [0, 4, 1, 5, 2, 6, 3, 7]])
    assert repr(nn.PixelShuffle(2, "NHWC")) == "PixelShuffle(upscale_factor=2, data_format=NHWC)"


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: nn.PixelShuffle(2.0), TypeError),
        (lambda: nn.PixelShuffle(2, "x"), ValueError),
        (lambda: nn.PixelUnshuffle(0), ValueError),
        (lambda: nn.ChannelShuffle(-1), ValueError),
    ],
)
def test_bad_factors_are_refused(make, error):
    with pytest.raises(error):
        make()
