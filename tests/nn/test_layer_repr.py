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
    (lambda: nn.Pad1D(1), "pad1d_0", "Pad1D(padding=[1, 1], mode=constant, value=0.0, data_format=NCL)"),
    (
        lambda: nn.ReplicationPad3D(1),
        "replication_pad3d_0",
        "ReplicationPad3D(padding=[1, 1, 1, 1, 1, 1], mode=replicate, value=0.0, data_format=NCDHW)",
    ),
    (
        lambda: nn.FractionalMaxPool2D(2),
        "fractional_max_pool2d_0",
        "FractionalMaxPool2D(output_size=2, return_mask=False)",
    ),
    (lambda: nn.LPPool1D(2, 2), "lp_pool1d_0", "LPPool1D(norm_type=2.0, kernel_size=2, stride=None, padding=0)"),
    (lambda: nn.CosineSimilarity(), "cosine_similarity_0", "CosineSimilarity(axis=1, eps=1e-08)"),
    (lambda: nn.AlphaDropout(), "alpha_dropout_0", "AlphaDropout(p=0.5)"),
    (lambda: nn.Dropout3D(), "dropout3d_0", "Dropout3D(p=0.5, data_format=NCDHW)"),
    (
        lambda: nn.BatchNorm3D(2),
        "batch_norm3d_0",
        "BatchNorm3D(num_features=2, momentum=0.9, epsilon=1e-05, data_format=NCDHW)",
    ),
    (lambda: nn.InstanceNorm1D(2), "instance_norm1d_0", "InstanceNorm1D(num_features=2, epsilon=1e-05)"),
    (
        lambda: nn.LocalResponseNorm(2),
        "local_response_norm_0",
        "LocalResponseNorm(size=2, alpha=0.0001, beta=0.75, k=1.0)",
    ),
    (lambda: nn.SpectralNorm([2, 3]), "spectral_norm_0", "SpectralNorm()"),
    (lambda: nn.SimpleRNNCell(4, 5, activation="relu"), "simple_rnn_cell_0", "SimpleRNNCell(4, 5, activation=relu)"),
    (lambda: nn.GRU(2, 3), "gru_0", "GRU(2, 3\n  (0): RNN(\n    (cell): GRUCell(2, 3)\n  )\n)"),
    (lambda: nn.SmoothL1Loss(), "smooth_l1_loss_0", "SmoothL1Loss()"),
    (lambda: nn.PixelUnshuffle(2), "pixel_unshuffle_0", "PixelUnshuffle(downscale_factor=2)"),
]


@pytest.mark.parametrize(("make", "name", "text"), CASES, ids=[text.partition("(")[0] for _, _, text in CASES])
def test_layers_print_and_are_named_like_the_reference(make, name, text):
    layer = make()
    assert repr(layer) == text
    assert layer.full_name() == name
