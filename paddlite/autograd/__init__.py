"""Gradients: `backward`, `grad`, gradient modes, functions with a backward of one's own."""

from __future__ import annotations

from paddlite.autograd.backward import backward, grad
from paddlite.autograd.derivative import hessian, jacobian
from paddlite.autograd.mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from paddlite.autograd.py_layer import Function, PyLayer, PyLayerContext
from paddlite.autograd.saved_tensors_hooks import saved_tensors_hooks

__all__ = [
    "Function",
    "PyLayer",
    "PyLayerContext",
    "backward",
    "enable_grad",
    "grad",
    "hessian",
    "is_grad_enabled",
    "jacobian",
    "no_grad",
    "saved_tensors_hooks",
    "set_grad_enabled",
]
