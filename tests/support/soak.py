"""Soak test: a million whole games of the compiled kernel against the rules, move by move.

    PYTHONPATH=tests python -m support.soak --games 1000000 --workers 2 --seed 1

All kinds of tables have the same number of games. The seed, the kind and the number determine a
game, so that it can be played again:

    PYTHONPATH=tests python -m support.soak --seed 1 --only hig-2017,4 --number 17
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from manhattan.kernel import GAME, Position
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.layout import table_shape
from manhattan.rules import Result, Shuffled, State, apply, legal_moves
from support.game_trace import GameTrace, TraceWriter, record_trace
from support.lockstep_tables import KINDS, Kind, Start, group, setup_of, start_of
from support.trace_compare import DIFFERENCES, first_difference, set_cards

CHUNK: Final = 200
"""The games of one kind that a worker plays in a row: the rules cache towers, and those of other
colours would evict them."""

BIASES: Final = (1, 1, 3)
"""In one game of three, the players prefer some moves."""

LISTING_EVERY: Final = 4
"""One in this many games of a kind lists every legal move at every turn. The others count them and
add up their sites; what they follow from (blocks, hands, allowed sites) is always compared."""

START_EVERY: Final = 64
"""One in this many starts of a kind is compared, field by field, with the kernel's own record."""

STATE_EVERY: Final = 8
"""One in this many games of a kind is converted to a state of the rules at its end. That takes a
fifth of the time of a game, and all its parts have been compared by then."""

PROGRESS_INTERVAL_S: Final = 10.0
MAX_RECORDS: Final = 500
DECIDED_BY: Final = ("points", "tallest", "majorities", "shared")
COUNTED: Final = ("games", "moves", "redraws", "removals", "shuffles", "shared wins")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The first difference between the kernel and the rules, and how to reproduce it."""

    kind: str
    seed: int
    number: int
    ply: int
    what: str

    def __str__(self) -> str:
        return (
            f"The kernel disagrees at {self.kind}, game {self.number} of seed {self.seed}, "
            f"after {self.ply} moves: {self.what}.\nTo see it again: "
            f"python -m support.soak --seed {self.seed} --only {self.kind} --number {self.number}"
        )


@dataclass(slots=True)
class Tally:
    """The results of some games."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    disagreement: Disagreement | None = None

    def add(self, kind: str, counts: Counter[str]) -> None:
        self.counts.setdefault(kind, Counter()).update(counts)

    def total(self, what: str) -> int:
        return sum(counts[what] for counts in self.counts.values())

    def __str__(self) -> str:
        width = max(map(len, self.counts), default=0)
        rows: list[tuple[str, Sequence[str]]] = [("", COUNTED)]
        rows += [(kind, [f"{c[w]:,}" for w in COUNTED]) for kind, c in self.counts.items()]
        rows += [("total", [f"{self.total(what):,}" for what in COUNTED])]
        lines = [f"{name:{width}}" + "".join(f"{c:>13}" for c in cells) for name, cells in rows]
        return "\n".join([*lines, f"disagreements: {int(self.disagreement is not None)}"])


@cache
def _writer(kind: Kind) -> TraceWriter:
    return TraceWriter(setup_of(kind))


_records: dict[object, Any] = {}


def _record(start: Start) -> Any:
    """The kernel's record of a start without its cards. Cached: making it takes as long as a
    game."""
    if start.shared not in _records:
        if len(_records) >= MAX_RECORDS:
            _records.clear()
        _records[start.shared] = Position.from_state(start.dealt).data
    return _records[start.shared].copy()


def trace_of(kind: Kind, seed: int, number: int) -> GameTrace:
    """Play a game by the rules, and record it."""
    rng = Random(f"soak {seed} {kind.name} {number}")
    start = start_of(kind, seed, number, rng)
    listing = number % LISTING_EVERY == 0
    return record_trace(_writer(kind), start, rng, bias=rng.choice(BIASES), listing=listing)


def _start_differs(record: Any, start: Start) -> str | None:
    """The first field in which a record differs from the kernel's own record of the start."""
    whole = Position.from_state(start.state).data
    return next((f for f in GAME.names or () if not np.array_equal(record[f], whole[f])), None)


def difference(kind: Kind, trace: GameTrace, number: int) -> tuple[int, str] | None:
    """Replay a trace in the kernel; return the number of moves up to the first difference, and what
    differs."""
    setup = trace.end.public.setup
    players, colours = table_shape(len(setup.players), setup.schedule.colours)
    lines, actions, towers, piles = trace.arrays()
    record = _record(trace.start)
    set_cards(record, players, colours, lines[0])
    if number % START_EVERY == 0 and (field := _start_differs(record, trace.start)):
        return 0, f"the start, in {field}"
    result = trace.end.public.result
    assert isinstance(result, Result)
    ply, what = first_difference(
        record,
        players,
        colours,
        lines,
        actions,
        towers,
        piles,
        np.zeros(_writer(kind).action_space.size, np.uint8),
        sum(1 << player for player in result.winners),
        DECIDED_BY.index(result.decided_by),
    )
    if what:
        return ply, DIFFERENCES[what]
    if number % STATE_EVERY == 0 and Position(setup, record).state() != trace.end:
        return ply, "the whole state"
    return None


