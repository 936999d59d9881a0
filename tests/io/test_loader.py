"""DataLoader: what batches look like, alike with and without workers."""

import copy
import sys
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest

import paddlite as paddle
from paddlite import io
from tests.io.data import Numbers, Stream, rows

IMAGE = np.arange(6, dtype="float32").reshape(2, 3)
BOTH = pytest.mark.parametrize("workers", [0, 2])


def first(make, **options):
    return next(iter(io.DataLoader(Numbers(4, make), **options)))


def shown(value):
    """`value` with tensors as (shape, dtype)."""
    if isinstance(value, paddle.Tensor):
        assert value.stop_gradient
        return tuple(value.shape), value.dtype.name
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, list) else value


@BOTH
@pytest.mark.parametrize(
    ("sample", "batch"),
    [
        (IMAGE, ((2, 2, 3), "float32")),
        (3, ((2,), "int64")),
        (1.5, ((2,), "float64")),
        (np.zeros((0, 3)), ((2, 0, 3), "float64")),
        (np.zeros((3, 0), "int8"), ((2, 3, 0), "int8")),
        (IMAGE.astype("float16"), ((2, 2, 3), "float16")),
        (paddle.to_tensor(IMAGE), ((2, 2, 3), "float32")),
        (paddle.to_tensor([1.0], "bfloat16"), ((2, 1), "bfloat16")),
        ((IMAGE, 1), [((2, 2, 3), "float32"), ((2,), "int64")]),
        ({"a": [IMAGE, (1, "x")]}, {"a": [((2, 2, 3), "float32"), [((2,), "int64"), ["x", "x"]]]}),
        ("text", ["text", "text"]),
    ],
)
def test_batch_has_the_structure_of_a_sample(workers, sample, batch):
    assert shown(first(lambda i: sample, batch_size=2, num_workers=workers)) == batch


@BOTH
@pytest.mark.parametrize(
    ("sample", "out"),
    [
        (IMAGE, ((2, 3), "float32")),
        (np.zeros(0), ((0,), "float64")),
        ((IMAGE, 1), [((2, 3), "float32"), 1]),
        (3, 3),
        ("text", "text"),
    ],
)
def test_no_batch_size_gives_single_samples(workers, sample, out):
    assert shown(first(lambda i: sample, batch_size=None, num_workers=workers)) == out


@BOTH
def test_order_last_batch_and_length(workers):
    loader = io.DataLoader(Numbers(7), batch_size=2, num_workers=workers)
    assert rows(loader) == [[0, 1], [2, 3], [4, 5], [6]]
    assert len(loader) == len(iter(loader)) == 4
    dropping = io.DataLoader(Numbers(7), batch_size=2, drop_last=True, num_workers=workers)
    assert rows(dropping) == [[0, 1], [2, 3], [4, 5]]
    assert len(dropping) == 3
    singles = io.DataLoader(Numbers(3), batch_size=None, num_workers=workers)
    assert rows(singles()) == [0, 1, 2]
    assert len(singles) == 3


@BOTH
def test_streams_keep_their_last_batch(workers):
    loader = io.DataLoader(Stream(7, sharded=True), batch_size=2, num_workers=workers)
    if workers:  # two streams of 4 and 3 samples take turns
        assert rows(loader) == [[0, 2], [1, 3], [4, 6], [5]]
    else:
        assert rows(loader) == [[0, 1], [2, 3], [4, 5], [6]]
    with pytest.raises(TypeError, match="not known"):
        len(loader)
    dropping = io.DataLoader(Stream(7, sharded=True), batch_size=2, drop_last=True, num_workers=workers)
    assert [batch.tolist() for batch in list(dropping)] == rows(loader)[:3]
    assert rows(io.DataLoader(Stream(3), batch_size=None)) == [0, 1, 2]


def test_every_worker_reads_the_whole_stream():
    loader = io.DataLoader(Stream(3), batch_size=2, num_workers=2)
    assert rows(loader) == [[0, 1], [0, 1], [2], [2]]
    assert rows(io.DataLoader(Stream(0), num_workers=2)) == []
    assert rows(io.DataLoader(Stream(2, sharded=True), batch_size=None, num_workers=3)) == [0, 1]


@BOTH
def test_batch_sampler_decides(workers):
    assert rows(io.DataLoader(Numbers(9), batch_sampler=[[1, 2], [8]], num_workers=workers)) == [[1, 2], [8]]
    sampler = io.DistributedBatchSampler(range(5), 2, 2, 1)
    loader = io.DataLoader(Numbers(5), batch_sampler=sampler, num_workers=workers)
    assert rows(loader) == [[2, 3], [0]]
    assert len(loader) == 2
    arrays = [np.array([3, 4])]
    assert rows(io.DataLoader(Numbers(5), batch_sampler=arrays, num_workers=workers)) == [[3, 4]]


@BOTH
def test_collate_fn_makes_the_batch(workers):
    def collate(samples):
        return {"sum": np.sum(samples), "all": samples, "pair": (1, np.stack(samples)), "name": "x"}

    batch = first(np.array, batch_size=2, collate_fn=collate, num_workers=workers)
    assert shown(batch["all"]) == [((), "int64")] * 2
    assert shown(batch["pair"]) == [1, ((2,), "int64")]
    assert (int(batch["sum"]), batch["name"]) == (1, "x")


