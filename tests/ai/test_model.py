"""Models: kinds of tables, selection plans, model files and the models of the package."""

from __future__ import annotations

import json
import re
import subprocess
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.ai import model as model_module
from manhattan.ai.model import Kind, ModelError, load_model, read_model
from manhattan.ai.networks import load_networks
from manhattan.ai.selection_plans import PLANS, affordable, parse_plan
from manhattan.ai.training.expert_iteration import IterationConfig
from manhattan.ai.training.trainer import TrainConfig
from manhattan.ai.training.training_data import setup_for_kind
from manhattan.kernel.layout import SELECTIONS
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY
from manhattan.rules import Stock, set_up
from manhattan.rules.blocks import FULL_STOCK
from manhattan.rules.editions import EDITIONS, HOUSE_RULES, Schedule
from support.random_models import random_model

ROOT = Path(__file__).parents[2]
THREE = Kind.of(set_up(3))

TABLES = [
    set_up(players, house_rules={row: value})
    for players, row in [(4, "four_players"), (3, "three_players"), (2, "two_players")]
    for value in HOUSE_RULES[row]
]
KINDS = list(dict.fromkeys(map(Kind.of, TABLES)))


# --- kinds of tables --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "name", "weight_sets"),
    [
        (set_up(4), "4-players-6x4", 4 * 8),
        (set_up(3), "3-players-4x6", 6 * 6),
        (set_up(2), "2-players-4x6-2-colours", 6 * 10),
        (set_up(2, edition="foxgames-2018"), "2-players-4x4-2-colours", 4 * 10),
        (set_up(2, house_rules={"two_players": "6x4-one-colour"}), "2-players-6x4", 4 * 8),
    ],
)
def test_a_kind_of_table_has_a_name_and_weight_sets(
    setup: Any, name: str, weight_sets: int
) -> None:
    """In every round: before the selection, and for each number of blocks left."""
    assert str(Kind.of(setup)) == name
    assert Kind.of(setup).weight_sets == weight_sets


def test_tables_of_one_kind_may_differ_in_other_respects() -> None:
    ada, bob = set_up(["Ada", "Bob"], first=1), set_up(2, edition="999-games")
    assert Kind.of(ada) == Kind.of(bob) != Kind.of(set_up(2, edition="foxgames-2018"))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_has_a_setup(kind: Kind) -> None:
    assert Kind.of(setup_for_kind(kind)) == kind
    assert len({str(other) for other in KINDS}) == len(KINDS)


# --- selection plans --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_has_feasible_plans(kind: Kind) -> None:
    for plan in PLANS[kind.schedule]:
        assert len(plan) == kind.schedule.rounds
        assert {sum(stock) for stock in plan} == {kind.schedule.blocks}
        assert (np.sum(plan, axis=0) <= FULL_STOCK).all()
    assert kind.plans.shape == (len(PLANS[kind.schedule]), kind.schedule.rounds)
    decoded = [[SELECTIONS[kind.schedule.blocks][n] for n in plan] for plan in kind.plans.tolist()]
    assert decoded == [list(plan) for plan in PLANS[kind.schedule]]


def test_every_edition_has_plans() -> None:
    for edition in EDITIONS:
        for players in (2, 3, 4):
            assert PLANS[set_up(players, edition=edition).schedule]
    assert set(PLANS) == {kind.schedule for kind in KINDS}


def test_a_plan_is_parsed_round_by_round() -> None:
    assert parse_plan("0033/6000") == ((0, 0, 3, 3), (6, 0, 0, 0))


@pytest.mark.parametrize(
    ("planned", "supply", "selected"),
    [
        ((0, 0, 3, 3), (11, 6, 4, 3), (0, 0, 3, 3)),
        ((0, 0, 3, 3), (11, 6, 4, 1), (0, 1, 4, 1)),  # a 3 and a 2 instead of two 4s
        ((6, 0, 0, 0), (2, 1, 1, 2), (2, 1, 1, 2)),
        ((6, 0, 0, 0), (3, 3, 0, 2), (3, 1, 0, 2)),
        ((1, 0, 1, 2), (4, 0, 0, 0), (4, 0, 0, 0)),
    ],
)
def test_the_largest_blocks_replace_missing_ones(
    planned: Stock, supply: Stock, selected: Stock
) -> None:
    assert affordable(planned, supply) == selected


# --- model files ------------------------------------------------------------------------------


