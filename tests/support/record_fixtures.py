"""Saved games for tests: ordinary ones of every table, and one in which a player is stuck."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from manhattan.cli.commands.simulate import game_seed, random_game
from manhattan.game import Game
from manhattan.record import Record, parse, read, to_json, to_line
from manhattan.replay import replay
from manhattan.rules import EDITIONS, set_up

Json = dict[str, Any]

NAMES = ("Ada", "Bob", "Cyd", "Dan")
TABLES = [(edition, players) for edition in EDITIONS for players in (2, 3, 4)]


@cache
def finished(edition: str = "hig-2017", players: int = 4, number: int = 0) -> Game:
    """A finished game of random players. Tests share it, so they must not change it."""
    return random_game(set_up(NAMES[:players], edition=edition), game_seed(0, number))


def record_json(game: Game | None = None, *, redacted: bool = False) -> Json:
    """A new record, which a test may corrupt."""
    return to_json(game or finished(), redacted=redacted)


def recorded(data: Json) -> Record:
    """The record as a reader gets it: written, validated and read."""
    return parse(to_line(data))


def saved_game(path: Path) -> Game:
    """Replay a saved game."""
    (record,) = read(path)
    return replay(record)


def event_types(data: Json) -> list[str]:
    """The types of a record's events."""
    return [event["type"] for event in data["events"]]


def find(data: Json, event_type: str, nth: int = 0) -> int:
    """The index of the nth event of a type."""
    return [index for index, each in enumerate(event_types(data)) if each == event_type][nth]


# Ada, at the south side, holds only cards 1 and 2 when round 2 begins. By then every site that
# they name has a tower of another player that her blocks can't take over, and the three cards left
# in the pile are of the same kind. There is no seed: the deck and the new pile are given.
_DECK = "7774 9998 3336 5555  4865 4861 7931 7441 6681 8932 12 222"  # Bob, Cyd, Dan, Ada, pile
_NEW_PILE = "1 346 5789 111 2 333 44 5555 66 77 88 999"
_MOVES = """
    [333344] [333344] [333344] [111111]
    A1+3 B1+3 C1+3 A5+1   D1+3 E1+3 C1+3 B5+1   A1+3 B1+3 C1+3 C5+1
    A2+3 B2+3 C2+3 D5+1   D2+4 E2+4 F2+4 E5+1   A2+4 B2+4 C2+4 F1+1
    [222224] [222224] [111112] [222224]
    F1+4 C1+2 -1
"""


@cache
def stuck() -> Game:
    """A finished game in which Ada redraws, still can't build and takes a block out."""
    piles = [tuple(map(int, text.replace(" ", ""))) for text in (_DECK, _NEW_PILE)]

    def chance(number: int, cards: tuple[int, ...]) -> tuple[int, ...]:
        return piles[number] if number < len(piles) else cards[::-1]

    game = Game(set_up(NAMES, first=1), chance)
    for move in _MOVES.split():
        game.play(move)
    while moves := game.legal_moves():
        game.play(moves[-1])
    return game
