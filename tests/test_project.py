"""The project's own files: pinned by version alone, and without traces of any machine."""

from __future__ import annotations

import re
import sysconfig
from importlib.metadata import distributions

import manhattan
from support.project_files import ROOT, project_files


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {name.lower().replace("_", "-"): version for name, version in pairs}


def test_every_installed_package_is_pinned() -> None:
    ours = {"manhattan-game", "pip", "setuptools"}
    # Only our own environment: a library may carry others inside itself.
    for installed in distributions(path=[sysconfig.get_path("purelib")]):
        name = installed.metadata["Name"].lower().replace("_", "-")
        if name not in ours:
            assert pins().get(name) == installed.version, name


def test_no_file_names_a_registry_or_a_machine() -> None:
    registries = "|".join(["py" + "pi", "python" + "hosted", "npm" + "js", "deb" + "ian"])
    address = re.compile(rf"https?://[\w.-]*({registries})|/(home|Users|root)/\w")
    for path in project_files():
        text = path.read_text("utf-8", errors="replace")
        assert not address.search(text), path.name


def test_the_readme_names_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "make play" in readme
    assert "make test" in readme
    assert (ROOT / ".ci/run").read_text("utf-8").rstrip().endswith("make test")


def test_the_workflow_runs_every_target_of_make_test() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (targets,) = re.findall(r"^CHECKS := (.*)$", makefile, re.MULTILINE)
    workflow = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    jobs = re.findall(r"^ {10}- ([\w-]+)$|run: make ([\w-]+)$", workflow, re.MULTILINE)
    assert {first or second for first, second in jobs} == set(targets.split())


def test_every_make_target_that_a_text_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(
        re.findall(r"[\w-]+", " ".join(re.findall(r"^[\w \-/]+(?=:)", makefile, re.MULTILINE)))
    )
    for path in project_files():
        if path.suffix in {".md", ".py"}:
            for target in re.findall(r"(?:`|Run: )make ([a-z-]+)", path.read_text("utf-8")):
                assert target in targets, f"{path.name}: make {target}"


def test_the_citation_names_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {manhattan.__version__}\n" in citation
