"""`report.html`: a run on one page that needs no other file: curves, speed, loss scale, configuration, machine."""

from __future__ import annotations

import html
import json
import math
import time
from pathlib import Path
from typing import Any

import yaml

from paddlite.recipe import status
from paddlite.recipe.chart import Line, chart, smoothed, spread
from paddlite.recipe.metrics import read_table

_STYLE = """
:root{color-scheme:light dark;--ink:#1a2233;--soft:#5d687c;--rule:#e3e7ee;--card:#fff;--page:#f4f6fa;
--a:#2563eb;--b:#d97706;--c:#0d9488;--good:#15803d;--bad:#b91c1c}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#98a2b3;--rule:#2b3446;--card:#1a2130;--page:#10141d;
--a:#60a5fa;--b:#fbbf24;--c:#2dd4bf;--good:#4ade80;--bad:#f87171}}
*{box-sizing:border-box}body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:0}
main{max-width:72rem;margin:auto;padding:2rem 1.25rem 3rem}h1{font-size:1.6rem;margin:0;display:inline}
header p{color:var(--soft);margin:.3rem 0 0}.state{margin-left:.7rem;padding:.15rem .6rem;border-radius:99px;
font-size:.8rem;background:var(--rule);vertical-align:.25rem}.state.good{color:var(--good)}.state.bad{color:var(--bad)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:1.4rem 0}
.tile,section{background:var(--card);border:1px solid var(--rule);border-radius:10px}.tile{padding:.7rem .9rem}
.tile b{display:block;font-size:1.25rem;font-weight:600;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:.82rem}.tile b.good{color:var(--good)}.tile b.bad{color:var(--bad)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:.8rem}
section{padding:.9rem 1rem;min-width:0}section+section{margin-top:.8rem}
.cards>section{margin:0}h2{font-size:.95rem;margin:0 0 .4rem}.below{margin-top:.8rem}
.legend{font-size:.8rem;color:var(--soft);margin:-.2rem 0 .2rem}.legend span{margin-right:1rem}
.legend span:before{content:"";display:inline-block;width:1rem;border-top:3px solid currentColor;
margin-right:.35rem;vertical-align:.25rem}.legend .a{color:var(--a)}.legend .b{color:var(--b)}.legend .c{color:var(--c)}
.legend .level:before{border-top-style:dashed}svg{width:100%;height:auto;display:block}
text{fill:var(--soft);font-size:11px}.grid{stroke:var(--rule)}polyline{fill:none;stroke-width:2;stroke-linejoin:round}
polyline.a{stroke:var(--a)}polyline.b{stroke:var(--b)}polyline.c{stroke:var(--c)}
polyline.faint{stroke:var(--a);opacity:.25;stroke-width:1}circle.a{fill:var(--a)}circle.b{fill:var(--b)}
circle.c{fill:var(--c)}circle.faint{display:none}line.level{stroke:var(--soft);stroke-dasharray:5 4}
line.at{stroke:var(--soft)}.note{color:var(--bad);margin:.3rem 0 0;font-size:.82rem}
pre{overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px;line-height:1.45;margin:0;max-height:32rem}
"""

_HOVER = """
for(const s of document.querySelectorAll("svg[data-points]")){const d=JSON.parse(s.dataset.points),
n=(t,a)=>{const e=document.createElementNS("http://www.w3.org/2000/svg",t);for(const k in a)e.setAttribute(k,a[k]);
s.append(e);return e},l=n("line",{class:"at",y1:12,y2:206,visibility:"hidden"}),
t=n("text",{y:10,visibility:"hidden"});s.onmousemove=e=>{const r=s.getBoundingClientRect(),
x=(e.clientX-r.left)/r.width*480;let b=null;const o=[];for(const[k,p]of d){let m=p[0];for(const q of p)
if(Math.abs(q[2]-x)<Math.abs(m[2]-x))m=q;if(!b||Math.abs(m[2]-x)<Math.abs(b[2]-x))b=m;o.push(k+" "+
+m[1].toPrecision(4))}l.setAttribute("x1",b[2]);l.setAttribute("x2",b[2]);t.textContent="step "+b[0]+": "+o.join(", ");
t.setAttribute("x",b[2]);t.setAttribute("text-anchor",b[2]>262?"end":"start");l.setAttribute("visibility","visible");
t.setAttribute("visibility","visible")};s.onmouseleave=()=>{l.setAttribute("visibility","hidden");
t.setAttribute("visibility","hidden")}}
"""


def write_report(run: Path) -> list[Path]:
    """Write the page of the run in `run`, from its files; gives what was written.

    That is report.html, and loss.png where it is wanted and matplotlib is installed.
    """
    recipe = _read_yaml(run / "resolved.yaml")
    tables = {name: read_table(run / f"{name}.csv") for name in ("metrics", "speed", "eval")}
    path = run / "report.html"
    path.write_text(_page(run, recipe, **tables), encoding="utf-8")
    picture = _plot(run, tables["metrics"], tables["eval"]) if recipe.get("metrics", {}).get("plot", True) else None
    return [path, picture] if picture is not None else [path]


