"""Names that a recipe may give for models, losses, data sets, optimizers and schedules."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from paddlite.recipe import signature
from paddlite.recipe.errors import RecipeError, suggestion


class Kind(NamedTuple):
    """A kind of component: how it is called in messages, and where its classes stand in the package."""

    noun: str
    folders: tuple[str, ...]
    supplied: tuple[str, ...] = ()  # arguments that the run fills in itself
    lengths: tuple[str, ...] = ()  # arguments that are the steps of the run where they are not given


MODEL = Kind("model", ("recipe/models", "vision/models"))
LOSS = Kind("loss", tuple(f"nn/layer/{name}loss.py" for name in ("", "margin_", "sequence_", "vocabulary_")))
DATASET = Kind("data set", ("recipe/datasets",))
OPTIMIZER = Kind(
    "optimizer", ("optimizer",), ("learning_rate", "parameters", "weight_decay", "grad_clip", "multi_precision")
)
SCHEDULE = Kind("schedule", ("optimizer/lr",), ("learning_rate", "verbose"), ("T_max", "decay_steps", "total_steps"))
HIDDEN = {"Optimizer", "LRScheduler", "Dataset", "IterableDataset", "Layer"}


def names(kind: Kind) -> list[str]:
    """What may be given by name."""
    return [n for n in signature.names_in(*kind.folders) if n not in HIDDEN and not n.startswith("_")]


def open_lengths(kind: Kind, name: str, args: dict[str, Any]) -> list[str]:
    """The arguments of a component that are to be the steps of the run."""
    found = signature.find(name, *kind.folders) if ":" not in name else None
    return [n for n in kind.lengths if n in found.required and n not in args] if found is not None else []


def problems(kind: Kind, name: str, args: dict[str, Any], key: str, at: Any) -> list[str]:
    """What is wrong with a component, one line each; nothing for one of the user's own (`module:Name`)."""
    if ":" in name:
        return []
    found = signature.find(name, *kind.folders) if name not in HIDDEN else None
    if found is None:
        known = names(kind)
        hint = suggestion(name, known) or f"; known: {', '.join(known)}"
        return [f"{at(f'{key}.name')}: there is no {kind.noun} '{name}'{hint} (your own: 'package.module:Name')"]
    result = []
    free = [n for n in found.names if n not in kind.supplied and n != "name"]
    for argument in args:
        if argument in kind.supplied:
            result.append(f"{at(f'{key}.args.{argument}')}: {kind.noun} {name}: '{argument}' is set by the run itself")
        elif argument not in found.names and not found.takes_any:
            hint = suggestion(argument, free) or f"; it takes {', '.join(free) or 'none'}"
            result.append(f"{at(f'{key}.args.{argument}')}: {kind.noun} {name} has no argument '{argument}'{hint}")
    for argument in found.required:
        if argument not in args and argument not in (*kind.supplied, *kind.lengths):
            result.append(f"{at(f'{key}.args')}: {kind.noun} {name} needs the argument '{argument}'")
    return result


def load(kind: Kind, name: str) -> Any:
    """The class or function that `name` stands for.

    Raises:
        RecipeError: it cannot be imported.
    """
    if ":" in name:
        module, _, attribute = name.partition(":")
    else:
        found = signature.find(name, *kind.folders)
        if found is None:
            raise RecipeError(f"there is no {kind.noun} '{name}'{suggestion(name, names(kind))}")
        module, attribute = found.module, name
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RecipeError(f"{kind.noun} '{name}' cannot be imported: {error}") from error


def build(kind: Kind, name: str, args: dict[str, Any], **supplied: Any) -> Any:
    """An instance of the component.

    Raises:
        RecipeError: it does not take the arguments.
    """
    made = load(kind, name)
    try:
        return made(**args, **supplied)
    except TypeError as error:
        raise RecipeError(f"{kind.noun} '{name}' does not take these arguments: {error}") from error
