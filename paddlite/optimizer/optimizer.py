"""What all optimizers have in common: parameters in groups, the learning rate, and the step."""

from __future__ import annotations

import numbers
from typing import Any

from paddlite.backend.world import WORLD
from paddlite.core.errors import DTypeMismatch, ProgramError
from paddlite.core.mode import current, switched
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor
from paddlite.ops.update.blocks import Scratch
from paddlite.optimizer import checkpoint
from paddlite.optimizer.cohort import Cohort, cohorts_of
from paddlite.optimizer.groups import ParameterGroups, as_real, check_clip, chosen_parameters, options_of
from paddlite.optimizer.lr.base import LRScheduler
from paddlite.optimizer.state import State

_PATTERNS = 8  # how many choices of parameters that have a gradient are remembered


class Optimizer(ParameterGroups):
    """The base of all optimizers; use one of its subclasses.

    Args:
        learning_rate: a number or a schedule (`paddle.optimizer.lr`).
        parameters: the tensors to train, or a list of dicts, one a group: `params`, and options of their own for this
            group (`learning_rate`, which multiplies the optimizer's, `weight_decay`, `grad_clip`, and the optimizer's
            own arguments).
        weight_decay: a number c (adds `c * w` to the gradient of each parameter w), `L1Decay` or `L2Decay`; a
            parameter with a regularizer of its own takes that one instead.
        grad_clip: a clip of `paddle.nn` (`ClipGradByGlobalNorm`, ...), applied to each group before the decay.
        name: not used.

    Parameters whose `stop_gradient` is True, or that have no gradient, are left as they are.

    Raises:
        TypeError: an argument is of a wrong type.
        AttributeError: there are no parameters (they may be left out only while a Program is recorded).
        ValueError: a parameter is in two groups.

    Differs: a parameter that is listed twice is updated once.

    >>> import paddlite as paddle
    >>> w = paddle.to_tensor([3.0], stop_gradient=False)
    >>> optimizer = paddle.optimizer.SGD(0.25, parameters=[w])
    >>> (w * w).backward()
    >>> optimizer.step()
    >>> optimizer.clear_grad()
    >>> w.item()
    1.5
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        kind = type(self).__name__
        if not isinstance(learning_rate, LRScheduler):
            learning_rate = as_real(learning_rate, f"{kind}: learning_rate must be a number or an LRScheduler")
        check_clip(kind, grad_clip)
        self._name = name
        self._learning_rate = learning_rate
        self._grad_clip = grad_clip
        self.regularization = self._as_decay(weight_decay)
        self._states: dict[int, State] = {}
        self._scratch: dict[Any, Scratch] = {}
        self._patterns: dict[Any, list[Cohort]] = {}
        self._rate_tensor: Tensor | None = None  # what recorded updates read
        self._found_inf: Any = None  # a gradient scaler's finding: where true, `step` does nothing
        if parameters is not None:
            self._take(parameters)
        elif current().block is None:
            raise AttributeError(f"{kind}: parameters must be given, for instance parameters=model.parameters()")

    # the step

    def step(self) -> None:
        """Change each parameter by its gradient.

        Raises:
            RuntimeError: a Program is being recorded; use `minimize` there.
        """
        if current().block is not None:
            raise ProgramError("optimizer.step() while a Program is recorded; use optimizer.minimize(loss)")
        self._apply(self._gradients())

    def _apply(self, gradients: list[tuple[dict[str, Any], list[tuple[Tensor, Tensor]]]]) -> None:
        if self._rule is None:
            raise NotImplementedError("Optimizer has no update rule; use a subclass such as paddle.optimizer.Adam")
        WORLD.beats += 1
        if self._found_inf is not None and bool(self._found_inf):
            return
        active: list[tuple[Tensor, dict[str, Any]]] = []
        found: list[Tensor] = []
        key: list = []
        for group, pairs in gradients:
            clip = group.get("grad_clip", self._grad_clip)
            if clip is not None and pairs:
                with switched(grad=False, amp=None):
                    pairs = clip(pairs)
            if len(group) > 1:
                key += options_of(group)
            for p, gradient in pairs:
                if gradient is not None:
                    active.append((p, group))
                    found.append(gradient)
                    key += (id(p), self._scale(p, group))
        if not active:
            return
        rate = self.get_lr()
        for cohort in self._cohorts(tuple(key), active):
            cohort.step(rate, found)

    def _cohorts(self, key: tuple, active: list[tuple[Tensor, dict[str, Any]]]) -> list[Cohort]:
        cohorts = self._patterns.get(key)
        if cohorts is None or any(cohort.stale() for cohort in cohorts):
            if cohorts is not None or len(self._patterns) >= _PATTERNS:
                self._patterns.clear()
            cohorts = cohorts_of(self, active)
            self._patterns[key] = cohorts
        return cohorts

    def minimize(
        self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> tuple[list, list]:
        """Change the parameters by the gradients that `loss.backward()` has left; gives `([], pairs)`.

        While a Program is recorded: record the gradients of `loss` and the updates; gives the recorded calls and the
        (parameter, gradient) pairs.

        Args:
            startup_program: not used.
            parameters: only these parameters.
            no_grad_set: all but these (tensors or names).
        """
        if isinstance(loss, Variable):
            from paddlite.optimizer.record import record_updates

            return record_updates(self, loss, parameters, no_grad_set)
        pairs = self.backward(loss, startup_program, parameters, no_grad_set)
        return self.apply_gradients(pairs), pairs

    def backward(
        self,
        loss: Any,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list[tuple[Tensor, Tensor]]:
        """The (parameter, gradient) pairs of the parameters that have a gradient now; see `minimize`."""
        chosen = chosen_parameters(self._all_parameters(), parameters, no_grad_set)
        return [(p, p.grad) for p in chosen if not p._stop and p.grad is not None]

    def apply_gradients(self, params_grads: list[tuple[Tensor, Tensor]]) -> list:
        """Change the parameters by the gradients given, (parameter, gradient) pairs."""
        given = {id(p): (p, g) for p, g in params_grads}
        self._apply([(group, [given[id(p)] for p in group["params"] if id(p) in given]) for group in self._groups])
        return []

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all parameters to zeros, or to None where `set_to_zero` is False."""
        for group in self._groups:
            for p in group["params"]:
                p.clear_gradient(set_to_zero)

    clear_gradients = zero_grad = clear_grad

    # the learning rate

    def get_lr(self) -> float:
        """The learning rate in force."""
        rate = self._learning_rate
        return rate() if isinstance(rate, LRScheduler) else rate

    def set_lr(self, value: float) -> None:
        """Set the learning rate.

        Raises:
            RuntimeError: a schedule sets it.
            TypeError: `value` is no number.
        """
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError(
                f"{type(self).__name__}.set_lr: a {type(self._learning_rate).__name__} sets the learning rate; use "
                "set_lr_scheduler to put another in its place"
            )
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise DTypeMismatch(f"{type(self).__name__}.set_lr: value must be a number, got {type(value).__name__}")
        self._learning_rate = float(value)
        self.follow(self._learning_rate)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Let `scheduler` set the learning rate.

        Raises:
            TypeError: it is no LRScheduler.
        """
        if not isinstance(scheduler, LRScheduler):
            raise DTypeMismatch(
                f"{type(self).__name__}.set_lr_scheduler: scheduler must be an LRScheduler, got "
                f"{type(scheduler).__name__}"
            )
        self._learning_rate = scheduler
        if self._rate_tensor is not None:
            scheduler._add_follower(self)
            self.follow(scheduler())

    def follow(self, rate: float) -> None:
        """Let recorded updates use `rate`; a schedule calls this."""
        if self._rate_tensor is not None:
            self._rate_tensor._data[...] = rate

    # checkpoints

    def state_dict(self) -> dict[str, Any]:
        """All that the optimizer remembers, as live tensors, and the state of its schedule as `LR_Scheduler`.

        Keys are `<parameter>_<what>_0`, such as `linear_0.w_0_moment1_0`; float32 copies of half-type parameters are
        under `master_weights`, by parameter.
        """
        return checkpoint.state_dict(self)

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken.

        Parameters are found by name, else by their position in the list.

        Raises:
            TypeError: `state_dict` is no dict.
            ValueError: they cannot be matched, a shape differs, or something is missing.
        """
        if not isinstance(state_dict, dict):
            raise DTypeMismatch(f"set_state_dict: want what state_dict() gave, got {type(state_dict).__name__}")
        checkpoint.load(self, state_dict)

    set_dict = load_state_dict = set_state_dict

    def get_opti_var_name_list(self) -> list[str]:
        """The keys of what is remembered of the parameters."""
        return [key for key in self.state_dict() if key not in ("LR_Scheduler", "master_weights")]

    @property
    def _master_weights(self) -> dict[str, Tensor]:
        return self.state_dict().get("master_weights", {})

    def __getstate__(self) -> dict[str, Any]:
        kept = [(p, self._states[id(p)]) for p in self._all_parameters() if id(p) in self._states]
        return {**self.__dict__, "_states": kept, "_patterns": {}, "_scratch": {}, "_rate_tensor": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _states={id(p): kept for p, kept in state["_states"]})
