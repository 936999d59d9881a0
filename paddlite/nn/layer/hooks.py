"""Hooks that run before and after a layer's `forward`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

_next_id = itertools.count().__next__


class Hook(NamedTuple):
    """A hook and how it wants to be called."""

    function: Callable
    with_kwargs: bool = False
    always_call: bool = False


class HookRemoveHelper:
    """Takes a hook away again."""

    def __init__(self, hooks: dict[int, Any], hook: Any, prepend: bool = False):
        self._hooks, self._hook_id = hooks, _next_id()
        if prepend:
            later = dict(hooks)
            hooks.clear()
            hooks[self._hook_id] = hook
            hooks.update(later)
        else:
            hooks[self._hook_id] = hook

    def remove(self) -> None:
        """Take the hook away; does nothing the second time."""
        self._hooks.pop(self._hook_id, None)


def call_with_hooks(layer: Any, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """`layer.forward(*inputs, **kwargs)` with the hooks of `layer` before and after it."""
    for hook in list(layer._forward_pre_hooks.values()):
        inputs, kwargs = _before(hook, layer, inputs, kwargs)
    try:
        outputs = layer.forward(*inputs, **kwargs)
    except BaseException:
        for hook in list(layer._forward_post_hooks.values()):
            if hook.always_call:
                _after(hook, layer, inputs, kwargs, None)
        raise
    for hook in list(layer._forward_post_hooks.values()):
        changed = _after(hook, layer, inputs, kwargs, outputs)
        if changed is not None:
            outputs = changed
    return outputs


def _before(hook: Hook, layer: Any, inputs: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    if not hook.with_kwargs:
        changed = hook.function(layer, inputs)
        if changed is None:
            return inputs, kwargs
        return changed if isinstance(changed, tuple) else (changed,), kwargs
    changed = hook.function(layer, inputs, kwargs)
    if changed is None:
        return inputs, kwargs
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            f"a forward pre-hook of {layer.full_name()} registered with with_kwargs=True must return None or a tuple "
            f"(inputs, kwargs), got {changed!r:.80}"
        )
    return changed


def _after(hook: Hook, layer: Any, inputs: tuple, kwargs: dict[str, Any], outputs: Any) -> Any:
    if hook.with_kwargs:
        return hook.function(layer, inputs, kwargs, outputs)
    return hook.function(layer, inputs, outputs)
