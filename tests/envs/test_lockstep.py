"""The same game in each environment and by the rules: legal actions, states, rewards, the end."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest

from manhattan.envs import manhattan_v1
from manhattan.envs.common.table_spec import TableSpec
from manhattan.envs.engine import chance
from manhattan.envs.engine.history import CHANCE_STATE, SHUFFLE
from manhattan.envs.openspiel import NAME
from manhattan.envs.openspiel_engine import OpenSpielEngine, template_engine
from manhattan.envs.vector_env import ManhattanVectorEnv
from manhattan.game import Game
from manhattan.kernel import ActionSpace, Position
from manhattan.rules import (
    Built,
    Event,
    Redrew,
    Removed,
    SeedShuffler,
    Shuffled,
    State,
    apply,
)
from manhattan.rules.play import begin_turn
from support.env_helpers import DEFAULT_TABLES, TABLES, legal_actions, random_legal, table
from support.positions import crowded

pytestmark = pytest.mark.uncompiled


def drawn_kinds(event: Event) -> list[int]:
    """The kinds of the cards that were drawn in an event, as chance outcomes."""
    match event:
        case Built():
            assert event.drew is not None
            return [event.drew - 1]
        case Redrew():
            assert event.drew is not None
            return [card - 1 for card in event.drew]
        case _:
            return []


class SpielAdapter:
    """An OpenSpiel state with the methods of our engine."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def chance_outcomes(self) -> list[tuple[int, float]]:
        outcomes: list[tuple[int, float]] = self.state.chance_outcomes()
        return outcomes

    def apply(self, action: int) -> bool:
        self.state.apply_action(action)
        return True


def draw(engine: SpielAdapter | OpenSpielEngine, kinds: list[int]) -> None:
    """Draw the cards that the rules drew; shuffle where they shuffled."""
    for kind in kinds:
        if engine.chance_outcomes() == [(SHUFFLE, 1.0)]:
            assert engine.apply(SHUFFLE)
        assert engine.apply(kind)


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_openspiel_plays_by_the_rules(players: int, edition: str) -> None:
    rng = Random(players)
    game = Game(table(players, edition), SeedShuffler(bytes(range(32))))
    state = pyspiel.load_game(NAME, {"players": players, "edition": edition}).new_initial_state()
    dealt = [card - 1 for player in range(players) for card in game.state.hands[player]]
    draw(SpielAdapter(state), dealt)
    while not game.is_over:
        assert state.current_player() == game.public.mover
        legal = legal_actions(game.state)
        assert state.legal_actions() == legal
        action = rng.choice(legal)
        own = game.public.player.colours
        events = game.play(ActionSpace.for_setup(game.setup).decode(action, own))
        state.apply_action(action)
        for event in events:
            draw(SpielAdapter(state), drawn_kinds(event))
        assert state.engine.scores == list(game.public.scores)
    assert state.is_terminal()
    assert game.public.result is not None
    winners = game.public.result.winners
    shares = [1 / len(winners) if p in winners else 0.0 for p in range(players)]
    assert state.returns() == shares


def engine_at(state: State) -> OpenSpielEngine:
    """An engine with explicit chance at a state of the rules."""
    data, chance_state = Position.from_state(state).data, np.zeros(1, CHANCE_STATE)
    return OpenSpielEngine(TableSpec(state.public.setup), data, chance_state, state.public.mover)


@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_explicit_chance_agrees_with_the_rules_on_crowded_boards(
    players: int, edition: str
) -> None:
    """Boards where players reveal hands, draw new ones and remove blocks."""
    template_engine(players, edition)  # compile for such a table
    seen: set[type] = set()
    for seed in range(12):
        rng = Random(seed)
        shuffler = SeedShuffler(rng.randbytes(32))
        state, _ = begin_turn(crowded(table(players, edition), rng, low=True), shuffler)
        engine = engine_at(state)
        while state.public.round == 1 and not state.public.result:
            assert engine.actor == state.public.mover
            legal = legal_actions(state)
            assert engine.legal_actions() == legal
            action = rng.choice(legal)
            move = engine.spec.action_space.decode(action, state.public.player.colours)
            state, events = apply(state, move, shuffler)
            assert engine.apply(action)
            seen |= {type(event) for event in events}
            for event in events:
                draw(engine, drawn_kinds(event))
            engine_state = Position(engine.spec.setup, engine.game).state()
            assert engine_state.public.board == state.public.board
            assert engine_state.public.taken_out == state.public.taken_out
            assert engine_state.public.played == state.public.played
            assert engine_state.hands == state.hands
            assert sorted(engine_state.pile) == sorted(state.pile)
        assert engine.scores == list(state.public.scores)
    assert {Redrew, Removed, Shuffled} <= seen


