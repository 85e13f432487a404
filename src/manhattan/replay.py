"""Playing a record again, and saying the first thing in it that is not true to the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from manhattan.game import Game, Step
from manhattan.record import Json, Record, RecordError, event_json, result_json
from manhattan.rules import (
    DECK,
    Build,
    Card,
    ChanceError,
    Event,
    ManhattanError,
    Move,
    Phase,
    Result,
    SeedShuffler,
    Setup,
    Shuffled,
    Shuffler,
    Table,
    commitment,
    deal,
    parse_move,
    shuffle,
)
from manhattan.rules.board import COPIES
from manhattan.rules.legality import can_build, refusal
from manhattan.rules.play import Drawn, after_shuffle, redraw, take_turn

DECISIONS = ("select", "build", "remove")


class Walk(NamedTuple):
    """A recorded game to walk through: the table at the deal, then decision by decision."""

    start: Table
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class RecordedShuffles:
    """Shuffles as a record tells them: the deck, then each new pile."""

    piles: tuple[tuple[Card, ...], ...] = field(repr=False)

    def __call__(self, number: int, _cards: tuple[Card, ...]) -> tuple[Card, ...]:
        if number >= len(self.piles):
            raise ChanceError(
                "The draw pile is empty here, but no shuffle of the played cards is told."
            )
        return self.piles[number]


def replay(record: Record) -> Game:
    """The game that a whole record tells, played again by the rules and checked event by event.

    Raises ``RecordError`` on the first thing that is wrong. What others may see of an unfinished
    game can't be played again, for want of its cards; ``walk`` takes it as well.
    """
    if record.deck is None:
        raise RecordError(
            "This is what others may see of an unfinished game: it can be looked at and checked, "
            "but not played on, since its hidden cards are not in it."
        )
    game = Game(record.setup, _shuffler(record), seed=record.seed)
    _follow(record, lambda index, move: game.play(move, record.events[index]["player"]))
    _check_result(record, game.result)
    return game


def walk(record: Record) -> Walk:
    """A record's game step by step, whole or as others may see it. Checks all that it can, and
    raises ``RecordError`` on the first thing that is wrong."""
    if record.deck is not None:
        game = replay(record)
        return Walk(game.state_at(0).table, game.steps)
    if record.seed is not None:
        raise RecordError("There is a seed, but no deck.", "deck")
    seen = _SeenGame(record)
    start = seen.table
    _follow(record, seen.play)
    _check_result(record, seen.table.result)
    return Walk(start, tuple(seen.steps))


def _follow(record: Record, play: Callable[[int, Move], tuple[Event, ...]]) -> None:
    """Make every decision that a record tells, and compare what follows from it."""
    told = record.events
    at = 0
    while at < len(told):
        # A shuffle stands before the event whose draw needed it; whatever else happens by itself
        # comes with the decision that led to it.
        decision = at + (told[at]["type"] == "shuffle")
        if decision == len(told):
            raise RecordError("The record stops after a shuffle.", f"after event {at + 1}")
        move = _decision(told, decision, record.setup)
        try:
            events = play(decision, move)
        except RecordError as error:
            raise error.inside(place(told, decision, record.setup)) from error
        except ManhattanError as error:
            raise RecordError(str(error), place(told, decision, record.setup)) from error
        at = _compare(events, told, at, record.setup)


def _decision(told: Sequence[Json], index: int, setup: Setup) -> Move:
    """The move that an event tells."""
    event, where = told[index], place(told, index, setup)
    if event["type"] not in DECISIONS:
        raise RecordError(f"A {event['type']} can't happen here.", where)
    try:
        return parse_move(event["move"])
    except ManhattanError as error:  # sizes out of order: the right form, yet no move
        raise RecordError(str(error), where) from error


class _SeenGame:
    """A game as others see it, played on by what they see: moves and played cards, no hands."""

    def __init__(self, record: Record) -> None:
        self._told = record.events
        # What lies open after the deal is the same for every order of the cards.
        self.table = deal(record.setup, lambda _, cards: cards).table
        self.steps: list[Step] = []

    def play(self, index: int, move: Move) -> tuple[Event, ...]:
        told, table = self._told[index], self.table
        played = (told["card"],) if isinstance(move, Build) else ()
        if refused := refusal(table, played, move, told["player"]):
            raise RecordError(f"{move}: {refused}")
        table, events, _ = take_turn(table, move, _draw_unseen)
        table, more = self._redraw(table, index + len(events) - _shuffles(events))
        self.table = table
        self.steps.append(Step(move, events + more, table))
        return events + more

    def _redraw(self, table: Table, index: int) -> tuple[Table, tuple[Event, ...]]:
        """The redraw that follows a decision, if the record tells one from an index on."""
        following = [event for event in self._told[index:][:3] if event["type"] != "shuffle"]
        if not following or following[0]["type"] != "redraw":
            return table, ()
        hand = tuple(following[0]["hand"])
        if table.phase is not Phase.BUILD:
            raise RecordError("After this blocks are chosen, so there is no redraw.")
        if can_build(table, hand):
            raise RecordError(f"The hand {hand} can build, so there is no redraw after this.")
        table, events, _ = redraw(table, hand, _draw_unseen)
        # Whether the new hand, which nobody else sees, can build is told by what comes next.
        if following[1:] and following[1]["type"] == "remove":
            table = table._replace(phase=Phase.REMOVE)
        return table, events


def _draw_unseen(table: Table, _count: int) -> Drawn:
    """Cards left a hand and as many were drawn: what others see of it is a shuffle, if one was
    due."""
    for card in set(table.played):
        if table.played.count(card) > COPIES:
            raise RecordError(f"There are only {COPIES} cards {card}, but more were played.")
    if table.pile_size >= 0:  # counts the hand as full again: below 0 is what the pile lacked
        return Drawn((), table, (), ())
    return Drawn((), after_shuffle(table), (), (Shuffled(table.shuffles, None),))


def _shuffles(events: Sequence[Event]) -> int:
    return sum(isinstance(event, Shuffled) for event in events)


def _shuffler(record: Record) -> Shuffler:
    """Where the shuffles come from; a seed has to fit its commitment and its deck."""
    deck = record.deck or ()
    if tuple(sorted(deck)) != DECK:
        raise RecordError("The deck must hold five of each of the nine cards.", "deck")
    if record.seed is None and record.commitment is not None:
        raise RecordError("There is a commitment, but the seed that it is to is missing.", "seed")
    if record.seed is None:
        piles = (tuple(e.get("pile", ())) for e in record.events if e["type"] == "shuffle")
        return RecordedShuffles((deck, *piles))
    if commitment(record.seed) != record.commitment:
        raise RecordError("It is not the SHA-256 of the seed.", "commitment")
    if shuffle(record.seed, 0, DECK) != deck:
        raise RecordError("It is not the deck that the seed gives.", "deck")
    return SeedShuffler(record.seed)


def _compare(events: Sequence[Event], told: Sequence[Json], at: int, setup: Setup) -> int:
    """Hold what happened by the rules against what is told from an index on; where it ends."""
    for event in events:
        true = event_json(event, setup)
        if true is None:
            continue
        if at >= len(told):
            raise RecordError(
                f"The record stops where a {true['type']} must follow.", f"after event {at}"
            )
        for difference in _differences(true, told[at]):
            raise RecordError(difference, place(told, at, setup))
        at += 1
    return at


def _differences(true: Json, told: Json) -> Iterator[str]:
    """What an event tells otherwise than it was, as sentences."""
    if true["type"] != told["type"]:
        yield f"This is a {told['type']}, but by the rules it is a {true['type']}."
        return
    for key in dict.fromkeys([*told, *true]):  # in the order in which they are told
        if key not in told:
            yield f"{key} is not told."
        elif key not in true:
            yield f"{key} has no place here."
        elif told[key] != true[key]:
            yield f"{key} is {told[key]!s:.300}, but by the rules it is {true[key]}."


def _check_result(record: Record, result: Result | None) -> None:
    true = result_json(result)
    if record.result == true:
        return
    if true is None:
        raise RecordError("There is a result, but the game is not over.", "result")
    if record.result is None:
        raise RecordError("The game is over, but there is no result.", "result")
    for difference in _differences(true | {"type": "result"}, record.result | {"type": "result"}):
        raise RecordError(difference, "result")


def place(told: Sequence[Json], index: int, setup: Setup) -> str:
    """Where in a record something stands, for people: which event, of what kind, whose."""
    event = told[index]
    who = ""
    if event.get("player", len(setup.players)) < len(setup.players):
        who = f" by {setup.players[event['player']].name}"
    return f"event {index + 1} of {len(told)} ({event['type']}{who})"
