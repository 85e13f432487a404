"""A match spread over all cores, or over machines with Ray; and a journal to go on from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.arena.playing import Outcome, play_deal
from manhattan.spread import over_processes, over_ray


def play_all(
    match: Match, deals: Iterable[int], workers: int | None = None
) -> Iterator[list[Outcome]]:
    """The games of some deals, deal by deal in their order, whichever is done first."""
    return over_processes(partial(play_deal, match), deals, workers)


def play_all_with_ray(match: Match, deals: Iterable[int], address: str) -> Iterator[list[Outcome]]:
    """The same on the machines of a Ray cluster; ``local`` starts one here."""
    return over_ray(partial(play_deal, match), deals, address)


class Journal:
    """The outcomes of a match in a file, a deal a line: a match that was broken off goes on."""

    def __init__(self, path: Path, match: Match) -> None:
        self.path = path
        self.head = json.dumps({"manhattan": "arena", **_told(match)})

    def read(self) -> list[list[Outcome]]:
        """The deals that were played so far. A last line that was not finished is left out."""
        if not self.path.exists():
            return []
        lines = self.path.read_text("utf-8").splitlines(keepends=True)
        if not lines or lines[0].strip() != self.head:
            raise ArenaError(
                f"{self.path} is not the journal of this match. Name another file, or play the "
                "match it was begun with."
            )
        whole = [line for line in lines[1:] if line.endswith("\n")]
        return [[_outcome(told) for told in json.loads(line)] for line in whole]

    def begin(self, deals: list[list[Outcome]]) -> None:
        """Write what is known so far."""
        self.path.write_text(self.head + "\n" + "".join(map(_line, deals)), "utf-8")

    def add(self, deal: list[Outcome]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_line(deal))


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
