"""Shuffles, windows as columns, and grids, as users call them."""

import numpy as np
import pytest

import paddlite as paddle
import paddlite.nn.functional as F
from paddlite.core.errors import InvalidArgument, ShapeMismatch


def counted(*shape, dtype="float64"):
    return paddle.to_tensor(np.arange(np.prod(shape)).reshape(shape).astype(dtype))


def test_shuffles_undo_each_other():
    x = counted(2, 12, 4, 6)
    np.testing.assert_array_equal(F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2).numpy(), x.numpy())
    np.testing.assert_array_equal(F.channel_shuffle(F.channel_shuffle(x, 3), 4).numpy(), x.numpy())
    last = paddle.to_tensor(x.numpy().transpose(0, 2, 3, 1))
    want = F.pixel_shuffle(x, 2).numpy().transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(F.pixel_shuffle(last, 2, data_format="NHWC").numpy(), want)


def test_channels_shift_in_time():
    got = F.temporal_shift(counted(3, 4, 1, 1), 3, 0.25).numpy()[:, :, 0, 0]
    np.testing.assert_array_equal(got, [[0, 5, 2, 3], [0, 9, 6, 7], [4, 0, 10, 11]])


def test_fold_counts_how_often_an_element_was_unfolded():
    x = paddle.to_tensor(np.ones((1, 1, 3, 4)))
    columns = F.unfold(x, [2, 2])
    assert columns.shape == [1, 4, 6]
    assert F.fold(columns, [3, 4], 2).tolist() == [[[[1, 2, 2, 1], [2, 4, 4, 2], [1, 2, 2, 1]]]]


def test_four_paddings_are_top_left_bottom_right():
    got = F.unfold(counted(1, 1, 4, 5), 2, paddings=[1, 2, 0, 1]).numpy()
    padded = np.pad(counted(4, 5).numpy(), [(1, 0), (2, 1)])
    want = np.lib.stride_tricks.sliding_window_view(padded, (2, 2)).reshape(28, 4).T
    np.testing.assert_array_equal(got[0], want)


def test_identity_grid_gives_the_image_back():
    for shape in [(2, 3, 4, 5), (1, 2, 3, 4, 5)]:
        x = paddle.to_tensor(np.random.default_rng(0).standard_normal(shape))
        axes = len(shape) - 2
        theta = paddle.to_tensor(np.tile(np.eye(axes, axes + 1), (shape[0], 1, 1)))
        for align_corners in (True, False):
            grid = F.affine_grid(theta, list(shape), align_corners)
            for mode in ("bilinear", "nearest"):
                got = F.grid_sample(x, grid, mode, align_corners=align_corners)
                np.testing.assert_allclose(got.numpy(), x.numpy(), atol=1e-12)


def test_what_lies_outside():
    x = paddle.to_tensor([[[[1.0, 2.0, 3.0]]]])
    grid = paddle.to_tensor([[[[-2.0, 0.0], [1.5, 0.0]]]])
    for mode, want in [("zeros", [0, 1.5]), ("border", [1, 3]), ("reflection", [2, 2.5])]:
        assert F.grid_sample(x, grid, padding_mode=mode).tolist() == [[[want]]]


def test_sizes_of_a_grid_may_be_a_tensor():
    theta = paddle.to_tensor([[[1.0, 0, 0], [0, 1, 0]]])
    assert F.affine_grid(theta, paddle.to_tensor([1, 3, 4, 5])).shape == [1, 4, 5, 2]
    assert F.affine_grid(theta, [1, 3, paddle.to_tensor(4), 5]).shape == [1, 4, 5, 2]


def test_gradient_of_a_warp_moves_the_image():
    x = paddle.to_tensor(np.linspace(0, 1, 9).reshape(1, 1, 1, 9).repeat(9, 2))
    theta = paddle.to_tensor([[[1.0, 0, 0], [0, 1, 0]]], dtype="float64", stop_gradient=False)
    out = F.grid_sample(x, F.affine_grid(theta, [1, 1, 9, 9]), padding_mode="border")
    out.backward(paddle.to_tensor(np.ones(out.shape)))
    grad = theta.grad.numpy()
    assert grad[0, 0, 2] == pytest.approx(0.5 * 9 * 7)  # the image rises by 1/2 a unit of x; 7 columns lie inside
    np.testing.assert_allclose(grad[0, 1], 0, atol=1e-12)  # and not along y


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: F.pixel_shuffle(x, 3), ShapeMismatch, "must be divisible by 9"),
        (lambda x: F.pixel_shuffle(x, 2.0), TypeError, "must be an int"),
        (lambda x: F.pixel_shuffle(x, 2, "NCL"), InvalidArgument, "data_format"),
        (lambda x: F.pixel_unshuffle(x, 0), InvalidArgument, "at least 1"),
        (lambda x: F.pixel_unshuffle(x, 5), ShapeMismatch, "spatial size 0"),
        (lambda x: F.channel_shuffle(x, 3), ShapeMismatch, "divisible by 3"),
        (lambda x: F.temporal_shift(x, 3), ShapeMismatch, "the batch"),
        (lambda x: F.temporal_shift(x, 2, 0.6), InvalidArgument, "shift_ratio"),
        (lambda x: F.unfold(x, 9), ShapeMismatch, "does not fit"),
        (lambda x: F.unfold(x, [2, 2, 2]), InvalidArgument, "kernel_sizes"),
        (lambda x: F.fold(x[:, :, :, 0], [4, 5], 2), ShapeMismatch, "windows"),
        (lambda x: F.grid_sample(x, x, "bicubic"), InvalidArgument, "mode"),
        (lambda x: F.grid_sample(x, x, padding_mode="mirror"), InvalidArgument, "padding_mode"),
        (lambda x: F.grid_sample(x, x), ShapeMismatch, "grid_sample: want x"),
        (lambda x: F.affine_grid(x[0, :2, :2, :3], [2, 1, 4]), InvalidArgument, "4 or 5 entries"),
    ],
)
def test_wrong_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call(counted(2, 4, 4, 6))
