"""A short run, made once, for the commands that work on runs."""

import pytest

from paddlite.backend.world import WORLD
from paddlite.core import mode
from paddlite.launch.start import main


@pytest.fixture(scope="package")
def finished(tmp_path_factory):
    """The folder of a run of a few steps in one process."""
    folder = tmp_path_factory.mktemp("runs") / "short"
    with mode.fresh():
        words = ["--nproc", "1", "--devices", "cpu", "--run-dir", str(folder), "lenet_digits"]
        code = main([*words, "-o", "train.steps=4", "train.epochs=null", "train.log_every=1", "train.eval_every=2"])
    WORLD.leave()
    assert code == 0
    return folder
