"""Helpers around the framework."""

from paddlite.utils import dlpack, unique_name

__all__ = ["dlpack", "unique_name"]
