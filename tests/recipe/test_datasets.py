"""Digits and text as data sets."""

import numpy as np
import pytest

from paddlite.recipe.datasets.digits import Digits
from paddlite.recipe.datasets.text import Text


def test_digits_are_divided_once_and_for_all():
    train, test = Digits("train"), Digits("test")
    assert (len(train), len(test)) == (1437, 360)
    assert sorted(set(train.labels)) == list(range(10))
    assert not {image.tobytes() for image in test.images} <= {image.tobytes() for image in train.images}


@pytest.mark.parametrize("digits", [[7, 2], [0], list(range(9, -1, -1))])
def test_some_digits_are_classes_in_the_order_given(digits):
    every, some = Digits("test"), Digits("test", digits=digits)
    taken = np.isin(every.labels, digits)
    np.testing.assert_array_equal(some.images, every.images[taken])
    np.testing.assert_array_equal(np.array(digits)[some.labels], every.labels[taken])
    assert some.classes == [str(d) for d in digits]
    assert some[0][1].dtype == np.int64


@pytest.mark.parametrize(
    "options", [{"split": "all"}, {"size": 9}, {"digits": []}, {"digits": [1, 1]}, {"digits": [10]}]
)
def test_what_there_is_not_is_told(options):
    with pytest.raises(ValueError, match="Digits: "):
        Digits(**options)


def test_text_windows_are_shifted_by_one(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("abcdefghij" * 10)
    train, test = Text(str(path), context=4), Text(str(path), "test", context=4)
    window, later = train[3]
    assert "".join(train.symbols[i] for i in window) == "defg"
    np.testing.assert_array_equal(window[1:], later[:-1])
    assert (len(train), len(test)) == (86, 2)
    assert len(train[len(train) - 1][1]) == len(test[len(test) - 1][1]) == 4
