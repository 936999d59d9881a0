"""CUDA C++ made into shared libraries that run on the CPU, in place of NVRTC."""

from __future__ import annotations

import re
import time
from typing import Any

from tests.cupy.emulator import toolchain

# CuPy puts these in front of every kernel; precompiled, they cost a tenth.
_HEADERS = ("cupy/carray.cuh", "cupy/atomics.cuh", "cupy/math_constants.h", "cupy/float16.cuh", "cupy/bfloat16.cuh")
_COMPLEX = "cupy/complex.cuh"
FLAGS = ("-O1", "-fpermissive", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-ffp-contract=off",
         "-D__CUDACC_VER_MAJOR__=13", "-D__CUDA_ARCH__=900")  # fmt: skip

_INCLUDE = re.compile(r"^\s*#include\s*[<\"](.*?)[>\"].*$", re.MULTILINE)
_KERNEL = re.compile(
    r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\("
)
_SHARED = re.compile(r"extern\s+__shared__\s+(?:__align__\s*\(\d+\)\s*)?([\w:<> ]+?)\s+(\w+)\s*\[\s*\]\s*;")
_WAITS = re.compile(r"__sync|_sync\s*\(")

ENTRY = 'extern "C" const Entry {name}__entry = {{[](void **values) {{ emu_call({name}, values); }}, {waits}}};\n'


def translated(source: str) -> str:
    """`source` for g++: headers that are precompiled left out, dynamic shared memory named, an entry a kernel."""
    names = _KERNEL.findall(source)
    code = _INCLUDE.sub(lambda m: "" if m[1] in (*_HEADERS, _COMPLEX) else m[0], source)
    code = _SHARED.sub(r"\1 *\2 = reinterpret_cast<\1 *>(emu_shared);", code)
    waits = int(_WAITS.search(code) is not None)
    return code + "\n" + "".join([ENTRY.format(name=name, waits=waits) for name in names])


class Compiler:
    """Stands for NVRTC: gives the path of a library for the source of a kernel."""

    def __init__(self, include: str, version: str):
        self.include, self.version = include, version  # the folder of CuPy's headers, and whose they are
        self.compiled, self.seconds = 0, 0.0
        self.sources: list[tuple[str, tuple[str, ...]]] = []  # all that CuPy has given, with its options

    def _prefix(self, with_complex: bool) -> str:
        """The header to include first, precompiled beside it."""
        headers = [_COMPLEX, *_HEADERS] if with_complex else _HEADERS
        text = "".join([f'#include "{h}"\n' for h in ("cuda_on_cpu.h", "blocks.h", *headers)])
        name = f"{toolchain.key(text, *FLAGS, self.version, self.include, *toolchain.OURS)}.h"
        path = toolchain.folder() / name
        if not path.exists():
            path.write_text(text)
        toolchain.make(f"{name}.gch", [*FLAGS, f"-I{self.include}", "-x", "c++-header", str(path)])
        return str(path)

    def library(self, source: str, options: tuple[str, ...] = ()) -> str:
        """The path of the library with the kernels of `source`.

        Raises:
            CompilationFailed: the source is wrong, or uses what the emulator lacks.
        """
        code = translated(source)
        defined = [option for option in options if option.startswith("-D")]
        name = f"{toolchain.key(code, *defined, *FLAGS, self.version)}.so"
        if not (toolchain.folder() / name).exists():
            start = time.perf_counter()
            first = ["-include", self._prefix("complex<" in code), f"-I{self.include}"]
            toolchain.make(name, [*FLAGS, *defined, "-shared", *first], code)
            self.compiled += 1
            self.seconds += time.perf_counter() - start
        return str(toolchain.folder() / name)

    def install(self) -> None:
        """Let CuPy compile with this."""
        from cupy.cuda import compiler, function

        def compile_module(source: str, options: tuple = (), *, name_expressions: Any = None, **ignored: Any) -> Any:
            if name_expressions:
                raise NotImplementedError("the emulator compiles no kernels that are templates")
            self.sources.append((source, options))
            try:
                path = self.library(source, options)
            except toolchain.CompilationFailed as error:
                raise compiler.CompileException(str(error), source, "kernel.cu", options, "g++") from None
            module = function.Module()
            module.load(path.encode() + b"\0")
            return module

        compiler._compile_module_with_cache = compile_module
