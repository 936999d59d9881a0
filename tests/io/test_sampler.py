"""Samplers and batch samplers."""

from itertools import chain

import numpy as np
import pytest

import paddlite as paddle
from paddlite import io
from paddlite.backend.world import WORLD
from tests.io.data import Numbers, Stream

SAMPLERS = {
    "random": lambda: io.RandomSampler(range(40)),
    "replacement": lambda: io.RandomSampler(range(40), True),
    "weighted": lambda: io.WeightedRandomSampler([1.0] * 40, 20),
    "subset": lambda: io.SubsetRandomSampler(range(40)),
    "batch": lambda: chain(*io.BatchSampler(range(40), shuffle=True, batch_size=3)),
}


def seed_paddle():
    paddle.seed(5)


def seed_numpy():
    np.random.seed(5)


def seed_both():
    np.random.seed(6)
    paddle.seed(5)


ORDERS = [(name, seed) for name in SAMPLERS for seed in (seed_paddle, seed_numpy, seed_both)]
ORDERS.remove(("subset", seed_numpy))  # follows paddle.seed alone, as in Paddle


@pytest.mark.parametrize(("name", "seed"), ORDERS)
def test_order_repeats_under_a_seed_and_differs_between_passes(name, seed):
    runs = []
    for _ in range(2):
        np.random.rand()  # the second run starts elsewhere
        seed()
        runs.append([list(SAMPLERS[name]()) for _ in range(2)])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    assert all(type(i) is int for i in runs[0][0])


def test_order_under_numpy_seed_is_that_of_paddle():
    np.random.seed(3)
    assert list(io.RandomSampler(range(10))) == [5, 4, 1, 2, 9, 6, 7, 0, 3, 8]  # paddlepaddle 3.3.1, also below
    np.random.seed(3)
    assert list(io.RandomSampler(range(10), True, 6)) == [8, 9, 3, 8, 8, 0]
    np.random.seed(3)
    assert list(io.WeightedRandomSampler([0.1, 0.2, 0.3], 6)) == [2, 2, 1, 2, 2, 2]


def test_sequence_sampler_counts():
    sampler = io.SequenceSampler(Numbers(3))
    assert list(sampler) == [0, 1, 2]
    assert len(sampler) == 3


def test_a_bare_sampler_says_what_to_define():
    with pytest.raises(NotImplementedError, match="__iter__"):
        iter(io.Sampler())


def test_random_sampler_counts():
    some = io.RandomSampler(range(10), num_samples=4)
    assert len(some) == len(set(some)) == 4
    many = io.RandomSampler(range(3), True, 20)
    assert len(many) == len(list(many)) == 20
    assert set(many) <= {0, 1, 2}


def test_random_sampler_takes_a_generator():
    given = io.RandomSampler(range(10), generator=iter([3, 4, 5]))
    assert list(given) == [3, 4, 5]
    runs = [list(io.RandomSampler(range(10), generator=np.random.default_rng(1))) for _ in range(2)]
    assert runs[0] == runs[1]


