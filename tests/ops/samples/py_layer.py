"""A sample of `ops/py_layer.py`; `tests/autograd/test_py_layer.py` tests what it is for."""

from types import SimpleNamespace

from tests.ops.sample import normal, sample

SAMPLES = [
    sample(
        "py_layer", normal(3), normal(3, 4), call=SimpleNamespace(count=1), reference=lambda x, y, call: y, gradient=()
    )
]
