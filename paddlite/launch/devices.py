"""Which GPU each rank of a host uses, and whether there is one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from paddlite.recipe import codes
from paddlite.recipe.errors import RecipeError

_DRIVER = Path("/proc/driver/nvidia/gpus")
_ASK = """
import ctypes
cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
print(count.value if cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0)
"""


class NoDevice(RuntimeError):
    """A GPU is asked for that cannot be used; the text gives the cure."""

    exit_code = codes.UNAVAILABLE


def gpus_here(driver: Path = _DRIVER) -> int:
    """How many GPUs the driver knows, found without loading CUDA."""
    try:
        return sum(1 for _ in driver.iterdir())
    except OSError:
        return 0


def gpus_of_cuda() -> int:
    """How many GPUs CUDA finds, asked in a process of its own: where the driver shows no list (WSL), this one does."""
    done = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, timeout=60)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdigit() else 0


def require(wanted: str | None, present: int, ask: Callable[[], int] = gpus_of_cuda) -> None:
    """Raise where the GPUs that are asked for cannot be used on this host.

    Args:
        wanted: what `--devices` says, or "gpu" for any.
        present: number of GPUs that the driver shows.
        ask: how many there are by another way, where it shows none.

    Raises:
        NoDevice: there is no such GPU, or CuPy is missing.
    """
    if wanted in (None, "cpu"):
        return
    flag = "launch.device: gpu" if wanted == "gpu" else f"--devices {wanted}"
    leave = "set launch.device: cpu" if wanted == "gpu" else "leave --devices out, or give --devices cpu"
    present = present or ask()
    if not present:
        raise NoDevice(
            f"{flag}: there is no GPU here that the NVIDIA driver shows (nvidia-smi lists those there are). "
            f"To run on the CPU, {leave}"
        )
    high = [w for w in wanted.split(",") if w.isdigit() and int(w) >= present]  # type: ignore[union-attr]
    if high:
        raise NoDevice(f"{flag}: there is no GPU {high[0]}; this host has {present}, numbered from 0")
    if find_spec("cupy") is None:
        raise NoDevice(
            f"{flag}: CuPy is not installed. pip install 'paddlite[gpu]' (CUDA 13) or 'paddlite[gpu12]' (CUDA 12); "
            f"to run on the CPU, {leave}"
        )


def usable(given: str | None, visible: str | None, present: int) -> list[str]:
    """The GPUs of this host that the run may use, as CUDA_VISIBLE_DEVICES names them; none for the CPU.

    Args:
        given: what `--devices` says.
        visible: CUDA_VISIBLE_DEVICES as it was set by the user or a batch system.
        present: number of GPUs in the host.

    Raises:
        RecipeError: a GPU is asked for that CUDA_VISIBLE_DEVICES hides.
    """
    shown = None if visible is None else [v.strip() for v in visible.split(",") if v.strip() not in ("", "-1")]
    if given == "cpu":
        return []
    if given is not None:
        wanted = given.split(",")
        hidden = [w for w in wanted if shown is not None and w not in shown]
        if hidden:
            raise RecipeError(f"--devices: GPU {hidden[0]} is not in CUDA_VISIBLE_DEVICES={visible}")
        return wanted
    return shown if shown is not None else [str(i) for i in range(present)]


def choose(devices: list[str], local_rank: int) -> str | None:
    """The GPU of a rank: one each, in turn where there are fewer; None where there is none."""
    return devices[local_rank % len(devices)] if devices else None
