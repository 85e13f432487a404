"""Gymnasium: its own checker, unchanged, and what that doesn't check."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.performance import benchmark_vector_step
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import manhattan.envs.gymnasium as manhattan_gym
from manhattan.envs.engine.batch_step import step_all
from manhattan.envs.vector_env import ManhattanVectorEnv
from manhattan.kernel.jit import COMPILED
from manhattan.rules import ManhattanError
from support.env_helpers import DEFAULT_TABLES, fields, random_legal

pytestmark = pytest.mark.xdist_group("envs-4")


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows open without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


# One agent against bots


@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_gymnasium_s_checker(players: int, edition: str) -> None:
    options: dict[str, Any] = {"players": players, "edition": edition, "opponents": "easy"}
    check_env(gymnasium.make(manhattan_gym.ID, **options).unwrapped)


@pytest.mark.parametrize("level", ["random", "easy", "medium"])
def test_whole_games_against_each_level(level: str) -> None:
    env = gymnasium.make(manhattan_gym.ID, opponents=level, utility="score", rewards="scoring")
    _, info = env.reset(seed=1)
    total, ended, decisions = 0.0, False, 0
    while not ended:
        _, reward, ended, truncated, info = env.step(env.action_space.sample())
        assert not truncated
        assert not info["illegal"]
        total += float(reward)
        decisions += 1
    assert decisions == 28
    assert total == info["scores"][info["seat"]]


def test_a_sample_with_the_mask_is_legal() -> None:
    """As in Gymnasium's own examples; a sample without a mask is legal as well."""
    env = gymnasium.make(manhattan_gym.ID, opponents="random")
    _, info = env.reset(seed=1)
    for _ in range(28):
        assert info["action_mask"].dtype == np.int8
        only = np.zeros_like(info["action_mask"])
        only[env.action_space.sample(info["action_mask"])] = 1
        _, _, ended, _, info = env.step(env.action_space.sample(only))
        assert not info["illegal"]
    assert ended


def test_the_strongest_bots_can_be_opponents() -> None:
    """They use all the time they have: so only the selection and one turn of each."""
    env = manhattan_gym.ManhattanEnv(opponents=["hard", "expert", "hard"], seat=0)
    env.reset(seed=1)
    for phase in ([1, 0, 0, 0], [0, 1, 0, 0]):
        assert fields(env._core.observe(0)[0])["phase"] == phase
        _, _, ended, _, info = env.step(env.action_space.sample())
        assert not ended
        assert not info["illegal"]
    assert env._core.position.data[0].built == 4


def test_the_agent_s_seat_can_be_chosen() -> None:
    env = manhattan_gym.ManhattanEnv(opponents=["random", "easy", "medium"], seat=2)
    _, info = env.reset(seed=1)
    assert info["seat"] == 2
    assert env._core.mover == 2


def test_without_a_chosen_seat_each_game_has_another() -> None:
    env = manhattan_gym.ManhattanEnv(opponents="random")
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1, 2, 3}


def test_an_illegal_action_costs_a_penalty_and_changes_nothing() -> None:
    env = manhattan_gym.ManhattanEnv(opponents="random")
    row, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    after, reward, ended, _, info = env.step(np.int64(illegal))
    assert (reward, ended, info["illegal"]) == (-1.0, False, True)
    assert np.array_equal(after, row)


@pytest.mark.parametrize("action", [-1, 304, 10**20, 0.5, None])
def test_what_is_not_an_action_is_an_error(action: Any) -> None:
    env = manhattan_gym.ManhattanEnv(opponents="random")
    row, _ = env.reset(seed=1)
    with pytest.raises(InvalidAction, match="not a legal action"):
        env.step(action)
    assert np.array_equal(env._core.observe(env.seat)[0], row)


def test_an_illegal_action_is_an_error_on_request() -> None:
    env = manhattan_gym.ManhattanEnv(opponents="random", on_illegal="raise")
    env.reset(seed=1)
    with pytest.raises(InvalidAction, match="allows 70 of 0 to 303"):
        env.step(np.int64(0))


def test_a_step_needs_a_reset_before_the_deal_and_after_the_end() -> None:
    env = manhattan_gym.ManhattanEnv(opponents="random")
    with pytest.raises(ResetNeeded, match="No game has been dealt"):
        env.step(np.int64(220))
    env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, _ = env.step(env.action_space.sample())
    with pytest.raises(ResetNeeded, match="over"):
        env.step(np.int64(0))


