"""A trace: a game as the rules play it, recorded in numbers.

Every line has the whole state before a move, and then the move. The kernel replays the trace in one
compiled call and is compared with every line (``trace_compare``): that is ten times as fast as
comparing from Python.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from random import Random
from struct import Struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.kernel import ActionSpace
from manhattan.rules import (
    DECK,
    SITES,
    Build,
    Colour,
    Event,
    Move,
    Phase,
    Redrew,
    Remove,
    Removed,
    Setup,
    Shuffled,
    State,
    Tower,
    apply,
    legal_moves,
)
from support.lockstep_tables import Start

# The first columns of a line ...
ACTION, LEGAL, SITES_SUM, LISTED, TOWERS, PILE_CARDS = range(6)
MOVER, PHASE, ROUND, START, SHUFFLES, PILE, PLAYED = range(6, 13)
HEAD: Final = 13
"""... then scores; supplies, tableaus and removed blocks, colour by colour; hands, pile and played
cards."""

# The first columns of a tower, before each colour's floors and smallest legal block.
SITE, HEIGHT, OWNER, TOP = range(4)
TOWER_HEAD: Final = 4

NO_ACTION: Final = -1
MAX_CACHED: Final = 50_000
_PHASES: Final = {phase: number for number, phase in enumerate(Phase)}
_flat: Final = chain.from_iterable
_site: Final = attrgetter("site")


class _IdentityCache:
    """Values for objects that the rules reuse, found by identity: hashing a move or a tower takes
    longer than all the rest."""

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self._kept: list[object] = []

    def add(self, thing: object, value: object) -> None:
        if len(self._kept) > MAX_CACHED:
            self.values.clear()
            self._kept.clear()
        self._kept.append(thing)  # keeps its identity from being reused
        self.values[id(thing)] = value


class TraceWriter:
    """Writes the traces of all games at tables with the same colours."""

    def __init__(self, setup: Setup) -> None:
        self.action_space = ActionSpace.for_setup(setup)
        self.colours = setup.colours
        width = HEAD + len(setup.players) + 3 * 4 * len(setup.colours) + len(DECK)
        self.line = Struct(f"<{width}h")
        self._own = [player.colours for player in setup.players]
        self._actions = [_IdentityCache() for _ in setup.players]
        self._towers = _IdentityCache()

    def action(self, move: Move, mover: int) -> int:
        """The action of a move."""
        cache = self._actions[mover]
        action: int | None = cache.values.get(id(move))
        if action is None:
            action = self.action_space.encode(move, self._own[mover])
            if not isinstance(move, Remove):  # the rules don't reuse these
                cache.add(move, action)
        return action

    def actions(self, moves: tuple[Move, ...], mover: int) -> list[int]:
        """The actions of moves."""
        try:
            return list(map(self._actions[mover].values.__getitem__, map(id, moves)))
        except KeyError:
            return [self.action(move, mover) for move in moves]

    def tower(self, tower: Tower) -> bytes:
        """The columns of a tower except its site."""
        columns: bytes | None = self._towers.values.get(id(tower))
        if columns is None:
            columns = _tower_columns(tower, self.colours)
            self._towers.add(tower, columns)
        return columns


def _tower_columns(tower: Tower, colours: tuple[Colour, ...]) -> bytes:
    top = tower.blocks[-1]
    return bytes(
        (
            tower.height,
            colours.index(top.colour),
            top.size,
            *(tower.floors.get(colour, 0) for colour in colours),
            *(tower.min_size[colour] for colour in colours),
        )
    )


@dataclass(slots=True)
class GameTrace:
    """A whole game."""

    start: Start
    end: State
    moves: list[Move] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lines: bytearray = field(default_factory=bytearray)
    """Two bytes per column."""
    actions: list[int] = field(default_factory=list)
    """All legal actions, line by line."""
    towers: bytearray = field(default_factory=bytearray)
    """The towers at the start, and each tower after a block was built on it."""
    piles: bytearray = field(default_factory=bytearray)
    """The shuffled piles, as kinds 0 to 8."""

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """Lines, actions, towers and piles as arrays."""
        return (
            np.frombuffer(self.lines, "<i2").reshape(len(self.moves) + 1, -1),
            np.array(self.actions, np.int16),
            np.frombuffer(self.towers, np.uint8).reshape(
                -1, TOWER_HEAD + 2 * len(self.end.public.setup.colours)
            ),
            np.frombuffer(self.piles, np.uint8),
        )


def record_trace(
    writer: TraceWriter, start: Start, rng: Random, *, bias: int = 1, listing: bool = True
) -> GameTrace:
    """Play a whole game by the rules and record it.

    With a bias above 1, the players prefer the first of the legal moves: small blocks, low cards,
    the same few cities. That makes higher towers and empty supplies.

    Without listing, the trace has the number of legal moves, and for placements the sum of their
    sites, but not each of them: encoding all takes as long as making the move."""
    state, chance = start.state, start.chance
    trace = GameTrace(start, state)
    towers = _record_board(trace, writer)
    while moves := legal_moves(state):
        phase, mover = state.public.phase, state.public.mover
        chosen = int(rng.random() ** bias * len(moves))
        move = moves[chosen]
        listed = 0
        if listing or phase is Phase.REMOVE:
            listed = len(moves)
            trace.actions += writer.actions(moves, mover)
        sites = sum(map(_site, moves)) if phase is Phase.BUILD else 0
        turn = (writer.action(move, mover), len(moves), sites, listed, towers)
        after, events = apply(state, move, chance)
        pile_cards = (
            _record_events(trace, events) if len(events) > 1 or phase is Phase.REMOVE else 0
        )
        trace.moves.append(move)
        trace.lines += _line(writer, state, turn, pile_cards)
        towers = 0
        if isinstance(move, Build):
            towers = 1
            trace.towers += bytes((move.site,)) + writer.tower(after.public.board[move.site])
        state = after
    trace.lines += _line(writer, state, (NO_ACTION, 0, 0, 0, towers), 0)
    trace.end = state
    _count_totals(trace)
    return trace


def _record_board(trace: GameTrace, writer: TraceWriter) -> int:
    """Record the towers at the start; return their number."""
    towers = [(s, t) for s, t in zip(SITES, trace.end.public.board, strict=True) if t.blocks]
    for site, tower in towers:
        trace.towers += bytes((site,)) + writer.tower(tower)
    return len(towers)


def _record_events(trace: GameTrace, events: tuple[Event, ...]) -> int:
    """Count rare events, and record a shuffled pile; return its number of cards."""
    pile_cards = 0
    for event in events:
        if isinstance(event, Shuffled):
            assert event.pile is not None
            trace.piles += bytes(card - 1 for card in event.pile)
            pile_cards += len(event.pile)
        elif isinstance(event, Redrew):
            trace.counts["redraws"] += 1
        elif isinstance(event, Removed):
            trace.counts["removals"] += 1
    return pile_cards


def _line(writer: TraceWriter, state: State, turn: tuple[int, ...], pile_cards: int) -> bytes:
    public, hands, pile = state
    played = public.played
    return writer.line.pack(
        *turn,
        pile_cards,
        public.mover,
        _PHASES[public.phase],
        public.round,
        public.start_player,
        public.shuffles,
        len(pile),
        len(played),
        *public.scores,
        *_flat(public.supplies),
        *_flat(public.tableaus),
        *_flat(public.taken_out),
        *_flat(hands),
        *pile,
        *played,
    )


def _count_totals(trace: GameTrace) -> None:
    result = trace.end.public.result
    assert result is not None
    trace.counts["games"] = 1
    trace.counts["moves"] = len(trace.moves)
    trace.counts["shuffles"] = trace.end.public.shuffles - 1
    trace.counts["shared wins"] = int(len(result.winners) > 1)
