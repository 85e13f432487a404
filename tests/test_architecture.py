"""The architecture of docs/architecture.md: its tree, its layers, and no import cycle.

Every ``import`` statement counts, for the layers and for cycles alike, wherever it stands: at the
top of a module, inside a function or under ``if TYPE_CHECKING``. An import inside a function may
save start-up time, but it does not make a forbidden dependency acceptable.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import manhattan
from support.project_files import ROOT, project_files

SOURCE = ROOT / "src/manhattan"

DOCUMENT = (ROOT / "docs/architecture.md").read_text("utf-8")

Layers = Sequence[set[str]]
"""From the bottom up: a module imports from its own layer and from those below."""


def documented_layers(before: str) -> Layers:
    """Return the layers that the document shows after some words: `a ← b, c ← d`."""
    (line,) = re.findall(rf"^{re.escape(before)}`(.* ← .*?)`", DOCUMENT, re.MULTILINE)
    return [set(layer.split(", ")) for layer in line.split(" ← ")]


LAYERS: Mapping[str, Layers] = {
    "manhattan": [*documented_layers(""), {"__main__"}],
    "manhattan.server": documented_layers("- Inside `server`: "),
    "manhattan.cli": documented_layers("- Inside `cli`: "),
    "manhattan.ai": [
        {path.stem for path in SOURCE.glob("ai/*.py")},
        {"training"},
    ],
}
"""The layers inside a package. The package's ``__init__`` belongs to none: it may re-export all."""

FORBIDDEN = [
    ("manhattan.server", "manhattan.kernel"),  # only through the bots
    ("manhattan.server", "manhattan.ai"),
]
"""Imports that the layers allow but that must not exist."""


def module_name(path: Path) -> str:
    parts = ["manhattan", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def imports(module: str) -> frozenset[str]:
    """Return the names of the modules that a module imports, ours and those of others."""
    return frozenset(_imports(ast.parse(MODULES[module].read_text("utf-8"))))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "imports are absolute"
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield submodule if submodule in MODULES else node.module


def our_imports(module: str) -> list[str]:
    return sorted(name for name in imports(module) if name in MODULES)


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def layer(layers: Layers, package: str, module: str) -> int | None:
    """Return a module's layer inside a package; None for the package itself and for others."""
    if not module.startswith(f"{package}."):
        return None
    child = module.removeprefix(f"{package}.").split(".")[0]
    found = [number for number, names in enumerate(layers) if child in names]
    assert found, f"{module} belongs to no layer of docs/architecture.md"
    return found[0]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_can_be_imported_and_has_a_docstring(module: str) -> None:
    assert importlib.import_module(module).__doc__


@pytest.mark.parametrize("package", LAYERS)
def test_imports_follow_the_layers(package: str) -> None:
    layers = LAYERS[package]
    for module in MODULES:
        importer = layer(layers, package, module)
        if importer is None:
            continue
        for name in our_imports(module):
            imported = layer(layers, package, name)
            assert imported is None or imported <= importer, f"{module} imports {name}"


@pytest.mark.parametrize(("package", "forbidden"), FORBIDDEN)
def test_no_package_imports_what_is_forbidden_to_it(package: str, forbidden: str) -> None:
    for module in MODULES:
        if is_within(module, package):
            found = [name for name in our_imports(module) if is_within(name, forbidden)]
            assert not found, f"{module} imports {found}"


def test_no_import_cycles() -> None:
    """Importing ``a.b`` also runs ``a/__init__.py``; only imports that are written down count."""
    try:
        TopologicalSorter({module: our_imports(module) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize("module", [name for name in MODULES if is_within(name, "manhattan.rules")])
def test_the_rules_need_only_the_standard_library(module: str) -> None:
    for name in imports(module):
        top = name.split(".")[0]
        assert is_within(name, "manhattan.rules") or top in sys.stdlib_module_names
        assert top not in {"random", "secrets", "time", "datetime", "os"}, (
            "chance comes from outside"
        )


def test_exported_names_exist() -> None:
    for module in (manhattan, importlib.import_module("manhattan.rules")):
        assert sorted(set(module.__all__)) == sorted(module.__all__)
        for name in module.__all__:
            assert hasattr(module, name)


# --- the tree in docs/architecture.md ---

TREES = {
    "src/manhattan": re.compile(r"(?!__init__).*\.py"),
    "web/src": re.compile(r"(?!.*\.test\.).*\.ts"),
    "tests": None,
}
"""For each tree, the files that the document lists; it lists all folders of all trees."""


def documented(root: str) -> list[str]:
    """Return the paths in the document's tree of a folder: two spaces are one level."""
    (block,) = re.findall(rf"```\n{root}/.*\n((?:.+\n)*)```", DOCUMENT)
    paths, parents = [], list[str]()
    for line in str(block).splitlines():
        found = re.fullmatch(r"((?:  )+)(\S+)  +\S.*", line)
        assert found, f"not a line of a tree (name, two spaces, description): {line!r}"
        parents[len(found[1]) // 2 - 1 :] = [found[2].rstrip("/")]
        paths.append("/".join(parents) + ("/" if found[2].endswith("/") else ""))
    return paths


def actual(root: str) -> set[str]:
    listed = TREES[root]
    files = [path.relative_to(ROOT / root) for path in project_files(root)]
    folders = {f"{folder}/" for path in files for folder in path.parents if folder != Path()}
    return folders | {str(path) for path in files if listed and listed.fullmatch(path.name)}


@pytest.mark.parametrize("root", TREES)
def test_the_document_shows_the_tree_as_it_is(root: str) -> None:
    paths = documented(root)
    assert len(paths) == len(set(paths))
    assert actual(root) - set(paths) == set(), "missing from docs/architecture.md"
    assert set(paths) - actual(root) == set(), "only in docs/architecture.md"
