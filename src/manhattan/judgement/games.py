"""Games to learn from: many at once by value alone, or few that are thought over.

Each part of a stage is a task of its own that follows from its seed and its first game's number
alone: so parts can be played anywhere, and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.judgement.features import FEATURES, ROOM, blocks_on_tableau, context, describe
from manhattan.judgement.jit import compiled
from manhattan.judgement.learning import Sums, sums_of_lessons, sums_of_notes
from manhattan.judgement.mind import Kind, Mind
from manhattan.judgement.selfplay import (
    GREED,
    NOBODY,
    choose_all_blocks,
    play_many,
    take_turn_once,
)
from manhattan.judgement.thinking import Limits, Thinker
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64
from manhattan.kernel.layout import BUILD, GAME, OVER, SELECT
from manhattan.kernel.position import Position
from manhattan.kernel.start import start_game
from manhattan.kernel.turn import place, put_down
from manhattan.rules import SeedShuffler, Setup, deal, set_up

WANDER: Final = 64
"""So many times in 1,024 a player does anything: to see what comes of it."""


@dataclass(frozen=True)
class Part:
    """Some games of a stage."""

    kind: Kind
    values: npt.NDArray[np.float32]
    seed: int
    begin: int
    end: int

    @property
    def random(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.begin])

    @property
    def games(self) -> int:
        return self.end - self.begin

    def plans(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """For every game and player a plan for choosing blocks."""
        plans = self.kind.plans
        return plans[rng.integers(len(plans), size=(self.games, self.kind.players))]


@dataclass(frozen=True)
class Played:
    """What came of some games."""

    scores: npt.NDArray[np.int32]
    won: npt.NDArray[np.uint8]
    """The winners of each game, a bit each."""
    boards: Any
    """``[game, round]``: the positions between two rounds, if they were asked for."""
    notes: npt.NDArray[np.uint8]
    heads: npt.NDArray[np.int64]
    gains: npt.NDArray[np.float32]

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """``[game, player]``: parts in the win."""
        bits = (self.won[:, None] >> np.arange(self.scores.shape[1])) & 1
        parts: npt.NDArray[np.float64] = bits / bits.sum(axis=1, keepdims=True)
        return parts


def table_of(kind: Kind) -> Setup:
    """A table of this kind."""
    plan = kind.schedule
    row = {4: "four_players", 3: "three_players", 2: "two_players"}[kind.players]
    value = f"{plan.blocks}x{plan.rounds}"
    if kind.players == 2 and plan.colours == 1:
        value += "-one-colour"
    return set_up(kind.players, house_rules={row: value})


def _start(kind: Kind) -> Any:
    return Position.of_state(deal(table_of(kind), SeedShuffler(bytes(32)))).data


def play(
    part: Part,
    seats: npt.NDArray[np.int64],
    plans: npt.NDArray[np.int64],
    *,
    learner: int = NOBODY,
    wander: int = 0,
    keep_boards: bool = False,
) -> Played:
    """Games with who sits where; notes of the learner's positions."""
    kind = part.kind
    room = len(seats) * kind.players * kind.contexts if learner != NOBODY else 0
    played = Played(
        scores=np.zeros((len(seats), kind.players), np.int32),
        won=np.zeros(len(seats), np.uint8),
        boards=np.zeros((len(seats), kind.schedule.rounds - 1 if keep_boards else 0), GAME).view(
            np.recarray
        ),
        notes=np.zeros((room, FEATURES), np.uint8),
        heads=np.zeros((room, 3), np.int64),
        gains=np.zeros((room, 2), np.float32),
    )
    noted = play_many(
        _start(kind),
        (0,) * kind.players,
        (0,) * kind.schedule.colours,
        seats,
        plans,
        part.values,
        wander,
        learner,
        np.uint64(part.seed),
        part.begin,
        np.zeros(1, ROOM).view(np.recarray),
        played.notes,
        played.heads,
        played.gains,
        played.boards,
        played.scores,
        played.won,
    )
    return Played(
        played.scores,
        played.won,
        played.boards,
        played.notes[:noted],
        played.heads[:noted],
        played.gains[:noted],
    )


def play_generation(part: Part) -> Sums:
    """Games of the last way of playing against all before it; half the seats are its own."""
    rng = part.random
    learner = len(part.values) - 1  # with none yet, the greedy ones
    everybody = np.arange(GREED, len(part.values))
    seats = rng.choice(everybody, size=(part.games, part.kind.players))
    own = rng.random(seats.shape) < 0.5
    own[np.arange(part.games), rng.integers(part.kind.players, size=part.games)] = True
    seats = np.where(own, learner, seats)
    played = play(part, seats, part.plans(rng), learner=learner, wander=WANDER)
    return sums_of_notes(part.kind.contexts, played.heads[:, 1], played.notes, played.gains[:, 0])


