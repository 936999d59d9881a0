"""g++, and the folder that keeps what it has compiled."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from paddlite.backend.cjit import cache_folder

SOURCES = Path(__file__).parent / "csrc"
HALVES = ("-mf16c",) if platform.machine() in ("x86_64", "AMD64") else ()
COMMON = ("-std=c++17", "-fPIC", "-w", *HALVES)
OURS = (f"-I{SOURCES}", f"-I{SOURCES / 'include'}")


class CompilationFailed(Exception):
    """g++ refused a source; the text holds its errors."""


def compiler() -> str | None:
    """The path of g++, or None."""
    return shutil.which("g++")


@cache
def folder() -> Path:
    """Where compiled files are kept; only the user can write there.

    Raises:
        OSError: the folder belongs to someone else or can be written by others.
    """
    return cache_folder("cupy_emulator")


@cache
def _about() -> str:
    """What all results depend on, wherever it lies: the compiler, the processor's kind and our own headers."""
    version = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=True).stdout
    ours = [path.read_text() for path in sorted(SOURCES.rglob("*.h"))]
    return "\n".join([version, platform.machine(), *COMMON, *ours])


def key(*parts: str) -> str:
    """A file name for what is made of `parts`."""
    return hashlib.sha256("\n".join([_about(), *parts]).encode()).hexdigest()[:32]


@contextmanager
def _alone(name: str):
    """One process at a time makes files whose names begin alike; the others wait and find them made."""
    with open(folder() / f"{name[:2]}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(name: str, arguments: list[str], source: str | None = None) -> Path:
    """The file `name` of the folder, made by `g++ arguments -o file` where it is not there yet.

    Args:
        source: text of a C++ source, given to g++ as the last argument.

    Raises:
        CompilationFailed: g++ found errors.
    """
    target = folder() / name
    if target.exists():
        return target
    with _alone(name), tempfile.TemporaryDirectory(dir=folder()) as work:
        if target.exists():
            return target
        made = Path(work, name)
        if source is not None:
            path = Path(work, "source.cpp")
            path.write_text(source)
            arguments = [*arguments, str(path)]
        command = [compiler(), *COMMON, *OURS, *arguments, "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line]
            raise CompilationFailed("\n".join(errors[:20]) or done.stderr[:2000])
        os.replace(made, target)
    return target
