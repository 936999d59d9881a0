"""Signatures of components, read from source text, so that checking a recipe imports nothing."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent


class Signature(NamedTuple):
    """Parameter names of a component (without `self`), those that must be given, and whether any other is taken."""

    names: tuple[str, ...]
    required: tuple[str, ...]
    takes_any: bool
    module: str


@functools.cache
def _definitions(folder: str) -> dict[str, Path]:
    """Public classes and functions defined at the top of the files in `folder` (of the package), by name."""
    found: dict[str, Path] = {}
    root = PACKAGE / folder
    for path in [root] if root.suffix == ".py" else sorted(root.glob("*.py")):
        for name in re.findall(r"^(?:class|def) ([A-Za-z]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, path)
    return found


def names_in(*folders: str) -> list[str]:
    """Names of the components in `folders`."""
    return sorted({name for folder in folders for name in _definitions(folder)})


def find(name: str, *folders: str) -> Signature | None:
    """The signature of component `name`, or None where no file of `folders` defines it."""
    for folder in folders:
        path = _definitions(folder).get(name)
        if path is not None:
            return _signature(name, path)
    return None


@functools.cache
def _signature(name: str, path: Path) -> Signature:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    module = ".".join(("paddlite", *path.relative_to(PACKAGE).with_suffix("").parts))
    if name in functions:
        return _of_arguments(functions[name].args, 0, module)
    arguments = _constructor(classes[name], classes)
    if arguments is None:
        return Signature((), (), True, module)
    return _of_arguments(arguments, 1, module)


def _constructor(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> ast.arguments | None:
    """The arguments of `__init__`, its own or that of a base class in the same file."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            return statement.args
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            return _constructor(classes[base.id], classes)
    return None


def _of_arguments(arguments: ast.arguments, skip: int, module: str) -> Signature:
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][skip:]
    without_default = positional[: len(positional) - len(arguments.defaults)]
    keyword = [a.arg for a in arguments.kwonlyargs]
    required = without_default + [a for a, d in zip(keyword, arguments.kw_defaults) if d is None]
    return Signature(tuple(positional + keyword), tuple(required), arguments.kwarg is not None, module)
