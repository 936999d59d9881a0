"""What a run cannot write or read is told, and nobody else writes to its folder."""

import errno
import json
import os
import pickle
import threading
import zlib

import ml_dtypes
import numpy as np
import pytest

import paddlite as paddle
from paddlite.distributed.communicator import Communicator
from paddlite.launch import records
from paddlite.launch.start import main as launch
from paddlite.recipe import buffers, lock, status
from paddlite.recipe.checkpoint import damaged, read
from paddlite.recipe.errors import StorageError
from paddlite.recipe.resume import newest
from tests.recipe.kills import RECIPE, fork, wait
from tests.recipe.stores import check_is, content, cut, three


@pytest.fixture
def store(tmp_path):
    return three(tmp_path)


def test_the_launcher_tells_what_cannot_be_written_in_one_line(tmp_path):
    words = ["--run-dir", str(tmp_path / "run"), str(RECIPE), "-o", "checkpoint.every=1"]
    cramped = "data.train={name: 'tests.recipe.data.parts:Cramped'}"
    code = wait(fork(lambda: launch([*words, cramped]), tmp_path / "log"))
    text = (tmp_path / "log").read_text()
    assert code == 74, text
    assert text.splitlines()[-1].startswith("error: the checkpoint of step 1 cannot be written to")
    assert status.read(tmp_path / "run")["code"] == 74


def test_a_run_whose_folder_cannot_be_written_to_is_not_resumed(tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    run = tmp_path / "run"
    (run / "logs").mkdir(parents=True)
    monkeypatch.setattr(os, "open", refuse)
    assert launch(["--resume", str(run), str(RECIPE)]) == 74
    assert capsys.readouterr().err == f"error: the run cannot write to its folder {run}: Permission denied\n"
    monkeypatch.undo()
    monkeypatch.setattr(os, "replace", refuse)
    assert launch(["--run-dir", str(tmp_path / "new"), str(RECIPE)]) == 74
    assert "error: the run cannot write to its folder" in capsys.readouterr().err


def test_what_a_rank_cannot_write_down_it_says(tmp_path, capsys):
    records.write_exit(tmp_path / "full", 0, "StorageError", 74, "error: the disk is full\n")
    assert capsys.readouterr().err == "error: the disk is full\n"


# -- what checks and sums do not show ----------------------------------------------------------------------------------


def forge(path, name, data):
    """Put `data` into a file of a checkpoint, with sums to match."""
    (path / name).write_bytes(data)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest[name] = [len(data), zlib.crc32(data)]
    (path / "manifest.json").write_text(json.dumps(manifest))


class Hostile:
    def __reduce__(self):
        return os.mkdir, ("owned",)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("model.pdparams", pickle.dumps(Hostile()), "posix.mkdir"),
        ("optimizer.pdopt", b"", "damaged"),
        ("state.json", b"{", "Expecting property name"),
        ("state.json", b"[]", "format None, and this version of paddlite reads format 1"),
        ("state.json", b'{"format": 99}', "format 99, and this version of paddlite reads format 1"),
    ],
)
def test_what_cannot_be_read_is_passed_over_too(store, monkeypatch, capsys, name, data, told):
    monkeypatch.chdir(store.folder)
    forge(store.path(3), name, data)
    assert damaged(store.path(3)) is None
    found = newest(store, Communicator())
    check_is(found.path, 2)
    said = capsys.readouterr().err
    assert said.startswith(f"warning: checkpoint {store.path(3)} is damaged (")
    assert told in said
    assert not os.path.exists("owned")


class Ranks(Communicator):
    """Rank 0 of two, of which the other says `damage`."""

    size = 2

    def __init__(self, damage):
        self.damage = iter(damage)

    def all_gather_object(self, value):
        return [value, next(self.damage)]


def test_all_ranks_use_the_same(store, capsys):
    found = newest(store, Ranks(["rank 1: checkpoint cannot be read: Input/output error", None]))
    check_is(found.path, 2)
    assert "(rank 1: checkpoint cannot be read: Input/output error); step00000002 before it" in capsys.readouterr().err
    with pytest.raises(StorageError, match=r"no checkpoint can be used:(\n.*rank 1: gone.*){3}\nStart anew"):
        newest(store, Ranks(["rank 1: gone"] * 3))


