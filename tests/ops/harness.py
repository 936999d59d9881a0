"""Running a sample: eagerly, recorded, differentiated, in other dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from paddlite.autograd.backward import grad
from paddlite.autograd.program import append_gradients
from paddlite.backend import device
from paddlite.backend.dtypes import COMPLEX, INEXACT
from paddlite.backend.random import Generator, Stream
from paddlite.core.op import OPS, joint
from paddlite.core.program import Program, RandomSlot, Variable, recording
from paddlite.core.tensor import Tensor
from paddlite.core.verify import verify
from paddlite.ops.arithmetic import elementwise_add, elementwise_mul, real
from paddlite.ops.reduce import reduce_sum
from paddlite.static.plan import Plan
from tests.ops.sample import Sample

# relative to the largest element, by dtype
TOLERANCE = {"float64": 1e-9, "float32": 3e-5, "float16": 4e-3, "bfloat16": 3e-2, "complex128": 1e-9, "complex64": 3e-5}


def as_dtype(array: Any, dtype: str) -> Any:
    """Floating arrays in `dtype`; complex ones in the complex type of that width; others as they are."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fc":
        return array
    if array.dtype.kind == "c":
        return array.astype("complex128" if dtype == "float64" else "complex64")
    return array.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def wide(array: Any) -> Any:
    """The array in float64, for references."""
    if isinstance(array, np.ndarray) and (array.dtype.kind == "f" or array.dtype == ml_dtypes.bfloat16):
        return array.astype("float64")
    return array


def close(got, want, dtype: str, factor: float = 1.0) -> None:
    """Assert equality within the tolerance of `dtype`, relative to the largest finite element."""
    got, want = np.asarray(wide(np.asarray(got))), np.asarray(wide(np.asarray(want)))
    assert got.shape == want.shape, f"shape {got.shape}, not {want.shape}"
    if want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    finite = np.abs(want[np.isfinite(want)])
    scale = max(1.0, float(finite.max()) if finite.size else 1.0)
    limit = TOLERANCE[dtype] * factor * scale
    np.testing.assert_allclose(got, want, rtol=0, atol=limit, equal_nan=True)


def tensors(sample: Sample, dtype: str, wanted: tuple[int, ...] = ()) -> list:
    """The sample's inputs as tensors; those in `wanted` want a gradient."""
    return [
        Tensor(as_dtype(a, dtype), i not in wanted) if isinstance(a, np.ndarray) else a
        for i, a in enumerate(sample.arrays())
    ]


def call(sample: Sample, inputs: list) -> tuple:
    """The outputs of the op, always as a tuple."""
    attrs = dict(sample.attrs)
    if OPS[sample.op].random:
        attrs.setdefault("stream", Stream(11, 3))
    out = OPS[sample.op].call(*inputs, **attrs)
    return out if isinstance(out, tuple) else (out,)


def differentiable(sample: Sample) -> tuple[int, ...]:
    """Positions of the inputs whose gradient is checked."""
    if sample.gradient is not None:
        return sample.gradient
    op = OPS[sample.op]
    if op.rules is None:
        return ()
    found = []
    for i, a in enumerate(sample.arrays()):
        if not isinstance(a, np.ndarray) or a.dtype not in INEXACT:
            continue
        if isinstance(op.rules, joint) or op.rules[min(i, len(op.rules) - 1)] is not None:
            found.append(i)
    return tuple(found)


def directions(outputs: tuple, salt: int) -> list:
    """A fixed random array for each floating output, to make one number of them."""
    rng = np.random.default_rng(salt)
    result = []
    for out in outputs:
        if out is None or out._dtype not in INEXACT or out.stop_gradient:
            result.append(None)
            continue
        shape = tuple([3 if s == -1 else s for s in out._shape])
        array = rng.standard_normal(shape)
        if out._dtype in COMPLEX:
            array = array + 1j * rng.standard_normal(shape)
        result.append(np.asarray(array))
    return result


def weighted(outputs: tuple, weights: list) -> Any:
    """Re(sum of conj(weight) * output): a real number whose gradient is easy to check."""
    total = None
    for out, weight in zip(outputs, weights):
        if weight is None:
            continue
        factor = weight if not isinstance(weight, np.ndarray) else _beside(out, np.conj(weight))
        term = reduce_sum(elementwise_mul(out, factor))
        if term._dtype in COMPLEX:
            term = real(term)
        total = term if total is None else elementwise_add(total, term)
    return total


