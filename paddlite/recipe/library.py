"""Finding recipes by name: those that ship with the package, and files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from paddlite.recipe.errors import RecipeError, suggestion
from paddlite.recipe.yaml_loader import read_file

_TREE = Path(__file__).resolve().parent.parent.parent


def folder(name: str = "recipes") -> Path:
    """Where the recipes (or "configs") lie: installed as a package, else beside the source tree."""
    spec = find_spec(f"paddlite.{name}")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    return _TREE / name


def shipped() -> dict[str, Path]:
    """Paths of the recipes that ship with the package, by name."""
    return {path.stem: path for path in sorted(folder().glob("*.yaml"))}


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
    raise RecipeError(f"there is no recipe '{name}'{hint}. A recipe of your own is given as a path that ends in .yaml")


def describe(path: Path) -> str:
    """The one-line description of a recipe."""
    return str(read_file(path).data.get("description", ""))
