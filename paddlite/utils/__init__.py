"""Helpers around the framework."""

from paddlite.utils import dlpack

__all__ = ["dlpack"]
