"""Search by sequential halving: candidate moves, and rollouts until the best stands out.

The candidates are the placements that the policy network, or without it the value function, ranks
first. All of them get the same number of rollouts; then the worse half is dropped and the rest get
more, until one is left or the time is up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.ai.jit import compiled
from manhattan.ai.model import Kind, Model, load_model
from manhattan.ai.networks import Networks, load_networks
from manhattan.ai.opponent_model import infer_policies
from manhattan.ai.playout_policy import (
    NETWORK_POLICY,
    RIVAL_NETWORK_POLICY,
    Policies,
    new_policy_memory,
)
from manhattan.ai.policy_network import TARGET_TEMPERATURE, packed, score_actions
from manhattan.ai.rollout import ALL_PLAYERS, VALUE, RolloutMemory, RolloutModel, run_rollouts
from manhattan.ai.selection_plans import PLANS, affordable
from manhattan.ai.value_function import evaluate_placements
from manhattan.ai.value_network import new_buffers
from manhattan.kernel import Position
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.conversion import unpack_stock
from manhattan.kernel.layout import BUILD, SELECT, table_shape
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY
from manhattan.rules import ManhattanError, Select, Stock
from manhattan.rules.blocks import sizes_in
from manhattan.view import View

MAX_CANDIDATES: Final = 16
"""Placements that are searched at most."""
LAST_PLACEMENTS: Final = 4
"""With networks, all legal placements are searched if so few are left in the game."""
POINT_VALUE: Final = 0.005
"""The value of a point of lead, where a win is 1: it breaks ties, and keeps lost games close."""
POOL_PRIOR: Final = (0.02, 0.08, 0.1, 0.3, 0.25, 0.25)
"""With networks: the prior probability that a rival plays at random, greedily, by the first or the
best value function, by the policy network or by that of the first cycle. A small pool leaves more
time for rollouts."""
POOL_PRIOR_OF_TWO: Final = (0.02, 0.12, 0.12, 0.74, 0.0, 0.0)
"""With two players the value functions play the rollouts, at half the cost: in the same time that
is the stronger search."""
PRIOR_ROLLOUTS: Final = 150
"""With networks: how many rollouts of a placement the policy network's opinion is worth. A few
dozen rollouts say less than the network, which was fitted to the results of thousands."""
TEMPERATURE: Final = 0.1
"""How much the policy network varies its placements in rollouts."""
PRIOR_WEIGHT: Final = 0.1
"""The share of the prior that stays in the posterior over rivals' policies."""

_ROLLOUTS_PER_CHECK = 24
"""Rollouts between two looks at the clock: two or three milliseconds with networks."""


_loaded_shapes: set[tuple[int, int]] = set()
"""The numbers of players and colours for which this process has loaded the code."""


