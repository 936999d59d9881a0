"""Replaces functions of CuPy's compiled modules.

CuPy links CUDA's runtime statically, so there is no library to put another in place of.  But its Cython modules take
each other's C functions from `__pyx_capi__`, capsules that hold an address and, as their name, the signature as text.
A capsule replaced before `import cupy` replaces the function for all modules that are imported afterwards.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

_API = ctypes.pythonapi
_API.PyCapsule_GetName.restype = ctypes.c_char_p
_API.PyCapsule_GetName.argtypes = [ctypes.py_object]
_API.PyCapsule_New.restype = ctypes.py_object
_API.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

_TYPES: dict[str, Any] = {
    "float": ctypes.c_float,
    "int": ctypes.c_int,
    "intptr_t": ctypes.c_ssize_t,
    "size_t": ctypes.c_size_t,
    "unsigned int": ctypes.c_uint,
}
_SIGNATURE = re.compile(r"(.*?)\s*\((.*)\)")


def replace(module: Any, name: str, function: Any) -> None:
    """Let `module.name` be the C `function`, both for compiled callers and for Python.

    Args:
        function: a function of a `ctypes` library whose C signature is that of the capsule.
    """
    signature = _API.PyCapsule_GetName(module.__pyx_capi__[name])
    address = ctypes.cast(function, ctypes.c_void_p).value
    text = ctypes.create_string_buffer(signature)  # must live as long as the capsule, which does not copy it
    module.__pyx_capi__[name] = _API.PyCapsule_New(address, ctypes.cast(text, ctypes.c_char_p), None)
    setattr(module, name, _callable(address, signature.decode(), text))


def _callable(address: int, signature: str, keep: Any) -> Any:
    """A Python function that calls the C function at `address`."""
    result, parameters = _SIGNATURE.fullmatch(signature).groups()
    names = [p.strip() for p in parameters.split(",")]
    wanted = [p for p in names if "__pyx" not in p and p != "void"]
    hidden = [p for p in names if "__pyx" in p]  # Cython's: whether to skip overridden methods, optional arguments
    types = [_TYPES.get(p, ctypes.py_object) for p in wanted]
    types += [ctypes.c_void_p if "opt_args" in p else ctypes.c_int for p in hidden]
    call = ctypes.PYFUNCTYPE(_TYPES.get(result, ctypes.py_object), *types)(address)
    rest = (0,) * len(hidden)

    def function(*arguments: Any) -> Any:
        return call(*arguments[: len(wanted)], *rest)

    function.keep = keep
    return function
