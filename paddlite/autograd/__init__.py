"""Gradients: `backward`, `grad`, gradient modes."""

from __future__ import annotations

from paddlite.autograd.backward import backward, grad
from paddlite.autograd.mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled

__all__ = ["backward", "enable_grad", "grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]
