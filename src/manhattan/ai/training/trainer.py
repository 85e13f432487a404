"""The trainer: from greedy play to a model, by self-play against a pool of earlier policies.

1. Value functions are fitted to games between greedy players and then, generation by generation,
   to games of the newest policy against a pool of all before it. Self-play without a pool would
   go in circles.
2. The value network is fitted to games of the whole pool.
3. A further value function is fitted to search targets: how much better one move was than another
   in rollouts. That says far more than the winner of a game does.

A newer policy is not always better. So all policies meet in a round robin: step 3 improves on the
policy that does best against all, and that policy is what the bots follow in the end.

Everything follows from the seed. Every stage ends with a checkpoint, from which an interrupted
training resumes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from manhattan.ai.features import FEATURE_COUNT
from manhattan.ai.jit import compiled
from manhattan.ai.model import Kind, Model, ModelError, read_arrays
from manhattan.ai.training.boundary_samples import BoundarySamples
from manhattan.ai.training.fitting import (
    RIDGE,
    Floats,
    NormalEquations,
    encode_batch,
    init_network,
    sgd,
)
from manhattan.ai.training.search_games import SearchTargets, play_search_games
from manhattan.ai.training.training_data import (
    RoundRobin,
    Shard,
    play_for_network,
    play_generation,
    play_round_robin,
    setup_for_kind,
)
from manhattan.ai.value_network import SHAPES, ValueNetwork
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.policies import GREEDY_POLICY
from manhattan.parallel import map_threads

Stage = Literal["values", "round_robin", "network", "search_targets"]
ProgressCallback = Callable[[str, int, int], None]
"""Called with the name of a stage, the amount done and the total."""

SEARCH_TARGET_SCALE: Final = 30.0
"""About the worth of a win in points: search targets are win probabilities, weights are points."""
SEARCH_TARGET_RIDGE: Final = 3000.0
_SHARD_GAMES = 500
_SEARCH_SHARD_GAMES = 10


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """The amounts of a training."""

    generations: int = 6
    games: int = 64_000
    """For each generation."""
    network_games: int = 40_000
    epochs: int = 8
    cycles: int = 2
    """How often a round robin, the network and search targets follow each other."""
    search_games: int = 600
    """Games whose moves are searched, in each cycle."""
    rollouts: int = 256
    """For each decision in those games."""
    match_games: int = 4_000
    """For each pair of policies in a round robin."""

    @property
    def stages(self) -> list[tuple[Stage, int]]:
        """The stages in order, each with its number among those of its kind."""
        stages: list[tuple[Stage, int]] = [("values", n) for n in range(self.generations)]
        for cycle in range(self.cycles):
            stages += [("round_robin", cycle), ("network", cycle), ("search_targets", cycle)]
        return [*stages, ("round_robin", self.cycles)]

    def scaled(self, scale: float) -> TrainConfig:
        """Multiply the numbers of games."""
        games = {
            name: max(1, round(getattr(self, name) * scale))
            for name in ("games", "network_games", "search_games", "match_games")
        }
        return replace(self, **games)


def _no_progress(stage: str, done: int, total: int) -> None:
    """Ignore progress."""


@dataclass
class Trainer:
    """A training run and its state."""

    kind: Kind
    config: TrainConfig
    seed: int
    checkpoint: Path | None = None
    """Where the state is saved after every stage."""
    on_progress: ProgressCallback = _no_progress
    map_tasks: Callable[..., Iterator[Any]] = map_threads
    stage: int = 0
    value_weights: Floats = field(init=False)
    win_shares: Floats = field(init=False)
    """``[policy, opponent]``: the share of wins of one policy against a table of another, as of
    the last round robin. The opponents are the greedy policy, then each value function."""
    network: dict[str, Floats] = field(init=False)

    def __post_init__(self) -> None:
        rounds = self.kind.schedule.rounds
        self.value_weights = np.zeros((0, self.kind.weight_sets, FEATURE_COUNT), np.float32)
        self.win_shares = np.zeros((1, 2), np.float32)
        self.network = {
            name: np.zeros((rounds, *shape), np.float32) for name, shape in SHAPES.items()
        }
        if self.checkpoint is not None and self.checkpoint.exists():
            self._resume(self.checkpoint)

    def run(self) -> Model:
        """Run the stages that remain."""
        stages = self.config.stages
        self._warm_up()
        while self.stage < len(stages):
            self._run_stage(*stages[self.stage])
            self.stage += 1
            self._save_checkpoint()
        first, best = self.win_shares[0], self.win_shares[self.best_policy]
        results = {
            "first against greedy": first[0],
            "best against greedy": best[0],
            "best against first": best[1],
            "best against all": best.mean(),
        }
        return self._model(
            seed=self.seed,
            config=asdict(self.config),
            results={name: round(float(share), 4) for name, share in results.items()},
        )

    def _run_stage(self, stage: Stage, number: int) -> None:
        match stage:
            case "values":
                self._fit_values(number)
            case "round_robin":
                self._play_round_robin(number)
            case "network":
                self._fit_network(number)
            case "search_targets":
                self._fit_search_targets(number)

    @property
    def best_policy(self) -> int:
        """The policy with the greatest mean share of wins against all."""
        return int(np.argmax(self.win_shares.mean(axis=1)))

    def _model(self, **metadata: Any) -> Model:
        network = ValueNetwork(**self.network)
        return Model(self.kind, self.value_weights, self.best_policy, network, metadata)

    def _warm_up(self) -> None:
        """Compile in this thread, before the shards need the code in several."""
        with announce_compilation(setup_for_kind(self.kind), "training", compiled.cache):
            shard = Shard(self.kind, self.value_weights, self.seed, 0, 1)
            played = play_for_network(shard, GREEDY_POLICY)
            players, colours = self.kind.players, self.kind.schedule.colours
            encode_batch(played.results.boundaries[:, 0], np.zeros(1, np.int64), players, colours)

    def _fit_values(self, generation: int) -> None:
        title = f"Value function, generation {generation + 1} of {self.config.generations}"
        shards = self._shards(self.config.games, _SHARD_GAMES)
        equations = self._sum_equations(play_generation, title, shards)
        self._add_policy(equations.solve(RIDGE))

    def _play_round_robin(self, number: int) -> None:
        """Play each policy against a table of each other one, in the same deals."""
        policies = range(len(self.value_weights))
        opponents = range(GREEDY_POLICY, len(self.value_weights))
        shards = self._shards(self.config.match_games, _SHARD_GAMES)
        tasks = [
            RoundRobin(shard, policy, opponent)
            for policy in policies
            for opponent in opponents
            for shard in shards
        ]
        title = f"Round robin {number + 1} of {self.config.cycles + 1}"
        won = [shares.sum() for shares in self._map(play_round_robin, title, tasks)]
        totals = np.reshape(won, (len(policies), len(opponents), len(shards))).sum(axis=2)
        self.win_shares = (totals / self.config.match_games).astype(np.float32)

    def _fit_network(self, cycle: int) -> None:
        title = f"Games for the value network, cycle {cycle + 1} of {self.config.cycles}"
        shards = self._shards(self.config.network_games, _SHARD_GAMES)
        play = partial(play_for_network, best_policy=self.best_policy)
        played = list(self._map(play, title, shards))
        rng = np.random.default_rng([self.seed, self.stage])
        rounds = self.kind.schedule.rounds
        for number in range(1, rounds):
            parameters = init_network(rng)
            samples = BoundarySamples.of(self.kind, [p.results for p in played], number)
            title = f"Value network after round {number} of {rounds - 1}"
            self.on_progress(title, 0, self.config.epochs)
            gradients_of = partial(samples.gradients, parameters)
            for epoch, _ in sgd(parameters, len(samples), gradients_of, self.config.epochs, rng):
                self.on_progress(title, epoch + 1, self.config.epochs)
            for name, array in parameters.items():
                self.network[name][number] = array

    def _fit_search_targets(self, cycle: int) -> None:
        title = f"Search targets, cycle {cycle + 1} of {self.config.cycles}"
        model = self._model()
        shards = [
            SearchTargets(
                s.kind, s.value_weights, s.seed, s.begin, s.end, model, self.config.rollouts
            )
            for s in self._shards(self.config.search_games, _SEARCH_SHARD_GAMES)
        ]
        equations = self._sum_equations(play_search_games, title, shards)
        scaled = NormalEquations(equations.gram, SEARCH_TARGET_SCALE * equations.moments)
        prior = self.value_weights[self.best_policy]
        self._add_policy(scaled.solve(SEARCH_TARGET_RIDGE, prior))

    def _shards(self, games: int, size: int) -> list[Shard]:
        # A seed for each stage: no two stages play the same deals.
        seed = int(np.random.SeedSequence([self.seed, self.stage]).generate_state(1)[0])
        edges = [*range(0, games, size), games]
        return [
            Shard(self.kind, self.value_weights, seed, begin, end) for begin, end in pairwise(edges)
        ]

    def _sum_equations(
        self, play: Callable[[Any], NormalEquations], title: str, shards: list[Any]
    ) -> NormalEquations:
        equations = NormalEquations.zeros(self.kind.weight_sets)
        for part in self._map(play, title, shards):
            equations.add(part)
        return equations

    def _map(self, work: Callable[[Any], Any], title: str, tasks: list[Any]) -> Iterator[Any]:
        """Run the tasks and report the games that are done."""
        done, total = 0, sum(task.games for task in tasks)
        self.on_progress(title, 0, total)
        for task, result in zip(tasks, self.map_tasks(work, tasks), strict=True):
            yield result
            done += task.games
            self.on_progress(title, done, total)

    def _add_policy(self, value_weights: Floats) -> None:
        self.value_weights = np.concatenate([self.value_weights, value_weights[None]])

    def _save_checkpoint(self) -> None:
        if self.checkpoint is None:
            return
        arrays: dict[str, Any] = {
            **self.network,
            "value_weights": self.value_weights,
            "win_shares": self.win_shares,
            "stage": np.array(self.stage),
            "identity": np.array(self._identity()),
        }
        new = self.checkpoint.with_suffix(".new")
        with new.open("wb") as file:
            np.savez(file, **arrays)
        new.replace(self.checkpoint)

    def _resume(self, path: Path) -> None:
        arrays = read_arrays(path)
        if not {"identity", "stage", "value_weights", "win_shares", *SHAPES} <= arrays.keys():
            raise ModelError(f"{path} is not a checkpoint of a training. Remove the file.")
        if str(arrays["identity"]) != self._identity():
            raise ModelError(
                f"{path} belongs to another training: {arrays['identity']}. "
                "Resume that one, or remove the file."
            )
        self.stage = int(arrays["stage"])
        self.value_weights, self.win_shares = arrays["value_weights"], arrays["win_shares"]
        self.network = {name: arrays[name] for name in SHAPES}

    def _identity(self) -> str:
        """Return what two training runs must share to be the same."""
        identity = {"kind": str(self.kind), "seed": self.seed, **asdict(self.config)}
        return json.dumps({**identity, "features": FEATURE_COUNT}, sort_keys=True)
