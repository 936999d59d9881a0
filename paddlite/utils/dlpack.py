"""Memory shared with other array libraries through DLPack."""

from paddlite.tensor.interchange import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