# -- buffers -----------------------------------------------------------------------------------------------------------


class Buffered(paddle.nn.Layer):
    """With a buffer that is saved and two that are not."""

    def __init__(self, own):
        super().__init__()
        self.norm = paddle.nn.BatchNorm1D(1)
        self.norm._mean.set_value(paddle.to_tensor([float(own)]))
        self.register_buffer("queue", paddle.to_tensor([own, own]))
        self.register_buffer("count", paddle.to_tensor(own), persistable=False)
        self.register_buffer("scale", paddle.to_tensor([0.1 * own], dtype="bfloat16"), persistable=False)


def on_two_ranks(*work):
    """What each of the functions gives, run with a communicator of its own of two ranks."""
    meet, said, results = threading.Barrier(2), {}, {}

    class Rank(Communicator):
        size = 2

        def __init__(self, rank):
            self.rank = rank

        def all_gather_object(self, value):
            meet.wait(60)
            said[self.rank] = pickle.dumps(value)
            meet.wait(60)
            return [pickle.loads(said[rank]) for rank in range(2)]

        def broadcast(self, array, source):
            return self.all_gather_object(array)[source]

    threads = [
        threading.Thread(target=lambda r=rank, f=f: results.update({r: f(Rank(r))})) for rank, f in enumerate(work)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[rank] for rank in range(2)]


def test_buffers_that_the_model_does_not_save_are_kept(store):
    found, again = on_two_ranks(*[lambda c, own=own: buffers.gather(Buffered(own), c) for own in (7, 8)])
    assert [sorted(own) for own in found] == [["count", "scale"], ["count", "queue", "scale"]]
    assert str(found) == str(again)
    store.write(4, *content(4), buffers=found)
    model = Buffered(0)
    buffers.restore(model, read(store.path(4)).buffers[1])
    assert model.count.item() == 8
    assert model.scale.dtype == paddle.bfloat16
    assert model.scale.astype("float32").item() == np.float32(ml_dtypes.bfloat16(0.8))
    np.testing.assert_array_equal(model.queue.numpy(), [8, 8])
    cut(store.path(4) / "buffers.pdparams")
    assert "buffers.pdparams" in damaged(store.path(4))


def test_where_the_model_saves_all_buffers_nothing_is_kept_beside_it():
    def saved(own):
        model = paddle.nn.Linear(1, 1)
        model.register_buffer("queue", paddle.to_tensor(own))
        return model

    assert buffers.gather(saved(1), Communicator()) == []
    assert on_two_ranks(*[lambda c: buffers.gather(saved(1), c)] * 2) == [[], []]
    assert buffers.gather(paddle.nn.Linear(1, 1), Communicator()) == []


def test_evaluations_use_what_is_saved_and_leave_a_rank_its_own():
    def seen(own, communicator):
        model = Buffered(own)
        with buffers.of_first_rank(model, communicator):
            inside = [t.astype("float32").numpy().tolist() for t in (model.norm._mean, model.count)]
        return inside, [t.astype("float32").numpy().tolist() for t in (model.norm._mean, model.count)]

    both = on_two_ranks(*[lambda c, own=own: seen(own, c) for own in (7, 8)])
    assert both == [([[7.0], 7.0], [[7.0], 7.0]), ([[7.0], 7.0], [[8.0], 8.0])]


# -- one run at a time -------------------------------------------------------------------------------------------------


def test_a_run_that_is_going_is_not_resumed(tmp_path):
    ready, go = os.pipe(), os.pipe()

    def going():
        with lock.held(tmp_path):
            os.write(ready[1], b"!")
            os.read(go[0], 1)
        return 0

    other = fork(going, tmp_path / "log")
    os.read(ready[0], 1)
    for take in (lock.wait_until_free, lambda run, seconds: lock.held(run, seconds).__enter__()):
        with pytest.raises(StorageError, match=f"{tmp_path} is in use by process {other} on"):
            take(tmp_path, 0.02)
    os.write(go[1], b"!")
    assert wait(other) == 0
    with lock.held(tmp_path, 0.0):
        pass
    for end in (*ready, *go):
        os.close(end)
