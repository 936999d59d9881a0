"""The op record: everything that the framework knows of one op, stated once.

    @defop("relu", infer=same, amp="low", vjp={"x": lambda g, out: relu_grad(out, g)})
    def relu(xp, x):
        return xp.maximum(x, x.dtype.type(0))

A kernel's positional parameters are the op's inputs, its keyword-only parameters the attributes.  A gradient rule is
written with ops, one rule an input; **the names of its parameters say what it reads**:

* `g`: the gradient of the output (`g_<output>` where there are several outputs),
* the name of an input or output: that value, which is then kept for backward,
* `like_<name>`: only the shape and dtype of that value, in a shape-only position of an op; no data are kept,
* the name of an attribute,
* `needs` (joint rules): which inputs need a gradient, a tuple of bools.

The name of a variadic input reads the list of all its values.  An op with `outputs=("*outs",)` gives a tuple of any
length; its rule reads `g_outs`, the list of all gradients.

A joint rule (`vjp=joint(...)`) gives the gradients of all inputs at once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend.dtypes import EVERY, FULL, INEXACT, INTEGRAL

GRADIENT, INPUT, OUTPUT, LIKE_INPUT, LIKE_OUTPUT, ATTRIBUTE, NEEDS = range(7)

AMP_CLASSES = ("low", "keep32_o1", "keep32", "widest", "never")


class Read(NamedTuple):
    """One argument of a gradient rule: what kind of thing, which one, and where the tape saved it."""

    kind: int
    key: Any
    slot: int


class Plan:
    """What backward of a call does, for one choice of the inputs that need a gradient."""

    __slots__ = ("joint", "op", "rules", "saves", "single", "variadic", "wanted")

    def __init__(self, op: Op, needs: int, saves: list[tuple[int, int]], rules: tuple, joint: bool):
        self.op, self.saves, self.rules, self.joint = op, tuple(saves), rules, joint
        self.single, self.variadic = op.single, op.variadic
        self.wanted = tuple([i for i in range(needs.bit_length()) if needs >> i & 1])  # positions of those inputs


class Onwards(tuple):
    """Positions of inputs, the last of which stands for all that follow it too: those of a variadic input."""

    __slots__ = ()

    def __contains__(self, position: object) -> bool:
        return tuple.__contains__(self, position) or position > self[-1]  # type: ignore[operator]


class joint:
    """Marks one rule that gives the gradients of all inputs, as a tuple or list in their order."""

    __slots__ = ("rule",)

    def __init__(self, rule: Callable):
        self.rule = rule


# Optional fields of a record and their defaults; `defop` says what they mean.
_FACTS: dict[str, Any] = {
    "amp_inputs": None, "check": False, "elementwise": False, "floats": False, "inplace": False,
    "lower": None, "native_half": False, "partial_grads": False, "promote": (), "random": False, "shape_only": (),
    "view": False, "wide": True, "writes": (),
}  # fmt: skip
_INPUT_FACTS = ("amp_inputs", "promote", "shape_only", "writes")  # given by the inputs' names, kept by position


class Op:
    """The record of one op.  See `defop` for the fields."""

    __slots__ = (
        *_FACTS, "amp", "attributes", "call", "defaults", "host", "infer", "inputs", "kernel", "name",
        "no_grad_outputs", "outputs", "plain", "plans", "rules", "simple", "single", "variadic",
    )  # fmt: skip

    amp_inputs: tuple[int, ...] | None
    check: bool
    elementwise: bool
    floats: bool
    inplace: bool
    lower: Callable | None
    native_half: bool
    no_grad_outputs: tuple[int, ...]
    partial_grads: bool
    promote: tuple[int, ...]
    random: bool
    shape_only: tuple[int, ...]
    view: Any
    wide: bool
    writes: tuple[int, ...]

    def __init__(self, name: str, kernel: Callable, infer: Callable, vjp: Any, amp: str, outputs: tuple, facts: dict):
        if amp not in AMP_CLASSES:
            raise ValueError(f"op {name!r}: amp must be one of {AMP_CLASSES}, got {amp!r}")
        self.name, self.kernel, self.infer, self.amp = name, kernel, infer, amp
        self.outputs, self.single = outputs, len(outputs) == 1 and outputs[0][0] != "*"
        self.inputs, keyword_only, self.variadic = _parameters(kernel)
        self.attributes = tuple(keyword_only)
        self.defaults = {k: v for k, v in keyword_only.items() if v is not inspect.Parameter.empty}
        ufunc = facts.pop("ufunc", None)
        self.host = None if ufunc is None else getattr(np, ufunc)  # called with the arrays alone: a frame less
        for fact, default in _FACTS.items():
            value = facts.pop(fact, default)
            if fact in _INPUT_FACTS and value is not None:
                value = self._positions(value)
            setattr(self, fact, value)
        self.no_grad_outputs = tuple([outputs.index(name) for name in facts.pop("no_grad_outputs", ())])
        if facts:
            raise TypeError(f"op {name!r}: the record has no field {', '.join(facts)}")
        # dtypes that go into the kernel as they are; everything else takes the general way through `prepare`
        self.plain = (EVERY if self.native_half else FULL) - (INTEGRAL if self.floats else frozenset())
        self.simple = not (self.random or self.check)  # may take the short way through dispatch
        self.rules = self._named_rules(vjp)
        self.call: Callable = kernel  # replaced by `defop`
        self.plans: dict[int, Plan | None] = {}

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join((*self.inputs, *(f'{a}=' for a in self.attributes)))})>"

    def _positions(self, names: tuple[str, ...]) -> tuple[int, ...]:
        found = [self.inputs.index(name) for name in names]
        onwards = self.variadic and self.inputs[-1] in names
        return Onwards(sorted(found)) if onwards else tuple(found)

    def carries(self, index: int, dtype: np.dtype) -> bool:
        """True where output `index`, of `dtype`, can have a gradient."""
        return dtype in INEXACT and index not in self.no_grad_outputs

    def view_of(self, index: int, attrs: dict[str, Any]) -> tuple[Op, dict[str, Any]]:
        """The view op of one output, and its attributes, that gives output `index` of this op."""
        if self.view is True:
            return self, attrs
        name, found = self.view(index, **attrs)
        return OPS[name], found

    def _named_rules(self, vjp: Any) -> Any:
        if vjp is None or isinstance(vjp, joint):
            return vjp
        unknown = set(vjp) - set(self.inputs)
        if unknown:
            raise ValueError(f"op {self.name!r} has a gradient rule for {unknown}, which is no input")
        return tuple(vjp.get(name) for name in self.inputs)

    @property
    def differentiable(self) -> bool:
        return self.rules is not None

    def full_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """`attrs` with every default filled in."""
        return {**self.defaults, **attrs} if len(attrs) < len(self.attributes) else attrs

    def plan(self, needs: int) -> Plan | None:
        """The backward plan where bit i of `needs` says that input i needs a gradient; None where none can flow."""
        if needs not in self.plans:
            self.plans[needs] = self._make_plan(needs)
        return self.plans[needs]

    def _make_plan(self, needs: int) -> Plan | None:
        if self.rules is None:
            return None
        is_joint = isinstance(self.rules, joint)
        if is_joint:
            wanted = [(-1, self.rules.rule)]
        else:
            wanted = [(i, rule) for i, rule in enumerate(self.rules) if rule is not None and needs >> i & 1]
        if not wanted:
            return None
        saves: list[tuple[int, int]] = []
        for _, rule in wanted:
            self._reads(rule, saves)
        saves.sort()  # inputs before outputs, in their order: the order in which hooks see them
        rules = tuple((i, rule, self._reads(rule, saves)) for i, rule in wanted)
        return Plan(self, needs, saves, rules, is_joint)

    def _reads(self, rule: Callable, saves: list[tuple[int, int]]) -> tuple[Read, ...]:
        return tuple(self._read(name, saves) for name in inspect.signature(rule).parameters)

    def _read(self, name: str, saves: list[tuple[int, int]]) -> Read:
        if name == "g" and self.single:
            return Read(GRADIENT, 0, -1)
        if name.startswith("g_") and name[2:] in self.outputs:
            return Read(GRADIENT, self.outputs.index(name[2:]), -1)
        if name.startswith("g_") and f"*{name[2:]}" in self.outputs:
            return Read(GRADIENT, slice(None), -1)
        if name == "needs":
            return Read(NEEDS, 0, -1)
        if name in self.attributes:
            return Read(ATTRIBUTE, name, -1)
        plain = name.removeprefix("like_")
        if plain in self.inputs:
            what = (INPUT if plain == name else LIKE_INPUT, self.inputs.index(plain))
        elif plain in self.outputs:
            what = (OUTPUT if plain == name else LIKE_OUTPUT, self.outputs.index(plain))
        else:
            raise ValueError(f"a gradient rule of op {self.name!r} reads {name!r}, which is nothing of this op")
        if what not in saves:
            saves.append(what)
        return Read(what[0], what[1], saves.index(what))


def _parameters(kernel: Callable) -> tuple[tuple[str, ...], dict[str, Any], bool]:
    parameters = list(inspect.signature(kernel).parameters.values())[1:]  # the first is xp
    positional = tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
    keyword_only = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "out"}
    return positional, keyword_only, any(p.kind is p.VAR_POSITIONAL for p in parameters)


OPS: dict[str, Op] = {}


def defop(
    name: str,
    *,
    infer: Callable,
    vjp: Any = None,
    amp: str = "widest",
    outputs: tuple[str, ...] = ("out",),
    **facts: Any,
) -> Callable[[Callable], Callable]:
    """Register the decorated kernel as op `name`; gives the function that calls the op.

    Args:
        name: Paddle's op type.
        infer: `infer(*metas, **attrs)` gives the metas of the outputs and raises on inputs that do not fit.
        vjp: gradient rules by input name, or `joint(rule)`; None where no gradient can flow.
        amp: "low" (run in the low precision), "keep32_o1" (in float32 at O1 only), "keep32" (always in float32),
            "widest" (follow the widest floating input), "never" (not touched).
        outputs: names of the outputs, for rules that read them.
        amp_inputs: names of the inputs that AMP looks at and casts; all where it is left out.
        promote: names of the inputs that are brought to one dtype and may be Python numbers.
        floats: integer inputs are cast to float32 first.
        shape_only: names of the inputs of which only shape and dtype are read.
        native_half: the kernel only moves values, so half types need no float32.
        view: the output shares memory with input 0 wherever strides allow.  An op with several outputs gives a
            function `(index, **attrs) -> (name, attrs)` that names the op of one output which shows output `index`.
        wide: False where half inputs need no widening on a GPU, since the kernel itself computes in float32 and rounds
            once: one ufunc, a product of matrices, a sum with `dtype=float32`.  On the host they are always widened.
        inplace: the kernel takes `out=`, which may be input 0 itself.
        elementwise: output element i depends on the i-th elements of the (broadcast) inputs alone.
        check: `infer` runs before every eager call too, since NumPy would take bad inputs silently.
        random: the kernel has an attribute `stream`, which the caller of the op leaves out.
        no_grad_outputs: names of floating outputs that carry no gradient: statistics and noise.
        partial_grads: rules take None for the gradient of an output that got none.
        writes: inputs of persistable state that the kernel changes.
        ufunc: see `def_ufunc`.
        lower: the same thing in Paddle's own ops, where Paddle has no op of this name.
    """

    def register(kernel: Callable) -> Callable:
        if name in OPS:
            raise ValueError(f"op {name!r} is defined twice")
        op = OPS[name] = Op(name, kernel, infer, vjp, amp, outputs, facts)
        from paddlite.core.dispatch import dispatch

        @functools.wraps(kernel)
        def call(*inputs: Any, **attrs: Any) -> Any:
            return dispatch(op, inputs, attrs)

        call.op, op.call = op, call  # type: ignore[attr-defined]
        return call

    return register


def def_ufunc(name: str, ufunc: str, *, arity: int, **record: Any) -> Callable:
    """Register an op that is one elementwise function of the array module, the same on NumPy and CuPy.

    Args:
        ufunc: the function's name in `numpy` and `cupy`.
        arity: 1 for inputs (x,), 2 for inputs (x, y).
    """

    def one(xp: Any, x: Any, *, out: Any = None) -> Any:
        return getattr(xp, ufunc)(x, out=out)

    def two(xp: Any, x: Any, y: Any, *, out: Any = None) -> Any:
        return getattr(xp, ufunc)(x, y, out=out)

    kernel = one if arity == 1 else two
    kernel.__name__ = kernel.__qualname__ = name
    return defop(name, ufunc=ufunc, elementwise=True, inplace=True, wide=False, **record)(kernel)
