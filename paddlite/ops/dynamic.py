"""Attributes with parts that only a run knows: `At(k)` stands for the k-th tensor of an op's last, variadic input."""

from __future__ import annotations

from typing import Any, NamedTuple


class At(NamedTuple):
    """Stands in an attribute for tensor number `k` of the variadic input."""

    k: int

    def __repr__(self) -> str:
        return f"[{self.k}]"


def resolved(value: Any, tensors: tuple) -> Any:
    """`value` with the numbers in place of every `At`, for kernels; reads them on the host."""
    if not tensors:
        return value
    kind = type(value)
    if kind is At:
        return tensors[value.k].item()
    if kind is tuple:
        return tuple([resolved(v, tensors) for v in value])
    if kind is slice:
        return slice(resolved(value.start, tensors), resolved(value.stop, tensors), resolved(value.step, tensors))
    return value


def known_sizes(shape: tuple) -> tuple[int, ...]:
    """`shape` with -1 in place of every `At`, for `infer`."""
    return tuple([-1 if type(size) is At else size for size in shape])