def test_the_agent_s_actions_do_not_change_later_deals() -> None:
    env, other = (manhattan_gym.ManhattanEnv(opponents="random") for _ in range(2))
    env.reset(seed=5)
    other.reset(seed=5)
    for _ in range(9):
        env.step(env.action_space.sample())
    assert np.array_equal(env.reset()[0], other.reset()[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": "god"}, "no bot 'god'"),
        ({"opponents": ["easy"]}, "needs 3 opponents, not 1"),
        ({"edition": "gold"}, "gold"),
        ({"seat": 4}, "no player 4"),
        ({"on_illegal": "cheer"}, "option on_illegal can't be 'cheer'. It can be: penalty, raise"),
        ({"rewards": "x"}, "option rewards can't be 'x'. It can be: scoring, end"),
        ({"utility": ["score"]}, "option utility can't be .* It can be: win_share, score"),
        ({"playerz": 3}, "no option 'playerz'.*: players, edition, house_rules, utility, rewards"),
        ({"house_rules": "tallest_tie:one_owner"}, "House rules are a dictionary"),
    ],
)
def test_bad_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ManhattanError, match=message):
        manhattan_gym.ManhattanEnv(**options)


# The vector environment


def batch(count: int = 8, **options: Any) -> ManhattanVectorEnv:
    return ManhattanVectorEnv(count, **options)


@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_observations_and_actions_are_in_their_spaces(
    players: int, edition: str, mode: AutoresetMode
) -> None:
    envs = gymnasium.make_vec(
        manhattan_gym.ID,
        num_envs=5,
        vectorization_mode="vector_entry_point",
        players=players,
        edition=edition,
        autoreset_mode=mode,
    )
    rows, infos = envs.reset(seed=1)
    assert envs.metadata["autoreset_mode"] is mode
    for _ in range(130):
        assert rows in envs.observation_space
        actions = envs.action_space.sample()
        assert actions in envs.action_space
        rows, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == (5,)
        assert not infos["illegal"].any()


def test_gymnasium_s_statistics_wrapper_and_benchmark_work() -> None:
    envs = RecordEpisodeStatistics(batch())
    envs.reset(seed=1)
    for _ in range(112):
        _, _, terminations, _, infos = envs.step(envs.action_space.sample())
    assert terminations.all()
    assert infos["episode"]["l"].tolist() == [112] * 8
    assert benchmark_vector_step(batch(), target_duration=1, seed=1) > 0


def test_samples_with_the_masks_are_legal() -> None:
    """The masks may be one array, as the environment returns them, or Gymnasium's tuple."""
    envs = batch()
    _, infos = envs.reset(seed=1)
    for _ in range(9):
        for convert in (np.asarray, tuple):
            infos = envs.step(envs.action_space.sample(convert(infos["action_mask"])))[4]
            assert not infos["illegal"].any()
    only = np.zeros_like(infos["action_mask"])
    only[:, 220] = 1
    assert envs.action_space.sample(only).tolist() == [220] * 8
    with pytest.raises(ManhattanError, match=r"array of shape \(8, 304\), not \(304,\)"):
        envs.action_space.sample(only[0])


def test_a_game_that_ended_is_reset_in_the_next_step() -> None:
    envs = batch()
    rows, infos = envs.reset(seed=1)
    for _ in range(112):
        last = rows
        rows, rewards, terminations, _, infos = envs.step(envs.random_actions())
    assert terminations.all()
    assert not infos["action_mask"].any()
    assert infos["rewards"].sum(axis=1).tolist() == pytest.approx([1] * 8)
    assert not np.array_equal(last, rows)
    rows, rewards, terminations, _, infos = envs.step(np.zeros(8, np.int64))
    assert not terminations.any()
    assert not rewards.any()
    assert infos["action_mask"].sum(axis=1).tolist() == [70] * 8
    assert rows[:, :432].sum() == 0  # empty boards


@pytest.mark.uncompiled
def test_a_game_that_ended_is_reset_in_the_same_step_on_request() -> None:
    envs, later = batch(2, autoreset_mode="SameStep"), batch(2)
    _, infos = envs.reset(seed=1)
    later.reset(seed=1)
    rng = Random(1)
    for _ in range(112):
        actions = np.array([random_legal(mask, rng) for mask in infos["action_mask"]])
        rows, rewards, terminations, _, infos = envs.step(actions)
        final_rows, final_rewards, _, _, _ = later.step(actions)
    assert terminations.all()
    assert np.array_equal(rewards, final_rewards)
    assert np.array_equal(np.stack(infos["final_obs"]), final_rows)
    assert infos["_final_obs"].all()
    next_rows, _, _, _, _ = later.step(actions)
    assert np.array_equal(rows, next_rows)


@pytest.mark.uncompiled
@pytest.mark.parametrize("opponents", ["uniform", "greedy"])
def test_one_agent_against_compiled_opponents(opponents: Any) -> None:
    games = 64 if COMPILED else 4
    envs = batch(games, opponents=opponents)
    _, infos = envs.reset(seed=1)
    won = 0.0
    for _ in range(28):
        assert (infos["player"] == 0).all()
        _, rewards, terminations, _, infos = envs.step(envs.random_actions())
        won += rewards.sum()
    assert terminations.all()
    if COMPILED:  # a fair share is 16
        assert (won < 10) == (opponents == "greedy")


