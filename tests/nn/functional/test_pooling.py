"""Pools as users call them.  Numbers written out are by hand or from the definition."""

import numpy as np
import pytest

import paddlite as paddle
import paddlite.nn.functional as F
from paddlite.core.errors import IndexOutOfRange, InvalidArgument, ShapeMismatch
from paddlite.core.program import Program, recording

nan, inf = float("nan"), float("inf")


def counted(*shape, dtype="float64"):
    return paddle.to_tensor(np.arange(np.prod(shape)).reshape(shape).astype(dtype))


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({"kernel_size": 2}, [3, 4]),
        ({"kernel_size": [3], "stride": 2, "ceil_mode": True}, [3, 4]),
        ({"kernel_size": 3, "stride": 2, "padding": 1}, [4, 4]),
        ({"kernel_size": 3, "stride": 2, "padding": "SAME"}, [4, 4]),
        ({"kernel_size": 3, "padding": "valid"}, [2, 2]),
        ({"kernel_size": (2, 3), "stride": (1, 2), "padding": (1, 1)}, [8, 4]),
        ({"kernel_size": 3, "padding": [1, 0, 0, 1]}, [2, 3]),
        ({"kernel_size": 3, "padding": [[0, 0], [0, 0], [1, 0], [0, 1]]}, [2, 3]),
        ({"kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": True}, [4, 4]),
        ({"kernel_size": 9}, [1, 1]),
    ],
)
def test_sizes(options, shape):
    x = counted(2, 3, 7, 8)
    assert F.max_pool2d(x, **options).shape == [2, 3, *shape]
    assert F.avg_pool2d(x, **options).shape == [2, 3, *shape]
    out, mask = F.max_pool2d(x, **options, return_mask=True)
    assert (out.shape, mask.shape, str(mask.dtype)) == ([2, 3, *shape], [2, 3, *shape], "paddle.int32")


def test_first_of_equal_maxima_gets_the_gradient():
    for stride, want in [(2, [[1, 0], [0, 0]]), (1, [[1, 1, 0], [1, 1, 0], [0, 0, 0]])]:
        x = paddle.to_tensor(np.ones((1, 1, len(want), len(want))), stop_gradient=False)
        out = F.max_pool2d(x, 2, stride)
        out.backward(paddle.to_tensor(np.ones(out.shape)))
        assert x.grad.tolist() == [[want]]
    x = paddle.to_tensor([[[[1.0, 5.0], [5.0, 2.0]]]], stop_gradient=False)  # row-major: the right one of the first row
    F.max_pool2d(x, 2).backward()
    assert x.grad.tolist() == [[[[0, 1], [0, 0]]]]
    assert F.max_pool2d(x, 2, return_mask=True)[1].tolist() == [[[[1]]]]


def test_nan_is_the_largest_and_infinity_is_kept():
    x = paddle.to_tensor([[[[1.0, nan], [3.0, 1.0]], [[-inf, -inf], [-inf, -inf]]]])
    out, mask = F.max_pool2d(x, 2, return_mask=True)
    np.testing.assert_array_equal(out.numpy().ravel(), [nan, -inf])
    assert mask.numpy().ravel().tolist() == [1, 0]
    np.testing.assert_array_equal(F.max_pool2d(x, 2).numpy(), out.numpy())


def test_a_window_of_padding_alone_gives_the_lowest_number():
    x, lowest = paddle.to_tensor([[[1.0, 2.0, 3.0]]]), float(np.finfo("float32").min)
    assert F.max_pool1d(x, 2, 2, 1, ceil_mode=True).tolist() == [[[1, 3, lowest]]]
    out, mask = F.max_pool1d(x, 2, 2, 1, return_mask=True, ceil_mode=True)
    assert out.tolist() == [[[1, 3, lowest]]]
    assert mask.tolist() == [[[0, 2, -1]]]
    assert F.avg_pool1d(x, 2, 2, 1, ceil_mode=True).tolist() == [[[1, 2.5, 0]]]


def test_mask_counts_over_the_flattened_image():
    assert F.max_pool1d(counted(2, 3, 9), 2, return_mask=True)[1].tolist() == [[[1, 3, 5, 7]] * 3] * 2
    mask = F.max_pool3d(counted(1, 1, 4, 4, 4), 2, return_mask=True)[1]
    assert mask.tolist() == [[[[[21, 23], [29, 31]], [[53, 55], [61, 63]]]]]
    assert F.adaptive_max_pool2d(counted(1, 1, 3, 4), [2, 2], return_mask=True)[1].tolist() == [[[[5, 7], [9, 11]]]]


def test_gradient_by_the_mask_equals_the_one_without():
    values = np.random.default_rng(0).standard_normal((2, 3, 7, 7))
    grads = []
    for return_mask in (False, True):
        x = paddle.to_tensor(values, stop_gradient=False)
        out = F.max_pool2d(x, 3, 2, 1, return_mask=return_mask)
        out = out[0] if return_mask else out
        out.backward(counted(*out.shape))
        grads.append(x.grad.numpy())
    np.testing.assert_array_equal(*grads)


