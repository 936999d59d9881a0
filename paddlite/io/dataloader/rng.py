"""Where the random order of samples and the seeds of workers come from.

In Paddle it is NumPy's global generator in most places, so that scripts which call `paddle.seed` alone visit their
samples in another order on each run.  Here Paddle's own generator takes over as long as NumPy's was neither seeded
nor used after `paddle.seed`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.random import Generator, host_generator
from paddlite.core.errors import DTypeMismatch
from paddlite.core.mode import current


def source(generator: Any = None) -> Any:
    """An object with NumPy's `permutation`, `choice` and `bytes`: what was seeded last, or `generator` if given.

    Raises:
        TypeError: `generator` is no random number generator.
    """
    if generator is None:
        return own_source() if current().generator.seeded_last else np.random
    return own_source(generator)


def own_source(generator: Any = None) -> Any:
    """The same, but Paddle's own generator where none is given.

    Raises:
        TypeError: `generator` is no random number generator.
    """
    if generator is None:
        generator = current().generator
    if isinstance(generator, Generator):
        return host_generator(generator.take())
    if isinstance(generator, (np.random.Generator, np.random.RandomState)):
        return generator
    raise DTypeMismatch(
        f"generator must be a paddle.Generator or a NumPy generator, got {type(generator).__name__} {generator!r:.40}"
    )


def worker_seed(workers: int) -> int:
    """A number from which the workers of one pass draw their seeds; without workers 0.

    From Paddle's generator it is taken without workers too, so that the order of samples does not depend on them.
    """
    if workers or current().generator.seeded_last:
        return int.from_bytes(source().bytes(8), "little") >> 1
    return 0
