"""Derivatives of functions."""

from paddlite.autograd.functional import Hessian, Jacobian, jvp, vjp

__all__ = ["Hessian", "Jacobian", "jvp", "vjp"]