def test_means_at_the_border():
    ones = paddle.to_tensor(np.ones((1, 1, 6, 6)))
    np.testing.assert_array_equal(F.avg_pool2d(ones, 3, 2, 1, ceil_mode=True).numpy(), np.ones((1, 1, 4, 4)))
    row = np.array([2 / 3, 1, 1, 1 / 2])
    got = F.avg_pool2d(ones, 3, 2, 1, ceil_mode=True, exclusive=False).numpy()
    np.testing.assert_allclose(got[0, 0], np.outer(row, row), rtol=1e-12)
    got = F.avg_pool2d(ones, 3, 2, 1, divisor_override=2).numpy()
    np.testing.assert_allclose(got[0, 0], np.outer([2, 3, 3], [2, 3, 3]) / 2, rtol=1e-12)


def test_one_axis_and_three_axes():
    x = counted(1, 2, 6)
    assert F.max_pool1d(x, 2, padding=[0]).tolist() == [[[1, 3, 5], [7, 9, 11]]]
    assert F.avg_pool1d(x, 3, 3, 1).tolist() == [[[0.5, 3], [6.5, 9]]]
    assert F.avg_pool1d(x, 2, padding="SAME").tolist() == [[[0.5, 2.5, 4.5], [6.5, 8.5, 10.5]]]
    assert F.adaptive_avg_pool1d(x, 4).tolist() == [[[0.5, 1.5, 3.5, 4.5], [6.5, 7.5, 9.5, 10.5]]]
    assert F.adaptive_max_pool1d(x, 2).tolist() == [[[2, 5], [8, 11]]]
    x = counted(1, 1, 2, 2, 4)
    assert F.max_pool3d(x, 2).tolist() == [[[[[13, 15]]]]]
    assert F.avg_pool3d(x, (2, 2, 4)).tolist() == [[[[[7.5]]]]]
    assert F.adaptive_avg_pool3d(x, [None, 1, 1]).tolist() == [[[[[3.5]], [[11.5]]]]]
    assert F.adaptive_max_pool3d(x, 1, return_mask=True)[1].tolist() == [[[[[15]]]]]


def test_channels_last():
    values = np.random.default_rng(1).standard_normal((2, 3, 5, 6))
    first, last = paddle.to_tensor(values), paddle.to_tensor(values.transpose(0, 2, 3, 1))
    for function, options in [
        (F.max_pool2d, {"kernel_size": 3, "stride": 2, "padding": 1}),
        (F.avg_pool2d, {"kernel_size": 3, "stride": 2, "padding": 1}),
        (F.adaptive_avg_pool2d, {"output_size": [2, 4]}),
    ]:
        want = function(first, **options).numpy().transpose(0, 2, 3, 1)
        np.testing.assert_array_equal(function(last, **options, data_format="NHWC").numpy(), want)


def test_unpooling_puts_maxima_back():
    pool, mask = F.max_pool2d(counted(1, 2, 5, 6), 2, return_mask=True)
    back = F.max_unpool2d(pool, mask, 2)
    assert back.shape == [1, 2, 4, 6]
    for size in ([5, 6], [1, 2, 5, 6], (5, 6)):
        full = F.max_unpool2d(pool, mask, 2, output_size=size).numpy()
        assert full.shape == (1, 2, 5, 6)
        np.testing.assert_array_equal(full[full > 0], pool.numpy().ravel())
    line, mask = F.max_pool1d(counted(1, 2, 7), 2, return_mask=True)
    assert F.max_unpool1d(line, mask, 2, output_size=[7]).tolist() == [[[0, 1, 0, 3, 0, 5, 0], [0, 8, 0, 10, 0, 12, 0]]]
    cube, mask = F.max_pool3d(counted(1, 2, 4, 4, 4), 2, return_mask=True)
    assert F.max_unpool3d(cube, mask, 2).shape == [1, 2, 4, 4, 4]


def test_unpooling_names_what_is_wrong():
    pool, mask = F.max_pool2d(counted(1, 2, 4, 6), 2, return_mask=True)
    with pytest.raises(InvalidArgument, match="must lie between 2 and 6"):
        F.max_unpool2d(pool, mask, 2, output_size=[9, 9])
    with pytest.raises(IndexOutOfRange, match=r"must lie in \[0, 24\)"):
        F.max_unpool2d(pool, mask + 100, 2)
    with pytest.raises(ShapeMismatch, match="must have the shape of x"):
        F.max_unpool2d(pool, mask[:, :1], 2)
    with pytest.raises(InvalidArgument, match="must be 'NCHW'"):
        F.max_unpool2d(pool, mask, 2, data_format="NHWC")


