"""The game in PettingZoo: its own tests, unchanged; and what they don't ask."""

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
from pettingzoo.utils import wrappers

from manhattan.envs import manhattan_v1
from manhattan.rules import ManhattanError
from watching import TABLES, actions_of, any_legal, fields

with warnings.catch_warnings():  # they import a game of their own in the old way
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

pytestmark = [
    pytest.mark.xdist_group("envs-4"),
    # Theirs for what is so on purpose: a dictionary with a mask, zeros for who is not to move.
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(autouse=True)
def nowhere_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows open without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_their_api_test(players: int, edition: str) -> None:
    api_test(manhattan_v1.env(players=players, edition=edition), num_cycles=1000)


def test_their_api_test_with_rewards_at_scorings() -> None:
    env = manhattan_v1.env(utility="score_minus_mean", rewards="scoring")
    api_test(env, num_cycles=1000)


def test_their_registry_makes_one() -> None:
    env = pettingzoo.make("aec", "manhattan/Manhattan-v1", players=2)
    assert env.possible_agents == ["player_0", "player_1"]


def test_their_seed_test() -> None:
    seed_test(manhattan_v1.env, num_cycles=500)


def test_their_render_test() -> None:
    render_test(manhattan_v1.env)


def test_their_performance_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    """Not how fast: only that it works."""
    performance_benchmark(manhattan_v1.env())
    assert "turns per second" in capsys.readouterr().out


def theirs(**options: Any) -> Any:
    """The same game in PettingZoo's own guards."""
    env: Any = wrappers.TerminateIllegalWrapper(manhattan_v1.raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def told(env: Any) -> tuple[Any, ...]:
    """Everything that an agent can ask."""
    observed, *rest = env.last()
    arrays = [observed["observation"].tolist(), observed["action_mask"].tolist()]
    both = [env.rewards, env.terminations, env.truncations, env._cumulative_rewards]
    return (env.agents, env.agent_selection, env.num_agents, arrays, rest[:3], *map(dict, both))


def outcome(env: Any, name: str, *values: Any) -> Any:
    """What asking for something, or doing it, leads to: also if that is an error."""
    try:
        found = getattr(env, name)
        return found(*values) if values else str(found)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("illegal_after", [None, 0, 30])
def test_our_guards_are_theirs(illegal_after: int | None) -> None:
    """Step by step the same answers, to an illegal move and after the end as well."""
    envs = (
        manhattan_v1.env(rewards="scoring", utility="score"),
        theirs(rewards="scoring", utility="score"),
    )
    assert str(envs[0]) == str(envs[1])
    for env in envs:
        assert isinstance(env, wrappers.OrderEnforcingWrapper)
        env.reset(seed=3)
    dice, number = Random(3), 0
    while envs[0].agents:
        ours, original = map(told, envs)
        assert ours == original
        observed, _, terminated, _, _ = envs[0].last()
        mask = observed["action_mask"]
        action = None if terminated else any_legal(mask, dice)
        if number == illegal_after:
            action = int(np.flatnonzero(mask == 0)[0])
        for env in envs:
            env.step(action)
        number += 1
    assert not envs[1].agents
    assert outcome(envs[0], "step", 0) == outcome(envs[1], "step", 0)


def test_our_guards_refuse_what_theirs_do() -> None:
    envs = manhattan_v1.env(), theirs()
    names = ["agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]
    names += ["num_agents", "_cumulative_rewards", "_play", "nothing_of_the_kind"]
    for name in names:
        ours, original = (outcome(env, name) for env in envs)
        assert ours == original
        assert ours[0] is AttributeError
    for call in (("step", 0), ("observe", "player_0"), ("agent_iter", 5)):
        assert outcome(envs[0], *call) == outcome(envs[1], *call)
    for env in envs:
        env.reset(seed=1)
        with pytest.raises(AssertionError, match="not in action space"):
            env.step(304)
        with pytest.raises(AssertionError, match="need to call step"):
            for _ in env.agent_iter():
                pass
        env.rewards = "mine"  # a guard that is given its own has its own
        assert env.rewards == "mine"
        assert env.unwrapped.rewards != "mine"
        other = copy.deepcopy(env)
        other.step(int(np.flatnonzero(other.last()[0]["action_mask"])[0]))
        assert (other.agent_selection, env.agent_selection) == ("player_1", "player_0")


@pytest.mark.xdist_group("envs-2")
def test_two_players_with_one_colour_each() -> None:
    """A house rule: 304 actions as with four, and a whole game of 56 decisions."""
    env = started(players=2, house_rules={"two_players": "6x4-one-colour"}, utility="score")
    dice = Random(1)
    decisions = 0
    while not all(env.terminations.values()):
        state = env._play.position().state()
        observed = env.last()[0]
        legal = actions_of(state)
        assert np.flatnonzero(observed["action_mask"]).tolist() == legal
        seen = fields(observed["observation"])
        assert (seen["players"], seen["colours"], seen["blocks"]) == ([2], [1], [6])
        env.step(dice.choice(legal))
        decisions += 1
    assert decisions == 2 * 4 * (1 + 6)
    assert tuple(env.rewards.values()) == env._play.position().state().table.scores


def started(**options: Any) -> Any:
    env = manhattan_v1.raw_env(**options)
    env.reset(seed=1)
    return env


def play_on(env: Any, decisions: int, dice: Random) -> None:
    for _ in range(decisions):
        env.step(any_legal(env.last()[0]["action_mask"], dice))


def test_only_the_mover_may_do_something() -> None:
    env = started()
    play_on(env, 20, Random(1))
    for agent in env.agents:
        mask = env.observe(agent)["action_mask"]
        assert mask.any() == (agent == env.agent_selection)
        assert np.array_equal(mask, env.infos[agent]["action_mask"])


def test_two_kinds_of_decisions_in_one_space() -> None:
    env = started()
    first = np.flatnonzero(env.last()[0]["action_mask"])
    play_on(env, 4, Random(1))
    then = np.flatnonzero(env.last()[0]["action_mask"])
    assert first.min() >= 220 > then.max()


@pytest.mark.parametrize("action", [-1, 304, 0, 10**20, 1.5, None, True, "A1+1", np.array([5])])
def test_bad_actions_change_nothing(action: Any) -> None:
    env = started()
    before = env._play._record.tobytes()
    with pytest.raises(InvalidAction, match="no legal action of player_0"):
        env.step(action)
    assert env._play._record.tobytes() == before
    assert env.agent_selection == "player_0"


def test_whoever_makes_an_illegal_move_loses_in_the_wrapped_game() -> None:
    env = manhattan_v1.env()
    env.reset(seed=1)
    env.step(0)
    assert env.terminations["player_0"]
    assert env.rewards["player_0"] == -1


def test_numbers_of_numpy_are_numbers() -> None:
    env = started()
    env.step(np.int32(220))
    env.step(np.array(221))
    assert env.agent_selection == "player_2"


def test_after_the_end_only_none_is_possible() -> None:
    env = started()
    play_on(env, env._play.seats.decisions, Random(1))
    assert all(env.terminations.values())
    assert sum(env.rewards.values()) == 1
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    for _ in range(4):
        env.step(None)
    assert env.agents == []


def test_a_reset_in_the_middle_deals_anew() -> None:
    env, other = started(), started()
    play_on(env, 30, Random(1))
    env.reset(seed=1)
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])
    env.reset()
    assert not np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


def test_how_agents_act_deals_nobody_another_game() -> None:
    """Seeds don't entangle: the second game is the same, whatever happened in the first."""
    env, other = started(), started()
    play_on(env, 30, Random(1))
    play_on(other, 7, Random(2))
    env.reset()
    other.reset()
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


def test_copies_go_their_own_ways() -> None:
    env = started()
    play_on(env, 20, Random(1))
    other = copy.deepcopy(env)
    before = env._play._record.tobytes()
    assert other._play._record.tobytes() == before
    play_on(other, 20, Random(1))
    assert env._play._record.tobytes() == before
    again = pickle.loads(pickle.dumps(env))
    assert again._play._record.tobytes() == before
    assert again.agent_selection == env.agent_selection


def test_pictures_show_the_game() -> None:
    env = started(render_mode="rgb_array")
    empty = env.render()
    play_on(env, 60, Random(1))
    full = env.render()
    assert empty.shape == full.shape == (720, 960, 3)
    assert (empty != full).any(axis=2).mean() > 0.02
    text = started(render_mode="ansi")
    play_on(text, 5, Random(1))
    assert text.render().count("·") == 53
    with pytest.warns(UserWarning, match="nothing to render"):
        assert started().render() is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"edition": "gold"}, "gold"),
        ({"players": 1}, "2 to 4 players"),
        ({"utility": "fame"}, "option utility can't be 'fame'"),
        ({"rewards": "never"}, "option rewards can't be 'never'"),
    ],
)
def test_games_that_there_are_not(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ManhattanError, match=told):
        manhattan_v1.env(**options)


def test_a_mode_of_rendering_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="no render mode 'hologram'"):
        manhattan_v1.raw_env(render_mode="hologram")
