"""Finding recipes by name: those that ship with the package, and files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from paddlite.recipe.errors import RecipeError, suggestion

_TREE = Path(__file__).resolve().parent.parent.parent


def folder(name: str = "recipes") -> Path:
    """Where the recipes (or "configs") lie: installed as a package, else beside the source tree."""
    spec = find_spec(f"paddlite.{name}")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    return _TREE / name


def shipped(kind: str = "recipes") -> dict[str, Path]:
    """Paths of the recipes (or "configs") that ship with the package, by name."""
    return {path.stem: path for path in sorted(folder(kind).glob("*.yaml"))}


def base_file(base: str, beside: Path) -> Path:
    """The file that an entry of `base:` stands for.

    Args:
        base: a path that ends in .yaml, relative to `beside`, or the name of a fragment or recipe that ships.
    """
    if base.endswith((".yaml", ".yml")):
        return beside / base
    return (shipped("configs") | shipped()).get(base, beside / base)


def find_fragment(name: str) -> Path:
    """The file of fragment `name`: a path to a YAML file, or the name of one that ships.

    Raises:
        RecipeError: there is none.
    """
    path = base_file(name, Path())
    if path.is_file():
        return path
    known = list(shipped("configs"))
    hint = "" if name.endswith((".yaml", ".yml")) else suggestion(name, known) or f"; known: {', '.join(known)}"
    raise RecipeError(f"--with {name}: there is no such fragment{hint} (your own: a path that ends in .yaml)")


def base_hint(base: str) -> str:
    """What may have been meant by a base that does not exist."""
    return "" if base.endswith((".yaml", ".yml")) else suggestion(base, [*shipped("configs"), *shipped()])


def base_name(path: Path) -> str | None:
    """The name under which the file at `path` ships, if it does."""
    path = path.resolve()
    return next((name for name, p in (shipped("configs") | shipped()).items() if p.resolve() == path), None)


def find(name: str) -> Path:
    """The file of recipe `name`: a path to a YAML file, or the name of a recipe that ships.

    Raises:
        RecipeError: there is none.
    """
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        if path.is_file():
            return path
        raise RecipeError(f"{name}: there is no such recipe file")
    known = shipped()
    if name in known:
        return known[name]
    hint = suggestion(name, list(known)) or f"; known: {', '.join(known)}"
    raise RecipeError(f"there is no recipe '{name}'{hint} (one of your own is given as a path that ends in .yaml)")
