"""The tutorial: exercises in positions of the real game.

It is stateless: the client sends all moves of the learner, and gets the position after them. The
page has the texts; here are the positions and the goals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from manhattan.projected_scores import ProjectedScores
from manhattan.rules import (
    DECK,
    Build,
    Colour,
    Event,
    IllegalMove,
    Move,
    Phase,
    SeedShuffler,
    Setup,
    State,
    apply,
    deal,
    parse_board,
    parse_move,
    set_up,
)
from manhattan.rules.blocks import FULL_STOCK, stock_of, subtract
from manhattan.rules.board import HAND_SIZE, Card, Site
from manhattan.rules.chance import SEED_BYTES
from manhattan.rules.scoring import Sheet, score_round
from manhattan.rules.towers import Board
from manhattan.server.protocol.responses import TutorialPlayer, TutorialStep
from manhattan.server.protocol.serialize import game_events, player_state, position, problem_of
from manhattan.view import view

LEARNER: Final = 0
_FOUR: Final = ("You", "Jonas", "Inês", "Tariq")
_TWO: Final = ("You", "Inês")
_CHANCE: Final = SeedShuffler(bytes(SEED_BYTES))
"""Everyone gets the same cards, so they need not be secret."""

Goal = Callable[[State, Move, State], bool]
"""Whether a move reaches the goal, given the states before and after it."""


# Goals.


def _any_move(_before: State, _move: Move, _after: State) -> bool:
    return True


def _starts_tower(before: State, move: Move, _after: State) -> bool:
    return isinstance(move, Build) and before.public.board[move.site].owner is None


def _raises_own_tower(before: State, move: Move, after: State) -> bool:
    if not isinstance(move, Build):
        return False
    return before.public.board[move.site].owner is after.public.board[move.site].owner


def _takes_tower(site: str, colour: Colour) -> Goal:
    """Return the goal that a move on a site makes its tower a colour's."""
    at = Site.parse(site)

    def goal(_before: State, move: Move, after: State) -> bool:
        return (
            isinstance(move, Build) and move.site == at and after.public.board[at].owner is colour
        )

    return goal


def _gains_most(before: State, move: Move, _after: State) -> bool:
    """Return whether no other move gains the learner more points, if the round ended after it."""
    options = ProjectedScores(before.public).placement_options(before.hand)
    gains = {
        build: changes[LEARNER] for colour in options for build, changes in colour.gains_by_move()
    }
    return isinstance(move, Build) and gains[move] == max(gains.values())


# Exercises.


@dataclass(frozen=True, slots=True)
class Exercise:
    """A position with the learner to move, and a goal."""

    board: str
    hand: tuple[Card, ...]
    tableaus: tuple[str, ...]
    """The blocks that each colour has left; if none has any, the learner selects blocks."""
    goal: Goal
    names: tuple[str, ...] = _FOUR
    round: int = 1
    start_player: int = LEARNER


EXERCISES: Final[Mapping[int, Exercise]] = MappingProxyType(
    {
        1: Exercise(  # the aim: a board to look at
            board="A2:o2 A5:b1o3 B6:b3 B2:p2y2 C5:o1 C7:p3 D4:y1 D8:b2p2o2 E2:y4 E9:p4 F1:y3 F5:b4",
            hand=(1, 3, 5, 8),
            tableaus=("11", "11", "12", "12"),
            goal=_any_move,
        ),
        2: Exercise(  # card, block, site
            board="A2:o2 C5:o1 B6:b3 A7:b2 D4:y1 F1:y3 E9:p4 B8:p1",
            hand=(3, 5, 7, 8),
            tableaus=("1234", "1124", "1224", "1233"),
            goal=_starts_tower,
        ),
        3: Exercise(  # where a card points
            board="A2:o2 B6:b3 D4:y1 E9:p4",
            hand=(1, 3, 5, 8),
            tableaus=("11234", "11223", "12234", "11233"),
            goal=_any_move,
        ),
        4: Exercise(  # raise your own tower
            board="A2:o2 C5:o1 E5:o2 B6:b3 A7:b2 F3:b1 D4:y1 F1:y3 D9:y2 E9:p4 B8:p1 C2:p1",
            hand=(1, 4, 5, 9),
            tableaus=("134", "124", "124", "233"),
            goal=_raises_own_tower,
        ),
        5: Exercise(  # take over a tower
            board="A2:o2 C5:o1b3 E1:o2 A7:b2 F3:b1 D4:y1 F1:y3 D9:y2 E9:p4 B8:p1 F8:p1",
            hand=(4, 5, 6, 9),
            tableaus=("123", "124", "124", "233"),
            goal=_takes_tower("C5", Colour.ORANGE),
        ),
        6: Exercise(  # select blocks
            board="A1:p1 A3:p3 A8:b4y4 A9:p2 B2:p1o4 B3:o1 B6:o2 B8:o2 C4:y1b2b2 C5:b3y3 C8:y1 "
            "C9:y3 D5:o1 D7:b2 E2:b1y4 E9:o1 F4:p4 F6:p2",
            hand=(2, 3, 5, 7),
            tableaus=("", "", "", ""),
            goal=_any_move,
            round=2,
        ),
        7: Exercise(  # the end of a round, and its scores; city F is empty
            board="A6:y1 A7:y1 A8:y2 B1:b4 B8:b1y1 B9:p1b4 C3:p2b4 C4:b1 C7:y3p3o3p4 C8:p2 C9:o2 "
            "D5:y2o2p4 E1:o2 E8:b2o3",
            hand=(3, 5, 8, 9),
            tableaus=("2", "", "", ""),
            goal=_any_move,
            start_player=1,
        ),
        8: Exercise(  # the best move
            board="A6:o2y2 A7:p4 A8:o3 A9:p2o3p1o1 B3:o3b4 B4:p1b2 C5:b2 C6:y1p1b4 D7:y4 E3:y2 "
            "E7:o1 F1:y1 F2:b3y4 F3:p1 F9:b4",
            hand=(1, 4, 7, 8),
            tableaus=("111244", "111223", "123333", "122334"),
            goal=_gains_most,
            round=2,
        ),
        9: Exercise(  # two players
            board="B5:b3 D2:o2 E7:o1 A6:y2 C1:y1 F4:p3",
            hand=(3, 4, 5, 8),
            tableaus=("12", "124", "33", "224"),
            goal=_takes_tower("B5", Colour.BLUE),
            names=_TWO,
        ),
    }
)


