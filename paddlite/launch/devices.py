"""Which GPU each rank of a host uses."""

from __future__ import annotations

from pathlib import Path

from paddlite.recipe.errors import RecipeError

_DRIVER = Path("/proc/driver/nvidia/gpus")


def gpus_here(driver: Path = _DRIVER) -> int:
    """How many GPUs the driver knows, found without loading CUDA."""
    try:
        return sum(1 for _ in driver.iterdir())
    except OSError:
        return 0


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
