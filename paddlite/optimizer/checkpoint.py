"""What an optimizer remembers, as a dict in the reference's format, and back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import BF16
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import Tensor
from paddlite.optimizer.cohort import Treatment, provide_states, treatment_of
from paddlite.optimizer.lr import LambdaDecay
from paddlite.optimizer.lr.base import LRScheduler
from paddlite.optimizer.state import Numbers, State

MASTER = "_fp32_master_0"  # stands behind a parameter's name where its state belongs to the float32 copy
_KEPT_APART = ("LR_Scheduler", "master_weights", "StructuredToParameterName@@")


def state_dict(optimizer: Any) -> dict[str, Any]:
    """See `Optimizer.state_dict`."""
    rule = optimizer._rule
    found: dict[str, Any] = {}
    masters: dict[str, Tensor] = {}
    kept = [(label, p, optimizer._states[id(p)]) for label, p in labels(optimizer) if id(p) in optimizer._states]
    slots = [(name, k, True) for k, name in enumerate(rule.slots)] if rule else []
    numbers = [(name, k, False) for k, name in enumerate(rule.numbers)] if rule else []
    for name, k, is_slot in [*numbers, *slots] if optimizer._spread else [*slots, *numbers]:
        for label, _, state in kept:
            array = state.slots[k] if is_slot else state.numbers.arrays[k]
            if array is None:
                continue
            if is_slot and not rule.whole:
                array = array.reshape(state.shape)
            elif not is_slot and optimizer._spread:
                array = device.module_of(array).broadcast_to(array, (state.size, 1)).reshape(state.shape)
            key = state_key(label, state, name)
            found[key] = named(array, key)
    for label, _, state in kept:
        if state.master is not None:
            masters[label] = named(state.master.reshape(state.shape), label + MASTER)
    if masters:
        found["master_weights"] = masters
    if isinstance(optimizer._learning_rate, LRScheduler):
        found["LR_Scheduler"] = optimizer._learning_rate.state_dict()
    return found


def labels(optimizer: Any) -> list[tuple[str, Tensor]]:
    """Each parameter under its name; a name that comes twice gets its position added."""
    found: dict[str, Tensor] = {}
    for i, p in enumerate(optimizer._all_parameters()):
        found[p.name if p.name not in found else f"{p.name}@{i}"] = p
    return list(found.items())


def state_key(label: str, state: State, name: str) -> str:
    """The key of what a checkpoint holds as `name` of the parameter `label`."""
    return f"{label}{MASTER if state.master is not None else ''}_{name}_0"


def named(array: Any, name: str) -> Tensor:
    """A tensor over `array` of that name."""
    tensor = Tensor(array)
    tensor.name = name
    return tensor


def load(optimizer: Any, state: dict[str, Any]) -> None:
    """See `Optimizer.set_state_dict`."""
    kind = type(optimizer).__name__
    scheduler = optimizer._learning_rate
    if isinstance(scheduler, LRScheduler) and not isinstance(scheduler, LambdaDecay) and "LR_Scheduler" not in state:
        raise InvalidArgument(
            f"{kind}.set_state_dict: a {type(scheduler).__name__} sets the learning rate, but the state has no "
            "'LR_Scheduler'"
        )
    saved = _by_parameter(optimizer, state)
    groups = {id(p): group for group in optimizer._groups for p in group["params"]}
    pairs = [(label, p, treatment_of(optimizer, p, groups[id(p)])) for label, p in _matched(optimizer, saved)]
    for label, p, treatment in pairs:
        _check(optimizer, treatment, label, saved[label], p)
    for treatment in {t: None for _, _, t in pairs}:
        provide_states(optimizer, treatment, [p for _, p, t in pairs if t == treatment])
    for label, p, _ in pairs:
        _restore(optimizer, saved[label], p)
    _share_equal_numbers(optimizer, [(p, treatment) for _, p, treatment in pairs])
    optimizer._patterns.clear()
    if isinstance(scheduler, LRScheduler) and "LR_Scheduler" in state:
        scheduler.set_state_dict(state["LR_Scheduler"])


def _by_parameter(optimizer: Any, state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The saved arrays by parameter and what they are, in the order of the state."""
    rule = optimizer._rule
    names = sorted((*rule.slots, *rule.numbers), key=len, reverse=True) if rule else []
    pattern = re.compile(rf"(.+?)({MASTER})?_({'|'.join(map(re.escape, names))})_\d+") if names else None
    found: dict[str, dict[str, Any]] = {}
    unknown = []
    for key, value in state.items():
        if key in _KEPT_APART:
            continue
        parts = pattern.fullmatch(key) if pattern is not None else None
        if parts is None:
            unknown.append(key)
        else:
            found.setdefault(parts[1], {})[parts[3]] = _array(value)
    for label, value in (state.get("master_weights") or {}).items():
        found.setdefault(label, {})["master"] = _array(value)
    if unknown and not found and names:
        raise InvalidArgument(
            f"{type(optimizer).__name__}.set_state_dict: the state holds {_few(unknown)}, of which nothing belongs to "
            f"this optimizer; it wants <parameter>_<what>_0 with {list(names)}"
        )
    return found


