"""The journal of a match: an append-only file from which an interrupted match continues."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import manhattan
from manhattan.arena.loader import bot_source
from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.arena.runner import Outcome


class Journal:
    """The outcomes of a match in a file of JSON lines: a header, then a line for each deal.

    Lines are only appended; reading removes nothing but an incomplete last line.
    """

    def __init__(self, path: Path, match: Match) -> None:
        self.path = path
        self.header = json.dumps(
            {"manhattan": "arena", **_identity(match), "code": code_digest(match)}
        )

    def read(self) -> list[list[Outcome]]:
        """Return the deals played so far; create the file if there is none."""
        try:
            return self._read()
        except OSError as error:
            raise ArenaError(f"The journal {self.path} can't be used: {error.strerror}.") from error
        except ArenaError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ArenaError(f"The journal {self.path} is damaged. Name another file.") from error

    def _read(self) -> list[list[Outcome]]:
        text = self.path.read_text("utf-8") if self.path.exists() else ""
        if not text:
            self.path.write_text(self.header + "\n", "utf-8")
            return []
        complete = text[: text.rfind("\n") + 1]
        header, *lines = complete.splitlines() or [""]
        self._check_header(header)
        deals = [[_parse_outcome(outcome) for outcome in json.loads(line)] for line in lines]
        if complete != text:  # the match was interrupted while it wrote the last line
            new = self.path.with_name(self.path.name + ".new")
            new.write_text(complete, "utf-8")
            new.replace(self.path)
        return deals

    def _check_header(self, header: str) -> None:
        if header == self.header:
            return
        if _without_code(header) == _without_code(self.header):
            raise ArenaError(
                f"{self.path} holds games of other versions of these bots, which can't be mixed "
                "with new ones. Name another file."
            )
        raise ArenaError(
            f"{self.path} is not the journal of this match. Name another file, or play the match "
            "that it belongs to."
        )

    def add(self, deal: list[Outcome]) -> None:
        """Append the outcomes of a deal."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([asdict(outcome) for outcome in deal]) + "\n")


def code_digest(match: Match) -> str:
    """Return a hash of the rules, the bots and their models: another version has another one."""
    digest = _package_digest().copy()
    for name in match.bots:
        digest.update(bot_source(name))
    return str(digest.hexdigest()[:16])


@cache
def _package_digest() -> Any:
    digest = hashlib.sha256()
    package = Path(manhattan.__file__).parent
    for path in sorted(package.rglob("*")):
        relative = path.relative_to(package)
        if path.suffix in (".py", ".npz") and relative.parts[0] != "cli":
            digest.update(relative.as_posix().encode() + b"\0" + path.read_bytes())
    return digest


def _identity(match: Match) -> dict[str, Any]:
    """Return what the games depend on; their number may change."""
    fields = {key: value for key, value in asdict(match).items() if key != "games"}
    return {**fields, "bots": list(match.bots), "house_rules": dict(match.house_rules)}


def _without_code(header: str) -> Any:
    try:
        fields = json.loads(header)
    except ValueError:
        return None
    return {**fields, "code": None} if isinstance(fields, dict) else None


def _parse_outcome(fields: dict[str, Any]) -> Outcome:
    seating = fields.pop("seating")
    seating["seats"] = tuple(seating["seats"])
    return Outcome(Seating(**seating), **{key: tuple(values) for key, values in fields.items()})
