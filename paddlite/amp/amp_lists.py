"""Which ops AMP runs in which precision, computed from the op records."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from paddlite.core.op import OPS

LEVELS = ("O1", "O2", "OD")

# Names under which users know ops, beside their own.
_ALIASES = {
    "add": "elementwise_add", "sub": "elementwise_sub", "subtract": "elementwise_sub", "mul": "elementwise_mul",
    "multiply": "elementwise_mul", "div": "elementwise_div", "divide": "elementwise_div", "pow": "elementwise_pow",
    "maximum": "elementwise_max", "minimum": "elementwise_min", "matmul": "matmul_v2", "mm": "matmul_v2",
    "mul_op": "matmul_v2", "sum": "reduce_sum", "mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min",
    "cross_entropy": "softmax_with_cross_entropy", "cross_entropy_with_softmax": "softmax_with_cross_entropy",
    "fc": "linear", "fused_gemm_epilogue": "linear", "embedding": "lookup_table_v2",
}  # fmt: skip


def white_list() -> dict[str, dict[str, set[str]]]:
    """The ops that run in the low precision, by dtype and level."""
    low = {name for name, op in OPS.items() if op.amp == "low"}
    return {dtype: {level: set(low) for level in LEVELS} for dtype in ("float16", "bfloat16")}


def black_list() -> dict[str, dict[str, set[str]]]:
    """The ops that run in float32, by dtype and level."""
    always = {name for name, op in OPS.items() if op.amp == "keep32"}
    first = always | {name for name, op in OPS.items() if op.amp == "keep32_o1"}
    return {dtype: {"O1": set(first), "OD": set(first), "O2": set(always)} for dtype in ("float16", "bfloat16")}


def resolve(names: Iterable[str]) -> tuple[set[str], list[str]]:
    """Op names for the names that a user gave, and a complaint for each that names no op."""
    found: set[str] = set()
    complaints = []
    for name in names:
        candidates = (name, _ALIASES.get(name, ""), f"{name}_v2", f"{name}2")
        matches = [c for c in candidates if c in OPS]
        if matches:
            found.add(matches[0])
            if name == "matmul" or matches[0] == "matmul_v2":
                found.add("linear")  # a matmul with its bias is the same op to the user
            continue
        near = get_close_matches(name, [*OPS, *_ALIASES], 1)
        complaints.append(f"'{name}' is no op" + (f"; did you mean '{near[0]}'?" if near else ""))
    return found, complaints
