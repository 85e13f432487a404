"""A game with its history: play, undo, go back to any point."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Literal, NamedTuple

from manhattan.rules import (
    DECK,
    DEFAULT_EDITION,
    Card,
    Colour,
    Event,
    ManhattanError,
    Move,
    NotationError,
    Refusal,
    Result,
    Seat,
    SeedShuffler,
    Setup,
    Shuffler,
    State,
    Table,
    apply,
    commitment,
    deal,
    legal_moves,
    lot,
    parse_move,
    set_up,
    why_not,
)
from manhattan.rules.chance import SEED_BYTES


class NoSuchPly(ManhattanError, IndexError):
    """A point in the history that is not there."""


class Step(NamedTuple):
    """One decision of a game, what it caused, and how the table looked then."""

    move: Move
    events: tuple[Event, ...]
    table: Table


class _Turn(NamedTuple):
    """One decision, what it caused, and how the game stood then."""

    move: Move
    events: tuple[Event, ...]
    state: State


class Game:
    """A game being played, or played to its end.

    Everything follows from the set-up, the shuffles and the moves: games with equal ones are
    equal in every state.
    """

    def __init__(self, setup: Setup, chance: Shuffler, *, seed: bytes | None = None) -> None:
        """Most callers want ``Game.new``; this one takes shuffles from anywhere."""
        self.setup = setup
        self.seed = seed
        self._chance = _Remembered(chance)
        self._dealt = deal(setup, self._chance)
        self.state = self._dealt
        self.table = self.state.table
        """What lies open to all."""
        self._ply = 0
        # Copies of a game share it: the first to go on writes at its end, where the others don't
        # look. So a move costs the same late in a game as early, however many copies there are.
        self._past: list[_Turn] = []

    @classmethod
    def new(
        cls,
        players: int | Sequence[str] = 4,
        *,
        edition: str = DEFAULT_EDITION,
        house_rules: Mapping[str, str] | None = None,
        first: int | Literal["lot"] = 0,
        seats: Sequence[Seat | str] | None = None,
        colours: Sequence[Sequence[Colour | str]] | None = None,
        seed: bytes | None = None,
    ) -> Game:
        """Deal a new game. Without a seed the cards are shuffled from the system's randomness."""
        seed = secrets.token_bytes(SEED_BYTES) if seed is None else seed
        count = players if isinstance(players, int) else len(players)
        setup = set_up(
            players,
            edition=edition,
            house_rules=house_rules,
            first=lot(seed, max(1, count)) if first == "lot" else first,
            seats=seats,
            colours=colours,
        )
        return cls.from_seed(setup, seed)

    @classmethod
    def from_seed(cls, setup: Setup, seed: bytes, moves: Iterable[Move | str] = ()) -> Game:
        """Deal a game that is set up, and play some moves of it."""
        game = cls(setup, SeedShuffler(seed), seed=seed)
        for move in moves:
            game.play(move)
        return game

    @property
    def ply(self) -> int:
        """How many moves were made."""
        return self._ply

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(turn.move for turn in self._turns)

    @property
    def last_move(self) -> Move | None:
        return self._past[self._ply - 1].move if self._ply else None

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened so far, hidden cards included."""
        return tuple(event for turn in self._turns for event in turn.events)

    @property
    def last_events(self) -> tuple[Event, ...]:
        """What the last move led to."""
        return self._past[self._ply - 1].events if self._ply else ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The history, decision by decision."""
        return tuple(Step(turn.move, turn.events, turn.state.table) for turn in self._turns)

    @property
    def over(self) -> bool:
        return self.table.result is not None

    @property
    def result(self) -> Result | None:
        return self.table.result

    @property
    def deck(self) -> tuple[Card, ...]:
        """The cards as they were dealt, then drawn until the first reshuffle."""
        return self._chance(0, DECK)

    @property
    def commitment(self) -> str | None:
        """What everybody may see of the seed from the start."""
        return None if self.seed is None else commitment(self.seed)

    def legal_moves(self) -> tuple[Move, ...]:
        return legal_moves(self.state)

    def why_not(self, move: Move | str, player: int | None = None) -> Refusal | None:
        """Why a move is refused now, or None if it is legal."""
        return why_not(self.state, _move(move), player)

    def play(self, move: Move | str, player: int | None = None) -> tuple[Event, ...]:
        """Make a move; what happened comes back. A refused move raises and changes nothing."""
        move = _move(move)
        state, events = apply(self.state, move, self._chance, player)
        if len(self._past) > self._ply:  # it went on otherwise, here or in a copy
            self._past = self._turns
        self._past.append(_Turn(move, events, state))
        self.state, self.table = state, state.table
        self._ply += 1
        return events

    def after(self, move: Move | str, player: int | None = None) -> Game:
        """A game of its own, one move further; this one stays as it is."""
        game = self.__copy__()
        game.play(move, player)
        return game

    def undo(self, plies: int = 1) -> None:
        """Take the last moves back. The cards come back too: played again, they fall the same."""
        ply = self._ply - plies
        self.state = self.state_at(ply)
        self.table = self.state.table
        self._ply = ply
        self._past = self._turns

    def state_at(self, ply: int) -> State:
        """The state after so many moves; 0 is the deal."""
        if not 0 <= ply <= self.ply:
            raise NoSuchPly(f"There is no point {ply} in this game: it has 0 to {self.ply} moves.")
        return self._past[ply - 1].state if ply else self._dealt

    def mover_at(self, ply: int) -> int:
        """Whose turn it was after so many moves."""
        return self.state_at(ply).table.mover

    def at(self, ply: int) -> Game:
        """A game of its own that stands where this one stood after so many moves."""
        game = copy(self)
        game.undo(self.ply - ply)
        return game

    def __copy__(self) -> Game:
        # The usual way takes ten times as long, and a table on the network copies at every move.
        game = Game.__new__(Game)
        game.__dict__.update(self.__dict__)
        return game

    @property
    def _turns(self) -> list[_Turn]:
        """What happened in this game, without what a copy has added."""
        return self._past[: self._ply]

    def __repr__(self) -> str:
        names = ", ".join(player.name for player in self.setup.players)
        stand = "over" if self.over else f"round {self.table.round}"
        return f"<Game of {names} ({self.setup.rules_name}): {stand}, {self.ply} moves>"


class _Remembered:
    """Shuffles that fall the same when they are asked for again, wherever they come from."""

    def __init__(self, chance: Shuffler) -> None:
        self._chance = chance
        self._piles: dict[tuple[int, tuple[Card, ...]], tuple[Card, ...]] = {}

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        if (number, cards) not in self._piles:
            self._piles[number, cards] = tuple(self._chance(number, cards))
        return self._piles[number, cards]


def _move(move: Move | str) -> Move:
    if isinstance(move, str):
        return parse_move(move)
    if not isinstance(move, Move):  # whoever has types does not come here; a bot may
        raise NotationError(f"{move!r:.60} is not a move. Play one of the legal moves.")
    return move
