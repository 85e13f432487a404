"""Files that somebody names for what comes out: looked at before the work, not after it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from manhattan.rules import ManhattanError


class FileError(ManhattanError):
    """A file that can't be written as it was asked for."""


def check_place(path: Path) -> None:
    """Is there a place for this file? Hours later is no time to learn that there is none."""
    try:
        if not path.absolute().parent.is_dir():
            raise FileError(f"There is no folder {path.parent} to write {path.name} into.")
        if path.is_dir():
            raise FileError(f"{path} is a folder: name a file.")
    except OSError as error:
        raise FileError(f"{path}: The file can't be written: {error.strerror}.") from error


def check_new(path: Path) -> None:
    """And is nothing of anybody's there? An empty file is nothing, and a pipe takes everything."""
    check_place(path)
    if path.is_file() and path.stat().st_size:
        free = next(other for other in numbered(path) if not other.exists())
        raise FileError(
            f"{path}: There is a file of this name already; choose another name, like {free}."
        )


def numbered(path: Path) -> Iterator[Path]:
    """This name, and then it with numbers."""
    yield path
    for number in count(2):
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")
