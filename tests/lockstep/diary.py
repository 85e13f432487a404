"""A game as the rules play it, written down turn by turn in numbers.

Every line tells all that lies on the table and in the hands before a move, and then the move. The
kernel plays the same game with the diary in its hand, in one compiled call, and is compared with
every line of it (``rereading``): that is ten times as fast as comparing from Python.
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

from manhattan.kernel import Numbering
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
from tables import Start

# What a line of the diary begins with ...
ACTION, LEGAL, SITES_SUM, LISTED, TOWERS, FATE = range(6)
MOVER, PHASE, ROUND, START, SHUFFLES, PILE, PLAYED = range(6, 13)
HEAD: Final = 13
"""... then scores; supplies, tableaus and blocks taken out, colour by colour; hands, pile and
played cards."""

# What an entry for a tower begins with, before each colour's floors and smallest block.
SITE, HEIGHT, OWNER, TOP = range(4)
TOWER_HEAD: Final = 4

NO_ACTION: Final = -1
MOST_KNOWN: Final = 50_000
_PHASES: Final = {phase: number for number, phase in enumerate(Phase)}
_flat: Final = chain.from_iterable
_site: Final = attrgetter("site")


class _Known:
    """Facts about things that the rules keep and hand out again and again, found by identity:
    to hash a move or a tower takes longer than all the rest."""

    def __init__(self) -> None:
        self.facts: dict[int, Any] = {}
        self._kept: list[object] = []

    def learn(self, thing: object, fact: object) -> None:
        if len(self._kept) > MOST_KNOWN:
            self.facts.clear()
            self._kept.clear()
        self._kept.append(thing)  # as long as it is kept, no other thing has its identity
        self.facts[id(thing)] = fact


class Writer:
    """Writes the diaries of all games at tables with the same colours."""

    def __init__(self, setup: Setup) -> None:
        self.numbering = Numbering.of(setup)
        self.colours = setup.colours
        width = HEAD + len(setup.players) + 3 * 4 * len(setup.colours) + len(DECK)
        self.line = Struct(f"<{width}h")
        self._own = [player.colours for player in setup.players]
        self._numbers = [_Known() for _ in setup.players]
        self._towers = _Known()

    def number(self, move: Move, mover: int) -> int:
        """The kernel's number of a move."""
        known = self._numbers[mover]
        number: int | None = known.facts.get(id(move))
        if number is None:
            number = self.numbering.number(move, self._own[mover])
            if not isinstance(move, Remove):  # those are made anew each time
                known.learn(move, number)
        return number

    def numbers(self, moves: tuple[Move, ...], mover: int) -> list[int]:
        """The kernel's numbers of some moves."""
        try:
            return list(map(self._numbers[mover].facts.__getitem__, map(id, moves)))
        except KeyError:
            return [self.number(move, mover) for move in moves]

    def tower(self, tower: Tower) -> bytes:
        """Everything but the site that the diary tells of a tower."""
        facts: bytes | None = self._towers.facts.get(id(tower))
        if facts is None:
            facts = _facts(tower, self.colours)
            self._towers.learn(tower, facts)
        return facts


def _facts(tower: Tower, colours: tuple[Colour, ...]) -> bytes:
    top = tower.blocks[-1]
    return bytes(
        (
            tower.height,
            colours.index(top.colour),
            top.size,
            *(tower.floors.get(colour, 0) for colour in colours),
            *(tower.smallest_for(colour) for colour in colours),
        )
    )


