"""The same game through each environment and by the rules: legal moves, points, rewards, end."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest

from manhattan.envs import manhattan_v1
from manhattan.envs.deck import Deck, new_deck
from manhattan.envs.engine import chance
from manhattan.envs.engine.layout import SHUFFLE, TABLE_SIZE
from manhattan.envs.engine.memory import room
from manhattan.envs.openspiel import NAME
from manhattan.envs.seats import Seats, position_of
from manhattan.envs.vector import ManhattanVectorEnv
from manhattan.game import Game
from manhattan.kernel import Numbering, Position
from manhattan.kernel.layout import GAME
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
from positions import crowded
from watching import ONE_OF_EACH, TABLES, actions_of, any_legal, table


def cards_of(event: Event) -> list[int]:
    """What chance did in an event, as OpenSpiel is told: the cards that were drawn, by kind."""
    match event:
        case Built():
            assert event.drew is not None
            return [event.drew - 1]
        case Redrew():
            assert event.drew is not None
            return [card - 1 for card in event.drew]
        case _:
            return []


def tell(game: Any, cards: list[int]) -> None:
    """Let the cards fall as they did by the rules; shuffle where they did."""
    for card in cards:
        if game.outcomes() == [(SHUFFLE, 1.0)]:
            assert game.apply(SHUFFLE)
        assert game.apply(card)


class Spiel:
    """An OpenSpiel state with the names of our engine object."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def outcomes(self) -> list[tuple[int, float]]:
        outcomes: list[tuple[int, float]] = self.state.chance_outcomes()
        return outcomes

    def apply(self, action: int) -> bool:
        self.state.apply_action(action)
        return True


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_openspiel_plays_by_the_rules(players: int, edition: str) -> None:
    dice = Random(players)
    game = Game(table(players, edition), SeedShuffler(bytes(range(32))))
    state = pyspiel.load_game(NAME, {"players": players, "edition": edition}).new_initial_state()
    dealt = [card - 1 for player in range(players) for card in game.state.hands[player]]
    tell(Spiel(state), dealt)
    while not game.over:
        assert state.current_player() == game.table.mover
        legal = actions_of(game.state)
        assert state.legal_actions() == legal
        action = dice.choice(legal)
        own = game.table.player.colours
        events = game.play(Numbering.of(game.setup).move(action, own))
        state.apply_action(action)
        for event in events:
            tell(Spiel(state), cards_of(event))
        assert state.deck.scores == list(game.table.scores)
    assert state.is_terminal()
    assert game.table.result is not None
    winners = game.table.result.winners
    share = [1 / len(winners) if p in winners else 0.0 for p in range(players)]
    assert state.returns() == share


def deck_of(state: State) -> Deck:
    """A game of chance nodes that stands where a state does."""
    position = Position.of_state(state)
    record = room(TABLE_SIZE)
    record[: GAME.itemsize] = np.frombuffer(position.data.tobytes(), np.uint8)
    return Deck(Seats(state.table.setup), record, state.table.mover)


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_crowded_boards_with_every_card_told(players: int, edition: str) -> None:
    """Where hands must be shown, new ones drawn and blocks taken out."""
    seen: set[type] = set()
    for seed in range(12):
        dice = Random(seed)
        setup = table(players, edition)
        shuffler = SeedShuffler(dice.randbytes(32))
        state, _ = begin_turn(crowded(setup, dice, low=True), shuffler)
        new_deck(players, edition)  # compiled for such a table
        deck = deck_of(state)
        while state.table.round == 1 and not state.table.result:
            assert deck.actor == state.table.mover
            legal = actions_of(state)
            assert deck.actions() == legal
            action = dice.choice(legal)
            move = deck.seats.numbering.move(action, state.table.player.colours)
            state, events = apply(state, move, shuffler)
            assert deck.apply(action)
            seen |= {type(event) for event in events}
            for event in events:
                tell(deck, cards_of(event))
            again = position_of(deck.seats, deck.record).state()
            assert again.table.board == state.table.board
            assert again.hands == state.hands
            assert sorted(again.pile) == sorted(state.pile)
        assert deck.scores == list(state.table.scores)
    assert {Redrew, Removed, Shuffled} <= seen


def assert_follows(before: State, action: int, after: State) -> None:
    """By the rules the move leads there, whatever card was drawn."""
    move = Numbering.of(before.table.setup).move(action, before.table.player.colours)
    expected, events = apply(before, move, SeedShuffler(bytes(32)))
    assert not any(isinstance(event, Redrew) for event in events)  # not in these games
    assert after.table == expected.table


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_pettingzoo_plays_by_the_rules(players: int, edition: str) -> None:
    dice = Random(players)
    env = manhattan_v1.raw_env(players=players, edition=edition, utility="score", rewards="scoring")
    env.reset(seed=players)
    state = env._play.position().state()
    total = dict.fromkeys(env.agents, 0.0)
    while not all(env.terminations.values()):
        assert env.agent_selection == f"player_{state.table.mover}"
        observed = env.last()[0]
        assert np.flatnonzero(observed["action_mask"]).tolist() == actions_of(state)
        action = any_legal(observed["action_mask"], dice)
        env.step(action)
        after = env._play.position().state()
        assert_follows(state, action, after)
        gained = np.subtract(after.table.scores, state.table.scores)
        assert list(env.rewards.values()) == gained.tolist()
        total = {agent: total[agent] + env.rewards[agent] for agent in env.agents}
        state = after
    assert state.table.result is not None
    assert tuple(total.values()) == state.table.scores


@pytest.mark.parametrize("payday", ["scoring", "end"])
@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_many_games_play_by_the_rules(players: int, edition: str, payday: Any) -> None:
    dice = Random(players)
    envs = ManhattanVectorEnv(
        players, players=players, edition=edition, utility="score_minus_mean", rewards=payday
    )
    _, infos = envs.reset(seed=players)

    def states() -> list[State]:
        records = envs._games.view(np.uint8).reshape(envs.num_envs, -1)
        return [position_of(envs.table, record).state() for record in records]

    before = states()
    assert [state.table.mover for state in before] == list(range(players))  # each begins once
    total = np.zeros((players, players))
    for _ in range(envs.table.decisions):
        for state, mask in zip(before, infos["action_mask"], strict=True):
            assert np.flatnonzero(mask).tolist() == actions_of(state)
        actions = np.array([any_legal(mask, dice) for mask in infos["action_mask"]])
        _, rewards, ended, truncated, infos = envs.step(actions)
        after = states()
        for game in range(players):
            assert_follows(before[game], int(actions[game]), after[game])
            assert rewards[game] == infos["rewards"][game, before[game].table.mover]
        assert not truncated.any()
        total += infos["rewards"]
        before = after
    assert ended.all()
    for game, state in enumerate(before):
        points = np.array(state.table.scores, float)
        others = (points.sum() - points) / (players - 1)
        assert total[game] == pytest.approx(points - others, abs=1e-4)


def test_the_chance_of_each_card_is_its_share_of_the_pile() -> None:
    deck = new_deck(4, "hig-2017").copy()
    for kind in [0, 0, 0, 0, 0, 1, 1]:
        assert deck.apply(kind)
    assert deck.actor == chance.CHANCE
    outcomes = dict(deck.outcomes())
    assert outcomes == {1: 3 / 38, **dict.fromkeys(range(2, 9), 5 / 38)}
    assert not deck.apply(0)
    assert not deck.apply(SHUFFLE)
    assert dict(deck.outcomes()) == outcomes
