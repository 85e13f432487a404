"""Games between players who go by values, greed or chance, uncompiled."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.bots.greedy import worths
from manhattan.judgement import selfplay
from manhattan.judgement.features import FEATURES, TALLEST
from manhattan.judgement.mind import Kind
from manhattan.judgement.plans import affordable
from manhattan.judgement.selfplay import (
    CHANCE,
    GREED,
    NOBODY,
    choose_all_blocks,
    play_many,
    take_turn_once,
)
from manhattan.kernel import GAME, Position
from manhattan.kernel.layout import MULTISETS
from manhattan.kernel.position import unpacked
from manhattan.kernel.speed import start_of
from manhattan.rules import Phase, Setup, set_up
from manhattan.rules.blocks import FULL_STOCK, add
from minds import lengths, room, some_values
from positions import position

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

GAMES = 2
"""So many are played to look at."""


def no_plans(setup: Setup) -> Any:
    return np.full((len(setup.players), setup.schedule.rounds), -1, np.int64)


@dataclass
class Games:
    """Some games: room for what is kept of them, and what came of them."""

    setup: Setup
    seats: list[int]
    keep: int = 0
    learner: int = NOBODY

    def __post_init__(self) -> None:
        self.plans = np.stack([no_plans(self.setup)] * GAMES)
        self.notes = np.zeros((200, FEATURES), np.uint8)
        self.heads, self.gains = np.zeros((200, 3), np.int64), np.zeros((200, 2), np.float32)
        self.boards = np.zeros((GAMES, self.keep), GAME).view(np.recarray)
        self.scores = np.zeros((GAMES, len(self.seats)), np.int32)
        self.won = np.zeros(GAMES, np.uint8)

    def play(self, wander: int = 0) -> int:
        """Tells how many notes were made."""
        start = start_of(self.setup)
        noted: int = play_many(
            start.data,
            *lengths(start),
            np.array([self.seats] * GAMES),
            self.plans,
            some_values(Kind.of(self.setup), seed=1),
            wander,
            self.learner,
            np.uint64(1),
            0,
            room(),
            self.notes,
            self.heads,
            self.gains,
            self.boards,
            self.scores,
            self.won,
        )
        return noted


@pytest.mark.parametrize("players", [2, 4])
def test_a_learner_s_positions_are_noted_with_what_came_of_them(players: int) -> None:
    setup = set_up(players)
    plan = setup.schedule
    games = Games(setup, [0, GREED, CHANCE, CHANCE][:players], plan.rounds - 1, learner=0)
    games.plans[:, 0, 0] = MULTISETS[plan.blocks].index((plan.blocks, 0, 0, 0))
    noted = games.play(wander=100)
    turns = plan.blocks * plan.colours
    assert noted == GAMES * plan.rounds * (turns + 2)
    assert set(games.heads[:noted, 0]) == {0}
    assert set(games.heads[:noted, 1]) == set(range(Kind.of(setup).contexts))
    lead = games.scores[:, 0] - games.scores[:, 1:].mean(axis=1)
    begin = noted // GAMES
    assert games.gains[[0, begin], 0] == pytest.approx(lead)
    shares = [(bits & 1) / int(bits).bit_count() for bits in games.won.tolist()]
    assert games.gains[[0, begin], 1] == pytest.approx(shares)
    # From every later round on it is only what was gained since.
    for game in range(GAMES):
        for n in range(plan.rounds - 1):
            then = games.boards[game, n].scores[:players]
            since = games.scores[game] - then
            note = begin * game + (turns + 2) * (n + 1)
            assert games.gains[note, 0] == pytest.approx(since[0] - since[1:].mean())


def test_of_a_shared_win_each_has_his_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay, "winners", lambda *_: (0b101, 3))
    games = Games(set_up(3), [CHANCE, 0, 0], learner=CHANCE)
    noted = games.play(wander=1024)
    assert (games.gains[:noted, 1] == 0.5).all()
    assert (games.won == 0b101).all()


@pytest.mark.parametrize("keep", [3, 2])
def test_the_positions_between_two_rounds_are_kept(keep: int) -> None:
    """As many as there is room for: each is just scored, as the rules score it, and nobody has
    chosen his blocks yet."""
    games = Games(set_up(4), [CHANCE] * 4, keep)
    assert games.play() == 0
    for game in range(GAMES):
        for n in range(keep):
            kept = Position(games.setup, games.boards[game, n : n + 1])
            table = kept.state().table
            assert (table.round, table.phase) == (n + 2, Phase.SELECT)
            assert table.mover == table.start_player == (game + n + 1) % 4
            assert not any(map(any, table.tableaus))
            assert table.scores == kept.scores  # the sheets are written anew, by the rules
            assert int(kept.data[0].built) + sum(map(sum, table.taken_out)) == (n + 1) * 24


def test_what_is_kept_after_a_round_still_stands_after_the_next() -> None:
    games = Games(set_up(3), [GREED] * 3, keep=5)
    games.play()
    for boards, scores in zip(games.boards, games.scores, strict=True):
        for earlier, later in pairwise(boards):
            assert later.built > earlier.built
            assert (later.log[: earlier.built] == earlier.log[: earlier.built]).all()
            assert (later.scores >= earlier.scores).all()
        assert (scores > boards[-1].scores[:3]).all()


# --- choosing blocks --------------------------------------------------------------------------


def chosen(setup: Setup, first: list[int], wander: int = 0, seed: int = 0) -> Position:
    """A game in which all have chosen, each by a plan for the first round."""
    start = start_of(setup)
    start.data[0].random = np.uint64(seed)
    plans = no_plans(setup)
    plans[:, 0] = first
    choose_all_blocks(start.data, *lengths(start), plans, wander)
    return start


def test_everybody_chooses_what_his_plan_says() -> None:
    ada, bob = (1, 0, 1, 2), (0, 2, 2, 0)
    start = chosen(set_up(2, first=1), [MULTISETS[4].index(ada), MULTISETS[4].index(bob)])
    table = start.state().table
    assert table.tableaus == (ada, ada, bob, bob)
    assert table.supplies == ((10, 6, 3, 1),) * 2 + ((11, 4, 2, 3),) * 2
    assert (table.phase, table.mover) == (Phase.BUILD, 1)
    assert start.legal_actions()


def test_a_plan_for_blocks_that_are_not_there_gives_way() -> None:
    """There are three 4s, so nobody can take four; and the last player has no plan at all."""
    too_many = MULTISETS[4].index((0, 0, 0, 4))
    table = chosen(set_up(3), [too_many, too_many, -1]).state().table
    assert table.tableaus[:2] == ((0, 0, 1, 3),) * 2
    assert sum(table.tableaus[2]) == 4
    assert [add(*both) for both in zip(table.tableaus, table.supplies, strict=True)] == [
        (11, 6, 4, 3)
    ] * 3


@pytest.mark.parametrize("blocks", [4, 6])
def test_what_is_not_to_be_had_is_made_up_as_the_bots_do_it(blocks: int) -> None:
    rng = Random(1)
    setup = set_up(3, house_rules={"three_players": "4x6" if blocks == 4 else "6x4"})
    for _ in range(200):
        start = start_of(setup)
        ones, twos, threes, fours = (rng.randint(0, most) for most in FULL_STOCK)
        supply = (ones, twos, threes, fours)
        if sum(supply) < blocks:
            continue
        start.data[0].supply[0] = sum(n << 8 * t for t, n in enumerate(supply))
        n, wanted = rng.choice(list(enumerate(MULTISETS[blocks])))
        plans = no_plans(setup)
        plans[0, 0] = n
        choose_all_blocks(start.data, *lengths(start), plans, 0)
        taken = unpacked(start.data[0].tableau[0])
        assert taken == affordable(wanted, supply)
        assert add(taken, unpacked(start.data[0].supply[0])) == supply


def test_who_always_wanders_follows_no_plan() -> None:
    ones = MULTISETS[4].index((4, 0, 0, 0))
    games = [chosen(set_up(3), [ones] * 3, 1024, seed) for seed in range(5)]
    assert len({tableau for game in games for tableau in game.state().table.tableaus}) > 5
    planned = [chosen(set_up(3), [ones] * 3, 0, seed) for seed in range(5)]
    assert {t for game in planned for t in game.state().table.tableaus} == {(4, 0, 0, 0)}


# --- a single turn ----------------------------------------------------------------------------

TABLEAUS = {"orange": [1, 2], "blue": [3], "yellow": [1], "purple": [4]}


def turn(position: Position, who: int, weights: Any, wander: int = 0) -> None:
    take_turn_once(position.data, *lengths(position), who, weights, wander, room())


def test_a_greedy_turn_makes_the_best_placement_and_passes_on() -> None:
    state = position("A1:b2 A2:b1 B1:y3 C1:p4", tableaus=TABLEAUS, hands={0: [1, 2, 3, 5]})
    played = Position.of_state(state)
    turn(played, GREED, some_values(Kind.of(state.table.setup)))
    found = dict(worths(state.table, state.hand))
    table = played.state().table
    changed = [n for n, tower in enumerate(table.board) if tower != state.table.board[n]]
    assert len(changed) == 1
    made = next(b for b in found if b.site == changed[0] and not table.tableaus[0][b.size - 1])
    assert found[made] == max(found.values())
    assert (table.mover, table.phase) == (1, Phase.BUILD)
    assert len(played.state().hands[0]) == 4
    assert len(table.played) == len(state.table.played) + 1


def test_a_turn_by_value_goes_by_what_counts_at_this_moment() -> None:
    """Orange has two blocks to build: after this turn one is left, and for that moment he has
    learned to love height. At all others he would stay low."""
    state = position("A1:o3 B1:y1", tableaus=TABLEAUS, hands={0: [1, 2, 3, 5]}, round=2)
    kind = Kind.of(state.table.setup)
    weights = np.zeros((2, kind.contexts, FEATURES), np.float32)
    love = np.repeat(np.arange(13), 3)  # the more he is ahead, the better
    weights[1, :, TALLEST : TALLEST + 39] = -love[None]
    now = (state.table.round - 1) * (kind.schedule.blocks + 2) + 1
    weights[1, now, TALLEST : TALLEST + 39] = love
    played = Position.of_state(state)
    turn(played, 1, weights)
    assert str(played.state().table.board[0]) == "o3o2"


def test_chance_does_anything_and_so_does_who_wanders_all_the_time() -> None:
    state = position("A1:o3", tableaus=TABLEAUS, hands={0: [1, 2, 3, 5]})
    values = some_values(Kind.of(state.table.setup))

    def boards(who: int, wander: int) -> int:
        made = [Position.of_state(state, seed) for seed in range(8)]
        for played in made:
            turn(played, who, values, wander)
        return len({played.state().table.board for played in made})

    assert boards(0, 0) == 1
    assert min(boards(CHANCE, 0), boards(GREED, 1024), boards(0, 1024)) > 4


def test_after_the_last_turn_the_round_is_scored() -> None:
    state = position("A1:o3", tableaus={"orange": [2]}, hands={0: [1, 1, 1, 1]}, start_player=1)
    played = Position.of_state(state)
    turn(played, GREED, some_values(Kind.of(state.table.setup)))
    table = played.state().table
    assert (table.round, table.phase, table.mover) == (2, Phase.SELECT, 2)
    # He has gone to another city: two towers, two majorities and the tallest.
    assert played.scores == (2 + 2 * 2 + 3, 0, 0, 0)


def test_whoever_can_build_nowhere_takes_a_block_out() -> None:
    blocks = {colour.value: [1, 1, 3] for colour in set_up(4).colours}
    stuck = position("A5:b3", tableaus=blocks, phase=Phase.REMOVE, round=4, mover=2)
    taken = set()
    for seed in range(6):
        played = Position.of_state(stuck, seed)
        turn(played, 0, some_values(Kind.of(stuck.table.setup)))
        after = played.state()
        assert (after.table.board, after.hands) == (stuck.table.board, stuck.hands)
        assert (after.table.mover, after.table.phase) == (3, Phase.BUILD)
        assert add(after.table.tableaus[2], after.table.taken_out[2]) == (2, 0, 1, 0)
        taken.add(after.table.taken_out)
    nothing = (0, 0, 0, 0)
    assert taken == {(nothing, nothing, one, nothing) for one in [(1, 0, 0, 0), (0, 0, 1, 0)]}