@dataclass(slots=True)
class Diary:
    """A whole game."""

    start: Start
    end: State
    moves: list[Move] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lines: bytearray = field(default_factory=bytearray)
    """Two bytes a number."""
    numbers: list[int] = field(default_factory=list)
    """The numbers of all legal moves, line by line."""
    towers: bytearray = field(default_factory=bytearray)
    """Those that stood from the start, and what became of each that was built on."""
    fates: bytearray = field(default_factory=bytearray)
    """The piles that were shuffled, as kinds 0 to 8."""

    def pages(self) -> tuple[npt.NDArray[Any], ...]:
        """The same as arrays: lines, numbers, towers and fates."""
        return (
            np.frombuffer(self.lines, "<i2").reshape(len(self.moves) + 1, -1),
            np.array(self.numbers, np.int16),
            np.frombuffer(self.towers, np.uint8).reshape(
                -1, TOWER_HEAD + 2 * len(self.end.table.setup.colours)
            ),
            np.frombuffer(self.fates, np.uint8),
        )


def write_diary(
    writer: Writer, start: Start, rng: Random, *, lean: int = 1, listing: bool = True
) -> Diary:
    """Play a whole game by the rules. Who leans prefers the first of the legal moves: small
    blocks, low cards, the same few cities. That makes higher towers and empty supplies.

    Without listing, the diary tells how many moves are legal, and for placements the sum of their
    sites, but not each of them: to find the numbers of all takes as long as to make the move."""
    state, chance = start.state, start.chance
    diary = Diary(start, state)
    told = _note_board(diary, writer)
    while moves := legal_moves(state):
        phase, mover = state.table.phase, state.table.mover
        chosen = int(rng.random() ** lean * len(moves))
        move = moves[chosen]
        listed = 0
        if listing or phase is Phase.REMOVE:
            listed = len(moves)
            diary.numbers += writer.numbers(moves, mover)
        sites = sum(map(_site, moves)) if phase is Phase.BUILD else 0
        turn = (writer.number(move, mover), len(moves), sites, listed, told)
        after, events = apply(state, move, chance)
        fate = _note(diary, events) if len(events) > 1 or phase is Phase.REMOVE else 0
        diary.moves.append(move)
        diary.lines += _line(writer, state, turn, fate)
        told = 0
        if isinstance(move, Build):
            told = 1
            diary.towers += bytes((move.site,)) + writer.tower(after.table.board[move.site])
        state = after
    diary.lines += _line(writer, state, (NO_ACTION, 0, 0, 0, told), 0)
    diary.end = state
    _sum_up(diary)
    return diary


def _note_board(diary: Diary, writer: Writer) -> int:
    """Note the towers that stand from the start; how many there are."""
    standing = [(s, t) for s, t in zip(SITES, diary.end.table.board, strict=True) if t.blocks]
    for site, tower in standing:
        diary.towers += bytes((site,)) + writer.tower(tower)
    return len(standing)


def _note(diary: Diary, events: tuple[Event, ...]) -> int:
    """Count what is rare, and note a shuffled pile; how many cards it has."""
    fate = 0
    for event in events:
        if isinstance(event, Shuffled):
            assert event.pile is not None
            diary.fates += bytes(card - 1 for card in event.pile)
            fate += len(event.pile)
        elif isinstance(event, Redrew):
            diary.counts["redraws"] += 1
        elif isinstance(event, Removed):
            diary.counts["removals"] += 1
    return fate


def _line(writer: Writer, state: State, turn: tuple[int, ...], fate: int) -> bytes:
    table, hands, pile = state
    played = table.played
    return writer.line.pack(
        *turn,
        fate,
        table.mover,
        _PHASES[table.phase],
        table.round,
        table.start_player,
        table.shuffles,
        len(pile),
        len(played),
        *table.scores,
        *_flat(table.supplies),
        *_flat(table.tableaus),
        *_flat(table.taken_out),
        *_flat(hands),
        *pile,
        *played,
    )


def _sum_up(diary: Diary) -> None:
    result = diary.end.table.result
    assert result is not None
    diary.counts["games"] = 1
    diary.counts["moves"] = len(diary.moves)
    diary.counts["shuffles"] = diary.end.table.shuffles - 1
    diary.counts["shared wins"] = int(len(result.winners) > 1)
