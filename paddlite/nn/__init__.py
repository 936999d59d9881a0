"""Neural networks: functions and layers."""

from paddlite.nn import functional

__all__ = ["functional"]
