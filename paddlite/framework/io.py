"""`paddle.save` and `paddle.load`: checkpoints in Paddle's pickle format.

A state dict is a dict of arrays, with a table of parameter names beside them; in anything else a tensor is a tuple
(name, array).  bfloat16 is held as uint16.
"""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from typing import Any

import ml_dtypes
import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import BF16, FROM_NUMPY
from paddlite.core.errors import CheckpointError, InvalidArgument
from paddlite.core.mode import current
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor
from paddlite.framework.files import atomic_write
from paddlite.framework.safe_pickle import Forbidden, load_plain

NAME_TABLE = "StructuredToParameterName@@"
SLICE_TABLE = "UnpackBigParamInfor@@"  # Paddle's spelling
_SLICE_ELEMENTS = (1 << 30) - 1  # bytes in one slice, where the pickle protocol has 4-byte sizes
_CONFIGS_OF_SAVE = {"use_binary_format", "pickle_protocol"}
_CONFIGS_OF_LOAD = {"model_filename", "params_filename", "keep_name_table", "return_numpy"}


def save(obj: Any, path: str | os.PathLike | Any, protocol: int = 4, **configs: Any) -> None:
    """Write tensors, arrays, numbers and text, in containers of any depth, for `load` (also Paddle's) to read.

    The file is written beside its place and then takes it over, so that a crash leaves the old one.

    Args:
        obj: a state dict, a tensor, or nested dicts, lists and tuples of them.
        path: the file's path, or a file opened for writing bytes.
        protocol: pickle's, from 2 to 5; Paddle itself writes 4.

    Raises:
        InvalidArgument: `path` is a folder, or `obj` holds something else (a Layer: save its `state_dict()`).

    >>> import io, paddlite as paddle
    >>> file = io.BytesIO()
    >>> paddle.save({"w": paddle.to_tensor([1.0]), "epoch": 3}, file)
    >>> _ = file.seek(0)
    >>> paddle.load(file)["epoch"]
    3
    """
    _check_configs("save", configs, _CONFIGS_OF_SAVE)
    if configs.get("use_binary_format"):
        raise InvalidArgument("save: the binary format is that of inference models; use paddle.static.save")
    protocol = configs.get("pickle_protocol", protocol)
    if not isinstance(protocol, int) or isinstance(protocol, bool) or not 2 <= protocol <= 5:
        raise InvalidArgument(f"save: protocol must be an int from 2 to 5, got {protocol!r}")
    if hasattr(path, "write"):
        pickle.dump(_stored(obj, protocol), path, protocol=protocol)
        return
    name = _path("save", path)
    if not os.path.basename(name) or os.path.isdir(name):
        raise InvalidArgument(
            f"save: '{name}' is a folder; give the path of a file, such as '{name.rstrip('/')}/x.pdparams'"
        )
    stored = _stored(obj, protocol)
    with atomic_write(name) as file:
        pickle.dump(stored, file, protocol=protocol)


def load(path: str | os.PathLike | Any, **configs: Any) -> Any:
    """What `save` (also Paddle's) has written; tensors come back on the current device.

    Arrays become tensors too, unless the file holds tensors beside them (and is no state dict).

    Args:
        path: the file's path, or a file opened for reading bytes.
        return_numpy: give arrays rather than tensors (bfloat16 as uint16, as it is in the file).
        keep_name_table: keep the table of parameter names, the entry "StructuredToParameterName@@".

    Raises:
        CheckpointError: there is no such file, it is damaged, or it holds something else than arrays and plain
            containers; nothing in a file is ever run.

    Differs: Paddle's `load` runs whatever code a file holds.
    """
    _check_configs("load", configs, _CONFIGS_OF_LOAD)
    as_numpy = bool(configs.get("return_numpy", False))
    if hasattr(path, "read"):
        found = _read(path, f"the file {getattr(path, 'name', type(path).__name__)}")
    else:
        name = _path("load", path)
        if not os.path.isfile(name):
            raise CheckpointError(f"load: {_what_is_there(name)}")
        with open(name, "rb") as file:
            found = _read(file, f"'{name}'")
    if isinstance(found, dict):
        found = _joined(found)
    table = found.get(NAME_TABLE) if isinstance(found, dict) else None
    if isinstance(table, dict):
        arrays = {k: _restored(v, as_numpy, True, table.get(k)) for k, v in found.items() if k != NAME_TABLE}
        return {**arrays, NAME_TABLE: table} if configs.get("keep_name_table", False) else arrays
    return _restored(found, as_numpy, not _holds_named(found))


