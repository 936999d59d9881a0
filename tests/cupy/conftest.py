"""Tests that run real CuPy under the emulator; only with `--cupy`."""

from collections import Counter

import pytest

from tests.cupy import emulator

KINDS = ("results", "gradients", "second gradients")


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


@pytest.fixture(autouse=True)
def _compilations(cupy_emulator, record_property):
    before = cupy_emulator.compiler.compiled, cupy_emulator.compiler.seconds
    yield
    compiled = cupy_emulator.compiler.compiled - before[0]
    if compiled:
        record_property("compiled", (compiled, cupy_emulator.compiler.seconds - before[1]))


@pytest.fixture
def ran_on_cupy(record_property):
    """`ran_on_cupy(op, dtype, kind)` counts a check of a sample for the summary."""
    return lambda op, dtype, kind: record_property("cupy", (op, dtype, kind))


def pytest_terminal_summary(terminalreporter, config):
    if not config.getoption("cupy"):
        return
    ends = [r for r in terminalreporter.stats.get("", []) if getattr(r, "when", None) == "teardown"]
    noted = [entry for report in ends for entry in report.user_properties]
    checks = [value for name, value in noted if name == "cupy"]
    if not checks:
        return
    write = terminalreporter.write_line
    terminalreporter.section("ops on CuPy")
    write(f"{len({op for op, *_ in checks})} ops; samples that agree with NumPy:")
    counts = Counter((dtype, kind) for _, dtype, kind in checks)
    write(f"{'':10}" + "".join([f"{kind:>18}" for kind in KINDS]))
    for dtype in dict.fromkeys(dtype for _, dtype, _ in checks):
        write(f"{dtype:10}" + "".join([f"{counts[dtype, kind] or '-':>18}" for kind in KINDS]))
    for line in left_out():
        write(f"left out: {line}")
    compiled = [value for name, value in noted if name == "compiled"]
    write(f"kernels compiled: {sum(c for c, _ in compiled)}, {sum(s for _, s in compiled):.0f} s; the others were kept")


def left_out():
    """The samples that do not run here, and why."""
    from tests.ops.samples import SAMPLES

    return [f"{s.id}: {s.cupy}" for s in SAMPLES if s.cupy is not True]
