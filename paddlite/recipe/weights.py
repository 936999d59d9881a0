"""Parameters to start from (`model.pretrained`): finding the file, and loading what is wanted of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paddlite.recipe import library
from paddlite.recipe.errors import RecipeError, suggestion

SUFFIX = ".pdparams"


def shipped() -> dict[str, Path]:
    """Files of parameters that ship with the package, by name."""
    return {path.stem: path for path in sorted((library.folder() / "weights").glob(f"*{SUFFIX}"))}


def find(given: str, beside: Path) -> Path:
    """The file that `model.pretrained` stands for.

    Args:
        given: a .pdparams file, relative to `beside`; the folder of a run (its best checkpoint, or else its last) or of
            a checkpoint; or the name of parameters that ship.

    Raises:
        RecipeError: there is none; the text gives the cure.
    """
    path = (beside / given).resolve()
    if path.is_file():
        return path
    places = (path, path / "checkpoints" / "best", path / "checkpoints" / "last")
    for place in places if path.is_dir() else ():
        if (place / f"model{SUFFIX}").is_file():
            return (place / f"model{SUFFIX}").resolve()
    known = shipped()
    if given in known:
        return known[given]
    if path.is_dir():
        raise RecipeError(f"model.pretrained: there is no checkpoint in {path}")
    hint = suggestion(given, list(known)) or (
        f" (looked for {path}); train one first, or give the name of parameters that ship: {', '.join(known)}"
    )
    raise RecipeError(f"model.pretrained: there is no file '{given}'{hint}")


def load_into(model: Any, path: Path, skip: list[str]) -> None:
    """Give `model` the parameters in `path`.

    Args:
        skip: beginnings of names; what they fit keeps its own values.

    Raises:
        RecipeError: names or shapes do not fit.
    """
    import paddlite as paddle

    stored = paddle.load(str(path))
    own = model.state_dict()
    wanted = {name: value for name, value in own.items() if not name.startswith(tuple(skip))}
    missing = [name for name in wanted if name not in stored]
    unexpected = [name for name in stored if name not in own and not name.startswith(tuple(skip))]
    shapes = [
        f"{name} is {list(stored[name].shape)} there and {list(value.shape)} here"
        for name, value in wanted.items()
        if name in stored and list(stored[name].shape) != list(value.shape)
    ]
    if missing or unexpected or shapes:
        told = [
            *([f"not in the file: {', '.join(missing)}"] if missing else []),
            *([f"not in the model: {', '.join(unexpected)}"] if unexpected else []),
            *shapes,
        ]
        cure = "model.skip lists beginnings of names that are to keep their own values"
        raise RecipeError(f"model.pretrained {path} does not fit the model: {'; '.join(told)}. {cure}")
    set_state(model, {name: stored[name] for name in wanted}, own)


def set_state(model: Any, state: dict[str, Any], own: dict[str, Any] | None = None) -> None:
    """Give `model` the parameters in `state`, in the types that they have in the model.

    Args:
        own: the state of the model, whose values stay where `state` has none.
    """
    own = model.state_dict() if own is None else own
    kinds = {name: tensor.dtype for name, tensor in [*model.named_parameters(), *model.named_buffers()]}
    whole = {**own, **state}
    model.set_state_dict({n: value.astype(kinds[n]) if n in kinds else value for n, value in whole.items()})


def freeze(model: Any, frozen: list[str]) -> None:
    """Keep the parameters whose names begin so as they are.

    Raises:
        RecipeError: an entry fits no parameter, or none is left to train.
    """
    names = [name for name, _ in model.named_parameters()]
    for entry in frozen:
        if not any(name.startswith(entry) for name in names):
            raise RecipeError(f"model.frozen: no parameter begins with '{entry}'{suggestion(entry, names)}")
    for name, parameter in model.named_parameters():
        if name.startswith(tuple(frozen)):
            parameter.stop_gradient = True
    if all(p.stop_gradient for p in model.parameters()):
        raise RecipeError("model.frozen leaves no parameter to train")
