"""The trainer: its stages, and that the result depends on the seed alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manhattan.ai.features import FEATURE_COUNT
from manhattan.ai.model import Kind, Model, ModelError, read_model
from manhattan.ai.training import trainer as trainer_module
from manhattan.ai.training.boundary_samples import BoundarySamples
from manhattan.ai.training.fitting import init_network
from manhattan.ai.training.trainer import TrainConfig, Trainer
from manhattan.ai.training.training_data import RoundRobin, Shard, play_for_network
from manhattan.parallel import map_threads
from manhattan.rules import set_up
from support.random_models import SHORT, short_games

pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.xdist_group("training"),  # one worker, which runs the training once
]

SMALL = TrainConfig(
    generations=2,
    games=2,
    network_games=2,
    epochs=2,
    cycles=1,
    search_games=1,
    rollouts=2,
    match_games=1,
)
VALUES_ONLY = replace(SMALL, games=1, cycles=0)
SEED = 6
"""With this seed only one of three seats searches, which keeps the tests short."""


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with short_games():
        yield


@dataclass
class RecordedTraining:
    """A complete training run, with its progress and its checkpoint after every stage."""

    folder: Path
    progress: list[tuple[str, int, int]] = field(default_factory=list)
    checkpoints: dict[int, bytes] = field(default_factory=dict)
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        path = self.folder / "complete.training"
        one_thread = partial(map_threads, workers=1)
        trainer = Trainer(SHORT, SMALL, SEED, path, self._on_progress, one_thread)
        save_checkpoint = trainer._save_checkpoint

        def save_and_record() -> None:
            save_checkpoint()
            self.checkpoints[trainer.stage] = path.read_bytes()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trainer, "_save_checkpoint", save_and_record)
            self.model = trainer.run()

    def _on_progress(self, stage: str, done: int, total: int) -> None:
        self.progress.append((stage, done, total))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> RecordedTraining:
    return RecordedTraining(tmp_path_factory.mktemp("training"))


@pytest.fixture
def trained(recorded: RecordedTraining) -> Model:
    return recorded.model


def test_a_training_runs_all_stages(trained: Model) -> None:
    assert [stage for stage, _ in SMALL.stages] == [
        "values",
        "values",
        "round_robin",
        "network",
        "search_targets",
        "round_robin",
    ]
    assert trained.kind == SHORT
    assert trained.value_weights.shape == (3, SHORT.weight_sets, FEATURE_COUNT)
    assert trained.value_weights.any(axis=2).all()  # every set has weights
    first, second, third = trained.value_weights
    assert np.abs(second - first).max() > 0.01
    changes = [np.abs(third - before).max() for before in (first, second)]
    assert 0 < min(changes) < 0.01  # search targets change the policy that they start from a little
    for array in trained.network:
        assert not array[0].any()  # there is no network before the first round
        assert array[1].any()
    assert trained.metadata["seed"] == SEED
    assert trained.metadata["config"] == asdict(SMALL)
    assert list(trained.metadata["results"]) == [
        "first against greedy",
        "best against greedy",
        "best against first",
        "best against all",
    ]
    assert all(0 <= share <= 1 for share in trained.metadata["results"].values())


def test_a_round_robin_begins_every_cycle_and_ends_the_training() -> None:
    assert TrainConfig(generations=2).stages == [
        ("values", 0),
        ("values", 1),
        ("round_robin", 0),
        ("network", 0),
        ("search_targets", 0),
        ("round_robin", 1),
        ("network", 1),
        ("search_targets", 1),
        ("round_robin", 2),
    ]


def round_robin_won_by(champion: int) -> Callable[[RoundRobin], Any]:
    """Return a replacement for ``play_round_robin`` in which one policy wins every game."""
    return lambda pairing: np.full(pairing.games, float(pairing.policy_id == champion))


@pytest.mark.no_cover  # the recorded training measures coverage, which doubles the time
@pytest.mark.parametrize("champion", [0, 1])
def test_search_targets_improve_on_the_best_policy(
    monkeypatch: pytest.MonkeyPatch, champion: int
) -> None:
    monkeypatch.setattr(trainer_module, "play_round_robin", round_robin_won_by(champion))
    model = Trainer(SHORT, SMALL, SEED, map_tasks=map).run()
    assert model.best_policy == champion
    changes = [
        float(np.abs(model.value_weights[2] - model.value_weights[policy]).max())
        for policy in (0, 1)
    ]
    assert changes[champion] < 0.01 < changes[1 - champion]
    assert model.metadata["results"]["best against all"] == 1


def test_the_progress_of_every_stage_is_reported(recorded: RecordedTraining) -> None:
    stages = list(dict.fromkeys(stage for stage, _, _ in recorded.progress))
    assert stages == [
        "Value function, generation 1 of 2",
        "Value function, generation 2 of 2",
        "Round robin 1 of 2",
        "Games for the value network, cycle 1 of 1",
        "Value network after round 1 of 1",
        "Search targets, cycle 1 of 1",
        "Round robin 2 of 2",
    ]
    totals = {
        "Search targets, cycle 1 of 1": 1,
        "Round robin 1 of 2": 2 * 3,
        "Round robin 2 of 2": 3 * 4,
    }
    for stage in stages:
        reports = [(done, total) for name, done, total in recorded.progress if name == stage]
        total = totals.get(stage, 2)
        assert reports == [(done, total) for done in range(total + 1)]


def assert_equal(left: Model, right: Model) -> None:
    assert (left.value_weights == right.value_weights).all()
    for a, b in zip(left.network, right.network, strict=True):
        assert (a == b).all()
    assert left.metadata == right.metadata


class Interrupted(Exception):
    """The user interrupts the training."""


def map_backwards(work: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
    """Run the last task first, two at a time; yield the results in order."""
    yield from reversed(list(map_threads(work, list(tasks)[::-1], workers=2)))


@pytest.mark.no_cover
def test_interruptions_and_the_order_of_tasks_do_not_change_the_result(
    recorded: RecordedTraining, tmp_path: Path
) -> None:
    path, resumed_at = tmp_path / "interrupted.training", []

    def run_until(last_stage: int) -> Model:
        def on_progress(stage: str, done: int, total: int) -> None:
            if done == 0 and trainer.stage == last_stage:
                raise Interrupted

        trainer = Trainer(SHORT, SMALL, SEED, path, on_progress, map_backwards)
        resumed_at.append(trainer.stage)
        return trainer.run()

    for stage in range(1, 6):
        with pytest.raises(Interrupted):
            run_until(stage)
        assert path.read_bytes() == recorded.checkpoints[stage]
    assert_equal(run_until(-1), recorded.model)
    assert resumed_at == [0, 1, 2, 3, 4, 5]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_interrupted_stage_leaves_the_last_checkpoint(
    recorded: RecordedTraining, tmp_path: Path
) -> None:
    path = tmp_path / "interrupted.training"
    path.write_bytes(recorded.checkpoints[3])

    def on_progress(stage: str, done: int, total: int) -> None:
        if stage.startswith("Value network") and done == 1:
            raise Interrupted

    with pytest.raises(Interrupted):
        Trainer(SHORT, SMALL, SEED, path, on_progress).run()
    assert path.read_bytes() == recorded.checkpoints[3]


def test_the_result_depends_on_the_seed_and_needs_no_checkpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trainer_module, "play_round_robin", round_robin_won_by(0))

    def train(seed: int) -> Model:
        return Trainer(SHORT, VALUES_ONLY, seed, map_tasks=map).run()

    first, same, other = train(1), train(1), train(2)
    assert_equal(first, same)
    assert (first.value_weights != other.value_weights).any()


@pytest.mark.parametrize(
    ("kind", "config", "seed"),
    [
        (SHORT, SMALL, SEED + 1),
        (SHORT, replace(SMALL, games=3), SEED),
        (Kind.of(set_up(3)), SMALL, SEED),
    ],
)
def test_the_checkpoint_of_another_training_is_rejected(
    recorded: RecordedTraining, tmp_path: Path, kind: Kind, config: TrainConfig, seed: int
) -> None:
    path = tmp_path / "other.training"
    path.write_bytes(recorded.checkpoints[2])
    message = r"other.training belongs to another training: .*\"seed\": 6.* Resume"
    with pytest.raises(ModelError, match=message):
        Trainer(kind, config, seed, path)
    assert Trainer(SHORT, SMALL, SEED, path).stage == 2
    assert path.read_bytes() == recorded.checkpoints[2]


def test_a_checkpoint_with_other_features_is_rejected(
    recorded: RecordedTraining, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.training"
    path.write_bytes(recorded.checkpoints[1])
    monkeypatch.setattr(trainer_module, "FEATURE_COUNT", FEATURE_COUNT + 1)
    with pytest.raises(ModelError, match="another training"):
        Trainer(SHORT, SMALL, SEED, path)


@pytest.mark.parametrize("damage", ["empty", "truncated", "one byte", "another file"])
def test_a_damaged_checkpoint_is_rejected(
    recorded: RecordedTraining, tmp_path: Path, damage: str
) -> None:
    path, content = tmp_path / "damaged.training", recorded.checkpoints[1]
    if damage == "another file":
        with path.open("wb") as file:
            recorded.model.save(file)
    else:
        half = len(content) // 2
        path.write_bytes(
            {
                "empty": b"",
                "truncated": content[:half],
                "one byte": content[:half] + bytes([content[half] ^ 255]) + content[half + 1 :],
            }[damage]
        )
    before = path.read_bytes()
    with pytest.raises(ModelError, match=r"damaged.training (can't be read|is not a checkpoint)"):
        Trainer(SHORT, SMALL, SEED, path)
    assert path.read_bytes() == before


def test_a_trained_model_can_be_saved_and_read(trained: Model, tmp_path: Path) -> None:
    trained.save(tmp_path / "model.npz")
    loaded = read_model(SHORT, tmp_path / "model.npz")
    assert loaded.metadata == trained.metadata
    assert np.abs(loaded.value_weights - trained.value_weights).max() < 0.05


def test_the_network_has_a_sample_for_each_player() -> None:
    """The targets are the share of the win and, in tens of points, the growth of the lead and the
    points still scored."""
    shard = Shard(SHORT, Trainer(SHORT, VALUES_ONLY, 1).value_weights, 1, 0, 2)
    played = play_for_network(shard, -1)
    samples = BoundarySamples.of(SHORT, [played.results], 1)
    assert len(samples) == 2 * 3
    for game, player in product(range(2), range(3)):
        points = played.results.scores[game] - played.results.boundaries[game, 0].scores[:3]
        rivals = [points[other] for other in range(3) if other != player]
        expected = [
            played.win_shares[game, player],
            (points[player] - np.mean(rivals)) / 10,
            points[player] / 10,
        ]
        assert samples.targets[game, player] == pytest.approx(expected)
    parameters = init_network(np.random.default_rng(1))
    alone = [samples.gradients(parameters, np.array([n]))[1] for n in range(6)]
    _, losses = samples.gradients(parameters, np.arange(6))
    assert losses == pytest.approx(np.mean(alone, axis=0), rel=1e-4)
    _, of_positions = samples.position_gradients(parameters, np.arange(2))
    assert of_positions[1:] == pytest.approx(losses[1:], rel=1e-4)
