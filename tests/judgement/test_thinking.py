"""Thinking a move over: what is tried, how often, and how others are thought to play."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from manhattan.game import Game
from manhattan.judgement import reading, thinking
from manhattan.judgement.mind import Kind
from manhattan.judgement.plans import PLANS
from manhattan.judgement.search import FOR_ALL, WORTH
from manhattan.judgement.thinking import (
    MOST,
    PRIOR,
    Limits,
    Thinker,
    ThinkingError,
    Tried,
    thinker_for,
)
from manhattan.kernel import Position
from manhattan.kernel.speed import start_of
from manhattan.rules import Build, Phase, Select, Stock, legal_moves, set_up
from manhattan.rules.blocks import stock_of
from manhattan.view import view_of
from minds import ending, some_mind, thinker_at
from positions import play_out, position

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


# --- which moves are worth trying -------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_placements_that_look_best_are_tried(players: int) -> None:
    game = play_out(Game.new(players, seed=bytes(32)), until=players + 3)
    thinker = thinker_at(game.state, ways=2)
    tried = [thinker.position.move(action) for action in thinker.candidates()]
    assert len(tried) == MOST < len(game.legal_moves())
    assert set(tried) < set(game.legal_moves())
    values = thinker.values(1)
    assert set(values) == set(thinker.position.legal_actions())
    assert sorted(values, key=lambda action: -values[action])[:MOST] == thinker.candidates()


def test_if_there_are_few_placements_all_are_tried() -> None:
    state = position("A1:b4", tableaus={"orange": [1], "blue": [4]}, hands={0: [1, 1, 1, 1]})
    thinker = thinker_at(state)
    tried = {thinker.position.move(action) for action in thinker.candidates()}
    assert tried == set(legal_moves(state))
    assert len(tried) == 5


def test_ways_of_playing_are_counted_from_the_first_or_from_the_best() -> None:
    thinker = thinker_at(ending(), ways=3)
    values = [thinker.values(way) for way in range(3)]
    assert values[0] != values[2]
    for worth in values:
        assert list(worth.values()) == sorted(worth.values(), reverse=True)


def choices(thinker: Thinker) -> list[tuple[Stock, ...]]:
    """The blocks that are thought of, colour by colour."""
    moves = [thinker.position.move(action) for action in thinker.candidates()]
    assert all(isinstance(move, Select) for move in moves)
    return [tuple(map(stock_of, move.blocks)) for move in moves if isinstance(move, Select)]


def apart(one: tuple[Stock, ...], other: tuple[Stock, ...]) -> int:
    """How many blocks differ."""
    return int(np.abs(np.array(one) - np.array(other)).sum()) // 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_when_choosing_the_plan_is_tried_and_what_is_one_block_apart(players: int) -> None:
    thinker = thinker_at(start_of(set_up(players)))
    assert set(thinker.candidates()) <= set(thinker.position.legal_actions())
    planned, *others = choices(thinker)
    setup = thinker.position.setup
    assert planned == (PLANS[setup.schedule][-1][0],) * setup.schedule.colours
    assert {apart(planned, other) for other in others} == {1}
    assert len(set(others)) == len(others)
    for n, one in enumerate(planned):  # every colour has its turn
        changed = sum(other[n] != one for other in others)
        assert changed == len(others) / setup.schedule.colours
    if players == 4:  # 0042: a 3 or a 4 for any other size of which there is one
        assert len(others) == 2 + 3


def test_what_the_supply_lacks_is_not_thought_of() -> None:
    """The plan for the second round begins with what is left after the first; if somebody has
    played by another plan, the largest that are left take the place of what is gone."""
    start = start_of(set_up(4))
    g = start.data[0]
    g.round_number = 1
    g.supply[0] = np.uint32(8 + (1 << 8) + (4 << 16))  # no 4s, one 2: the plan wants 2301
    planned, *others = choices(thinker_at(start))
    assert planned == ((2, 1, 3, 0),)
    assert set(others) == {((3, 1, 2, 0),), ((1, 1, 4, 0),), ((2, 0, 4, 0),), ((3, 0, 3, 0),)}


def test_in_the_last_round_there_is_nothing_left_to_choose() -> None:
    state = position(players=3, phase=Phase.SELECT, round=6)
    left = (1, 2, 1, 0)
    thinker = thinker_at(state._replace(table=state.table._replace(supplies=(left,) * 3)))
    assert choices(thinker) == [(left,)]


def test_when_a_block_must_go_each_is_tried() -> None:
    blocks = {"orange": [1, 1, 3], "blue": [4, 4]}
    state = position("A5:y3", players=2, tableaus=blocks, phase=Phase.REMOVE)
    thinker = thinker_at(state)
    tried = {str(thinker.position.move(action)) for action in thinker.candidates()}
    assert tried == {str(move) for move in legal_moves(state)}
    assert len(tried) == 3


def test_a_game_that_is_over_is_not_thought_about() -> None:
    game = play_out(Game.new(3, seed=bytes(32)))
    with pytest.raises(ThinkingError, match="over"):
        thinker_at(game.state)


# --- how often each is tried ------------------------------------------------------------------


class MadeUp:
    """Trials that are not played: every move is worth what the test says, and takes a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, worth: Callable[[int, int], float]) -> None:
        self.worth, self.now = worth, 100.0
        self.calls: list[tuple[list[int], int, int]] = []
        monkeypatch.setattr(thinking, "try_moves", self._try)
        monkeypatch.setattr(thinking, "time", SimpleNamespace(monotonic=lambda: self.now))

    def _try(self, *given: Any) -> None:
        moves, begin, end, sums = given[4].tolist(), given[5], given[6], given[-1]
        if begin == end:  # that is only to have it compiled
            return
        self.calls.append((moves, begin, end))
        for i, move in enumerate(moves):
            for trial in range(begin, end):
                sums[i, WORTH] += self.worth(move, trial)
                chances, _, squares = sums[i, FOR_ALL:].reshape(3, -1)
                chances += self.worth(move, trial)
                squares += self.worth(move, trial) ** 2
                self.now += 1


