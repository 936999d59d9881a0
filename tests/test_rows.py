"""The rows of the architecture: a module imports its own row and the rows above it, never one below."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "paddlite"
ROWS = {
    "backend": 0, "core": 1, "ops": 2, "autograd": 3, "amp": 3,
    "tensor": 4, "nn": 4, "optimizer": 4, "metric": 4, "io": 4, "framework": 4, "regularizer": 4, "utils": 4,
    "incubate": 4,
    "static": 5, "distributed": 5, "vision": 5, "device": 5, "api": 5, "linalg": 5,
    "recipe": 6, "launch": 7, "cli": 7, "__init__": 7, "__main__": 7,
}  # fmt: skip
FILES = sorted(PACKAGE.rglob("*.py"))


def row_of(module: str) -> int:
    return ROWS[module.split(".")[1] if "." in module else "__init__"]


def imports(path: Path):
    """Names of our modules that the file imports at its top level (imports inside functions are deliberate)."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("paddlite."):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("paddlite."))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_up_only(path):
    own = row_of("paddlite." + path.relative_to(PACKAGE).parts[0].removesuffix(".py"))
    below = [m for m in imports(path) if row_of(m) > own]
    assert not below, f"row {own} must not import {below}"


@pytest.mark.parametrize(("library", "owners"), [("cupy", {"backend"}), ("mpi4py", {"distributed", "launch"})])
def test_only_one_package_imports(library, owners):
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            if any(n.split(".")[0] == library for n in names):
                assert path.relative_to(PACKAGE).parts[0] in owners, f"{path} imports {library}"


def test_files_stay_short():
    long = {str(p.relative_to(PACKAGE)): n for p in FILES if (n := len(p.read_text().splitlines())) > 400}
    assert not long
