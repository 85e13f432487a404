"""The game in OpenSpiel: its own tests, unchanged; and what they don't ask."""

from __future__ import annotations

import copy
import pickle
import unittest
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts
from open_spiel.python.bots import uniform_random
from open_spiel.python.tests import games_sim_test

from manhattan.envs.engine.layout import SHUFFLE
from manhattan.envs.openspiel import NAME
from watching import ONE_OF_EACH, TABLES

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
FOUR = pytest.mark.xdist_group("envs-4")
TWO = pytest.mark.xdist_group("envs-2")


def load(players: int = 4, **options: Any) -> Any:
    return pyspiel.load_game(NAME, {"players": players, **options})


def drawn(state: Any, dice: Random) -> int:
    """Any outcome of chance."""
    outcomes, odds = zip(*state.chance_outcomes(), strict=True)
    outcome: int = dice.choices(outcomes, odds)[0]
    return outcome


def played(game: Any, dice: Random, decisions: int) -> Any:
    """A game after so many decisions, or over."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(drawn(state, dice))
        elif decisions:
            state.apply_action(dice.choice(state.legal_actions()))
            decisions -= 1
        else:
            break
    return state


# Their own suites


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_random_simulations(players: int, edition: str) -> None:
    game = load(players, edition=edition)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_the_simulations_of_games_sim_test(players: int, edition: str) -> None:
    games_sim_test.GamesSimTest().sim_game(load(players, edition=edition))


@FOUR
def test_the_integration_tests_of_the_api() -> None:
    # It looks for games when it is loaded: ours has to be there by then.
    from open_spiel.integration_tests import api_test

    assert NAME in api_test._GAMES_TO_TEST
    flags.FLAGS(["test", f"--test_only_games=^{NAME}$"])
    suite = api_test.load_tests(unittest.defaultTestLoader, None, None)
    result = unittest.TestResult()
    suite.run(result)
    assert result.testsRun >= 5
    assert result.errors == result.failures == result.skipped == []


@TWO
def test_a_playthrough_is_replayed() -> None:
    told = generate_playthrough.playthrough(f"{NAME}(players=2)", None, seed=1)
    lines = [line for line in told.splitlines() if line.startswith("action: ")]
    moves = [int(line.removeprefix("action: ")) for line in lines]
    assert len(moves) > 200
    assert generate_playthrough.playthrough(f"{NAME}(players=2)", moves) == told


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


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_another_game_that_nobody_could_tell_from_this_one(players: int, edition: str) -> None:
    """Along whole games, for every player: the same knowledge, mostly other cards."""
    game, dice = load(players, edition=edition), Random(players)
    state = game.new_initial_state()
    others = Counter[bool]()
    ply = 0
    while not state.is_terminal():
        ply += 1
        if ply % 5 == 0:
            for player in range(players):
                other = state.resample_from_infostate(player, dice.random)
                assert_same_to(player, state, other)
                others[str(other) != str(state)] += 1
        action = (
            drawn(state, dice) if state.is_chance_node() else dice.choice(state.legal_actions())
        )
        state.apply_action(action)
    assert others[True] > 5 * others[False]


def assert_same_to(player: int, state: Any, other: Any) -> None:
    assert other.information_state_string(player) == state.information_state_string(player)
    assert other.observation_string(player) == state.observation_string(player)
    for kind in ("information_state_tensor", "observation_tensor"):
        mine, theirs = getattr(state, kind)(player), getattr(other, kind)(player)
        assert np.array_equal(mine, theirs)
    assert other.current_player() == state.current_player()
    if state.current_player() == player:
        assert other.legal_actions() == state.legal_actions()
    assert len(other.history()) == len(state.history())


@TWO
def test_who_counts_knows_the_other_hand_when_the_pile_runs_out() -> None:
    """With two players the cards that can't be seen are then all in one hand."""
    game, dice = load(2), Random(1)
    state = game.new_initial_state()
    while not (state.is_chance_node() and state.chance_outcomes() == [(SHUFFLE, 1.0)]):
        action = (
            drawn(state, dice) if state.is_chance_node() else dice.choice(state.legal_actions())
        )
        state.apply_action(action)
    drawer = int(state.deck.drawing["drawer"])
    assert len({str(state.resample_from_infostate(drawer, dice.random)) for _ in range(20)}) == 1
    # Three cards are left in the hand that draws: nobody else is in doubt about them either.
    other = 1 - drawer
    assert len({str(state.resample_from_infostate(other, dice.random)) for _ in range(20)}) == 1


@FOUR
def test_cards_that_are_drawn_anew_fall_as_they_might() -> None:
    """After the deal every card that can't be seen is as likely in a hand as its share."""
    game, dice = load(4), Random(4)
    state = played(game, dice, 0)
    own = Counter(card for card, _ in hand_of(state, 0))
    seen = Counter[int]()
    samples = 2000
    for _ in range(samples):
        other = state.resample_from_infostate(0, dice.random)
        for position, count in hand_of(other, 2):
            seen[position] += count
    assert own.total() <= 4
    for position in range(9):  # player 2 sits opposite: his cards name the mirrored position
        mine = dict(hand_of(state, 0)).get(8 - position, 0)
        expected = samples * 4 * (5 - mine) / 41
        assert abs(seen[position] - expected) < 5 * expected**0.5


def hand_of(state: Any, player: int) -> list[tuple[int, int]]:
    """A hand by the positions that its cards name, and how many name each."""
    packed = int(state.deck.game["copies"][player])
    return [(k, packed >> 4 * k & 15) for k in range(9) if packed >> 4 * k & 15]


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
        ({"utility": "fame"}, "There is no utility 'fame'"),
    ],
)
def test_games_that_there_are_not(options: dict[str, Any], told: str) -> None:
    with pytest.raises(pyspiel.SpielError, match=told):
        pyspiel.load_game(NAME, options)
