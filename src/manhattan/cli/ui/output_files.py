"""Output files: checked before the work begins, not after it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

from manhattan.rules import ManhattanError

STDOUT: Final = Path("-")
"""The name that stands for standard output."""


class OutputFileError(ManhattanError):
    """A file that can't be written as requested."""


def check_writable(path: Path) -> None:
    """Raise if the file can't be created: a long run must not end with that discovery."""
    if path == STDOUT:
        return
    try:
        if not path.absolute().parent.is_dir():
            raise OutputFileError(
                f"Can't write {path.name}: there is no folder {path.parent}. Create it first."
            )
        if path.is_dir():
            raise OutputFileError(f"{path} is a folder. Name a file.")
    except OSError as error:
        raise OutputFileError(f"{path}: The file can't be written: {error.strerror}.") from error


def check_new(path: Path) -> None:
    """Raise if the file can't be created or would overwrite one. Empty files and pipes are fine."""
    check_writable(path)
    if path.is_file() and path.stat().st_size:
        free = next(other for other in numbered_names(path) if not other.exists())
        raise OutputFileError(f"{path} already exists. Choose another name, for example {free}.")


def numbered_names(path: Path) -> Iterator[Path]:
    """The name itself, then the same name with the numbers 2, 3, …"""
    yield path
    for number in count(2):
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")


def write_json(path: Path, value: object) -> None:
    """Write a value as JSON to a file, or to standard output."""
    text = json.dumps(value, indent=2) + "\n"
    if path == STDOUT:
        sys.stdout.write(text)
    else:
        path.write_text(text, "utf-8")
