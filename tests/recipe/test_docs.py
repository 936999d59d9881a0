"""docs/recipes.md says what the code says."""

import re
from pathlib import Path

import pytest

from paddlite.cli import main
from paddlite.cli.ls import first_comment
from paddlite.recipe import check, codes, library
from paddlite.recipe.keys import keys, table
from paddlite.recipe.metrics import METRICS, SPEED

TEXT = (Path(__file__).resolve().parents[2] / "docs/recipes.md").read_text()


def section(title):
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_every_key_is_documented(capsys):
    assert section("Every key").strip() == table().strip(), "paste what `paddlite schema --table` prints"
    assert main(["schema", "--table"]) == 0
    assert capsys.readouterr().out == table()
    assert {key.path for key in keys()} == set(check.leaves())
    assert all(key.description for key in keys())


def test_every_fragment_is_listed():
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section("Bases, fragments, overrides"), re.MULTILINE)
    assert rows == [(name, first_comment(name)) for name in library.shipped("configs")]


def test_every_column_and_exit_code_is_documented():
    for name in (*METRICS, *SPEED):
        assert f"`{name}`" in section("The folder of a run")
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)}
    assert told == {value for name, value in vars(codes).items() if name.isupper() and isinstance(value, int)}


def test_the_first_recipe_is_valid(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)[1])
    assert check.load(path).recipe.amp.level == "O1"


COMMANDS = re.findall(r"^paddlite ((?:ls|show|cp|validate|run) .*?)(?:\s+#.*)?$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_are_understood(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)[1])
    words = line.split()
    words[1:1] = ["--dry-run"] if words[0] == "run" and "--dry-run" not in words else []
    words += ["--force"] if words[0] == "cp" else []
    assert main(words) == 0, capsys.readouterr().err
