"""A million whole games of the compiled kernel against the rules, compared after every move.

    python tests/lockstep/soak.py --games 1000000 --workers 2 --seed 1

Tables of every kind take turns, some games each. A game follows from the seed, its kind and its
number alone, so that one of them can be played again:

    python tests/lockstep/soak.py --seed 1 --only hig-2017,4 --number 17
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

from diary import Diary, Writer, write_diary
from manhattan.kernel import GAME, Position
from manhattan.kernel.warm import announced
from manhattan.rules import Result, Shuffled, State, apply, legal_moves
from rereading import DIFFERENCES, first_difference, lay_cards
from tables import KINDS, Kind, Start, group, start_of, table_of

CHUNK: Final = 200
"""So many games a worker plays at tables of one kind before it reports: the rules remember towers,
and those of other colours would only crowd them out."""

LEANS: Final = (1, 1, 3)
"""One game in three is played by players who lean towards some moves."""

LISTING_EVERY: Final = 4
"""Of so many games of a kind one lists every legal move at every turn. The others count them and
add up their sites; whatever they follow from (blocks, hands, who may build where) is compared
each time."""

START_EVERY: Final = 64
"""Of so many games of a kind one start is compared, field by field, with what the kernel itself
makes of it."""

STATE_EVERY: Final = 8
"""Of so many games of a kind one is made a state of the rules again at its end. It takes a fifth
of the time of a game, and everything that it is made of has been compared by then."""

TOLD_EVERY: Final = 10.0
MOST_RECORDS: Final = 500
DECIDED_BY: Final = ("points", "tallest", "majorities", "shared")
COUNTED: Final = ("games", "moves", "redraws", "removals", "shuffles", "shared wins")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where the kernel and the rules part, and how to get there again."""

    kind: str
    seed: int
    number: int
    ply: int
    what: str

    def __str__(self) -> str:
        return (
            f"The kernel disagrees at {self.kind}, game {self.number} of seed {self.seed}, "
            f"after {self.ply} moves: {self.what}.\nTo see it again: python "
            f"tests/lockstep/soak.py --seed {self.seed} --only {self.kind} --number {self.number}"
        )


@dataclass(slots=True)
class Tally:
    """What came of some games."""

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
        rows += [("together", [f"{self.total(what):,}" for what in COUNTED])]
        lines = [f"{name:{width}}" + "".join(f"{c:>13}" for c in cells) for name, cells in rows]
        return "\n".join([*lines, f"disagreements: {int(self.disagreement is not None)}"])


@cache
def _writer(kind: Kind) -> Writer:
    return Writer(table_of(kind))


_records: dict[object, Any] = {}


def _record(start: Start) -> Any:
    """The kernel's record of a start without its cards: made once, since that takes as long as
    a game."""
    if start.shared not in _records:
        if len(_records) >= MOST_RECORDS:
            _records.clear()
        _records[start.shared] = Position.of_state(start.dealt).data
    return _records[start.shared].copy()


def diary_of(kind: Kind, seed: int, number: int) -> Diary:
    """A game as the rules play it."""
    rng = Random(f"soak {seed} {kind.name} {number}")
    start = start_of(kind, seed, number, rng)
    listing = number % LISTING_EVERY == 0
    return write_diary(_writer(kind), start, rng, lean=rng.choice(LEANS), listing=listing)


def _start_differs(record: Any, start: Start) -> str | None:
    """The field in which a record is not as the kernel itself makes it of the start."""
    whole = Position.of_state(start.state).data
    return next((f for f in GAME.names or () if not np.array_equal(record[f], whole[f])), None)


def difference(kind: Kind, diary: Diary, number: int) -> tuple[int, str] | None:
    """Let the kernel play the game of a diary: after how many moves it differs, and in what."""
    setup = diary.end.table.setup
    players, colours = (0,) * len(setup.players), (0,) * setup.schedule.colours
    lines, numbers, towers, fates = diary.pages()
    record = _record(diary.start)
    lay_cards(record, players, colours, lines[0])
    if number % START_EVERY == 0 and (field := _start_differs(record, diary.start)):
        return 0, f"the start, in {field}"
    result = diary.end.table.result
    assert isinstance(result, Result)
    ply, what = first_difference(
        record,
        players,
        colours,
        lines,
        numbers,
        towers,
        fates,
        np.zeros(_writer(kind).numbering.size, np.uint8),
        sum(1 << player for player in result.winners),
        DECIDED_BY.index(result.decided_by),
    )
    if what:
        return ply, DIFFERENCES[what]
    if number % STATE_EVERY == 0 and Position(setup, record).state() != diary.end:
        return ply, "the whole state"
    return None


