"""Examines this installation: versions, BLAS, cores, MPI (by a real exchange between two processes) and GPU.

The last line says what can be done with it.  The exit code is 0 where what is installed works, 69 where a package that
is needed is missing or MPI is installed and does not work, 78 where mpiexec and mpi4py belong to different libraries.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from paddlite import __version__
from paddlite.launch import mpi
from paddlite.launch.parser import Parser
from paddlite.recipe import codes
from paddlite.recipe.describe import processor

_TREE = Path(__file__).resolve().parent.parent.parent
_OPTIONAL = {
    "Pillow": "reads images: paddlite infer; pip install 'paddlite[image]'",
    "matplotlib": "draws loss.png",
    "tensorboardX": "writes TensorBoard's event files",
    "visualdl": "writes VisualDL's event files",
}
_EXCHANGE = """
import paddlite as paddle
paddle.distributed.init_parallel_env()
rank = paddle.distributed.get_rank()
total = paddle.to_tensor([float(rank + 1)])
paddle.distributed.all_reduce(total)
assert paddle.distributed.get_world_size() == 2 and float(total) == 3.0, total
"""


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--mpi", metavar="PATH", help="the mpiexec to examine (default: the one a run would use)")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="seconds for the exchange (60)")


def run(options: argparse.Namespace) -> int:
    _say([("paddlite", f"{__version__}, in {_TREE}"), *_machine()])
    missing, rows = _needed()
    _say(rows)
    if missing:
        _say([("verdict", f"nothing runs yet: pip install {' '.join(missing)}, or pip install paddlite anew")])
        return codes.UNAVAILABLE
    code, rows = examine_mpi(options.mpi, options.timeout)
    graphics = gpu()
    _say([*rows, ("GPU", graphics), *_optional(), ("verdict", verdict(code, rows, graphics))])
    return code


def verdict(code: int, rows: list[tuple[str, str]], graphics: str) -> str:
    """What can be done with this installation, and how to begin."""
    where = "on GPUs and CPUs" if graphics[:1].isdigit() else "on the CPU"
    if code != codes.OK:
        return f"one process works {where} (paddlite run --nproc 1 lenet_digits); several do not, see MPI above"
    several = any(name == "exchange" for name, _ in rows)
    return (
        f"ready {where}, {'with several processes' if several else 'one process at a time'}. "
        f"To begin: paddlite run --nproc {2 if several else 1} lenet_digits"
    )


def _say(rows: list[tuple[str, str]]) -> None:
    for name, text in rows:
        print(f"{name:16} {text}", flush=True)


def _machine() -> list[tuple[str, str]]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = os.environ.get("OMP_NUM_THREADS", "not set: all cores")
    return [
        ("Python", f"{platform.python_version()}, {sys.executable}"),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("processor", f"{processor()}, {usable} of {os.cpu_count()} cores usable; OMP_NUM_THREADS {threads}"),
    ]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _needed() -> tuple[list[str], list[tuple[str, str]]]:
    """The packages that are missing, and the versions of those that are there."""
    found = {name: _version(name) for name in ("numpy", "ml_dtypes", "pydantic", "PyYAML", "tqdm")}
    missing = [name for name, number in found.items() if number is None]
    rows = [("NumPy", f"{found['numpy']}, BLAS {blas()}" if found["numpy"] else "missing")]
    others = ", ".join(f"{name} {number or 'missing'}" for name, number in found.items() if name != "numpy")
    return missing, [*rows, ("needed too", others)]


def _optional() -> list[tuple[str, str]]:
    rows = [("shared memory", shared_memory())]
    for name, use in _OPTIONAL.items():
        rows.append((name, _version(name) or f"not installed; optional: {use}"))
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    rows.append(
        ("C compiler", compiler or "none; optional: fast half precision and fused kernels on the CPU, apt install gcc")
    )
    return rows


def shared_memory(path: str = "/dev/shm", least: int = 256 << 20) -> str:
    """How much of the memory that MPI's processes share is free, and what to do where that is little."""
    try:
        free = shutil.disk_usage(path).free
    except OSError:
        return f"there is no {path}: processes of one host exchange slowly, or not at all"
    cure = "" if free >= least else "; little for several processes: docker run --shm-size=1g"
    return f"{free / (1 << 20):.0f} MB free in {path}{cure}"


