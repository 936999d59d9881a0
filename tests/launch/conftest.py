"""Launchers of which nothing is left when a test ends, however it ends."""

import pytest

from tests.launch.runs import Run


@pytest.fixture
def launcher(tmp_path):
    """`launcher(*words, script=..., command=..., NAME=value)` starts one in `tmp_path` (see `Run`)."""
    runs = []

    def start(*words, **options):
        runs.append(Run(tmp_path, *words, **options))
        return runs[-1]

    yield start
    left = [run.left() for run in runs if not run.gone()]
    for run in runs:
        run.clean()
    assert not left
