"""`append_backward` and `gradients`: gradients as calls of the Program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddlite.autograd.program import append_gradients
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def append_backward(
    loss: Variable,
    parameter_list: Iterable[Any] | None = None,
    no_grad_set: Iterable[Any] | None = None,
    callbacks: Any = None,
) -> list[tuple[Any, Variable]]:
    """Record the gradients of `loss`; gives (parameter, gradient) pairs.

    Args:
        loss: a variable of one element.
        parameter_list: parameters (or their names) to differentiate with respect to; all trained ones where left out.
        no_grad_set: variables through which no gradient flows.

    Raises:
        TypeError: `loss` is no variable.
        InvalidArgument: `loss` has several elements, or a name is unknown.
        NoGradient: nothing that `loss` depends on is trained.
    """
    if not isinstance(loss, Variable):
        raise DTypeMismatch(f"append_backward: loss must be a variable of a Program, got {type(loss).__name__}")
    if loss._shape not in ((), (1,)):
        raise InvalidArgument(f"append_backward: the loss must have one element, got shape {loss.shape}; take its mean")
    program = loss.block.program
    wanted = None
    if parameter_list is not None:
        wanted = [_state_value(program, p) for p in parameter_list]
    found = append_gradients([loss], wanted, blocked=[b for b in no_grad_set or () if isinstance(b, Variable)])
    slots = {slot.value: slot for slot in program.state.values()}
    values = wanted if wanted is not None else [v for v in slots if not v.stop_gradient]
    return [(slots[v].tensor if v in slots else Variable(v), found[v]) for v in values if v in found]


def _state_value(program: Any, parameter: Any) -> Any:
    if isinstance(parameter, Variable):
        return parameter._value
    if isinstance(parameter, Tensor):
        return program.capture(parameter)
    if not isinstance(parameter, str):
        raise DTypeMismatch(f"gradients: want variables, tensors or names, got {type(parameter).__name__}")
    if parameter not in program.state:
        raise InvalidArgument(f"parameter '{parameter}' is not in the Program; it has {sorted(program.state)}")
    return program.state[parameter].value


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Iterable[Any] | None = None
) -> list[Variable | None]:
    """The gradients of the sum of `targets` with respect to `inputs`, None where there is none.

    Args:
        targets: a variable or list of variables.
        inputs: variables or captured tensors, leaves or results.
        target_gradients: the gradient that each target starts with; None stands for ones.
        no_grad_set: variables through which no gradient flows.

    Raises:
        TypeError: `targets` or `inputs` hold something else.
    """
    roots = _as_list(targets)
    for root in roots:
        if not isinstance(root, Variable):
            raise DTypeMismatch(f"gradients: targets must be variables of a Program, got {type(root).__name__}")
    program = roots[0].block.program
    values = [_state_value(program, i) for i in _as_list(inputs)]
    seeds = None if target_gradients is None else _as_list(target_gradients)
    found = append_gradients(roots, values, seeds, [b for b in no_grad_set or () if isinstance(b, Variable)])
    return [found.get(v) for v in values]
