"""Finding where numbers go wrong: which ops ran in which dtype, and which op gave the first NaN or infinity.

Both work on a CPU as on a GPU, in eager mode, in backward, and while a Program runs; switched off they cost nothing.
"""

from __future__ import annotations

import enum
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paddlite.amp.compare import compare_accuracy
from paddlite.backend import device
from paddlite.backend.dtypes import BF16, F16, F32, FLOATING
from paddlite.backend.world import WORLD
from paddlite.core.errors import DTypeMismatch, InvalidArgument, NotFinite
from paddlite.core.mode import current, switch, switched
from paddlite.core.program import user_line
from paddlite.core.tensor import Tensor

__all__ = [
    "DebugMode",
    "TensorCheckerConfig",
    "check_layer_numerics",
    "check_numerics",
    "collect_operator_stats",
    "compare_accuracy",
    "disable_operator_stats_collection",
    "disable_tensor_checker",
    "enable_operator_stats_collection",
    "enable_tensor_checker",
]

_HALF = np.finfo(np.float16)
_COUNTED = (F16, BF16, F32)
_HEADS = (" FP16 Calls ---", " BF16 Calls ---", " FP32 Calls---", " Other Calls --")
_SHORT = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}


class DebugMode(enum.Enum):
    """What a checker reports of the outputs of ops."""

    CHECK_NAN_INF_AND_ABORT = 0  # NaN and infinity, by an error
    CHECK_NAN_INF = 1  # NaN and infinity, by a line each
    CHECK_ALL_FOR_OVERFLOW = 2  # float32 values that float16 cannot hold
    CHECK_ALL = 3  # a line for every output


class Numbers(NamedTuple):
    """What is counted of one array."""

    size: int
    nan: int
    inf: int
    zero: int
    highest: float
    lowest: float
    mean: float

    @property
    def bad(self) -> bool:
        return bool(self.nan or self.inf)


def numbers_of(array: Any) -> Numbers:
    """Counts, extremes and mean of a floating array; extremes and mean are of the values that are not NaN."""
    values = np.asarray(device.to_host(array)).astype(np.float64, copy=False).reshape(-1)
    nan, inf = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    shown = values[~np.isnan(values)]
    if not shown.size:
        return Numbers(values.size, nan, inf, 0, float("nan"), float("nan"), float("nan"))
    with np.errstate(all="ignore"):
        return Numbers(
            values.size,
            nan,
            inf,
            int((values == 0).sum()),
            shown.max(),
            shown.min(),
            float("nan") if nan else shown.mean(),
        )


def _place_of(array: Any) -> str:
    place = device.place_of(array)
    return f"gpu:{place.index}" if place.is_gpu_place() else "cpu"


def _line(op: str, name: str, array: Any, found: Numbers) -> str:
    dtype = _SHORT.get(array.dtype.name, array.dtype.name)
    where = f"[device={_place_of(array)}, op={op}, tensor={name}, dtype={dtype}]"
    counts = f"num_nan={found.nan}, num_inf={found.inf}, " if found.bad else ""
    values = f"max={found.highest:e}, min={found.lowest:e}, mean={found.mean:e}"
    error = "[ERROR] " if found.bad else ""
    return f"[PRECISION] {error}in {where}, numel={found.size}, {counts}num_zero={found.zero}, {values}"


class TensorCheckerConfig:
    """What `enable_tensor_checker` looks at.

    Args:
        enable: False makes `enable_tensor_checker` do nothing.
        debug_mode: what is reported, a `DebugMode`.
        output_dir: folder for a file `worker_cpu.<rank>` (or `worker_gpu.<rank>`) of reports; None for the console.
        checked_op_list: names of the ops to look at; all where it is None.
        skipped_op_list: names of ops to pass over. A gradient has the name of its op and `_grad`.
        debug_step: `[first, last)`: of the calls of `enable_tensor_checker` (one a training step, counted from 1) only
            these check.
        stack_height_limit: 0 leaves out the user's line in the error.

    Raises:
        ValueError: lists that are none, or a `debug_step` that is no interval.
    """

    def __init__(
        self,
        enable: bool,
        debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT,
        output_dir: str | None = None,
        checked_op_list: Sequence[str] | None = None,
        skipped_op_list: Sequence[str] | None = None,
        debug_step: Sequence[int] | None = None,
        stack_height_limit: int = 1,
    ):
        if not isinstance(debug_mode, DebugMode):
            raise InvalidArgument(f"TensorCheckerConfig: debug_mode must be a DebugMode, got {debug_mode!r}")
        self.enable, self.debug_mode, self.output_dir = enable, debug_mode, output_dir
        self.checked_op_list = _names("checked_op_list", checked_op_list)
        self.skipped_op_list = _names("skipped_op_list", skipped_op_list) or frozenset()
        if debug_step is not None and not (len(debug_step) == 2 and 0 <= debug_step[0] < debug_step[1]):
            raise InvalidArgument(f"TensorCheckerConfig: debug_step must be [first, last), got {debug_step!r}")
        self.debug_step, self.stack_height_limit = debug_step, stack_height_limit
        self.current_step_id = 0

    def next_step(self) -> bool:
        """Count a step; True where it is one to check."""
        self.current_step_id += 1
        if not self.enable:
            return False
        return self.debug_step is None or self.debug_step[0] <= self.current_step_id < self.debug_step[1]


