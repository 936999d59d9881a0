"""Every check on every sample: one op definition must serve eager, static, gradients and every dtype."""

from __future__ import annotations

import numpy as np
import pytest

import paddlite.ops  # noqa: F401 - fills the registry
from paddlite.amp.policy import Casts
from paddlite.autograd.backward import grad
from paddlite.backend.dtypes import COMPLEX, F16, F32, HALF, INEXACT
from paddlite.core.dispatch import input_metas, prepare
from paddlite.core.errors import DTypeMismatch
from paddlite.core.inplace import in_place
from paddlite.core.kernel import meta_of
from paddlite.core.meta import Like, Meta
from paddlite.core.mode import switched
from paddlite.core.op import OPS
from paddlite.core.program import Program, recording
from paddlite.core.tensor import Tensor
from tests.ops.harness import (
    Recorded,
    as_dtype,
    call,
    close,
    differentiable,
    directions,
    first_gradients,
    scalar,
    second_weights,
    tensors,
    weighted,
    wide,
)
from tests.ops.samples import SAMPLES


def of(applies=lambda sample: True):
    """Run the test on the samples for which `applies` holds."""
    return pytest.mark.parametrize("sample", [s for s in SAMPLES if applies(s)], ids=lambda s: s.id)


def floating(sample):
    return any(isinstance(a, np.ndarray) and a.dtype in INEXACT for a in sample.arrays())


def twice(sample):
    return sample.second and bool(differentiable(sample))


