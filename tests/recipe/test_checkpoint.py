"""Checkpoints: a crash or a full disk at any moment leaves a good one; a damaged one is noticed."""

import errno
import os
import resource
import shutil
import sys

import pytest

from paddlite.recipe import checkpoint
from paddlite.recipe.checkpoint import Store, damaged
from paddlite.recipe.errors import StorageError
from tests.recipe.kills import fork, wait
from tests.recipe.stores import check_is, cut, names, steps, three, write


@pytest.fixture
def store(tmp_path):
    return three(tmp_path)


def test_the_newest_and_the_best_are_kept(store):
    assert names(store) == ["best", "last", "step00000001", "step00000002", "step00000003"]
    for step in range(4, 9):
        write(store, step)
    assert steps(store) == [1, 7, 8]
    assert os.readlink(store.folder / "last") == "step00000008"
    write(store, 9, best=True)
    assert steps(store) == [7, 8, 9]  # the best does not count
    assert store.best() == store.path(9)
    check_is(store.newest(), 9)


def test_steps_are_in_order_of_their_numbers(tmp_path):
    store = Store(tmp_path, keep=3)
    for step in (99_999_999, 100_000_000, 1_000_000_000):
        write(store, step)
    (store.folder / "stepping").mkdir()
    assert steps(store) == [99_999_999, 100_000_000, 1_000_000_000]


def test_no_checkpoint_is_none(tmp_path):
    assert Store(tmp_path, 1).newest() is None
    assert Store(tmp_path, 1).best() is None


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *[(n, how) for n in ("model.pdparams", "optimizer.pdopt", "state.json") for how in (cut, flip, os.unlink)],
        *[("manifest.json", how) for how in (cut, os.unlink)],
        *[("manifest.json", lambda p, t=t: p.write_text(t)) for t in ("", "[]", "{}")],
        ("model.pdparams", lambda p: (p.unlink(), p.mkdir())),
    ],
)  # fmt: skip
def test_a_damaged_checkpoint_is_noticed_and_the_one_before_it_used(store, name, how):
    how(store.path(3) / name)
    assert name in damaged(store.path(3))
    told = []
    path = store.newest(told.append)
    assert len(told) == 1
    assert f"step00000003 is damaged ({name}" in told[0]
    assert told[0].endswith("step00000002 before it is used")
    check_is(path, 2)


def test_damaged_ones_do_not_take_the_place_of_good_ones(store):
    cut(store.path(3) / "model.pdparams")
    (store.folder / "step00000007").mkdir()
    write(store, 3)
    assert steps(store) == [1, 2, 3]
    check_is(store.newest(), 3)


def test_where_all_are_damaged_it_is_an_error(store):
    for path in store.all():
        (path / "state.json").unlink()
    with pytest.raises(StorageError, match=r"no checkpoint can be used:\n.*step00000003.*\n.*0002.*\n.*0001"):
        store.newest()


def test_without_links_a_file_says_which_is_best(store, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "symlink", refuse)
    write(store, 4, best=True)
    assert (store.folder / "best").read_text() == "step00000004"
    for step in range(5, 9):
        write(store, step)
    assert store.best() == store.path(4)


# -- crashes -----------------------------------------------------------------------------------------------------------

_CALLS = ("rename", "replace", "fsync", "mkdir", "symlink", "unlink", "rmdir")


def crash_at(number):
    """In this process, end before the `number`-th change to the disk; a write is cut in half."""
    left = [number]

    def due():
        left[0] -= 1
        return left[0] < 0

    def dying(call):
        return lambda *args, **options: os._exit(9) if due() else call(*args, **options)

    for name in _CALLS:
        setattr(os, name, dying(getattr(os, name)))
    whole = checkpoint._Summing.write

    def half(self, data):
        if due():
            self._file.write(bytes(memoryview(data).cast("B")[: memoryview(data).nbytes // 2]))
            self._file.flush()
            os._exit(9)
        return whole(self, data)

    checkpoint._Summing.write = half


@pytest.mark.parametrize(
    ("step", "best", "damage"), [(4, False, False), (4, True, False), (3, True, False), (3, False, True)]
)
def test_a_crash_at_any_moment_leaves_the_old_or_the_new(store, tmp_path, step, best, damage):
    if damage:
        cut(store.path(3) / "model.pdparams")
    shutil.copytree(store.folder, tmp_path / "before", symlinks=True)
    crashes, code = 0, 9
    while code == 9:
        shutil.rmtree(store.folder)
        shutil.copytree(tmp_path / "before", store.folder, symlinks=True)

        def work(crashes=crashes):
            crash_at(crashes)
            write(store, step, best=best)
            return 0

        code = wait(fork(work, tmp_path / "log"))
        assert code in (0, 9), (tmp_path / "log").read_text()
        store.tidy()
        assert not [n for n in names(store) if n.startswith(".")]
        newest = store.newest()
        found = int(newest.name[4:])
        assert found in ({2, 3} if damage else {3, step})
        check_is(newest, found)
        assert damaged(store.best()) is None
        write(store, 5)  # and the run goes on
        check_is(store.newest(), 5)
        crashes += 1
    assert crashes > 20


def test_what_a_killed_writer_left_is_removed(store):
    for name in (".writing-step00000004", ".removing-step00000001", ".old-step00000003"):
        (store.folder / name).mkdir()
        (store.folder / name / "model.pdparams").write_text("half")
    (store.folder / ".last").symlink_to("nowhere")
    os.rename(store.path(2), store.folder / ".old-step00000002")
    store.tidy()
    assert names(store) == ["best", "last", "step00000001", "step00000002", "step00000003"]
    check_is(store.path(2), 2)


# -- disks that do not take it -----------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_earlier_checkpoints_stay(store, monkeypatch):
    def full(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = names(store)
    monkeypatch.setattr(checkpoint._Summing, "write", full)
    with pytest.raises(
        StorageError, match=r"step 4 cannot be written to .*: No space left on device. Earlier .* intact"
    ):
        write(store, 4)
    assert names(store) == before
    check_is(store.newest(), 3)


def in_child(store, tmp_path, before):
    """What writing step 4 in a child says after `before()`."""

    def work():
        before()
        try:
            write(store, 4)
        except StorageError as error:
            print(error)
            return error.exit_code
        return 0

    code = wait(fork(work, tmp_path / "log"))
    return code, (tmp_path / "log").read_text()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs RLIMIT_FSIZE")
def test_a_file_that_grows_too_large_is_told(store, tmp_path):
    code, text = in_child(store, tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)))
    assert code == 74
    assert "File too large" in text
    check_is(store.newest(), 3)


def test_a_folder_that_is_read_only_is_told(store, tmp_path):
    def give_up_rights():
        if os.geteuid() == 0:
            os.setuid(65534)

    store.folder.chmod(0o555)
    try:
        code, text = in_child(store, tmp_path, give_up_rights)
    finally:
        store.folder.chmod(0o755)
    assert code == 74, text
    assert "Permission denied" in text
    check_is(store.newest(), 3)
