"""Samples of `ops/grid_sample.py`: the references take one point at a time.  Points keep away from the cells' borders."""

import itertools
import math

import numpy as np

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import Spec, normal, sample


def points(*shape, sizes, align_corners=True, reach=1.4):
    """A grid whose points lie at least a tenth of an element from where a neighbour begins."""

    def make(rng):
        grid = np.zeros((*shape, len(sizes)))
        for k, n in enumerate(reversed(sizes)):
            span = (n - 1) / 2 if align_corners else n / 2
            low, high = math.floor(-reach * span), math.ceil(reach * span)
            at = rng.integers(low, high, shape) + rng.choice([0.15, 0.3, 0.7, 0.85], shape) + (n - 1) / 2 % 1
            grid[..., k] = at / span
        return grid

    return Spec(make)


def placed(coordinate, size, padding_mode, align_corners):
    """Where along an axis a point lies."""
    at = (coordinate + 1) / 2 * (size - 1) if align_corners else ((coordinate + 1) * size - 1) / 2
    if padding_mode == "reflection":
        low, high = (0, size - 1) if align_corners else (-0.5, size - 0.5)
        while not low <= at <= high:
            at = 2 * low - at if at < low else 2 * high - at
    if padding_mode != "zeros":
        at = min(max(at, 0), size - 1)
    return at


def neighbours(point, sizes, mode, padding_mode, align_corners):
    """(index, share) of the elements that make up the value at `point`, in the order of the corners."""
    at = [placed(c, n, padding_mode, align_corners) for c, n in zip(reversed(point), sizes)]
    if mode == "nearest":
        return [(tuple(round(a) for a in at), 1.0)]
    low = [math.floor(a) for a in at]
    found = []
    for corner in itertools.product((0, 1), repeat=len(sizes)):
        share = math.prod(a - f if c else 1 - a + f for a, f, c in zip(at, low, corner))
        found.append((tuple(f + c for f, c in zip(low, corner)), share))
    return found


def inside(index, sizes):
    return all(0 <= i < n for i, n in zip(index, sizes))


def sampled(x, grid, mode, padding_mode, align_corners):
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for n, *place in np.ndindex(*grid.shape[:-1]):
        for index, share in neighbours(grid[(n, *place)], x.shape[2:], mode, padding_mode, align_corners):
            if inside(index, x.shape[2:]):
                out[(n, slice(None), *place)] += share * x[(n, slice(None), *index)]
    return out


def scattered(y, grid, like, mode, padding_mode, align_corners):
    out = np.zeros(like.shape)
    for n, *place in np.ndindex(*grid.shape[:-1]):
        for index, share in neighbours(grid[(n, *place)], like.shape[2:], mode, padding_mode, align_corners):
            if inside(index, like.shape[2:]):
                out[(n, slice(None), *index)] += share * y[(n, slice(None), *place)]
    return out


def at_corner(x, grid, corner, padding_mode, align_corners):
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    number = int("".join(map(str, corner)), 2)
    for n, *place in np.ndindex(*grid.shape[:-1]):
        index, _ = neighbours(grid[(n, *place)], x.shape[2:], "bilinear", padding_mode, align_corners)[number]
        if inside(index, x.shape[2:]):
            out[(n, slice(None), *place)] = x[(n, slice(None), *index)]
    return out


def from_corner(y, grid, like, corner, padding_mode, align_corners):
    out = np.zeros(like.shape)
    number = int("".join(map(str, corner)), 2)
    for n, *place in np.ndindex(*grid.shape[:-1]):
        index, _ = neighbours(grid[(n, *place)], like.shape[2:], "bilinear", padding_mode, align_corners)[number]
        if inside(index, like.shape[2:]):
            out[(n, slice(None), *index)] += y[(n, slice(None), *place)]
    return out


def offset(grid, like, axis, padding_mode, align_corners):
    size = like.shape[2 + axis]
    coordinates = grid[..., grid.shape[-1] - 1 - axis]
    at = np.vectorize(lambda c: placed(c, size, padding_mode, align_corners), otypes=[float])(coordinates)
    return at - np.floor(at)


def slope(grid, like, axis, padding_mode, align_corners):
    size = like.shape[2 + axis]
    coordinates = grid[..., grid.shape[-1] - 1 - axis]
    place = np.vectorize(lambda c: placed(c, size, padding_mode, align_corners), otypes=[float])
    return (place(coordinates + 1e-6) - place(coordinates - 1e-6)) / 2e-6


