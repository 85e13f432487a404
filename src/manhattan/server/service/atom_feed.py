"""A person's turns and games as an Atom feed (RFC 4287), for feed readers and other programs.

The feed holds what the list of the person's games shows, which is public at each table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from xml.etree import ElementTree as ET

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.storage.game_list import ListedGame

MEDIA_TYPE: Final = "application/atom+xml"
_NAMESPACE: Final = "http://www.w3.org/2005/Atom"
_MAX_ENTRIES: Final = 50


@dataclass(frozen=True, slots=True)
class _Entry:
    """A turn, the start or the end of a game."""

    id: str
    title: str
    updated: Milliseconds
    path: str
    summary: str


def atom_feed(person: str, games: Iterable[ListedGame], origin: str, path: str) -> bytes:
    """Return the feed of a person, the latest entry first. ``origin`` is the server's address, and
    ``path`` that of the feed."""
    entries = sorted(
        (entry for game in games for entry in _entries(game)),
        key=lambda entry: entry.updated,
        reverse=True,
    )[:_MAX_ENTRIES]
    feed = ET.Element("feed", xmlns=_NAMESPACE)
    _add(feed, "id", origin + path)
    _add(feed, "title", f"Manhattan: {person}")
    _add(feed, "updated", _timestamp(entries[0].updated if entries else 0))
    ET.SubElement(feed, "link", rel="self", href=origin + path)
    author = ET.SubElement(feed, "author")
    _add(author, "name", "Manhattan")
    for entry in entries:
        element = ET.SubElement(feed, "entry")
        _add(element, "id", entry.id)
        _add(element, "title", entry.title)
        _add(element, "updated", _timestamp(entry.updated))
        ET.SubElement(element, "link", href=origin + entry.path)
        _add(element, "summary", entry.summary)
    document: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return document


def _entries(row: ListedGame) -> Iterator[_Entry]:
    game = row.game
    scores = game.scores[-1] if game.scores else (0,) * len(game.seats)
    points = ", ".join(
        f"{seat.name} {score}" for seat, score in zip(game.seats, scores, strict=True)
    )
    others = ", ".join(
        seat.name for number, seat in enumerate(game.seats) if number not in row.seats
    )
    # The identifiers are unique in space and time, as Atom wants: a table's id is random.
    id, path = f"urn:manhattan:{row.table}", f"/table/{row.table}"
    stage = f"Round {game.round} of {game.rounds}: {points}."
    if row.state == "finished":
        yield _Entry(f"{id}:end", f"Game over: {others}", row.since, path, f"{points}.")
    elif row.state in ("your_turn", "running"):
        start = f"Game started: {others}"
        yield _Entry(f"{id}:start", start, row.stage_since, path, f"With {others}.")
    if row.state == "your_turn":
        yield _Entry(f"{id}:turn:{row.since}", f"Your turn: {others}", row.since, path, stage)


def _add(parent: ET.Element, tag: str, text: str) -> None:
    # XML has no way to write a control character, which names of old tables may hold.
    ET.SubElement(parent, tag).text = "".join(filter(str.isprintable, text))


def _timestamp(milliseconds: Milliseconds) -> str:
    return datetime.fromtimestamp(milliseconds // 1000, UTC).isoformat()
