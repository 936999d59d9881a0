"""A store of checkpoints whose content is known, for the tests of what happens to it."""

import numpy as np

import paddlite as paddle
from paddlite.recipe.checkpoint import Store, read


def content(step):
    tensor = paddle.to_tensor(np.full(5000, step, "f4"))
    return {"w": tensor}, {"w_moment1_0": tensor * 2}, {"step": step}


def write(store, step, **options):
    return store.write(step, *content(step), **options)


def names(store):
    return sorted(p.name for p in store.folder.iterdir())


def steps(store):
    return [int(p.name[4:]) for p in store.all()]


def check_is(path, step):
    found = read(path)
    assert found.state == {"step": step}
    np.testing.assert_array_equal(found.model["w"].numpy(), np.full(5000, step, "f4"))
    np.testing.assert_array_equal(found.optimizer["w_moment1_0"].numpy(), np.full(5000, 2 * step, "f4"))


def cut(path):
    """Leave the first half of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def three(run):
    """A store with checkpoints of steps 1 to 3, of which the first is the best; 2 are kept besides."""
    made = Store(run, keep=2)
    for step in (1, 2, 3):
        write(made, step, best=step == 1)
    return made
