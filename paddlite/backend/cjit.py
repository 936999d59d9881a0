"""C kernels, compiled by the system's compiler where there is one; without it, NumPy does the same work.

Sources must keep NumPy's order of operations: the flags forbid contraction, so results have NumPy's bits.  Compiled
libraries are kept in a folder that only the user can write.  `PADDLITE_CJIT=0` switches all of it off.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w")


@functools.cache
def compiler() -> str | None:
    """The path of the C compiler, or None where there is none or it is switched off."""
    if os.environ.get("PADDLITE_CJIT", "1") == "0":
        return None
    return shutil.which("gcc") or shutil.which("cc")


@functools.cache
def library(source: str) -> ctypes.CDLL | None:
    """The library compiled from `source`, from the user's cache where it is there; None where it cannot be had."""
    path = compiler()
    if path is None:
        return None
    try:
        folder = cache_folder()
        found = folder / f"{_key(path, source)}.so"
        if not found.exists():
            _compile(path, source, found)
        return ctypes.CDLL(str(found))
    except (OSError, subprocess.SubprocessError) as error:
        _tell_once(str(error))
        return None


def _compile(path: str, source: str, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        code, made = Path(work, "kernel.c"), Path(work, "kernel.so")
        code.write_text(source)
        command = [path, *FLAGS, "-o", str(made), str(code), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise OSError(f"{path} failed: {done.stderr.strip()[:300]}")
        os.replace(made, target)  # several processes may compile at once; each puts a whole file there


@functools.cache
def cache_folder(name: str = "kernels") -> Path:
    """The user's folder for compiled files of one kind, which nobody else can write.

    Raises:
        OSError: it cannot be made, belongs to someone else, or can be written by others.
    """
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base, "paddlite", name)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    state = folder.stat()
    if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o022):
        raise OSError(f"{folder} belongs to someone else or can be written by others")
    return folder


def _key(path: str, source: str) -> str:
    return hashlib.sha256("\n".join((source, *FLAGS, _compiler_version(path), _cpu())).encode()).hexdigest()[:32]


@functools.cache
def _compiler_version(path: str) -> str:
    return subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout


@functools.cache
def _cpu() -> str:
    """What `-march=native` depends on."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())
    except OSError:
        return f"{platform.machine()} {platform.processor()}"


@functools.cache
def _tell_once(why: str) -> None:
    warnings.warn(f"C kernels are not used, NumPy does their work: {why}", RuntimeWarning, stacklevel=4)
