"""Trials: what a move leads to, in many deals of what can't be seen."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.judgement import search, thinking
from manhattan.judgement.mind import Kind, Mind
from manhattan.judgement.thinking import POINTS_WORTH, Limits, Thinker, Tried
from manhattan.kernel import Position
from manhattan.kernel.speed import start_of
from manhattan.kernel.step import deal_unseen
from manhattan.rules import Colour, set_up
from minds import ending, some_mind, thinker_at
from positions import crowded, position

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def test_the_same_seed_comes_to_the_same_whatever_the_slices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = ending()

    def think(seed: int, slice: int) -> list[Tried]:
        monkeypatch.setattr(thinking, "_SLICE", slice)
        thinker = thinker_at(state, seed)
        return thinker.try_out(thinker.candidates()[:3], Limits(18), for_all=True)

    once = think(1, 64)
    assert once == think(1, 1) == think(1, 5)
    assert [one.trials for one in once] == [7, 7, 3]
    assert once != think(2, 64)
    values = [one.worth for one in once[:2]]
    assert values == sorted(values, reverse=True)


def test_thinking_changes_nothing_on_the_table() -> None:
    thinker = thinker_at(ending())
    before = thinker.position.state()
    thinker.try_out(thinker.candidates()[:2], Limits(4))
    assert thinker.position.state() == before


def test_the_move_that_wins_at_once_is_found() -> None:
    """The very last turn of a game: blue is 5 points ahead and owns the tallest tower, worth 6
    with its city. Only who takes that tower wins by a point; anywhere else it is lost by two."""
    hands = {0: [1, 1, 5, 5]}
    last = position("A1:b3", tableaus={"orange": [4]}, hands=hands, round=4, start_player=1)
    at = Position.of_state(last)
    at.data[0].scores[:4] = [20, 25, 20, 10]
    thinker = thinker_at(at)
    tried = thinker.try_out(thinker.candidates(), Limits(1), for_all=True)
    assert len(tried) == 12
    best, *rest = tried
    assert str(at.move(best.action)) == "A1+4"
    assert best.chances == pytest.approx((1, 0, 0, 0))
    assert best.points == pytest.approx((26, 25, 20, 10))
    assert best.worth == pytest.approx(1 + POINTS_WORTH * (26 - (25 + 20 + 10) / 3))
    assert {one.chances for one in rest} == {(0, 1, 0, 0)}
    assert max(one.worth for one in rest) < 0.1


def test_a_shared_win_counts_in_parts() -> None:
    last = position(
        tableaus={"orange": [1]},
        players=3,
        hands={0: [5, 5, 5, 5]},
        round=6,
        house_rules={"final_tie": "shared"},
    )
    at = Position.of_state(last)
    at.data[0].scores[:3] = [4, 10, 10]  # a tower, a majority, the tallest: 6 points
    tried = thinker_at(at).try_out(at.legal_actions()[:1], Limits(2), for_all=True)
    assert tried[0].chances == pytest.approx((1 / 3,) * 3)
    assert tried[0].points == (10, 10, 10)


def test_points_and_chances_of_all_are_told_when_asked_for() -> None:
    """At the end of the game everybody gains at least what stands, and at most every tower, every
    city and the tallest."""
    at = Position.of_state(ending())
    at.data[0].scores[:3] = [11, 12, 13]
    thinker = thinker_at(at)
    moves = thinker.candidates()[:3]
    for one in thinker.try_out(moves, Limits(9), for_all=True):
        assert sum(one.chances) == pytest.approx(1)
        assert all(0 <= chance <= 1 for chance in one.chances)
        assert all(s < p < s + 30 for s, p in zip((11, 12, 13), one.points, strict=True))
    for one in thinker.try_out(moves, Limits(9)):
        assert one.chances == one.points == (0, 0, 0)


def with_answers(mind: Mind, win: float = 0, lead: float = 0, points: float = 0) -> Mind:
    """A mind that sees the same coming whatever it looks at: by default even odds, and no more
    points."""
    outlook = type(mind.outlook)(*(np.zeros_like(array) for array in mind.outlook))
    outlook.answer_bias[:] = [win, lead, points]
    return replace(mind, outlook=outlook)


def test_between_rounds_the_outlook_has_the_word() -> None:
    state = ending()
    state = state._replace(table=state.table._replace(round=3))
    at = Position.of_state(state)
    mind = some_mind(Kind.of(at.setup))
    moves = at.legal_actions()[:2]
    for one in Thinker(mind, at, 1).try_out(moves, Limits(4), for_all=True):
        assert sum(one.chances) == pytest.approx(1)
        assert len(set(one.chances)) == 3

    def told(**answers: float) -> list[Tried]:
        return Thinker(with_answers(mind, **answers), at, 1).try_out(moves, Limits(4), for_all=True)

    for one in told():
        assert one.chances == pytest.approx((1 / 3,) * 3)
        lead = one.points[0] - (one.points[1] + one.points[2]) / 2
        assert one.worth == pytest.approx(0.5 + POINTS_WORTH * lead)
        assert all(1 <= points <= 20 for points in one.points)
    # Tens of points to come: seven for each, and two of lead for the mover.
    for one, more in zip(told(), told(win=2, lead=0.2, points=0.7), strict=True):
        assert more.points == pytest.approx([points + 7 for points in one.points])
        assert more.worth - one.worth == pytest.approx(
            1 / (1 + np.exp(-2)) - 0.5 + 2 * POINTS_WORTH
        )


def test_a_choice_of_blocks_is_tried_to_the_end_of_the_round() -> None:
    """The others choose by their plans, and all build what they have chosen."""
    at = start_of(set_up(3))
    thinker = Thinker(with_answers(some_mind(Kind.of(at.setup))), at, 1)
    tried = thinker.try_out(thinker.candidates()[:2], Limits(2), for_all=True)
    for one in tried:  # twelve blocks: at most twelve towers, six cities and the tallest
        assert all(0 <= points <= 4 + 2 * 4 + 3 for points in one.points)
        assert 3 < sum(one.points) <= 12 + 2 * 6 + 3
        assert sum(one.chances) == pytest.approx(1)


def test_in_a_trial_too_who_can_build_nowhere_takes_a_block_out() -> None:
    """The last round on a board that is full of orange fours: the others have small blocks, and
    nothing that orange does can lose the game."""
    setup = set_up(4)
    boards = (crowded(setup, Random(seed), low=True) for seed in count())
    state = next(s for s in boards if [t.owner for t in s.table.board].count(Colour.ORANGE) > 50)
    at = Position.of_state(state._replace(table=state.table._replace(round=4)))
    tried = thinker_at(at).try_out(at.legal_actions()[:1], Limits(1), for_all=True)
    assert tried[0].chances == pytest.approx((1, 0, 0, 0))
    assert tried[0].points[0] > 50


def test_the_unseen_is_dealt_anew_for_every_trial_and_the_same_for_every_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = ending(mover=1)
    dealt: list[tuple[int, ...]] = []

    def deal(g: Any, players: Any, colours: Any, viewer: int) -> None:
        deal_unseen(g, players, colours, viewer)
        dealt.append(tuple(map(int, g.copies[:3])))

    monkeypatch.setattr(search, "deal_unseen", deal)
    at = Position.of_state(state)
    thinker_at(at).try_out(at.legal_actions()[:2], Limits(12))
    assert len(dealt) == 12
    assert {hands[1] for hands in dealt} == {int(at.data[0].copies[1])}
    assert len({hands[0] for hands in dealt}) > 3
    assert len({hands[2] for hands in dealt}) > 3
    assert dealt[:6] == dealt[6:]


def test_a_way_of_playing_comes_up_as_often_as_it_is_likely() -> None:
    g = start_of(set_up(3)).data[0]
    drawn = [search.draw_style(g, np.array([0.25, 0, 0.25, 0.5])) for _ in range(800)]
    assert np.bincount(drawn) == pytest.approx([200, 0, 200, 400], abs=50)


def test_others_play_as_they_are_thought_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the mover plays on in the best way."""
    playing: list[list[int]] = []
    finish = search.finish_round

    def watch(g: Any, players: Any, colours: Any, who: Any, *rest: Any) -> None:
        playing.append(who[:3].tolist())
        finish(g, players, colours, who, *rest)

    monkeypatch.setattr(search, "finish_round", watch)
    at = Position.of_state(ending())
    thinker = thinker_at(at, ways=2)
    sure = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.5, 0.5]])
    monkeypatch.setattr(thinker, "styles", lambda: sure)
    thinker.try_out(at.legal_actions()[:1], Limits(12))
    assert {(me, second) for me, second, _ in playing} == {(1, -1)}
    assert {third for _, _, third in playing} == {0, 1}
