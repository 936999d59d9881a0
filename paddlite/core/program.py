"""The Program: recorded calls over immutable values, plain data that can be printed, verified and rewritten."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from paddlite.core.dim import Dim
from paddlite.core.errors import ProgramError, add_note
from paddlite.core.handles import link_variable, refresh_variable, stop_here
from paddlite.core.meta import Meta, Size
from paddlite.core.mode import current, switched
from paddlite.core.node import _next_order
from paddlite.core.op import ATTRIBUTE, GRADIENT, INPUT, LIKE_INPUT, NEEDS, Op, Plan, Read
from paddlite.core.tensor import Tensor, TensorBase, View, refresh

_PACKAGE = str(Path(__file__).resolve().parent.parent)


class RandomSlot:
    """Attribute `stream` of a recorded random op: slot `index` counted from where a run begins."""

    __slots__ = ("index",)

    def __init__(self, index: int):
        self.index = index

    def __repr__(self) -> str:
        return f"slot {self.index}"


class Value:
    """One value of a Program: made once, by a call, a feed or a state slot, and never changed."""

    __slots__ = ("block", "dtype", "index", "leaf", "maker", "name", "shape", "stop_gradient")

    def __init__(
        self, block: Block, name: str, meta: Meta, stop_gradient: bool, node: Call | None = None, index: int = 0
    ):
        self.block, self.name = block, name
        self.shape, self.dtype = meta.shape, meta.dtype
        self.stop_gradient = stop_gradient
        self.maker, self.index = node, index  # the call that makes the value, None for feeds and state
        self.leaf = node is None or stop_gradient  # gradients end here, also where the user asks for them later

    @property
    def node(self) -> Call | None:
        """The call through which gradients of this value flow on."""
        return None if self.leaf else self.maker

    @property
    def meta(self) -> Meta:
        return Meta(self.shape, self.dtype)

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.shape

    @property
    def _dtype(self) -> np.dtype:
        return self.dtype

    def __repr__(self) -> str:
        return f"{self.name} : {self.dtype}{list(self.shape)}"


class Call:
    """One recorded call."""

    __slots__ = ("attrs", "given", "implied", "inputs", "location", "op", "order", "outputs", "role")
    watch = None
    metas = None

    def __init__(self, op: Op, inputs: tuple, attrs: dict[str, Any], role: str, location: str):
        self.op, self.inputs, self.attrs = op, inputs, attrs
        self.outputs: tuple[Value, ...] = ()
        self.role, self.location = role, location
        self.order = _next_order()
        self.given = inputs  # what the caller gave, before type promotion put casts in between
        self.implied = False  # True for such a cast

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def edges(self) -> tuple:
        """What the reverse walk follows: the inputs that want a gradient."""
        return tuple([v if isinstance(v, Value) and not v.stop_gradient else None for v in self.inputs])

    @property
    def output_count(self) -> int:
        return len(self.outputs)

    def output_like(self, index: int) -> Any:
        return Variable(self.outputs[index])

    @property
    def plan(self) -> Plan:
        needs = sum(1 << i for i, edge in enumerate(self.edges) if edge is not None)
        found = self.op.plan(needs)
        assert found is not None, f"the walk came to {self.name}, through which no gradient flows"
        return found

    def flow(self, grads: list) -> list[tuple[Any, Any]]:
        """Each value that wants a gradient with its own (None where there is none), from those of the outputs."""
        plan, edges = self.plan, self.edges
        if plan.joint:
            _, rule, reads = plan.rules[0]
            found = rule(*[self._read(read, grads) for read in reads])
            return [(edge, gradient) for edge, gradient in zip(edges, found, strict=True) if edge is not None]
        return [(edges[i], rule(*[self._read(read, grads) for read in reads])) for i, rule, reads in plan.rules]

    def _read(self, read: Read, grads: list) -> Any:
        kind, key, _ = read
        if kind == GRADIENT:
            return grads[key]
        if kind == ATTRIBUTE:
            return self.attrs[key]
        if kind == NEEDS:
            return tuple([edge is not None for edge in self.edges])
        if kind in (INPUT, LIKE_INPUT):
            if self.op.variadic and key == len(self.op.inputs) - 1:
                return [_handle(v) for v in self.inputs[key:]]
            return _handle(self.inputs[key])
        return Variable(self.outputs[key])

    def __repr__(self) -> str:
        outs = ", ".join(map(repr, self.outputs))
        ins = [v.name if isinstance(v, Value) else repr(v) for v in self.inputs]
        attrs = [f"{k}={v.name if isinstance(v, np.dtype) else repr(v)}" for k, v in self.attrs.items()]
        return f"{outs} = {self.name}({', '.join(ins + attrs)})"


class Variable(TensorBase):
    """A movable handle on a value of a Program; what users hold in static mode."""

    __slots__ = ("__dict__", "__weakref__", "_value", "_version", "_view")

    def __init__(self, value: Value):
        self._value = value
        self._view: View | None = None
        self._version = [0]

    @property
    def _block(self) -> Block:
        return self._value.block

    @property
    def _edge(self) -> Value:
        return self._value

    @property
    def _stop(self) -> bool:
        return self._value.stop_gradient

    @property
    def _shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return self._value.shape

    @property
    def shape(self) -> Size:
        """Sizes of the axes; one that only a run knows is -1, and can be computed with (see `Dim`)."""
        sizes = self._value.shape
        return Size([Dim(self, k) if size < 0 else size for k, size in enumerate(sizes)] if -1 in sizes else sizes)

    @property
    def _dtype(self) -> np.dtype:  # type: ignore[override]
        return self._value.dtype

    @property
    def stop_gradient(self) -> bool:
        """False where gradients are recorded for this variable."""
        refresh_variable(self)
        return self._value.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, stop: bool) -> None:
        refresh_variable(self)
        if self._view is not None:
            self._view.cut = bool(stop)
        if stop and not self._value.stop_gradient:
            stop_here(self)
        else:
            self._value.stop_gradient = bool(stop)

    @property
    def is_leaf(self) -> bool:
        """True where no recorded op made this variable, or where its gradient is not wanted."""
        return self.stop_gradient or self._value.leaf

    @property
    def name(self) -> str:
        """The name of the value that the variable stands for now."""
        return self._value.name

    @property
    def block(self) -> Block:
        """The block that records what is done to this variable."""
        return self._value.block

    def __repr__(self) -> str:
        value = self._value
        return f"var {value.name} : shape={list(value.shape)}, dtype={value.dtype}, stop_gradient={value.stop_gradient}"

    __str__ = __repr__


def _handle(value: Any) -> Any:
    return Variable(value) if isinstance(value, Value) else value


class Slot:
    """A piece of persistent state of a Program: a captured tensor, or a name to look up in the scope."""

    __slots__ = ("tensor", "value")

    def __init__(self, value: Value, tensor: Tensor | None):
        self.value, self.tensor = value, tensor


class Block:
    """A list of calls.  Values of an outer block reach an inner one as explicit inputs only."""

    def __init__(self, program: Program):
        self.program = program
        self.nodes: list[Call] = []

    @property
    def ops(self) -> list[Call]:
        """The recorded calls in order."""
        return self.nodes

    def uses(self, value: Value) -> bool:
        """True where a call of this block reads `value`."""
        for node in reversed(self.nodes):
            if node is value.maker:
                return False
            if any(v is value for v in node.inputs):
                return True
        return False

    def append(self, op: Op, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Record a call; gives Variables for its outputs.

        Raises what `infer` raises, with the user's line added.
        """
        from paddlite.core.dispatch import input_metas, prepare

        given, first_cast = inputs, len(self.nodes)
        inputs = prepare(op, inputs)
        for node in self.nodes[first_cast:]:
            node.implied = True
        values = tuple([self.capture(x, op) for x in inputs])
        attrs = op.full_attrs(attrs)
        if op.random and "stream" not in attrs:
            attrs = {**attrs, "stream": RandomSlot(self.program.take_random_slot())}
        location = user_line()
        metas = input_metas(op, values)
        try:
            found = op.infer(*metas, **attrs)
        except Exception as error:
            add_note(error, f"recorded at {location}")
            raise
        node = Call(op, values, attrs, self.program.role, location)
        if len(self.nodes) > first_cast:
            node.given = tuple([self.capture(x, op) for x in given])
        needs = sum(1 << i for i, edge in enumerate(node.edges) if edge is not None)
        tracked = current().grad and needs and op.plan(needs) is not None
        metas_out = found if isinstance(found, tuple) else (found,)
        node.outputs = tuple(
            [
                Value(self, self.program.new_name(), m, not tracked or not op.carries(i, m.dtype), node, i)
                for i, m in enumerate(metas_out)
            ]
        )
        self.nodes.append(node)
        self.program.version += 1
        outs = tuple([Variable(v) for v in node.outputs])
        if op.view:
            for k, out in enumerate(outs):
                link_variable(out, inputs[0], *op.view_of(k, attrs))
        return outs if isinstance(found, tuple) else outs[0]

    def capture(self, x: Any, op: Op | None = None) -> Any:
        """The value that stands for `x` here: its own, or that of a state slot for an eager tensor."""
        if isinstance(x, Variable):
            refresh_variable(x)
            if x._value.block.program is not self.program:
                raise ProgramError(f"variable '{x.name}' belongs to another Program")
            return x._value
        if isinstance(x, Tensor):
            return self.program.capture(x)
        return x


