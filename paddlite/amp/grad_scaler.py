"""Loss scaling: so that gradients do not vanish in float16, and overflows are noticed and skipped."""

from __future__ import annotations

from typing import Any

from paddlite.amp.unscale import unscale
from paddlite.core.errors import InvalidArgument
from paddlite.core.guard import guard_methods
from paddlite.core.mode import switched
from paddlite.core.tensor import Tensor
from paddlite.ops.arithmetic import elementwise_mul

FLOOR = 1.0  # below it a smaller scale saves nothing: the loss itself overflows

_READY, _UNSCALED, _STEPPED = "ready", "unscaled", "stepped"


class AmpScaler:
    """Multiplies the loss by a scale, divides the gradients by it, and adapts it.

    Args:
        enable: False makes every method do what it would without AMP.
        init_loss_scaling: the scale to begin with.
        incr_ratio: factor on the scale after `incr_every_n_steps` good iterations in a row.
        decr_ratio: factor on the scale after `decr_every_n_nan_or_inf` bad ones in a row.
        incr_every_n_steps: see `incr_ratio`.
        decr_every_n_nan_or_inf: see `decr_ratio`.
        use_dynamic_loss_scaling: False keeps the scale as it is.

    An iteration is bad where any optimizer that stepped in it found an infinity or NaN among its gradients; that
    optimizer is not run, others are.  The scale never falls below 1 (or below what it began with, where that is less).

    Raises:
        InvalidArgument: a ratio or count makes no sense.

    Differs: the reference mixes up the findings of several optimizers, and its scale sinks to 0.
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 2.0**16,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 2000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ):
        self._enable = bool(enable)
        self._dynamic = bool(use_dynamic_loss_scaling)
        self._good_steps = self._bad_steps = 0
        self._found: dict[int, bool] = {}  # by optimizer: whether its gradients of this iteration overflow
        self._stage: dict[int, str] = {}
        self._skipped: dict[int, bool] = {}  # by optimizer: whether its last step was left out
        self.set_init_loss_scaling(init_loss_scaling)
        self.set_incr_ratio(incr_ratio)
        self.set_decr_ratio(decr_ratio)
        self.set_incr_every_n_steps(incr_every_n_steps)
        self.set_decr_every_n_nan_or_inf(decr_every_n_nan_or_inf)

    # what a training step calls

    def scale(self, var: Tensor) -> Tensor:
        """`var` times the scale; `var` itself where scaling is off."""
        if not self._enable:
            return var
        with switched(amp=None):
            return elementwise_mul(var, self._scale)

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of the optimizer's parameters by the scale, to clip or look at them before `step`.

        Raises:
            RuntimeError: already done in this iteration, or after `step`.
        """
        if not self._enable:
            return
        stage = self._stage.get(id(optimizer), _READY)
        if stage == _UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update()")
        if stage == _STEPPED:
            raise RuntimeError("unscale_() is called after step(); call it before")
        self._unscale(optimizer)

    def _unscale(self, optimizer: Any) -> None:
        seen: dict[int, Tensor] = {}
        for parameter in optimizer._all_parameters():
            gradient = parameter.grad
            if gradient is not None and not parameter._stop:
                seen[id(gradient)] = gradient
        self._found[id(optimizer)] = unscale(seen.values(), self._scale)
        self._stage[id(optimizer)] = _UNSCALED

    def step(self, optimizer: Any) -> None:
        """`optimizer.step()` with unscaled gradients, unless one of them is infinite or NaN.

        Raises:
            RuntimeError: called twice without `update` between.
        """
        if not self._enable:
            optimizer.step()
            return
        key = id(optimizer)
        if self._stage.get(key) == _STEPPED:
            raise RuntimeError("step() has already been called since the last update()")
        if self._stage.get(key) != _UNSCALED:
            self._unscale(optimizer)
        self._skipped[key] = self._found[key]
        if not self._found[key]:
            optimizer.step()
        self._stage[key] = _STEPPED

    def update(self) -> None:
        """Adapt the scale to what was found since the last `update`."""
        if not self._enable:
            return
        if self._dynamic:
            self._adapt(any(self._found.values()))
        self._found.clear()
        self._stage.clear()

    def _adapt(self, overflow: bool) -> None:
        if overflow:
            self._good_steps = 0
            self._bad_steps += 1
            if self._bad_steps >= self._decr_every_n_nan_or_inf:
                self._scale = max(self._scale * self._decr_ratio, min(FLOOR, self._scale))
                self._bad_steps = 0
        else:
            self._bad_steps = 0
            self._good_steps += 1
            if self._good_steps >= self._incr_every_n_steps:
                grown = self._scale * self._incr_ratio
                self._scale = grown if grown < float("inf") else self._scale
                self._good_steps = 0

    def minimize(self, optimizer: Any, *args: Any, **kwargs: Any) -> tuple[list, list]:
        """`step` and `update` in one; gives `([], [(parameter, gradient), ...])`.  Call `backward` before it."""
        pairs = [(p, p.grad) for p in optimizer._all_parameters() if p.grad is not None and not p._stop]
        self.step(optimizer)
        self.update()
        return [], pairs

    # what it says of itself

    def is_enable(self) -> bool:
        """True where the loss is scaled."""
        return self._enable

    def is_use_dynamic_loss_scaling(self) -> bool:
        """True where the scale adapts."""
        return self._dynamic

    def get_loss_scaling(self) -> float:
        """The scale in force."""
        return self._scale

    def last_step_skipped(self, optimizer: Any) -> bool:
        """True where the last `step` of this optimizer was left out for an overflow."""
        return self._skipped.get(id(optimizer), False)

    def get_init_loss_scaling(self) -> float:
        """The scale that this scaler began with."""
        return self._init_loss_scaling

    def set_init_loss_scaling(self, new_init_loss_scaling: float) -> None:
        """Begin anew with this scale."""
        if not new_init_loss_scaling > 0:
            raise InvalidArgument(f"init_loss_scaling must be greater than 0, got {new_init_loss_scaling!r}")
        self._init_loss_scaling = self._scale = float(new_init_loss_scaling)

    def get_incr_ratio(self) -> float:
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio: float) -> None:
        """Set the factor by which the scale grows, greater than 1."""
        if not new_incr_ratio > 1:
            raise InvalidArgument(f"incr_ratio must be greater than 1, got {new_incr_ratio!r}")
        self._incr_ratio = float(new_incr_ratio)

    def get_decr_ratio(self) -> float:
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio: float) -> None:
        """Set the factor by which the scale falls, of (0, 1)."""
        if not 0 < new_decr_ratio < 1:
            raise InvalidArgument(f"decr_ratio must lie between 0 and 1, got {new_decr_ratio!r}")
        self._decr_ratio = float(new_decr_ratio)

    def get_incr_every_n_steps(self) -> int:
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps: int) -> None:
        """Set after how many good iterations in a row the scale grows."""
        self._incr_every_n_steps = _count("incr_every_n_steps", new_incr_every_n_steps)

    def get_decr_every_n_nan_or_inf(self) -> int:
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf: int) -> None:
        """Set after how many bad iterations in a row the scale falls."""
        self._decr_every_n_nan_or_inf = _count("decr_every_n_nan_or_inf", new_decr_every_n_nan_or_inf)

    def state_dict(self) -> dict[str, Any]:
        """All that the scaler remembers; empty where scaling is off."""
        if not self._enable:
            return {}
        return {
            "scale": self._scale,
            "incr_ratio": self._incr_ratio,
            "decr_ratio": self._decr_ratio,
            "incr_every_n_steps": self._incr_every_n_steps,
            "decr_every_n_nan_or_inf": self._decr_every_n_nan_or_inf,
            "incr_count": self._good_steps,
            "decr_count": self._bad_steps,
            "use_dynamic_loss_scaling": self._dynamic,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken.

        Raises:
            RuntimeError: it is empty: it was taken of a scaler that was off.
        """
        if not self._enable:
            return
        if not state_dict:
            raise RuntimeError("the state is empty: it was taken of a GradScaler with enable=False")
        scale = state_dict["scale"]
        self._scale = float(scale[0] if hasattr(scale, "__len__") and len(scale) else scale)
        self._init_loss_scaling = self._scale
        self._incr_ratio = float(state_dict["incr_ratio"])
        self._decr_ratio = float(state_dict["decr_ratio"])
        self._incr_every_n_steps = int(state_dict["incr_every_n_steps"])
        self._decr_every_n_nan_or_inf = int(state_dict["decr_every_n_nan_or_inf"])
        self._good_steps = int(state_dict["incr_count"])
        self._bad_steps = int(state_dict["decr_count"])
        self._dynamic = bool(state_dict["use_dynamic_loss_scaling"])

    set_state_dict = load_state_dict


class GradScaler(AmpScaler):
    """Loss scaling for mixed precision; arguments and methods are those of `AmpScaler`.

    >>> import paddlite as paddle
    >>> net = paddle.nn.Linear(4, 2)
    >>> optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    >>> with paddle.amp.auto_cast():
    ...     loss = net(paddle.ones([3, 4])).mean()
    >>> scaler.scale(loss).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> optimizer.clear_grad()
    """


def _count(name: str, value: int) -> int:
    if isinstance(value, bool) or int(value) != value or value < 1:
        raise InvalidArgument(f"{name} must be a whole number greater than 0, got {value!r}")
    return int(value)


guard_methods(AmpScaler, GradScaler)