@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_explicit_chance_agrees_with_the_self_drawing_step(players: int, edition: str) -> None:
    """Given the kernel's own draws as outcomes, the engine reaches the kernel's records, field by
    field, on crowded boards as well."""
    template_engine(players, edition)  # compile for such a table
    ignored = {"random", "cards"}  # the order of a pile in which draws are random is arbitrary
    for seed in range(8):
        rng = Random(seed)
        start = crowded(table(players, edition), rng, low=True)
        position = Position.from_state(begin_turn(start, SeedShuffler(rng.randbytes(32)))[0], seed)
        position.data["in_order"] = 0
        engine = engine_at(position.state())
        engine.game[:] = position.data
        while position.data["round_number"][0] == 0 and not position.is_over:
            action = rng.choice(position.legal_actions())
            assert engine.legal_actions() == position.legal_actions()
            position.apply(action)
            assert engine.apply(action)
            copy_draws(engine, position)
            for name in position.data.dtype.names:
                if name not in ignored:
                    assert np.array_equal(engine.game[name], position.data[name]), name
            assert np.array_equal(np.sort(pile(engine.game)), np.sort(pile(position.data)))
            assert np.array_equal(played(engine.game), played(position.data))


def pile(games: Any) -> Any:
    return games["cards"][0][: games["pile"][0]]


def played(games: Any) -> Any:
    cards = games["cards"][0]
    return cards[len(cards) - games["played"][0] :]


def copy_draws(engine: OpenSpielEngine, after: Position) -> None:
    """Draw what the kernel drew: find the outcomes that lead to its hands."""

    def hand(games: Any, player: int) -> list[int]:
        packed = int(games["copies"][0][player])
        positions = games["card_to_position"][0][player].tolist()
        return [packed >> 4 * positions[kind] & 15 for kind in range(9)]

    while engine.actor == chance.CHANCE:
        outcomes = [outcome for outcome, _ in engine.chance_outcomes()]
        if outcomes == [SHUFFLE]:
            assert engine.apply(SHUFFLE)
            continue
        drawer = int(engine.chance["drawer"][0])
        goal, now = hand(after.data, drawer), hand(engine.game, drawer)
        missing = [kind for kind in outcomes if now[kind] < goal[kind]]
        assert missing
        assert engine.apply(missing[0])


def assert_follows(before: State, action: int, after: State) -> None:
    """By the rules the action leads there, whatever card was drawn."""
    space = ActionSpace.for_setup(before.public.setup)
    move = space.decode(action, before.public.player.colours)
    expected, events = apply(before, move, SeedShuffler(bytes(32)))
    assert not any(isinstance(event, Redrew) for event in events)  # not in these games
    assert after.public == expected.public


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_pettingzoo_plays_by_the_rules(players: int, edition: str) -> None:
    rng = Random(players)
    env = manhattan_v1.raw_env(players=players, edition=edition, utility="score", rewards="scoring")
    env.reset(seed=players)
    state = env._core.position.state()
    total = dict.fromkeys(env.agents, 0.0)
    while not all(env.terminations.values()):
        assert env.agent_selection == f"player_{state.public.mover}"
        observation = env.last()[0]
        assert np.flatnonzero(observation["action_mask"]).tolist() == legal_actions(state)
        action = random_legal(observation["action_mask"], rng)
        env.step(action)
        after = env._core.position.state()
        assert_follows(state, action, after)
        gained = np.subtract(after.public.scores, state.public.scores)
        assert list(env.rewards.values()) == gained.tolist()
        total = {agent: total[agent] + env.rewards[agent] for agent in env.agents}
        state = after
    assert state.public.result is not None
    assert tuple(total.values()) == state.public.scores


@pytest.mark.parametrize("timing", ["scoring", "end"])
@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_the_vector_environment_plays_by_the_rules(players: int, edition: str, timing: Any) -> None:
    rng = Random(players)
    envs = ManhattanVectorEnv(
        players, players=players, edition=edition, utility="score_minus_mean", rewards=timing
    )
    setup = envs.table_spec.setup
    _, infos = envs.reset(seed=players)

    def states() -> list[State]:
        games = range(envs.num_envs)
        return [Position(setup, envs._games[game : game + 1]).state() for game in games]

    before = states()
    assert [state.public.mover for state in before] == list(range(players))  # each begins once
    total = np.zeros((players, players))
    for _ in range(envs.table_spec.decisions):
        for state, mask in zip(before, infos["action_mask"], strict=True):
            assert np.flatnonzero(mask).tolist() == legal_actions(state)
        actions = np.array([random_legal(mask, rng) for mask in infos["action_mask"]])
        _, rewards, terminations, truncations, infos = envs.step(actions)
        after = states()
        for game in range(players):
            assert_follows(before[game], int(actions[game]), after[game])
            assert rewards[game] == infos["rewards"][game, before[game].public.mover]
        assert not truncations.any()
        total += infos["rewards"]
        before = after
    assert terminations.all()
    for game, state in enumerate(before):
        points = np.array(state.public.scores, float)
        others = (points.sum() - points) / (players - 1)
        assert total[game] == pytest.approx(points - others, abs=1e-4)


def test_the_probability_of_a_card_is_its_share_of_the_pile() -> None:
    engine = template_engine(4, "hig-2017").copy()
    for kind in [0, 0, 0, 0, 0, 1, 1]:
        assert engine.apply(kind)
    assert engine.actor == chance.CHANCE
    outcomes = dict(engine.chance_outcomes())
    assert outcomes == {1: 3 / 38, **dict.fromkeys(range(2, 9), 5 / 38)}
    assert not engine.apply(0)
    assert not engine.apply(SHUFFLE)
    assert dict(engine.chance_outcomes()) == outcomes
