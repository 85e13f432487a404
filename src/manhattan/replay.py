"""Replay of records: play a saved game again, and report the first thing that breaks the rules."""

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
    JointSeed,
    ManhattanError,
    Move,
    Phase,
    PublicState,
    Result,
    SeedShuffler,
    Setup,
    SetupError,
    Shuffled,
    Shuffler,
    commitment,
    deal,
    parse_move,
    shuffle,
)
from manhattan.rules.board import COPIES
from manhattan.rules.legality import can_build, refusal
from manhattan.rules.play import Drawn, after_shuffle, redraw, take_turn

DECISIONS = ("select", "build", "remove")


class ReplayTrace(NamedTuple):
    """A recorded game, step by step: the public state after the deal, then every move."""

    start: PublicState
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class RecordedShuffles:
    """The shuffles of a record: the deck, then each new pile."""

    piles: tuple[tuple[Card, ...], ...] = field(repr=False)

    def __call__(self, number: int, _cards: tuple[Card, ...]) -> tuple[Card, ...]:
        if number >= len(self.piles):
            raise ChanceError(
                "The draw pile is empty here, but the record has no shuffle of the played cards."
            )
        return self.piles[number]


def replay(record: Record) -> Game:
    """Play a record again by the rules, and check it event by event.

    Raises ``RecordError`` for the first error. The redacted record of an unfinished game lacks the
    cards to play it again; ``trace_record`` accepts it.
    """
    if record.deck is None:
        raise RecordError(
            "This is the redacted record of an unfinished game: it can be viewed and checked, but "
            "not continued, because it does not contain the hidden cards."
        )
    shuffler, joint = _shuffler(record), _joint_seed(record)
    game = Game(record.setup, shuffler, seed=record.seed, joint=joint)
    _play_events(record, lambda index, move: game.play(move, record.events[index]["player"]))
    _check_result(record, game.result)
    return game


def trace_record(record: Record) -> ReplayTrace:
    """Replay a record step by step, redacted or not.

    Checks everything that the record allows, and raises ``RecordError`` for the first error.
    """
    if record.deck is not None:
        game = replay(record)
        return ReplayTrace(game.state_at(0).public, game.steps)
    if record.seed is not None:
        raise RecordError("There is a seed, but no deck.", "deck")
    if record.server_seed is not None:
        raise RecordError("There is a server_seed, but no deck.", "deck")
    _check_nonce_count(record)
    redacted = _RedactedGame(record)
    start = redacted.public
    _play_events(record, redacted.play)
    _check_result(record, redacted.public.result)
    return ReplayTrace(start, tuple(redacted.steps))


def _play_events(record: Record, play: Callable[[int, Move], tuple[Event, ...]]) -> None:
    """Play every move of a record, and compare the events that follow from it."""
    recorded = record.events
    index = 0
    while index < len(recorded):
        # A shuffle comes before the event whose draw needed it. All other events come after the
        # move that caused them.
        decision = index + (recorded[index]["type"] == "shuffle")
        if decision == len(recorded):
            raise RecordError("The record ends after a shuffle.", f"after event {index + 1}")
        move = _recorded_move(recorded, decision, record.setup)
        try:
            events = play(decision, move)
        except RecordError as error:
            raise error.inside(_location(recorded, decision, record.setup)) from error
        except ManhattanError as error:
            raise RecordError(str(error), _location(recorded, decision, record.setup)) from error
        index = _compare(events, recorded, index, record.setup)


def _recorded_move(recorded: Sequence[Json], index: int, setup: Setup) -> Move:
    """The move of an event."""
    event, location = recorded[index], _location(recorded, index, setup)
    if event["type"] not in DECISIONS:
        raise RecordError(f"A {event['type']} can't happen here.", location)
    try:
        return parse_move(event["move"])
    except ManhattanError as error:  # sizes out of order: the schema accepts them
        raise RecordError(str(error), location) from error


class _RedactedGame:
    """A game replayed from what spectators see: moves and played cards, but no hands."""

    def __init__(self, record: Record) -> None:
        self._recorded = record.events
        # The public state after the deal is the same for every order of the cards.
        self.public = deal(record.setup, lambda _, cards: cards).public
        self.steps: list[Step] = []

    def play(self, index: int, move: Move) -> tuple[Event, ...]:
        event, public = self._recorded[index], self.public
        hand = (event["card"],) if isinstance(move, Build) else ()  # as much of it as is known
        if reason := refusal(public, hand, move, event["player"]):
            raise RecordError(f"{move}: {reason}")
        public, events, _ = take_turn(public, move, _draw_hidden)
        public, more = self._redraw(public, index + len(events) - _shuffles(events))
        self.public = public
        self.steps.append(Step(move, events + more, public))
        return events + more

    def _redraw(self, public: PublicState, index: int) -> tuple[PublicState, tuple[Event, ...]]:
        """Apply the redraw that follows a move, if the record has one at this index."""
        following = [event for event in self._recorded[index:][:3] if event["type"] != "shuffle"]
        if not following or following[0]["type"] != "redraw":
            return public, ()
        hand = tuple(following[0]["hand"])
        if public.phase is not Phase.BUILD:
            raise RecordError("Blocks are chosen after this, so there can't be a redraw.")
        if can_build(public, hand):
            raise RecordError(f"The hand {hand} can build, so there can't be a redraw after this.")
        public, events, _ = redraw(public, hand, _draw_hidden)
        # The new hand is hidden; the next event shows whether it has a legal placement.
        if following[1:] and following[1]["type"] == "remove":
            public = public._replace(phase=Phase.REMOVE)
        return public, events


