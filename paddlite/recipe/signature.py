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
    """Public classes and functions defined at the top of the files in `folder` (of the package), by name.

    Public is what `__all__` lists, of the package or of the file; all where there is no such list.
    """
    found: dict[str, Path] = {}
    root = PACKAGE / folder
    listed = _listed((root / "__init__.py").read_text(encoding="utf-8")) if root.is_dir() else None
    for path in [root] if root.suffix == ".py" else sorted(root.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        public = listed or _listed(text)
        for name in re.findall(r"^(?:class|def) ([A-Za-z]\w*)", text, re.MULTILINE):
            if public is None or name in public:
                found.setdefault(name, path)
    return found


def _listed(text: str) -> list[str] | None:
    """What `__all__` lists in a source text."""
    found = re.search(r"^__all__ = (\[[^\]]*\])", text, re.MULTILINE)
    return ast.literal_eval(found[1]) if found else None


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
