"""What layers are called and how they print, as the reference does."""

import pytest

from paddlite import nn

CASES = [
    (lambda: nn.Linear(2, 3, name="x"), "linear_0", "Linear(in_features=2, out_features=3, dtype=float32, name=x)"),
    (lambda: nn.CELU(), "celu_0", "CELU(alpha=1.0)"),
    (lambda: nn.ELU(0.5, "n"), "elu_0", "ELU(alpha=0.5, name=n)"),
    (lambda: nn.ReLU(), "re_lu_0", "ReLU()"),
    (lambda: nn.ReLU6(), "re_lu6_0", "ReLU6()"),
    (lambda: nn.GELU(), "gelu_0", "GELU(approximate=False)"),
    (lambda: nn.GLU(), "glu_0", "GLU(axis=-1)"),
    (lambda: nn.SELU(), "selu_0", "SELU(scale=1.0507009873554805, alpha=1.6732632423543772)"),
    (lambda: nn.Silu(), "silu_0", "Silu(inplace=False)"),
    (lambda: nn.LeakyReLU(), "leaky_re_lu_0", "LeakyReLU(negative_slope=0.01)"),
    (lambda: nn.Hardshrink(), "hardshrink_0", "Hardshrink(threshold=0.5)"),
    (lambda: nn.Softplus(), "softplus_0", "Softplus(beta=1, threshold=20)"),
    (lambda: nn.Hardtanh(), "hardtanh_0", "Hardtanh(min=-1.0, max=1.0)"),
    (lambda: nn.ThresholdedReLU(), "thresholded_re_lu_0", "ThresholdedReLU(threshold=1.0, value=0.0)"),
    (lambda: nn.LogSoftmax(), "log_softmax_0", "LogSoftmax(axis=-1)"),
    (lambda: nn.Maxout(2), "maxout_0", "Maxout(groups=2, axis=1)"),
    (
        lambda: nn.RReLU(),
        "r_re_lu_0",
        "RReLU(lower=0.125, upper=0.3333333333333333, training=True, dtype=float32)",
    ),
    (lambda: nn.PReLU(), "p_re_lu_0", "PReLU(num_parameters=1, data_format=NCHW, init=0.25, dtype=float32)"),
    (lambda: nn.Conv1D(2, 2, 3), "conv1d_0", "Conv1D(2, 2, kernel_size=[3], data_format=NCL)"),
    (
        lambda: nn.Conv2D(2, 4, 3, 2, 1, 2, 2, padding_mode="reflect", data_format="NHWC"),
        "conv2d_0",
        "Conv2D(2, 4, kernel_size=[3, 3], stride=[2, 2], padding=1, padding_mode=reflect, dilation=[2, 2], groups=2, "
        "data_format=NHWC)",
    ),
    (
        lambda: nn.Conv2D(2, 4, 3, padding="SAME"),
        "conv2d_0",
        "Conv2D(2, 4, kernel_size=[3, 3], padding=SAME, data_format=NCHW)",
    ),
    (lambda: nn.Conv3D(2, 4, 3), "conv3d_0", "Conv3D(2, 4, kernel_size=[3, 3, 3], data_format=NCDHW)"),
    (
        lambda: nn.Conv2DTranspose(2, 4, 3, 2, 1, 1),
        "conv2d_transpose_0",
        "Conv2DTranspose(2, 4, kernel_size=[3, 3], stride=[2, 2], padding=1, output_padding=1, data_format=NCHW)",
    ),
    (lambda: nn.MaxPool1D(2), "max_pool1d_0", "MaxPool1D(kernel_size=2, stride=None, padding=0)"),
    (lambda: nn.AvgPool2D(2, 2, 1), "avg_pool2d_0", "AvgPool2D(kernel_size=2, stride=2, padding=1)"),
    (lambda: nn.AdaptiveAvgPool3D(2), "adaptive_avg_pool3d_0", "AdaptiveAvgPool3D(output_size=2)"),
    (
        lambda: nn.AdaptiveMaxPool2D((2, 3)),
        "adaptive_max_pool2d_0",
        "AdaptiveMaxPool2D(output_size=(2, 3), return_mask=False)",
    ),
    (lambda: nn.MaxUnPool2D(2), "max_un_pool2d_0", "MaxUnPool2D(output_size=None)"),
]


@pytest.mark.parametrize(("make", "name", "text"), CASES, ids=[text.partition("(")[0] for _, _, text in CASES])
def test_layers_print_and_are_named_like_the_reference(make, name, text):
    layer = make()
    assert repr(layer) == text
    assert layer.full_name() == name
