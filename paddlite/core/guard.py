"""Errors of public functions: what Python or NumPy raise deep inside is told in terms of the call.

`guarded` costs a call one frame and no check: arguments are looked at only after something went wrong.
"""

from __future__ import annotations

import dis
import functools
import inspect
import os
import re
from collections.abc import Callable, Iterator
from types import FrameType, FunctionType, TracebackType
from typing import Any

import numpy as np

from paddlite.core import errors
from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, InvalidArgument
from paddlite.core.tensor import Tensor, TensorBase

RAW = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_RAISE = dis.opmap["RAISE_VARARGS"]
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_INSIDE = (_HERE, os.path.dirname(os.path.abspath(np.__file__)) + os.sep)

# What a word of an annotation takes.  An annotation with another word in it says nothing that is checked here.
_KINDS: dict[str, Any] = {
    "None": type(None), "Tensor": TensorBase, "bool": (bool, np.bool_), "str": str,
    "int": (int, np.integer), "float": (int, float, np.integer, np.floating),
}  # fmt: skip


def guarded(function: Callable, module: str) -> Callable:
    """`function` with raw errors explained; itself where it does nothing but call ops, whose errors are good already.

    Args:
        module: where the result is found under the function's name, so that it can be pickled.
    """
    if not isinstance(function, FunctionType) or _only_calls_ops(function):
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except RAW as error:
            name = type(args[0]).__name__ if function.__name__ == "__init__" else function.__name__
            told = explained_call(name, function, args, kwargs, error)
            if told is error:
                raise
            raise told from error

    call.__module__ = module
    return call


def guard_constructors(base: type, package: str) -> None:
    """Guard the constructors of the public classes below `base` that `package` defines."""
    for kind in base.__subclasses__():
        init = kind.__init__
        public = kind.__module__.startswith(package) and not kind.__name__.startswith("_")
        if public and isinstance(init, FunctionType) and not hasattr(init, "__wrapped__"):
            kind.__init__ = guarded(init, kind.__module__)
        guard_constructors(kind, package)


def guard_methods(*kinds: type) -> None:
    """Guard the constructor and the public methods that the classes `kinds` themselves define."""
    for kind in kinds:
        for name, function in list(vars(kind).items()):
            if isinstance(function, FunctionType) and (name == "__init__" or not name.startswith("_")):
                setattr(kind, name, guarded(function, kind.__module__))


def _only_calls_ops(function: FunctionType) -> bool:
    names = function.__code__.co_names
    return bool(names) and all(hasattr(function.__globals__.get(name), "op") for name in names)


def explained_call(name: str, function: Callable, args: tuple, kwargs: dict, error: Exception) -> Exception:
    """What to raise for `error`, which a call of `function` raised: `error` itself where it was raised on purpose.

    On purpose means: by a `raise` of this package, by code of the user that was called back, or by Python for
    arguments that do not fit the signature.
    """
    frames = list(_frames(error.__traceback__))
    while frames and frames[0][0].f_code is not getattr(function, "__code__", None):
        frames.pop(0)
    if not frames or isinstance(error, _OURS) or not all(f.f_code.co_filename.startswith(_INSIDE) for f, _ in frames):
        return error
    frame, last = frames[-1]
    if frame.f_code.co_filename.startswith(_HERE) and frame.f_code.co_code[last] == _RAISE:
        return error
    given = _arguments(function, args, kwargs)
    fault = _fault(function, given, error)
    if fault:
        return DTypeMismatch(f"{name}: {fault}")
    shown = ", ".join(f"{key}={_shown(value)}" for key, value in given.items())
    return _kind(error)(f"{name}: these arguments do not go together: {shown} ({error})")


_OURS = tuple(kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception))


def _kind(error: Exception) -> type[Exception]:
    if isinstance(error, IndexError):
        return IndexOutOfRange
    return DTypeMismatch if isinstance(error, (AttributeError, LookupError, TypeError)) else InvalidArgument


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lasti
        trace = trace.tb_next


def _arguments(function: Callable, args: tuple, kwargs: dict) -> dict[str, Any]:
    bound = inspect.signature(function).bind(*args, **kwargs).arguments
    return {name: value for name, value in bound.items() if name != "self" or isinstance(value, TensorBase)}


def _fault(function: Callable, given: dict[str, Any], error: Exception) -> str:
    """Which argument is of the wrong kind, and what was wanted; empty where none can be singled out."""
    if isinstance(error, AttributeError):  # that a value has no attribute that tensors have
        for name, value in given.items():
            for where, one in _parts(name, value):
                if one is error.obj and not isinstance(one, TensorBase):
                    if hasattr(Tensor, error.name or ""):
                        return f"{where} must be a Tensor, got {_shown(one)}"
                    return f"{where} is of the wrong kind: {_shown(one)} has no {error.name!r}"
    parameters = inspect.signature(function).parameters
    for name, value in given.items():
        words = [word.strip() for word in str(parameters[name].annotation).split("|")]
        if parameters[name].kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if all(word in _KINDS for word in words) and not any(isinstance(value, _KINDS[word]) for word in words):
            wanted = " or ".join(
                re.sub(r"^(Tensor|bool|str|float)$", r"a \1", w).replace("int", "an int") for w in words
            )
            return f"{name} must be {wanted}, got {_shown(value)}"
    return ""


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    yield name, value
    if isinstance(value, (list, tuple)):
        for i, one in enumerate(value):
            yield f"{name}[{i}]", one


def _shown(value: Any) -> str:
    if isinstance(value, TensorBase):
        return f"Tensor {list(value._shape)} {value._dtype}"
    if isinstance(value, np.ndarray):
        return f"array {list(value.shape)} {value.dtype}"
    text = repr(value)
    return "None" if value is None else f"{type(value).__name__} {text if len(text) <= 40 else text[:37] + '...'}"
