"""The project's own files: pinned by version alone, and telling nothing of any machine."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent


def tracked() -> list[Path]:
    """The files of the project: what git tracks, or would."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {name.lower().replace("_", "-"): version for name, version in pairs}


def test_everything_that_is_installed_is_pinned() -> None:
    ours = {"manhattan-game", "pip", "setuptools"}
    # Where we install: a library may bring others along inside itself.
    for installed in distributions(path=[sysconfig.get_path("purelib")]):
        name = installed.metadata["Name"].lower().replace("_", "-")
        if name not in ours:
            assert pins().get(name) == installed.version, name


def test_no_file_names_a_registry_or_a_machine() -> None:
    registries = "|".join(["py" + "pi", "python" + "hosted", "npm" + "js", "deb" + "ian"])
    address = re.compile(rf"https?://[\w.-]*({registries})|/(home|Users|root)/\w")
    for path in tracked():
        text = path.read_text("utf-8", errors="replace")
        assert not address.search(text), path.name


def test_the_readme_names_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "make play" in readme
    assert "make test" in readme
    assert (ROOT / ".ci/run").read_text("utf-8").rstrip().endswith("make test")
