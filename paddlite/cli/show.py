"""Prints a recipe as it is resolved: bases merged, overrides laid over it, defaults written out."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import yaml

from paddlite.cli.common import add_overrides
from paddlite.launch.options import add_fragments
from paddlite.launch.parser import Parser
from paddlite.recipe import check, library
from paddlite.recipe.describe import resolved_text


def add_arguments(parser: Parser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help="the name of a recipe that ships, or a .yaml file")
    parser.add_argument("--origin", action="store_true", help="say where each value was given: file and line, or -o")
    parser.add_argument("--nproc", type=int, metavar="N", help="check the batch size for this many processes")
    add_fragments(parser)
    add_overrides(parser)


def run(options: argparse.Namespace) -> int:
    loaded = check.load(library.find(options.recipe), options.override, options.nproc, options.fragments)
    if not options.origin:
        print(resolved_text(loaded.recipe), end="")
        return 0
    rows = list(_rows(loaded.recipe.model_dump(mode="json"), (), loaded))
    width = min(60, max(len(text) for text, _ in rows))
    for text, origin in rows:
        print(f"{text:{width}}  # {origin}" if origin else text)
    return 0


def _rows(data: dict[str, Any], path: tuple[str, ...], loaded: check.Loaded) -> Iterator[tuple[str, str]]:
    """Lines of YAML, and where each value was given."""
    indent = "  " * len(path)
    for key, value in data.items():
        here = (*path, key)
        if isinstance(value, dict) and value:
            yield f"{indent}{key}:", ""
            yield from _rows(value, here, loaded)
        else:
            text = yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n").strip()
            yield f"{indent}{key}: {text}", _origin(here, loaded)


def _origin(path: tuple[str, ...], loaded: check.Loaded) -> str:
    origins = loaded.document.origins
    while path:
        if path in origins and _given(path, loaded.document.data):
            return str(origins[path])
        path = path[:-1]
        if path in origins and isinstance(_value(path, loaded.document.data), dict):
            break  # the section was given, this key of it was not
    return "default"


def _value(path: tuple[str, ...], data: Any) -> Any:
    for part in path:
        data = data.get(part) if isinstance(data, dict) else None
    return data


def _given(path: tuple[str, ...], data: Any) -> bool:
    return _value(path[:-1], data) is not None and path[-1] in _value(path[:-1], data)