def test_weighted_sampler_follows_the_weights():
    paddle.seed(1)
    drawn = np.bincount(list(io.WeightedRandomSampler(paddle.to_tensor([1.0, 0.0, 3.0]), 4000)), minlength=3)
    np.testing.assert_allclose(drawn / 4000, [0.25, 0.0, 0.75], atol=0.03)  # 4 standard deviations
    assert sorted(io.WeightedRandomSampler(np.array([0.0, 5.0, 5.0]), 2, replacement=False)) == [1, 2]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: io.RandomSampler(range(3), 1), TypeError, "replacement must be"),
        (lambda: io.RandomSampler(range(3), num_samples=0), ValueError, "num_samples"),
        (lambda: io.RandomSampler(range(3), num_samples=2.5), ValueError, "num_samples"),
        (lambda: io.RandomSampler(range(3), num_samples=4), ValueError, "only 3 samples"),
        (lambda: io.RandomSampler([]), ValueError, "num_samples"),
        (lambda: io.WeightedRandomSampler([1.0], 0), ValueError, "num_samples"),
        (lambda: io.WeightedRandomSampler([1.0], 1, 3), ValueError, "replacement must be"),
        (lambda: io.WeightedRandomSampler([[1.0]], 1), AssertionError, "one axis"),
        (lambda: io.WeightedRandomSampler([-1.0, 2.0], 1), AssertionError, "none below 0"),
        (lambda: io.WeightedRandomSampler([0.0, 0.0], 1), AssertionError, "some above 0"),
        (lambda: io.WeightedRandomSampler([0.0, float("nan")], 1), AssertionError, "finite"),
        (lambda: io.WeightedRandomSampler([0.0, 1.0], 2, False), AssertionError, "only 1 weights"),
        (lambda: io.SubsetRandomSampler([]), ValueError, "at least one"),
        (lambda: io.BatchSampler(), AssertionError, "either dataset or sampler"),
        (lambda: io.BatchSampler([1], [1]), AssertionError, "either dataset or sampler"),
        (lambda: io.BatchSampler(Stream(3)), AssertionError, "no numbered samples"),
        (lambda: io.BatchSampler(sampler=3), AssertionError, "sampler must be"),
        (lambda: io.BatchSampler(sampler=[1], shuffle=True), AssertionError, "shuffle=True"),
        (lambda: io.BatchSampler([1], batch_size=0), AssertionError, "batch_size"),
        (lambda: io.BatchSampler([1], batch_size=2.0), AssertionError, "batch_size"),
        (lambda: io.BatchSampler([1], drop_last=1), AssertionError, "drop_last"),
        (lambda: io.DistributedBatchSampler([1], 0), AssertionError, "batch_size"),
        (lambda: io.DistributedBatchSampler([1], 1, 0), AssertionError, "num_replicas"),
        (lambda: io.DistributedBatchSampler([1], 1, 2, 2), AssertionError, "below num_replicas"),
        (lambda: io.DistributedBatchSampler([1], 1, 2, -1), AssertionError, "rank"),
        (lambda: io.DistributedBatchSampler([1], 1, shuffle=1), AssertionError, "shuffle"),
    ],
)
def test_samplers_refuse_what_does_not_fit(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(("drop_last", "batches"), [(False, [[0, 1], [2, 3], [4]]), (True, [[0, 1], [2, 3]])])
@pytest.mark.parametrize(
    "source", [{"dataset": Numbers(5)}, {"sampler": range(5)}, {"sampler": io.SequenceSampler("abcde")}]
)
def test_batch_sampler_groups(source, drop_last, batches):
    sampler = io.BatchSampler(**source, batch_size=2, drop_last=drop_last)
    assert list(sampler) == batches
    assert len(sampler) == len(batches)


def shares(size, batch_size, ranks, **options):
    return [io.DistributedBatchSampler(range(size), batch_size, ranks, rank, **options) for rank in range(ranks)]


@pytest.mark.parametrize(
    ("size", "batch_size", "ranks", "expected"),  # what paddlepaddle 3.3.1 gives
    [
        (11, 4, 2, [[[0, 1, 2, 3], [8, 9]], [[4, 5, 6, 7], [10, 0]]]),
        (10, 2, 2, [[[0, 1], [4, 5], [8]], [[2, 3], [6, 7], [9]]]),
        (10, 4, 4, [[[0, 1, 2]], [[3, 4, 5]], [[6, 7, 8]], [[9, 0, 1]]]),
        (16, 2, 3, [[[0, 1], [6, 7], [12, 13]], [[2, 3], [8, 9], [14, 15]], [[4, 5], [10, 11], [0, 1]]]),
        (1, 2, 3, [[[0]], [[0]], [[0]]]),
        (0, 2, 2, [[], []]),
    ],
)
def test_distributed_shares_are_those_of_paddle(size, batch_size, ranks, expected):
    samplers = shares(size, batch_size, ranks)
    assert [list(sampler) for sampler in samplers] == expected
    assert [len(sampler) for sampler in samplers] == [len(batches) for batches in expected]
    full = [[batch for batch in batches if len(batch) == batch_size] for batches in expected]
    dropping = shares(size, batch_size, ranks, drop_last=True)
    assert [list(sampler) for sampler in dropping] == full
    assert [len(sampler) for sampler in dropping] == [len(batches) for batches in full]


def test_distributed_order_is_that_of_paddle():
    sampler = io.DistributedBatchSampler(range(11), 2, 2, 0, shuffle=True)
    sampler.set_epoch(5)
    assert list(sampler) == [[7, 5], [0, 4], [0, 10]]  # paddlepaddle 3.3.1
    assert sampler.epoch == 6


def test_distributed_ranks_agree_on_each_epoch():
    def epoch(number):
        samplers = shares(12, 2, 3, shuffle=True)
        for rank, sampler in enumerate(samplers):
            paddle.seed(rank)  # ranks may be seeded differently
            sampler.set_epoch(number)
        return [list(chain(*sampler)) for sampler in samplers]

    first = epoch(0)
    assert sorted(chain(*first)) == list(range(12))
    assert first == epoch(0)
    assert first != epoch(1)


def test_distributed_sampler_knows_its_job(monkeypatch):
    assert list(io.DistributedBatchSampler(range(4), 2)) == [[0, 1], [2, 3]]
    monkeypatch.setenv("PADDLITE_RANK", "1")
    monkeypatch.setenv("PADDLITE_WORLD_SIZE", "2")
    assert list(io.DistributedBatchSampler(range(4), 2)) == [[2, 3]]
    monkeypatch.setattr(WORLD, "communicator", object())  # what `init_parallel_env` found goes first
    monkeypatch.setattr(WORLD, "rank", 0)
    monkeypatch.setattr(WORLD, "size", 4)
    assert list(io.DistributedBatchSampler(range(4), 2)) == [[0]]
