"""A line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 3.5 and 3.6, with cubic steps)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

DECREASE, CURVATURE = 1e-4, 0.9  # c1 and c2


class Point(NamedTuple):
    """The function along the line at step `t`: its value, gradient, and slope along the line."""

    t: float
    value: float
    gradient: Any
    slope: float


def cubic_minimum(a: Point, b: Point, low: float, high: float) -> float:
    """Where the cubic through the values and slopes of `a` and `b` is least, within [low, high]."""
    left, right = (a, b) if a.t <= b.t else (b, a)
    bend = left.slope + right.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = bend * bend - left.slope * right.slope
    if square < 0 or not math.isfinite(square):
        return (low + high) / 2
    root = math.sqrt(square)
    share = (right.slope + root - bend) / (right.slope - left.slope + 2 * root)
    return min(max(right.t - (right.t - left.t) * share, low), high)


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Any, float]],
    t: float,
    start: Point,
    longest: float,
    tolerance: float,
    budget: int = 25,
) -> tuple[Point, int]:
    """A point that satisfies the strong Wolfe conditions, or the best one found, and how often the function was called.

    Args:
        evaluate: value, gradient and slope at a step.
        t: the first step to try.
        start: the point at step 0.
        longest: the largest absolute component of the direction; steps that move less than `tolerance` end the search.
        budget: how many trials there are, besides the first.
    """
    search = _Search(evaluate, start, longest, tolerance, budget)
    return search.run(t), search.calls


class _Search:
    __slots__ = ("budget", "calls", "evaluate", "longest", "start", "tolerance", "trials")

    def __init__(self, evaluate: Callable, start: Point, longest: float, tolerance: float, budget: int):
        self.evaluate, self.start, self.longest = evaluate, start, longest
        self.tolerance, self.budget = tolerance, budget
        self.calls = self.trials = 0

    def at(self, t: float) -> Point:
        self.calls += 1
        return Point(t, *self.evaluate(t))

    def too_high(self, point: Point) -> bool:
        return point.value > self.start.value + DECREASE * point.t * self.start.slope

    def flat_enough(self, point: Point) -> bool:
        return abs(point.slope) <= -CURVATURE * self.start.slope

    def run(self, t: float) -> Point:
        """Lengthen the step until it is right, or until a right one lies between the last two; then close in."""
        before, point = self.start, self.at(t)
        while self.trials < self.budget:
            if self.too_high(point) or (self.trials > 1 and point.value >= before.value):
                return self.close_in(before, point)
            if self.flat_enough(point):
                return point
            if point.slope >= 0:
                return self.close_in(before, point)
            shortest = point.t + 0.01 * (point.t - before.t)
            longer = cubic_minimum(before, point, shortest, point.t * 10)
            before, point = point, self.at(longer)
            self.trials += 1
        return self.close_in(self.start, point)

    def close_in(self, a: Point, b: Point) -> Point:
        """Shrink the interval between two points until a point in it is right; the lower end is the better one."""
        low, high = (a, b) if a.value <= b.value else (b, a)
        stuck = False
        while self.trials < self.budget and abs(b.t - a.t) * self.longest >= self.tolerance:
            left, right = min(low.t, high.t), max(low.t, high.t)
            if left == right:
                break
            t, stuck = self.moved_in(cubic_minimum(low, high, left, right), left, right, stuck)
            point = self.at(t)
            self.trials += 1
            if self.too_high(point) or point.value >= low.value:
                high = point
            else:
                if self.flat_enough(point):
                    return point
                if point.slope * (high.t - low.t) >= 0:
                    high = low
                low = point
            a, b = low, high
        return low

    @staticmethod
    def moved_in(t: float, left: float, right: float, stuck: bool) -> tuple[float, bool]:
        """Keep `t` off the ends of the interval, where it was near one twice or lies beyond."""
        margin = 0.1 * (right - left)
        if min(right - t, t - left) >= margin:
            return t, False
        if not (stuck or t >= right or t <= left):
            return t, True
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