def play_for_outlook(part: Part, best: int) -> Played:
    """Games of everybody against everybody; half the seats play the best way."""
    rng = part.random
    everybody = np.arange(GREED, len(part.values))
    seats = rng.choice(everybody, size=(part.games, part.kind.players))
    seats = np.where(rng.random(seats.shape) < 0.5, best, seats)
    return play(part, seats, part.plans(rng), wander=WANDER, keep_boards=True)


@dataclass(frozen=True)
class Meeting:
    """Some games of one way of playing against others."""

    part: Part
    one: int
    others: int

    @property
    def games(self) -> int:
        return self.part.games


def play_meeting(meeting: Meeting) -> npt.NDArray[np.float64]:
    """One way of playing against others, from every seat in turn: his part in each win. All
    choose blocks as the bots do: who is greedy by the first plan, the others by the last."""
    part = meeting.part
    games = np.arange(part.games)
    seats = np.full((part.games, part.kind.players), meeting.others)
    seat = (part.begin + games) // part.kind.players % part.kind.players
    seats[games, seat] = meeting.one
    plans = part.kind.plans[np.where(seats == GREED, 0, -1)]
    shares: npt.NDArray[np.float64] = play(part, seats, plans).shares
    return shares[games, seat]


@compiled
def _begin(data: Any, players: Any, first: int, seed: Any, number: int) -> None:
    start_game(data[0], players, first, seed, number)


@compiled
def _describe_after(
    data: Any, board: Any, players: Any, colours: Any, moves: Any, room: Any, notes: Any
) -> Any:
    """How the position looks to the mover after each of some placements; and at which moment."""
    each = len(colours)
    at = 0
    for i in range(len(moves)):
        board[0] = data[0]
        g = board[0]
        me = g.mover
        own, site, size = moves[i] // BUILDS, moves[i] % BUILDS // 4, moves[i] % 4 + 1
        g.tableau[me * each + own] -= np.uint32(1) << np.uint32(8 * (size - 1))
        place(g, players, colours, me * each + own, size, U64(1) << U64(site))
        put_down(g, me, U64(site % 9))
        describe(g, players, colours, me, room, notes[i])
        at = context(g, colours, blocks_on_tableau(g, colours, me))
    return at


@dataclass(frozen=True)
class Lessons(Part):
    """Some games that are thought over."""

    mind: Mind
    trials: int


def play_lessons(part: Lessons) -> Sums:
    """Games in which three of four turns are thought over. What the trials of each move came to
    is the lesson."""
    kind, mind, rng = part.kind, part.mind, part.random
    players, colours = (0,) * kind.players, (0,) * kind.schedule.colours
    room = np.zeros(1, ROOM).view(np.recarray)
    data, board = _start(kind), _start(kind)
    setup, plans = table_of(kind), part.plans(rng)
    notes: list[Any] = []
    rows: list[tuple[int, int, int, float]] = []
    for game in range(part.begin, part.end):
        _begin(data, players, game % kind.players, np.uint64(part.seed), game)
        # Three of four seats think; the fourth plays in any way there is.
        ways = rng.integers(GREED, len(mind.values), size=kind.players)
        thinks = rng.random(kind.players) < 0.75
        while data[0].phase != OVER:
            if data[0].phase == SELECT:
                choose_all_blocks(data, players, colours, plans[game - part.begin], WANDER)
                continue
            mover = int(data[0].mover)
            if data[0].phase != BUILD or not thinks[mover]:
                take_turn_once(data, players, colours, ways[mover], mind.values, WANDER, room)
                continue
            position = Position(setup, data.copy(), traced=True)
            thinker = Thinker(mind, position, int(rng.integers(2**63)))
            tried = thinker.try_out(thinker.candidates(), Limits(part.trials))
            moves = np.array([t.action for t in tried], np.int64)
            seen = np.zeros((len(tried), FEATURES), np.uint8)
            at = _describe_after(data, board, players, colours, moves, room, seen)
            question = len(notes)
            notes.append(seen)
            rows += [(at, question, t.trials, t.worth) for t in tried]
            choice = rng.integers(len(moves)) if rng.random() < WANDER / 1024 else 0
            position.act(int(moves[choice]))
            data = position.data
    if not rows:  # there was no thinker at any of the tables
        return Sums.none(kind.contexts)
    at_, question_, trials = np.array([row[:3] for row in rows], np.int64).T
    worth = np.array([row[3] for row in rows])
    return sums_of_lessons(kind.contexts, at_, question_, trials, np.concatenate(notes), worth)
