"""One recipe of several sources: `base` files, the file itself, overrides."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paddlite.recipe import library
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.yaml_loader import Document, KeyPath, Origin, read_file, read_value, shown


def compose(path: Path, seen: tuple[Path, ...] = ()) -> Document:
    """The recipe at `path` laid over its `base` files, left to right; mappings merge, all else replaces.

    `amp: O1` and its like are written out first, so that they change what they say and leave the rest.

    Raises:
        RecipeError: a base is missing, or the bases form a loop.
    """
    path = path.resolve()
    own = read_file(path)
    expand_shorthand(own)
    where = own.origins.get(("base",), Origin(shown(path), 1))
    bases = own.data.pop("base", [])
    own.origins.pop(("base",), None)
    if isinstance(bases, str):
        bases = [bases]
    if not isinstance(bases, list) or not all(isinstance(b, str) for b in bases):
        raise RecipeError(f"{where}: 'base' must be a file name or a list of file names")
    result = Document({}, {})
    for base in bases:
        found = library.base_file(base, path.parent).resolve()
        if found == path or found in seen:
            chain = " -> ".join(shown(p) for p in (*seen, path, found))
            raise RecipeError(f"{where}: the base files form a loop: {chain}")
        if not found.is_file():
            hint = library.base_hint(base) or f" (looked for {shown(found)})"
            raise RecipeError(f"{where}: base file '{base}' does not exist{hint}")
        merge(result, compose(found, (*seen, path)))
    merge(result, own)
    return result


def merge(into: Document, other: Document) -> None:
    """Lay `other` over `into`."""
    _merge(into.data, other.data, (), into.origins, other.origins)


def _merge(into: dict, other: dict, path: KeyPath, origins: dict, others: dict) -> None:
    for key, value in other.items():
        here = (*path, key)
        both = isinstance(value, dict) and isinstance(into.get(key), dict)
        if both:
            _merge(into[key], value, here, origins, others)
        else:
            for old in [p for p in origins if p[: len(here)] == here]:
                del origins[old]
            into[key] = value
            origins.update({p: o for p, o in others.items() if p[: len(here)] == here})
        if here in others and (not both or here not in origins):
            origins[here] = others[here]


AMP_WORDS = ("off", "O0", "OD", "O1", "O2")


def expand_shorthand(document: Document) -> None:
    """Write `amp: O1` and `amp: off` out as a section."""
    word = document.data.get("amp")
    if word is False:
        word = "off"
    if isinstance(word, str):
        if word not in AMP_WORDS:
            at = document.origins.get(("amp",), Origin("amp"))
            raise RecipeError(f"{at}: 'amp' is {word!r}; give a section, or one of {', '.join(AMP_WORDS)}")
        section = document.data["amp"] = amp_section(word)
        if ("amp",) in document.origins:
            document.origins.update({("amp", key): document.origins["amp",] for key in section})


def amp_section(word: str) -> dict[str, Any]:
    """The section that a word stands for."""
    return {"enable": False} if word in ("off", "O0") else {"enable": True, "level": word}


def override(document: Document, assignments: Iterable[str]) -> None:
    """Lay `key.path=value` assignments over the document; the value is YAML.

    Raises:
        RecipeError: an assignment has no `=`, or its path runs through a value that is no section.
    """
    for text in assignments:
        key, equals, value = text.partition("=")
        source = f"-o {text}"
        path = tuple(part.strip() for part in key.split("."))
        if not equals or not all(path):
            raise RecipeError(f"{source}: expected key=value, such as -o optimizer.lr=1e-3")
        found = read_value(value, source)
        if path == ("amp",) and (isinstance(found, str) or found is False):
            word = "off" if found is False else found
            if word not in AMP_WORDS:
                raise RecipeError(f"{source}: amp is one of {', '.join(AMP_WORDS)}")
            for inner, setting in amp_section(word).items():
                _assign(document, ("amp", inner), setting, source)
        else:
            _assign(document, path, found, source)


def _assign(document: Document, path: KeyPath, value: Any, source: str) -> None:
    at = document.data
    for i, part in enumerate(path[:-1]):
        below = at.get(part)
        if below is None:
            below = at[part] = {}
            document.origins[path[: i + 1]] = Origin(source)
        if not isinstance(below, dict):
            raise RecipeError(f"{source}: '{'.'.join(path[: i + 1])}' is a value, not a section")
        at = below
    layer: dict[str, Any] = {path[-1]: value}
    _merge(at, layer, path[:-1], document.origins, _origins(layer, path[:-1], Origin(source)))


def _origins(data: dict, path: KeyPath, origin: Origin) -> dict[KeyPath, Origin]:
    found = {}
    for key, value in data.items():
        found[(*path, key)] = origin
        if isinstance(value, dict):
            found.update(_origins(value, (*path, key), origin))
    return found