class SearchError(ManhattanError, ValueError):
    """A position that has no moves to search."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """When a search stops: after a number of rollouts or of seconds, whichever comes first."""

    rollouts: int
    seconds: float | None = None
    check: Callable[[], None] = lambda: None
    """Called every few milliseconds; an exception that it raises ends the search."""


@dataclass(frozen=True, slots=True)
class MoveStats:
    """The mean results of the rollouts of one move."""

    action: int
    rollouts: int
    value: float
    """The win probability plus POINT_VALUE for each point of lead."""
    win_probabilities: tuple[float, ...]
    """Of each player. Like the fields below, 0 unless all players were evaluated."""
    standard_errors: tuple[float, ...]
    """Of each win probability; infinite after a single rollout."""
    expected_scores: tuple[float, ...]
    """Of each player."""


class Searcher:
    """Searches one position with a model, by what the mover knows of it."""

    def __init__(
        self, model: Model, position: Position, seed: int, networks: Networks | None = None
    ) -> None:
        """Search with the networks of expert iteration, or without them by the model alone."""
        if position.is_over:
            raise SearchError("The game is over.")
        self.model = model
        self.networks = networks
        self.position = position
        self.seed = np.uint64(seed % 2**64)
        setup = position.setup
        self._players, self._colours = table_shape(len(setup.players), setup.schedule.colours)
        self.memory = RolloutMemory(
            position.data.copy(), new_policy_memory(), new_buffers(), position.data.copy()
        )
        self.rollout_model = _rollout_model(model, networks)
        self._prior = model.policy_prior
        if networks is not None:
            is_duel = len(setup.players) == 2
            self._prior = np.array(POOL_PRIOR_OF_TWO if is_duel else POOL_PRIOR)

    def placement_values(self, policy_id: int) -> dict[int, float]:
        """Return the value of each placement by one value function, the greatest first."""
        values = np.full(BUILDS * len(self._colours), -np.inf, np.float32)
        with announce_compilation(self.position.setup, "values", compiled.cache):
            evaluate_placements(
                self.position.data,
                self._players,
                self._colours,
                policy_id,
                self.model.value_weights,
                self.memory.policies.scratch,
                values,
            )
        return _ranked(values)

    def placement_scores(self, networks: Networks) -> dict[int, float]:
        """Return the log-probability of each placement by the policy network, up to a common
        constant, the greatest first."""
        scores = np.full(BUILDS * len(self._colours), -np.inf, np.float32)
        with announce_compilation(self.position.setup, "policy", compiled.cache):
            score_actions(
                self.position.data,
                self._players,
                self._colours,
                packed(networks.policy),
                self.memory.policies.buffers,
                scores,
            )
        return _ranked(scores)

    def posterior(self) -> npt.NDArray[np.float64]:
        """Return ``[player, n]``: the probability that a player uses the n-th policy of the pool,
        given their placements so far."""
        pool = self.rollout_model.policy_pool
        likelihood = np.ones((len(self._players), len(pool)))
        if self.position.has_build_order:
            work = self.memory.work
            work[0] = self.position.data[0]
            work[0].random = self.seed
            infer_policies(
                self.position.data,
                work,
                self._players,
                self._colours,
                pool,
                self.rollout_model.policies,
                self.memory.policies,
                likelihood,
            )
        posterior = likelihood * self._prior
        posterior /= posterior.sum(axis=1, keepdims=True)
        blend: npt.NDArray[np.float64] = PRIOR_WEIGHT * self._prior + (1 - PRIOR_WEIGHT) * posterior
        return blend

    def candidates(self) -> list[int]:
        """Return the actions that are worth searching."""
        phase = self.position.data[0].phase
        if phase == BUILD:
            if self.networks is not None:
                ranked = list(self.placement_scores(self.networks))
                return (
                    ranked if self._placements_left <= LAST_PLACEMENTS else ranked[:MAX_CANDIDATES]
                )
            return list(self.placement_values(self.model.best_policy))[:MAX_CANDIDATES]
        return self._selections() if phase == SELECT else self.position.legal_actions()

    @property
    def _placements_left(self) -> int:
        """The placements until the end of the round, or many before the last round."""
        g = self.position.data[0]
        return int(g.blocks_left) if g.round_number + 1 == g.rounds else 1000

    def _selections(self) -> list[int]:
        """Return the selection of the strongest plan and all that differ from it by one block."""
        g, setup = self.position.data[0], self.position.setup
        plan = PLANS[setup.schedule][-1][int(g.round_number)]
        supplies = [
            unpack_stock(g.supply[own.slot]) for own in setup.colours_by_player[int(g.mover)]
        ]
        planned = [affordable(plan, supply) for supply in supplies]
        selections = [planned]
        for n, (stock, supply) in enumerate(zip(planned, supplies, strict=True)):
            selections += [
                [*planned[:n], changed, *planned[n + 1 :]]
                for changed in _one_block_apart(stock, supply)
            ]
        moves = [Select(tuple(map(sizes_in, selection))) for selection in selections]
        return [self.position.encode(move) for move in moves]

    def search(
        self, actions: list[int], limits: SearchLimits, *, all_players: bool = False
    ) -> list[MoveStats]:
        """Compare actions by sequential halving; return their statistics, the best first."""
        players = len(self._players)
        order = np.array(actions, np.int64)
        sums = np.zeros((len(order), ALL_PLAYERS + 3 * players))
        counts = np.zeros(len(order), np.int64)
        self._load(order, all_players, sums)
        prior_sums = self.prior_sums(actions)
        stages = max(1, (len(order) - 1).bit_length())
        if self.rollout_model.ends_exactly and self._placements_left == 1:
            # All rollouts of a move give the same result; two of them show that they do.
            limits = replace(limits, rollouts=2 * stages * len(order))
        end = None if limits.seconds is None else time.monotonic() + limits.seconds
        posterior = self.posterior()
        begin = time.monotonic()
        remaining, done = len(order), 0
        for stage in range(stages):
            target = done + max(1, limits.rollouts // (stages * remaining))
            deadline = None if end is None else begin + (end - begin) * (stage + 1) / stages
            while done < target and (deadline is None or done == 0 or time.monotonic() < deadline):
                limits.check()
                until = min(target, done + max(1, _ROLLOUTS_PER_CHECK // remaining))
                self._run_rollouts(
                    order[:remaining], done, until, posterior, all_players, sums[:remaining]
                )
                done = until
            counts[:remaining] = done
            total_values = sums[:remaining, VALUE] + prior_sums[:remaining]
            ranking = np.argsort(-total_values, kind="stable")
            for array in (order, sums, counts, prior_sums):
                array[:remaining] = array[:remaining][ranking]
            remaining = (remaining + 1) // 2
        return [
            _move_stats(int(action), int(count), total, players)
            for action, count, total in zip(order, counts, sums, strict=True)
        ]

    def prior_sums(self, actions: list[int]) -> npt.NDArray[np.float64]:
        """Return by how much the policy network's opinion adds to the sums of the values."""
        is_exact = self._placements_left <= LAST_PLACEMENTS
        if self.networks is None or self.position.data[0].phase != BUILD or is_exact:
            return np.zeros(len(actions))
        scores = self.placement_scores(self.networks)
        log_odds = np.array([scores[action] for action in actions])
        # The network was fitted to probabilities that fall with the value at this temperature.
        prior: npt.NDArray[np.float64] = log_odds - log_odds.max()
        return PRIOR_ROLLOUTS * TARGET_TEMPERATURE * prior

    def _load(self, order: Any, all_players: bool, sums: Any) -> None:
        """Compile or load the code before the clock starts, once in a process."""
        shape = len(self._players), len(self._colours)
        if shape in _loaded_shapes:
            return
        with announce_compilation(self.position.setup, "search", compiled.cache):
            self._run_rollouts(order, 0, 0, self.posterior(), all_players, sums)
        if self.position.has_build_order:  # or the opponent model was not needed
            _loaded_shapes.add(shape)

    def _run_rollouts(
        self, actions: Any, begin: int, end: int, posterior: Any, all_players: bool, sums: Any
    ) -> None:
        run_rollouts(
            self.position.data,
            self._players,
            self._colours,
            actions,
            begin,
            end,
            self.seed,
            self.rollout_model,
            posterior,
            POINT_VALUE,
            all_players,
            self.memory,
            sums,
        )


