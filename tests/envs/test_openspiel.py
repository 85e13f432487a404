"""The game in OpenSpiel: its own tests, unchanged; and what they don't ask."""

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

from manhattan.envs.engine.layout import SHUFFLE
from manhattan.envs.openspiel import NAME
from spiel import drawn, load, played
from watching import ONE_OF_EACH, TABLES

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
FOUR = pytest.mark.xdist_group("envs-4")
THREE = pytest.mark.xdist_group("envs-3")
TWO = pytest.mark.xdist_group("envs-2")


# Their own suites


@pytest.mark.no_cover  # what is played through elsewhere, too: measured, it takes twice as long
@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_random_simulations(players: int, edition: str) -> None:
    game = load(players, edition=edition)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_the_simulations_of_games_sim_test(players: int, edition: str) -> None:
    """Every test that it has of our game, by its own names: which players it is for."""
    # It looks for games when it is loaded: ours has to be there by then.
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
    """And what their tests don't ask: the same of a table that changed its rules."""
    from open_spiel.python.tests import games_sim_test

    game = load(3, house_rules="three_players:6x4;tallest_tie:one_owner", utility="score")
    games_sim_test.GamesSimTest().sim_game(game)
    setup = game.deck.seats.setup
    assert (setup.schedule.blocks, setup.schedule.rounds) == (6, 4)
    assert setup.rules.tallest_tie == "one_owner"
    again = pyspiel.load_game(str(game))
    assert again.deck.seats.setup == setup
    state = played(again, Random(1), 30)
    assert pickle.loads(pickle.dumps(state)).deck.seats.setup == setup
    assert state.deck.game["blocks"] == 6


@FOUR
def test_the_integration_tests_of_the_api() -> None:
    # Like the other one, it looks for games when it is loaded.
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
    told = generate_playthrough.playthrough(f"{NAME}(players=3)", None, seed=1)
    lines = [line for line in told.splitlines() if line.startswith("action: ")]
    moves = [int(line.removeprefix("action: ")) for line in lines]
    assert len(moves) > 170  # 90 decisions, and a card for each of 12 in hand and 72 blocks
    assert generate_playthrough.playthrough(f"{NAME}(players=3)", moves) == told


@FOUR
def test_the_learning_environment() -> None:
    env = rl_environment.Environment(NAME, utility="score")
    env.seed(1)
    step, dice = env.reset(), Random(1)
    while not step.last():
        player = step.observations["current_player"]
        step = env.step([dice.choice(step.observations["legal_actions"][player])])
    assert len(step.observations["info_state"][0]) == env.game.information_state_tensor_size()
    assert max(step.rewards) > 0


@TWO
def test_their_mcts_plays_a_whole_game() -> None:
    game, rng = load(2), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bots = [
        mcts.MCTSBot(game, 1.5, 3, evaluator, random_state=rng),
        uniform_random.UniformRandomBot(1, rng),
    ]
    assert sum(whole_game(game, bots)) == 1


@TWO
def test_their_ismcts_plays_a_whole_game() -> None:
    game, rng = load(2), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bots = [
        ismcts.ISMCTSBot(game, evaluator, 1.5, 3, random_state=rng),
        uniform_random.UniformRandomBot(1, rng),
    ]
    assert sum(whole_game(game, bots)) == 1


def whole_game(game: Any, bots: list[Any]) -> list[float]:
    state, dice = game.new_initial_state(), Random(1)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(drawn(state, dice))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    returns: list[float] = state.returns()
    return returns


# What a player knows


@FOUR
def test_observers_tell_what_they_are_asked_for() -> None:
    game = load()
    state = played(game, Random(1), 30)
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
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(None, {"colour": "blue"})


# A state


@FOUR
def test_copies_go_their_own_ways() -> None:
    state = played(load(), Random(1), 40)
    for other in (state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert str(other) == str(state)
        assert other.history() == state.history()
        other.apply_action(other.legal_actions()[0])
        assert str(other) != str(state)
    assert state.clone().deck.record is not state.deck.record


@FOUR
def test_utilities() -> None:
    finished = {}
    for utility in ("win_share", "score", "score_minus_mean"):
        game = load(utility=utility)
        state = played(game, Random(3), -1)
        finished[utility] = state.returns()
        assert all(game.min_utility() <= worth <= game.max_utility() for worth in state.returns())
    scores = finished["score"]
    assert scores == state.deck.scores
    assert finished["score_minus_mean"] == [s - (sum(scores) - s) / 3 for s in scores]
    assert sum(finished["win_share"]) == 1
    assert np.argmax(finished["win_share"]) == np.argmax(scores)


@FOUR
@pytest.mark.parametrize("game", ["kuhn_poker", "python_manhattan"])
def test_whoever_is_not_to_act_has_no_actions(game: str) -> None:
    """At a chance node nobody but chance has, as in OpenSpiel's own games."""
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
    state = played(load(), Random(1), 10)
    before = str(state), state.history()
    legal = set(state.legal_actions())
    for action in (-2, 10**6, 304, next(a for a in range(304) if a not in legal)):
        with pytest.raises(pyspiel.SpielError, match="impossible"):
            state.apply_action(action)
    assert (str(state), state.history()) == before
    dealing = load().new_initial_state()
    with pytest.raises(pyspiel.SpielError, match="Outcome 9"):
        dealing.apply_action(SHUFFLE)
    with pytest.raises(pyspiel.SpielError, match="not chance's turn"):
        state.chance_outcomes()
    with pytest.raises(pyspiel.SpielError, match="no player 4"):
        state.resample_from_infostate(4, Random(1).random)


@FOUR
def test_nothing_happens_after_the_end() -> None:
    state = played(load(), Random(1), -1)
    before = str(state)
    with pytest.raises(pyspiel.SpielError, match="over"):
        state.apply_action(0)
    assert str(state) == before
    assert state.legal_actions() == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"edition": "gold"}, "gold"),
        ({"players": 5}, "2 to 4 players"),
        ({"utility": "fame"}, "The option utility can't be 'fame'"),
        ({"house_rules": "no talking"}, "write it like tallest_tie:one_owner"),
        ({"house_rules": "talking:no"}, "no house rule 'talking'"),
    ],
)
def test_games_that_there_are_not(options: dict[str, Any], told: str) -> None:
    with pytest.raises(pyspiel.SpielError, match=told):
        pyspiel.load_game(NAME, options)
