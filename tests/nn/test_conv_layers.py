"""Convolution layers: shapes and first values of their filters, what they compute, padding modes."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

F = nn.functional


def noise(*shape):
    return paddle.to_tensor(np.random.default_rng(0).standard_normal(shape).astype("float32"))


@pytest.mark.parametrize(
    ("layer", "weight", "spread"),
    [
        (nn.Conv1D(40, 50, 3), [50, 40, 3], np.sqrt(2 / 120)),
        (nn.Conv2D(40, 50, 3, groups=2), [50, 20, 3, 3], np.sqrt(2 / 360)),
        (nn.Conv3D(40, 50, 3), [50, 40, 3, 3, 3], np.sqrt(2 / 1080)),
        (nn.Conv1DTranspose(40, 50, 3), [40, 50, 3], np.sqrt(2 / 270)),
        (nn.Conv2DTranspose(40, 50, 3, groups=2), [40, 25, 3, 3], np.sqrt(2 / (225 + 360))),
        (nn.Conv3DTranspose(40, 50, 3), [40, 50, 3, 3, 3], np.sqrt(2 / (90 * 27))),
    ],
)
def test_filters_and_their_first_values(layer, weight, spread):
    assert layer.weight.shape == weight and layer.bias.tolist() == [0.0] * 50
    assert abs(layer.weight.numpy().std() / spread - 1) < 0.05


@pytest.mark.parametrize(
    ("make", "function", "shape"),
    [
        (nn.Conv1D, F.conv1d, (2, 4, 9)),
        (nn.Conv2D, F.conv2d, (2, 4, 9, 8)),
        (nn.Conv3D, F.conv3d, (2, 4, 5, 6, 7)),
        (nn.Conv1DTranspose, F.conv1d_transpose, (2, 4, 9)),
        (nn.Conv2DTranspose, F.conv2d_transpose, (2, 4, 5, 4)),
        (nn.Conv3DTranspose, F.conv3d_transpose, (2, 4, 3, 4, 2)),
    ],
)
def test_layers_call_their_functions(make, function, shape):
    settings = {"stride": 2, "padding": 1, "dilation": 1, "groups": 2}
    layer, x = make(4, 6, 3, **settings), noise(*shape)
    want = function(x, layer.weight, layer.bias, **settings)
    np.testing.assert_array_equal(layer(x).numpy(), want.numpy())


def test_arguments_in_place_and_by_name():
    positional = nn.Conv2D(2, 4, 3, 1, 0, 1, 1, "zeros", nn.initializer.Constant(2.0), False, "NHWC")
    assert positional.bias is None and positional.weight.numpy().min() == 2.0
    assert positional(noise(1, 5, 5, 2)).shape == [1, 3, 3, 4]
    modern = nn.Conv2D(2, 4, 3, bias=False, dtype="float64", device="cpu")
    assert modern.bias is None and modern.weight.dtype == "float64"


def test_transposed_ones_take_the_size_of_the_output():
    layer = nn.Conv2DTranspose(1, 2, 3, stride=2)
    assert layer(noise(1, 1, 4, 4)).shape == [1, 2, 9, 9]
    assert layer(noise(1, 1, 4, 4), output_size=[10, 10]).shape == [1, 2, 10, 10]


@pytest.mark.parametrize(("mode", "how"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
@pytest.mark.parametrize(("data_format", "widths"), [("NCHW", (0, 0, 1, 2)), ("NHWC", (0, 1, 2, 0))])
def test_padding_modes(mode, how, data_format, widths):
    layer = nn.Conv2D(3, 2, 3, padding=[1, 2], padding_mode=mode, data_format=data_format)
    x = noise(*((1, 3, 4, 5) if data_format == "NCHW" else (1, 4, 5, 3)))
    padded = np.pad(x.numpy(), [(n, n) for n in widths], how)
    want = F.conv2d(paddle.to_tensor(padded), layer.weight, layer.bias, data_format=data_format)
    np.testing.assert_allclose(layer(x).numpy(), want.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Conv2D(3, 4, 2, groups=2),
        lambda: nn.Conv2D(4, 3, 2, groups=2),
        lambda: nn.Conv2D(1, 1, 1, padding_mode="x"),
        lambda: nn.Conv2D(1, 1, 1, data_format="NCL"),
        lambda: nn.Conv2D(1, 1, [1, 2, 3]),
    ],
)
def test_bad_options_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_words_for_padding_need_zeros():
    with pytest.raises(TypeError, match="numbers"):
        nn.Conv2D(1, 1, 3, padding="SAME", padding_mode="reflect")