def _check_configs(call: str, given: dict[str, Any], known: set[str]) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise InvalidArgument(f"{call}: unknown option {', '.join(unknown)}; there are {', '.join(sorted(known))}")


def _path(call: str, path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidArgument(f"{call}: path must be a path or a file of bytes, got {type(path).__name__}")
    return os.fspath(path)


def _what_is_there(name: str) -> str:
    if os.path.isdir(name):
        return f"'{name}' is a folder, not a file"
    folder = os.path.dirname(name) or "."
    near = [n for n in (f"{name}.pdparams", f"{name}.pdopt") if os.path.isfile(n)]
    hint = f"; did you mean '{near[0]}'?" if near else "" if os.path.isdir(folder) else f" (nor a folder '{folder}')"
    return f"there is no file '{name}'{hint}"


# -- from objects to what the file holds ------------------------------------------------------------------------------


def _stored(obj: Any, protocol: int) -> Any:
    if _is_state_dict(obj):
        table = {key: value.name for key, value in obj.items() if isinstance(value, Tensor)}
        stored = {key: _array(value) if isinstance(value, Tensor) else value for key, value in obj.items()}
        stored = {**_Storing().plain(stored, "obj"), NAME_TABLE: table}
        return _sliced(stored) if protocol < 4 else stored
    return _Storing().plain(obj, "obj")


def _is_state_dict(obj: Any) -> bool:
    """True for a dict of tensors, and of dicts without any (the state of a schedule)."""
    if not isinstance(obj, dict):
        return False
    return all(isinstance(v, Tensor) or (isinstance(v, dict) and not _holds_tensor(v)) for v in obj.values())


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_tensor(v) for v in value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(_holds_tensor(v) for v in value)
    return isinstance(value, Tensor)


def _array(tensor: Tensor) -> np.ndarray:
    array = device.to_host(tensor._data)
    if not array.flags.c_contiguous:
        array = array.copy()
    return array.view(np.uint16) if array.dtype == BF16 else array


class _Storing:
    """Makes plain data of an object, and refuses what no reader should have to trust."""

    def __init__(self) -> None:
        self.inside: set[int] = set()  # containers being worked on
        self.seen: dict[int, tuple] = {}  # tensors met before: held once in the file

    def plain(self, value: Any, where: str) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, float, complex, str, bytes):
            return value
        if isinstance(value, Tensor):
            if id(value) not in self.seen:
                self.seen[id(value)] = (value.name, _array(value))
            return self.seen[id(value)]
        if isinstance(value, (np.ndarray, np.generic)):
            return self._numpy(value, where)
        if isinstance(value, (dict, list, tuple, set, frozenset)):
            return self._container(value, where)
        for base in (bool, int, float, str):  # an enumeration member, or another number with a class of its own
            if isinstance(value, base):
                return base(value)
        raise InvalidArgument(f"save: {where} is {_described(value)}")

    def _numpy(self, value: Any, where: str) -> Any:
        if value.dtype == ml_dtypes.bfloat16:
            return np.asarray(value).view(np.uint16)
        if value.dtype.kind not in "biufcSU":
            raise InvalidArgument(f"save: {where} is an array of dtype {value.dtype}, which cannot be saved")
        return value if isinstance(value, np.generic) else np.array(value, order="C", copy=None)

    def _container(self, value: Any, where: str) -> Any:
        if id(value) in self.inside:
            raise InvalidArgument(f"save: {where} contains itself")
        self.inside.add(id(value))
        try:
            if isinstance(value, dict):
                items = {self.plain(k, f"a key of {where}"): self.plain(v, f"{where}[{k!r}]") for k, v in value.items()}
                return OrderedDict(items) if isinstance(value, OrderedDict) else items
            made = [self.plain(v, f"{where}[{i}]") for i, v in enumerate(value)]
        finally:
            self.inside.discard(id(value))
        kind = next(k for k in (list, tuple, set, frozenset) if isinstance(value, k))
        return made if kind is list else kind(made)


