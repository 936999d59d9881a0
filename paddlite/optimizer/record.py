"""`minimize` while a Program is recorded: the gradients of a loss, and one update op a parameter."""

from __future__ import annotations

from typing import Any

from paddlite.autograd.program import append_gradients, role
from paddlite.backend import device
from paddlite.backend.dtypes import F32, F64, HALF
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import switched
from paddlite.core.op import OPS
from paddlite.core.program import Variable
from paddlite.core.tensor import Parameter, Tensor
from paddlite.ops.arithmetic import cast, elementwise_add, elementwise_mul, sign
from paddlite.optimizer.checkpoint import named, state_key
from paddlite.optimizer.cohort import provide_states, treatment_of
from paddlite.optimizer.groups import chosen_parameters
from paddlite.optimizer.lr.base import LRScheduler
from paddlite.optimizer.state import place_of
from paddlite.regularizer import L1Decay


def record_updates(optimizer: Any, loss: Variable, only: Any, excluded: Any) -> tuple[list, list]:
    """See `Optimizer.minimize`; the updates have the role "optimize".

    Raises:
        ValueError: the loss depends on no parameter of the optimizer.
    """
    program = loss.block.program
    if not optimizer._groups:
        captured = [slot.tensor for slot in program.state.values() if isinstance(slot.tensor, Parameter)]
        optimizer._take([p for p in captured if not p._stop])
    chosen = chosen_parameters([p for p in optimizer._all_parameters() if not p._stop], only, excluded)
    values = {id(p): program.capture(p) for p in chosen}
    found = append_gradients([loss], list(values.values()))
    pairs = [(p, found[values[id(p)]]) for p in chosen if values[id(p)] in found]
    if not pairs:
        raise InvalidArgument(f"{type(optimizer).__name__}.minimize: the loss depends on none of the parameters")
    first = len(program.global_block().nodes)
    with switched(grad=False, amp=None, block=loss.block), role(program, "optimize"):
        rate = _rate(optimizer, pairs[0][0])
        for group in optimizer._groups:
            ids = {id(p) for p in group["params"]}
            own = [pair for pair in pairs if id(pair[0]) in ids]
            clip = group.get("grad_clip", optimizer._grad_clip)
            for p, gradient in clip(own) if clip is not None else own:
                _update(optimizer, group, p, gradient, rate)
    return program.global_block().nodes[first:], pairs


def _rate(optimizer: Any, p: Tensor) -> Tensor:
    """The learning rate as a tensor where `p` is, which follows the optimizer's."""
    if optimizer._rate_tensor is None:
        with place_of(p._data):
            rate = device.module_of(p._data).full((), optimizer.get_lr(), F64)
        optimizer._rate_tensor = named(rate, "learning_rate_0")
        if isinstance(optimizer._learning_rate, LRScheduler):
            optimizer._learning_rate._add_follower(optimizer)
    return optimizer._rate_tensor


def _update(optimizer: Any, group: dict[str, Any], p: Tensor, gradient: Any, rate: Any) -> None:
    treatment, rule = treatment_of(optimizer, p, group), optimizer._rule
    provide_states(optimizer, treatment, [p])
    state = optimizer._states[id(p)]
    state.hold()
    label = p.name

    def slot(name: str, array: Any) -> Tensor:
        return named(array, state_key(label, state, name))

    shaped = [a if a is None or rule.whole else a.reshape(state.shape) for a in state.slots]
    slots = [None if a is None else slot(name, a) for name, a in zip(rule.slots, shaped)]
    numbers = [slot(name, a) for name, a in zip(rule.numbers, state.numbers.arrays)]
    master = None if state.master is None else named(state.master.reshape(state.shape), f"{label}_fp32_master_0")
    if treatment.penalty is not None:
        kind, coefficient = treatment.penalty
        full_p = p if master is None else master
        if full_p._dtype in HALF:
            full_p = cast(full_p, dtype=F32)
        if gradient._dtype in HALF:
            gradient = cast(gradient, dtype=F32)
        push = sign(full_p) if issubclass(kind, L1Decay) else full_p
        gradient = elementwise_add(elementwise_mul(push, coefficient), gradient)
    if treatment.scale != 1.0:
        rate = elementwise_mul(rate, treatment.scale)
    OPS[rule.name].call(p, gradient, rate, *slots, *numbers, master, **dict(treatment.attrs))