def affine(theta, sizes, align_corners):
    out = np.zeros((len(theta), *sizes, len(sizes)))
    for n, *at in np.ndindex(len(theta), *sizes):
        point = [2 * i / (s - 1) - 1 if align_corners else (2 * i + 1) / s - 1 for i, s in zip(at, sizes)]
        out[(n, *at)] = theta[n] @ [*reversed(point), 1]
    return out


def affine_grad(y, sizes, align_corners):
    out = np.zeros((len(y), len(sizes), len(sizes) + 1))
    for at in np.ndindex(*out.shape[1:]):
        unit = np.zeros((1, *out.shape[1:]))
        unit[(0, *at)] = 1
        out[(slice(None), *at)] = (y * affine(unit, sizes, align_corners)).reshape(len(y), -1).sum(1)
    return out


SIZES, CUBE = (4, 5), (3, 2, 3)
MODES = [(p, a) for p in ("zeros", "border", "reflection") for a in (True, False)]


def options(padding_mode, align_corners, **more):
    return {"padding_mode": padding_mode, "align_corners": align_corners, **more}


SAMPLES = [
    *[sample("grid_sampler", normal(2, 3, *SIZES), points(2, 3, 4, sizes=SIZES, align_corners=a), reference=sampled,
             attrs=options(p, a, mode="bilinear"), note=f"{p} {a}", batch=(0, 1), tolerance=3) for p, a in MODES],
    *[sample("grid_sampler", normal(2, 3, *SIZES), points(2, 3, 4, sizes=SIZES, align_corners=a), reference=sampled, half=False,
             attrs=options(p, a, mode="nearest"), note=f"nearest {p} {a}", batch=(0, 1)) for p, a in MODES],
    sample("grid_sampler", normal(2, 2, *CUBE), points(2, 2, 2, 3, sizes=CUBE), reference=sampled, batch=(0, 1), tolerance=3, half=False,
           attrs=options("zeros", True, mode="bilinear"), note="volume",
           bad=(((normal(2, 2, *CUBE), normal(2, 2, 2, 3, 2)), {}, ShapeMismatch),
                ((normal(2, 2, 5), normal(2, 2, 1)), {}, ShapeMismatch), ((normal(2, 2, *CUBE), normal(3, 2, 2, 3, 3)), {}, ShapeMismatch))),
    *[sample("grid_sampler_grad", normal(2, 3, 3, 4), points(2, 3, 4, sizes=SIZES, align_corners=a), normal(2, 3, *SIZES), reference=scattered,
             attrs=options(p, a, mode="bilinear"), note=f"{p} {a}", batch=(0, 1, 2), tolerance=3) for p, a in MODES[::3]],
    sample("grid_sampler_grad", normal(2, 3, 3, 4), points(2, 3, 4, sizes=SIZES), normal(2, 3, *SIZES), reference=scattered, half=False,
           attrs=options("border", True, mode="nearest"), note="nearest", batch=(0, 1, 2)),
    *[sample("grid_corner", normal(2, 3, *SIZES), points(2, 3, 4, sizes=SIZES), reference=at_corner, attrs=options("zeros", True, corner=corner),
             note=str(corner), batch=(0, 1), gradient=(0,), half=False) for corner in ((0, 0), (0, 1), (1, 0))],
    sample("grid_corner_grad", normal(2, 3, 3, 4), points(2, 3, 4, sizes=SIZES), normal(2, 3, *SIZES), reference=from_corner,
           attrs=options("zeros", True, corner=(1, 0)), batch=(0, 1, 2), gradient=(0,), half=False),
    *[sample("grid_offset", points(2, 3, 4, sizes=SIZES, align_corners=a), normal(2, 3, *SIZES), reference=offset, half=False,
             attrs=options(p, a, axis=axis), note=f"{p} {a} {axis}", batch=(0, 1)) for axis, (p, a) in enumerate([("zeros", False), ("reflection", True)])],
    *[sample("grid_slope", points(2, 3, 4, sizes=SIZES, align_corners=a), normal(2, 3, *SIZES), reference=slope, half=False, tolerance=10,
             attrs=options(p, a, axis=axis), note=f"{p} {a} {axis}", batch=(0, 1)) for axis in (0, 1) for p, a in MODES],
    *[sample("affine_grid", normal(2, len(s), len(s) + 1), reference=affine, sizes=s, align_corners=a, note=f"{len(s)} {a}",
             bad=(((normal(2, 3, 3),), {}, ShapeMismatch),) if s == SIZES else ()) for s in (SIZES, CUBE) for a in (True, False)],
    *[sample("affine_grid_grad", normal(2, *s, len(s)), reference=affine_grad, sizes=s, align_corners=a, note=f"{len(s)} {a}")
      for s, a in ((SIZES, True), (CUBE, False))],
]  # fmt: skip
