"""Rules in C give NumPy's bits."""

from __future__ import annotations

import numpy as np
import pytest

import paddlite as paddle
from paddlite.backend import cjit
from paddlite.core.tensor import Parameter, Tensor
from paddlite.ops.update import native
from paddlite.regularizer import L1Decay
from tests.optimizer.test_rules import CASES

pytestmark = pytest.mark.skipif(cjit.compiler() is None, reason="no C compiler here")
BLOCKWISE = [name for name in CASES if not name.startswith(("Lamb", "ASGD"))]
SHAPES = ((3, 4), (5,), (), (0,), (130, 50), (17, 3))


def run(make, dtype, least, monkeypatch, master=False, steps=7, **options):
    monkeypatch.setattr("paddlite.optimizer.cohort.LEAST", least)
    monkeypatch.setattr("paddlite.optimizer.cohort.LONG", 1000)
    rng = np.random.default_rng(1)
    params = [Parameter(rng.standard_normal(s).astype(dtype), name=f"w{i}") for i, s in enumerate(SHAPES)]
    optimizer = make(learning_rate=0.05, parameters=params, **options)
    optimizer._multi_precision = master
    for t in range(steps):
        for i, p in enumerate(params):
            g = rng.standard_normal(p.shape).astype(dtype)
            if t == 3 and i == 4:
                g[:2] = [[np.inf], [np.nan]]
            p.grad = Tensor(g)
        optimizer.step()
    (cohorts,) = optimizer._patterns.values()
    return params, optimizer.state_dict(), [cohort.compiled for cohort in cohorts]


def compare(make, dtype, monkeypatch, **options):
    plain, state, compiled = run(make, dtype, 10**9, monkeypatch, **options)
    assert compiled == [None]
    ours, state2, compiled = run(make, dtype, 1, monkeypatch, **options)
    assert isinstance(compiled[0], native.Native)
    for p, q in zip(plain, ours):
        np.testing.assert_array_equal(p._data, q._data)
    for key, value in state.items():
        if isinstance(value, Tensor):
            np.testing.assert_array_equal(value._data, state2[key]._data)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BLOCKWISE)
def test_c_gives_numpys_bits(name, dtype, monkeypatch):
    compare(CASES[name][0], dtype, monkeypatch)


@pytest.mark.parametrize("decay", [0.1, L1Decay(0.1)], ids=["L2", "L1"])
def test_with_weight_decay(decay, monkeypatch):
    compare(paddle.optimizer.Adam, "float32", monkeypatch, weight_decay=decay)


@pytest.mark.parametrize("master", [False, True])
def test_half_parameters(master, monkeypatch):
    compare(paddle.optimizer.AdamW, "float16", monkeypatch, master=master)


def test_without_a_compiler_numpy_does_the_work(monkeypatch):
    monkeypatch.setattr(cjit, "compiler", lambda: None)
    _, _, compiled = run(paddle.optimizer.Adam, "float32", 1, monkeypatch)
    assert compiled == [None]
