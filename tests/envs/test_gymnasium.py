"""The game in Gymnasium: its own checks, unchanged; and what they don't ask."""

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

import manhattan.envs.gymnasium as ours
from manhattan.envs.engine.many import step_all
from manhattan.envs.vector import ManhattanVectorEnv
from manhattan.kernel.jit import COMPILED
from manhattan.rules import ManhattanError
from watching import ONE_OF_EACH, any_legal, fields

pytestmark = pytest.mark.xdist_group("envs-4")


@pytest.fixture(autouse=True)
def nowhere_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows open without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


# One agent against bots


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_their_checker(players: int, edition: str) -> None:
    options: dict[str, Any] = {"players": players, "edition": edition, "opponents": "easy"}
    check_env(gymnasium.make(ours.ID, **options).unwrapped)


@pytest.mark.parametrize("level", ["random", "easy", "medium"])
def test_whole_games_against_each_level(level: str) -> None:
    env = gymnasium.make(ours.ID, opponents=level, utility="score", rewards="scoring")
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


def test_the_mask_that_is_told_is_one_to_sample_with() -> None:
    """As Gymnasium's own examples do it; without masks, any legal action comes out, too."""
    env = gymnasium.make(ours.ID, opponents="random")
    _, info = env.reset(seed=1)
    for _ in range(28):
        assert info["action_mask"].dtype == np.int8
        only = np.zeros_like(info["action_mask"])
        only[env.action_space.sample(info["action_mask"])] = 1
        _, _, ended, _, info = env.step(env.action_space.sample(only))
        assert not info["illegal"]
    assert ended


def test_the_strongest_play_along() -> None:
    """They think for as long as they may: so only the choice of blocks and a turn of each."""
    env = ours.ManhattanEnv(opponents=["hard", "expert", "hard"], seat=0)
    env.reset(seed=1)
    for phase in ([1, 0, 0, 0], [0, 1, 0, 0]):
        assert fields(env._play.look(0)[0])["phase"] == phase
        _, _, ended, _, info = env.step(env.action_space.sample())
        assert not ended
        assert not info["illegal"]
    assert env._play.position().data[0].built == 4


def test_opponents_have_their_places() -> None:
    env = ours.ManhattanEnv(opponents=["random", "easy", "medium"], seat=2)
    _, info = env.reset(seed=1)
    assert info["seat"] == 2
    assert env._play.mover == 2


def test_another_seat_each_game() -> None:
    env = ours.ManhattanEnv(opponents="random")
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1, 2, 3}


def test_an_illegal_move_is_not_made_and_fined() -> None:
    env = ours.ManhattanEnv(opponents="random")
    row, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    after, reward, ended, _, info = env.step(np.int64(illegal))
    assert (reward, ended, info["illegal"]) == (-1.0, False, True)
    assert np.array_equal(after, row)


@pytest.mark.parametrize("action", [-1, 304, 10**20, 0.5, None])
def test_what_is_no_action_is_an_error(action: Any) -> None:
    env = ours.ManhattanEnv(opponents="random")
    row, _ = env.reset(seed=1)
    with pytest.raises(InvalidAction, match="no legal action"):
        env.step(action)
    assert np.array_equal(env._play.look(env.seat)[0], row)


def test_an_illegal_move_is_an_error_if_so_it_was_asked_for() -> None:
    env = ours.ManhattanEnv(opponents="random", on_illegal="raise")
    env.reset(seed=1)
    with pytest.raises(InvalidAction, match="allows 70 of 0 to 303"):
        env.step(np.int64(0))


def test_no_step_after_the_end_nor_before_the_deal() -> None:
    env = ours.ManhattanEnv(opponents="random")
    with pytest.raises(ResetNeeded, match="No game was dealt"):
        env.step(np.int64(220))
    env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, _ = env.step(env.action_space.sample())
    with pytest.raises(ResetNeeded, match="over"):
        env.step(np.int64(0))


