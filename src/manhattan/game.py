"""A game with its history: play, undo, and go back to any ply."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from typing import Literal, NamedTuple

from manhattan.rules import (
    DECK,
    DEFAULT_EDITION,
    Card,
    Colour,
    Event,
    JointSeed,
    ManhattanError,
    Move,
    NotationError,
    PublicState,
    Refusal,
    Result,
    SeedShuffler,
    Setup,
    Shuffler,
    Side,
    State,
    apply,
    commitment,
    deal,
    draw_start_player,
    legal_moves,
    parse_move,
    set_up,
    why_not,
)
from manhattan.rules.chance import SEED_BYTES


class NoSuchPly(ManhattanError, IndexError):
    """A ply that the history of the game does not have."""


class Step(NamedTuple):
    """One move of a game, its events, and the public state after it."""

    move: Move
    events: tuple[Event, ...]
    public: PublicState


class _Turn(NamedTuple):
    """One move of a game, its events, and the state after it."""

    move: Move
    events: tuple[Event, ...]
    state: State


class Game:
    """A game in progress or finished.

    The set-up, the shuffles and the moves determine everything: games in which they are equal have
    equal states.
    """

    def __init__(
        self,
        setup: Setup,
        chance: Shuffler,
        *,
        seed: bytes | None = None,
        joint: JointSeed | None = None,
    ) -> None:
        """Deal a game with shuffles from any source. Most callers want ``Game.new``."""
        self.setup = setup
        self.seed = seed
        self.joint = joint
        """Where the seed comes from, if several parties drew it."""
        self._chance = _RepeatableShuffler(chance)
        self._dealt = deal(setup, self._chance)
        self.state = self._dealt
        self._turns: list[_Turn] = []

    @classmethod
    def new(
        cls,
        players: int | Sequence[str] = 4,
        *,
        edition: str = DEFAULT_EDITION,
        house_rules: Mapping[str, str] | None = None,
        first: int | Literal["random"] = 0,
        sides: Sequence[Side | str] | None = None,
        colours: Sequence[Sequence[Colour | str]] | None = None,
        seed: bytes | None = None,
    ) -> Game:
        """Deal a new game. Without a seed, the system's random source provides one."""
        seed = secrets.token_bytes(SEED_BYTES) if seed is None else seed
        count = players if isinstance(players, int) else len(players)
        setup = set_up(
            players,
            edition=edition,
            house_rules=house_rules,
            first=draw_start_player(seed, max(1, count)) if first == "random" else first,
            sides=sides,
            colours=colours,
        )
        return cls.from_seed(setup, seed)

    @classmethod
    def from_seed(
        cls, setup: Setup, seed: bytes | JointSeed, moves: Iterable[Move | str] = ()
    ) -> Game:
        """Deal a game from a set-up and a seed, and play some moves."""
        joint = seed if isinstance(seed, JointSeed) else None
        seed = seed.seed if isinstance(seed, JointSeed) else seed
        game = cls(setup, SeedShuffler(seed), seed=seed, joint=joint)
        for move in moves:
            game.play(move)
        return game

    @property
    def public(self) -> PublicState:
        """What all players and spectators may see."""
        return self.state.public

    @property
    def ply(self) -> int:
        """The number of moves played."""
        return len(self._turns)

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(turn.move for turn in self._turns)

    @property
    def last_move(self) -> Move | None:
        return self._turns[-1].move if self._turns else None

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far, hidden cards included."""
        return tuple(event for turn in self._turns for event in turn.events)

    @property
    def last_events(self) -> tuple[Event, ...]:
        """The events of the last move."""
        return self._turns[-1].events if self._turns else ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The history, move by move."""
        return tuple(Step(turn.move, turn.events, turn.state.public) for turn in self._turns)

    @property
    def is_over(self) -> bool:
        return self.public.result is not None

    @property
    def result(self) -> Result | None:
        return self.public.result

    @property
    def deck(self) -> tuple[Card, ...]:
        """The cards in the order of the deal and of the draws before the first reshuffle."""
        return self._chance(0, DECK)

    @property
    def commitment(self) -> str | None:
        """The published hash: of the seed, or of the server's part if several parties drew it."""
        if self.joint is not None:
            return self.joint.commitment
        return None if self.seed is None else commitment(self.seed)

    def legal_moves(self) -> tuple[Move, ...]:
        return legal_moves(self.state)

    def why_not(self, move: Move | str, player: int | None = None) -> Refusal | None:
        """Explain why a move is illegal now, or return None if it is legal."""
        return why_not(self.state, _move(move), player)

    def play(self, move: Move | str, player: int | None = None) -> tuple[Event, ...]:
        """Play a move and return its events.

        An illegal move raises ``IllegalMove`` and changes nothing.
        """
        move = _move(move)
        self.state, events = apply(self.state, move, self._chance, player)
        self._turns.append(_Turn(move, events, self.state))
        return events

    def after(self, move: Move | str, player: int | None = None) -> Game:
        """Return a copy of this game in which a move was played."""
        game = copy(self)
        game.play(move, player)
        return game

    def undo(self, plies: int = 1) -> None:
        """Undo the last moves. The shuffles stay the same when they are played again."""
        ply = self.ply - plies
        self.state = self.state_at(ply)
        del self._turns[ply:]

    def state_at(self, ply: int) -> State:
        """The state after a number of moves; 0 is the deal."""
        if not 0 <= ply <= self.ply:
            raise NoSuchPly(f"There is no ply {ply} in this game, only 0 to {self.ply}.")
        return self._turns[ply - 1].state if ply else self._dealt

    def mover_at(self, ply: int) -> int:
        """The player to move after a number of moves."""
        return self.state_at(ply).public.mover

    def last_ply_of(self, players: Collection[int]) -> int | None:
        """The ply of the last move of one of these players, or None if they haven't moved."""
        for ply in range(len(self._turns) - 1, 0, -1):
            if self._turns[ply - 1].state.public.mover in players:
                return ply
        return 0 if self._turns and self._dealt.public.mover in players else None

    def at(self, ply: int) -> Game:
        """Return a copy of this game as it was after a number of moves."""
        game = copy(self)
        game.undo(self.ply - ply)
        return game

    def __copy__(self) -> Game:
        game = Game.__new__(Game)
        game.__dict__.update(self.__dict__, _turns=self._turns.copy())
        return game

    def __repr__(self) -> str:
        names = ", ".join(player.name for player in self.setup.players)
        status = "over" if self.is_over else f"round {self.public.round}"
        return f"<Game of {names} ({self.setup.rules_name}): {status}, {self.ply} moves>"


class _RepeatableShuffler:
    """A shuffler that repeats its shuffles after an undo, even if its source is random."""

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
    if not isinstance(move, Move):  # bots are not type-checked
        raise NotationError(f"{move!r:.60} is not a move. Play one of the legal moves.")
    return move