def searcher_for(view: View, seed: int, *, with_networks: bool = False) -> Searcher:
    """Return a searcher for what a player sees, with the model for such tables, and if requested
    with the networks of expert iteration."""
    position, kind = Position.from_view(view, seed), Kind.of(view.public.setup)
    networks = load_networks(kind) if with_networks else None
    return Searcher(load_model(kind), position, seed, networks)


def _rollout_model(model: Model, networks: Networks | None) -> RolloutModel:
    """Return what rollouts need; the policy networks, if there are any, are the last of the
    policies that a rival may follow, and with more than two players one plays for the mover."""
    if networks is None:
        return RolloutModel(
            model.best_policy,
            model.policy_pool,
            model.policies,
            model.kind.plans,
            model.network,
            is_normalized=False,
            ends_exactly=False,
        )
    return RolloutModel(
        model.best_policy if model.kind.players == 2 else NETWORK_POLICY,
        np.array(
            [
                UNIFORM_POLICY,
                GREEDY_POLICY,
                0,
                model.best_policy,
                NETWORK_POLICY,
                RIVAL_NETWORK_POLICY,
            ]
        ),
        Policies(
            model.value_weights,
            packed(networks.policy, networks.rival_policy),
            np.float32(TEMPERATURE),
        ),
        model.kind.plans,
        networks.value,
        is_normalized=True,
        ends_exactly=True,
    )


def _ranked(values: npt.NDArray[np.float32]) -> dict[int, float]:
    """Return the finite values by action, the greatest first."""
    order = np.argsort(-values, kind="stable")
    return {int(action): float(values[action]) for action in order if values[action] > -np.inf}


def _one_block_apart(stock: Stock, supply: Stock) -> Iterator[Stock]:
    """Yield the stocks with one block exchanged for one of another size that the supply has."""
    for removed in range(4):
        for added in range(4):
            if removed != added and stock[removed] > 0 and stock[added] < supply[added]:
                changed = list(stock)
                changed[removed] -= 1
                changed[added] += 1
                ones, twos, threes, fours = changed
                yield ones, twos, threes, fours


def _move_stats(action: int, count: int, sums: Any, players: int) -> MoveStats:
    mean = sums / count
    win_probabilities, expected_scores, squares = mean[ALL_PLAYERS:].reshape(3, players)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(np.maximum(0.0, squares - win_probabilities**2) / (count - 1))
    return MoveStats(
        action,
        count,
        value=float(mean[VALUE]),
        win_probabilities=tuple(map(float, win_probabilities)),
        standard_errors=tuple(map(float, errors)) if count > 1 else (np.inf,) * players,
        expected_scores=tuple(map(float, expected_scores)),
    )
