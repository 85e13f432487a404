"""Saved games for tests: ordinary ones of every table, and one in which somebody is stuck."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from manhattan.cli.simulate import game_seed, random_game
from manhattan.game import Game
from manhattan.record import Record, parse, read, to_json, to_line
from manhattan.replay import replay
from manhattan.rules import EDITIONS, set_up

Json = dict[str, Any]

NAMES = ("Ada", "Bob", "Cyd", "Dan")
TABLES = [(edition, players) for edition in EDITIONS for players in (2, 3, 4)]


@cache
def finished(edition: str = "hig-2017", players: int = 4, number: int = 0) -> Game:
    """A whole game of random players. Don't play on with it: it is shared."""
    return random_game(set_up(NAMES[:players], edition=edition), game_seed(0, number))


def told(game: Game | None = None, *, whole: bool = True) -> Json:
    """A fresh record, to be spoiled at will."""
    return to_json(game or finished(), whole=whole)


def recorded(data: Json) -> Record:
    """The record as a reader gets it: through text, the schema and back."""
    return parse(to_line(data))


def saved_game(path: Path) -> Game:
    """The game that was saved, played again."""
    (record,) = read(path)
    return replay(record)


def kinds(data: Json) -> list[str]:
    """What kinds of events a record tells."""
    return [event["type"] for event in data["events"]]


def find(data: Json, kind: str, nth: int = 0) -> int:
    """Where the nth event of a kind stands."""
    return [index for index, each in enumerate(kinds(data)) if each == kind][nth]


# Ada, at the south, holds nothing but cards 1 and 2 when round 2 begins. By then every site that
# they name is a tower of others that her 1s and 2 can't take, and three cards are left to draw:
# more of the same. There is no seed: the deck and the new pile are stacked.
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
    """A whole game in which Ada shows her hand, finds no better one and takes a block out."""
    piles = [tuple(map(int, text.replace(" ", ""))) for text in (_DECK, _NEW_PILE)]

    def chance(number: int, cards: tuple[int, ...]) -> tuple[int, ...]:
        return piles[number] if number < len(piles) else cards[::-1]

    game = Game(set_up(NAMES, first=1), chance)
    for move in _MOVES.split():
        game.play(move)
    while moves := game.legal_moves():
        game.play(moves[-1])
    return game
