"""An argument parser that suggests: no abbreviations, no guessing, and the cure for flags of other launchers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import NoReturn

from paddlite.recipe.errors import RecipeError, suggestion


class Parser(argparse.ArgumentParser):
    """Without abbreviations; a mistake raises `RecipeError` instead of leaving the process."""

    def __init__(self, *args: object, **kwargs: object):
        super().__init__(*args, allow_abbrev=False, **kwargs)  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        raise RecipeError(message.removeprefix("argument "))

    def flags(self) -> dict[str, argparse.Action]:
        """The action of every flag."""
        return {flag: action for action in self._actions for flag in action.option_strings}

    def known(self, word: str) -> str:
        """`word` as it is declared: `--run_dir=x` and `--run-dir=x` are the same."""
        name, equals, value = word.partition("=")
        plain = name.replace("_", "-")
        return plain + equals + value if name.startswith("--") and plain in self.flags() else word

    def check_flags(self, words: Sequence[str], refused: Mapping[str, str] | None = None) -> None:
        """Raise for the first word that is no flag of this parser.

        Args:
            refused: what to use in place of flags that other launchers know, by name with underscores.

        Raises:
            RecipeError: with the cure, or a suggestion.
        """
        flags = self.flags()
        for word in words:
            name = word.partition("=")[0]
            if not name.startswith("-") or name in flags or _is_number(word) or self._holds_value(word):
                continue
            cure = (refused or {}).get(name.lstrip("-").replace("-", "_"))
            if cure is not None:
                raise RecipeError(f"{name}: {cure}")
            raise RecipeError(f"unknown option {name}{suggestion(name, [f for f in flags if f.startswith('--')])}")

    def _holds_value(self, word: str) -> bool:
        """True for `-oa.b=1`, where a value follows a short flag at once."""
        action = self.flags().get(word[:2]) if not word.startswith("--") else None
        return action is not None and action.nargs is None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def spread_overrides(words: Sequence[str]) -> list[str]:
    """`-o a=1 b=2` written out as `-o a=1 -o b=2`."""
    result: list[str] = []
    inside = False
    for i, word in enumerate(words):
        if word in ("-o", "--override"):
            inside = True
        elif i and words[i - 1] in ("-o", "--override"):
            pass  # its first value
        elif inside and "=" in word and not word.startswith("-"):
            result.append("-o")
        else:
            inside = False
        result.append(word)
    return result
