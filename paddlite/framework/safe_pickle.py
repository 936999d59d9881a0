"""Reading pickles that hold arrays and plain containers, and nothing else: no code of the file ever runs.

A pickle is a program that may call anything it can name and set the state of what it made.  Here it can name the few
things below.  Arrays are made by our own code, never by giving NumPy objects a state that the file has chosen.
"""

from __future__ import annotations

import os
import pickle
import pickletools
import struct
from collections import OrderedDict
from typing import Any, BinaryIO

import numpy as np


class Forbidden(pickle.UnpicklingError):
    """The pickle names or makes something that is no array and no plain container."""


class _DType:
    """Stands for `numpy.dtype(code, align, copy)` and the state it is given."""

    __slots__ = ("dtype",)

    def __init__(self, code: Any, align: Any = False, copy: Any = False):
        found = np.dtype(code) if isinstance(code, str) else None
        if found is None or found.kind not in "biufcSU":
            raise Forbidden(f"an array of dtype {code!r}")
        self.dtype = found

    def __setstate__(self, state: Any) -> None:
        _, order, subarray, names, fields, *_ = state
        if order not in ("<", ">", "|", "=") or not subarray is names is fields is None:
            raise Forbidden(f"an array of the structured dtype {fields!r}")
        self.dtype = self.dtype.newbyteorder(order)


class _Array:
    """Stands for `_reconstruct(ndarray, (0,), b'b')`, an empty array, and the state it is given."""

    __slots__ = ("array",)

    def __init__(self, kind: Any, shape: Any, code: Any):
        if kind is not _ndarray:
            raise Forbidden(f"an array that begins as {kind!r}")
        self.array = np.empty(0, np.int8)

    def __setstate__(self, state: Any) -> None:
        shape, dtype, fortran, data = state[-4:]  # a version number may stand before
        self.array = _from_buffer(data, dtype, shape, "F" if fortran else "C")


class _ArrayOfBuffer(_Array):
    """Stands for `_frombuffer(buffer, dtype, shape, order)`, by which pickle protocol 5 holds arrays."""

    __slots__ = ()

    def __init__(self, buffer: Any, dtype: Any, shape: Any, order: Any):
        if order not in ("C", "F"):
            raise Forbidden(f"an array laid out in order {order!r}")
        self.array = _from_buffer(buffer, dtype, shape, order)

    def __setstate__(self, state: Any) -> None:
        raise Forbidden("an array that is given a second state")


class _Scalar:
    """Stands for `scalar(dtype, bytes)`, one of NumPy's numbers."""

    __slots__ = ("array",)

    def __init__(self, dtype: Any, data: Any):
        self.array = _from_buffer(data, dtype, (), "C")

    def __setstate__(self, state: Any) -> None:
        raise Forbidden("a number that is given a state")


class _Encode:
    """`_codecs.encode(text, "latin1")`, by which pickle protocol 2 holds bytes."""

    __slots__ = ()

    def __call__(self, text: Any, codec: Any = "latin1") -> bytes:
        if codec != "latin1" or not isinstance(text, str):
            raise Forbidden(f"text in the codec {codec!r}")
        return text.encode("latin1")


class _Name:
    """Something that a pickle only names."""

    __slots__ = ()


_ndarray = _Name()


def _from_buffer(data: Any, dtype: Any, shape: Any, order: Any) -> np.ndarray:
    if not isinstance(dtype, _DType):
        raise Forbidden(f"an array of dtype {dtype!r:.60}")
    raw = data.encode("latin1") if isinstance(data, str) else data  # Python 2 wrote bytes as text
    if not isinstance(raw, (bytes, bytearray)):
        raise Forbidden(f"an array of {type(data).__name__} objects")
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(raw, dtype.dtype, count).reshape(shape, order=order).copy()


_PLAIN = (tuple, list, dict, set, frozenset, complex, bytearray)
_ALLOWED: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("numpy", "ndarray"): _ndarray,
    ("numpy", "dtype"): _DType,
    ("_codecs", "encode"): _Encode(),
    **{(module, kind.__name__): kind for module in ("builtins", "__builtin__") for kind in _PLAIN},
}
for _core in ("numpy.core", "numpy._core"):  # NumPy 1 and 2
    _ALLOWED[f"{_core}.multiarray", "_reconstruct"] = _Array
    _ALLOWED[f"{_core}.multiarray", "scalar"] = _Scalar
    _ALLOWED[f"{_core}.numeric", "_frombuffer"] = _ArrayOfBuffer


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise Forbidden(f"the object {module}.{name}") from None


# What follows each opcode: so many bytes, or (below 0) lines of text or a length and so many bytes.
_FOLLOWS = {op.code.encode("latin1"): 0 if op.arg is None else op.arg.n for op in pickletools.opcodes}
_LENGTHS = {
    pickletools.TAKEN_FROM_ARGUMENT1: "<B", pickletools.TAKEN_FROM_ARGUMENT4: "<i",
    pickletools.TAKEN_FROM_ARGUMENT4U: "<I", pickletools.TAKEN_FROM_ARGUMENT8U: "<Q",
}  # fmt: skip
_TWO_LINES = (pickle.GLOBAL, pickle.INST)


def _check_memo(file: BinaryIO) -> None:
    """Refuse places in the unpickler's memo beyond the length of the file: it would make room for all of them first."""
    start = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(start)
    while (code := file.read(1)) not in (pickle.STOP, b""):
        follows = _FOLLOWS.get(code)
        if follows is None:
            break  # damaged: the unpickler says so
        if follows == pickletools.UP_TO_NEWLINE:
            text = file.readline()
            if code in _TWO_LINES:
                file.readline()
            place = int(text) if code == pickle.PUT and text.strip().isdigit() else 0
        elif code == pickle.LONG_BINPUT:
            place = int.from_bytes(file.read(4), "little")
        else:
            place = 0
            if follows < 0:
                form = _LENGTHS[follows]
                held = file.read(struct.calcsize(form))
                follows = max(0, struct.unpack(form, held)[0]) if len(held) == struct.calcsize(form) else 0
            if follows:
                file.seek(min(follows, end), os.SEEK_CUR)
        if place > end:
            raise Forbidden(f"the place {place} of a memo, in a file of {end} bytes")
    file.seek(start)


def load_plain(file: BinaryIO) -> Any:
    """The object in `file`: numbers, text, arrays, and plain containers of them.

    Raises:
        Forbidden: it holds something else.
        Exception: of many kinds, where the file is damaged.
    """
    if file.seekable():
        _check_memo(file)
    return _plain(_Unpickler(file, encoding="latin1").load())


def _plain(value: Any) -> Any:
    """`value` with arrays in place of what stands for them; what is nothing of ours is refused."""
    kind = type(value)
    if kind in (_Array, _ArrayOfBuffer):
        return value.array
    if kind is _Scalar:
        return value.array[()]
    if value is None or kind in (bool, int, float, complex, str, bytes, bytearray):
        return value
    if kind in (dict, OrderedDict):
        return kind([(_plain(k), _plain(v)) for k, v in dict.items(value)])
    if kind in (list, tuple, set, frozenset):
        return kind([_plain(v) for v in value])
    raise Forbidden(f"{value!r:.60}")
