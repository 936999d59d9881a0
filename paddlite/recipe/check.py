"""From a composed document to a checked recipe; every mistake is told with its place and the cure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from paddlite.recipe import components, library, weights
from paddlite.recipe.compose import compose, merge, override
from paddlite.recipe.errors import RecipeError, suggestion
from paddlite.recipe.schema import Recipe, Section
from paddlite.recipe.yaml_loader import Document, KeyPath, Origin


class Loaded(NamedTuple):
    """A checked recipe, the document that it came from, and its file."""

    recipe: Recipe
    document: Document
    path: Path


def load(path: Path, overrides: Sequence[str] = (), nproc: int | None = None, fragments: Sequence[str] = ()) -> Loaded:
    """Read, compose, override and check the recipe at `path`.

    Args:
        overrides: `key.path=value` assignments, laid over the file in order.
        nproc: processes that it is going to run on, where the command line says so.
        fragments: names of fragments that ship, or files, laid over the file before the overrides.

    Raises:
        RecipeError: with one line for each mistake.
    """
    document = compose(path)
    for name in fragments:
        merge(document, compose(library.find_fragment(name)))
    override(document, overrides)
    return Loaded(checked(document, nproc), document, path)


def checked(document: Document, nproc: int | None = None) -> Recipe:
    """The recipe in a composed document.

    Raises:
        RecipeError: with one line for each mistake.
    """
    recipe = _parsed(document)
    found = [*_component_problems(recipe, document), *_cross_problems(recipe, document, nproc)]
    if recipe.model.pretrained is not None:
        try:
            recipe = _with_weights(recipe, document)
        except RecipeError as error:
            found += [f"{place(document, 'model.pretrained')}: {problem}" for problem in error.problems]
    if found:
        raise RecipeError(found)
    return recipe


def _with_weights(recipe: Recipe, document: Document) -> Recipe:
    """The recipe with the file of `model.pretrained`, which is relative to the file that names it."""
    at = document.origins.get(("model", "pretrained"))
    beside = Path(at.source).parent if at is not None and at.line is not None else Path()
    found = weights.find(recipe.model.pretrained or "", beside)
    return recipe.model_copy(update={"model": recipe.model.model_copy(update={"pretrained": str(found)})})


def _parsed(document: Document) -> Recipe:
    try:
        return Recipe.model_validate(document.data)
    except ValidationError as error:
        raise RecipeError([_told(e, document) for e in error.errors(include_url=False)]) from None


def place(document: Document, key: str) -> Origin:
    """Where `key` was given, or else the nearest section around it."""
    path: KeyPath = tuple(key.split("."))
    while path:
        if path in document.origins:
            return document.origins[path]
        path = path[:-1]
    first = next(iter(document.origins.values()), None)
    return Origin(first.source) if first is not None else Origin("recipe")


def _told(error: Any, document: Document) -> str:
    path = [str(part) for part in error["loc"]]
    key = ".".join(path)
    at = place(document, key)
    kind = error["type"]
    if kind == "extra_forbidden":
        return f"{at}: unknown key '{key}'{_hint(path)}"
    if kind == "missing":
        return f"{at}: '{key}' is required"
    value = error.get("input")
    if kind == "literal_error":
        choices = error["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return f"{at}: '{key}' is {value!r}; choose one of {', '.join(choices)}{suggestion(value, choices)}"
    wanted = {
        "int_type": "a whole number", "int_from_float": "a whole number", "float_type": "a number",
        "string_type": "text", "bool_type": "true or false", "list_type": "a list", "dict_type": "a mapping",
        "model_type": "a section (a mapping)", "model_attributes_type": "a section (a mapping)",
    }.get(kind)  # fmt: skip
    if wanted is not None:
        return f"{at}: '{key}' must be {wanted}, got {value!r}"
    text = error["msg"]
    return f"{at}: '{key}' is {value!r}; {text[:1].lower()}{text[1:]}"


def _fields(path: list[str]) -> dict[str, Any]:
    """The fields of the section at `path`."""
    model: type[BaseModel] = Recipe
    for part in path:
        field = model.model_fields.get(part)
        section = (
            next((t for t in (field.annotation, *get_args(field.annotation)) if _is_section(t)), None)
            if field
            else None
        )
        if section is None:
            return {}
        model = section
    return dict(model.model_fields)


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Section)


def leaves(model: type[BaseModel] = Recipe, prefix: str = "") -> list[str]:
    """Every key that a recipe may have, as a dotted path."""
    found = []
    for name, field in model.model_fields.items():
        found.append(prefix + name)
        for kind in (field.annotation, *get_args(field.annotation)):
            if _is_section(kind):
                found += leaves(kind, f"{prefix}{name}.")
    return found


def _hint(path: list[str]) -> str:
    *sections, name = path
    prefix = "".join(f"{s}." for s in sections)
    elsewhere = [leaf for leaf in leaves() if leaf.split(".")[-1] == name]
    if elsewhere:
        return f"; '{name}' belongs at '{elsewhere[0]}'"
    near = suggestion(name, list(_fields(sections)), prefix)
    if near:
        return near
    return f"; known keys here: {', '.join(_fields(sections))}"


def _component_problems(recipe: Recipe, document: Document) -> list[str]:
    def at(key: str) -> Origin:
        return place(document, key)

    parts = [(components.MODEL, recipe.model, "model"), (components.DATASET, recipe.data.train, "data.train")]
    if recipe.data.eval is not None:
        parts.append((components.DATASET, recipe.data.eval, "data.eval"))
    if recipe.loss is not None:
        parts.append((components.LOSS, recipe.loss, "loss"))
    if recipe.optimizer.schedule is not None:
        parts.append((components.SCHEDULE, recipe.optimizer.schedule, "optimizer.schedule"))
    found = [p for kind, part, key in parts for p in components.problems(kind, part.name, part.args, key, at)]
    return found + components.problems(
        components.OPTIMIZER, recipe.optimizer.name, recipe.optimizer.args, "optimizer", at
    )


def _cross_problems(recipe: Recipe, document: Document, nproc: int | None) -> list[str]:
    found = []
    train, data = recipe.train, recipe.data
    if (train.epochs is None) == (train.steps is None):
        given = "both" if train.epochs is not None else "neither"
        found.append(f"{place(document, 'train')}: give either train.epochs or train.steps; {given} is set")
    if train.mode != "eager":
        at = place(document, "train.mode")
        found.append(f"{at}: train.mode '{train.mode}' comes with a later version; recipes train in 'eager' so far")
    if recipe.checkpoint.best is not None and data.eval is None:
        found.append(f"{place(document, 'checkpoint.best')}: checkpoint.best needs data.eval to choose by")
    if recipe.optimizer.schedule is not None and "learning_rate" in recipe.optimizer.schedule.args:
        found.append(f"{place(document, 'optimizer.schedule.args')}: give the learning rate as optimizer.lr")
    return found + _batch_problems(recipe, document, nproc or recipe.launch.nproc)


def accumulation(recipe: Recipe, ranks: int) -> int:
    """Into how many parts each rank splits its share of a global batch."""
    micro = recipe.data.micro_batch_size
    if micro is None:
        return recipe.train.accumulate_steps
    return max(1, recipe.data.global_batch_size // (ranks * micro))


def _batch_problems(recipe: Recipe, document: Document, ranks: int) -> list[str]:
    size, micro = recipe.data.global_batch_size, recipe.data.micro_batch_size
    at = place(document, "data.global_batch_size")
    if micro is not None and recipe.train.accumulate_steps != 1:
        return [
            f"{place(document, 'data.micro_batch_size')}: give either data.micro_batch_size or train.accumulate_steps"
        ]
    parts = ranks * (micro if micro is not None else recipe.train.accumulate_steps)
    if size % parts:
        below, above = size // parts * parts, (size // parts + 1) * parts
        near = " or ".join(str(n) for n in (below, above) if n)
        what = (
            f"{ranks} ranks x micro batches of {micro}"
            if micro
            else f"{ranks} ranks x accumulate {recipe.train.accumulate_steps}"
        )
        smaller = f", or data.micro_batch_size {size // ranks}" if micro and size % ranks == 0 else ""
        return [f"{at}: data.global_batch_size {size} cannot be split over {what}; use {near}{smaller}"]
    return []


def batch_line(recipe: Recipe, ranks: int) -> str:
    """How the global batch is made up, in words."""
    parts = accumulation(recipe, ranks)
    size = recipe.data.global_batch_size
    return f"global {size} = {ranks} rank{'s' * (ranks > 1)} x {size // ranks // parts} x accumulate {parts}"


def precision(recipe: Recipe) -> str:
    """The precision of a recipe in words: float32, or AMP with level and type."""
    return f"AMP {recipe.amp.level} {recipe.amp.dtype}" if recipe.amp.enable else "float32"