def test_the_agents_moves_deal_nobody_another_game() -> None:
    """Seeds don't entangle: the next game is the same, whatever happened in this one."""
    env, other = (ours.ManhattanEnv(opponents="random") for _ in range(2))
    env.reset(seed=5)
    other.reset(seed=5)
    for _ in range(9):
        env.step(env.action_space.sample())
    assert np.array_equal(env.reset()[0], other.reset()[0])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"opponents": "god"}, "no bot 'god'"),
        ({"opponents": ["easy"]}, "3 opponents are needed"),
        ({"edition": "gold"}, "gold"),
        ({"seat": 4}, "no player 4"),
        ({"on_illegal": "cheer"}, "option on_illegal can't be 'cheer'. It can be: penalty, raise"),
        ({"rewards": "x"}, "option rewards can't be 'x'. It can be: scoring, end"),
        ({"utility": ["score"]}, "option utility can't be .* It can be: win_share, score"),
        ({"playerz": 3}, "no option 'playerz'.*: players, edition, house_rules, utility, rewards"),
        ({"house_rules": "tallest_tie:one_owner"}, "House rules are a dictionary"),
    ],
)
def test_tables_that_there_are_not(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ManhattanError, match=told):
        ours.ManhattanEnv(**options)


# Many games


def many(count: int = 8, **options: Any) -> ManhattanVectorEnv:
    return ManhattanVectorEnv(count, **options)


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_spaces_hold_what_is_told(players: int, edition: str, mode: AutoresetMode) -> None:
    envs = gymnasium.make_vec(
        ours.ID,
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
        rows, rewards, ended, truncated, infos = envs.step(actions)
        assert rewards.shape == ended.shape == truncated.shape == (5,)
        assert not infos["illegal"].any()


def test_their_checks_that_fit_many_games() -> None:
    """Their wrapper that counts, and their benchmark: not how fast, only that they work."""
    envs = RecordEpisodeStatistics(many())
    envs.reset(seed=1)
    for _ in range(112):
        _, _, ended, _, infos = envs.step(envs.action_space.sample())
    assert ended.all()
    assert infos["episode"]["l"].tolist() == [112] * 8
    assert benchmark_vector_step(many(), target_duration=1, seed=1) > 0


def test_the_masks_that_are_told_are_some_to_sample_with() -> None:
    """All in one array, as they are told, or in a tuple, as Gymnasium takes them."""
    envs = many()
    _, infos = envs.reset(seed=1)
    for _ in range(9):
        for given in (np.asarray, tuple):
            infos = envs.step(envs.action_space.sample(given(infos["action_mask"])))[4]
            assert not infos["illegal"].any()
    only = np.zeros_like(infos["action_mask"])
    only[:, 220] = 1
    assert envs.action_space.sample(only).tolist() == [220] * 8
    with pytest.raises(ManhattanError, match=r"array of shape \(8, 304\), not \(304,\)"):
        envs.action_space.sample(only[0])


def test_a_game_that_ended_is_dealt_anew_in_the_next_step() -> None:
    envs = many()
    rows, infos = envs.reset(seed=1)
    for _ in range(112):
        last = rows
        rows, rewards, ended, _, infos = envs.step(envs.random_actions())
    assert ended.all()
    assert not infos["action_mask"].any()
    assert infos["rewards"].sum(axis=1).tolist() == pytest.approx([1] * 8)
    assert not np.array_equal(last, rows)
    rows, rewards, ended, _, infos = envs.step(np.zeros(8, np.int64))
    assert not ended.any()
    assert not rewards.any()
    assert infos["action_mask"].sum(axis=1).tolist() == [70] * 8
    assert rows[:, :432].sum() == 0  # empty boards


def test_or_in_the_same_step() -> None:
    envs, later = many(2, autoreset_mode="SameStep"), many(2)
    envs.reset(seed=1)
    later.reset(seed=1)
    dice = Random(1)
    for _ in range(112):
        actions = np.array([any_legal(mask, dice) for mask in envs._masks])
        rows, rewards, ended, _, infos = envs.step(actions)
        end_rows, end_rewards, _, _, _ = later.step(actions)
    assert ended.all()
    assert np.array_equal(rewards, end_rewards)
    assert np.array_equal(np.stack(infos["final_obs"]), end_rows)
    assert infos["_final_obs"].all()
    again, _, _, _, _ = later.step(actions)
    assert np.array_equal(rows, again)


@pytest.mark.parametrize("opponents", ["uniform", "greedy"])
def test_one_against_compiled_opponents(opponents: Any) -> None:
    games = 64 if COMPILED else 4
    envs = many(games, opponents=opponents)
    _, infos = envs.reset(seed=1)
    won = 0.0
    for _ in range(28):
        assert (infos["player"] == 0).all()
        _, rewards, ended, _, infos = envs.step(envs.random_actions())
        won += rewards.sum()
    assert ended.all()
    if COMPILED:  # a fair share is 16
        assert (won < 10) == (opponents == "greedy")


def test_a_game_does_not_depend_on_how_many_there_are() -> None:
    few, lots = many(2), many(8)
    assert np.array_equal(few.reset(seed=3)[0], lots.reset(seed=3)[0][:2])


def test_nothing_told_is_written_over_unless_so_it_was_asked_for() -> None:
    for copied in (True, False):
        envs = many(copy=copied)
        rows, _ = envs.reset(seed=1)
        before = rows.copy()
        envs.step(envs.random_actions())
        assert np.array_equal(rows, before) == copied
    envs = many()
    held = [envs.reset(seed=1)[0][2:4]]  # a part of it is enough to hold
    told = [held[0].copy()]
    for _ in range(9):
        held.append(envs.step(envs.random_actions())[0][2:4])
        told.append(held[-1].copy())
    assert all(map(np.array_equal, held, told))


def test_illegal_moves_in_some_of_many_games() -> None:
    envs = many()
    rows, infos = envs.reset(seed=1)
    actions = envs.random_actions()
    actions[3] = 0
    after, rewards, _, _, infos = envs.step(actions)
    assert infos["illegal"].tolist() == [game == 3 for game in range(8)]
    assert rewards.tolist() == [-1.0 if game == 3 else 0.0 for game in range(8)]
    assert np.array_equal(after[3], rows[3])
    assert not np.array_equal(after[2], rows[2])


@pytest.mark.parametrize("wrong", [0, -1, 304])
def test_if_one_is_an_error_none_is_made(wrong: int) -> None:
    envs = many(on_illegal="raise")
    envs.reset(seed=1)
    before = envs._games.tobytes()
    actions = envs.random_actions()
    chances = envs._games.tobytes()
    actions[3] = wrong
    with pytest.raises(InvalidAction):
        envs.step(actions)
    assert envs._games.tobytes() == chances
    assert len(before) == len(chances)


def test_actions_of_whichever_kind_are_compiled_for_once() -> None:
    envs, other = many(), many()
    envs.reset(seed=1)
    other.reset(seed=1)
    actions = envs.random_actions()
    known = list(getattr(step_all, "signatures", []))
    apart = np.repeat(actions, 2)[::2]
    apart.flags.writeable = False
    envs.step(actions)
    kinds: list[Any] = [apart, actions.astype(np.int32), actions.astype(np.uint16)]
    for kind in kinds:
        other.reset(seed=1)
        other.step(kind)
        assert np.array_equal(other._rows, envs._rows)
    assert list(getattr(step_all, "signatures", [])) == known


def test_copies_go_their_own_ways() -> None:
    envs = many()
    envs.reset(seed=1)
    for other in (copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))):
        before = envs._games.tobytes()
        rows = other.step(other.action_space.sample())[0]
        assert envs._games.tobytes() == before
        assert not np.array_equal(rows, envs._rows)
        assert other.step(other.action_space.sample())[4]["illegal"].sum() == 0


