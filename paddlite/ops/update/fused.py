"""An update rule as one kernel on a GPU: the rule's `expr`, line by line, for one element.

`expr` is arithmetic in names and calls that Python and C read alike.  Multiplications and additions stay apart
(`--fmad=false`), so that the result has NumPy's bits.
"""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

from paddlite.ops.update.rule import Penalty, Rule

_PREAMBLE = """
template<typename T> __device__ T maximum(T a, T b) { return (a > b || a != a) ? a : b; }
template<typename T> __device__ T minimum(T a, T b) { return (a < b || a != a) ? a : b; }
template<typename T> __device__ T sign(T a) { return a != a ? a : T((a > T(0)) - (a < T(0))); }
template<typename T> __device__ T absolute(T a) { return a < T(0) ? -a : a; }
template<typename T, typename A, typename B> __device__ T pick(bool c, A a, B b) { return c ? T(a) : T(b); }
"""


@functools.cache
def names_of(rule: Rule) -> tuple[list[str], list[str]]:
    """What `rule.apply` calls its slots and its coefficients."""
    names = list(inspect.signature(rule.apply).parameters)[3:]
    count = len(rule.slots)
    return names[:count], names[count + rule.scratch :]


def lines_of(rule: Rule, given: set[str], penalty: Penalty | None) -> list[str]:
    """The statements for one element, weight decay first."""
    first = [] if penalty is None else [penalty.expr]
    return [*first, *rule.expr(given)]  # type: ignore[misc]


def given_names(rule: Rule, slots: tuple, coefficients: tuple, penalty: Penalty | None) -> tuple[set[str], list[str]]:
    """The names of what is not None, and in which order the kernel takes the numbers among them."""
    slot_names, coefficient_names = names_of(rule)
    named = [(n, v) for n, v in zip(coefficient_names, coefficients) if v is not None]
    given = {n for n, v in (*zip(slot_names, slots), *named) if v is not None}
    values = [n for n, v in named if v is not True]
    return given, values if penalty is None else [*values, "decay"]


def statements(lines: list[str], slots: list[str], number: str, pick: str) -> list[str]:
    """`lines` as statements of C; new names are declared, whole numbers are made of type T by `number`."""
    known = {"p", "g", *slots}
    found = []
    for line in lines:
        target, expression = line.split(" = ", 1)
        expression = re.sub(r"(?<![\w.])(\d+)(?![\w.])", rf"{number}(\1)", expression)
        expression = re.sub(r"\bwhere\(", f"{pick}(", expression)
        found.append(f"{'' if target in known else 'T '}{target} = {expression};")
        known.add(target)
    return found


def update(
    xp: Any, rule: Rule, p: Any, g: Any, slots: tuple, coefficients: tuple, penalty: Penalty | None, half: Any
) -> None:
    """Update `p` and `slots` (arrays of one shape) in place.

    Args:
        half: the parameter of a half type that gets the new values, where `p` is its master weight.
    """
    given, values = given_names(rule, slots, coefficients, penalty)
    slot_names, coefficient_names = names_of(rule)
    held = [(n, a) for n, a in zip(slot_names, slots) if a is not None]
    key = ("CUDA", tuple(sorted(given)), None if penalty is None else penalty.expr, half is not None)
    kernel = rule.kernels.get(key)
    if kernel is None:
        lines = lines_of(rule, given, penalty)
        kernel = rule.kernels[key] = _compile(xp, rule.name, lines, values, [n for n, _ in held], half)
    by_name = {**dict(zip(coefficient_names, coefficients)), "decay": penalty and penalty.coefficient}
    outputs = [p, *[a for _, a in held], *([half] if half is not None else [])]
    kernel(g, *[by_name[name] for name in values], *outputs)


def _compile(xp: Any, name: str, lines: list[str], values: list[str], slots: list[str], half: Any) -> Any:
    inputs = ", ".join(["G g_", *[f"T {n}" for n in values]])
    outputs = ", ".join(["P p_", *[f"T {n}" for n in slots], *(["H half_"] if half is not None else [])])
    body = ["T p = T(p_); T g = T(g_);", *statements(lines, slots, "T", "pick<T>")]
    body.append("p_ = P(p);")
    if half is not None:
        body.append("half_ = H(p);")
    return xp.ElementwiseKernel(
        inputs, outputs, "\n".join(body), f"{name}_update", preamble=_PREAMBLE, options=("--fmad=false",)
    )