def _page(run: Path, recipe: dict, metrics: dict, speed: dict, eval: dict) -> str:
    name, told = recipe.get("name", run.name), status.read(run)
    target = recipe.get("target") or {}
    settings = yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True)
    machine = yaml.safe_dump(_read_json(run / "env.json"), sort_keys=False)
    texts = _text("Recipe", settings) + (
        f"<div>{_text('Machine', machine)}{_text('Command', _read_text(run / 'command.txt'))}"
        f"{_text('Source (git)', _read_text(run / 'git.txt'))}</div>"
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><main>'
        f"<header><h1>{html.escape(name)}</h1>{_state(told)}"
        f"<p>{html.escape(recipe.get('description') or '')}</p><p>{html.escape(str(run))}</p></header>"
        f'<div class="tiles">{_tiles(target, told, metrics, speed, eval)}</div>'
        f'<div class="cards">{"".join(_charts(recipe, target, metrics, speed, eval))}</div>'
        f'<div class="cards below">{texts}</div></main><script>{_HOVER}</script></body></html>\n'
    )


def _text(title: str, text: str) -> str:
    shown = html.escape(text.strip())
    return f"<section><h2>{title}</h2><pre>{shown}</pre></section>" if shown and shown != "{}" else ""


def _state(told: dict[str, Any]) -> str:
    state = told.get("state", "unknown")
    look = {"complete": "good", "failed": "bad"}.get(state, "")
    text = f"{state}: {told['message']}" if told.get("message") else state
    return f'<span class="state {look}">{html.escape(text)}</span>'


def _tiles(target: dict, told: dict, metrics: dict, speed: dict, evals: dict) -> str:
    tiles: list[tuple[str, str, str]] = []
    for name in (n for n in evals if n != "step"):
        look = ""
        if name == target.get("metric"):
            sign = 1 if target["mode"] == "max" else -1
            look = "good" if sign * evals[name][-1] >= sign * target["value"] else "bad"
        tiles.append((_short(evals[name][-1]), f"test {name} at the end", look))
    if target:
        tiles.append(
            (f"{'≥' if target['mode'] == 'max' else '≤'} {target['value']:g}", f"target {target['metric']}", "")
        )
    if metrics:
        by = f" by {told['processes']} process{'es' * (told['processes'] > 1)}" if "processes" in told else ""
        tiles.append((f"{metrics['step'][-1]:.0f}", f"steps{by}", ""))
        tiles.append((_short(metrics["loss"][-1]), "training loss at the end", ""))
        if metrics["skipped_steps"][-1]:
            tiles.append((f"{metrics['skipped_steps'][-1]:.0f}", "steps skipped (overflow)", ""))
    if told.get("started") and told.get("state") != "running":
        tiles.append((_duration(told["time"] - told["started"]), "from start to end", ""))
    tiles += _rates(speed)
    return "".join(
        f'<div class="tile"><b class="{look}">{html.escape(value)}</b><span>{html.escape(what)}</span></div>'
        for value, what, look in tiles
    )


def _rates(speed: dict) -> list[tuple[str, str, str]]:
    rates = sorted(speed.get("samples_per_second", []))
    if not rates:
        return []
    share = 100 * sum(speed["reader_seconds"]) / max(sum(speed["seconds"]), 1e-9)
    return [
        (f"{rates[len(rates) // 2]:,.0f}", "samples a second (median)", ""),
        (f"{share:.1f} %", "of a step waiting for data", ""),
        (f"{max(speed['memory_mb']):,.0f} MB", "peak memory of a process", ""),
    ]


def _charts(recipe: dict, target: dict, metrics: dict, speed: dict, evals: dict) -> list[str]:
    steps, loss = metrics.get("step", []), metrics.get("loss", [])
    lines = [Line("training", steps, loss)]
    if len(loss) >= 40:
        lines = [Line("training", steps, loss, "faint"), Line("training", steps, smoothed(loss, len(loss) // 40), "a")]
    if "loss" in evals:
        lines.append(Line("test", evals["step"], evals["loss"], "b"))
    level = target.get("value")
    log = 10 if spread([y for line in lines for y in line.ys]) >= 30 else 0
    made = [chart("Loss", lines, level if target.get("metric") == "loss" else None, log)]
    for name in (n for n in evals if n not in ("step", "loss")):
        line = Line(name, evals["step"], evals[name], "b")
        made.append(chart(f"Test {name}", [line], level if target.get("metric") == name else None))
    rates = Line("samples a second", speed.get("step", []), speed.get("samples_per_second", []), "c")
    made.append(chart("Throughput: samples a second", [rates], zero=True))
    made.append(chart("Learning rate", [Line("learning rate", steps, metrics.get("lr", []))], zero=True))
    amp = recipe.get("amp", {})
    if amp.get("enable") and amp.get("dtype") == "float16":
        made.append(chart("Loss scale", [Line("scale", steps, metrics.get("loss_scale", []))], log=2))
        if any(metrics.get("skipped_steps", [])):
            made.append(
                chart("Skipped steps (overflow)", [Line("skipped", steps, metrics["skipped_steps"])], zero=True)
            )
    return made


def _short(value: float) -> str:
    return f"{value:g}" if not math.isfinite(value) or float(value).is_integer() else f"{value:.4f}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return time.strftime("%H:%M:%S", time.gmtime(seconds))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _read_json(path: Path) -> Any:
    try:
        return json.loads(_read_text(path))
    except ValueError:
        return {}


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        return yaml.safe_load(_read_text(path)) or {}
    except yaml.YAMLError:
        return {}


def _plot(run: Path, metrics: dict, evals: dict) -> Path | None:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.plot(metrics.get("step", []), metrics.get("loss", []), label="training")
    if "loss" in evals:
        axes.plot(evals["step"], evals["loss"], label="test")
    axes.set(xlabel="step", ylabel="loss")
    axes.legend()
    figure.savefig(run / "loss.png", dpi=120)
    pyplot.close(figure)
    return run / "loss.png"
