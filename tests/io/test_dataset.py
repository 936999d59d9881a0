"""Data sets and their combinations."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import io
from tests.io.data import Numbers, Stream


def test_a_bare_dataset_says_what_to_define():
    with pytest.raises(NotImplementedError, match="__getitem__"):
        io.Dataset()[0]
    with pytest.raises(NotImplementedError, match="__len__"):
        len(io.Dataset())
    with pytest.raises(NotImplementedError, match="__iter__"):
        iter(io.IterableDataset())


def test_a_stream_has_neither_numbers_nor_length():
    with pytest.raises(RuntimeError, match="no numbered samples"):
        Stream(3)[0]
    with pytest.raises(RuntimeError, match="length is not known"):
        len(Stream(3))
    assert list(Stream(3)) == [0, 1, 2]  # `list` asks for the length first


def test_datasets_can_be_generic():
    class Typed(io.Dataset[int]):
        def __getitem__(self, index):
            return index

    assert Typed()[4] == 4


@pytest.mark.parametrize("make", [paddle.to_tensor, np.asarray])
def test_tensor_dataset_slices_all_tensors(make):
    data = io.TensorDataset([make(np.arange(8.0).reshape(4, 2)), make(np.arange(4))])
    assert len(data) == 4
    for index in (1, -3):
        x, y = data[index]
        assert x.tolist() == [2.0, 3.0]
        assert y.tolist() == 1
    assert [part.tolist() for part in data[1:3]] == [[[2.0, 3.0], [4.0, 5.0]], [1, 2]]
    with pytest.raises(IndexError):
        data[4]


def test_tensor_dataset_keeps_gradients():
    x = paddle.to_tensor([[1.0], [2.0]], stop_gradient=False)
    (part,) = io.TensorDataset([x])[1]
    (part * 3.0).backward()
    assert x.grad.tolist() == [[0.0], [3.0]]


@pytest.mark.parametrize("shapes", [[(4, 2), (3,)], [(2,), ()]])
def test_tensor_dataset_wants_one_first_size(shapes):
    with pytest.raises(AssertionError, match="same first size"):
        io.TensorDataset([paddle.to_tensor(np.zeros(shape)) for shape in shapes])


def test_compose_joins_fields():
    data = io.ComposeDataset([Numbers(3, lambda i: (i, -i)), Numbers(3, lambda i: 10 * i)])
    assert len(data) == 3
    assert data[2] == (2, -2, 20)


def test_chain_gives_one_stream_after_the_other():
    assert list(io.ChainDataset([Stream(2), Stream(3)])) == [0, 1, 0, 1, 2]


def test_concat_numbers_through():
    data = io.ConcatDataset([Numbers(2), Numbers(0), Numbers(3, lambda i: 10 * i)])
    assert data.cumulative_sizes == [2, 2, 5]
    assert [int(data[i]) for i in range(-5, 5)] == [0, 1, 0, 10, 20] * 2
    for index in (5, -6):
        with pytest.raises(IndexError, match="5 samples"):
            data[index]


@pytest.mark.parametrize(
    ("kind", "parts", "text"),
    [
        (io.ComposeDataset, [], "at least one"),
        (io.ComposeDataset, [Numbers(3), Numbers(4)], r"\[3, 4\]"),
        (io.ComposeDataset, [Numbers(3), Stream(3)], r"datasets\[1\]"),
        (io.ChainDataset, [], "at least one"),
        (io.ChainDataset, [Numbers(3)], "must be an IterableDataset"),
        (io.ConcatDataset, [], "at least one"),
        (io.ConcatDataset, [Stream(3)], r"datasets\[0\]"),
    ],
)
def test_combinations_refuse_what_does_not_fit(kind, parts, text):
    with pytest.raises(AssertionError, match=text):
        kind(parts)


def test_subset_picks():
    part = io.Subset(Numbers(10), [3, 5])
    assert len(part) == 2
    assert int(part[1]) == 5
    with pytest.raises(IndexError):
        part[2]


@pytest.mark.parametrize(
    ("lengths", "counts"),
    [([3, 7], [3, 7]), ([0, 10], [0, 10]), ([0.33, 0.67], [4, 6]), ([1 / 3, 1 / 3, 1 / 3], [4, 3, 3])],
)
def test_random_split_parts_are_disjoint_and_complete(lengths, counts):
    parts = io.random_split(Numbers(10), lengths)
    assert [len(part) for part in parts] == counts
    assert sorted(i for part in parts for i in part.indices) == list(range(10))


@pytest.mark.parametrize("lengths", [[3, 6], [0.5, 0.6], [0.5, 0.3], [-0.5, 1.5], [-1, 11]])
def test_random_split_refuses_lengths_that_do_not_add_up(lengths):
    with pytest.raises(ValueError, match="random_split"):
        io.random_split(Numbers(10), lengths)


def test_random_split_warns_of_an_empty_part():
    with pytest.warns(UserWarning, match="part 1 of 1 samples"):
        parts = io.random_split(Numbers(1), [0.5, 0.5])
    assert [len(part) for part in parts] == [1, 0]


def test_random_split_follows_its_generator():
    def split(generator=None):
        return [part.indices for part in io.random_split(Numbers(30), [10, 20], generator)]

    def generators(seed):
        return type(paddle.seed(0))(seed), np.random.default_rng(seed), np.random.RandomState(seed)

    for one, same, other in zip(generators(1), generators(1), generators(2)):
        first = split(one)
        assert first == split(same)
        assert first != split(other)
    paddle.seed(4)
    np.random.rand()  # NumPy's generator has no say
    drawn = split()
    paddle.seed(4)
    assert split() == drawn
    with pytest.raises(TypeError, match="generator must be"):
        split(3)
