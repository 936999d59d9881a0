"""`report.html`: a run on one page that needs no other file: curves, speed, loss scale, configuration, machine."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from paddlite.recipe.metrics import read_table
from paddlite.recipe.schema import Recipe

_STYLE = """
:root{color-scheme:light dark;--ink:#1d2433;--soft:#667085;--line:#d7dce5;--card:#fff;--page:#f5f7fa;--a:#2563eb}
@media(prefers-color-scheme:dark){
:root{--ink:#e6e9ef;--soft:#98a2b3;--line:#344054;--card:#1d2433;--page:#12161f;--a:#60a5fa}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:0;padding:2rem}
main{max-width:70rem;margin:auto}h1{font-size:1.5rem;margin:0}p{color:var(--soft);margin:.2rem 0 1.5rem}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1rem}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem}
h2{font-size:1rem;margin:0 0 .5rem}svg{width:100%;height:auto;display:block}
.axis{stroke:var(--line)}text{fill:var(--soft);font-size:11px}.a{stroke:var(--a)}.below{margin-top:1rem}
polyline{fill:none;stroke-width:1.6}table{border-collapse:collapse;width:100%}td{padding:.15rem .6rem .15rem 0}
td:last-child{font-variant-numeric:tabular-nums}pre{overflow:auto;font-size:12px;margin:0}
"""


def write_report(run: Path, recipe: Recipe, last: dict[str, float], stopped: int) -> Path:
    """Write the page of a run (and `loss.png`, where it is wanted and matplotlib is installed); gives its path."""
    metrics, speed, evals = (read_table(run / f"{name}.csv") for name in ("metrics", "speed", "eval"))
    path = run / "report.html"
    path.write_text(_page(run, recipe, last, stopped, metrics, speed, evals), encoding="utf-8")
    if recipe.metrics.plot:
        _plot(run, metrics, evals)
    return path


def _page(run: Path, recipe: Recipe, last: dict, stopped: int, metrics: dict, speed: dict, evals: dict) -> str:
    steps = metrics.get("step", [])
    cards = [_chart("Training loss", steps, metrics.get("loss", []))]
    for name in evals:
        if name != "step":
            cards.append(_chart(f"Evaluation: {name}", evals["step"], evals[name]))
    cards.append(_chart("Samples a second", speed.get("step", []), speed.get("samples_per_second", [])))
    cards.append(_chart("Learning rate", steps, metrics.get("lr", [])))
    if recipe.amp.enable and recipe.amp.dtype == "float16":
        cards.append(_chart("Loss scale", steps, metrics.get("loss_scale", []), log=True))
        cards.append(_chart("Skipped steps", steps, metrics.get("skipped_steps", [])))
    ended = f"stopped by signal {stopped}" if stopped else "complete"
    facts = {"state": ended, **{k: _short(v) for k, v in last.items()}, **_rates(speed)}
    if recipe.target is not None:
        sign = "≥" if recipe.target.mode == "max" else "≤"
        facts["target"] = f"{recipe.target.metric} {sign} {recipe.target.value:g}"
    machine = _read_json(run / "env.json")
    settings = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(recipe.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><main>'
        f"<h1>{html.escape(recipe.name)}</h1><p>{html.escape(recipe.description)} · {html.escape(str(run))}</p>"
        f'<div class="grid"><section><h2>Result</h2>{_table(facts)}</section>{"".join(cards)}</div>'
        f'<div class="grid below"><section><h2>Recipe</h2><pre>{html.escape(settings)}</pre></section>'
        f"<section><h2>Machine</h2><pre>{html.escape(json.dumps(machine, indent=1))}</pre></section></div>"
        "</main></body></html>\n"
    )


def _rates(speed: dict) -> dict[str, str]:
    rates = sorted(speed.get("samples_per_second", []))
    if not rates:
        return {}
    waits, times = speed.get("reader_seconds", []), speed.get("seconds", [])
    share = 100 * sum(waits) / max(sum(times), 1e-9)
    return {
        "median samples a second": f"{rates[len(rates) // 2]:.0f}",
        "waiting for data": f"{share:.1f} %",
        "peak memory of a process": f"{max(speed['memory_mb']):.0f} MB",
    }


def _table(facts: dict[str, Any]) -> str:
    rows = "".join(f"<tr><td>{html.escape(k)}</td><td>{html.escape(str(v))}</td></tr>" for k, v in facts.items())
    return f"<table>{rows}</table>"


def _short(value: float) -> str:
    return f"{value:g}" if float(value).is_integer() else f"{value:.4f}"


def _chart(title: str, xs: Sequence[float], ys: Sequence[float], log: bool = False) -> str:
    """A line chart as SVG, 320 x 180."""
    points = [(x, math.log2(y) if log else y) for x, y in zip(xs, ys) if math.isfinite(y) and (y > 0 or not log)]
    head = f"<section><h2>{html.escape(title)}</h2>"
    if not points:
        return f"{head}<p>nothing was measured</p></section>"
    left, right, top, bottom = 46, 312, 8, 158
    low_x, high_x = points[0][0], points[-1][0]
    low, high = min(y for _, y in points), max(y for _, y in points)
    span_x, span = (high_x - low_x) or 1.0, (high - low) or max(abs(high), 1.0) * 0.1
    if high == low:
        low -= span / 2

    def place(x: float, y: float) -> str:
        return f"{left + (x - low_x) / span_x * (right - left):.1f},{bottom - (y - low) / span * (bottom - top):.1f}"

    marks = []
    for part in (0.0, 0.5, 1.0):
        value = low + part * span
        at = bottom - part * (bottom - top)
        text = f"{2**value:.3g}" if log else f"{value:.3g}"
        marks.append(f'<line class="axis" x1="{left}" x2="{right}" y1="{at:.0f}" y2="{at:.0f}"/>')
        marks.append(f'<text x="{left - 5}" y="{at + 4:.0f}" text-anchor="end">{text}</text>')
    ends = (
        f'<text x="{left}" y="173">{low_x:g}</text><text x="{right}" y="173" text-anchor="end">{high_x:g} steps</text>'
    )
    line = " ".join(place(x, y) for x, y in _thinned(points))
    dots = (
        ""
        if len(points) > 1
        else f'<circle cx="{place(*points[0]).split(",")[0]}" cy="{place(*points[0]).split(",")[1]}" r="3"/>'
    )
    return (
        f'{head}<svg viewBox="0 0 320 180" role="img" aria-label="{html.escape(title)}">{"".join(marks)}{ends}'
        f'<polyline class="a" points="{line}"/>{dots}</svg></section>'
    )


def _thinned(points: list, limit: int = 800) -> list:
    """At most about `limit` points, the last one among them."""
    every = max(1, len(points) // limit)
    return [*points[::every], points[-1]]


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def _plot(run: Path, metrics: dict, evals: dict) -> None:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.plot(metrics.get("step", []), metrics.get("loss", []), label="training")
    if "loss" in evals:
        axes.plot(evals["step"], evals["loss"], label="evaluation")
    axes.set(xlabel="step", ylabel="loss")
    axes.legend()
    figure.savefig(run / "loss.png", dpi=120)
    pyplot.close(figure)
