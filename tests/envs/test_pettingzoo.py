"""PettingZoo: its own tests, unchanged, and what they don't check."""

from __future__ import annotations

import copy
import pickle
import warnings
from random import Random
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import InvalidAction

from manhattan.envs import manhattan_v1
from manhattan.rules import ManhattanError
from support.env_helpers import TABLES, fields, legal_actions, random_legal

with warnings.catch_warnings():  # PettingZoo's tests import a game in a deprecated way
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

pytestmark = [
    pytest.mark.xdist_group("envs-4"),
    # PettingZoo warns of what is on purpose: a dictionary with a mask, and masks of zeros.
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows open without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


# PettingZoo's own tests


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_the_api_test(players: int, edition: str) -> None:
    api_test(manhattan_v1.env(players=players, edition=edition), num_cycles=1000)


def test_the_api_test_with_rewards_at_scorings() -> None:
    env = manhattan_v1.env(utility="score_minus_mean", rewards="scoring")
    api_test(env, num_cycles=1000)


def test_the_registry() -> None:
    env = pettingzoo.make("aec", "manhattan/Manhattan-v1", players=2)
    assert env.possible_agents == ["player_0", "player_1"]


def test_the_seed_test() -> None:
    seed_test(manhattan_v1.env, num_cycles=500)


def test_the_render_test() -> None:
    render_test(manhattan_v1.env)


def test_the_performance_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    """It works. The speed doesn't matter."""
    performance_benchmark(manhattan_v1.env())
    assert "turns per second" in capsys.readouterr().out


# The wrapped environment


def test_an_illegal_move_loses_the_wrapped_game() -> None:
    env = manhattan_v1.env()
    env.reset(seed=1)
    env.step(0)
    assert env.terminations["player_0"]
    assert env.rewards["player_0"] == -1


def test_the_wrapped_environment_rejects_wrong_use() -> None:
    env = manhattan_v1.env()
    with pytest.raises(AttributeError, match="rewards"):
        _ = env.rewards
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(304)
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter():
            pass


def test_a_copy_of_the_wrapped_environment_is_independent() -> None:
    env = manhattan_v1.env()
    env.reset(seed=1)
    other = copy.deepcopy(env)
    other.step(random_legal(other.last()[0]["action_mask"], Random(1)))
    assert (other.agent_selection, env.agent_selection) == ("player_1", "player_0")


# The raw environment


def started(**options: Any) -> Any:
    env = manhattan_v1.raw_env(**options)
    env.reset(seed=1)
    return env


def play(env: Any, decisions: int, rng: Random) -> None:
    for _ in range(decisions):
        env.step(random_legal(env.last()[0]["action_mask"], rng))


def record(env: Any) -> bytes:
    data: bytes = env._core.position.data.tobytes()
    return data


@pytest.mark.xdist_group("envs-2")
def test_two_players_with_one_colour_each() -> None:
    """A house rule: 304 actions as with four players, and 56 decisions per game."""
    env = started(players=2, house_rules={"two_players": "6x4-one-colour"}, utility="score")
    rng = Random(1)
    decisions = 0
    while not all(env.terminations.values()):
        observation = env.last()[0]
        legal = legal_actions(env._core.position.state())
        assert np.flatnonzero(observation["action_mask"]).tolist() == legal
        row = fields(observation["observation"])
        assert (row["players"], row["colours"], row["blocks"]) == ([2], [1], [6])
        env.step(rng.choice(legal))
        decisions += 1
    assert decisions == 2 * 4 * (1 + 6)
    assert tuple(env.rewards.values()) == env._core.position.state().public.scores


def test_only_the_mover_has_legal_actions() -> None:
    env = started()
    play(env, 20, Random(1))
    for agent in env.agents:
        mask = env.observe(agent)["action_mask"]
        assert mask.any() == (agent == env.agent_selection)
        assert np.array_equal(mask, env.infos[agent]["action_mask"])


def test_selections_and_builds_are_in_one_action_space() -> None:
    env = started()
    selections = np.flatnonzero(env.last()[0]["action_mask"])
    play(env, 4, Random(1))
    builds = np.flatnonzero(env.last()[0]["action_mask"])
    assert selections.min() >= 220 > builds.max()


@pytest.mark.parametrize("action", [-1, 304, 0, 10**20, 1.5, None, True, "A1+1", np.array([5])])
def test_bad_actions_change_nothing(action: Any) -> None:
    env = started()
    before = record(env)
    with pytest.raises(InvalidAction, match="not a legal action of player_0"):
        env.step(action)
    assert record(env) == before
    assert env.agent_selection == "player_0"


def test_numpy_integers_are_actions() -> None:
    env = started()
    env.step(np.int32(220))
    env.step(np.array(221))
    assert env.agent_selection == "player_2"


def test_after_the_end_the_only_action_is_none() -> None:
    env = started()
    play(env, env._core.spec.decisions, Random(1))
    assert all(env.terminations.values())
    assert sum(env.rewards.values()) == 1
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    for _ in range(4):
        env.step(None)
    assert env.agents == []


def test_a_reset_deals_a_new_game() -> None:
    env, other = started(), started()
    play(env, 30, Random(1))
    env.reset(seed=1)
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])
    env.reset()
    assert not np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


def test_the_agents_actions_do_not_change_later_deals() -> None:
    env, other = started(), started()
    play(env, 30, Random(1))
    play(other, 7, Random(2))
    env.reset()
    other.reset()
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


def test_copies_are_independent() -> None:
    env = started()
    play(env, 20, Random(1))
    other = copy.deepcopy(env)
    before = record(env)
    assert record(other) == before
    play(other, 20, Random(1))
    assert record(env) == before
    unpickled = pickle.loads(pickle.dumps(env))
    assert record(unpickled) == before
    assert unpickled.agent_selection == env.agent_selection


def test_images_and_text_show_the_game() -> None:
    env = started(render_mode="rgb_array")
    empty = env.render()
    play(env, 60, Random(1))
    full = env.render()
    assert empty.shape == full.shape == (720, 960, 3)
    assert (empty != full).any(axis=2).mean() > 0.02
    text = started(render_mode="ansi")
    play(text, 5, Random(1))
    assert text.render().count("·") == 53
    with pytest.warns(UserWarning, match="nothing to render"):
        assert started().render() is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edition": "gold"}, "gold"),
        ({"players": 1}, "2 to 4 players"),
        ({"utility": "fame"}, "option utility can't be 'fame'"),
        ({"rewards": "never"}, "option rewards can't be 'never'"),
    ],
)
def test_bad_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ManhattanError, match=message):
        manhattan_v1.env(**options)


def test_an_unknown_render_mode_is_rejected() -> None:
    with pytest.raises(ValueError, match="no render mode 'hologram'"):
        manhattan_v1.raw_env(render_mode="hologram")