def test_steps_that_are_none() -> None:
    envs = many()
    with pytest.raises(ResetNeeded):
        envs.step(np.zeros(8, np.int64))
    envs.reset(seed=1)
    with pytest.raises(ManhattanError, match="dealt at once"):
        envs.reset(options={"reset_mask": np.ones(8, np.bool_)})
    for actions in (np.zeros(7, np.int64), np.zeros(8), np.zeros((8, 1), np.int64)):
        with pytest.raises(InvalidAction, match="takes 8 whole numbers"):
            envs.step(actions)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-1, 304])
def test_what_is_no_action_at_all_changes_nothing(wrong: int) -> None:
    envs = many()
    rows, infos = envs.reset(seed=1)
    actions = envs.random_actions()
    before = envs._games.tobytes(), rows.copy(), infos["action_mask"].copy()
    bad = actions.copy()
    bad[7] = wrong
    with pytest.raises(InvalidAction, match="Actions are 0 to 303"):
        envs.step(bad)
    assert envs._games.tobytes() == before[0]
    assert np.array_equal(envs._rows, before[1])
    assert np.array_equal(envs._masks, before[2])
    assert not envs.step(actions)[4]["illegal"].any()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"count": 0}, "at least one game"),
        ({"render_mode": "ansi"}, "not rendered"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode can't be 'Disabled'"),
        ({"autoreset_mode": "x"}, "autoreset_mode can't be 'x'. It can be: NextStep, SameStep"),
        ({"opponents": "expert"}, "option opponents can't be 'expert'. It can be: self, uniform"),
    ],
)
def test_vectors_that_there_are_not(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ManhattanError, match=told):
        many(**options)