def _beside(out: Any, array: np.ndarray) -> Tensor:
    """A tensor of the dtype of `out`, on its device."""
    return Tensor(device.module_of(out._data).asarray(array.astype(out._dtype)))


def scalar(sample: Sample, arrays: list, weights: list) -> float:
    """The weighted sum of the outputs for these input arrays."""
    inputs = [Tensor(a) if isinstance(a, np.ndarray) else a for a in arrays]
    total = 0.0
    for out, weight in zip(call(sample, inputs), weights):
        if weight is not None:
            total += float(np.real(np.sum(np.conj(weight) * out._data)))
    return total


def first_gradients(sample: Sample, inputs: list, wanted: tuple[int, ...], weights: list, create_graph: bool) -> list:
    """Gradients of the weighted sum with respect to the wanted inputs (None where none flows)."""
    loss = weighted(call(sample, inputs), weights)
    if loss is None:
        return [None] * len(wanted)
    return grad(loss, [inputs[i] for i in wanted], create_graph=create_graph, allow_unused=True)


def second_weights(sample: Sample, wanted: tuple[int, ...]) -> dict[int, np.ndarray]:
    """A fixed random array for each first gradient."""
    rng = np.random.default_rng(77)
    arrays = sample.arrays()
    result = {}
    for i in wanted:
        result[i] = rng.standard_normal(arrays[i].shape)
        if arrays[i].dtype.kind == "c":
            result[i] = result[i] + 1j * rng.standard_normal(arrays[i].shape)
    return result


class Recorded:
    """A sample recorded in a Program, with its first and second gradients, and one run of it."""

    def __init__(self, sample: Sample, batch: tuple[int, ...], wanted: tuple[int, ...], second: bool):
        self.program, arrays = Program(), sample.arrays()
        feeds, variables = {}, []
        for i, a in enumerate(arrays):
            if not isinstance(a, np.ndarray):
                variables.append(a)
                continue
            shape = list(a.shape)
            if i in batch and shape:
                shape[0] = -1
            variable = self.program.data(f"x{i}", shape, a.dtype)
            variable.stop_gradient = i not in wanted
            feeds[f"x{i}"] = a
            variables.append(variable)
        attrs = dict(sample.attrs)
        with recording(self.program):  # an op without inputs is recorded only where everything is
            out = OPS[sample.op].call(*variables, **attrs)
        self.outputs = out if isinstance(out, tuple) else (out,)
        fetched = [o for o in self.outputs if o is not None]
        self.first, self.second = [], []
        if wanted:
            eager = call(sample, tensors(sample, "float64", wanted))
            weights = self._constants("w", directions(eager, 5), feeds)
            loss = weighted(self.outputs, weights)
            if loss is None:
                self.first = self.second = [None] * len(wanted)
                wanted = ()
        if wanted:
            found = append_gradients([loss], [variables[i] for i in wanted])
            self.first = [found.get(variables[i]._value) for i in wanted]
            if second:
                self._append_second(sample, wanted, variables, feeds)
        fetched += [g for g in (*self.first, *self.second) if g is not None]
        verify(self.program)
        generator = Generator(11)
        generator.set_state({"seed": 11, "slot": 3})
        values = iter(Plan(self.program, [v._value for v in fetched]).run(feeds, {}, generator))
        self.output_arrays = [next(values) if o is not None else None for o in self.outputs]
        self.first_arrays = [next(values) if g is not None else None for g in self.first]
        self.second_arrays = [next(values) if g is not None else None for g in self.second]

    def _append_second(self, sample: Sample, wanted: tuple, variables: list, feeds: dict) -> None:
        chosen = second_weights(sample, wanted)
        pairs = [(g, chosen[i]) for i, g in zip(wanted, self.first) if g is not None and not g.stop_gradient]
        if not pairs:
            self.second = [None] * len(wanted)
            return
        weights = self._constants("v", [w for _, w in pairs], feeds)
        loss = weighted(tuple(g for g, _ in pairs), weights)
        found = append_gradients([loss], [variables[i] for i in wanted])
        self.second = [found.get(variables[i]._value) for i in wanted]

    def _constants(self, stem: str, arrays: list, feeds: dict) -> list:
        result: list[Variable | None] = []
        for i, array in enumerate(arrays):
            if array is None:
                result.append(None)
                continue
            feeds[f"{stem}{i}"] = np.conj(array)
            result.append(self.program.data(f"{stem}{i}", array.shape, array.dtype))
        return result


def has_random_slot(program: Program) -> bool:
    return any(isinstance(n.attrs.get("stream"), RandomSlot) for n in program.global_block().nodes)
