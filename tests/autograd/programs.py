"""Random programs of views, in-place writes and ops, and an independent model that says what they must give.

A program is plain data: a list of steps that names tensors by number.  It is played three times: on the model, on
eager tensors, and recorded in a Program.

The model is forward-mode differentiation on NumPy arrays: a tensor is an array of values and an array of tangents, and
views and writes are NumPy's own on both.  What shares memory shares tangents; `detach` shares values only; a write
under `no_grad` changes values only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import paddlite.tensor  # noqa: F401 - attaches the methods of tensors
from paddlite.autograd.mode import no_grad
from paddlite.core.inplace import become, in_place
from paddlite.core.op import OPS
from paddlite.ops.arithmetic import assign, elementwise_add, elementwise_mul, elementwise_sub
from paddlite.ops.matmul import matmul
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import reshape, transpose, unsqueeze

BINARY = {"add": elementwise_add, "sub": elementwise_sub, "mul": elementwise_mul}
BINARY_OPS = {"add": "elementwise_add", "sub": "elementwise_sub", "mul": "elementwise_mul"}


@dataclass
class Step:
    """One step: makes a tensor (`kind` of `x` and `y`) or changes `x`; `quiet`: under no_grad."""

    kind: str
    x: int
    y: Any = None
    detail: Any = None
    quiet: bool = False


@dataclass
class Modelled:
    """A tensor of the model: `root` is what it shares values with, `lane` what it shares tangents with."""

    value: np.ndarray
    tangent: np.ndarray
    root: Modelled | None = None
    lane: Modelled | None = None
    leaf: bool = False
    stopped: bool = False
    locked: bool = False  # a view made under no_grad: only constants may be written into it
    viewed: bool = False
    plain: bool = True  # lies in memory one element after the other, or is a view of what does

    def owner(self) -> Modelled:
        return self if self.root is None else self.root.owner()

    def tracker(self) -> Modelled:
        return self if self.lane is None else self.lane.tracker()

    @property
    def stop(self) -> bool:
        """Whether gradients are off: the same for all that share tangents."""
        return self.tracker().stopped


def beside(value: np.ndarray, tangent: Any) -> np.ndarray:
    """`tangent` in the memory layout of `value`, so that views of both copy alike."""
    out = np.empty_like(value)
    out[...] = tangent
    return out


class Model:
    """Plays steps on NumPy arrays."""

    def __init__(self, arrays: list[np.ndarray], directions: list[np.ndarray]):
        self.tensors = [Modelled(a.copy(), d.copy(), leaf=True) for a, d in zip(arrays, directions)]
        self.layout_matters = False

    def operand(self, y: Any) -> Modelled:
        if isinstance(y, int):
            return self.tensors[y]
        return Modelled(np.asarray(y), np.zeros(np.shape(y)), stopped=True)

    def play(self, step: Step) -> None:
        x = self.tensors[step.x]
        if step.kind in ("write", "put"):
            self.write(step, x)
        elif step.kind == "become":
            self.become(step, x)
        elif step.kind == "stop":
            x.tangent, x.stopped = np.zeros_like(x.tangent), True
        else:
            self.tensors.append(self.made(step, x))

    def made(self, step: Step, x: Modelled) -> Modelled:
        kind, stop = step.kind, x.stop or step.quiet
        if kind in ("slice", "reshape", "transpose", "unsqueeze", "detach"):
            value, tangent = (self.view(kind, step.detail, a) for a in (x.value, x.tangent))
            shares = np.may_share_memory(value, x.value)
            if kind == "reshape" and not x.plain:
                self.layout_matters = True
            apart = kind == "detach" or step.quiet
            if not shares:
                tangent = tangent.copy()
            if apart:
                tangent = np.zeros_like(tangent)
            locked = shares and (x.locked or (step.quiet and kind != "detach"))
            x.owner().viewed = x.viewed = True
            plain = x.plain if shares else True
            root = x if shares else None
            lane = None if apart else root
            return Modelled(value, tangent, root, lane, stopped=apart or stop, locked=locked, plain=plain)
        y = self.operand(step.y) if step.y is not None else None
        stop = (x.stop and (y is None or y.stop)) or step.quiet
        value, tangent = self.computed(kind, step.detail, x, y)
        tangent = beside(value, 0.0 if stop else tangent)
        return Modelled(value, tangent, stopped=stop, plain=value.flags.c_contiguous)

    def become(self, step: Step, x: Modelled) -> None:
        """`reshape_` and `transpose_`: what was a view of `x` still is one of what `x` was."""
        before = replace(x)
        for t in self.tensors:
            t.root = before if t.root is x else t.root
            t.lane = before if t.lane is x else t.lane
        made = self.made(Step(step.detail[0], step.x, detail=step.detail[1]), before)
        for name in ("value", "tangent", "root", "lane", "stopped", "locked", "plain"):
            setattr(x, name, getattr(made, name))

    @staticmethod
    def view(kind: str, detail: Any, a: np.ndarray) -> np.ndarray:
        if kind == "slice":
            return a[(*detail, Ellipsis)]
        if kind == "reshape":
            return a.reshape(detail)
        if kind == "transpose":
            return a.transpose(detail)
        return np.expand_dims(a, detail) if kind == "unsqueeze" else a.view()

    @staticmethod
    def computed(kind: str, detail: Any, x: Modelled, y: Modelled | None) -> tuple[np.ndarray, Any]:
        if kind == "clone":
            return x.value.copy(), x.tangent
        if kind == "take":
            return x.value[detail].copy(), x.tangent[detail]  # whatever memory layout indexing gives
        if kind == "sum":
            return np.asarray(x.value.sum(detail)), x.tangent.sum(detail)
        assert y is not None
        if kind == "matmul":
            return x.value @ y.value, x.tangent @ y.value + x.value @ y.tangent
        if kind == "mul":
            return np.asarray(x.value * y.value), x.tangent * y.value + x.value * y.tangent
        sign = 1.0 if kind == "add" else -1.0
        value = x.value + y.value if kind == "add" else x.value - y.value
        return np.asarray(value), x.tangent + sign * y.tangent

    def write(self, step: Step, x: Modelled) -> None:
        y = self.operand(step.y)
        if step.kind == "write":
            value, tangent = self.computed(step.detail, None, x, y)
        else:
            value, tangent = x.value.copy(), x.tangent.copy()
            value[step.detail], tangent[step.detail] = y.value, y.tangent
        x.value[...] = value
        if not step.quiet:
            x.tangent[...] = tangent
            x.tracker().stopped = x.stop and y.stop


class Player:
    """Plays steps on tensors or on variables."""

    def __init__(self, tensors: list):
        self.tensors = list(tensors)

    def operand(self, y: Any) -> Any:
        return self.tensors[y] if isinstance(y, int) else y

    def play(self, step: Step) -> None:
        if step.quiet:
            with no_grad():
                self._play(step)
        else:
            self._play(step)

    def _play(self, step: Step) -> None:
        x = self.tensors[step.x]
        kind, detail = step.kind, step.detail
        if kind == "write":
            in_place(OPS[BINARY_OPS[detail]], (x, self.operand(step.y)), {})
        elif kind == "put":
            x[detail] = self.operand(step.y)
        elif kind == "become":
            become(x, lambda before: self.made(Step(detail[0], step.x, detail=detail[1]), before))
        elif kind == "stop":
            x.stop_gradient = True
        else:
            self.tensors.append(self.made(step, x))

    def made(self, step: Step, x: Any) -> Any:
        kind, detail = step.kind, step.detail
        if kind == "slice":
            return x[detail]
        if kind == "take":
            return assign(x[detail])
        if kind == "reshape":
            return reshape(x, shape=detail)
        if kind == "transpose":
            return transpose(x, perm=detail)
        if kind == "unsqueeze":
            return unsqueeze(x, axes=(detail,))
        if kind == "detach":
            return x.detach()
        if kind == "clone":
            return assign(x)
        if kind == "sum":
            return reduce_sum(x, axis=detail)
        if kind == "matmul":
            return matmul(x, self.operand(step.y))
        return BINARY[kind](x, self.operand(step.y))


@dataclass
class Writer:
    """Writes a random program while a model plays it, so that every step is legal."""

    rng: np.random.Generator
    model: Model
    steps: list[Step] = field(default_factory=list)

    def add(self, *args: Any, **options: Any) -> None:
        step = Step(*args, **options)
        self.steps.append(step)
        self.model.play(step)

    def choose(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def write(self, length: int) -> list[Step]:
        while len(self.steps) < length:
            kind = self.choose(["view"] * 4 + ["op"] * 4 + ["write"] * 3 + ["put"] * 3 + ["stop", "become"])
            getattr(self, f"_{kind}")(int(self.rng.integers(len(self.model.tensors))))
        return self.steps

    def _quiet(self) -> bool:
        return bool(self.rng.random() < 0.12)

    def _index(self, shape: tuple[int, ...]) -> tuple:
        items: list = []
        for size in shape[: int(self.rng.integers(len(shape) + 1))]:
            start, stop = sorted(self.rng.integers(0, size + 1, 2).tolist())
            item = self.choose(
                [slice(start, max(stop, start + 1)), slice(None), slice(None, None, -1), slice(None, None, 2)]
            )
            items.append(int(self.rng.integers(size)) if self.rng.random() < 0.25 else item)
        if self.rng.random() < 0.1:
            items.append(None)
        return tuple(items)

    def _view(self, x: int) -> None:
        value = self.model.tensors[x].value
        kind = self.choose(["slice", "slice", "slice", "reshape", "transpose", "unsqueeze", "detach"])
        if kind == "slice":
            detail: Any = self._index(value.shape)
            if not value[(*detail, Ellipsis)].size:
                return
        elif kind == "reshape":
            detail = self.choose([(-1,), (value.size,), (1, -1), (-1, 2) if value.size % 2 == 0 else (-1, 1)])
        elif kind == "transpose":
            detail = tuple(self.rng.permutation(value.ndim).tolist())
        else:
            detail = int(self.rng.integers(value.ndim + 1)) if kind == "unsqueeze" else None
        self.add(kind, x, detail=detail, quiet=self._quiet())

    def _become(self, x: int) -> None:
        tensor = self.model.tensors[x]
        value = tensor.value
        if not self._may_write(tensor, False):
            return
        if self.rng.random() < 0.5:
            self.add("become", x, detail=("reshape", self.choose([(-1,), (1, -1), (-1, 1)])))
        else:
            self.add("become", x, detail=("transpose", tuple(self.rng.permutation(value.ndim).tolist())))

    def _partner(self, shape: tuple[int, ...], exact: bool, constant: bool) -> Any:
        """A tensor (its number) or number that broadcasts with `shape`, and to it where `exact`."""
        fits = [float(np.round(self.rng.standard_normal(), 3)), self.rng.standard_normal(shape[-1:])]
        if not constant:
            for i, t in enumerate(self.model.tensors):
                try:
                    out = np.broadcast_shapes(shape, t.value.shape)
                except ValueError:
                    continue
                if out == shape or (not exact and len(out) < 4):
                    fits += [i, i]
        found = self.choose(fits)
        return found

    def _op(self, x: int) -> None:
        value = self.model.tensors[x].value
        kind = self.choose(["add", "sub", "mul", "add", "clone", "take", "sum", "matmul"])
        if kind == "clone":
            self.add(kind, x, quiet=self._quiet())
        elif kind == "take" and value.ndim:
            self.add(kind, x, detail=self.rng.integers(0, value.shape[0], 3).tolist())
        elif kind == "sum" and value.ndim:
            self.add(kind, x, detail=int(self.rng.integers(value.ndim)))
        elif kind == "matmul":
            others = [i for i, t in enumerate(self.model.tensors) if t.value.ndim == 2 == value.ndim]
            others = [i for i in others if self.model.tensors[i].value.shape[0] == value.shape[1]]
            if others:
                self.add(kind, x, self.choose(others))
        elif kind in BINARY:
            self.add(kind, x, self._partner(value.shape, False, False), quiet=self._quiet())

    def _may_write(self, x: Modelled, quiet: bool) -> bool:
        above = x
        while not quiet and above is not None:
            if above.leaf:
                return False  # refused; tested elsewhere
            above = above.root
        return True

    def _write(self, x: int) -> None:
        tensor, quiet = self.model.tensors[x], self._quiet()
        if self._may_write(tensor, quiet):
            y = self._partner(tensor.value.shape, True, tensor.locked)
            self.add("write", x, y, self.choose(["add", "add", "sub", "mul"]), quiet=quiet)

    def _put(self, x: int) -> None:
        tensor, quiet = self.model.tensors[x], self._quiet()
        value = tensor.value
        if not value.ndim or not self._may_write(tensor, quiet):
            return
        roll = self.rng.random()
        if roll < 0.2:
            detail: Any = self.rng.permutation(value.shape[0])[:2].tolist()
        elif roll < 0.4:
            detail = value > np.median(value)
        else:
            detail = self._index(value.shape)
        shape = value[detail].shape
        if 0 in shape:
            return
        if isinstance(detail, np.ndarray):
            self.add("put", x, float(np.round(self.rng.standard_normal(), 3)), detail, quiet=quiet)
        else:
            self.add("put", x, self._partner(shape, True, tensor.locked), detail, quiet=quiet)

    def _stop(self, x: int) -> None:
        tensor = self.model.tensors[x]
        if tensor.root is None and not tensor.viewed and not tensor.leaf:
            self.add("stop", x)
