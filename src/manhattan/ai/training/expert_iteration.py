"""Expert iteration: a search plays, networks learn from it, and the search gets better by them.

1. Searches play games. The policy network is fitted to how they compared the placements.
2. The policy network plays many games against itself and weaker policies, quickly. The value
   network is fitted to how they ended, and then to how the searched games ended.
3. The next cycle searches with both networks.

Everything follows from the seed. Every cycle ends with a checkpoint, and searched games are kept
as they are played: an interrupted training resumes from there.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from manhattan.ai import policy_network, value_network
from manhattan.ai.jit import compiled
from manhattan.ai.model import Kind, Model, ModelError, read_arrays
from manhattan.ai.networks import Networks
from manhattan.ai.playout_policy import NETWORK_POLICY, Policies
from manhattan.ai.policy_network import PolicyNetwork, packed
from manhattan.ai.training.boundary_samples import BoundarySamples
from manhattan.ai.training.fitting import Indices, Parameters, init_network, sgd
from manhattan.ai.training.policy_fitting import (
    Decisions,
    encode_decisions,
    init_policy_network,
    policy_loss_and_gradients,
    search_policy,
)
from manhattan.ai.training.search_games import SearchTargets, play_for_policy
from manhattan.ai.training.self_play import Results
from manhattan.ai.training.shard_files import SearchedGames, ShardFiles
from manhattan.ai.training.training_data import Shard, play, setup_for_kind
from manhattan.ai.value_network import ValueNetwork
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.policies import GREEDY_POLICY
from manhattan.parallel import map_threads

ProgressCallback = Callable[[str, int, int], None]
"""Called with the name of a stage, the amount done and the total."""

POLICY_LEARNING_RATE: Final = 3e-3
NEXT_POLICY_LEARNING_RATE: Final = 1.5e-3
"""For a policy network that starts from the one of the cycle before."""
TUNING_RATE: Final = 1e-3
"""The learning rate of the value network on the searched games, which are few."""
FIRST_SEARCHING_SHARE: Final = 0.85
SEARCHING_SHARE: Final = 0.6
"""Once there are networks, a fifth of the seats search without them, and as many don't search:
a policy that is fitted to games of its own kind alone gets weaker against others."""
_PLAIN_SHARE: Final = 0.2
_PLAN_CHANGES: Final = 4
"""Players vary their selection plans in the games, because Champion's selections vary."""
_POLICY_BATCH, _VALUE_BATCH = 256, 128
_MIXED_SHARE: Final = 0.4
"""The share of self-play games in which half of the seats follow weaker policies."""
_TEMPERATURES: Final = (0.0, 0.1, 0.2)
_EPSILON: Final = 16
"""The exploration rate of self-play, in parts of EPSILON_SCALE."""
_SEARCH_SHARD_GAMES, _SELF_PLAY_SHARD_GAMES = 10, 2_000


@dataclass(frozen=True, slots=True)
class IterationConfig:
    """The amounts of a training."""

    cycles: int = 1
    search_games: int = 1_500
    """For each cycle."""
    rollouts: int = 400
    """For each decision in those games."""
    policy_epochs: int = 10
    self_play_games: int = 120_000
    """For each cycle."""
    value_epochs: int = 2
    tuning_epochs: int = 2

    def scaled(self, scale: float) -> IterationConfig:
        """Multiply the numbers of games."""
        games = {
            name: max(1, round(getattr(self, name) * scale))
            for name in ("search_games", "self_play_games")
        }
        return replace(self, **games)


