"""Convolutions as users call them: forms of arguments, formats, sizes, errors.  Values are those of SciPy."""

import numpy as np
import pytest
from scipy.signal import correlate

import paddlite as paddle
import paddlite.nn.functional as F
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.program import Program, recording
from paddlite.ops.shape import transpose


def tensor(*shape, dtype="float64", stop_gradient=True):
    rng = np.random.default_rng(sum(shape) + len(shape))
    return paddle.to_tensor(rng.standard_normal(shape).astype(dtype), stop_gradient=stop_gradient)


def moved(x, *order):
    return transpose(x, perm=order)


def by_scipy(x, weight, pads=()):
    """The convolution without stride, dilation or groups."""
    pads = pads or [(0, 0)] * (x.ndim - 2)
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    return np.stack(
        [np.stack([sum(correlate(c, f, "valid") for c, f in zip(image, filters)) for filters in weight]) for image in x]
    )


@pytest.mark.parametrize(
    ("padding", "pads"),
    [
        (0, [(0, 0), (0, 0)]),
        (1, [(1, 1), (1, 1)]),
        ([2], [(2, 2), (2, 2)]),
        ((1, 2), [(1, 1), (2, 2)]),
        ([1, 2, 0, 1], [(1, 2), (0, 1)]),
        ([[0, 0], [0, 0], [1, 2], [0, 1]], [(1, 2), (0, 1)]),
        ("SAME", [(1, 1), (0, 1)]),
        ("same", [(1, 1), (0, 1)]),
        ("VALID", [(0, 0), (0, 0)]),
        (np.int64(1), [(1, 1), (1, 1)]),
    ],
)
def test_padding_may_be_given_in_every_form(padding, pads):
    x, weight = tensor(2, 3, 5, 6), tensor(4, 3, 3, 2)
    want = by_scipy(x.numpy(), weight.numpy(), pads)
    np.testing.assert_allclose(F.conv2d(x, weight, padding=padding).numpy(), want, rtol=1e-12)
    if isinstance(padding, list) and len(padding) == 4 and isinstance(padding[0], list):
        padding = [padding[0], *padding[2:], padding[1]]
    last = F.conv2d(moved(x, 0, 2, 3, 1), weight, padding=padding, data_format="NHWC")
    np.testing.assert_allclose(last.numpy(), want.transpose(0, 2, 3, 1), rtol=1e-12)


def test_one_axis_and_three_axes():
    x, weight, bias = tensor(2, 3, 9), tensor(4, 3, 4), tensor(4)
    want = by_scipy(x.numpy(), weight.numpy(), [(2, 1)]) + bias.numpy()[:, None]
    np.testing.assert_allclose(F.conv1d(x, weight, bias, padding=[2, 1]).numpy(), want, rtol=1e-12)
    last = F.conv1d(moved(x, 0, 2, 1), weight, bias, padding=[[0, 0], [2, 1], [0, 0]], data_format="NLC")
    np.testing.assert_allclose(last.numpy(), want.transpose(0, 2, 1), rtol=1e-12)
    x, weight = tensor(2, 2, 4, 5, 3), tensor(3, 2, 2, 3, 2)
    want = by_scipy(x.numpy(), weight.numpy(), [(1, 0), (2, 1), (0, 0)])
    np.testing.assert_allclose(F.conv3d(x, weight, padding=[1, 0, 2, 1, 0, 0]).numpy(), want, rtol=1e-12)


def test_stride_picks_windows_and_dilation_spreads_them():
    x, weight = tensor(1, 2, 9, 9), tensor(3, 2, 3, 3)
    np.testing.assert_allclose(
        F.conv2d(x, weight, stride=(2, 3)).numpy(), by_scipy(x.numpy(), weight.numpy())[:, :, ::2, ::3], rtol=1e-12
    )
    spread = np.zeros((3, 2, 5, 5))
    spread[:, :, ::2, ::2] = weight.numpy()
    np.testing.assert_allclose(F.conv2d(x, weight, dilation=2).numpy(), by_scipy(x.numpy(), spread), rtol=1e-12)