def test_the_pool_has_every_policy_and_random_play_is_rare() -> None:
    model = random_model(THREE, policies=3)
    assert model.best_policy == 2
    assert model.policy_pool.tolist() == [UNIFORM_POLICY, GREEDY_POLICY, 0, 1, 2]
    assert model.policy_prior.sum() == pytest.approx(1)
    assert model.policy_prior[0] < min(model.policy_prior[1:])
    assert len(set(model.policy_prior[1:])) == 1


@pytest.mark.parametrize("name", ["model.npz", "model"])
def test_a_model_is_saved_with_half_precision(name: str, tmp_path: Path) -> None:
    model, path = random_model(THREE, policies=2), tmp_path / name
    model.save(path)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    loaded = read_model(THREE, path)
    assert (loaded.kind, loaded.best_policy, loaded.metadata) == (THREE, 1, model.metadata)
    pairs = [
        (model.value_weights, loaded.value_weights),
        *zip(model.network, loaded.network, strict=True),
    ]
    for before, after in pairs:
        assert after.dtype == np.float32
        assert (after == before.astype(np.float16)).all()
        assert np.abs(after - before).max() < 3e-3
        assert (after != before).any()


def test_a_model_can_be_saved_to_an_open_file(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with path.open("wb") as file:
        random_model(THREE).save(file)
    assert read_model(THREE, path).best_policy == 0


# --- invalid files ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.npz"
    random_model(THREE).save(path)
    return path


def changed(saved: Path, path: Path, changes: dict[str, Any]) -> Path:
    """Write a copy of the file with other arrays; None removes one."""
    with np.load(saved) as archive:
        arrays = {**archive, **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def header(**changes: Any) -> Any:
    fields = {"format": "manhattan-model", "version": 3, "kind": "3-players-4x6", **changes}
    return np.array(json.dumps(fields))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"metadata": header(version=1)},
            "not a model of version 3. Train it again: manhattan train",
        ),
        ({"metadata": header(format="something")}, "not a model of version 3"),
        ({"metadata": np.array("[]")}, "not a model of version 3"),
        ({"metadata": np.array("{")}, "not a model of version 3"),
        ({"metadata": None}, "not a model of version 3"),
        ({"metadata": header(kind="4-players-6x4")}, "for 4-players-6x4, not for 3-players-4x6"),
        (
            {"metadata": np.array('{"format": "manhattan-model", "version": 3}')},
            "for None, not for",
        ),
        ({"metadata": header()}, "names no best policy. Train it again"),
        ({"metadata": header(best_policy=1)}, "names no best policy"),
        ({"metadata": header(best_policy=-1)}, "names no best policy"),
        ({"metadata": header(best_policy="0")}, "names no best policy"),
        ({"value_weights": None}, "other features"),
        ({"value_weights": np.zeros((1, 36, 7), np.float16)}, "other features"),
        ({"value_weights": np.array(1.5)}, "other features"),
        ({"network_site": None}, "other features"),
        ({"network_site": np.array(["a"])}, "other features"),
        ({"network_city": np.zeros((6, 2, 2))}, "other features"),
        ({"network_more": np.zeros(1)}, "other features"),
        ({"network_more": np.zeros(1, int)}, "other features"),
    ],
)
def test_a_file_with_other_contents_is_rejected(
    saved: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = changed(saved, tmp_path / "other.npz", changes)
    with pytest.raises(ModelError, match=f"other.npz .*{message}"):
        read_model(THREE, path)


def test_value_weights_are_floats_of_at_least_one_policy(saved: Path, tmp_path: Path) -> None:
    weights = read_model(THREE, saved).value_weights
    for wrong in (weights[:0], np.full(weights.shape, "a"), weights.astype(int)):
        path = changed(saved, tmp_path / "other.npz", {"value_weights": wrong})
        with pytest.raises(ModelError, match="other features"):
            read_model(THREE, path)


def test_pickled_objects_are_rejected(saved: Path, tmp_path: Path) -> None:
    """Loading a pickle can run code."""
    wrong = np.array([print], dtype=object)
    path = changed(saved, tmp_path / "other.npz", {"value_weights": wrong})
    with pytest.raises(ModelError, match="can't be read"):
        read_model(THREE, path)


@pytest.mark.parametrize(
    "content",
    [b"", b"nonsense", b"PK\x03\x04 and no more", b"\x80\x04]\x94.", b"\x93NUMPY\x01\x00"],
)
def test_a_file_of_another_format_is_rejected(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model.npz can't be read as a file of `manhattan train`"):
        read_model(THREE, path)


def test_a_single_array_a_missing_file_and_a_folder_are_rejected(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.zeros(3))
    for name in ("one.npy", "nowhere.npz", "."):
        with pytest.raises(ModelError, match="can't be read"):
            read_model(THREE, tmp_path / name)


def test_a_file_damaged_anywhere_is_rejected(saved: Path, tmp_path: Path) -> None:
    content, rng = saved.read_bytes(), Random(1)
    path, accepted = tmp_path / "model.npz", 0
    for _ in range(60):
        damaged = bytearray(
            content[: rng.randrange(len(content))] if rng.random() < 0.3 else content
        )
        for _ in range(rng.randint(1, 4)):
            # Mostly in the header of the first array and in the archive's directory at the end.
            ends = rng.choice([(0, 200), (len(damaged) - 900, len(damaged)), (0, len(damaged))])
            damaged[rng.randrange(max(0, ends[0]), max(1, ends[1])) % len(damaged)] ^= 0xFF
        path.write_bytes(damaged)
        with suppress(ModelError):  # the damage may be in unused bytes
            read_model(THREE, path)
            accepted += 1
    assert accepted < 10


# --- the models of the package ----------------------------------------------------------------


def test_a_kind_without_a_model_is_an_error() -> None:
    unknown = Kind(3, Schedule(4, 5, 1))
    with pytest.raises(ModelError, match=r"There is no model for 3-players-4x5.*manhattan train"):
        load_model(unknown)


def test_a_model_of_the_package_is_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "models").mkdir()
    random_model(THREE).save(tmp_path / "models" / "3-players-4x6.npz")
    monkeypatch.setattr(model_module, "files", lambda package: tmp_path)
    load_model.cache_clear()
    try:
        assert load_model(THREE) is load_model(THREE)
        assert load_model(THREE).metadata == {"seed": 0}
    finally:
        load_model.cache_clear()


def test_models_of_the_user_come_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    random_model(THREE, seed=5).save(tmp_path / "3-players-4x6.npz")
    monkeypatch.setenv("MANHATTAN_MODELS", str(tmp_path))
    load_model.cache_clear()
    try:
        assert load_model(THREE).metadata == {"seed": 5}
        # The folder has none for four players.
        assert "config" in load_model(Kind.of(set_up(4))).metadata
    finally:
        load_model.cache_clear()


@pytest.mark.parametrize(
    "path",
    sorted(
        path
        for path in (Path(model_module.__file__).parent / "models").glob("*.npz")
        if not path.stem.endswith("-networks")
    ),
    ids=lambda path: path.stem,
)
def test_every_model_of_the_package_belongs_to_a_kind(path: Path) -> None:
    kinds = {str(kind): kind for kind in KINDS}
    model = load_model(kinds[path.stem])
    assert len(model.value_weights) > 1
    assert {"seed", "config", "results"} <= model.metadata.keys()
    assert all(np.isfinite(array).all() for array in (model.value_weights, *model.network))
    assert model.metadata["results"]["first against greedy"] > 1.3 / model.kind.players
    assert model.metadata["results"]["best against first"] > 1 / model.kind.players


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_models_of_the_package_are_those_of_make_models(kind: Kind) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = re.findall(rf"manhattan train .*/{kind}\.npz", makefile)
    assert len(commands) == 1
    scale = re.search(r"--scale ([0-9.]+)", commands[0])
    metadata = load_model(kind).metadata
    assert metadata["seed"] == 1
    assert metadata["config"] == asdict(TrainConfig().scaled(float(scale[1]) if scale else 1.0))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_networks_of_the_package_are_those_of_make_networks(kind: Kind) -> None:
    printed = subprocess.run(
        ["make", "--dry-run", "networks"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    commands = [line for line in printed.stdout.splitlines() if f"/{kind}-networks.npz" in line]
    first, second = (
        {
            name: int(given[1])
            for name in ("search_games", "self_play_games")
            if (given := re.search(rf"--{name.replace('_', '-')} ([0-9]+)", command))
        }
        for command in commands
    )
    networks = load_networks(kind)
    for metadata, amounts in ((networks.metadata["start"], first), (networks.metadata, second)):
        assert metadata["seed"] == 1
        assert metadata["config"] == asdict(replace(IterationConfig(), **amounts))
    for network in (networks.policy, networks.rival_policy, networks.value):
        assert all(np.isfinite(array).all() for array in network)
