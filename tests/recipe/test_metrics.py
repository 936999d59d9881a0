"""What goes to the event files, and what is said where they cannot be written."""

import sys
from types import SimpleNamespace

import pytest

from paddlite.recipe.metrics import Events


class Writer:
    def __init__(self, logdir):
        self.folder, self.seen, self.closed = logdir, [], False
        MADE.append(self)

    def add_scalar(self, name, value, step):
        self.seen.append((step, name, value))

    def close(self):
        self.closed = True


MADE = []


@pytest.fixture
def writers(monkeypatch):
    MADE.clear()
    monkeypatch.setitem(sys.modules, "tensorboardX", SimpleNamespace(SummaryWriter=Writer))
    monkeypatch.setitem(sys.modules, "visualdl", SimpleNamespace(LogWriter=Writer))
    return MADE


@pytest.mark.parametrize(
    ("wanted", "folders"),
    [((False, False), []), ((True, False), ["tensorboard"]), ((True, True), ["tensorboard", "visualdl"])],
)
def test_events_go_to_every_writer_that_is_wanted(writers, tmp_path, wanted, folders):
    events = Events(tmp_path, *wanted)
    events.add(10, {"train/loss": 0.5, "train/lr": 0.1})
    events.close()
    assert [writer.folder for writer in writers] == [str(tmp_path / name) for name in folders]
    assert all(w.seen == [(10, "train/loss", 0.5), (10, "train/lr", 0.1)] and w.closed for w in writers)


def test_a_missing_package_is_told_with_the_cure(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    events = Events(tmp_path, True, False)
    events.add(1, {"train/loss": 1.0})
    events.close()
    assert "tensorboardX is not installed (pip install tensorboardX); no events" in capsys.readouterr().err
