"""The tutorial's lessons: positions to try something in, by the real rules.

Nothing is kept of a learner: he tells his moves, and is told what has become of the position.
What a lesson says is the page's business; here is what stands on the board, and what is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from manhattan.rules import (
    DECK,
    Build,
    Colour,
    Event,
    Move,
    Phase,
    SeedShuffler,
    Setup,
    State,
    apply,
    deal,
    legal_moves,
    parse_board,
    parse_move,
    set_up,
)
from manhattan.rules.blocks import FULL_STOCK, stock_of, subtract
from manhattan.rules.board import HAND_SIZE, Card, Site
from manhattan.rules.chance import SEED_BYTES
from manhattan.rules.prospect import Standing
from manhattan.rules.scoring import Sheet, score_round
from manhattan.rules.towers import Board
from manhattan.server.answers import LessonTold
from manhattan.server.seen import events_told, own_told, position_told
from manhattan.view import view

LEARNER: Final = 0
_FOUR: Final = ("You", "Jonas", "Inês", "Tariq")
_TWO: Final = ("You", "Inês")
_CHANCE: Final = SeedShuffler(bytes(SEED_BYTES))
"""A lesson is the same for everybody, so nothing hangs on who knows its cards."""

Goal = Callable[[State, Move, State], bool]
"""Is a move what was asked for, given how things stood before it and stand after it?"""


# What can be asked for.


def _anything(_before: State, _move: Move, _after: State) -> bool:
    return True


def _new_tower(before: State, move: Move, _after: State) -> bool:
    return isinstance(move, Build) and before.table.board[move.site].owner is None


def _raised(before: State, move: Move, after: State) -> bool:
    if not isinstance(move, Build):
        return False
    return before.table.board[move.site].owner is after.table.board[move.site].owner


def _built(site: str, colour: Colour) -> Goal:
    """A certain tower was built on, and is a certain colour's now."""
    at = Site.parse(site)

    def goal(_before: State, move: Move, after: State) -> bool:
        return isinstance(move, Build) and move.site == at and after.table.board[at].owner is colour

    return goal


def _most_points(before: State, move: Move, _after: State) -> bool:
    """Nothing else would have brought the learner more, if the round ended then."""
    standing = Standing(before.table)
    gains = {
        build: standing.prospect(build).gains[LEARNER]
        for build in legal_moves(before)
        if isinstance(build, Build)
    }
    return isinstance(move, Build) and gains[move] == max(gains.values())


# The lessons.


@dataclass(frozen=True, slots=True)
class Lesson:
    """A position in which the learner is to move, and what he is asked for."""

    board: str
    hand: tuple[Card, ...]
    tableaus: tuple[str, ...]
    """What is left to build of each colour; where nothing is, blocks are to be chosen."""
    goal: Goal
    names: tuple[str, ...] = _FOUR
    round: int = 1
    start_player: int = LEARNER


LESSONS: Final[Mapping[int, Lesson]] = MappingProxyType(
    {
        1: Lesson(  # what a card names
            board="A2:o2 B6:b3 D4:y1 E9:p4",
            hand=(1, 3, 5, 8),
            tableaus=("11234", "11223", "12234", "11233"),
            goal=_anything,
        ),
        2: Lesson(  # card, block, site
            board="A2:o2 C5:o1 B6:b3 A7:b2 D4:y1 F1:y3 E9:p4 B8:p1",
            hand=(3, 5, 7, 8),
            tableaus=("1234", "1124", "1224", "1233"),
            goal=_new_tower,
        ),
        3: Lesson(  # one's own tower
            board="A2:o2 C5:o1 E5:o2 B6:b3 A7:b2 F3:b1 D4:y1 F1:y3 D9:y2 E9:p4 B8:p1 C2:p1",
            hand=(1, 4, 5, 9),
            tableaus=("134", "124", "124", "233"),
            goal=_raised,
        ),
        4: Lesson(  # somebody else's
            board="A2:o2 C5:o1b3 E1:o2 A7:b2 F3:b1 D4:y1 F1:y3 D9:y2 E9:p4 B8:p1 F8:p1",
            hand=(4, 5, 6, 9),
            tableaus=("123", "124", "124", "233"),
            goal=_built("C5", Colour.ORANGE),
        ),
        5: Lesson(  # choosing blocks
            board="A1:p1 A3:p3 A8:b4y4 A9:p2 B2:p1o4 B3:o1 B6:o2 B8:o2 C4:y1b2b2 C5:b3y3 C8:y1 "
            "C9:y3 D5:o1 D7:b2 E2:b1y4 E9:o1 F4:p4 F6:p2",
            hand=(2, 3, 5, 7),
            tableaus=("", "", "", ""),
            goal=_anything,
            round=2,
        ),
        6: Lesson(  # the last block of a round, and its points
            board="A6:y1 A7:y1 A8:y2 B8:b1y1 B9:p1b4 C3:p2b4 C4:b1 C7:y3p3o3p4 C8:p2 C9:o2 "
            "D5:y2o2p4 E1:o2 E8:b2o3 F6:b4",
            hand=(3, 5, 8, 9),
            tableaus=("2", "", "", ""),
            goal=_anything,
            start_player=1,
        ),
        7: Lesson(  # two players
            board="B5:b3 D2:o2 E7:o1 A6:y2 C1:y1 F4:p3",
            hand=(3, 4, 5, 8),
            tableaus=("12", "124", "33", "224"),
            goal=_built("B5", Colour.BLUE),
            names=_TWO,
        ),
        8: Lesson(  # the best move
            board="A6:o2y2 A7:p4 A8:o3 A9:p2o3p1o1 B3:o3b4 B4:p1b2 C5:b2 C6:y1p1b4 D7:y4 E3:y2 "
            "E7:o1 F1:y1 F2:b3y4 F3:p1 F9:b4",
            hand=(1, 4, 7, 8),
            tableaus=("111244", "111223", "123333", "122334"),
            goal=_most_points,
            round=2,
        ),
    }
)


