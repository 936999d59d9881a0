"""L-BFGS: Newton steps with a curvature learnt from the last gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddlite.backend import device
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import switched
from paddlite.core.tensor import Tensor
from paddlite.optimizer.optimizer import Optimizer
from paddlite.optimizer.wolfe import Point, strong_wolfe


class LBFGS(Optimizer):
    """Limited-memory BFGS (Nocedal 1980), for whole-batch problems; each `step(closure)` makes many iterations.

    Args:
        learning_rate: the length of a step in units of the Newton step; without line search, smaller is safer.
        max_iter: iterations a `step` call at most.
        max_eval: calls of the closure a `step` call at most; left out, 1.25 times `max_iter`.
        tolerance_grad: end where no component of the gradient is larger.
        tolerance_change: end where no parameter, nor the loss, changes by more.
        history_size: how many steps the curvature is learnt from.
        line_search_fn: None or "strong_wolfe".
        parameters: see `Optimizer`; all of one dtype.
        weight_decay, grad_clip: must be None: the search needs the gradient of the very loss that the closure gives.

    Raises:
        ValueError: an argument is not supported.

    >>> import paddlite as paddle
    >>> w = paddle.to_tensor([5.0], stop_gradient=False)
    >>> lbfgs = paddle.optimizer.LBFGS(parameters=[w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     lbfgs.clear_grad()
    ...     loss = (w - 1.0) ** 2
    ...     loss.backward()
    ...     return loss
    >>> lbfgs.step(closure).item()
    16.0
    >>> w.item()
    1.0
    """

    def __init__(
        self,
        learning_rate: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        for argument, value in (("weight_decay", weight_decay), ("grad_clip", grad_clip)):
            if value is not None:
                raise InvalidArgument(
                    f"LBFGS: {argument} is not supported, since the search needs the gradient of the very loss that "
                    "the closure gives; add the penalty to that loss"
                )
        if line_search_fn not in (None, "strong_wolfe"):
            raise InvalidArgument(f"LBFGS: line_search_fn must be None or 'strong_wolfe', got {line_search_fn!r}")
        super().__init__(learning_rate, parameters, None, None, name)
        self.max_iter = max_iter
        self.max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad, self.tolerance_change = tolerance_grad, tolerance_change
        self.history_size, self.line_search_fn = history_size, line_search_fn
        self._memory: dict[str, Any] = {}

    def step(self, closure: Callable[[], Tensor]) -> Tensor:  # type: ignore[override]
        """Make up to `max_iter` iterations; gives the loss before the first.

        Args:
            closure: clears the gradients, computes the loss, calls `backward` on it and gives it.
        """
        with switched(grad=True, amp=None):
            first = closure()
        run = _Run(self, closure)
        run.calls = 1
        run.go(float(first))  # type: ignore[arg-type]
        return first

    def minimize(self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None) -> Any:
        """Not possible, since one loss is not enough; use `step(closure)`."""
        raise NotImplementedError("LBFGS needs the loss many times; use step(closure)")

    def state_dict(self) -> dict[str, Any]:
        """All that is remembered between steps, under `state`."""
        return {"state": {k: _as_tensors(v) for k, v in self._memory.items()}}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""
        if "state" not in state_dict:
            raise InvalidArgument(f"LBFGS.set_state_dict: the key 'state' is missing; got {sorted(state_dict)}")
        self._memory = {k: _as_arrays(k, v) for k, v in state_dict["state"].items()}

    set_dict = load_state_dict = set_state_dict


_NUMBERS = ("alpha", "H_diag", "prev_loss", "func_evals", "n_iter")


def _as_tensors(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_tensors(v) for v in value]
    return Tensor(value.copy()) if hasattr(value, "dtype") and value.ndim else value


def _as_arrays(key: str, value: Any) -> Any:
    if isinstance(value, list):
        return [float(v) if key == "ro" else _as_arrays(key, v) for v in value if v is not None]
    if key in _NUMBERS:
        return value if isinstance(value, int) else float(value)
    return value._data.copy() if isinstance(value, Tensor) else value.copy()


class _Run:
    """One call of `step`: the parameters and their gradients as flat arrays."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Tensor]):
        self.optimizer, self.closure = optimizer, closure
        self.memory = optimizer._memory
        self.params = [p for p in optimizer._all_parameters() if not p._stop]
        self.xp = device.module_of(self.params[0]._data)
        self.calls = 0

    def gradient(self) -> Any:
        xp, parts = self.xp, []
        for p in self.params:
            g = p.grad
            parts.append(xp.zeros(p._data.size, p._dtype) if g is None else g._data.reshape(-1))
        return xp.concatenate(parts)

    def position(self) -> Any:
        return self.xp.concatenate([p._data.reshape(-1) for p in self.params])

    def move_to(self, flat: Any) -> None:
        start = 0
        for p in self.params:
            stop = start + p._data.size
            p._data[...] = flat[start:stop].reshape(p._shape)
            p._version[0] += 1
            start = stop

    def evaluate(self) -> tuple[float, Any]:
        self.calls += 1
        with switched(grad=True, amp=None):
            loss = float(self.closure())  # type: ignore[arg-type]
        return loss, self.gradient()

    def go(self, loss: float) -> None:
        optimizer, memory = self.optimizer, self.memory
        gradient = self.gradient()
        memory["func_evals"] = memory.get("func_evals", 0) + 1
        if self.largest(gradient) <= optimizer.tolerance_grad:
            return
        for iteration in range(1, optimizer.max_iter + 1):
            memory["n_iter"] = memory.get("n_iter", 0) + 1
            d = memory["d"] = self.direction(gradient)
            memory["prev_flat_grad"], memory["prev_loss"] = gradient, loss
            before = loss
            t = optimizer.get_lr()
            if memory["n_iter"] == 1:
                t *= min(1.0, 1.0 / float(self.xp.abs(gradient).sum()))
            memory["alpha"] = t
            slope = float(gradient @ d)
            if slope > -optimizer.tolerance_change:
                return
            calls, last = self.calls, iteration == optimizer.max_iter
            t, loss, gradient = self.search(t, d, loss, gradient, slope, last)
            memory["alpha"] = t
            memory["func_evals"] += self.calls - calls
            if last or self.calls >= optimizer.max_eval or self.largest(gradient) <= optimizer.tolerance_grad:
                return
            if self.largest(d) * t <= optimizer.tolerance_change or abs(loss - before) < optimizer.tolerance_change:
                return

    def largest(self, array: Any) -> float:
        return float(self.xp.abs(array).max()) if array.size else 0.0

    def direction(self, gradient: Any) -> Any:
        """The Newton direction, by the two-loop recursion over the pairs remembered."""
        memory = self.memory
        if memory["n_iter"] == 1:
            memory.update(old_yk=[], old_sk=[], ro=[], H_diag=1.0)
            return -gradient
        ys, ss, rs = memory["old_yk"], memory["old_sk"], memory["ro"]
        y, s = gradient - memory["prev_flat_grad"], memory["d"] * memory["d"].dtype.type(memory["alpha"])
        curvature = float(y @ s)
        if curvature > 1e-10:
            if len(ys) >= self.optimizer.history_size:
                for remembered in (ys, ss, rs):
                    del remembered[:1]
            if self.optimizer.history_size > 0:
                ys.append(y), ss.append(s), rs.append(1.0 / curvature)
            memory["H_diag"] = curvature / float(y @ y)
        number = gradient.dtype.type
        q, shares = -gradient, []
        for y, s, r in zip(reversed(ys), reversed(ss), reversed(rs)):
            share = float(s @ q) * r
            shares.append(share)
            q -= y * number(share)
        q *= number(memory["H_diag"])
        for y, s, r, share in zip(ys, ss, rs, reversed(shares)):
            q += s * number(share - float(y @ q) * r)
        return q

    def search(
        self, t: float, d: Any, loss: float, gradient: Any, slope: float, last: bool
    ) -> tuple[float, float, Any]:
        """Move along `d`; gives the step, the loss and the gradient there."""
        origin, number = self.position(), d.dtype.type
        if self.optimizer.line_search_fn is None:
            self.move_to(origin + d * number(t))
            return (t, loss, gradient) if last else (t, *self.evaluate())

        def along(step: float) -> tuple[float, Any, float]:
            self.move_to(origin + d * number(step))
            value, slope_there = self.evaluate()
            return value, slope_there, float(slope_there @ d)

        start = Point(0.0, loss, gradient, slope)
        point, _ = strong_wolfe(along, t, start, self.largest(d), self.optimizer.tolerance_change)
        self.move_to(origin + d * number(point.t))
        return point.t, point.value, point.gradient