def _described(value: Any) -> str:
    if hasattr(value, "state_dict"):
        return f"a {type(value).__name__}; save its state_dict() instead"
    if isinstance(value, Variable):
        return f"the variable '{value.name}' of a Program, which has no value; use paddle.static.save"
    return (
        f"a {type(value).__name__}; only tensors, arrays, numbers, text and containers of them are saved, so that a "
        "file can be loaded without running code"
    )


def _sliced(state: dict) -> dict:
    """`state` with arrays in slices where they are too big for the 4-byte sizes of old pickle protocols."""
    result, table = {}, {}
    for key, value in state.items():
        limit = _SLICE_ELEMENTS // value.itemsize if isinstance(value, np.ndarray) else 0
        if not isinstance(value, np.ndarray) or value.size <= limit:
            result[key] = value
            continue
        flat = value.reshape(-1)
        parts = {f"{key}@@.{i}": flat[at : at + limit] for i, at in enumerate(range(0, flat.size, limit))}
        table[key] = {"OriginShape": value.shape, "slices": list(parts)}
        result.update(parts)
    return {**result, SLICE_TABLE: table} if table else result


# -- and back ---------------------------------------------------------------------------------------------------------


def _read(file: Any, what: str) -> Any:
    try:
        return load_plain(file)
    except Forbidden as error:
        raise CheckpointError(
            f"load: {what} holds {error}, which is no array or plain container; it was not loaded, since it could run "
            "code. If you trust the file, read it with the program that wrote it and save arrays."
        ) from None
    except (OSError, KeyboardInterrupt):
        raise
    except Exception as error:  # a damaged pickle fails in any way
        raise CheckpointError(
            f"load: {what} is no checkpoint, or a damaged one ({type(error).__name__}: {error})"
        ) from None


def _joined(state: dict) -> dict:
    """`state` with slices put together again."""
    table = state.get(SLICE_TABLE)
    if not isinstance(table, dict):
        return state
    state = dict(state)
    del state[SLICE_TABLE]
    for key, entry in table.items():
        try:
            parts = [state.pop(name) for name in entry["slices"]]
            state[key] = np.concatenate(parts).reshape(entry["OriginShape"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"load: the slices of '{key}' cannot be put together: {error!r}") from None
    return state


def _is_named(value: Any) -> bool:
    """True for (name, array), which is how a tensor is held."""
    return type(value) is tuple and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], np.ndarray)


def _holds_named(value: Any) -> bool:
    """True where a tensor is held somewhere inside: arrays beside it are the user's own then, and stay arrays."""
    if isinstance(value, dict):
        return any(_holds_named(v) for v in value.values())
    return _is_named(value) or (isinstance(value, (list, tuple)) and any(_holds_named(v) for v in value))


def _restored(value: Any, as_numpy: bool, all_arrays: bool, name: str | None = None) -> Any:
    if isinstance(value, np.ndarray):
        return _tensor(value, name, as_numpy or not all_arrays)
    if _is_named(value):
        return _tensor(value[1], value[0], as_numpy)
    if isinstance(value, dict):
        return type(value)((k, _restored(v, as_numpy, all_arrays)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return type(value)(_restored(v, as_numpy, all_arrays) for v in value)
    return value


def _tensor(array: np.ndarray, name: str | None, as_numpy: bool) -> Any:
    if as_numpy or array.dtype not in FROM_NUMPY:
        return array
    if array.dtype == np.uint16:
        array = array.view(BF16)
    tensor = Tensor(device.to_place(array, current().place))
    if name is not None:
        tensor.name = name
    return tensor


__all__ = ["load", "save"]