# What is told of them.


def lesson_told(number: int, moves: Sequence[str] = ()) -> LessonTold:
    """A lesson after the learner's moves; one that the rules refuse raises."""
    lesson, state = LESSONS[number], start(number)
    events: tuple[Event, ...] = ()
    outcome: Literal["open", "solved", "missed"] = "open"
    for text in moves:
        before, move = state, parse_move(text)
        state, happened = apply(before, move, _CHANCE, LEARNER)
        events += happened
        outcome = "solved" if lesson.goal(before, move, state) else "missed"
    table = state.table
    return {
        "number": number,
        "lessons": len(LESSONS),
        "edition": table.setup.edition,
        "players": [
            {"name": p.name, "side": p.seat.value, "colours": [c.value for c in p.colours]}
            for p in table.setup.players
        ],
        "rounds": table.setup.schedule.rounds,
        "blocks": table.setup.schedule.blocks,
        "position": position_told(table, len(moves)),
        "own": own_told(view(state, LEARNER), lambda: Standing(table)),
        "events": events_told(events, table.setup, LEARNER),
        "outcome": outcome,
    }


@cache
def start(number: int) -> State:
    """A lesson's position, with all that a game at this point would have: what is not on the board
    or a tableau is in the supply, and a card was played for every block."""
    lesson = LESSONS[number]
    setup = set_up(lesson.names, first=(lesson.start_player - lesson.round + 1) % len(lesson.names))
    board = parse_board(lesson.board)
    blocks = [block for tower in board for block in tower.blocks]
    tableaus = tuple(stock_of(map(int, sizes)) for sizes in lesson.tableaus)
    cards = list(_CHANCE(number, DECK))
    for card in lesson.hand:
        cards.remove(card)
    others = [tuple(sorted(cards[n : n + HAND_SIZE])) for n in range(0, HAND_SIZE * 3, HAND_SIZE)]
    hands = (lesson.hand, *others[: len(lesson.names) - 1])
    rest = cards[HAND_SIZE * (len(hands) - 1) :]
    table = deal(setup, _CHANCE).table._replace(
        board=board,
        supplies=tuple(
            subtract(
                subtract(FULL_STOCK, tableau),
                stock_of(block.size for block in blocks if block.colour is colour),
            )
            for colour, tableau in zip(setup.colours, tableaus, strict=True)
        ),
        tableaus=tableaus,
        played=tuple(rest[: len(blocks)]),
        round=lesson.round,
        start_player=lesson.start_player,
        mover=LEARNER,
        phase=Phase.BUILD if any(lesson.tableaus) else Phase.SELECT,
        sheets=_sheets(setup, board, lesson.round),
    )
    return State(table, hands, tuple(rest[len(blocks) :]))


def _sheets(setup: Setup, board: Board, round: int) -> tuple[Sheet, ...]:
    """Those of the rounds before: a lesson in a later round has the board as it was scored."""
    nothing = (0,) * len(setup.players)
    return (score_round(board, setup, 1, nothing),) if round > 1 else ()