def play(kind: Kind, seed: int, number: int) -> tuple[Counter[str], Disagreement | None]:
    """Play one game in lockstep: its counts, and the first difference, if there is one."""
    try:
        trace = trace_of(kind, seed, number)
        first = difference(kind, trace, number)
    except Exception as error:
        error.add_note(f"{kind.name}, game {number} of seed {seed}")
        raise
    if first is None:
        return trace.counts, None
    return trace.counts, Disagreement(kind.name, seed, number, *first)


Chunk = tuple[Kind, range]
"""Games of one kind, by their numbers."""


def soak(seed: int, chunk: Chunk) -> Tally:
    """Play some games of one kind, up to the first disagreement."""
    kind, numbers = chunk
    tally = Tally()
    for number in numbers:
        counts, tally.disagreement = play(kind, seed, number)
        tally.add(kind.name, counts)
        if tally.disagreement:
            break
    return tally


def chunks_of(kinds: Sequence[Kind], games: int) -> list[Chunk]:
    """Split the games into chunks, with the same number of each kind, give or take one."""
    chunks: list[Chunk] = []
    most = -(-games // len(kinds))
    for begin in range(0, most, CHUNK):
        for place, kind in enumerate(kinds):
            own = (games - place + len(kinds) - 1) // len(kinds)
            if begin < own:
                chunks.append((kind, range(begin, min(begin + CHUNK, own))))
    return chunks


def warm_up(kinds: Sequence[Kind], seed: int) -> None:
    """Compile what these tables need, once, before the processes start."""
    for kind in {group(setup_of(kind)): kind for kind in kinds}.values():
        with announce_compilation(setup_of(kind), "soak test"):
            play(kind, seed, 0)


def _results(seed: int, chunks: Sequence[Chunk], workers: int) -> Iterator[Tally]:
    """Yield results in the order of the chunks: then the first disagreement is reproducible."""
    if workers == 1:
        yield from map(partial(soak, seed), chunks)
        return
    with ProcessPoolExecutor(workers) as pool:
        try:
            yield from pool.map(partial(soak, seed), chunks)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def soak_all(kinds: Sequence[Kind], seed: int, games: int, workers: int = 1) -> Tally:
    """Play many games on many cores, and print the progress."""
    warm_up(kinds, seed)
    tally = Tally({kind.name: Counter() for kind in kinds})
    start = reported = time.monotonic()
    for result in _results(seed, chunks_of(kinds, games), workers):
        for kind, counts in result.counts.items():
            tally.add(kind, counts)
        tally.disagreement = result.disagreement
        if tally.disagreement:
            break
        now, done = time.monotonic(), tally.total("games")
        if now - reported > PROGRESS_INTERVAL_S or done == games:
            reported, each = now, (now - start) / done
            _print(
                f"{done:,} of {games:,} games, {each * 1000:.2f} ms each, "
                f"{each * (games - done) / 60:.0f} min to go"
            )
    return tally


def show(kind: Kind, seed: int, number: int) -> Disagreement | None:
    """Play a game up to the first difference, and print both sides of it."""
    _, disagreement = play(kind, seed, number)
    trace = trace_of(kind, seed, number)
    if disagreement is None:
        _print(f"{kind.name}, game {number} of seed {seed}: no disagreement.")
        return None
    _print(str(disagreement))
    state = trace.start.state
    position = Position.from_state(state)
    for move in trace.moves[: disagreement.ply]:
        action = position.encode(move)
        state, events = apply(state, move, trace.start.chance)
        piles = [event.pile for event in events if isinstance(event, Shuffled)]
        position.apply(action, piles[0] or () if piles else ())
        _print(str(move))
    _compare(state, position)
    return disagreement


def _compare(state: State, position: Position) -> None:
    """Print all differences."""
    kernel = position.state()
    for name in state.public._fields:
        _print_difference(name, getattr(state.public, name), getattr(kernel.public, name))
    _print_difference("hands", state.hands, kernel.hands)
    _print_difference("pile", state.pile, kernel.pile)
    # The kernel's own scores: the rules compute those of its state.
    _print_difference("scores", state.public.scores, position.scores)
    if (result := state.public.result) and position.is_over:
        _print_difference("winners", (result.winners, result.decided_by), position.winners())
    moves = sorted(position.encode(move) for move in legal_moves(state))
    _print_difference("legal moves", moves, position.legal_actions())


def _print_difference(what: str, rules: object, kernel: object) -> None:
    if rules != kernel:
        _print(f"{what}\n  rules   {rules}\n  kernel  {kernel}")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS, help="one kind of table", metavar="KIND")
    parser.add_argument("--number", type=int, help="with --only: just this game, in detail")
    options = parser.parse_args()
    kinds = [KINDS[options.only]] if options.only else list(KINDS.values())
    if options.number is not None:
        if not options.only:
            parser.error("--number needs --only: each kind of table has its own game 0, 1, 2 ...")
        return int(show(kinds[0], options.seed, options.number) is not None)
    tally = soak_all(kinds, options.seed, options.games, options.workers)
    print(tally)
    if tally.disagreement:
        _print(str(tally.disagreement))
    return int(tally.disagreement is not None)


if __name__ == "__main__":
    sys.exit(main())
