"""Line charts as SVG, for the report of a run."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 480, 244
LEFT, RIGHT, TOP, BOTTOM = 56, 460, 12, 206


class Line(NamedTuple):
    """A series: its name, its points, and the colour that it has ("a" to "c"; "faint" for a background)."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    look: str = "a"


def chart(title: str, lines: Sequence[Line], level: float | None = None, log: int = 0, zero: bool = False) -> str:
    """A section with a chart of `lines` over steps.

    Args:
        level: a value to be reached, drawn as a dashed line.
        log: draw powers of this base, 2 or 10, at equal distances.
        zero: let the axis begin at 0.
    """
    kept = [_finite(line, log) for line in lines]
    kept = [line for line in kept if line.xs]
    lost = sum(len(line.ys) for line in lines if line.look != "faint") - sum(
        len(line.ys) for line in kept if line.look != "faint"
    )
    note = f'<p class="note">{lost} values are not finite and not shown</p>' if lost else ""
    head = f"<section><h2>{html.escape(title)}</h2>"
    if not kept:
        return f"{head}<p>nothing was measured</p>{note}</section>"
    values = [y for line in kept for y in line.ys]
    if level is not None:
        level = math.log(level, log) if log else level
        values.append(level)
    if zero and not log:
        values.append(0.0)
    steps = [x for line in kept for x in line.xs]
    frame = _Frame(min(steps), max(steps), *_span(min(values), max(values), log), log)
    parts = [_grid(frame)]
    if level is not None:
        y = frame.y(level)
        parts.append(f'<line class="level" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
    parts += [_drawn(line, frame) for line in kept]
    points = [
        [
            line.name,
            [
                [x, float(f"{log**y:.6g}") if log else y, round(frame.x(x), 1), round(frame.y(y), 1)]
                for x, y in _pairs(line)
            ],
        ]
        for line in kept
        if line.look != "faint"
    ]
    data = html.escape(json.dumps(points))
    named = [line for line in kept if line.look != "faint"]
    legend = "".join(f'<span class="{line.look}">{html.escape(line.name)}</span>' for line in named)
    if level is not None:
        legend += '<span class="level">target</span>'
    shown = f'<div class="legend">{legend}</div>' if len(named) > 1 or level is not None else ""
    return (
        f'{head}{shown}<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}" '
        f'data-points="{data}">{"".join(parts)}</svg>{note}</section>'
    )


class _Frame(NamedTuple):
    low_x: float
    high_x: float
    low: float
    high: float
    log: int

    def x(self, value: float) -> float:
        return LEFT + (value - self.low_x) / ((self.high_x - self.low_x) or 1.0) * (RIGHT - LEFT)

    def y(self, value: float) -> float:
        return BOTTOM - (value - self.low) / (self.high - self.low) * (BOTTOM - TOP)


def spread(values: Sequence[float]) -> float:
    """How many times the smallest value the largest is; 0 where some are not greater than 0."""
    finite = [v for v in values if math.isfinite(v)]
    return max(finite) / min(finite) if finite and min(finite) > 0 else 0.0


def _finite(line: Line, log: int) -> Line:
    pairs = [(x, y) for x, y in zip(line.xs, line.ys) if math.isfinite(y) and (y > 0 or not log)]
    return line._replace(xs=[x for x, _ in pairs], ys=[math.log(y, log) if log else y for _, y in pairs])


def _pairs(line: Line, limit: int = 500) -> list[tuple[float, float]]:
    """At most about `limit` points, the last one among them."""
    pairs = list(zip(line.xs, line.ys))
    every = max(1, len(pairs) // limit)
    return pairs if every == 1 else [*pairs[:-1:every], pairs[-1]]


def _span(low: float, high: float, log: int) -> tuple[float, float]:
    """The range of the axis: round numbers around the values."""
    if log == 2:
        return math.floor(low + 1e-9) - 1, math.ceil(high - 1e-9) + 1
    if log:
        marks = _log_marks(low, high)
        return marks[0], marks[-1]
    if high == low:
        low, high = low - (abs(low) or 1.0) * 0.1, high + (abs(high) or 1.0) * 0.1
    step = _step(high - low)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def _step(span: float, count: int = 5) -> float:
    """A round distance between about `count` marks."""
    rough = span / count
    power = 10 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)


def _marks(low: float, high: float, step: float) -> list[float]:
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_marks(low: float, high: float) -> list[float]:
    """Logarithms of 1, 2 and 5 times powers of ten that enclose the values; of powers alone where there are many."""
    for factors in ((1, 2, 5), (1, 3), (1,)):
        exponents = range(math.floor(low) - 1, math.ceil(high) + 2)
        marks = [e + math.log10(f) for e in exponents for f in factors]
        first = max(i for i, m in enumerate(marks) if m <= low + 1e-9)
        last = min(i for i, m in enumerate(marks) if m >= high - 1e-9 and i > first)
        if last - first <= 7:
            break
    return marks[first : last + 1]


def _power(base: int, exponent: float) -> str:
    """A label for a power: 2 to the 16th is written so, 10 to the -2nd is 0.01."""
    if base != 2:
        return _number(base**exponent)
    return "2" + f"{exponent:.0f}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _grid(frame: _Frame) -> str:
    parts = []
    if frame.log == 10:
        marks = _log_marks(frame.low, frame.high)
    else:
        step = max(1, round((frame.high - frame.low) / 5)) if frame.log else _step(frame.high - frame.low)
        marks = _marks(frame.low, frame.high, step)
    for value in marks:
        y = frame.y(value)
        text = _power(frame.log, value) if frame.log else _number(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    if frame.high_x > frame.low_x:
        for value in _marks(frame.low_x, frame.high_x, max(1.0, _step(frame.high_x - frame.low_x, 6))):
            parts.append(
                f'<text x="{frame.x(value):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{_number(value)}</text>'
            )
    parts.append(f'<text x="{RIGHT}" y="{HEIGHT - 5}" text-anchor="end">step</text>')
    return "".join(parts)


def _number(value: float) -> str:
    for least, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return f"{value / unit:.4g}{letter}"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.4g}"


def _drawn(line: Line, frame: _Frame) -> str:
    pairs = _pairs(line)
    if len(pairs) == 1:
        x, y = pairs[0]
        return f'<circle class="{line.look}" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="3.5"/>'
    points = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in pairs)
    return f'<polyline class="{line.look}" points="{points}"/>'


def smoothed(ys: Sequence[float], over: int) -> list[float]:
    """Each value as the mean of those about it, `over` on either side; values that are not finite do not count."""
    result = []
    for i, own in enumerate(ys):
        near = [y for y in ys[max(0, i - over) : i + over + 1] if math.isfinite(y)]
        result.append(math.fsum(near) / len(near) if near and math.isfinite(own) else own)
    return result
