"""A match spread over all cores, or over machines with Ray; and a journal to go on from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import manhattan
from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.arena.own import source
from manhattan.arena.playing import Outcome, play_deal
from manhattan.spread import over_processes, over_ray


def play_all(
    match: Match, deals: Iterable[int], workers: int | None = None
) -> Iterator[list[Outcome]]:
    """The games of some deals, deal by deal in the order of the deals."""
    return over_processes(partial(play_deal, match), deals, workers)


def play_all_with_ray(match: Match, deals: Iterable[int], address: str) -> Iterator[list[Outcome]]:
    """The same on the machines of a Ray cluster; ``local`` starts one here."""
    return over_ray(partial(play_deal, match), deals, address)


class Journal:
    """The outcomes of a match in a file, a deal a line: a match that was broken off goes on.

    What was played is never taken away: lines are only added, except for a last one that was
    not finished.
    """

    def __init__(self, path: Path, match: Match) -> None:
        self.path = path
        self.head = json.dumps({"manhattan": "arena", **_told(match), "code": code(match)})

    def read(self) -> list[list[Outcome]]:
        """The deals that were played so far; a file that is not there yet is begun."""
        try:
            text = self.path.read_text("utf-8") if self.path.exists() else ""
            whole = text[: text.rfind("\n") + 1]
            if not text:
                self.path.write_text(self.head + "\n", "utf-8")
                return []
            head, *lines = whole.splitlines() or [""]
            self._check(head)
            deals = [[_outcome(told) for told in json.loads(line)] for line in lines]
            if whole != text:  # broken off within a line
                new = self.path.with_name(self.path.name + ".new")
                new.write_text(whole, "utf-8")
                new.replace(self.path)
        except OSError as error:
            raise ArenaError(f"The journal {self.path} can't be used: {error.strerror}.") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, ArenaError):
                raise
            raise ArenaError(f"The journal {self.path} is damaged. Name another file.") from error
        return deals

    def _check(self, head: str) -> None:
        if head == self.head:
            return
        if _but_for_code(head) == _but_for_code(self.head):
            raise ArenaError(
                f"{self.path} was begun by other versions of these bots: their games do not "
                "belong together. Name another file."
            )
        raise ArenaError(
            f"{self.path} is not the journal of this match. Name another file, or play the "
            "match it was begun with."
        )

    def add(self, deal: list[Outcome]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_line(deal))


def code(match: Match) -> str:
    """What tells this version of the rules and of the bots, with all they have learned, from any
    other."""
    digest = _package().copy()
    for name in match.bots:
        digest.update(source(name))
    return str(digest.hexdigest()[:16])


@cache
def _package() -> Any:
    digest = hashlib.sha256()
    package = Path(manhattan.__file__).parent
    for path in sorted(package.rglob("*")):
        part = path.relative_to(package)
        if path.suffix in (".py", ".npz") and part.parts[0] != "cli":
            digest.update(part.as_posix().encode() + b"\0" + path.read_bytes())
    return digest


def _but_for_code(head: str) -> Any:
    try:
        told = json.loads(head)
    except ValueError:
        return None
    return {**told, "code": None} if isinstance(told, dict) else None


def _told(match: Match) -> dict[str, Any]:
    """What the games depend on; how many of them there are may change."""
    told = {key: value for key, value in asdict(match).items() if key != "games"}
    return {**told, "bots": list(match.bots), "house_rules": dict(match.house_rules)}


def _line(deal: list[Outcome]) -> str:
    return json.dumps([asdict(outcome) for outcome in deal]) + "\n"


def _outcome(told: dict[str, Any]) -> Outcome:
    seating = told.pop("seating")
    seating["seats"] = tuple(seating["seats"])
    return Outcome(Seating(**seating), **{key: tuple(values) for key, values in told.items()})
