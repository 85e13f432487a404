"""The arrows of docs/architecture.md: who may know whom."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

import manhattan

SOURCE = Path(manhattan.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

LEVELS = [
    {"rules"},
    {"background", "client", "figure", "game", "spread"},
    {"view"},
    {"record", "replay", "rulebook"},
    {"kernel"},
    {"judgement"},
    {"bots"},
    {"arena", "envs", "server"},
    {"cli", "__main__"},
]
"""From the ground up: a module knows those on its own level and below, never above."""


def name_of(path: Path) -> str:
    parts = ["manhattan", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def level_of(module: str) -> int | None:
    """None for the package itself, which gathers what people import from it."""
    part = module.split(".")[1] if "." in module else ""
    return next((n for n, level in enumerate(LEVELS) if part in level), None)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_imports_by_itself(path: Path) -> None:
    assert importlib.import_module(name_of(path)).__doc__


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_arrow_points_up(path: Path) -> None:
    own = level_of(name_of(path))
    if own is None:
        assert path == SOURCE / "__init__.py"
        return
    for imported in imports_of(path):
        if imported.startswith("manhattan."):
            level = level_of(imported)
            assert level is None or level <= own, f"{name_of(path)} imports {imported}"


@pytest.mark.parametrize("path", sorted((SOURCE / "rules").glob("*.py")), ids=name_of)
def test_the_rules_need_nothing_but_the_standard_library(path: Path) -> None:
    for imported in imports_of(path):
        top = imported.split(".")[0]
        assert imported.startswith("manhattan.rules") or top in sys.stdlib_module_names
        assert top not in {"random", "secrets", "time", "datetime", "os"}


def test_everything_exported_is_there() -> None:
    for module in (manhattan, importlib.import_module("manhattan.rules")):
        assert sorted(set(module.__all__)) == sorted(module.__all__)
        for name in module.__all__:
            assert hasattr(module, name)
