"""Functions whose interface may still change."""

from paddlite.incubate import autograd

__all__ = ["autograd"]
