"""Copies a recipe, comments and all, so that it can be changed; the copy is valid where it lies."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Any

import yaml

from paddlite.launch.parser import Parser
from paddlite.recipe import check, library
from paddlite.recipe.compose import compose
from paddlite.recipe.errors import RecipeError

_SCHEMA_LINE = re.compile(r"^# yaml-language-server: \$schema=(.*)$", re.MULTILINE)


def add_arguments(parser: Parser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help="the name of a recipe that ships, or a .yaml file")
    parser.add_argument("dest", metavar="DEST", help="a .yaml file, or a folder")
    parser.add_argument("--flat", action="store_true", help="write what the bases say into the copy; no bases remain")
    parser.add_argument("--force", action="store_true", help="overwrite DEST")


def run(options: argparse.Namespace) -> int:
    source = library.find(options.recipe)
    target = Path(options.dest)
    if target.is_dir():
        target /= source.name
    if target.suffix not in (".yaml", ".yml"):
        raise RecipeError(f"{target}: a recipe is a file that ends in .yaml, or give a folder that exists")
    if target.exists() and not options.force:
        raise RecipeError(f"{target} exists; --force overwrites it")
    text = _flat(source) if options.flat else moved(source, target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RecipeError(f"{target} cannot be written: {error.strerror}") from None
    check.load(target)  # what was valid there is valid here
    print(f"{target}: a copy of {options.recipe}; run it with: paddlite run {target}")
    return 0


def moved(source: Path, target: Path) -> str:
    """The text of `source` as it must be at `target`: bases by name where they ship, else by their path from there."""
    text = source.read_text(encoding="utf-8")
    node = _value_of(text, "base")
    if node is not None:
        entries = [item.value for item in node.value] if isinstance(node, yaml.SequenceNode) else [node.value]
        written = ", ".join(_quoted(_moved_base(entry, source, target)) for entry in entries)
        value = f"[{written}]" if isinstance(node, yaml.SequenceNode) else written
        text = text[: node.start_mark.index] + value + _rest(text, node)
    return _with_schema(text, target)


def _value_of(text: str, key: str) -> Any:
    """The node of a key at the top of a document."""
    document = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = document.value if isinstance(document, yaml.MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


def _rest(text: str, node: Any) -> str:
    """What follows a node; a block list ends where the next key begins, so its line end is put back."""
    end = node.end_mark.index
    return text[end:] if node.flow_style or isinstance(node, yaml.ScalarNode) else "\n" + text[end:]


def _moved_base(base: str, source: Path, target: Path) -> str:
    found = library.base_file(base, source.parent)
    return library.base_name(found) or os.path.relpath(found.resolve(), target.resolve().parent)


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w./-]+", text) else yaml.safe_dump(text, default_style='"').strip()


def _with_schema(text: str, target: Path) -> str:
    schema = library.folder("configs") / "recipe.schema.json"
    return _SCHEMA_LINE.sub(f"# yaml-language-server: $schema={_from(schema, target)}", text)


def _from(file: Path, target: Path) -> str:
    """`file` as `target` names it: relative inside one project, else absolute."""
    near = os.path.relpath(file.resolve(), target.resolve().parent)
    return str(file.resolve()) if near.count("..") > 2 else near


def _flat(source: Path) -> str:
    """The recipe and its bases as one document."""
    document = compose(source)
    return f"# {source.stem}, with its bases\n" + yaml.safe_dump(document.data, sort_keys=False, allow_unicode=True)
