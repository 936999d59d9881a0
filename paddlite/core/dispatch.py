"""The one way by which ops are called: run now, or recorded in a Program.

While a Program is being recorded every op is recorded.  Outside of that, an op with a `Variable` among its inputs is
recorded in that Variable's Program; all others run at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import F32, FLOATING, INTEGER, INTEGRAL
from paddlite.core.dim import Dim
from paddlite.core.errors import DeviceMismatch, DTypeMismatch, IndexOutOfRange, InvalidArgument
from paddlite.core.kernel import _local, as_arrays, meta_of, quiet_run, run_kernel
from paddlite.core.meta import Meta
from paddlite.core.mode import Mode, current
from paddlite.core.node import make_node
from paddlite.core.op import OPS, Op
from paddlite.core.promote import NUMBERS, as_scalar, common_dtype
from paddlite.core.tensor import Parameter, Tensor, TensorBase, link_view, refresh

ndarray = np.ndarray


def dispatch(op: Op, inputs: tuple, attrs: dict[str, Any]) -> Any:
    """The result of `op`: a tensor, or a tuple of tensors where the op has several outputs.

    This is the short way, for eager tensors on the host that need no cast; everything else goes through `_general`.
    """
    mode = current()
    if mode.hooked or not op.simple:
        return _hooked(mode, op, inputs, attrs)
    arrays = []
    needs, bit, plain, first, mixed = 0, 1, op.plain, None, False
    try:
        for x in inputs:
            array = x._data
            dtype = array.dtype
            if dtype is not first:
                if dtype not in plain:
                    return _general(mode, op, inputs, attrs)
                mixed = first is not None
                first = dtype
            arrays.append(array)
            if x._view is not None:
                refresh(x)
            if not x._stop:
                needs |= bit
            bit += bit
    except AttributeError:
        return _with_others(mode, op, inputs, attrs)
    if first is None or type(arrays[0]) is not ndarray or (mixed and op.promote and not _agree(op, arrays)):
        return _general(mode, op, inputs, attrs)
    try:
        run = _local.run
    except AttributeError:
        run = quiet_run()
    try:
        out = run(op.host, *arrays) if op.host is not None else run(op.kernel, np, *arrays, **attrs)
    except Exception as error:
        raise explained(op, arrays, attrs, error) from error
    if type(out) is tuple or op.view:
        return _wrap(mode, op, inputs, attrs, out, needs)
    result = Tensor(out if type(out) is ndarray else np.asarray(out))
    if needs and mode.grad:
        plan = op.plans[needs] if needs in op.plans else op.plan(needs)
        if plan is not None:
            make_node(plan, attrs, inputs, (result,))
    return result


def _agree(op: Op, arrays: list) -> bool:
    """True where the inputs that `op` promotes have one dtype already."""
    return len({arrays[i].dtype for i in op.promote if i < len(arrays)}) == 1


def _with_others(mode: Mode, op: Op, inputs: tuple, attrs: dict[str, Any]) -> Any:
    """The short way for Python numbers and None among host tensors that need no cast."""
    arrays: list[Any] = []
    needs, bit, target, numbers, whole, tensors, missing = 0, 1, None, False, True, False, False
    for i, x in enumerate(inputs):
        kind = type(x)
        if kind is Tensor or kind is Parameter:
            array = x._data
            dtype = array.dtype
            if type(array) is not ndarray or dtype not in op.plain:
                return _general(mode, op, inputs, attrs)
            if i in op.promote:
                if target is not None and dtype != target:
                    return _general(mode, op, inputs, attrs)
                target = dtype
            if x._view is not None:
                refresh(x)
            if not x._stop:
                needs |= bit
            arrays.append(array)
            tensors = True
        elif (kind is float or kind is int) and i in op.promote:
            numbers, whole = True, whole and kind is int
            arrays.append(x)
        elif x is None and op.host is None:
            missing = True
            arrays.append(None)
        else:
            return _general(mode, op, inputs, attrs)
        bit += bit
    if not tensors:
        return _general(mode, op, inputs, attrs)
    if numbers:
        if target is None or not (target in FLOATING or (whole and target in INTEGER)):
            return _general(mode, op, inputs, attrs)
        number = target.type
        try:
            arrays = [number(a) if type(a) is float or type(a) is int else a for a in arrays]
        except OverflowError:
            return _general(mode, op, inputs, attrs)
    try:
        run = quiet_run()
        out = run(op.host, *arrays) if op.host is not None else run(op.kernel, np, *arrays, **attrs)
        if missing and type(out) is ndarray and out.dtype.hasobject:
            raise TypeError("None is no number")
    except Exception as error:
        raise explained(op, arrays, attrs, error) from error
    return _wrap(mode, op, inputs, attrs, out, needs)


def _wrap(mode: Mode, op: Op, inputs: tuple, attrs: dict[str, Any], out: Any, needs: int) -> Any:
    plan = op.plan(needs) if needs and mode.grad else None
    if type(out) is tuple:
        outs = tuple([None if o is None else Tensor(as_arrays(np, o)) for o in out])
        if plan is not None:
            make_node(plan, attrs, inputs, outs)
        if op.view:
            for k, o in enumerate(outs):
                link_view(o, inputs[0], *op.view_of(k, attrs), plan is not None)  # type: ignore[arg-type]
        return outs
    if isinstance(out, np.generic):
        out = np.asarray(out)
    result = Tensor(out)
    if plan is not None:
        make_node(plan, attrs, inputs, (result,))
    if op.view:
        link_view(result, inputs[0], op, attrs, plan is not None)
    return result


def _hooked(mode: Mode, op: Op, inputs: tuple, attrs: dict[str, Any]) -> Any:
    if mode.amp is not None:
        inputs = mode.amp.cast(op, inputs)
    if mode.block is not None:
        return mode.block.append(op, inputs, attrs)
    result = _general(mode, op, inputs, attrs)
    if mode.watch is not None:
        mode.watch(
            op.name, [r._data for r in (result if type(result) is tuple else (result,)) if isinstance(r, Tensor)]
        )
    return result


def _general(mode: Mode, op: Op, inputs: tuple, attrs: dict[str, Any]) -> Any:
    for x in inputs:
        block = getattr(x, "_block", None)
        if block is not None:
            return block.append(op, inputs, attrs)
    inputs = prepare(op, inputs)
    if op.random and "stream" not in attrs:
        attrs = {**attrs, "stream": mode.generator.take()}
    arrays = input_arrays(op, inputs)
    xp = _module(mode, op, arrays)
    try:
        if op.check:
            op.infer(*[meta_of(a) for a in arrays], **attrs)
        out = run_kernel(xp, op, arrays, attrs)
    except Exception as error:
        raise explained(op, arrays, attrs, error) from error
    needs = 0
    for i, x in enumerate(inputs):
        if isinstance(x, Tensor):
            refresh(x)
            if not x._stop:
                needs |= 1 << i
    return _wrap(mode, op, inputs, attrs, out, needs)


def prepare(op: Op, inputs: tuple) -> tuple:
    """`inputs` with arrays made tensors and with the casts that promotion asks for; numbers stay numbers.

    Works on tensors and Variables alike, so that eager and static insert the same casts.

    Raises:
        DTypeMismatch: an input is nothing that an op can take.
    """
    result = list(inputs)
    for i, x in enumerate(result):
        if isinstance(x, TensorBase) or hasattr(x, "_shape") or (x is None and op.host is None):
            continue
        if type(x) is Dim:
            result[i] = x.value()
            continue
        if isinstance(x, NUMBERS) and i in op.promote:
            continue
        if isinstance(x, ndarray):
            result[i] = Tensor(_beside(x, inputs))
            continue
        if device.is_device_array(x):
            result[i] = Tensor(x)
            continue
        raise DTypeMismatch(
            f"{op.name}: input '{_input_name(op, i)}' must be a Tensor"
            f"{' or a number' if i in op.promote else ''}, got {'None' if x is None else type(x).__name__}"
        )
    if op.promote:
        _promote(op, result)
    if op.floats:
        for i, x in enumerate(result):
            if isinstance(x, TensorBase) and x._dtype in INTEGRAL and i not in op.shape_only:
                result[i] = cast_to(x, F32)
    return tuple(result)


def _beside(array: ndarray, inputs: tuple) -> Any:
    """A NumPy array, at the place of the tensors among `inputs`."""
    for x in inputs:
        if isinstance(x, Tensor) and type(x._data) is not ndarray:
            return device.to_place(array, device.place_of(x._data))
    return array


def _promote(op: Op, inputs: list) -> None:
    among = [inputs[i] for i in op.promote if i < len(inputs) and inputs[i] is not None]
    target = common_dtype(
        [x._dtype for x in among if hasattr(x, "_dtype")], [x for x in among if not hasattr(x, "_dtype")]
    )
    for i in op.promote:
        if i < len(inputs) and hasattr(inputs[i], "_dtype") and inputs[i]._dtype != target:
            inputs[i] = cast_to(inputs[i], target)  # type: ignore[arg-type]


def cast_to(x: Any, dtype: np.dtype) -> Any:
    """`x` in `dtype`, through the `cast` op, so that its gradient comes back in the dtype of `x`."""
    return dispatch(OPS["cast"], (x,), {"dtype": dtype})


def scalar_target(op: Op, inputs: tuple) -> np.dtype | None:
    """The dtype that Python numbers among prepared `inputs` take."""
    among = [inputs[i] for i in op.promote if i < len(inputs) and inputs[i] is not None]
    numbers = [x for x in among if isinstance(x, NUMBERS)]
    if not numbers:
        return None
    target = common_dtype([x._dtype for x in among if hasattr(x, "_dtype")], numbers)
    return F32 if op.floats and target in INTEGRAL else target


def constants(op: Op, inputs: tuple) -> dict[int, np.generic]:
    """The Python numbers among prepared `inputs` as scalars of the dtype that they take, by position."""
    target = scalar_target(op, inputs) if op.promote else None
    if target is None:
        return {}
    return {i: as_scalar(x, target) for i, x in enumerate(inputs) if isinstance(x, NUMBERS)}


def input_metas(op: Op, inputs: tuple) -> list:
    """What `infer` is given for prepared `inputs`, tensors or values of a Program."""
    scalars = constants(op, inputs)
    return [
        meta_of(scalars[i]) if i in scalars else Meta(x._shape, x._dtype) if hasattr(x, "_dtype") else x
        for i, x in enumerate(inputs)
    ]


def input_arrays(op: Op, inputs: tuple) -> list:
    """What the kernel is given for prepared eager `inputs`."""
    scalars = constants(op, inputs)
    return [scalars[i] if i in scalars else (None if x is None else x._data) for i, x in enumerate(inputs)]


def _module(mode: Mode, op: Op, arrays: list) -> Any:
    xp = None
    for i, array in enumerate(arrays):
        if array is None or isinstance(array, np.generic) or i in op.shape_only:
            continue
        module = np if type(array) is ndarray else device.module_of(array)
        if xp is not None and module is not xp:
            places = ", ".join(
                f"{_input_name(op, i)} on {device.place_of(a)}" for i, a in enumerate(arrays) if hasattr(a, "dtype")
            )
            raise DeviceMismatch(
                f"{op.name}: all inputs must lie on one device, got {places}; move them with x.to(...)"
            )
        xp = module
    if xp is None:
        return device.module_for(mode.place)
    return xp


def _input_name(op: Op, index: int) -> str:
    return op.inputs[index] if index < len(op.inputs) else f"{op.inputs[-1]}[{index - len(op.inputs) + 1}]"


_OURS = (InvalidArgument, DTypeMismatch, IndexOutOfRange)


def explained(op: Op, arrays: list, attrs: dict[str, Any], error: Exception) -> Exception:
    """The error to show for a failed call: what `infer` says of the inputs where it objects, else the kernel's own."""
    if isinstance(error, _OURS):
        return error
    for name, value in attrs.items():
        if isinstance(value, TensorBase):
            return DTypeMismatch(
                f"{op.name}: {name} must be a plain number, got a Tensor; give int(...) or float(...) of it"
            )
    missing = next((i for i, a in enumerate(arrays) if a is None), None)
    unfit = isinstance(error, (AttributeError, TypeError)) and "None" in str(error)
    try:
        op.infer(*[meta_of(a) for a in arrays], **attrs)
    except Exception as better:
        if isinstance(better, _OURS):
            return better
        unfit = unfit or isinstance(better, (AttributeError, TypeError))
    if missing is not None and unfit:
        return DTypeMismatch(f"{op.name}: input '{_input_name(op, missing)}' must be a Tensor, got None")
    told = f"{op.name}: {error}"
    if type(error) in (AttributeError, KeyError) or isinstance(error, TypeError):
        inputs = ", ".join(
            f"{_input_name(op, i)} {a.dtype} {list(a.shape)}" for i, a in enumerate(arrays) if hasattr(a, "dtype")
        )
        return DTypeMismatch(f"{op.name}: cannot be computed of {inputs} ({error})")
    if isinstance(error, IndexError):
        return IndexOutOfRange(told)
    if type(error) in (ValueError, OverflowError, ZeroDivisionError):
        return InvalidArgument(told)
    if len(error.args) == 1 and isinstance(error.args[0], str):
        try:
            return type(error)(told)
        except TypeError:
            return error
    return error