class Program:
    """A recorded computation: feeds, state slots and the calls of its global block."""

    def __init__(self) -> None:
        self.blocks = [Block(self)]
        self.feeds: dict[str, Value] = {}
        self.state: dict[str, Slot] = {}
        self.version = 0  # moves with every change, so that plans know when they are stale
        self.role = "forward"
        self.random_slots = 0
        self.random_seed = 0
        self._captured: dict[int, Slot] = {}
        self._names = 0

    def global_block(self) -> Block:
        """The outermost block."""
        return self.blocks[0]

    def new_name(self) -> str:
        self._names += 1
        return f"tmp_{self._names - 1}"

    def take_random_slot(self) -> int:
        self.random_slots += 1
        return self.random_slots - 1

    def data(self, name: str, shape: Iterable[int | None], dtype: Any) -> Variable:
        """A variable that each run must be fed; -1 or None stands for a size known only then."""
        meta = Meta(tuple([-1 if s is None else int(s) for s in shape]), np.dtype(dtype))
        known = self.feeds.get(name)
        if known is not None and known.meta == meta:
            return Variable(known)
        if known is not None or name in self.state:
            raise ProgramError(f"the Program already has a variable named '{name}'{f': {known!r}' if known else ''}")
        value = self.feeds[name] = Value(self.global_block(), name, meta, True)
        self.version += 1
        return Variable(value)

    def capture(self, tensor: Tensor) -> Value:
        """The value of the state slot for an eager tensor, which is taken by reference."""
        slot = self._captured.get(id(tensor))
        if slot is None:
            refresh(tensor)
            if not tensor.is_leaf:
                raise ProgramError(
                    "a tensor that an eager op made, and whose gradient is wanted, cannot enter a Program: the "
                    "gradient would stop there. Use x.detach(), or compute it inside the Program."
                )
            meta = Meta(tensor._shape, tensor._dtype)
            value = Value(self.global_block(), self._free_name(tensor.name), meta, tensor._stop)
            slot = self._captured[id(tensor)] = self.state[value.name] = Slot(value, tensor)
            self.version += 1
        return slot.value

    def _free_name(self, name: str) -> str:
        taken, n = name, 0
        while taken in self.state or taken in self.feeds:
            n += 1
            taken = f"{name}.{n}"
        return taken

    def values(self) -> Iterator[Value]:
        """Every value: feeds, state, then the outputs of the calls in order."""
        yield from self.feeds.values()
        for slot in self.state.values():
            yield slot.value
        for block in self.blocks:
            for node in block.nodes:
                yield from node.outputs

    def __str__(self) -> str:
        lines = ["Program {"]
        lines += [f"  feed  {v!r}" for v in self.feeds.values()]
        for slot in self.state.values():
            kind = "trained" if not slot.value.stop_gradient else "fixed"
            lines.append(f"  state {slot.value!r} ({kind})")
        for node in self.global_block().nodes:
            mark = "" if node.role == "forward" else f"  # {node.role}"
            lines.append(f"  {node!r}{mark}")
        return "\n".join([*lines, "}"])

    __repr__ = __str__


def recording(program: Program) -> switched:
    """While entered, every op is recorded in the global block of `program`."""
    return switched(block=program.global_block())


def user_line() -> str:
    """file:line of the innermost frame that is not the framework's own."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back  # type: ignore[assignment]
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "?"
