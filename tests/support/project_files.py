"""The files that belong to the project, as git sees them."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def project_files(folder: str = ".") -> list[Path]:
    """Return the files below a folder that git tracks, or would track if they were added."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listing.stdout.splitlines() if (ROOT / name).is_file()]