def test_groups_see_their_own_channels():
    x, weight = tensor(2, 4, 5, 5), tensor(6, 2, 3, 3)
    parts = [by_scipy(x.numpy()[:, 2 * i : 2 * i + 2], weight.numpy()[3 * i : 3 * i + 3]) for i in range(2)]
    np.testing.assert_allclose(F.conv2d(x, weight, groups=2).numpy(), np.concatenate(parts, 1), rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "x", "weight", "options"),
    [
        ("conv1d", (2, 3, 8), (4, 3, 3), {"stride": 2, "padding": 1}),
        ("conv2d", (2, 3, 7, 8), (4, 3, 3, 3), {"stride": 2, "padding": [1, 0, 2, 1]}),
        ("conv2d", (2, 4, 7, 8), (4, 2, 3, 3), {"groups": 2, "dilation": 2}),
        ("conv3d", (1, 2, 4, 5, 4), (3, 2, 2, 2, 2), {"stride": (1, 2, 1)}),
    ],
)
def test_transposed_convolution_is_the_adjoint(function, x, weight, options):
    x, weight = tensor(*x), tensor(*weight)
    y = getattr(F, function)(x, weight, **options)
    g = tensor(*y.shape)
    back = getattr(F, f"{function}_transpose")(g, weight, output_size=x.shape[2:], **options)
    assert np.sum(y.numpy() * g.numpy()) == pytest.approx(np.sum(back.numpy() * x.numpy()))


def test_sizes_of_transposed_convolutions():
    x, weight = tensor(2, 4, 7, 8), tensor(4, 6, 3, 3)
    for options, sizes in [
        ({}, [9, 10]),
        ({"stride": 2}, [15, 17]),
        ({"stride": 2, "output_padding": 1}, [16, 18]),
        ({"stride": 2, "output_size": [16, 17]}, [16, 17]),
        ({"stride": 2, "padding": "SAME"}, [13, 16]),
        ({"stride": 2, "padding": "VALID"}, [15, 17]),
        ({"stride": 2, "padding": [1, 0, 0, 1]}, [14, 16]),
    ]:
        assert F.conv2d_transpose(x, weight, **options).shape == [2, 6, *sizes]
    assert F.conv2d_transpose(x, weight, groups=2).shape == [2, 12, 9, 10]
    last = F.conv2d_transpose(moved(x, 0, 2, 3, 1), weight, stride=2, data_format="NHWC")
    np.testing.assert_allclose(
        last.numpy(), F.conv2d_transpose(x, weight, stride=2).numpy().transpose(0, 2, 3, 1), rtol=1e-12
    )
    assert F.conv1d_transpose(tensor(2, 4, 9), tensor(4, 5, 3), stride=2, output_size=20).shape == [2, 5, 20]
    assert F.conv3d_transpose(tensor(1, 4, 3, 4, 5), tensor(4, 5, 3, 3, 3), stride=2, output_padding=1).shape == [
        1, 5, 8, 10, 12,
    ]  # fmt: skip


def test_gradient_of_many_channels_in_float32():
    x, weight = tensor(8, 24, 9, 9, dtype="float32"), tensor(16, 24, 3, 3, dtype="float32")
    x.stop_gradient = weight.stop_gradient = False
    out = F.conv2d(x, weight, padding=1)
    g = tensor(*out.shape, dtype="float32")
    out.backward(g)
    x64, w64, g64 = (t.numpy().astype("float64") for t in (x, weight, g))
    np.testing.assert_allclose(out.numpy(), by_scipy(x64, w64, [(1, 1)] * 2), atol=3e-4)
    flipped = w64[:, :, ::-1, ::-1].swapaxes(0, 1)
    np.testing.assert_allclose(x.grad.numpy(), by_scipy(g64, flipped, [(1, 1)] * 2), atol=3e-4)
    want = by_scipy(x64.swapaxes(0, 1), g64.swapaxes(0, 1), [(1, 1)] * 2).swapaxes(0, 1)
    np.testing.assert_allclose(weight.grad.numpy(), want, atol=1e-3)