def best_last(move: int, trial: int) -> float:
    return move / 1000


def counts(tried: list[Tried]) -> list[int]:
    return [one.trials for one in tried]


@pytest.mark.parametrize(
    ("moves", "trials", "expected"),
    [
        (4, 80, [30, 30, 10, 10]),  # 40 for four, 40 more for two
        (16, 256, [60, 60, 28, 28, *[12] * 4, *[4] * 8]),
        (5, 30, [10, 10, 5, 2, 2]),  # five, three, two
        (2, 7, [3, 3]),
        (1, 9, [9]),
        (8, 1, [3, 3, 2, 2, *[1] * 4]),  # fewer than one each there can't be
    ],
)
def test_the_worse_half_goes_and_the_rest_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, moves: int, trials: int, expected: list[int]
) -> None:
    made_up = MadeUp(monkeypatch, best_last)
    tried = thinker_at(ending()).try_out(list(range(moves)), Limits(trials))
    assert counts(tried) == expected
    assert [one.action for one in tried] == list(range(moves))[::-1]
    assert [one.worth for one in tried] == pytest.approx([m / 1000 for m in range(moves)][::-1])
    assert made_up.now - 100 == sum(expected)
    # Every move meets the trials with the same numbers, each once.
    met: dict[int, list[int]] = {}
    for together, begin, end in made_up.calls:
        for move in together:
            met.setdefault(move, []).extend(range(begin, end))
    assert met == {one.action: list(range(one.trials)) for one in tried}


