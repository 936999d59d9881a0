"""Tests that run real CuPy under the emulator; only with `--cupy`."""

import pytest

from tests.cupy import emulator


def pytest_configure(config):
    if config.getoption("cupy") and (reason := emulator.missing()) is not None:
        raise pytest.UsageError(f"--cupy: {reason}")


def pytest_report_header(config):
    if not config.getoption("cupy"):
        return "tests/cupy: left out; run them with --cupy"
    return None


def pytest_ignore_collect(collection_path, config):
    return None if config.getoption("cupy") else True


@pytest.fixture(scope="session", autouse=True)
def cupy_emulator():
    """The running emulator."""
    return emulator.start()