@pytest.mark.parametrize(
    ("function", "options", "error", "text"),
    [
        ("max_pool2d", {"kernel_size": 3, "padding": "VALID", "ceil_mode": True}, InvalidArgument, "use padding=0"),
        ("max_pool2d", {"kernel_size": 2, "data_format": "NHWC", "return_mask": True}, InvalidArgument, "data_format"),
        ("max_pool2d", {"kernel_size": 0}, InvalidArgument, "kernel_size must be at least 1"),
        ("max_pool2d", {"kernel_size": 2, "stride": 0}, InvalidArgument, "stride must be at least 1"),
        ("avg_pool2d", {"kernel_size": 2, "padding": [1, 1, 1]}, InvalidArgument, "padding must be"),
        ("avg_pool2d", {"kernel_size": 2, "divisor_override": 0}, InvalidArgument, "divisor_override"),
        ("avg_pool2d", {"kernel_size": (20, 2), "stride": 1}, ShapeMismatch, "window of 20 does not fit"),
        ("adaptive_avg_pool2d", {"output_size": (1, 2, 3)}, InvalidArgument, "output_size"),
        ("adaptive_avg_pool2d", {"output_size": -1}, InvalidArgument, "negative"),
        ("adaptive_max_pool2d", {"output_size": "x"}, InvalidArgument, "must hold ints"),
        ("max_pool3d", {"kernel_size": 2}, ShapeMismatch, "must have 5 axes"),
    ],
)
def test_wrong_options_are_named(function, options, error, text):
    with pytest.raises(error, match=text):
        getattr(F, function)(counted(2, 3, 5, 6), **options)


def test_sizes_unknown_in_a_program():
    program = Program()
    x = program.data("x", [-1, 3, 8, -1], np.dtype("float32"))
    with recording(program):
        assert F.max_pool2d(x, 2).shape == [-1, 3, 4, -1]
        assert F.adaptive_avg_pool2d(x, [None, 2]).shape == [-1, 3, 8, 2]
        out, mask = F.max_pool2d(x, 3, 2, return_mask=True)
        assert out.shape == mask.shape == [-1, 3, 3, -1]
        with pytest.raises(InvalidArgument, match="give output_size"):
            F.max_unpool2d(out, mask, 2)


def test_empty_batch():
    x = paddle.to_tensor(np.zeros((0, 2, 4, 4), "float32"), stop_gradient=False)
    for out in (F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 3), F.adaptive_max_pool2d(x, 3)):
        assert out.shape[0] == 0
        out.backward(paddle.to_tensor(np.zeros(out.shape, "float32")))
    assert x.grad.shape == [0, 2, 4, 4]


def test_powers():
    x = paddle.to_tensor([[[-1.0, 2.0, -3.0, 4.0, 0.0, 0.0]]], stop_gradient=False)
    np.testing.assert_allclose(F.lp_pool1d(x, 2, 2).numpy()[0, 0], [5**0.5, 5, 0], rtol=1e-6)
    np.testing.assert_allclose(F.lp_pool1d(x, 1, 2).numpy()[0, 0], [1, 1, 0], rtol=1e-6)
    assert F.lp_pool1d(x, inf, 2).tolist() == [[[2, 4, 0]]]
    F.lp_pool1d(x, 2.0, 2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[0, 0], [-(5**-0.5), 2 * 5**-0.5, -0.6, 0.8, 0, 0], rtol=1e-6)
    grid = counted(1, 4, 4, 1)
    got = F.lp_pool2d(grid, 2, 2, data_format="NHWC").numpy()[0, :, :, 0]
    np.testing.assert_allclose(got, [[42**0.5, 98**0.5], [458**0.5, 642**0.5]])


def test_fractional_windows():
    x = counted(1, 1, 10, 10)
    mask = F.fractional_max_pool2d(x, 3, kernel_size=2, random_u=0.1, return_mask=True)[1]
    assert mask.tolist() == [[[[11, 15, 19], [51, 55, 59], [91, 95, 99]]]]
    assert F.fractional_max_pool2d(counted(1, 1, 6, 8), [3, None]).shape == [1, 1, 3, 8]
    cube = F.fractional_max_pool3d(counted(1, 1, 6, 6, 6), 3, random_u=0.4)
    assert cube.numpy().ravel()[[0, 1, -1]].tolist() == [43, 45, 215]
    paddle.seed(5)
    first = [F.fractional_max_pool2d(x, 4).numpy() for _ in range(8)]
    assert any((a != first[0]).any() for a in first)
    paddle.seed(5)
    for a in first:
        np.testing.assert_array_equal(F.fractional_max_pool2d(x, 4).numpy(), a)
    for u in (0, 1.0, -0.5):
        with pytest.raises(InvalidArgument, match="random_u"):
            F.fractional_max_pool2d(x, 4, random_u=u)
    with pytest.raises(ShapeMismatch, match="do not fit"):
        F.fractional_max_pool2d(x, 11)