def amp_positions(sample):
    """Inputs that AMP may cast, by position."""
    op = OPS[sample.op]
    if not sample.half or op.amp == "never":
        return []
    found = [i for i, a in enumerate(sample.arrays()) if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    return [i for i in found if i not in op.shape_only and (op.amp_inputs is None or i in op.amp_inputs)]


def in_float32(sample):
    """True where half inputs are computed in float32 and rounded."""
    op = OPS[sample.op]
    halves = [a for a in sample.arrays() if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    return sample.half and bool(halves) and not op.native_half and not op.random


def writes_over(sample):
    """True where the kernel takes `out` and the result fits the first input."""
    if not OPS[sample.op].inplace or not isinstance(first := sample.arrays()[0], np.ndarray):
        return False
    out = call(sample, tensors(sample, "float64"))[0]
    return out._shape == first.shape and out._dtype == first.dtype


every = of()


def test_every_op_has_a_sample():
    missing = sorted(set(OPS) - {s.op for s in SAMPLES})
    assert not missing, f"ops without a sample in tests/ops/samples: {missing}"


def test_samples_have_distinct_names():
    names = [s.id for s in SAMPLES]
    assert len(names) == len(set(names)), sorted({n for n in names if names.count(n) > 1})


DTYPED = [
    pytest.param(s, dtype, id=f"{s.id}-{dtype}")
    for s in SAMPLES
    for dtype in ("float64", "float32", "float16", "bfloat16")
    if dtype == "float64" or (floating(s) and (s.half or dtype == "float32"))
]


@pytest.mark.parametrize(("sample", "dtype"), DTYPED)
def test_kernel_agrees_with_the_reference(sample, dtype):
    arrays = [as_dtype(a, dtype) for a in sample.arrays()]
    given = [a.copy() if OPS[sample.op].writes and isinstance(a, np.ndarray) else a for a in arrays]
    outputs = call(sample, [Tensor(a) if isinstance(a, np.ndarray) else a for a in given])
    if sample.check is not None:
        sample.check([None if o is None else o._data for o in outputs], arrays)
        return
    want = sample.reference(*[wide(a) for a in arrays], **sample.attrs)
    want = want if isinstance(want, tuple) else (want,)
    chosen = [outputs[i] for i in sample.outputs] if sample.outputs is not None else outputs
    for out, expected in zip(chosen, want, strict=True):
        if out is not None:
            close(out._data, expected, dtype, sample.tolerance)


@every
def test_infer_says_what_the_kernel_gives(sample):
    op = OPS[sample.op]
    attrs = op.full_attrs(dict(sample.attrs))
    if op.random:
        attrs.setdefault("stream", None)
    for dtype in ("float64", "float32", "float16"):
        inputs = tensors(sample, dtype)
        if dtype == "float16" and not sample.half:
            continue
        outputs = call(sample, inputs)
        prepared = _prepared_metas(op, inputs)
        found = op.infer(*prepared, **attrs)
        found = found if isinstance(found, tuple) else (found,)
        for out, meta in zip(outputs, found, strict=True):
            if out is not None:
                assert _agrees(meta, meta_of(out._data)), (
                    f"{dtype}: infer says {meta}, kernel gives {meta_of(out._data)}"
                )


def _prepared_metas(op, inputs):
    return input_metas(op, prepare(op, tuple(inputs)))


def _agrees(meta: Meta, made: Meta) -> bool:
    sizes = len(meta.shape) == len(made.shape) and all(m in (-1, s) for m, s in zip(meta.shape, made.shape))
    return sizes and meta.dtype == made.dtype


@every
def test_infer_takes_unknown_sizes(sample):
    op = OPS[sample.op]
    attrs = op.full_attrs(dict(sample.attrs))
    if op.random:
        attrs.setdefault("stream", None)
    inputs = tensors(sample, "float64")
    metas = _prepared_metas(op, inputs)
    known = op.infer(*metas, **attrs)
    for i in sample.batch:
        if i < len(metas) and isinstance(metas[i], Meta) and metas[i].shape:
            metas[i] = Meta((-1, *metas[i].shape[1:]), metas[i].dtype)
    unknown = op.infer(*metas, **attrs)
    pairs = zip(known, unknown) if isinstance(known, tuple) else [(known, unknown)]
    for k, u in pairs:
        assert k is None or _agrees(u, k), f"with unknown sizes infer says {u}, without {k}"


@of(differentiable)
def test_gradient_is_the_slope(sample):
    wanted = differentiable(sample)
    inputs = tensors(sample, "float64", wanted)
    weights = directions(call(sample, inputs), 5)
    grads = first_gradients(sample, inputs, wanted, weights, create_graph=False)
    rng = np.random.default_rng(3)
    arrays = sample.arrays()
    for i, g in zip(wanted, grads, strict=True):
        assert g is None or g._data.shape == arrays[i].shape
        direction = rng.standard_normal(arrays[i].shape)
        if arrays[i].dtype in COMPLEX:
            direction = direction + 1j * rng.standard_normal(arrays[i].shape)
        analytic = 0.0 if g is None else float(np.real(np.sum(np.conj(g._data) * direction)))
        slope = _slope(lambda a: scalar(sample, a, weights), arrays, i, direction)
        assert analytic == pytest.approx(slope, rel=2e-5 * sample.tolerance, abs=2e-6 * sample.tolerance), (
            f"input {i}: the rule gives {analytic}, finite differences {slope}"
        )


def _slope(function, arrays: list, i: int, direction: np.ndarray, eps: float = 1e-5) -> float:
    values = []
    for sign in (1, -1):
        moved = list(arrays)
        moved[i] = np.asarray(arrays[i] + sign * eps * direction)
        values.append(function(moved))
    return (values[0] - values[1]) / (2 * eps)


@of(twice)
def test_second_gradient_is_the_slope_of_the_first(sample):
    wanted = differentiable(sample)
    inputs = tensors(sample, "float64", wanted)
    weights = directions(call(sample, inputs), 5)
    chosen = second_weights(sample, wanted)

    def of_first(arrays: list) -> float:
        fresh = [Tensor(a, i not in wanted) if isinstance(a, np.ndarray) else a for i, a in enumerate(arrays)]
        grads = first_gradients(sample, fresh, wanted, weights, create_graph=False)
        pairs = [(g, chosen[i]) for i, g in zip(wanted, grads) if g is not None]
        return sum(float(np.real(np.sum(np.conj(w) * g._data))) for g, w in pairs)

    grads = first_gradients(sample, inputs, wanted, weights, create_graph=True)
    pairs = [(g, chosen[i]) for i, g in zip(wanted, grads) if g is not None and not g.stop_gradient]
    second = [None] * len(wanted)
    if pairs:
        loss = weighted(tuple(g for g, _ in pairs), [w for _, w in pairs])
        second = grad(loss, [inputs[i] for i in wanted], allow_unused=True)
    rng = np.random.default_rng(4)
    arrays = sample.arrays()
    for i, g in zip(wanted, second, strict=True):
        direction = rng.standard_normal(arrays[i].shape)
        if arrays[i].dtype in COMPLEX:
            direction = direction + 1j * rng.standard_normal(arrays[i].shape)
        analytic = 0.0 if g is None else float(np.real(np.sum(np.conj(g._data) * direction)))
        slope = _slope(of_first, arrays, i, direction)
        assert analytic == pytest.approx(slope, rel=5e-5 * sample.tolerance, abs=5e-6 * sample.tolerance), (
            f"input {i}: the rules give {analytic}, finite differences {slope}"
        )


@pytest.mark.parametrize(
    ("sample", "batch"),
    [
        pytest.param(s, b, id=f"{s.id}-{'unknown' if b else 'known'}")
        for s in SAMPLES
        for b in dict.fromkeys(((), s.batch))
    ],
)
def test_static_gives_the_bits_of_eager(sample, batch):
    wanted = differentiable(sample)
    recorded = Recorded(sample, batch, wanted, sample.second)
    inputs = tensors(sample, "float64", wanted)
    outputs = call(sample, inputs)
    for out, array in zip(outputs, recorded.output_arrays, strict=True):
        if out is not None:
            np.testing.assert_array_equal(array, out._data)
    if not wanted:
        return
    weights = directions(outputs, 5)
    first = first_gradients(sample, inputs, wanted, weights, create_graph=True)
    for g, array in zip(first, recorded.first_arrays, strict=True):
        np.testing.assert_array_equal(array if array is not None else 0, g._data if g is not None else 0)


@of(twice)
def test_static_second_gradient_gives_the_bits_of_eager(sample):
    wanted = differentiable(sample)
    recorded = Recorded(sample, sample.batch, wanted, True)
    inputs = tensors(sample, "float64", wanted)
    weights = directions(call(sample, inputs), 5)
    grads = first_gradients(sample, inputs, wanted, weights, create_graph=True)
    chosen = second_weights(sample, wanted)
    pairs = [(g, chosen[i]) for i, g in zip(wanted, grads) if g is not None and not g.stop_gradient]
    if not pairs:
        assert all(a is None for a in recorded.second_arrays)
        return
    loss = weighted(tuple(g for g, _ in pairs), [w for _, w in pairs])
    second = grad(loss, [inputs[i] for i in wanted], allow_unused=True)
    for g, array in zip(second, recorded.second_arrays, strict=True):
        if array is None or g is None:
            both = array if array is not None else (g._data if g is not None else np.zeros(()))
            assert not np.any(both), "a gradient that flows in one of eager and static only must be zero"
        else:
            np.testing.assert_array_equal(array, g._data)


@of(amp_positions)
@pytest.mark.parametrize("level", ["O1", "O2"])
def test_amp_runs_the_op_in_the_dtype_of_its_class(sample, level):
    op = OPS[sample.op]
    inputs = tensors(sample, "float32")
    taking = amp_positions(sample)
    low = op.amp == "low"
    follows = op.amp == "widest" or (level == "O2" and op.amp == "keep32_o1")
    halves = [x if i not in taking else Tensor(x._data.astype(F16)) for i, x in enumerate(inputs)]
    with switched(amp=Casts(level, F16)):
        cast = Casts(level, F16).cast(op, tuple(inputs))
        for i in taking:
            assert cast[i]._dtype == (F16 if low else F32)
        back = Casts(level, F16).cast(op, tuple(halves))
        for i in taking:
            assert back[i]._dtype == (F16 if low or follows else F32)
        outputs = call(sample, inputs)
    direct = call(sample, list(cast))
    for out, same in zip(outputs, direct, strict=True):
        if out is not None:
            assert out._dtype == same._dtype
            np.testing.assert_array_equal(out._data, same._data)


@of(lambda sample: OPS[sample.op].shape_only)
def test_shape_only_inputs_need_no_data(sample):
    op = OPS[sample.op]
    inputs = tensors(sample, "float64")
    stand_ins = [
        Like(x._data.shape, x._data.dtype) if i in op.shape_only and isinstance(x, Tensor) else x
        for i, x in enumerate(inputs)
    ]
    for a, b in zip(call(sample, inputs), call(sample, stand_ins), strict=True):
        np.testing.assert_array_equal(a._data, b._data)


@every
def test_views_share_memory_and_other_results_do_not(sample):
    op = OPS[sample.op]
    inputs = tensors(sample, "float64")
    outputs = call(sample, inputs)
    arrays = [x._data for i, x in enumerate(inputs) if isinstance(x, Tensor) and i not in op.shape_only]
    for out in outputs:
        if out is None or not arrays or out._data.size == 0:
            continue
        shared = any(np.shares_memory(out._data, a) for a in arrays)
        if op.view:
            assert shared
            assert out._version is inputs[0]._version
        elif op.writes:  # gives what it has changed
            assert shared
        elif not op.shape_only:  # the gradients of expansions may be views: nobody changes them in place
            assert not shared


@of(writes_over)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_kernel_can_write_over_its_input(sample, dtype):
    op = OPS[sample.op]
    inputs = tensors(sample, dtype)
    want = call(sample, inputs)[0]._data
    result = in_place(op, tuple(inputs), dict(sample.attrs))
    assert result is inputs[0]
    np.testing.assert_array_equal(result._data, want)
    assert result.inplace_version == 1


@of(in_float32)
def test_half_results_are_rounded_float32_results(sample):
    halves = tensors(sample, "float16")
    widened = [Tensor(x._data.astype(F32)) if isinstance(x, Tensor) and x._dtype == F16 else x for x in halves]
    for half, full in zip(call(sample, halves), call(sample, widened), strict=True):
        if half is not None and half._dtype in HALF:
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(half._data, full._data.astype(F16))


BAD = [(s, case) for s in SAMPLES for case in s.bad]


@pytest.mark.parametrize(("sample", "case"), BAD, ids=lambda v: v.id if hasattr(v, "id") else "")
def test_bad_inputs_are_refused_in_eager_and_static_alike(sample, case):
    arrays, attrs, error = case
    made = [np.asarray(a.make(np.random.default_rng(0))) if hasattr(a, "make") else a for a in arrays]
    inputs = [Tensor(a) if isinstance(a, np.ndarray) else a for a in made]
    attrs = {**sample.attrs, **attrs}
    with pytest.raises(error) as eager:
        OPS[sample.op].call(*inputs, **attrs)
    program = Program()
    variables = [
        program.data(f"x{i}", a.shape, a.dtype) if isinstance(a, np.ndarray) else a for i, a in enumerate(made)
    ]
    with pytest.raises(error) as static, recording(program):
        OPS[sample.op].call(*variables, **attrs)
    assert str(eager.value) == str(static.value)


def test_an_op_refuses_what_is_no_tensor():
    with pytest.raises(DTypeMismatch, match="input 'x' must be a Tensor"):
        OPS["relu"].call("text")
