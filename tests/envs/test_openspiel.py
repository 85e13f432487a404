"""OpenSpiel: its own tests, unchanged, and what they don't check."""

from __future__ import annotations

import copy
import pickle
import unittest
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts
from open_spiel.python.bots import uniform_random

from manhattan.envs.engine.history import SHUFFLE
from manhattan.envs.openspiel import NAME
from support.env_helpers import DEFAULT_TABLES, TABLES
from support.openspiel_helpers import load, random_outcome, state_after

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
FOUR = pytest.mark.xdist_group("envs-4")
THREE = pytest.mark.xdist_group("envs-3")
TWO = pytest.mark.xdist_group("envs-2")


# OpenSpiel's own suites


@pytest.mark.no_cover  # other tests cover the same; measuring this one would double its time
@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_random_simulations(players: int, edition: str) -> None:
    game = load(players, edition=edition)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_the_simulations_of_games_sim_test(players: int, edition: str) -> None:
    """Every test of OpenSpiel for our game with this number of players."""
    # It lists the registered games when it is imported: ours must be registered by then.
    from open_spiel.python.tests import games_sim_test

    names = [f"test_multiplayer_game_{players}p_{NAME}"]
    if players == 4:
        names.append(f"test_game_sim_{NAME}")
    result = unittest.TestResult()
    unittest.TestSuite(map(games_sim_test.GamesSimTest, names)).run(result)
    assert result.testsRun == len(names)
    assert result.errors == result.failures == result.skipped == []


@THREE
def test_the_simulations_with_house_rules() -> None:
    """The same for a table with house rules, which OpenSpiel's tests don't have."""
    from open_spiel.python.tests import games_sim_test

    game = load(3, house_rules="three_players:6x4;tallest_tie:one_owner", utility="score")
    games_sim_test.GamesSimTest().sim_game(game)
    setup = game.template.spec.setup
    assert (setup.schedule.blocks, setup.schedule.rounds) == (6, 4)
    assert setup.rules.tallest_tie == "one_owner"
    again = pyspiel.load_game(str(game))
    assert again.template.spec.setup == setup
    state = state_after(again, Random(1), 30)
    assert pickle.loads(pickle.dumps(state)).engine.spec.setup == setup
    assert state.engine.game["blocks"][0] == 6


@FOUR
def test_the_api_integration_tests() -> None:
    # It lists the registered games when it is imported.
    from open_spiel.integration_tests import api_test

    assert NAME in api_test._GAMES_TO_TEST
    flags.FLAGS(["test", f"--test_only_games=^{NAME}$"])
    suite = api_test.load_tests(unittest.defaultTestLoader, None, None)
    result = unittest.TestResult()
    suite.run(result)
    assert result.testsRun >= 5
    assert result.errors == result.failures == result.skipped == []


@THREE
@pytest.mark.no_cover
def test_a_playthrough_is_replayed() -> None:
    text = generate_playthrough.playthrough(f"{NAME}(players=3)", None, seed=1)
    lines = [line for line in text.splitlines() if line.startswith("action: ")]
    moves = [int(line.removeprefix("action: ")) for line in lines]
    assert len(moves) > 170  # 90 decisions, and a card for each of 12 in hand and 72 blocks
    assert generate_playthrough.playthrough(f"{NAME}(players=3)", moves) == text


@FOUR
def test_the_rl_environment() -> None:
    env = rl_environment.Environment(NAME, utility="score")
    env.seed(1)
    step, rng = env.reset(), Random(1)
    while not step.last():
        player = step.observations["current_player"]
        step = env.step([rng.choice(step.observations["legal_actions"][player])])
    assert len(step.observations["info_state"][0]) == env.game.information_state_tensor_size()
    assert max(step.rewards) > 0


@TWO
def test_mcts_plays_a_whole_game() -> None:
    game, rng = load(2), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bots = [
        mcts.MCTSBot(game, 1.5, 3, evaluator, random_state=rng),
        uniform_random.UniformRandomBot(1, rng),
    ]
    assert sum(whole_game(game, bots)) == 1


@TWO
def test_ismcts_plays_a_whole_game() -> None:
    game, rng = load(2), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bots = [
        ismcts.ISMCTSBot(game, evaluator, 1.5, 3, random_state=rng),
        uniform_random.UniformRandomBot(1, rng),
    ]
    assert sum(whole_game(game, bots)) == 1


def whole_game(game: Any, bots: list[Any]) -> list[float]:
    state, rng = game.new_initial_state(), Random(1)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(random_outcome(state, rng))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    returns: list[float] = state.returns()
    return returns


