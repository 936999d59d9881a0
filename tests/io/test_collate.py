"""From samples to batches."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import paddlite as paddle
from paddlite.io import default_collate_fn, default_convert_fn
from paddlite.io.dataloader.collate import to_tensors

Pair = namedtuple("Pair", "image label")
IMAGE = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.mark.parametrize(
    ("samples", "expected", "dtype"),
    [
        ([IMAGE, IMAGE + 1], [IMAGE, IMAGE + 1], "float32"),
        ([IMAGE.T, IMAGE.T], [IMAGE.T, IMAGE.T], "float32"),
        ([IMAGE, IMAGE.astype("float64")], [IMAGE, IMAGE], "float64"),
        ([IMAGE.astype(">f4"), IMAGE.astype(">f4")], [IMAGE, IMAGE], ">f4"),
        ([np.zeros((0, 2)), np.zeros((0, 2))], np.zeros((2, 0, 2)), "float64"),
        ([np.array(3), np.array(4)], [3, 4], "int64"),
        ([np.float32(3), np.float32(4)], [3, 4], "float32"),
        ([1, 2], [1, 2], "int64"),
        ([1, 2.5], [1, 2.5], "float64"),
        ([True, False], [True, False], "bool"),
        ([1j, 2], [1j, 2], "complex128"),
    ],
)
def test_arrays_and_numbers_are_stacked(samples, expected, dtype):
    batch = default_collate_fn(samples)
    np.testing.assert_array_equal(batch, expected)
    assert batch.dtype == dtype


def test_batch_has_memory_of_its_own():
    samples = [IMAGE.copy(), IMAGE.copy()]
    default_collate_fn(samples)[...] = -1
    np.testing.assert_array_equal(samples, [IMAGE, IMAGE])


def test_tensors_are_stacked():
    batch = default_collate_fn([paddle.to_tensor(IMAGE), paddle.to_tensor(IMAGE)])
    assert isinstance(batch, paddle.Tensor)
    np.testing.assert_array_equal(batch.numpy(), [IMAGE, IMAGE])


def test_structure_is_kept():
    batch = default_collate_fn(
        [{"a": (1, [2, "x"]), "b": OrderedDict(c=3)}, {"a": (4, [5, "y"]), "b": OrderedDict(c=6)}]
    )
    assert batch.keys() == {"a", "b"}
    first, (second, text) = batch["a"]
    assert (first.tolist(), second.tolist(), text) == ([1, 4], [2, 5], ["x", "y"])
    assert batch["b"]["c"].tolist() == [3, 6]
    assert type(batch["a"]) is list
    assert default_collate_fn([b"a", b"b"]) == [b"a", b"b"]
    assert default_collate_fn([(), ()]) == []


def test_named_tuples_stay_named():
    batch = default_collate_fn([Pair(IMAGE, 1), Pair(IMAGE, 2)])
    assert type(batch) is Pair
    assert batch.label.tolist() == [1, 2]
    assert type(to_tensors(batch, paddle.CPUPlace(), True)) is Pair


@pytest.mark.parametrize(
    ("samples", "error", "text"),
    [
        ([], ValueError, "at least one sample"),
        ([None, None], TypeError, "NoneType"),
        ([{1}, {2}], TypeError, "set"),
        ([IMAGE, IMAGE[:1]], ValueError, r"sample 1 has \[1, 3\]"),
        ([IMAGE, 3], ValueError, r"sample 1 has \[\]"),
        ([(1, 2), (1,)], ValueError, "sample 1 has 1"),
        ([{"a": 1}, {"b": 1}], KeyError, "sample 1 has not"),
        ([1, None], TypeError, "not all samples"),
        ([paddle.to_tensor(1.0), 2.0], TypeError, "sample 1 is of type float"),
    ],
)
def test_what_cannot_be_stacked_is_named(samples, error, text):
    with pytest.raises(error, match=text):
        default_collate_fn(samples)


def test_convert_turns_tuples_into_lists_only():
    assert default_convert_fn((1, "a", {"b": (2, None)})) == [1, "a", {"b": [2, None]}]
    assert default_convert_fn(Pair(1, (2,))) == Pair(1, [2])
    assert default_convert_fn(IMAGE) is IMAGE


def test_to_tensors_leaves_text_and_swaps_bytes():
    text, swapped = np.array(["a"]), IMAGE.astype(">f4")
    out = to_tensors([text, swapped, 3, (IMAGE,)], paddle.CPUPlace(), False)
    assert out[0] is text
    assert out[1].dtype == paddle.float32
    np.testing.assert_array_equal(out[1].numpy(), IMAGE)
    assert out[2] == 3
    assert isinstance(out[3], list)


def test_to_tensors_takes_over_fresh_arrays_only():
    own = IMAGE.copy()
    (taken,) = to_tensors([own], paddle.CPUPlace(), True)
    (copied,) = to_tensors([own], paddle.CPUPlace(), False)
    own += 1
    np.testing.assert_array_equal(taken.numpy(), IMAGE + 1)
    np.testing.assert_array_equal(copied.numpy(), IMAGE)
    own.flags.writeable = False
    (frozen,) = to_tensors([own], paddle.CPUPlace(), True)
    frozen[0, 0] = 9.0
    assert own[0, 0] == 1
