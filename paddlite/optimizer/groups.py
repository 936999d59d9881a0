"""The parameters of an optimizer, in groups with options of their own."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.ops.update.rule import Rule
from paddlite.optimizer.lr.base import LRScheduler
from paddlite.regularizer import L2Decay, WeightDecayRegularizer


def as_real(value: Any, wanted: str) -> float:
    """`value` (a number or a one-element tensor) as a float; TypeError, which says what was `wanted`, otherwise."""
    if isinstance(value, Tensor) and value._data.size == 1:
        return float(value)  # type: ignore[arg-type]
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise DTypeMismatch(f"{wanted}, got {type(value).__name__} {value!r:.40}")
    return float(value)


class ParameterGroups:
    """What an optimizer trains, and with which options.

    Subclasses say their rule and how its attributes follow from the options.
    """

    _rule: Rule | None = None
    _options: dict[str, str] = {}  # arguments that groups may change, and the rule's names for them
    _decoupled = False  # the weight decay is part of the rule, not added to the gradient
    _spread = False  # checkpoints hold what is remembered of a parameter as a whole in the parameter's shape
    _multi_precision = False

    regularization: Any
    _grad_clip: Any

    def __init__(self) -> None:
        self._defaults: dict[str, Any] = self.__dict__.get("_defaults", {})
        self._parameter_list: list | None = None
        self._param_groups: list | None = None
        self._groups: list[dict[str, Any]] = []

    def _take(self, parameters: Any) -> None:
        kind = type(self).__name__
        if isinstance(parameters, (Tensor, dict, str)) or not isinstance(parameters, Iterable):
            raise DTypeMismatch(f"{kind}: parameters must be a list of Tensors, got {type(parameters).__name__}")
        listed = list(parameters)
        self._parameter_list = self._param_groups = listed
        if listed and isinstance(listed[0], dict):
            self._param_groups = []
            for group in listed:
                self._add_param_group(dict(group))
        else:
            check_tensors(kind, listed)
            self._groups.append({"params": listed})

    def _add_param_group(self, param_group: dict[str, Any]) -> None:
        """Train the parameters of `param_group` (a dict as for the constructor) from now on.

        Raises:
            ValueError: a parameter is in another group already.
        """
        kind = type(self).__name__
        if "params" not in param_group:
            raise InvalidArgument(f"{kind}: a parameter group needs the key 'params'")
        params = param_group["params"]
        param_group["params"] = params = [params] if isinstance(params, Tensor) else list(params)
        check_tensors(kind, params)
        check_clip(kind, param_group.get("grad_clip"))
        known = {id(p) for group in self._groups for p in group["params"]}
        twice = [p.name for p in params if id(p) in known]
        if twice:
            raise InvalidArgument(f"{kind}: {twice} are in more than one parameter group")
        for key, value in self._defaults.items():
            given = param_group.setdefault(key, value)
            if isinstance(value, float):
                param_group[key] = as_real(given, f"{kind}: {key} of a parameter group must be a number")
        param_group.setdefault("weight_decay", self.regularization)
        param_group.setdefault("grad_clip", self._grad_clip)
        self._as_decay(param_group["weight_decay"])  # refused now, not at the first step
        self._groups.append(param_group)
        if self._param_groups is self._parameter_list:
            self._param_groups = list(self._groups)
        else:
            self._param_groups.append(param_group)  # type: ignore[union-attr]

    def _all_parameters(self) -> list[Tensor]:
        """Every parameter once, in the order of the groups."""
        return list({id(p): p for group in self._groups for p in group["params"]}.values())

    def _gradients(self) -> list[tuple[dict[str, Any], list[tuple[Tensor, Tensor]]]]:
        """Each group with its (parameter, gradient) pairs: of parameters that are trained and have a gradient."""
        found = []
        for group in self._groups:
            pairs = []
            for p in group["params"]:
                if not p._stop:
                    gradient = p.grad
                    if gradient is not None:
                        pairs.append((p, gradient))
            found.append((group, pairs))
        return found

    def _option(self, group: dict[str, Any], name: str) -> Any:
        return group[name] if name in group else self._defaults[name]

    def _attrs(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """The attributes of the rule for this parameter."""
        return {attr: self._option(group, name) for name, attr in self._options.items()}

    def _scale(self, p: Tensor, group: dict[str, Any]) -> float:
        """By what the learning rate is multiplied for this parameter."""
        own = group.get("learning_rate")
        if own is None:
            attr = getattr(p, "optimize_attr", None)
            return 1.0 if attr is None else attr["learning_rate"]
        return own() if isinstance(own, LRScheduler) else float(own)

    def _ratio(self, p: Tensor) -> float:
        """A further factor of the learning rate that never changes."""
        return 1.0

    def _as_decay(self, value: Any) -> Any:
        """The weight decay given for all parameters or for a group, checked."""
        if value is None or isinstance(value, WeightDecayRegularizer):
            return value
        wanted = f"{type(self).__name__}: weight_decay must be a number, an L1Decay or an L2Decay"
        return L2Decay(as_real(value, wanted))

    def _penalty(self, p: Tensor, group: dict[str, Any]) -> tuple[type, float] | None:
        """The weight decay that is added to the gradient of this parameter."""
        own = getattr(p, "regularizer", None)
        if self._decoupled:
            return None
        decay = group.get("weight_decay", self.regularization)
        decay = own if own is not None and (decay is None or decay is self.regularization) else self._as_decay(decay)
        return None if decay is None or not decay._coeff else (type(decay), float(decay._coeff))

    def _first_numbers(self, attrs: dict[str, Any]) -> tuple:
        """What the numbers of the rule start with; Python floats are of the parameter's dtype."""
        return ()

    def _fills(self) -> dict[str, float]:
        """What slots start with, where not zero."""
        return {}

    def _absent(self, p: Tensor, group: dict[str, Any]) -> frozenset[str]:
        """Optional slots of the rule that are not used."""
        return frozenset(self._rule.optional)  # type: ignore[union-attr]

    def _slot_shape(self, slot: str, shape: tuple, attrs: dict[str, Any]) -> tuple:
        return shape


def options_of(group: dict[str, Any]) -> list:
    """The options of a group that decide how its parameters are updated, as values that can be compared."""
    found: list = []
    for value in group.values():
        if isinstance(value, WeightDecayRegularizer):
            found += (type(value), value._coeff)
        elif value is None or isinstance(value, (int, float, str)):
            found.append(value)
    return found


def chosen_parameters(params: list[Any], only: Any, excluded: Any) -> list[Any]:
    """`params` cut down to those in `only` (None: all) and not in `excluded` (tensors or names)."""
    names = {p if isinstance(p, str) else p.name for p in excluded or ()}
    wanted = None if only is None else {p if isinstance(p, str) else p.name for p in only}
    return [p for p in params if p.name not in names and (wanted is None or p.name in wanted)]


def check_tensors(kind: str, params: list) -> None:
    for p in params:
        if not isinstance(p, Tensor):
            raise DTypeMismatch(f"{kind}: parameters must be Tensors, got {type(p).__name__}")


def check_clip(kind: str, clip: Any) -> None:
    if clip is not None and not callable(clip):
        raise DTypeMismatch(
            f"{kind}: grad_clip must be a clip such as paddle.nn.ClipGradByGlobalNorm(1.0), got {type(clip).__name__}"
        )
