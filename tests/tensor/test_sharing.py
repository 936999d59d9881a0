"""The list of what shares memory, in docs/sharing_memory.md, is true."""

import re
from pathlib import Path

import numpy as np
import pytest

import paddlite as paddle

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "sharing_memory.md"
VIEWS, COPIES = (block.split("\n") for block in re.findall(r"```python\n(.*?)\n```", PAGE.read_text(), re.DOTALL))


@pytest.mark.parametrize(("expression", "shares"), [*((e, True) for e in VIEWS), *((e, False) for e in COPIES)])
def test_what_shares_memory(expression, shares):
    x = paddle.arange(8, dtype="float32").reshape([2, 4]).clone()
    y = eval(expression, {"paddle": paddle, "x": x})
    before = np.array(y)
    x.add_(paddle.full([2, 4], 100.0))
    assert (not np.array_equal(before, np.array(y))) == shares
