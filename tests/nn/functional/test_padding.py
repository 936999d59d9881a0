"""Borders: which widths go where, and what they hold.  Values are NumPy's `pad`."""

import numpy as np
import pytest

import paddlite as paddle
import paddlite.nn.functional as F
from paddlite.core.errors import InvalidArgument

NUMPY_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def counted(*shape, dtype="float64"):
    return paddle.to_tensor(np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype))


@pytest.mark.parametrize("mode", NUMPY_MODES)
@pytest.mark.parametrize(
    ("shape", "data_format", "pad", "pairs"),
    [
        ((1, 2, 4), None, [1, 2], [(0, 0), (0, 0), (1, 2)]),
        ((1, 4, 2), "NLC", [1, 2], [(0, 0), (1, 2), (0, 0)]),
        ((2, 1, 3, 4), None, [1, 2, 0, 1], [(0, 0), (0, 0), (0, 1), (1, 2)]),
        ((2, 3, 4, 1), "NHWC", (1, 2, 0, 1), [(0, 0), (0, 1), (1, 2), (0, 0)]),
        ((1, 1, 2, 3, 3), "NCDHW", [2, 1, 0, 1, 1, 0], [(0, 0), (0, 0), (1, 0), (0, 1), (2, 1)]),
        ((1, 2, 2, 3), "NCHW", 1, [(0, 0), (0, 0), (1, 1), (1, 1)]),
    ],
)
def test_spatial_axes_are_padded_the_last_first(mode, shape, data_format, pad, pairs):
    x = counted(*shape)
    want = np.pad(x.numpy(), pairs, NUMPY_MODES[mode])
    np.testing.assert_array_equal(F.pad(x, pad, mode=mode, data_format=data_format).numpy(), want)


@pytest.mark.parametrize(
    ("shape", "pad", "options", "pairs"),
    [
        ((2, 3), [1, 2, 0, 1], {}, [(1, 2), (0, 1)]),
        ((2, 3), [1, 2, 0, 1], {"pad_from_left_axis": False}, [(0, 1), (1, 2)]),
        ((2, 3), [1, 2], {}, [(0, 0), (1, 2)]),
        ((3,), [1, 2], {}, [(1, 2)]),
        ((1, 1, 2, 3), [0, 1, 0, 0, 1, 0, 0, 2], {}, [(0, 1), (0, 0), (1, 0), (0, 2)]),
        ((1, 1, 2, 3), [0, 1, 0, 0, 1, 0, 0, 2], {"pad_from_left_axis": False}, [(0, 2), (1, 0), (0, 0), (0, 1)]),
        ((1, 1, 2, 3), [1, 2, 0, 0, 1, 1], {}, [(0, 0), (1, 1), (0, 0), (1, 2)]),
        ((1, 1, 2, 3), [1, 2], {}, [(0, 0), (0, 0), (0, 0), (1, 2)]),
    ],
)
def test_constants_pad_any_axes(shape, pad, options, pairs):
    x = counted(*shape)
    np.testing.assert_array_equal(F.pad(x, pad, **options).numpy(), np.pad(x.numpy(), pairs))
    got = F.pad(x.astype("int64"), pad, value=7, **options)
    np.testing.assert_array_equal(got.numpy(), np.pad(x.numpy(), pairs, constant_values=7))
    assert str(got.dtype) == "paddle.int64"


def test_negative_widths_cut_off():
    x = counted(1, 1, 2, 4)
    assert F.pad(x, [-1, -2, 0, 0]).tolist() == [[[[2], [6]]]]
    assert F.pad(x, [-1, 1, 0, 0], mode="reflect").tolist() == [[[[2, 3, 4, 3], [6, 7, 8, 7]]]]


def test_widths_may_be_tensors():
    x = counted(1, 1, 2, 3)
    want = F.pad(x, [1, 0, 0, 2]).numpy()
    np.testing.assert_array_equal(F.pad(x, paddle.to_tensor([1, 0, 0, 2])).numpy(), want)
    np.testing.assert_array_equal(F.pad(x, [paddle.to_tensor(1), 0, 0, 2]).numpy(), want)


def test_zeropad2d():
    x = counted(1, 1, 2, 3)
    want = np.pad(x.numpy(), [(0, 0), (0, 0), (0, 1), (1, 2)])
    np.testing.assert_array_equal(F.zeropad2d(x, [1, 2, 0, 1]).numpy(), want)
    assert F.zeropad2d(counted(1, 2, 3, 1), 1, data_format="NHWC").shape == [1, 4, 5, 1]


@pytest.mark.parametrize(
    ("shape", "pad", "options", "text"),
    [
        ((1, 1, 2, 3), [1, 1, 1], {}, "2 widths an axis"),
        ((2,), [1, 1, 1, 1], {}, "at most 2 in all"),
        ((1, 1, 2, 3), [1, 1, 1, 1.5], {}, "must be ints"),
        ((1, 1, 2, 3), [1, 1, 1, 1], {"mode": "mirror"}, "mode must be one of"),
        ((1, 1, 2, 3), [1, 1, 1, 1], {"data_format": "NCL"}, "data_format"),
        ((2, 3), [1, 1], {"mode": "reflect"}, "3 to 5 axes"),
        ((1, 1, 2, 3), [3, 0, 0, 0], {"mode": "reflect"}, "pads an axis of size 3 by 0 to 2"),
        ((1, 1, 2, 3), [4, 0, 0, 0], {"mode": "circular"}, "0 to 3"),
    ],
)
def test_wrong_widths_are_named(shape, pad, options, text):
    with pytest.raises(InvalidArgument, match=text):
        F.pad(counted(*shape), pad, **options)


def test_a_border_does_not_change_how_memory_is_laid_out():
    x = paddle.to_tensor(np.zeros((3, 4, 5, 2)).transpose(3, 0, 1, 2))  # the batch last, as convolutions leave it
    assert np.argsort(F.pad(x, [1, 1, 1, 1])._data.strides).tolist() == np.argsort(x._data.strides).tolist()
