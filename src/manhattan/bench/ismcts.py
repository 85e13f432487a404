"""Champion's search against OpenSpiel's information-set Monte Carlo tree search, in equal time.

The games are played in OpenSpiel. Its search is a general one: it knows nothing of the game but
the rules, and plays random rollouts to the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from manhattan.ai.model import Kind, load_model
from manhattan.ai.networks import load_networks
from manhattan.ai.search import Searcher, SearchLimits
from manhattan.bench.measurement import Measurement
from manhattan.envs import openspiel
from manhattan.kernel import Position
from manhattan.parallel import map_processes

_EXPLORATION = 1.5
_MANY_ROLLOUTS = 10**9


class IsmctsPlayer(ismcts.ISMCTSBot):  # type: ignore[misc]  # it has no types
    """OpenSpiel's search with a time for each move: it measures how long a simulation takes."""

    def __init__(self, game: Any, seconds: float, seed: int) -> None:
        rng = np.random.RandomState(seed % 2**32)
        evaluator = mcts.RandomRolloutEvaluator(1, rng)
        super().__init__(game, evaluator, _EXPLORATION, 2, random_state=rng)
        self._seconds = seconds
        self._seconds_per_simulation = seconds / 2

    def choose(self, state: Any) -> int:
        simulations = max(2, round(self._seconds / self._seconds_per_simulation))
        self._max_simulations = simulations
        begin = time.perf_counter()
        action = int(self.step(state))
        if len(state.legal_actions()) > 1:
            took = (time.perf_counter() - begin) / simulations
            self._seconds_per_simulation += 0.3 * (took - self._seconds_per_simulation)
        return action


class ChampionPlayer:
    """Champion's search, by what the player to move knows."""

    def __init__(self, seconds: float, seed: int) -> None:
        self._seconds = seconds
        self._rng = np.random.default_rng(seed)

    def choose(self, state: Any) -> int:
        engine = state.engine
        setup = engine.spec.setup
        position = Position(setup, engine.game.copy(), has_build_order=True)
        kind = Kind.of(setup)
        seed = int(self._rng.integers(2**63))
        searcher = Searcher(load_model(kind), position, seed, load_networks(kind))
        actions = searcher.candidates()
        if len(actions) == 1:
            return actions[0]
        return searcher.search(actions, SearchLimits(_MANY_ROLLOUTS, self._seconds))[0].action


@dataclass(frozen=True, slots=True)
class Task:
    """One game; Champion's seat follows from its number."""

    players: int
    number: int
    seconds: float


def play(task: Task) -> float:
    """Play a game; return Champion's share of the win."""
    game = pyspiel.load_game(openspiel.NAME, {"players": task.players, "utility": "win_share"})
    seat, rng = task.number % task.players, np.random.default_rng(task.number // task.players)
    champion = ChampionPlayer(task.seconds, task.number)
    others = IsmctsPlayer(game, task.seconds, task.number)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
            continue
        player = champion if state.current_player() == seat else others
        state.apply_action(player.choose(state))
    return float(state.returns()[seat])


def measure(
    players: int, games: int, seconds: float, workers: int | None = None
) -> Iterator[float]:
    """Yield Champion's share of the win in each game."""
    tasks = [Task(players, number, seconds) for number in range(games)]
    return map_processes(play, tasks, workers)


def summarize(players: int, shares: list[float]) -> Iterator[Measurement]:
    """Yield the share of the wins and the number of games."""
    yield Measurement("ismcts_games", players, len(shares), "games")
    yield Measurement("ismcts_wins", players, float(np.mean(shares)), "share of the wins")
