"""Static mode: which Program records, and its inputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddlite.backend.dtypes import FROM_NUMPY, numpy_dtype
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ProgramError
from paddlite.core.mode import current, switch, switched
from paddlite.core.program import Program, Variable
from paddlite.tensor.arguments import ints_argument


def _default(name: str) -> Program:
    return current().session.setdefault(name, Program())


def default_main_program() -> Program:
    """The Program that records now in static mode: that of `program_guard`, else the session's own."""
    block = current().block
    return block.program if block is not None else _default("main_program")


def default_startup_program() -> Program:
    """The Program that sets parameters up.  Parameters are made at once here, so running it changes nothing."""
    return current().session.get("startup_program_now") or _default("startup_program")


def enable_static() -> None:
    """From now on ops are recorded in the default main Program instead of being run."""
    switch(block=_default("main_program").global_block())


def disable_static(place: Any = None) -> None:
    """Back to eager mode."""
    switch(block=None)


def in_dynamic_mode() -> bool:
    """True in eager mode, False while a Program is being recorded."""
    return current().block is None


class program_guard:
    """While entered, ops are recorded in `main_program`.

    >>> import paddlite as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None, 2])
    ...     y = x * 2
    >>> [op.name for op in main.global_block().ops]
    ['elementwise_mul']
    """

    def __init__(self, main_program: Program, startup_program: Program | None = None):
        if not isinstance(main_program, Program):
            raise TypeError(f"program_guard: main_program must be a Program, got {type(main_program).__name__}")
        self._switch = switched(block=main_program.global_block())
        self._startup = startup_program
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = current().session.get("startup_program_now")
        if self._startup is not None:
            current().session["startup_program_now"] = self._startup
        self._switch.__enter__()

    def __exit__(self, *error: object) -> None:
        self._switch.__exit__(*error)
        current().session["startup_program_now"] = self._before


def data(name: str, shape: Iterable[int | None], dtype: Any = None, lod_level: int = 0) -> Variable:
    """An input that each run must be fed.

    Args:
        name: the key in the `feed` of `Executor.run`.
        shape: sizes; None or -1 for a size known only when it runs.
        dtype: element type; the default dtype where it is left out.

    Raises:
        ProgramError: not in static mode, or the name is taken by an input of another shape or dtype.
        TypeError: `name` is no text, or `shape` no list of sizes.
        InvalidArgument: a size is below -1.
    """
    if not isinstance(name, str):
        raise DTypeMismatch(f"static.data: name must be a str, got {type(name).__name__}")
    if isinstance(shape, str) or not isinstance(shape, Iterable):
        raise DTypeMismatch(f"static.data: shape must be a list of sizes, got {shape!r}")
    sizes = ints_argument([-1 if s is None else s for s in shape], "static.data", "shape")
    if any(s < -1 for s in sizes):
        raise InvalidArgument(
            f"static.data: sizes must be at least 0, or -1 where known only when it runs; got {list(sizes)}"
        )
    block = current().block
    if block is None:
        raise ProgramError(
            "static.data: no Program is being recorded; call paddle.enable_static() or use program_guard"
        )
    return block.program.data(name, sizes, numpy_dtype(dtype) if dtype is not None else current().default_dtype)


class InputSpec:
    """Shape, dtype and name of an input.  None or -1 in `shape` stands for a size known only when it runs."""

    def __init__(
        self, shape: Iterable[int | None], dtype: Any = "float32", name: str | None = None, stop_gradient: bool = False
    ):
        self.shape = tuple([-1 if s is None else int(s) for s in shape])
        self.dtype = FROM_NUMPY[numpy_dtype(dtype)]
        self.name = name
        self.stop_gradient = stop_gradient

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> InputSpec:
        """The spec of an existing tensor."""
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: Any, name: str | None = None) -> InputSpec:
        """The spec of a NumPy array."""
        return cls(ndarray.shape, ndarray.dtype, name)

    def batch(self, batch_size: int) -> InputSpec:
        """Put a batch axis in front; changes the spec itself."""
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self) -> InputSpec:
        """Take the first axis away; changes the spec itself."""
        if not self.shape:
            raise ValueError("unbatch: the shape has no axis to take away")
        self.shape = self.shape[1:]
        return self

    def __repr__(self) -> str:
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, stop_gradient={self.stop_gradient})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InputSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))


def global_scope() -> dict[str, Any]:
    """Values of Programs' state by name; they come before the tensors that a Program captured."""
    return current().scope
