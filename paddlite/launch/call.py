"""What each rank of `paddle.distributed.spawn` runs: `call.py FILE` calls the function that FILE holds."""

from __future__ import annotations

import os
import pickle
import sys
from multiprocessing.spawn import prepare
from pathlib import Path
from typing import Any


def write(path: Path, function: Any, arguments: tuple) -> None:
    """Put a call down for the ranks.

    Raises:
        TypeError: it cannot be pickled.
    """
    from multiprocessing.spawn import get_preparation_data

    try:
        call = pickle.dumps((function, arguments))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"spawn: the function and its arguments go to other processes by pickle, which fails: {error}. "
            "Define the function at the top of a module or script, and give it plain arguments"
        ) from None
    main = get_preparation_data("paddlite")
    main.pop("authkey", None)
    path.write_bytes(pickle.dumps((main, call)))


def run(path: Path) -> None:
    """Make the call, in a process whose `__main__` is the caller's under the name `__mp_main__`."""
    os.environ.setdefault("PADDLITE_RANK", "0")  # where it is one process
    os.environ.setdefault("PADDLITE_WORLD_SIZE", "1")
    main, call = pickle.loads(path.read_bytes())
    prepare(main)
    function, arguments = pickle.loads(call)
    function(*arguments)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
