"""What the HTTP part of the API answers, as types."""

from __future__ import annotations

from typing_extensions import TypedDict

from manhattan.bots import Evaluation, Hint
from manhattan.server.clocks import Correspondence, Milliseconds, NoClock, RealTime
from manhattan.server.protocol import TableTold


class Myself(TypedDict):
    """Who one is."""

    name: str | None


class EditionTold(TypedDict):
    id: str
    title: str
    colours: list[str]
    cities: list[str]
    rules: dict[str, str]


class LevelTold(TypedDict):
    name: str
    title: str
    description: str


class BoxTold(TypedDict):
    """What can be played."""

    editions: list[EditionTold]
    house_rules: dict[str, list[str]]
    levels: list[LevelTold]


class ListedPlayer(TypedDict):
    name: str
    level: str | None
    open: bool


class Listed(TypedDict):
    """A table in a list."""

    id: str
    edition: str
    house_rules: dict[str, str]
    players: list[ListedPlayer]
    host: str
    clock: NoClock | RealTime | Correspondence
    serious: bool
    round: int
    opened_at: Milliseconds


class ListTold(TypedDict):
    tables: list[Listed]


class Mine(TypedDict):
    """A table at which one sits."""

    table: TableTold
    round: int
    your_turn: bool
    due: Milliseconds | None
    """When somebody's time runs out."""


class MineTold(TypedDict):
    tables: list[Mine]


class TableNamed(TypedDict):
    table: str


class LinkTold(TypedDict):
    secret: str


class RecordChecked(TypedDict):
    """A saved game that is true to the rules."""

    moves: int
    over: bool


class HintTold(TypedDict):
    """A good move."""

    move: str
    takes_from: str | None
    gains: list[int]
    """Points more for each player, if the round ended after it; for a placement."""


class RankedTold(TypedDict):
    """What is to be expected after a move."""

    move: str
    chances: list[float]
    """Each player's chance to win."""
    scores: list[float]
    """Each player's points at the end."""
    low: list[float]
    high: list[float]
    """Between these the chances lie, in 95 of 100 cases."""
    trials: int


class EvaluationTold(TypedDict):
    player: int
    moves: list[RankedTold]
    """The best first."""


def hint_told(hint: Hint) -> HintTold:
    return {"move": str(hint.move), "takes_from": hint.takes_from, "gains": list(hint.points)}


def evaluation_told(evaluation: Evaluation) -> EvaluationTold:
    return {
        "player": evaluation.player,
        "moves": [
            {
                "move": str(ranked.move),
                "chances": list(ranked.chances),
                "scores": list(ranked.scores),
                "low": list(ranked.low),
                "high": list(ranked.high),
                "trials": ranked.trials,
            }
            for ranked in evaluation.moves
        ],
    }
