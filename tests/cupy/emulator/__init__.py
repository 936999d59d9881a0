"""Real, unmodified CuPy on a machine without a GPU.

CuPy's Python and Cython code runs as it is: dispatch, promotion, broadcasting, refusals and the text of its kernels.
What is replaced lies below it: the functions of CUDA's runtime and driver (`csrc/runtime.cpp`), NVRTC (`kernels`: g++
compiles the kernels, `csrc/blocks.cpp` runs them), the matrix products of cuBLAS (`csrc/cublas.cpp`), Thrust's sort
(`sorting`) and what CuPy calls cuSOLVER for (`lapack`).  cuFFT, cuRAND, CUB, graphs and a second device are not there.

    from tests.cupy import emulator
    emulator.start()
    import cupy
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.cupy.emulator import capsules, lapack, sorting, toolchain
from tests.cupy.emulator.kernels import Compiler

VERSION = "14.2."


class Product(NamedTuple):
    """What the last matrix product was asked for: `cudaDataType`s, `cublasComputeType_t`, matrices, and its number."""

    inputs: int
    outputs: int
    compute: int
    batch: int
    number: int


class Transfers(NamedTuple):
    """How often data went to the device, came to the host, and the host waited for the device."""

    to_device: int
    to_host: int
    waits: int

    def since(self, before: Transfers) -> Transfers:
        """What came after `before`."""
        return Transfers(*[now - then for now, then in zip(self, before)])


class Emulator:
    """The running emulator: what it has done."""

    def __init__(self, library: Any, blas: Any, compiler: Compiler):
        self._library, self._blas, self.compiler = library, blas, compiler
        for count in (library.emu_live_arrays, library.emu_launches, library.emu_counted, blas.emu_gemm_last):
            count.restype = ctypes.c_size_t

    @property
    def launches(self) -> int:
        """How many kernels have been launched."""
        return self._library.emu_launches()

    @property
    def live_arrays(self) -> int:
        """How many pieces of device memory are in use."""
        return self._library.emu_live_arrays()

    @property
    def transfers(self) -> Transfers:
        """The transfers up to now."""
        return Transfers(*[self._library.emu_counted(what) for what in range(3)])

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Transfers inside are those of the emulator or of a test, and not counted."""
        self._library.emu_count(0)
        try:
            yield
        finally:
            self._library.emu_count(1)

    def last_product(self) -> Product:
        """What the last matrix product was asked for."""
        found = (ctypes.c_int * 4)()
        number = self._blas.emu_gemm_last(found)
        return Product(*found, number)


def missing() -> str | None:
    """What the emulator lacks on this machine and how to get it; None where it can start."""
    if sys.platform != "linux":
        return "the emulator of CuPy runs on Linux only"
    if toolchain.compiler() is None:
        return "the emulator of CuPy needs g++; on Debian and Ubuntu: apt install g++"
    installed = _installed()
    wish = f"pip install 'cupy-cuda13x=={VERSION}*' (the wheel alone: no toolkit, no GPU)"
    if installed is None:
        return f"CuPy is not installed: {wish}"
    if not installed.startswith(VERSION):
        return f"the emulator knows the inside of CuPy {VERSION}*, and {installed} is installed: {wish}"
    return None


def _installed() -> str | None:
    for name in ("cupy-cuda13x", "cupy-cuda12x", "cupy"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


@functools.cache
def start() -> Emulator:
    """Start the emulator, once a process and before anything imports CuPy.

    Raises:
        RuntimeError: something is missing, or CuPy has been imported already.
    """
    reason = missing()
    if reason is None and "cupy" in sys.modules:
        reason = "CuPy has been imported already; the emulator must be started first"
    if reason is not None:
        raise RuntimeError(reason)
    os.environ["CUPY_ACCELERATORS"] = ""  # CUB's reductions are code for a GPU
    blas = _load_cublas()
    library = ctypes.CDLL(_library(), mode=ctypes.RTLD_GLOBAL)
    from cupy_backends.cuda.api import driver, runtime

    for module in (runtime, driver):
        for name in module.__pyx_capi__:
            if hasattr(library, f"emu_{name}"):
                capsules.replace(module, name, getattr(library, f"emu_{name}"))
    _give_headers()
    import cupy

    compiler = Compiler(cupy._core.core._get_header_dir_path(), cupy.__version__)
    emulator = Emulator(library, blas, compiler)
    compiler.install()
    sorting.install()
    lapack.install(emulator.uncounted)
    cupy.cuda.set_allocator(None)  # no pool: every array is fresh memory, and is checked when it is freed
    return emulator


def _library() -> str:
    sources = [toolchain.SOURCES / name for name in ("runtime.cpp", "blocks.cpp")]
    name = toolchain.key(*[source.read_text() for source in sources])
    return str(toolchain.make(f"{name}.so", ["-O2", "-shared", *map(str, sources), "-ldl"]))


def _load_cublas() -> Any:
    """Load libraries of the names that CuPy looks for: the loader takes what is there already."""
    loaded = None
    for soname, source in (("libcublasLt.so.13", "cublas_lt.cpp"), ("libcublas.so.13", "cublas.cpp")):
        versions = f"-Wl,-soname,{soname},--default-symver"
        path = toolchain.SOURCES / source
        name = toolchain.key(soname, path.read_text())
        path = toolchain.make(f"{name}.so", ["-O3", "-shared", versions, str(path)])
        loaded = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    return loaded


def _give_headers() -> None:
    """CuPy asks for the folder of CUDA's headers before it compiles; ours holds the few that it includes."""
    from cuda import pathfinder

    pathfinder.find_nvidia_header_directory = lambda name: str(toolchain.SOURCES / "include")
