"""The package: licences of what it contains and needs, and what a release is made of."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import manhattan
from manhattan.server.transport.http.static import PAGE_FOLDER
from support.project_files import ROOT
from test_project import pins


def runtime_packages(requirement: str) -> set[str]:
    """Return the names of all packages that are installed with a package."""
    found: set[str] = set()
    waiting = [Requirement(requirement)]
    while waiting:
        wanted = waiting.pop()
        name = f"{canonicalize_name(wanted.name)}{sorted(wanted.extras)}"
        if name in found:
            continue
        found.add(name)
        for line in distribution(wanted.name).requires or []:
            needed = Requirement(line)
            extras = wanted.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
                waiting.append(needed)
    return {name.partition("[")[0] for name in found} - {"manhattan-game"}


def test_the_licence_of_every_python_package_is_listed() -> None:
    page = (ROOT / "LICENSES/python-packages.md").read_text("utf-8")
    rows = re.findall(r"^\| (\S+) +\| (\d\S*) +\| (\S.*?) +\|$", page, re.MULTILINE)
    listed = {canonicalize_name(name): version for name, version, _ in rows}
    needed = runtime_packages("manhattan-game[cluster]")
    assert len(needed) > 30
    assert needed - listed.keys() == set(), "run: make licences"
    assert {name: pins()[name] for name in listed} == listed, "run: make licences"
    assert not [licence for _, _, licence in rows if licence == "UNKNOWN"]


def test_the_page_has_the_licences_of_all_that_is_bundled() -> None:
    page = (PAGE_FOLDER / "third-party-licences.txt").read_text("utf-8")
    package = json.loads((ROOT / "web/package.json").read_text("utf-8"))
    bundled = package["dependencies"] | {"svelte": package["devDependencies"]["svelte"]}
    for name, version in bundled.items():
        heading, _, text = page.partition(f"\n## {name} - {version} (")[2].partition("\n")
        assert heading, name
        assert "copyright" in text.partition("\n## ")[0].lower(), name


def test_lock_files_record_no_addresses() -> None:
    lock = (ROOT / "web/package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock
    assert "://" not in (ROOT / "constraints.txt").read_text("utf-8")


UNBOUNDED = {"cryptography"}  # a major version every few weeks, each of which removes little


def test_dependencies_have_upper_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *(line for name in extras if name != "test" for line in extras[name]),
    ]
    needed = [Requirement(line) for line in lines]
    without = {one.name for one in needed if "<" not in str(one.specifier)}
    assert without - {"manhattan-game"} == UNBOUNDED


@pytest.mark.parametrize("name", ["LICENSE", "LICENSES/python-packages.md"])
def test_licence_files_are_part_of_the_package(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    matched = {path for glob in project["license-files"] for path in ROOT.glob(glob)}
    assert ROOT / name in matched


def test_the_text_of_a_release_is_its_section_of_the_changelog(tmp_path: Path) -> None:
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(
        "# Changelog\n\n## Unreleased\n\n- c\n\n## 1.2.30 - 2027-02-01\n\n- no\n\n"
        "## 1.2.3 - 2027-01-01\n\n### Added\n\n- b\n\n## 1.2.2\n\n- a\n"
    )
    script = ROOT / ".ci/release-notes"
    notes = subprocess.run([script, "1.2.3", changelog], capture_output=True, text=True, check=True)
    assert notes.stdout.strip() == "### Added\n\n- b"
    missing = subprocess.run(
        [script, "9.9", changelog], capture_output=True, text=True, check=False
    )
    assert (missing.returncode, "has no section" in missing.stderr) == (1, True)


def test_the_release_workflow_pins_its_actions() -> None:
    workflow = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    used = re.findall(r"uses: (\S+)", workflow)
    assert used
    assert all(re.search(r"@[0-9a-f]{40}$", action) for action in used)
    version = (ROOT / "src/manhattan/__init__.py").read_text("utf-8")
    assert f'\n__version__ = "{manhattan.__version__}"\n' in version, "as the workflow expects"