def play(kind: Kind, seed: int, number: int) -> tuple[Counter[str], Disagreement | None]:
    """One game in lockstep: what happened in it, and where the two part, if they do."""
    try:
        diary = diary_of(kind, seed, number)
        found = difference(kind, diary, number)
    except Exception as error:
        error.add_note(f"{kind.name}, game {number} of seed {seed}")
        raise
    if found is None:
        return diary.counts, None
    return diary.counts, Disagreement(kind.name, seed, number, *found)


Chunk = tuple[Kind, range]
"""Games of one kind, by their numbers."""


def soak(seed: int, chunk: Chunk) -> Tally:
    """Some games of one kind, up to the first disagreement."""
    kind, numbers = chunk
    tally = Tally()
    for number in numbers:
        counts, tally.disagreement = play(kind, seed, number)
        tally.add(kind.name, counts)
        if tally.disagreement:
            break
    return tally


def chunks_of(kinds: Sequence[Kind], games: int) -> list[Chunk]:
    """So many games, as many of each kind as of any other, give or take one."""
    chunks: list[Chunk] = []
    most = -(-games // len(kinds))
    for begin in range(0, most, CHUNK):
        for place, kind in enumerate(kinds):
            own = (games - place + len(kinds) - 1) // len(kinds)
            if begin < own:
                chunks.append((kind, range(begin, min(begin + CHUNK, own))))
    return chunks


def rehearse(kinds: Sequence[Kind], seed: int) -> None:
    """Compile whatever these tables need, once and before there are many processes."""
    for kind in {group(table_of(kind)): kind for kind in kinds}.values():
        with announced(table_of(kind), "the soak"):
            play(kind, seed, 0)


def _results(seed: int, chunks: Sequence[Chunk], workers: int) -> Iterator[Tally]:
    """In the order of the chunks, so that the first disagreement is always the same one."""
    if workers == 1:
        yield from map(partial(soak, seed), chunks)
        return
    with ProcessPoolExecutor(workers) as pool:
        try:
            yield from pool.map(partial(soak, seed), chunks)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def soak_all(kinds: Sequence[Kind], seed: int, games: int, workers: int = 1) -> Tally:
    """Many games on many cores, telling how far it is."""
    rehearse(kinds, seed)
    tally = Tally({kind.name: Counter() for kind in kinds})
    begun = told = time.monotonic()
    for result in _results(seed, chunks_of(kinds, games), workers):
        for kind, counts in result.counts.items():
            tally.add(kind, counts)
        tally.disagreement = result.disagreement
        if tally.disagreement:
            break
        now, done = time.monotonic(), tally.total("games")
        if now - told > TOLD_EVERY or done == games:
            told, each = now, (now - begun) / done
            _tell(
                f"{done:,} of {games:,} games, {each * 1000:.2f} ms each, "
                f"{each * (games - done) / 60:.0f} min to go"
            )
    return tally


def show(kind: Kind, seed: int, number: int) -> Disagreement | None:
    """Play a game up to where the two part, move by move, and tell what each says there."""
    _, parted = play(kind, seed, number)
    diary = diary_of(kind, seed, number)
    if parted is None:
        _tell(f"{kind.name}, game {number} of seed {seed}: no disagreement.")
        return None
    _tell(str(parted))
    state = diary.start.state
    position = Position.of_state(state)
    for move in diary.moves[: parted.ply]:
        action = position.action(move)
        state, events = apply(state, move, diary.start.chance)
        piles = [event.pile for event in events if isinstance(event, Shuffled)]
        position.act(action, piles[0] or () if piles else ())
        _tell(str(move))
    _compare(state, position)
    return parted


def _compare(state: State, position: Position) -> None:
    """Tell whatever the two say differently."""
    theirs = position.state()
    for name in state.table._fields:
        _tell_both(name, getattr(state.table, name), getattr(theirs.table, name))
    _tell_both("hands", state.hands, theirs.hands)
    _tell_both("pile", state.pile, theirs.pile)
    # The kernel's own sums: its state is scored by the rules once more.
    _tell_both("scores", state.table.scores, position.scores)
    if (result := state.table.result) and position.over:
        _tell_both("winners", (result.winners, result.decided_by), position.winners())
    moves = sorted(position.action(move) for move in legal_moves(state))
    _tell_both("legal moves", moves, position.legal_actions())


def _tell_both(what: str, rules: object, kernel: object) -> None:
    if rules != kernel:
        _tell(f"{what}\n  rules   {rules}\n  kernel  {kernel}")


def _tell(line: str) -> None:
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
        _tell(str(tally.disagreement))
    return int(tally.disagreement is not None)


if __name__ == "__main__":
    sys.exit(main())