def blas() -> str:
    """Name and version of the library that NumPy multiplies matrices with."""
    import numpy as np

    found = np.show_config(mode="dicts")["Build Dependencies"]["blas"]  # type: ignore[index]
    return f"{found.get('name', 'unknown')} {found.get('version', '')}".strip()


def examine_mpi(given: str | None, timeout: float) -> tuple[int, list[tuple[str, str]]]:
    """The exit code, and what there is to say about MPI."""
    if find_spec("mpi4py") is None:
        return codes.OK, [("MPI", f"not installed: one process at a time. {mpi.CURE}")]
    library = _library()
    rows = [("MPI", f"mpi4py {version('mpi4py')} on {library}")]
    try:
        found = mpi.find_mpiexec(given)
    except mpi.MpiMissing as error:
        return codes.UNAVAILABLE, [*rows, ("mpiexec", str(error))]
    family = mpi.family(found)
    same = (family == "openmpi") == ("Open MPI" in library)
    rows.append(("mpiexec", f"{found}, of {'Open MPI' if family == 'openmpi' else 'MPICH or its kin'}"))
    code, said = exchange(found, timeout)
    rows.append(("exchange", said))
    if code != codes.OK and not same:
        rows.append(("", "mpiexec and mpi4py belong to different MPI libraries: give the right one by --mpi PATH"))
        code = codes.MISMATCH
    return code, rows


def _library() -> str:
    """What the MPI library of mpi4py calls itself, found in a process of its own: a broken one may crash."""
    code = "from mpi4py import MPI; print(MPI.Get_library_version())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    if done.returncode:
        return f"a library that cannot be loaded: {(done.stderr.strip().splitlines() or ['it crashed'])[-1]}"
    words = done.stdout.replace("\t", " ").replace("\0", "").splitlines()[0].replace("Version:", "")
    return " ".join(words.split(",")[0].split())


def exchange(mpiexec: str, timeout: float) -> tuple[int, str]:
    """Start two processes as a run would, and add up a number over both: the exit code, and how it went."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "exchange.py"
        script.write_text(_EXCHANGE)
        command = [
            sys.executable,
            "-m",
            "paddlite.launch",
            "--nproc",
            "2",
            "--mpi",
            mpiexec,
            "--run-dir",
            f"{folder}/run",
        ]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_TREE), os.environ.get("PYTHONPATH", "")])}
        start = time.monotonic()
        try:
            done = subprocess.run(
                [*command, str(script)], env=env, cwd=folder, capture_output=True, text=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return codes.UNAVAILABLE, f"two processes did not come to an end within {timeout:g} s"
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return (codes.MISMATCH if done.returncode == codes.MISMATCH else codes.UNAVAILABLE), f"failed: {last}"
        return codes.OK, f"two processes added 1 + 2 = 3, in {time.monotonic() - start:.1f} s with their start"


def gpu() -> str:
    """The GPUs that can be used, or why there is none and what to do."""
    present = Path("/proc/driver/nvidia/version").exists()
    if find_spec("cupy") is None:
        cure = "CuPy is not installed: pip install 'paddlite[gpu]' (CUDA 13) or 'paddlite[gpu12]' (CUDA 12)"
        return f"{'not usable' if present else 'none, and no NVIDIA driver'}; {cure}"
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "none: there is no NVIDIA driver (libcuda.so.1 cannot be loaded)"
    from paddlite.backend.device import cupy, gpu_count

    count, why = gpu_count()
    if not count:
        return f"none: {why}"
    runtime = cupy().cuda.runtime
    names = [runtime.getDeviceProperties(i)["name"].decode() for i in range(count)]
    return f"{count}: {', '.join(names)}; CuPy {cupy().__version__}, CUDA {runtime.runtimeGetVersion()}"
