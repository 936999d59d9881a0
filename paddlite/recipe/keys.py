"""Every key that a recipe may have, as a table: for docs/recipes.md, and `paddlite schema --table`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from paddlite.recipe.schema import Recipe, Section

_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", dict: "mapping", list: "list"}


class Key(NamedTuple):
    """A key: its dotted path, what it takes, its default ("" for a section, "needed" where there is none)."""

    path: str
    kind: str
    default: str
    description: str


def keys(model: type[BaseModel] = Recipe, prefix: str = "") -> Iterator[Key]:
    """All keys, each section before what is in it."""
    for name, field in model.model_fields.items():
        section = next((t for t in (field.annotation, *get_args(field.annotation)) if _is_section(t)), None)
        needed = "needed" if field.is_required() else ""
        if section is not None:
            described = field.description or (section.__doc__ or "").strip().split("\n")[0]
            yield Key(prefix + name, "section", needed, described)
            yield from keys(section, f"{prefix}{name}.")
        else:
            default = needed or _text(field.get_default(call_default_factory=True))
            yield Key(prefix + name, _kind(field.annotation), default, field.description or "")


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Section)


def _kind(annotation: Any) -> str:
    """What a key takes, in words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(map(str, inner))
    if origin in (Union, types.UnionType):
        return next(_kind(t) for t in inner if t is not type(None))
    if origin is list:
        return f"list of {_kind(inner[0])}s"
    return _WORDS[origin or annotation]


def _text(value: Any) -> str:
    """A default as YAML has it; nothing for what is left out."""
    if value is None or value == "":
        return ""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def table() -> str:
    """The keys as a table in Markdown."""
    rows = [f"| `{k.path}` | {k.kind} | {k.default} | {k.description} |" for k in keys()]
    return "\n".join(["| key | takes | default | |", "|---|---|---|---|", *rows]) + "\n"
