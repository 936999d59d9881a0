"""Seeds and states of the random number generators."""

from __future__ import annotations

from paddlite.backend.random import Generator
from paddlite.core.mode import current


def seed(seed: int) -> Generator:
    """Start the random numbers of all ops anew from `seed`; gives the generator.

    >>> import paddlite as paddle
    >>> paddle.seed(7).initial_seed()
    7
    """
    return current().generator.manual_seed(seed)


def get_rng_state(device: str | None = None) -> list[dict[str, int]]:
    """The states of the generators, for `set_rng_state`: two whole numbers each."""
    return [current().generator.get_state()]


def set_rng_state(state_list: list[dict[str, int]], device: str | None = None) -> None:
    """Go back to states that `get_rng_state` gave."""
    current().generator.set_state(state_list[0])
