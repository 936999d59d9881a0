"""Random numbers that depend on nothing but (seed, slot, element): the same on NumPy and CuPy, eager and static.

Philox4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) is counter-based.  Each random op
takes one *slot* of its generator; element block `b` of slot `s` is the cipher of the counter (b + 1, 0, s, 0) under the
key (seed, 0).  NumPy ships the same cipher; on a GPU one kernel computes it.
"""

from __future__ import annotations

import functools
import pickle
import threading
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import F64

_MASK64 = (1 << 64) - 1
DEFAULT_SEED = 34342423252  # the reference's


class Stream(NamedTuple):
    """Names the numbers of one random op: a seed and a slot."""

    seed: int
    slot: int


def _numpy_state() -> bytes:
    return pickle.dumps(np.random.get_state(legacy=False))


class Generator:
    """Hands out slots.  Its whole state is two whole numbers."""

    __slots__ = ("_numpy", "_seed", "_slot", "device")

    def __init__(self, seed: int = DEFAULT_SEED, device: str = "cpu"):
        self.device = device
        self._seed, self._slot = int(seed) & _MASK64, 0
        self._numpy: bytes | None = None  # NumPy's state when this generator was last seeded

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from `seed`; gives back the generator itself."""
        self._seed, self._slot = int(seed) & _MASK64, 0
        self._numpy = _numpy_state()
        return self

    def renew(self, seed: int) -> None:
        """Become what `Generator(seed)` would be."""
        self._seed, self._slot, self._numpy = int(seed) & _MASK64, 0, None

    @property
    def seeded_last(self) -> bool:
        """True where this generator was seeded, and NumPy's global one neither seeded nor used since then."""
        return self._numpy is not None and self._numpy == _numpy_state()

    def initial_seed(self) -> int:
        return self._seed

    def seed(self) -> int:
        """Start anew from a seed drawn from the operating system, which is given back."""
        import secrets

        self.manual_seed(secrets.randbits(63))
        return self._seed

    def take(self, slots: int = 1) -> Stream:
        """The next stream; with `slots` > 1, the first of that many reserved ones."""
        stream = Stream(self._seed, self._slot)
        self._slot += slots
        return stream

    def get_state(self) -> dict[str, int]:
        return {"seed": self._seed, "slot": self._slot}

    def set_state(self, state: dict[str, int]) -> None:
        self._seed, self._slot = int(state["seed"]) & _MASK64, int(state["slot"])
        self._numpy = _numpy_state()


_local = threading.local()


def _host_words(stream: Stream, count: int) -> np.ndarray:
    cipher = getattr(_local, "cipher", None)
    if cipher is None:
        cipher = _local.cipher = np.random.Philox(key=0)
    cipher.state = {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array([0, 0, stream.slot, 0], np.uint64),
            "key": np.array([stream.seed, 0], np.uint64),
        },
        "buffer": np.zeros(4, np.uint64),
        "buffer_pos": 4,  # the buffer is used up: the next draw enciphers the next counter
        "has_uint32": 0,
        "uinteger": 0,
    }
    return cipher.random_raw(count)


_KERNEL = r"""
extern "C" __global__ void philox_words(unsigned long long* out, unsigned long long blocks,
                                        unsigned long long seed, unsigned long long slot) {
    unsigned long long b = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    unsigned long long c0 = b + 1, c1 = 0, c2 = slot, c3 = 0, k0 = seed, k1 = 0;
    for (int round = 0; round < 10; ++round) {
        unsigned long long h0 = __umul64hi(0xD2E7470EE14C6C93ULL, c0), l0 = 0xD2E7470EE14C6C93ULL * c0;
        unsigned long long h1 = __umul64hi(0xCA5A826395121157ULL, c2), l1 = 0xCA5A826395121157ULL * c2;
        c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
        k0 += 0x9E3779B97F4A7C15ULL; k1 += 0xBB67AE8584CAA73BULL;
    }
    out[4 * b] = c0; out[4 * b + 1] = c1; out[4 * b + 2] = c2; out[4 * b + 3] = c3;
}
"""


@functools.cache
def _device_kernel() -> Any:
    return device.cupy().RawKernel(_KERNEL, "philox_words")


def _device_words(xp: Any, stream: Stream, count: int) -> Any:
    blocks = (count + 3) // 4
    out = xp.empty(4 * blocks, np.uint64)
    if blocks:
        arguments = (out, np.uint64(blocks), np.uint64(stream.seed), np.uint64(stream.slot))
        _device_kernel()(((blocks + 127) // 128,), (128,), arguments)
    return out[:count]


def words(xp: Any, stream: Stream, count: int) -> Any:
    """`count` random uint64 numbers, shape [count]."""
    return _host_words(stream, count) if xp is np else _device_words(xp, stream, count)


def _lanes(xp: Any, stream: Stream, count: int, dtype: type) -> Any:
    lanes = 8 // np.dtype(dtype).itemsize
    return words(xp, stream, (count + lanes - 1) // lanes).view(dtype)[:count]


def uniform(xp: Any, stream: Stream, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Numbers of [0, 1) on a grid of 2**-24 (float32) or 2**-53 (float64); halves are left to the caller."""
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == F64:
        values = (words(xp, stream, count) >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)
    else:
        values = (_lanes(xp, stream, count, np.uint32) >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    return values.reshape(shape)


def normal(xp: Any, stream: Stream, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Standard normal numbers by the Box-Muller transform, float32 or float64."""
    count = int(np.prod(shape, dtype=np.int64))
    pairs = (count + 1) // 2
    drawn = uniform(xp, stream, (2, pairs), dtype)
    one, two, turn = (drawn.dtype.type(v) for v in (1.0, -2.0, 2.0 * np.pi))
    radius = xp.sqrt(two * xp.log(one - drawn[0]))  # 1 - u lies in (0, 1], so the logarithm is finite
    angle = turn * drawn[1]
    return xp.concatenate([radius * xp.cos(angle), radius * xp.sin(angle)])[:count].reshape(shape)


def integers(xp: Any, stream: Stream, low: int, high: int, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Whole numbers of [low, high)."""
    count = int(np.prod(shape, dtype=np.int64))
    drawn = words(xp, stream, count) % np.uint64(high - low)
    return (drawn.astype(np.int64) + np.int64(low)).astype(dtype).reshape(shape)


def keep_mask(xp: Any, stream: Stream, shape: tuple[int, ...], drop: float) -> Any:
    """Booleans that are False with probability `drop`, to within 2**-17."""
    count = int(np.prod(shape, dtype=np.int64))
    threshold = round(drop * 65536)
    if threshold >= 65536:
        return xp.zeros(shape, np.bool_)
    return (_lanes(xp, stream, count, np.uint16) >= np.uint16(threshold)).reshape(shape)


def permutation(xp: Any, stream: Stream, count: int) -> Any:
    """The numbers 0..count-1 in random order, int64."""
    return xp.argsort(words(xp, stream, count), kind="stable").astype(np.int64)


def host_generator(stream: Stream) -> np.random.Generator:
    """NumPy's generator over the stream, for distributions that are drawn by rejection."""
    return np.random.Generator(np.random.Philox(key=[stream.seed, 0], counter=[0, 0, stream.slot, 0]))
