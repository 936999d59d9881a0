"""YAML as recipes read it."""

import math

import pytest

from paddlite.recipe.compose import compose
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.yaml_loader import Origin, read_text, read_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3), ("1E5", 1e5), (".5", 0.5), ("5.", 5.0), ("-2.5e+3", -2500.0), ("010", 10), ("+7", 7), ("-0", 0),
        ("0x1F", 31), ("0o17", 15),
        (".inf", math.inf), ("-.inf", -math.inf), ("true", True), ("False", False), ("yes", "yes"),
        ("no", "no"), ("on", "on"), ("off", "off"), ("12:30:00", "12:30:00"), ("2026-01-01", "2026-01-01"),
        ("null", None), ("~", None), ("'1e-3'", "1e-3"), ('"true"', "true"), ("1_000", "1_000"),
        ("[1, 2.0, a]", [1, 2.0, "a"]),
    ],
)  # fmt: skip
def test_values_are_what_they_look_like(text, value):
    found = read_text(f"key: {text}", "f").data["key"]
    assert found == value
    assert type(found) is type(value)
    assert read_value(text, "-o") == value


def test_every_key_knows_its_line():
    document = read_text("a: 1\nb:\n  c: 2\n", "f.yaml")
    assert document.origins == {
        ("a",): Origin("f.yaml", 1),
        ("b",): Origin("f.yaml", 2),
        ("b", "c"): Origin("f.yaml", 3),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2", r"f:2: key 'a' is given twice \(first on line 1\)"),
        ("b:\n  c: 1\n  c: 2", r"f:3: key 'b.c' is given twice"),
        ("a: [1, 2", "no valid YAML"),
        ("- 1", "f:1: a recipe is a mapping"),
        ("a: !!python/object:os.system x", "tag .* is not allowed"),
        ("a: &x {b: 1}\nc: {<<: *x}", "'<<' is not read"),
        ("? [1]\n: 2", "keys must be plain words"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, message):
    with pytest.raises(RecipeError, match=message):
        read_text(text, "f")


def test_anchors_may_be_used_for_values():
    assert read_text("a: &x [1]\nb: *x", "f").data == {"a": [1], "b": [1]}


def test_bases_merge_left_to_right_under_the_file(tmp_path):
    (tmp_path / "one.yaml").write_text("a: {x: 1, y: 1}\nb: [1, 2]\nc: 1\n")
    (tmp_path / "two.yaml").write_text("a: {y: 2}\nc: 2\n")
    (tmp_path / "main.yaml").write_text("base: [one.yaml, two.yaml]\nb: [3]\na: {z: 3}\n")
    document = compose(tmp_path / "main.yaml")
    assert document.data == {"a": {"x": 1, "y": 2, "z": 3}, "b": [3], "c": 2}
    told = {".".join(k): (o.source.rsplit("/", 1)[-1], o.line) for k, o in document.origins.items()}
    assert told["a.x"] == ("one.yaml", 1)
    assert told["a.y"] == ("two.yaml", 1)
    assert told["b"] == ("main.yaml", 2)
    assert told["c"] == ("two.yaml", 2)


def test_bases_are_relative_to_the_file_that_names_them(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "root.yaml").write_text("a: 1\n")
    (tmp_path / "deep/mid.yaml").write_text("base: ../root.yaml\nb: 2\n")
    (tmp_path / "main.yaml").write_text("base: deep/mid.yaml\n")
    assert compose(tmp_path / "main.yaml").data == {"a": 1, "b": 2}


def test_loops_and_missing_bases_are_told(tmp_path):
    (tmp_path / "a.yaml").write_text("base: b.yaml\n")
    (tmp_path / "b.yaml").write_text("x: 1\nbase: a.yaml\n")
    with pytest.raises(RecipeError, match=r"b.yaml:2: the base files form a loop: .*a.yaml -> .*b.yaml -> .*a.yaml"):
        compose(tmp_path / "a.yaml")
    (tmp_path / "c.yaml").write_text("base: nowhere.yaml\n")
    with pytest.raises(RecipeError, match=r"c.yaml:1: base file 'nowhere.yaml' does not exist"):
        compose(tmp_path / "c.yaml")
