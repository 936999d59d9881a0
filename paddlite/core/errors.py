"""Errors that the framework raises, each a subclass of the built-in one that Paddle raises."""

import sys


class InvalidArgument(ValueError):
    """An argument has a value that the op cannot take."""


class RefusedArgument(InvalidArgument, AssertionError):
    """An invalid argument for which Paddle raises AssertionError."""


class ShapeMismatch(InvalidArgument):
    """Shapes that do not go together."""


class NoValue(InvalidArgument, TypeError):
    """The value of a variable was asked for while its Program is recorded."""


class DTypeMismatch(TypeError):
    """A data type that the op cannot take."""


class IndexOutOfRange(IndexError, ValueError):
    """An index beyond the size of the axis it picks from.  Paddle raises now the one, now the other."""


class DeviceMismatch(ValueError):
    """Tensors of one call that lie on different devices."""


class InplaceOnLeaf(ValueError):
    """An in-place change of a leaf tensor whose gradient is wanted."""


class SavedValueChanged(RuntimeError):
    """A value that backward needs was changed in place after the forward call."""


class GraphFreed(RuntimeError):
    """A second backward through calls whose saved values were let go by the first."""


class NoGradient(RuntimeError, ValueError):
    """A gradient was asked for where none can exist."""


class NotFinite(RuntimeError, FloatingPointError):
    """NaN or infinity where the user asked to be told."""


class ProgramError(RuntimeError):
    """A Program that cannot be recorded, verified or run as asked."""


class CheckpointError(InvalidArgument):
    """A file that is missing, damaged, or no checkpoint."""


class NoLength(RuntimeError, ValueError, TypeError):
    """A length was asked for of data that has none; a TypeError, so that `list` and tqdm go on without it."""


class WorkerFailed(RuntimeError):
    """A worker process of a DataLoader died, came too late, or raised an error that cannot be sent over."""


def add_note(error: BaseException, text: str) -> None:
    """Put `text` under the message of `error`, as `BaseException.add_note` does from Python 3.11 on."""
    if sys.version_info >= (3, 11):
        error.add_note(text)
    elif len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]}\n{text}",)