def _names(argument: str, given: Iterable[str] | None) -> frozenset[str] | None:
    if given is None:
        return None
    if not isinstance(given, (list, tuple, set, frozenset)):
        raise InvalidArgument(f"TensorCheckerConfig: {argument} must be a list of op names, got {type(given).__name__}")
    return frozenset(given)


class _Checker:
    """Looks at every output by a `TensorCheckerConfig`."""

    def __init__(self, config: TensorCheckerConfig):
        self.config = config

    def __call__(self, name: str, arrays: list) -> None:
        config = self.config
        chosen = config.checked_op_list
        if name in config.skipped_op_list or (chosen is not None and name not in chosen):
            return
        for array in arrays:
            if array.dtype in FLOATING:
                self._look(name, array)

    def _look(self, name: str, array: Any) -> None:
        found, mode = numbers_of(array), self.config.debug_mode
        if mode is DebugMode.CHECK_ALL_FOR_OVERFLOW:
            wanted = _beyond_half(array, found)
        else:
            wanted = found.bad or mode is DebugMode.CHECK_ALL
        abort = found.bad and mode is DebugMode.CHECK_NAN_INF_AND_ABORT
        if wanted and not (abort and self.config.output_dir is None):
            self._report(_line(name, "", array, found))
        if abort:
            where = f", at {user_line()}" if self.config.stack_height_limit else ""
            raise NotFinite(_complaint(name, "", array, found) + where)

    def _report(self, line: str) -> None:
        folder = self.config.output_dir
        if folder is None:
            print(line, flush=True)
            return
        os.makedirs(folder, exist_ok=True)
        kind = "gpu" if current().place.is_gpu_place() else "cpu"
        with (Path(folder) / f"worker_{kind}.{WORLD.rank}").open("a") as file:
            file.write(line + "\n")


def _beyond_half(array: Any, found: Numbers) -> bool:
    """True for float32 values that would overflow in float16, or all round to zero."""
    if array.dtype != F32:
        return False
    largest = max(abs(found.highest), abs(found.lowest))
    return largest > _HALF.max or 0 < largest < _HALF.smallest_subnormal


def _complaint(op: str, name: str, array: Any, found: Numbers) -> str:
    of = f" of '{name}'" if name else ""
    return (
        f"{op} gave {found.nan} NaN and {found.inf} infinite values among {found.size}{of} "
        f"({array.dtype.name} on {_place_of(array)})"
    )


def check_numerics(
    tensor: Any, op_type: str, var_name: str, debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT
) -> tuple[Tensor, Tensor]:
    """Count NaN, infinities and zeros of a tensor.

    Args:
        tensor: floating point.
        op_type: what made it, for the report.
        var_name: its name, for the report.
        debug_mode: when to print a line, and when to raise.

    Returns:
        int64 [3]: how many values are NaN, infinite, zero; and float32 [3]: the largest, the smallest, the mean.

    Raises:
        RuntimeError: there is NaN or infinity, and the mode is to abort.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 0.0, 3.0])
    >>> counts, values = paddle.amp.debugging.check_numerics(x, "relu", "x")
    >>> counts.tolist(), values.tolist()[:2]
    ([0, 0, 1], [3.0, 0.0])
    """
    if not isinstance(tensor, Tensor) or tensor._dtype not in FLOATING:
        raise DTypeMismatch(
            f"check_numerics: want a floating-point Tensor, got {getattr(tensor, 'dtype', type(tensor))}"
        )
    array = tensor._data
    found = numbers_of(array)
    beyond = debug_mode is DebugMode.CHECK_ALL_FOR_OVERFLOW and _beyond_half(array, found)
    if found.bad and debug_mode is DebugMode.CHECK_NAN_INF_AND_ABORT:
        raise NotFinite(_complaint(op_type, var_name, array, found))
    if found.bad or beyond or debug_mode is DebugMode.CHECK_ALL:
        print(_line(op_type, var_name, array, found), flush=True)
    counts = np.array([found.nan, found.inf, found.zero], np.int64)
    return Tensor(counts), Tensor(np.array([found.highest, found.lowest, found.mean], np.float32))


