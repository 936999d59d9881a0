"""YAML by the rules of 1.2, strictly, with the line of every key.

PyYAML reads `1e-3` as text, `no` as False, `12:30` as a number, and keeps the last of two equal keys.  Here numbers and
booleans are what they look like, and an equal key is an error.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from paddlite.recipe.errors import RecipeError

KeyPath = tuple[str, ...]

_INT = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"([-+]?)\.(inf|Inf|INF)")
_WORDS = {
    "null": None, "Null": None, "NULL": None, "~": None, "": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".nan": math.nan, ".NaN": math.nan, ".NAN": math.nan,
}  # fmt: skip


class Origin(NamedTuple):
    """Where a value was given: a file and line, or an override on the command line."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


class Document(NamedTuple):
    """The content of a recipe, and where each key stands."""

    data: dict[str, Any]
    origins: dict[KeyPath, Origin]


def scalar(text: str) -> Any:
    """The value of a plain (unquoted) scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    found = _INFINITY.fullmatch(text)
    if found:
        return -math.inf if found[1] == "-" else math.inf
    return text


def read_text(text: str, source: str) -> Document:
    """The document in `text`.

    Raises:
        RecipeError: the text is no YAML mapping, or a key is given twice.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f"{source}:{mark.line + 1}" if mark is not None else source
        raise RecipeError(f"{at}: this is no valid YAML: {getattr(error, 'problem', None) or error}") from None
    reader = _Reader(source)
    if node is None:
        return Document({}, {})
    if not isinstance(node, yaml.MappingNode):
        raise RecipeError(f"{source}:1: a recipe is a mapping of keys to values, not {node.value!r:.40}")
    return Document(reader.mapping(node, ()), reader.origins)


def read_file(path: Path) -> Document:
    """The document in the file at `path` (see `read_text`)."""
    source = shown(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{source}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return read_text(text, source)


def read_value(text: str, source: str) -> Any:
    """One value as it stands on the command line (`-o key=VALUE`)."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise RecipeError(f"{source}: the value is no valid YAML: {getattr(error, 'problem', None) or error}") from None
    return None if node is None else _Reader(source).value(node, ())


def shown(path: Path) -> str:
    """`path` relative to the current folder where that is shorter."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


class _Reader:
    def __init__(self, source: str):
        self.source = source
        self.origins: dict[KeyPath, Origin] = {}

    def _at(self, node: yaml.Node) -> str:
        return f"{self.source}:{node.start_mark.line + 1}"

    def value(self, node: yaml.Node, path: KeyPath) -> Any:
        if not node.tag.startswith("tag:yaml.org,2002:") or "python" in node.tag:
            raise RecipeError(f"{self._at(node)}: the tag {node.tag} is not allowed in a recipe")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, str(i))) for i, item in enumerate(node.value)]
        return scalar(node.value) if node.style is None else node.value

    def mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise RecipeError(f"{self._at(key_node)}: keys must be plain words")
            key = key_node.value
            if key == "<<":
                raise RecipeError(f"{self._at(key_node)}: '<<' is not read; compose recipes with 'base: [file.yaml]'")
            here = (*path, key)
            if key in result:
                first = self.origins[here].line
                raise RecipeError(
                    f"{self._at(key_node)}: key '{'.'.join(here)}' is given twice (first on line {first})"
                )
            self.origins[here] = Origin(self.source, key_node.start_mark.line + 1)
            result[key] = self.value(value_node, here)
        return result