def _array(value: Any) -> Any:
    array = value._data if isinstance(value, Tensor) else np.asarray(value)
    return array.view(BF16) if array.dtype == np.uint16 else array  # the reference's files hold bfloat16 so


def _matched(optimizer: Any, saved: dict[str, dict[str, Any]]) -> list[tuple[str, Tensor]]:
    """(saved label, parameter): by name where one side's names are all known to the other, else by position."""
    ours = labels(optimizer)
    names = {label for label, _ in ours}
    trained = [(label, p) for label, p in ours if not p._stop]
    if names >= set(saved) or all(label in saved for label, _ in trained):
        return [(label, p) for label, p in ours if label in saved]
    for candidates in (trained, ours):
        if len(candidates) == len(saved):
            return [(theirs, p) for theirs, (_, p) in zip(saved, candidates)]
    raise InvalidArgument(
        f"{type(optimizer).__name__}.set_state_dict: the state cannot be matched with the parameters, neither by name "
        f"nor by position: it has {len(saved)} parameters, {_few(saved)}; the optimizer trains {len(trained)}, "
        f"{_few([label for label, _ in trained])}"
    )


def _few(names: Any, limit: int = 8) -> str:
    listed = list(names)
    return ", ".join(listed[:limit]) + (f" and {len(listed) - limit} more" if len(listed) > limit else "")


def _check(optimizer: Any, treatment: Treatment, label: str, saved: dict[str, Any], p: Tensor) -> None:
    kind, rule = type(optimizer).__name__, optimizer._rule
    wanted = [*[s for s in rule.slots if s not in treatment.absent], *rule.numbers]
    missing = [name for name in wanted if name not in saved]
    if missing:
        raise InvalidArgument(f"{kind}.set_state_dict: {missing} of parameter '{label}' is missing")
    shapes = {s: optimizer._slot_shape(s, p._shape, dict(treatment.attrs)) for s in rule.slots if s in saved}
    if "master" in saved:
        shapes["master"] = p._shape
    for name, shape in shapes.items():
        if tuple(saved[name].shape) != tuple(shape):
            raise ShapeMismatch(
                f"{kind}.set_state_dict: {name} of '{label}' has shape {list(saved[name].shape)}, but parameter "
                f"'{p.name}' wants {list(shape)}"
            )


def _restore(optimizer: Any, saved: dict[str, Any], p: Tensor) -> None:
    state, rule = optimizer._states[id(p)], optimizer._rule
    for name, slot in zip(rule.slots, state.slots):
        if slot is not None:
            slot[...] = device.to_place(saved[name], p.place).reshape(slot.shape)
    if rule.numbers:
        values = [device.to_place(saved[name], p.place).reshape(-1)[:1] for name in rule.numbers]
        if not state.held:
            state.share(state.numbers.copy())
        for number, value in zip(state.numbers.arrays, values):
            number[: value.size] = value
    if state.master is not None and "master" in saved:
        state.master[...] = device.to_place(saved["master"], p.place).reshape(-1)
        state.seen = -1  # the parameter may be loaded before or after


def _share_equal_numbers(optimizer: Any, pairs: list[tuple[Tensor, Treatment]]) -> None:
    """Let parameters that stand at the same step go on together."""
    known: dict[Any, Numbers] = {}
    for p, treatment in pairs:
        state = optimizer._states[id(p)]
        if state.numbers.arrays and not state.held:
            values = tuple([device.to_host(a).tobytes() for a in state.numbers.arrays])
            state.share(known.setdefault((treatment, values), state.numbers))
