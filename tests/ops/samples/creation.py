"""Samples of `ops/creation.py` and `ops/random.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.ops.dynamic import At
from tests.ops.sample import exactly, integers, normal, positive, sample

F8, F4, I8 = np.dtype("float64"), np.dtype("float32"), np.dtype("int64")
BIG = (64, 64)


def filled(*sizes, shape, value, dtype):
    return np.full([int(sizes[s.k]) if isinstance(s, At) else s for s in shape], value, dtype)


def within(low, high, whole=False):
    """The numbers lie in [low, high), reach near both ends, and their mean is the middle."""

    def check(outputs, inputs):
        drawn = np.asarray(outputs[0]).astype("f8")
        assert (drawn >= low).all() and (drawn < high).all()
        spread = (high - low) / drawn.size**0.5
        middle = (low + high - whole) / 2
        assert abs(drawn.mean() - middle) < 2 * spread
        assert drawn.min() < low + spread and drawn.max() > high - whole - spread

    return check


def moments(mean, variance, factor=5.0):
    """Mean and variance are what they must be, to within five standard errors."""

    def check(outputs, inputs):
        drawn = np.asarray(outputs[0]).astype("f8")
        assert abs(drawn.mean() - mean) < factor * (variance / drawn.size) ** 0.5 + 1e-2 * abs(mean)
        assert abs(drawn.var() - variance) < factor * variance * (3 / drawn.size) ** 0.5 + 1e-2 * variance

    return check


def shuffled(outputs, inputs):
    assert sorted(outputs[0].tolist()) == list(range(50)) and outputs[0].tolist() != list(range(50))


def drawn_by_weight(outputs, inputs):
    share = np.bincount(outputs[0].reshape(-1), minlength=3) / outputs[0].size
    np.testing.assert_allclose(share, [0.25, 0.0, 0.75], atol=0.05)


def all_different(outputs, inputs):
    assert (np.sort(outputs[0], axis=1) == np.arange(6)).all()
    first = outputs[0][:, 0]
    assert (first == 5).mean() > 0.4  # category 5 has 10 of 15 parts of the weight


def linspace(start, stop, num, dtype):
    return np.linspace(start, stop, num).astype(dtype)


SAMPLES = [
    sample("fill_constant", shape=(2, 3), value=2.5, dtype=F8, reference=filled, bad=(((), {"shape": (-1,)}, InvalidArgument),)),
    sample("fill_constant", exactly(3), shape=(2, At(0)), value=0, dtype=I8, reference=filled, note="by a tensor"),
    sample("eye", shape=(2, 3), dtype=F8, reference=lambda shape, dtype: np.eye(2, 3)),
    sample("range", start=1, end=8, step=3, dtype=I8, reference=lambda start, end, step, dtype: np.arange(1, 8, 3), bad=(((), {"step": 0}, InvalidArgument),)),
    sample("range", start=1.0, end=0.0, step=-0.25, dtype=F8, reference=lambda start, end, step, dtype: np.array([1.0, 0.75, 0.5, 0.25]), note="down"),
    sample("range", exactly(5), start=0, end=At(0), step=2, dtype=I8, reference=lambda n, start, end, step, dtype: np.arange(0, 5, 2), note="by a tensor"),
    sample("range", start=5, end=1, step=1, dtype=I8, reference=lambda start, end, step, dtype: np.zeros(0, "i8"), note="nothing"),
    sample("linspace", start=-1.0, stop=2.0, num=7, dtype=F8, reference=linspace, bad=(((), {"num": -1}, InvalidArgument),)),
    sample("linspace", exactly(3.0), start=0.0, stop=At(0), num=1, dtype=F8, reference=lambda x, start, stop, num, dtype: np.zeros(1), note="one"),
    sample("logspace", start=0.0, stop=3.0, num=4, base=2.0, dtype=F8, reference=lambda start, stop, num, base, dtype: np.logspace(start, stop, num, base=base)),
    sample("triangle_indices", rows=3, columns=4, offset=-1, lower=True, dtype=I8, reference=lambda **_: np.stack(np.tril_indices(3, -1, 4))),
    sample("triangle_indices", rows=4, columns=3, offset=1, lower=False, dtype=I8, reference=lambda **_: np.stack(np.triu_indices(4, 1, 3)), note="upper",
           bad=(((), {"rows": -1}, InvalidArgument),)),
    sample("shape", normal(3, 4), reference=lambda x: np.array([3, 4])),
    sample("size", normal(3, 4), reference=lambda x: np.array(12)),
    sample("rank", normal(3, 4), reference=lambda x: np.array(2, "i4")),
    sample("uniform_random", None, shape=BIG, low=-1.0, high=3.0, dtype=F8, check=within(-1, 3), bad=(((None,), {"dtype": I8}, DTypeMismatch), ((None,), {"shape": (-1,)}, InvalidArgument))),
    sample("uniform_random", normal(*BIG), dtype=F4, check=within(0, 1), note="like"),
    sample("uniform_random", None, shape=BIG, dtype=np.dtype("float16"), check=within(0, 1), note="half"),
    sample("gaussian_random", None, shape=BIG, mean=2.0, std=3.0, dtype=F4, check=moments(2.0, 9.0)),
    sample("gaussian_random", normal(*BIG), dtype=F8, check=moments(0.0, 1.0), note="like"),
    sample("randint", None, shape=BIG, low=-2, high=3, dtype=I8, check=within(-2, 3, True), bad=(((None,), {"high": -2}, InvalidArgument),)),
    sample("randperm", n=50, dtype=I8, check=shuffled, bad=(((), {"n": -1}, InvalidArgument),)),
    sample("bernoulli", exactly(np.full(BIG, 0.25)), check=moments(0.25, 0.1875), bad=(((integers(2, 3),), {}, DTypeMismatch),)),
    sample("poisson", exactly(np.full(BIG, 4.0)), check=moments(4.0, 4.0)),
    sample("standard_gamma", exactly(np.full(BIG, 3.0)), check=moments(3.0, 3.0, 8.0)),
    sample("binomial", exactly(np.full(BIG, 10)), exactly(np.full(BIG, 0.3)), check=moments(3.0, 2.1), batch=(0, 1), bad=(((exactly([1]), positive(2)), {}, ShapeMismatch),)),
    sample("multinomial", exactly([[1.0, 0.0, 3.0]] * 4), num_samples=500, replacement=True, check=drawn_by_weight,
           bad=(((positive(3),), {"num_samples": 0}, InvalidArgument), ((positive(3),), {"num_samples": 4, "replacement": False}, InvalidArgument), ((positive(1, 1, 1),), {}, ShapeMismatch))),
    sample("multinomial", exactly([[1.0, 1.0, 1.0, 1.0, 1.0, 10.0]] * 99), num_samples=6, replacement=False, check=all_different, note="all"),
]  # fmt: skip
