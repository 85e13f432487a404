"""Expert iteration: searched games, networks that learn from them, and a search that uses them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manhattan.ai import networks
from manhattan.ai.model import ModelError
from manhattan.ai.networks import Networks, load_networks, read_networks
from manhattan.ai.search import POOL_PRIOR, Searcher, SearchLimits
from manhattan.ai.training import expert_iteration
from manhattan.ai.training.expert_iteration import ExpertIteration, IterationConfig
from manhattan.ai.training.search_games import SearchTargets, play_for_policy
from manhattan.kernel import Position
from support.random_models import SHORT, ending, random_model, short_games

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

SMALL = IterationConfig(
    cycles=2,
    search_games=1,
    rollouts=2,
    policy_epochs=1,
    self_play_games=2,
    value_epochs=1,
    tuning_epochs=1,
)


@pytest.fixture(autouse=True)
def small_games(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(expert_iteration, "_SEARCH_SHARD_GAMES", 1)
    monkeypatch.setattr(expert_iteration, "_SELF_PLAY_SHARD_GAMES", 1)
    monkeypatch.setattr(expert_iteration, "FIRST_SEARCHING_SHARE", 0.4)  # one player of three
    monkeypatch.setattr(expert_iteration, "SEARCHING_SHARE", 0.6)
    with short_games():
        yield


def training(checkpoint: Path | None = None, seed: int = 1, **options: Any) -> ExpertIteration:
    return ExpertIteration(random_model(SHORT), SMALL, seed, checkpoint, **options)


@pytest.fixture(scope="module")
def trained() -> Networks:
    with short_games():
        return ExpertIteration(random_model(SHORT), replace(SMALL, cycles=1), 1).run()


def assert_equal(left: Networks, right: Networks) -> None:
    for part in ("policy", "rival_policy", "value"):
        one, other = getattr(left, part), getattr(right, part)
        for name, array in one._asdict().items():
            assert (array == getattr(other, name)).all(), name


def test_the_same_seed_gives_the_same_networks_and_an_interruption_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExpertIteration, "_warm_up", lambda _: None)  # nothing is compiled here
    titles: list[str] = []
    whole = training(on_progress=lambda title, done, total: titles.append(title)).run()
    assert [title for n, title in enumerate(titles) if title not in titles[:n]] == [
        f"{stage}, cycle {cycle} of 2"
        for cycle in (1, 2)
        for stage in ("Searched games", "Policy network", "Self-play", "Value network")
    ]
    checkpoint = tmp_path / "networks.training"

    class Interrupted(Exception):
        pass

    def interrupt(title: str, done: int, total: int) -> None:
        if title == "Searched games, cycle 2 of 2":
            raise Interrupted

    with pytest.raises(Interrupted):
        training(checkpoint, on_progress=interrupt).run()
    resumed = training(checkpoint)
    assert resumed.stage == 1
    assert_equal(resumed.run(), whole)
    with pytest.raises(ModelError, match="belongs to another training"):
        training(checkpoint, seed=2)


def test_searched_games_are_kept_when_a_training_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExpertIteration, "_warm_up", lambda _: None)
    config = replace(SMALL, cycles=1, search_games=3)
    checkpoint = tmp_path / "networks.training"
    played: list[int] = []

    def trainer(**options: Any) -> ExpertIteration:
        return ExpertIteration(random_model(SHORT), config, 1, **options)

    def play(shard: SearchTargets) -> Any:
        played.append(shard.begin)
        return play_for_policy(shard)

    def interrupt(title: str, done: int, total: int) -> None:
        if title.startswith("Searched games") and done == 2:
            raise KeyboardInterrupt

    whole = trainer().run()
    monkeypatch.setattr(expert_iteration, "play_for_policy", play)
    one_by_one = {"map_tasks": map, "checkpoint": checkpoint}
    with pytest.raises(KeyboardInterrupt):
        trainer(on_progress=interrupt, **one_by_one).run()
    assert played == [0, 1]
    folder = next(path for path in tmp_path.iterdir() if path.is_dir())
    (folder / "0.npz").write_bytes(b"half of a file")  # it is played again
    assert_equal(trainer(**one_by_one).run(), whole)
    assert played == [0, 1, 0, 2]
    assert not folder.exists()


def test_a_training_goes_on_from_other_networks(
    trained: Networks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExpertIteration, "_warm_up", lambda _: None)
    shares: list[tuple[float, float]] = []

    def play(shard: SearchTargets) -> Any:
        assert shard.networks is not None
        assert_equal(shard.networks, trained)
        shares.append((shard.searching_share, shard.plain_share))
        return play_for_policy(shard)

    monkeypatch.setattr(expert_iteration, "play_for_policy", play)
    monkeypatch.setattr(expert_iteration, "_POLICY_BATCH", 4)
    config = replace(SMALL, cycles=1)
    result = ExpertIteration(random_model(SHORT), config, 1, start=trained).run()
    assert shares == [(expert_iteration.SEARCHING_SHARE, expert_iteration._PLAIN_SHARE)]
    assert result.metadata["start"] == trained.metadata
    new, old = result.policy.placement_table, trained.policy.placement_table
    assert 0 < np.abs(new - old).max() < 0.1, "a few small steps from the networks at the start"
    assert (result.rival_policy.output == trained.rival_policy.output).all()


def test_networks_can_be_saved_and_read(
    trained: Networks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / networks.file_name(SHORT)
    with path.open("wb") as file:
        trained.save(file)
    loaded = read_networks(SHORT, path)
    assert loaded.metadata == trained.metadata
    assert loaded.metadata["config"]["search_games"] == 1
    for one, other in ((trained.policy, loaded.policy), (trained.value, loaded.value)):
        for name, array in one._asdict().items():
            assert array == pytest.approx(getattr(other, name), abs=0.01)
    monkeypatch.setenv("MANHATTAN_MODELS", str(tmp_path))
    load_networks.cache_clear()
    assert_equal(load_networks(SHORT), loaded)
    load_networks.cache_clear()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metadata": np.array("{}")}, "has no networks of version 2"),
        ({"policy_site": np.zeros((2, 2), np.float16)}, "has other layers"),
    ],
)
def test_other_files_are_refused(
    trained: Networks, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "networks.npz"
    with path.open("wb") as file:
        trained.save(file)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    np.savez(path, **(arrays | change))
    with pytest.raises(ModelError, match=message):
        read_networks(SHORT, path)


def test_a_kind_without_networks_is_refused() -> None:
    with pytest.raises(ModelError, match="no networks for"):
        load_networks(SHORT)


def test_every_search_with_a_choice_is_kept() -> None:
    model = random_model(SHORT)
    shard = SearchTargets(SHORT, model.value_weights, 3, 0, 1, model, 4, searching_share=1.0)
    decisions, results = play_for_policy(shard)
    assert len(decisions) > 15  # 24 placements, some without a choice
    assert ((decisions.actions >= 0).sum(axis=1) > 1).all()
    kept = decisions.actions >= 0
    assert (decisions.rollouts[kept] > 0).all()
    assert (decisions.rollouts[~kept] == 0).all()
    assert results.scores.sum() > 0
    assert results.boundaries[0, 0].round_number == 1


def test_a_search_with_networks_gives_chances_that_add_up_to_1(trained: Networks) -> None:
    at = Position.from_state(ending(), 1)
    at.data[0].round_number = 0  # so that the value network is asked
    at.data[0].rounds = 2
    searcher = Searcher(random_model(SHORT), at, 1, trained)
    assert searcher.posterior().shape[1] == len(POOL_PRIOR)
    assert searcher.posterior().sum(axis=1) == pytest.approx(1)
    stats = searcher.search(searcher.candidates(), SearchLimits(4), all_players=True)
    for move in stats:
        assert sum(move.win_probabilities) == pytest.approx(1)
        assert 0 < move.value < 1.2