def _draw_hidden(public: PublicState, _count: int) -> Drawn:
    """Draw cards that the record hides. A spectator sees only the shuffle, if one was needed."""
    for card in set(public.played):
        if public.played.count(card) > COPIES:
            raise RecordError(f"There are only {COPIES} cards {card}, but more were played.")
    if public.pile_size >= 0:  # assumes full hands, so it is negative if the pile was too small
        return Drawn((), public, (), ())
    return Drawn((), after_shuffle(public), (), (Shuffled(public.shuffles, None),))


def _shuffles(events: Sequence[Event]) -> int:
    return sum(isinstance(event, Shuffled) for event in events)


def _shuffler(record: Record) -> Shuffler:
    """Find the source of the shuffles. A seed must match the commitment and the deck."""
    deck = record.deck or ()
    if tuple(sorted(deck)) != DECK:
        raise RecordError("The deck must hold five of each of the nine cards.", "deck")
    if record.seed is None and record.commitment is not None:
        raise RecordError("There is a commitment, but no seed.", "seed")
    if record.seed is None:
        piles = (tuple(e.get("pile", ())) for e in record.events if e["type"] == "shuffle")
        return RecordedShuffles((deck, *piles))
    _check_commitment(record, record.seed)
    if shuffle(record.seed, 0, DECK) != deck:
        raise RecordError("The deck does not follow from the seed.", "deck")
    return SeedShuffler(record.seed)


def _check_commitment(record: Record, seed: bytes) -> None:
    """Check that the seed was fixed before the deal: by one party, or by all together."""
    joint = _joint_seed(record)
    if joint is None:
        if commitment(seed) != record.commitment:
            raise RecordError("The commitment is not the SHA-256 of the seed.", "commitment")
        return
    if joint.commitment != record.commitment:
        raise RecordError("The commitment is not the SHA-256 of the server_seed.", "commitment")
    if joint.seed != seed:
        raise RecordError("The seed does not follow from the server_seed and the nonces.", "seed")


def _joint_seed(record: Record) -> JointSeed | None:
    """Return what the parties contributed to the seed; None if one party alone drew it."""
    if record.nonces is None:
        return None
    _check_nonce_count(record)
    if record.server_seed is None:
        raise RecordError("There are nonces, but no server_seed.", "server_seed")
    if record.seed is None:
        raise RecordError("There is a server_seed, but no seed.", "seed")
    try:
        return JointSeed(record.server_seed, record.nonces)
    except SetupError as error:
        raise RecordError(str(error), "nonces") from error


def _check_nonce_count(record: Record) -> None:
    players, nonces = len(record.setup.players), record.nonces
    if nonces is not None and len(nonces) != players:
        raise RecordError(f"There are {len(nonces)} nonces for {players} players.", "nonces")


def _compare(events: Sequence[Event], recorded: Sequence[Json], index: int, setup: Setup) -> int:
    """Compare the events that the rules produce with a record; return the index after them."""
    for event in events:
        expected = event_json(event, setup)
        if expected is None:
            continue
        if index >= len(recorded):
            raise RecordError(
                f"The record ends where a {expected['type']} must follow.", f"after event {index}"
            )
        for difference in _differences(expected, recorded[index]):
            raise RecordError(difference, _location(recorded, index, setup))
        index += 1
    return index


def _differences(expected: Json, recorded: Json) -> Iterator[str]:
    """Describe the differences between an expected and a recorded event."""
    if expected["type"] != recorded["type"]:
        yield f"This is a {recorded['type']}, but by the rules it is a {expected['type']}."
        return
    for key in dict.fromkeys([*recorded, *expected]):  # in the order of the record
        if key not in recorded:
            yield f"{key} is missing."
        elif key not in expected:
            yield f"{key} is not allowed here."
        elif recorded[key] != expected[key]:
            yield f"{key} is {recorded[key]!s:.300}, but by the rules it is {expected[key]}."


def _check_result(record: Record, result: Result | None) -> None:
    expected = result_json(result)
    if record.result == expected:
        return
    if expected is None:
        raise RecordError("There is a result, but the game is not over.", "result")
    if record.result is None:
        raise RecordError("The game is over, but there is no result.", "result")
    kind = {"type": "result"}
    for difference in _differences(expected | kind, record.result | kind):
        raise RecordError(difference, "result")


def _location(recorded: Sequence[Json], index: int, setup: Setup) -> str:
    """Describe the location of an event for people: its number, its type and its player."""
    event = recorded[index]
    player = ""
    if event.get("player", len(setup.players)) < len(setup.players):
        player = f" by {setup.players[event['player']].name}"
    return f"event {index + 1} of {len(recorded)} ({event['type']}{player})"