@BOTH
def test_shuffle_follows_the_seed_whatever_the_workers(workers):
    def passes(count):
        paddle.seed(3)
        loader = io.DataLoader(Numbers(20), batch_size=4, shuffle=True, num_workers=count)
        return [list(chain(*rows(loader))) for _ in range(2)]

    one, two = passes(workers)
    assert sorted(one) == sorted(two) == list(range(20))
    assert one != two
    assert passes(0) == [one, two]
    singles = io.DataLoader(Numbers(20), batch_size=None, shuffle=True, num_workers=workers)
    assert sorted(rows(singles)) == list(range(20)) != rows(singles)


@BOTH
def test_a_batch_shares_no_memory_with_the_data(workers):
    store = np.zeros((4, 2), "float32")
    for batch_size in (2, None):
        for batch in io.DataLoader(Numbers(4, store.__getitem__), batch_size=batch_size, num_workers=workers):
            batch[...] = 1.0
    for batch in io.DataLoader(Numbers(4, store.__getitem__), collate_fn=lambda samples: samples, num_workers=workers):
        batch[0][...] = 1.0
    assert not store.any()


@BOTH
def test_tensors_of_a_batch_share_no_memory(workers):
    for options in ({"batch_size": None}, {"collate_fn": lambda samples: (samples[0][0],) * 2}):
        pair = first(lambda i: (IMAGE, IMAGE), num_workers=workers, **options)
        pair[0][...] = -1.0
        np.testing.assert_array_equal(pair[1].numpy(), IMAGE)


@BOTH
def test_arrays_of_text_and_objects_stay_arrays(workers):
    text, objects = first(lambda i: (np.array(["a"]), np.array([{i}])), batch_size=2, num_workers=workers)
    np.testing.assert_array_equal(text, [["a"], ["a"]])
    np.testing.assert_array_equal(objects, [[{0}], [{1}]])


@BOTH
def test_an_error_in_a_stream_reaches_the_loop(workers):
    class Broken(io.IterableDataset):
        def __iter__(self):
            yield 1
            raise ValueError("in the stream")

    seen = []
    with pytest.raises(ValueError, match="in the stream"):
        for batch in io.DataLoader(Broken(), num_workers=workers):
            seen.append(int(batch))
    assert set(seen) == {1}


@BOTH
def test_a_list_is_a_dataset(workers):
    assert rows(io.DataLoader([5, 6, 7], batch_size=2, num_workers=workers)) == [[5, 6], [7]]


def test_feed_dicts_for_programs():
    names = [SimpleNamespace(name="image"), SimpleNamespace(name="label")]
    (feed,) = first(lambda i: (IMAGE, i), feed_list=names, return_list=False, batch_size=2)
    assert {name: shown(value) for name, value in feed.items()} == {
        "image": ((2, 2, 3), "float32"),
        "label": ((2,), "int64"),
    }
    with pytest.raises(AssertionError, match="feed_list"):
        io.DataLoader(Numbers(4), return_list=False)


@BOTH
def test_data_sets_run_eagerly_while_a_program_is_recorded(workers):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        loader = io.DataLoader(
            Numbers(4, lambda i: paddle.to_tensor([1.0]) * float(i)), batch_size=4, num_workers=workers
        )
        assert rows(loader) == [[[0.0], [1.0], [2.0], [3.0]]]
    assert not main.global_block().ops


@pytest.mark.parametrize("places", ["cpu", paddle.CPUPlace(), [paddle.CPUPlace()], None])
def test_places(places):
    assert first(np.array, places=places).place == paddle.CPUPlace()


def test_a_place_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="gpu:99"):
        io.DataLoader(Numbers(4), places="gpu:99")


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"batch_size": 0}, AssertionError, "batch_size"),
        ({"batch_size": 1.5}, AssertionError, "batch_size"),
        ({"num_workers": -1}, AssertionError, "num_workers"),
        ({"timeout": -1}, AssertionError, "timeout"),
        ({"prefetch_factor": 0}, AssertionError, "prefetch_factor"),
        ({"batch_sampler": [[1]], "batch_size": 2}, AssertionError, "belong to batch_sampler"),
        ({"batch_sampler": [[1]], "shuffle": True}, AssertionError, "belong to batch_sampler"),
        ({"batch_sampler": [[1]], "drop_last": True}, AssertionError, "belong to batch_sampler"),
        ({"dataset": Stream(3), "shuffle": True}, ValueError, "shuffle needs numbered"),
        ({"dataset": Stream(3), "batch_sampler": [[1]]}, ValueError, "batch_sampler needs numbered"),
        ({"dataset": Stream(3), "batch_size": 0}, AssertionError, "batch_size"),
        ({"dataset": iter([1, 2])}, TypeError, "must be a Dataset"),
    ],
)
def test_loader_refuses_what_does_not_fit(options, error, text):
    with pytest.raises(error, match=text):
        io.DataLoader(**{"dataset": Numbers(4), **options})


def test_workers_need_linux(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.warns(UserWarning, match="need Linux"):
        loader = io.DataLoader(Numbers(3), num_workers=2)
    assert loader.num_workers == 0
    assert rows(loader) == [[0], [1], [2]]


def test_errors_without_workers_come_out_as_they_are():
    error = KeyError("bad sample")

    def make(index):
        raise error

    with pytest.raises(KeyError) as caught:
        list(io.DataLoader(Numbers(3, make)))
    assert caught.value is error
    assert caught.value.__cause__ is None


@BOTH
def test_stop_iteration_does_not_end_the_pass(workers):
    def stop(_):
        raise StopIteration

    for make, collate in ((stop, None), (np.array, stop)):
        with pytest.raises(RuntimeError, match="StopIteration"):
            list(io.DataLoader(Numbers(3, make), collate_fn=collate, num_workers=workers))


def test_a_loader_can_be_copied():
    assert rows(copy.copy(io.DataLoader(Numbers(3)))) == [[0], [1], [2]]