def test_input_of_any_memory_layout_gives_the_same():
    weight = tensor(4, 3, 3, 3)
    values = np.random.default_rng(0).standard_normal((3, 3, 6, 5))
    want = F.conv2d(paddle.to_tensor(values), weight, padding=1).numpy()
    for order in [(0, 2, 3, 1), (1, 2, 3, 0), (3, 1, 0, 2)]:
        back = np.argsort(order)
        laid = moved(paddle.to_tensor(np.ascontiguousarray(values.transpose(order))), *back.tolist())
        np.testing.assert_array_equal(F.conv2d(laid, weight, padding=1).numpy(), want)


def test_batch_of_unknown_size_in_a_program():
    program = Program()
    x = program.data("x", [-1, 3, 8, -1], np.dtype("float32"))
    weight = program.data("w", [4, 3, 3, 3], np.dtype("float32"))
    with recording(program):
        assert F.conv2d(x, weight, stride=2).shape == [-1, 4, 3, -1]
        assert F.conv2d_transpose(x, program.data("v", [3, 4, 3, 3], x._dtype), stride=2).shape == [-1, 4, 17, -1]
        with pytest.raises(InvalidArgument, match="give numbers"):
            F.conv2d_transpose(x, program.data("u", [3, 4, 3, 3], x._dtype), padding="SAME")


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"padding": "FULL"}, InvalidArgument, "'SAME', 'VALID' or numbers"),
        ({"padding": [1, 2, 3]}, InvalidArgument, "4 ints or 4 pairs"),
        ({"padding": -1}, InvalidArgument, "must not be negative"),
        ({"padding": 1.5}, InvalidArgument, "must hold ints"),
        ({"padding": [[1, 0], [0, 0], [0, 0], [0, 0]]}, InvalidArgument, "batch or channel"),
        ({"stride": (1, 2, 3)}, InvalidArgument, "an int or 2 ints"),
        ({"stride": 0}, InvalidArgument, "stride must be at least 1"),
        ({"data_format": "NCWH"}, InvalidArgument, "data_format"),
        ({"groups": 3}, ShapeMismatch, "takes 3 in each of 3 groups"),
        ({"data_format": "NHWC"}, ShapeMismatch, "x has 6 channels"),
    ],
)
def test_wrong_options_are_named(options, error, text):
    with pytest.raises(error, match=text):
        F.conv2d(tensor(2, 3, 5, 6), tensor(6, 3, 3, 3), **options)


def test_wrong_tensors_are_named():
    x, weight = tensor(2, 3, 5, 6), tensor(4, 3, 3, 3)
    with pytest.raises(ShapeMismatch, match="x must have 4 axes"):
        F.conv2d(x[0], weight)
    with pytest.raises(ShapeMismatch, match=r"bias must have shape \[4\], got \[3\]"):
        F.conv2d(x, weight, tensor(3))
    with pytest.raises(ShapeMismatch, match="does not fit into spatial axis 0 of size 2"):
        F.conv2d(x[:, :, :2], weight)
    with pytest.raises(DTypeMismatch, match="one floating dtype"):
        F.conv2d(x, weight.astype("float32"))
    with pytest.raises(InvalidArgument, match="not both"):
        F.conv2d_transpose(x, tensor(3, 4, 3, 3), output_padding=1, stride=2, output_size=[12, 14])


def test_same_padding_with_dilation_warns_that_it_counts_as_one():
    x, weight = tensor(1, 1, 7, 7), tensor(1, 1, 3, 3)
    with pytest.warns(UserWarning, match="counts as 1"):
        out = F.conv2d(x, weight, padding="SAME", dilation=4)
    np.testing.assert_array_equal(out.numpy(), F.conv2d(x, weight, padding="SAME").numpy())
