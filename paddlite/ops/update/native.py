"""An update rule as one loop in C on the host: the rule's `expr`, line by line, with NumPy's bits."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend import cjit
from paddlite.backend.dtypes import F32, F64
from paddlite.ops.update.fused import given_names, lines_of, names_of, statements
from paddlite.ops.update.rule import Penalty, Rule

LEAST = 1 << 14  # elements: below it a compilation does not pay

_PREAMBLE = """
#define T {type}
#define sqrt {sqrt}
#define pick(c, a, b) ((c) ? (T)(a) : (T)(b))
#define T1(a) ((T)(a))
static inline T maximum(T a, T b) {{ return (a > b || a != a) ? a : b; }}
static inline T minimum(T a, T b) {{ return (a < b || a != a) ? a : b; }}
static inline T sign(T a) {{ return a != a ? a : (T)((a > 0) - (a < 0)); }}
static inline T absolute(T a) {{ return a < 0 ? -a : a; }}
"""
_TYPES = {F32: {"type": "float", "sqrt": "__builtin_sqrtf"}, F64: {"type": "double", "sqrt": "__builtin_sqrt"}}


class Native:
    """One compiled rule: `update(size, p, g, *slots, coefficients)` takes addresses."""

    __slots__ = ("dtype", "names", "update")

    def __init__(self, update: Callable, names: list[str], dtype: np.dtype):
        self.update, self.names, self.dtype = update, names, dtype

    def numbers(self, rule: Rule, coefficients: tuple, penalty: Penalty | None) -> np.ndarray:
        """The coefficients as the loop reads them."""
        values = dict(zip(names_of(rule)[1], coefficients))
        if penalty is not None:
            values["decay"] = penalty.coefficient
        return np.array([values[name] for name in self.names], self.dtype)


def native(rule: Rule, slots: tuple, coefficients: tuple, penalty: Penalty | None, dtype: np.dtype) -> Native | None:
    """The compiled rule for what is given (not None) among slots and coefficients; None where it cannot be had."""
    if rule.expr is None or dtype not in _TYPES or cjit.compiler() is None:
        return None
    given, values = given_names(rule, slots, coefficients, penalty)
    held = [name for name, slot in zip(names_of(rule)[0], slots) if slot is not None]
    key = ("C", tuple(sorted(given)), None if penalty is None else penalty.expr, dtype)
    if key not in rule.kernels:
        library = cjit.library(_source(rule, given, penalty, values, held, dtype))
        if library is not None:
            library.update.argtypes = [ctypes.c_ssize_t, *[ctypes.c_void_p] * (3 + len(held))]
            library.update.restype = None
        rule.kernels[key] = None if library is None else Native(library.update, values, dtype)
    return rule.kernels[key]


def _source(
    rule: Rule, given: set[str], penalty: Penalty | None, values: list[str], held: list[str], dtype: np.dtype
) -> str:
    pointers = ["T *restrict p_", "const T *restrict g_", *[f"T *restrict {n}_" for n in held], "const T *restrict c_"]
    body = [
        *[f"const T {name} = c_[{i}];" for i, name in enumerate(values)],
        "for (long i = 0; i < size; i++) {",
        *[f"T {name} = {name}_[i];" for name in ("p", "g", *held)],
        *statements(lines_of(rule, given, penalty), held, "T1", "pick"),
        *[f"{name}_[i] = {name};" for name in ("p", *held)],
        "}",
    ]
    text = "\n".join(body)
    return f"{_PREAMBLE.format(**_TYPES[dtype])}void update(long size, {', '.join(pointers)}) {{\n{text}\n}}\n"


def address(array: Any) -> int:
    return array.__array_interface__["data"][0]