# Observers


@FOUR
def test_observers_contain_what_is_requested() -> None:
    game = load()
    state = state_after(game, Random(1), 30)
    kinds = pyspiel.PrivateInfoType
    public = game.make_py_observer(
        pyspiel.IIGObservationType(perfect_recall=False, private_info=kinds.NONE)
    )
    public.set_from(state, 0)
    assert not {"hand", "unseen", "hands"} & set(public.dict)
    assert "hand" not in public.string_from(state, 0)
    private = game.make_py_observer(
        pyspiel.IIGObservationType(
            perfect_recall=False, public_info=False, private_info=kinds.SINGLE_PLAYER
        )
    )
    private.set_from(state, 1)
    assert list(private.dict) == ["hand"]
    assert private.dict["hand"].sum() == 4
    everything = game.make_py_observer(
        pyspiel.IIGObservationType(perfect_recall=True, private_info=kinds.ALL_PLAYERS)
    )
    everything.set_from(state, 1)
    assert everything.dict["hands"].sum(axis=1).tolist() == [4, 4, 4, 4]
    with pytest.raises(ValueError, match="have no parameters"):
        game.make_py_observer(None, {"colour": "blue"})


# States


@FOUR
def test_copies_are_independent() -> None:
    state = state_after(load(), Random(1), 40)
    for other in (state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert str(other) == str(state)
        assert other.history() == state.history()
        other.apply_action(other.legal_actions()[0])
        assert str(other) != str(state)
    assert state.clone().engine.game is not state.engine.game


@FOUR
def test_utilities() -> None:
    finished = {}
    for utility in ("win_share", "score", "score_minus_mean"):
        game = load(utility=utility)
        state = state_after(game, Random(3), -1)
        finished[utility] = state.returns()
        assert all(game.min_utility() <= u <= game.max_utility() for u in state.returns())
    scores = finished["score"]
    assert scores == state.engine.scores
    assert finished["score_minus_mean"] == [s - (sum(scores) - s) / 3 for s in scores]
    assert sum(finished["win_share"]) == 1
    assert np.argmax(finished["win_share"]) == np.argmax(scores)


@FOUR
@pytest.mark.parametrize("game", ["kuhn_poker", "python_manhattan"])
def test_only_the_actor_has_legal_actions(game: str) -> None:
    """At a chance node only chance has, as in OpenSpiel's own games."""
    state = pyspiel.load_game(game).new_initial_state()
    assert state.is_chance_node()
    outcomes = [action for action, _ in state.chance_outcomes()]
    assert state.legal_actions() == state.legal_actions(pyspiel.PlayerId.CHANCE) == outcomes
    assert [state.legal_actions(player) for player in range(state.num_players())] == (
        [[]] * state.num_players()
    )
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    mover = state.current_player()
    assert state.legal_actions(mover) == state.legal_actions()
    assert state.legal_actions(pyspiel.PlayerId.CHANCE) == []
    assert state.legal_actions((mover + 1) % state.num_players()) == []


@FOUR
def test_bad_actions_change_nothing() -> None:
    state = state_after(load(), Random(1), 10)
    before = str(state), state.history()
    legal = set(state.legal_actions())
    for action in (-2, 10**6, 304, next(a for a in range(304) if a not in legal)):
        with pytest.raises(pyspiel.SpielError, match="impossible"):
            state.apply_action(action)
    assert (str(state), state.history()) == before
    dealing = load().new_initial_state()
    with pytest.raises(pyspiel.SpielError, match="Outcome 9"):
        dealing.apply_action(SHUFFLE)
    with pytest.raises(pyspiel.SpielError, match="not a chance node"):
        state.chance_outcomes()
    with pytest.raises(pyspiel.SpielError, match="no player 4"):
        state.resample_from_infostate(4, Random(1).random)


@FOUR
def test_actions_after_the_end_are_rejected() -> None:
    state = state_after(load(), Random(1), -1)
    before = str(state)
    with pytest.raises(pyspiel.SpielError, match="over"):
        state.apply_action(0)
    assert str(state) == before
    assert state.legal_actions() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edition": "gold"}, "gold"),
        ({"players": 5}, "2 to 4 players"),
        ({"utility": "fame"}, "The option utility can't be 'fame'"),
        ({"house_rules": "no talking"}, "write it like tallest_tie:one_owner"),
        ({"house_rules": "talking:no"}, "no house rule 'talking'"),
    ],
)
def test_bad_parameters_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(pyspiel.SpielError, match=message):
        pyspiel.load_game(NAME, options)