def _no_progress(stage: str, done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class NetworkGames(Shard):
    """Some games of the policy network."""

    network: PolicyNetwork


def play_network_games(shard: NetworkGames) -> Results:
    """Play the policy network against itself, and in some games also against weaker policies."""
    rng, kind = shard.rng, shard.kind
    size = (shard.games, kind.players)
    weaker = rng.integers(GREEDY_POLICY, len(shard.value_weights), size=size)
    is_mixed = rng.random((shard.games, 1)) < _MIXED_SHARE
    is_weaker = (rng.random(size) < 0.5) & is_mixed
    policy_ids = np.where(is_weaker, weaker, NETWORK_POLICY)
    temperature = np.float32(rng.choice(_TEMPERATURES))
    policies = Policies(shard.value_weights, packed(shard.network), temperature)
    plans = shard.sample_plans(rng, _PLAN_CHANGES)
    played = play(
        shard, policy_ids, plans, epsilon=_EPSILON, keep_boundaries=True, policies=policies
    )
    return played.results


@dataclass
class ExpertIteration:
    """A training run and its state."""

    model: Model
    config: IterationConfig
    seed: int
    checkpoint: Path | None = None
    """Where the state is saved after every cycle."""
    on_progress: ProgressCallback = _no_progress
    map_tasks: Callable[..., Iterator[Any]] = map_threads
    start: Networks | None = None
    """The networks of an earlier training, from which this one goes on."""
    stage: int = 0
    """The number of cycles that are done."""
    networks: Networks | None = field(init=False, default=None)
    losses: dict[str, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.networks = self.start
        if self.checkpoint is not None and self.checkpoint.exists():
            self._resume(self.checkpoint)

    @property
    def kind(self) -> Kind:
        return self.model.kind

    def run(self) -> Networks:
        """Run the cycles that remain."""
        self._warm_up()
        while self.stage < self.config.cycles or self.networks is None:
            shard_files = self._shard_files()
            decisions, searched = self._play_searches(shard_files)
            policy = PolicyNetwork(**self._fit_policy(decisions))
            rival_policy = policy if self.networks is None else self.networks.rival_policy
            value = self._fit_value(self._play_networks(policy), searched)
            self.networks = Networks(
                self.kind, policy, rival_policy, ValueNetwork(**value), self._metadata()
            )
            self.stage += 1
            self._save_checkpoint()
            shard_files.remove()
        return self.networks

    def _metadata(self) -> dict[str, Any]:
        losses = {name: round(loss, 4) for name, loss in self.losses.items()}
        metadata = {"seed": self.seed, "config": asdict(self.config), "losses": losses}
        return metadata if self.start is None else {**metadata, "start": self.start.metadata}

    def _warm_up(self) -> None:
        """Compile in this thread, before the shards need the code in several."""
        with announce_compilation(setup_for_kind(self.kind), "networks", compiled.cache):
            shard = SearchTargets(self.kind, self.model.value_weights, 0, 0, 1, self.model, 1)
            decisions, _ = play_for_policy(replace(shard, searching_share=1.0))
            self._encode(decisions, np.arange(1))
            play_network_games(self._network_shard(policy_network.NO_NETWORK, 0, 0, 1))

    def _shard_files(self) -> ShardFiles:
        """Return the files for the searched games of this cycle."""
        if self.checkpoint is None:
            return ShardFiles(None)
        identity = zlib.crc32(self._identity().encode())
        return ShardFiles(self.checkpoint.with_suffix(f".{identity:08x}-{self.stage}"))

    def _play_searches(self, shard_files: ShardFiles) -> SearchedGames:
        """Play games with the best search so far."""
        is_first = self.networks is None
        shards = [
            SearchTargets(
                self.kind,
                self.model.value_weights,
                self._seed(0),
                begin,
                end,
                self.model,
                self.config.rollouts,
                self.networks,
                FIRST_SEARCHING_SHARE if is_first else SEARCHING_SHARE,
                0.0 if is_first else _PLAIN_SHARE,
                _PLAN_CHANGES,
            )
            for begin, end in _shards(self.config.search_games, _SEARCH_SHARD_GAMES)
        ]
        played = list(self._play_missing(shards, shard_files))
        decisions = [part for part, _ in played]
        joined = Decisions(
            np.concatenate([part.states for part in decisions]).view(np.recarray),
            np.concatenate([part.actions for part in decisions]),
            np.concatenate([part.rollouts for part in decisions]),
            np.concatenate([part.values for part in decisions]),
        )
        return joined, _join([results for _, results in played])

    def _play_missing(
        self, shards: list[SearchTargets], shard_files: ShardFiles
    ) -> Iterator[SearchedGames]:
        """Yield the searched games of each shard; play those that are not on disk."""
        kept = {shard.begin: shard_files.load(shard.begin) for shard in shards}
        missing = [shard for shard in shards if kept[shard.begin] is None]
        for shard, played in zip(
            missing, self._map(play_for_policy, "Searched games", missing), strict=True
        ):
            shard_files.save(shard.begin, played)
            kept[shard.begin] = played
        yield from (played for played in kept.values() if played is not None)

    def _encode(self, decisions: Decisions, indices: Indices) -> Any:
        schedule = self.kind.schedule
        inputs = encode_decisions(decisions.states[indices], self.kind.players, schedule.colours)
        return inputs, search_policy(decisions.at(indices))

    def _fit_policy(self, decisions: Decisions) -> Parameters:
        rng = np.random.default_rng([self.seed, self.stage, 1])
        if self.networks is None:
            parameters, learning_rate = init_policy_network(rng), POLICY_LEARNING_RATE
        else:
            network = self.networks.policy._asdict()
            parameters = {name: array.copy() for name, array in network.items()}
            learning_rate = NEXT_POLICY_LEARNING_RATE

        def gradients_of(indices: Indices) -> Any:
            gradients, loss = policy_loss_and_gradients(
                parameters, *self._encode(decisions, indices)
            )
            return gradients, np.array([loss])

        epochs = self.config.policy_epochs
        title = self._title("Policy network")
        self.on_progress(title, 0, epochs)
        for epoch, losses in sgd(
            parameters,
            len(decisions),
            gradients_of,
            epochs,
            rng,
            learning_rate=learning_rate,
            batch_size=_POLICY_BATCH,
        ):
            self.losses["policy"] = float(losses[0])
            self.on_progress(title, epoch + 1, epochs)
        return parameters

    def _play_networks(self, policy: PolicyNetwork) -> Results:
        seed = self._seed(2)
        shards = [
            self._network_shard(policy, seed, begin, end)
            for begin, end in _shards(self.config.self_play_games, _SELF_PLAY_SHARD_GAMES)
        ]
        return _join(list(self._map(play_network_games, "Self-play", shards)))

    def _network_shard(
        self, policy: PolicyNetwork, seed: int, begin: int, end: int
    ) -> NetworkGames:
        return NetworkGames(self.kind, self.model.value_weights, seed, begin, end, policy)

    def _fit_value(self, self_play: Results, searched: Results) -> Parameters:
        """Fit a network for each round that may come next; first to many games, then to strong
        ones."""
        rng = np.random.default_rng([self.seed, self.stage, 3])
        rounds = self.kind.schedule.rounds
        value = {
            name: np.zeros((rounds, *shape), np.float32)
            for name, shape in value_network.SHAPES.items()
        }
        title = self._title("Value network")
        for number in range(1, rounds):
            self.on_progress(title, number - 1, rounds - 1)
            parameters = init_network(rng)
            for results, epochs, rate in (
                (self_play, self.config.value_epochs, 4 * TUNING_RATE),
                (searched, self.config.tuning_epochs, TUNING_RATE),
            ):
                samples = BoundarySamples.of(self.kind, [results], number)
                gradients_of = partial(samples.position_gradients, parameters)
                for _, losses in sgd(
                    parameters,
                    len(samples.states),
                    gradients_of,
                    epochs,
                    rng,
                    learning_rate=rate,
                    batch_size=_VALUE_BATCH,
                ):
                    self.losses[f"value after round {number}"] = float(losses[0])
            for name, array in parameters.items():
                value[name][number] = array
        self.on_progress(title, rounds - 1, rounds - 1)
        return value

    def _title(self, stage: str) -> str:
        return f"{stage}, cycle {self.stage + 1} of {self.config.cycles}"

    def _seed(self, stage: int) -> int:
        """Return a seed for each stage: no two stages play the same deals."""
        return int(np.random.SeedSequence([self.seed, self.stage, stage]).generate_state(1)[0])

    def _map(self, work: Callable[[Any], Any], stage: str, tasks: list[Any]) -> Iterator[Any]:
        """Run the tasks and report the games that are done."""
        done, total = 0, sum(task.games for task in tasks)
        title = self._title(stage)
        self.on_progress(title, 0, total)
        for task, result in zip(tasks, self.map_tasks(work, tasks), strict=True):
            yield result
            done += task.games
            self.on_progress(title, done, total)

    def _save_checkpoint(self) -> None:
        if self.checkpoint is None or self.networks is None:
            return
        new = self.checkpoint.with_suffix(".new")
        arrays: dict[str, Any] = {
            f"{part}_{name}": array
            for part in ("policy", "rival_policy", "value")
            for name, array in getattr(self.networks, part)._asdict().items()
        }
        with new.open("wb") as file:
            np.savez(
                file,
                identity=np.array(self._identity()),
                stage=np.array(self.stage),
                losses=np.array(json.dumps(self.losses)),
                **arrays,
            )
        new.replace(self.checkpoint)

    def _resume(self, path: Path) -> None:
        arrays = read_arrays(path)
        if "identity" not in arrays or str(arrays["identity"]) != self._identity():
            raise ModelError(
                f"{path} belongs to another training. Resume that one, or remove the file."
            )
        self.stage = int(arrays["stage"])
        self.losses = json.loads(str(arrays["losses"]))
        policy, rival_policy = (
            PolicyNetwork(**{name: arrays[f"{part}_{name}"] for name in policy_network.SHAPES})
            for part in ("policy", "rival_policy")
        )
        value = {name: arrays[f"value_{name}"] for name in value_network.SHAPES}
        self.networks = Networks(
            self.kind, policy, rival_policy, ValueNetwork(**value), self._metadata()
        )

    def _identity(self) -> str:
        """Return what two training runs must share to be the same."""
        identity = {"kind": str(self.kind), "seed": self.seed, **asdict(self.config)}
        if self.start is not None:
            arrays = (*self.start.policy, *self.start.value)
            identity["start"] = zlib.crc32(b"".join(array.tobytes() for array in arrays))
        return json.dumps(identity, sort_keys=True)


def _shards(games: int, size: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(0, games, size), games])


def _join(parts: list[Results]) -> Results:
    return Results(
        np.concatenate([part.boundaries for part in parts]).view(np.recarray),
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.winner_bits for part in parts]),
    )