def test_how_sure_it_is_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    MadeUp(monkeypatch, lambda move, trial: float(trial % 2 if move else 0.25))
    tried = thinker_at(ending()).try_out([0, 1], Limits(200))
    assert [(one.action, one.trials) for one in tried] == [(1, 100), (0, 100)]
    assert [one.worth for one in tried] == pytest.approx([0.5, 0.25])
    assert [one.errors for one in tried] == [pytest.approx((0.0503,) * 3, abs=1e-4), (0, 0, 0)]


def test_after_a_single_trial_nobody_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    MadeUp(monkeypatch, best_last)
    *_, least = thinker_at(ending()).try_out(list(range(8)), Limits(1))
    assert (least.trials, least.errors) == (1, (np.inf,) * 3)


def test_the_time_is_kept_and_every_stage_has_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four moves in forty seconds: five trials of all four in the first half, ten more of two in
    the second."""
    made_up = MadeUp(monkeypatch, best_last)
    monkeypatch.setattr(thinking, "_SLICE", 4)
    tried = thinker_at(ending()).try_out([0, 1, 2, 3], Limits(10**9, seconds=40))
    assert counts(tried) == [15, 15, 5, 5]
    assert made_up.now == 140


def test_without_any_time_every_move_is_still_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = MadeUp(monkeypatch, best_last)
    monkeypatch.setattr(thinking, "_SLICE", 2)
    tried = thinker_at(ending()).try_out([0, 1, 2, 3], Limits(1000, seconds=0))
    assert counts(tried) == [1, 1, 1, 1]
    assert [one.action for one in tried] == [3, 2, 1, 0]
    assert made_up.now == 104


def test_whoever_waits_may_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = MadeUp(monkeypatch, best_last)
    monkeypatch.setattr(thinking, "_SLICE", 8)
    asked: list[float] = []

    class Enough(Exception):
        """Somebody has left."""

    def pause() -> None:
        asked.append(made_up.now)
        if len(asked) == 4:
            raise Enough

    with pytest.raises(Enough):
        thinker_at(ending()).try_out([0, 1, 2, 3], Limits(1000, pause=pause))
    assert asked == [100, 108, 116, 124]
    assert made_up.now == 124


# --- what is thought of the others ------------------------------------------------------------


def test_of_those_who_were_not_watched_nothing_is_thought() -> None:
    thinker = thinker_at(ending(), ways=2)
    assert not thinker.position.traced
    assert thinker.styles() == pytest.approx(np.stack([thinker.mind.prior] * 3))


def test_who_was_watched_is_thought_to_play_on_like_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """But never quite: a part of what was thought before always stays."""

    def read(*given: Any) -> None:
        given[-1][:] = [[1, 1, 1], [0, 1, 0], [1, 0, 1]]

    monkeypatch.setattr(thinking, "read_styles_once", read)
    at = Position.of_state(ending())
    at.traced = True
    thinker = thinker_at(at)
    prior = thinker.mind.prior
    styles = thinker.styles()
    assert styles.sum(axis=1) == pytest.approx(1)
    assert styles[0] == pytest.approx(prior)
    assert styles[1] == pytest.approx(PRIOR * prior + (1 - PRIOR) * np.array([0, 1, 0]))
    fitting = np.array([prior[0], 0, prior[2]]) / (prior[0] + prior[2])
    assert styles[2] == pytest.approx(PRIOR * prior + (1 - PRIOR) * fitting)


def test_a_thinker_knows_what_its_player_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "mind_for", some_mind)
    monkeypatch.setattr(reading, "SAMPLES", 1)
    game = play_out(Game.new(3, seed=bytes(32)), until=9)
    mover = game.table.mover
    thinker = thinker_for(view_of(game, mover), seed=5)
    assert thinker.position.traced
    assert thinker.position.state().hands[mover] == game.state.hands[mover]
    tried = thinker.try_out(thinker.candidates()[:2], Limits(2))
    moves = [thinker.position.move(one.action) for one in tried]
    assert set(moves) <= set(game.legal_moves())
    assert all(isinstance(move, Build) for move in moves)
    assert thinker.mind.kind == Kind.of(game.setup)