def enable_tensor_checker(checker_config: TensorCheckerConfig) -> None:
    """Look at the outputs of all ops from here on, in eager mode, in backward, and in Programs that run.

    The error or line names the op, its gradient by `<op>_grad`, and the error the line of the script.
    `FLAGS_check_nan_inf` of `paddle.set_flags` is the same with the default configuration.

    Differs: parameters written by an optimizer are not looked at; their gradients are.

    >>> import paddlite as paddle
    >>> D = paddle.amp.debugging
    >>> D.enable_tensor_checker(D.TensorCheckerConfig(enable=True))
    >>> x = paddle.to_tensor([0.0, 2.0])
    >>> try:
    ...     y = 1 / x
    ... except RuntimeError as error:
    ...     print(str(error).split(",")[0])
    ... finally:
    ...     D.disable_tensor_checker()
    elementwise_div gave 0 NaN and 1 infinite values among 2 (float32 on cpu)
    """
    switch(watch=_Checker(checker_config) if checker_config.next_step() else None)


def disable_tensor_checker() -> None:
    """End what `enable_tensor_checker` began."""
    switch(watch=None)


def check_layer_numerics(func: Callable) -> Callable:
    """Decorate the `forward` of a layer so that NaN or infinity in its inputs, ops or gradients is an error.

    Raises:
        RuntimeError: of the decorated function: it has no inputs, or numbers are not finite.
    """

    @functools.wraps(func)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not args:
            raise NotFinite(f"check_layer_numerics: {type(self).__name__}.{func.__name__} has no input to look at")
        name = type(self).__name__
        for i, value in enumerate(args):
            if isinstance(value, Tensor) and value._dtype in FLOATING:
                check_numerics(value, name, f"input {i}")
        with switched(watch=_Checker(TensorCheckerConfig(True))):
            result = func(self, *args, **kwargs)
        for i, out in enumerate(result if isinstance(result, (list, tuple)) else [result]):
            if isinstance(out, Tensor) and not out._stop:
                out.register_hook(_gradient_check(name, f"gradient of output {i}"))
        return result

    return checked


def _gradient_check(op: str, name: str) -> Callable:
    def look(gradient: Any) -> None:
        if isinstance(gradient, Tensor) and gradient._dtype in FLOATING:
            check_numerics(gradient, op, name)

    return look


class _Statistics:
    """Calls by op and by the dtype of the first output."""

    def __init__(self) -> None:
        self.calls: dict[str, list[int]] = {}

    def __call__(self, name: str, arrays: list) -> None:
        if not arrays or name.endswith("_grad"):
            return
        dtype = arrays[0].dtype
        counts = self.calls.setdefault(name, [0, 0, 0, 0])
        counts[_COUNTED.index(dtype) if dtype in _COUNTED else 3] += 1

    def show(self) -> None:
        print("<" + "-" * 55 + " op list " + "-" * 56 + ">")
        heads = " | ".join(f"{'-' * (17 - len(h))}{h}"[-17:] for h in _HEADS)
        print(f"<{' Op Name ':-^40} | {heads}>")
        for name, counts in sorted(self.calls.items()):
            print(f"  {name:<40}|  " + "|  ".join(f"{n:<17}" for n in counts))
        print("<" + "-" * 53 + f" op count: {len(self.calls)} " + "-" * 54 + ">")


def enable_operator_stats_collection() -> None:
    """Count the calls of every op by dtype from here on: what AMP really does.

    Gradients are not counted. `disable_operator_stats_collection` prints the table.
    """
    switch(watch=_Statistics())


def disable_operator_stats_collection() -> None:
    """End what `enable_operator_stats_collection` began, and print the table."""
    found = current().watch
    switch(watch=None)
    if isinstance(found, _Statistics):
        found.show()


@contextmanager
def collect_operator_stats() -> Iterator[None]:
    """Within: the calls of every op are counted by dtype; at the end a table is printed.

    >>> import paddlite as paddle
    >>> a = paddle.ones([2, 2])
    >>> with paddle.amp.debugging.collect_operator_stats():  # doctest: +ELLIPSIS
    ...     with paddle.amp.auto_cast(dtype="bfloat16"):
    ...         b = paddle.nn.functional.softmax(paddle.matmul(a, a))
    <--... op list ...-->
    <--... Op Name ...- | -- FP16 Calls --- | -- BF16 Calls --- | --- FP32 Calls--- | -- Other Calls -->
      cast                                    |  0                |  2                |  1                |  0...
      matmul_v2                               |  0                |  1                |  0                |  0...
      softmax                                 |  0                |  0                |  1                |  0...
    <--... op count: 3 ...-->
    """
    statistics = _Statistics()
    with switched(watch=statistics):
        yield
    statistics.show()