def test_a_game_does_not_depend_on_the_size_of_the_batch() -> None:
    small, large = batch(2), batch(8)
    assert np.array_equal(small.reset(seed=3)[0], large.reset(seed=3)[0][:2])


def test_a_step_overwrites_earlier_arrays_only_without_copy() -> None:
    for copied in (True, False):
        envs = batch(copy=copied)
        rows, _ = envs.reset(seed=1)
        before = rows.copy()
        envs.step(envs.random_actions())
        assert np.array_equal(rows, before) == copied
    envs = batch()
    kept = [envs.reset(seed=1)[0][2:4]]
    expected = [kept[0].copy()]
    for _ in range(9):
        kept.append(envs.step(envs.random_actions())[0][2:4])
        expected.append(kept[-1].copy())
    assert all(map(np.array_equal, kept, expected))


@pytest.mark.uncompiled
def test_an_illegal_action_in_one_game_does_not_affect_the_others() -> None:
    envs = batch()
    rows, infos = envs.reset(seed=1)
    actions = envs.random_actions()
    actions[3] = 0
    after, rewards, _, _, infos = envs.step(actions)
    assert infos["illegal"].tolist() == [game == 3 for game in range(8)]
    assert rewards.tolist() == [-1.0 if game == 3 else 0.0 for game in range(8)]
    assert np.array_equal(after[3], rows[3])
    assert not np.array_equal(after[2], rows[2])


@pytest.mark.uncompiled
@pytest.mark.parametrize("wrong", [0, -1, 304])
def test_with_on_illegal_raise_one_illegal_action_stops_all(wrong: int) -> None:
    envs = batch(on_illegal="raise")
    envs.reset(seed=1)
    actions = envs.random_actions()
    before = envs._games.tobytes()
    actions[3] = wrong
    with pytest.raises(InvalidAction):
        envs.step(actions)
    assert envs._games.tobytes() == before


def test_actions_of_other_integer_types_are_not_compiled_again() -> None:
    envs, other = batch(), batch()
    envs.reset(seed=1)
    other.reset(seed=1)
    actions = envs.random_actions()
    signatures = list(getattr(step_all, "signatures", []))
    strided = np.repeat(actions, 2)[::2]
    strided.flags.writeable = False
    expected = envs.step(actions)[0]
    variants: list[Any] = [strided, actions.astype(np.int32), actions.astype(np.uint16)]
    for variant in variants:
        other.reset(seed=1)
        assert np.array_equal(other.step(variant)[0], expected)
    assert list(getattr(step_all, "signatures", [])) == signatures


def test_copies_are_independent() -> None:
    envs = batch()
    rows, _ = envs.reset(seed=1)
    for other in (copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))):
        before = envs._games.tobytes()
        other_rows = other.step(other.action_space.sample())[0]
        assert envs._games.tobytes() == before
        assert not np.array_equal(other_rows, rows)
        assert other.step(other.action_space.sample())[4]["illegal"].sum() == 0


def test_bad_steps_and_resets_are_rejected() -> None:
    envs = batch()
    with pytest.raises(ResetNeeded):
        envs.step(np.zeros(8, np.int64))
    envs.reset(seed=1)
    with pytest.raises(ManhattanError, match="reset together"):
        envs.reset(options={"reset_mask": np.ones(8, np.bool_)})
    for actions in (np.zeros(7, np.int64), np.zeros(8), np.zeros((8, 1), np.int64)):
        with pytest.raises(InvalidAction, match="takes 8 integers"):
            envs.step(actions)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-1, 304])
def test_a_number_that_is_not_an_action_changes_nothing(wrong: int) -> None:
    envs = batch()
    rows, infos = envs.reset(seed=1)
    actions = envs.random_actions()
    before = envs._games.tobytes(), rows.copy(), infos["action_mask"].copy()
    bad = actions.copy()
    bad[7] = wrong
    with pytest.raises(InvalidAction, match="Actions are 0 to 303"):
        envs.step(bad)
    assert envs._games.tobytes() == before[0]
    assert np.array_equal(rows, before[1])
    assert np.array_equal(infos["action_mask"], before[2])
    assert not envs.step(actions)[4]["illegal"].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "at least one game"),
        ({"render_mode": "ansi"}, "can't be rendered"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode can't be 'Disabled'"),
        ({"autoreset_mode": "x"}, "autoreset_mode can't be 'x'. It can be: NextStep, SameStep"),
        ({"opponents": "expert"}, "option opponents can't be 'expert'. It can be: self, uniform"),
    ],
)
def test_bad_options_of_a_batch_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ManhattanError, match=message):
        batch(**options)