def try_moves(number: int, moves: Sequence[str]) -> TutorialStep:
    """Return an exercise after the learner's moves, of which the last one may be illegal.

    Mistakes are part of learning: the answer explains them, and browsers log no failed request.
    """
    try:
        return tutorial_step(number, moves)
    except IllegalMove as error:
        before = tutorial_step(number, moves[:-1])
        return msgspec.structs.replace(before, problem=problem_of(error.refusal))


def tutorial_step(number: int, moves: Sequence[str] = ()) -> TutorialStep:
    """Return an exercise after the learner's moves. An illegal move raises."""
    exercise, state = EXERCISES[number], exercise_state(number)
    events: tuple[Event, ...] = ()
    outcome: Literal["open", "solved", "missed"] = "open"
    for text in moves:
        before, move = state, parse_move(text)
        state, new_events = apply(before, move, _CHANCE, LEARNER)
        events += new_events
        outcome = "solved" if exercise.goal(before, move, state) else "missed"
    public = state.public
    return TutorialStep(
        number=number,
        steps=len(EXERCISES),
        edition=public.setup.edition,
        players=[
            TutorialPlayer(name=p.name, side=p.side.value, colours=[c.value for c in p.colours])
            for p in public.setup.players
        ],
        rounds=public.setup.schedule.rounds,
        blocks=public.setup.schedule.blocks,
        position=position(public, len(moves)),
        private=player_state(view(state, LEARNER)),
        game_events=game_events(events, public.setup, LEARNER),
        outcome=outcome,
        problem=None,
    )


@cache
def exercise_state(number: int) -> State:
    """Return the complete state of an exercise: blocks neither on the board nor on a tableau
    are in the supply, and a card was played for each block."""
    exercise = EXERCISES[number]
    setup = set_up(
        exercise.names, first=(exercise.start_player - exercise.round + 1) % len(exercise.names)
    )
    board = parse_board(exercise.board)
    blocks = [block for tower in board for block in tower.blocks]
    tableaus = tuple(stock_of(map(int, sizes)) for sizes in exercise.tableaus)
    cards = list(_CHANCE(number, DECK))
    for card in exercise.hand:
        cards.remove(card)
    other_hands = [
        tuple(sorted(cards[n : n + HAND_SIZE])) for n in range(0, HAND_SIZE * 3, HAND_SIZE)
    ]
    hands = (exercise.hand, *other_hands[: len(exercise.names) - 1])
    rest = cards[HAND_SIZE * (len(hands) - 1) :]
    public = deal(setup, _CHANCE).public._replace(
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
        round=exercise.round,
        start_player=exercise.start_player,
        mover=LEARNER,
        phase=Phase.BUILD if any(exercise.tableaus) else Phase.SELECT,
        sheets=_sheets(setup, board, exercise.round),
    )
    return State(public, hands, tuple(rest[len(blocks) :]))


def _sheets(setup: Setup, board: Board, round: int) -> tuple[Sheet, ...]:
    """Return the score sheets of the earlier rounds, as if the board had not changed since."""
    no_points = (0,) * len(setup.players)
    return (score_round(board, setup, 1, no_points),) if round > 1 else ()
