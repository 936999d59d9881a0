"""The README's example runs, its links lead somewhere, and the commands that it names exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks/README.md", *(ROOT / "docs").glob("*.md")]


def test_the_example_learns_in_both_modes():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    losses = dict(re.findall(r"(eager|static): ([\d.]+)", done.stdout))
    assert set(losses) == {"eager", "static"}
    assert all(float(loss) < 0.05 for loss in losses.values())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
        assert target.startswith("http") or (document.parent / target).exists(), target


def test_the_makefile_has_the_targets_that_are_named():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in DOCUMENTS:
        for name in re.findall(r"^make ([\w-]+)", document.read_text(), re.MULTILINE):
            assert name in targets, f"{document.name}: make {name}"


def test_the_modules_that_are_named_to_be_run_exist():
    for document in DOCUMENTS:
        for name in re.findall(r"python -m ((?:benchmarks|paddlite)[\w.]*)", document.read_text()):
            path = ROOT / name.replace(".", "/")
            assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), f"{document.name}: {name}"
