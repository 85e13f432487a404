"""Playout policies: planned selections, and turns by value, greedily or at random."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.ai.features import FEATURE_COUNT, TALLEST
from manhattan.ai.model import Kind
from manhattan.ai.playout_policy import Policies, new_policy_memory
from manhattan.ai.selection_plans import affordable
from manhattan.ai.training.self_play import play_turn, select_all_blocks
from manhattan.bench.kernel import dealt_position
from manhattan.bots.greedy import lead_gains
from manhattan.kernel import Position
from manhattan.kernel.conversion import unpack_stock
from manhattan.kernel.layout import SELECTIONS
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY
from manhattan.rules import Phase, Setup, set_up
from manhattan.rules.blocks import FULL_STOCK, add
from support.positions import position
from support.random_models import lengths, random_weights

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


# --- selections -------------------------------------------------------------------------------


def plans_for(setup: Setup, first_round: list[int]) -> Any:
    """Return a plan for each player that covers the first round only (-1: no plan)."""
    plans = np.full((len(setup.players), setup.schedule.rounds), -1, np.int64)
    plans[: len(first_round), 0] = first_round
    return plans


def after_selection(
    setup: Setup, first_round: list[int], epsilon: int = 0, seed: int = 0
) -> Position:
    """Return a game in which all players have selected their blocks."""
    start = dealt_position(setup)
    start.data[0].random = np.uint64(seed)
    select_all_blocks(start.data, *lengths(start), plans_for(setup, first_round), epsilon)
    return start


def test_players_select_the_blocks_of_their_plans() -> None:
    ada, bob = (1, 0, 1, 2), (0, 2, 2, 0)
    plans = [SELECTIONS[4].index(ada), SELECTIONS[4].index(bob)]
    start = after_selection(set_up(2, first=1), plans)
    public = start.state().public
    assert public.tableaus == (ada, ada, bob, bob)
    assert public.supplies == ((10, 6, 3, 1),) * 2 + ((11, 4, 2, 3),) * 2
    assert (public.phase, public.mover) == (Phase.BUILD, 1)
    assert start.legal_actions()


def test_a_plan_adapts_to_the_supply() -> None:
    """There are only three 4s, so no player can select four. The last player has no plan."""
    four_4s = SELECTIONS[4].index((0, 0, 0, 4))
    public = after_selection(set_up(3), [four_4s, four_4s, -1]).state().public
    assert public.tableaus[:2] == ((0, 0, 1, 3),) * 2
    assert sum(public.tableaus[2]) == 4
    for tableau, supply in zip(public.tableaus, public.supplies, strict=True):
        assert add(tableau, supply) == (11, 6, 4, 3)


@pytest.mark.parametrize("blocks", [4, 6])
def test_compiled_plans_replace_missing_blocks_like_the_bots(blocks: int) -> None:
    rng = Random(1)
    setup = set_up(3, house_rules={"three_players": "4x6" if blocks == 4 else "6x4"})
    for _ in range(200):
        start = dealt_position(setup)
        ones, twos, threes, fours = (rng.randint(0, most) for most in FULL_STOCK)
        supply = (ones, twos, threes, fours)
        if sum(supply) < blocks:
            continue
        start.data[0].supply[0] = sum(n << 8 * t for t, n in enumerate(supply))
        n, planned = rng.choice(list(enumerate(SELECTIONS[blocks])))
        select_all_blocks(start.data, *lengths(start), plans_for(setup, [n]), 0)
        selected = unpack_stock(start.data[0].tableau[0])
        assert selected == affordable(planned, supply)
        assert add(selected, unpack_stock(start.data[0].supply[0])) == supply


def test_exploring_players_ignore_their_plans() -> None:
    def tableaus(epsilon: int) -> set[Any]:
        ones = SELECTIONS[4].index((4, 0, 0, 0))
        games = [after_selection(set_up(3), [ones] * 3, epsilon, seed) for seed in range(5)]
        return {tableau for game in games for tableau in game.state().public.tableaus}

    assert len(tableaus(1024)) > 5
    assert tableaus(0) == {(4, 0, 0, 0)}


# --- turns ------------------------------------------------------------------------------------

TABLEAUS = {"orange": [1, 2], "blue": [3], "yellow": [1], "purple": [4]}


def turn(position: Position, policy_id: int, weights: Any, epsilon: int = 0) -> None:
    play_turn(
        position.data,
        *lengths(position),
        policy_id,
        Policies(weights),
        epsilon,
        new_policy_memory(),
    )


def test_a_greedy_turn_makes_the_best_placement_and_ends() -> None:
    state = position("A1:b2 A2:b1 B1:y3 C1:p4", tableaus=TABLEAUS, hands={0: [1, 2, 3, 5]})
    after = Position.from_state(state)
    turn(after, GREEDY_POLICY, random_weights(Kind.of(state.public.setup)))
    gains = dict(lead_gains(state.public, state.hand))
    public = after.state().public
    changed = [n for n, tower in enumerate(public.board) if tower != state.public.board[n]]
    assert len(changed) == 1
    build = next(b for b in gains if b.site == changed[0] and not public.tableaus[0][b.size - 1])
    assert gains[build] == max(gains.values())
    assert (public.mover, public.phase) == (1, Phase.BUILD)
    assert len(after.state().hands[0]) == 4
    assert len(public.played) == len(state.public.played) + 1


def test_a_turn_by_value_uses_the_weights_of_its_set() -> None:
    """Orange has two blocks to build. After this turn one is left; the weights of that set
    reward height, those of all others punish it."""
    state = position("A1:o3 B1:y1", tableaus=TABLEAUS, hands={0: [1, 2, 3, 5]}, round=2)
    kind = Kind.of(state.public.setup)
    weights = np.zeros((2, kind.weight_sets, FEATURE_COUNT), np.float32)
    reward = np.repeat(np.arange(13), 3)
    weights[1, :, TALLEST : TALLEST + 39] = -reward[None]
    weight_set = (state.public.round - 1) * (kind.schedule.blocks + 2) + 1
    weights[1, weight_set, TALLEST : TALLEST + 39] = reward
    after = Position.from_state(state)
    turn(after, 1, weights)
    assert str(after.state().public.board[0]) == "o3o2"


def test_random_and_exploring_players_build_anywhere() -> None:
    state = position("A1:o3", tableaus=TABLEAUS, hands={0: [1, 2, 3, 5]})
    weights = random_weights(Kind.of(state.public.setup))

    def distinct_boards(policy_id: int, epsilon: int) -> int:
        positions = [Position.from_state(state, seed) for seed in range(8)]
        for after in positions:
            turn(after, policy_id, weights, epsilon)
        return len({after.state().public.board for after in positions})

    assert distinct_boards(0, 0) == 1
    assert distinct_boards(UNIFORM_POLICY, 0) > 4
    assert min(distinct_boards(policy_id, 1024) for policy_id in (GREEDY_POLICY, 0)) > 4


def test_the_round_is_scored_after_its_last_turn() -> None:
    state = position("A1:o3", tableaus={"orange": [2]}, hands={0: [1, 1, 1, 1]}, start_player=1)
    after = Position.from_state(state)
    turn(after, GREEDY_POLICY, random_weights(Kind.of(state.public.setup)))
    public = after.state().public
    assert (public.round, public.phase, public.mover) == (2, Phase.SELECT, 2)
    # Orange has built in another city: two towers, two majorities and the tallest tower.
    assert after.scores == (2 + 2 * 2 + 3, 0, 0, 0)


def test_a_player_without_a_legal_placement_removes_a_block() -> None:
    blocks = {colour.value: [1, 1, 3] for colour in set_up(4).colours}
    stuck = position("A5:b3", tableaus=blocks, phase=Phase.REMOVE, round=4, mover=2)
    removed = set()
    for seed in range(6):
        played = Position.from_state(stuck, seed)
        turn(played, 0, random_weights(Kind.of(stuck.public.setup)))
        after = played.state()
        assert (after.public.board, after.hands) == (stuck.public.board, stuck.hands)
        assert (after.public.mover, after.public.phase) == (3, Phase.BUILD)
        assert add(after.public.tableaus[2], after.public.taken_out[2]) == (2, 0, 1, 0)
        removed.add(after.public.taken_out)
    none = (0, 0, 0, 0)
    assert removed == {(none, none, block, none) for block in [(1, 0, 0, 0), (0, 0, 1, 0)]}
